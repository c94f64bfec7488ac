import {
  type CheckedPage,
  failedChecksOf,
  type FailedCheck,
  LEAST_CONTRAST,
  newFindings,
} from '#contract/page-checks.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import type { PageRow } from './preference-pages.sql.ts';
import { wholeAttrs } from './public-pages.ts';

export type Override = { reason: string } | undefined;

interface Published {
  page: PageRow;
  lists: PreferencePage['lists'];
}

function checkedOf({ page, lists }: Published): CheckedPage {
  return { attrs: wholeAttrs(page), active_languages: page.active_languages, lists };
}

/**
 * Holds back what law or access forbids, for use inside the transaction that publishes. What the page was published with
 * before is not asked about again, so pages from before a check can still be edited.
 * @param before null: a new page
 * @param override why it is published all the same; written to the audit log
 * @throws AppError `checks_failed`
 */
export async function requireChecks(
  services: Pick<Services, 'clock'>,
  site: SiteDb,
  before: Published | null,
  after: Published,
  override: Override,
): Promise<void> {
  const failed = failedChecksOf(newFindings(before === null ? null : checkedOf(before), checkedOf(after)));
  if (failed.length === 0) return;
  if (override === undefined) throw checksFailed(failed);
  await recordChange(services, site, 'page.checks_overridden', {
    id: after.page.id,
    name: after.page.name,
    checks: [...new Set(failed.map(({ check }) => check))],
    reason: override.reason,
  });
}

function checksFailed(checks: FailedCheck[]): AppError {
  const fields = checks.map((one) => ({
    code: 'checks_failed' as const,
    message: `${one.field}: ${problemOf(one)}`,
    field: one.field,
  }));
  const message = `${fields.map((one) => one.message).join(' ')} Fix this, or publish with an \`override\` that has your reason.`;
  return new AppError('checks_failed', message, { fields, data: { checks } });
}

function problemOf({ check, lists, language, ratio }: FailedCheck): string {
  const names = lists.map((name) => `"${name}"`).join(', ');
  switch (check) {
    case 'no_unsubscribe_all':
      return 'visitors must be able to unsubscribe from everything (CAN-SPAM). Turn it on.';
    case 'low_contrast':
      return `a contrast of ${roundedDown(ratio ?? 1)}:1 with the background is below ${LEAST_CONTRAST}:1 (WCAG 2.2). Choose a stronger color.`;
    case 'untranslated':
      return `not translated into the page's language "${language}": ${names}. Add the translations, or remove the language.`;
    case 'on_by_default':
      return `on before anyone chooses, though the legal basis is consent (GDPR): ${names}. Turn them off by default.`;
  }
}

/** 2.99 is below 3, and is not shown as 3.0. */
function roundedDown(ratio: number): number {
  return Math.floor(ratio * 10) / 10;
}

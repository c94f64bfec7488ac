import {
  type CheckedPage,
  failedChecksOf,
  type FailedCheck,
  LEAST_CONTRAST,
  newFindings,
  type Override,
  type PageFindings,
} from '#contract/page-checks.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { type CheckPages, presentShownList } from '#server/audience/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import * as statements from './preference-pages.sql.ts';
import { wholeAttrs } from './public-pages.ts';

/** The pages of the site as visitors see them, by id. */
async function publishedPages(site: SiteDb): Promise<Map<string, CheckedPage>> {
  const pages = await statements.allPages(site);
  const lists = await statements.listsOfPages(
    site,
    pages.map(({ id }) => id),
  );
  return new Map(
    pages.map((page) => {
      const { id, name, active_languages } = page;
      const shown = lists.filter((list) => list.page_id === id).map(presentShownList);
      return [id, { name, attrs: wholeAttrs(page), active_languages, lists: shown }];
    }),
  );
}

/**
 * Holds back what law or access forbids, for use inside the transaction that publishes, by a caller who holds
 * `lockLists`: a list that changes may be on other pages, too. What a page was published with before is not asked about
 * again, so pages from before a check can still be edited.
 * @param override why it is published all the same; written to the audit log
 * @throws AppError `checks_failed`
 */
export async function requireChecks<T>(
  services: Pick<Services, 'clock'>,
  site: SiteDb,
  override: Override | undefined,
  publish: () => Promise<T>,
  fieldOf: (failed: FailedCheck) => string = ({ field }) => field,
): Promise<T> {
  const before = await publishedPages(site);
  const published = await publish();
  const found: (PageFindings & { id: string })[] = [];
  for (const [id, page] of await publishedPages(site)) {
    const findings = newFindings(before.get(id) ?? null, page);
    if (findings.length > 0) found.push({ id, page, findings });
  }
  if (found.length > 0 && override === undefined) throw checksFailed(failedChecksOf(found), fieldOf);
  for (const { id, page, findings } of found) {
    await recordChange(services, site, 'page.checks_overridden', {
      id,
      name: page.name,
      checks: [...new Set(findings.map(({ check }) => check))],
      reason: override?.reason ?? '',
    });
  }
  return published;
}

/** For a change of one list, whose fields are named as the list has them. */
export const requireChecksOfList: CheckPages = (services, site, override, change) =>
  requireChecks(services, site, override, change, ({ check }) =>
    check === 'untranslated' ? 'translations' : 'subscription_default_state',
  );

function checksFailed(checks: FailedCheck[], fieldOf: (failed: FailedCheck) => string): AppError {
  const fields = checks.map((one) => ({
    code: 'checks_failed' as const,
    message: `${fieldOf(one)}: ${problemOf(one)}`,
    field: fieldOf(one),
  }));
  const message = `${fields.map((one) => one.message).join(' ')} Fix this, or send an \`override\` with your reason.`;
  return new AppError('checks_failed', message, { fields, data: { checks } });
}

function problemOf({ check, lists, pages, language, ratio }: FailedCheck): string {
  const quoted = (all: readonly string[]) => all.map((name) => `"${name}"`).join(', ');
  const names = `${quoted(lists)}, on the page ${quoted(pages)}`;
  switch (check) {
    case 'no_unsubscribe_all':
      return 'visitors must be able to unsubscribe from everything (CAN-SPAM). Turn it on.';
    case 'low_contrast':
      return `a contrast of ${roundedDown(ratio ?? 1)}:1 with the background is below ${LEAST_CONTRAST}:1 (WCAG 2.2). Choose a stronger color.`;
    case 'untranslated':
      return `not translated into "${language}", a language of the page: ${names}. Add the translations, or remove the language.`;
    case 'on_by_default':
      return `on before anyone chooses, though the legal basis is consent (GDPR): ${names}. Turn them off by default.`;
  }
}

/** 2.99 is below 3, and is not shown as 3.0. */
function roundedDown(ratio: number): number {
  return Math.floor(ratio * 10) / 10;
}

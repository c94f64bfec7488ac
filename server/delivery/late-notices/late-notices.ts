import type { KeptOutcome } from '#db/tables.ts';
import { notifyResponsible } from '#server/accounts/organizations/notify-responsible.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { findSite } from '#server/accounts/sites/sites.ts';
import { REPORTED_FOR_MS, UNCONFIRMED_AFTER_MS } from '#server/delivery/deliveries/deliveries.ts';
import { type Unconfirmed, unconfirmedOf } from '#server/delivery/deliveries/unconfirmed.sql.ts';
import type { Services } from '#server/platform/services.ts';
import {
  findIntegration,
  type IntegrationRow,
  updateIntegration,
} from '#server/tools/integrations/integrations.ts';
import { scheduledTask } from '#server/tools/schedule/scheduled-tasks.ts';
import { lateMail, type LateWhy } from './late-notices.mails.ts';

/*
 * An opt-out has 48 hours to take effect. What a tool has not confirmed after 24 is reported to those responsible while
 * there is time left: one mail for each site, tool and day, however many people it is about.
 */

const HOUR_MS = 3_600_000;
const LOOK_EVERY_MS = HOUR_MS / 4;

/**
 * What is a little younger is reported along: the next mail goes out a day later at the earliest, and by then its 48 hours
 * would be nearly over.
 */
const REPORTED_AFTER_MS = UNCONFIRMED_AFTER_MS - HOUR_MS;

export const LATE_NOTICES = scheduledTask({ kind: 'late_notices', run: reportLate });

const ago = (now: Date, ms: number) => new Date(now.getTime() - ms);
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

async function reportLate(
  services: Services,
  { siteId, integrationId }: { siteId: string; integrationId: string },
): Promise<number> {
  const now = services.clock.now();
  const { integration, found } = await services.database.readSite(siteId, async (site) => ({
    integration: await findIntegration(site, integrationId),
    found: await unconfirmedOf(site, integrationId, {
      from: ago(now, REPORTED_FOR_MS),
      before: ago(now, REPORTED_AFTER_MS),
      overdueBefore: ago(now, UNCONFIRMED_AFTER_MS),
    }),
  }));
  if (integration === undefined || found === null || !isNews(integration, found, now)) return LOOK_EVERY_MS;
  const reached = await report(services, integration, found);
  // After the mails: a worker that dies between the two sends them twice, which is better than never.
  if (reached) {
    await services.database.inSite(siteId, (site) =>
      updateIntegration(site, integrationId, { late_notice_at: now }),
    );
  }
  return LOOK_EVERY_MS;
}

/** Something is overdue that the last mail did not report, and that mail was not sent today. */
function isNews(
  { late_notice_at: last }: IntegrationRow,
  { newestOverdue }: Unconfirmed,
  now: Date,
): boolean {
  if (newestOverdue === null) return false;
  if (last === null) return true;
  return dayOf(last) !== dayOf(now) && newestOverdue > ago(last, REPORTED_AFTER_MS);
}

/** @returns whether anybody was reached */
async function report(
  services: Services,
  integration: IntegrationRow,
  { choices, oldest, outcomes }: Unconfirmed,
): Promise<boolean> {
  const { site_id: siteId, id } = integration;
  const site = await findSite(services, siteId);
  const link = screenLink(services.config, siteId, `/deliveries?integration_id=${id}&unconfirmed=true`);
  const about = {
    tool: integration.name,
    site: site?.name ?? '',
    choices,
    since: oldest,
    why: WHYS.filter((why) => outcomes.some((outcome) => whyOf(outcome) === why)),
  };
  return notifyResponsible(services, siteId, (language) => lateMail({ ...about, link, language }));
}

/** In the order in which they are said. */
const WHYS: readonly LateWhy[] = [
  'bad_credentials',
  'tool_off',
  'unavailable',
  'rate_limited',
  'refused',
  'not_shown',
  'not_tried',
];

function whyOf(outcome: KeptOutcome | null): LateWhy {
  switch (outcome) {
    case 'bad_credentials':
    case 'tool_off':
    case 'unavailable':
    case 'rate_limited':
    case 'refused':
      return outcome;
    case 'not_found':
      return 'refused';
    case 'checking':
    case 'unconfirmed':
      return 'not_shown';
    default:
      return 'not_tried';
  }
}

import { announceWork } from '#server/delivery/deliveries/delivery-queue.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';
import { QUEUE_SCHEMA } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * A clock that was ahead leaves times behind that nothing reaches for as long as it was ahead. What lies further ahead
 * than the product ever puts it on purpose is due now. A pause is the customer's own: `shorten-pauses.ts` has those.
 */

const DAY_MS = 86_400_000;

interface Wait {
  table: string;
  column: string;
  /** More than the product puts it ahead of now. */
  days: number;
  /** SQL for which of the rows; absent: all. */
  where?: string;
  /** Moved to the furthest day that it may have, since it was promised to someone; absent: due now. */
  isPromise?: true;
}

const WAITS: readonly Wait[] = [
  { table: 'deliveries', column: 'next_attempt_at', days: 2 },
  { table: 'sites_with_work', column: 'due_at', days: 2 },
  { table: 'sites_with_work', column: 'hold_until', days: 2 },
  { table: 'customer_leases', column: 'expires_at', days: 2 },
  { table: 'site_domains', column: 'next_check_at', days: 2 },
  { table: 'site_domains', column: 'proof_missing_since', days: 2 },
  { table: 'token_renewals', column: 'locked_until', days: 2 },
  // The longest life of a token is Campaign Monitor's, 14 days.
  { table: 'token_renewals', column: 'renew_at', days: 31 },
  { table: 'integrations', column: 'rests_until', days: 2 },
  { table: 'integrations', column: 'late_notice_at', days: 2 },
  { table: 'link_fields', column: 'full_sync_due_at', days: 2 },
  { table: 'pending_changes', column: 'expires_at', days: 8, isPromise: true },
  { table: 'complaints', column: 'due_at', days: 31, where: 'closed_at is null', isPromise: true },
  { table: 'customer_timers', column: 'due_at', days: 31, where: `kind <> 'resume'` },
  // An erasure waits for open deliveries for five days from then.
  { table: 'customer_timers', column: 'created_at', days: 2 },
  // What rests since then is deleted later.
  { table: 'imports', column: 'updated_at', days: 2 },
  { table: 'imports', column: 'ended_at', days: 2 },
  { table: 'bulk_undos', column: 'updated_at', days: 2 },
];

/** Pulls back the waits of a site's deliveries, domains, tools and customers. */
export async function pullBackWaits(services: Services, siteId: string): Promise<void> {
  const now = services.clock.now();
  const pullBack = async (site: SiteDb) => {
    let found = 0;
    for (const { table, column, days, where = 'true', isPromise } of WAITS) {
      const latest = inDays(now, days);
      const { rows } = await site.query(
        `update ${table} set ${column} = $2 where site_id = $1 and ${column} > $3 and ${where} returning true`,
        [site.id, isPromise === true ? latest : now, latest],
      );
      found += rows.length;
    }
    if (found === 0) return;
    const mark = announceWork(services, site, now);
    await site.query(mark.sql, [...mark.parameters]);
  };
  await services.database.inSite(siteId, pullBack);
}

/** No limit counts for longer than a day. */
const LIMIT_DAYS = 2;
/** An import rests for 30 days until its rows are deleted. */
const JOB_DAYS = 31;

/**
 * Pulls back what belongs to no site: the rate limits of tool accounts and of callers, names withheld after their release, and
 * jobs, which look themselves whether they come before their time.
 */
export async function pullBackSlots({ clock }: Services, global: GlobalDb): Promise<void> {
  const now = clock.now();
  const latest = inDays(now, LIMIT_DAYS);
  await global.query('update tool_rate_limits set next_slot_at = $1 where next_slot_at > $2', [now, latest]);
  await global.query('delete from rate_limits where expire > $1', [latest.getTime()]);
  await global.query(
    `update ${QUEUE_SCHEMA}.job set start_after = $1 where state in ('created', 'retry') and start_after > $2`,
    [now, inDays(now, JOB_DAYS)],
  );
  await global.query('update host_name_owners set released_at = $1 where released_at > $2', [now, latest]);
}

const inDays = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS);

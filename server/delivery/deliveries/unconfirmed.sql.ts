import { sql } from 'kysely';
import type { KeptOutcome } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import { IS_NOT_HELD } from './deliveries.sql.ts';

/** Choices not confirmed by a tool. */
export interface Unconfirmed {
  choices: number;
  oldest: Date;
  /** Time of the newest overdue choice; null if there is none. */
  newestOverdue: Date | null;
  /** Outcomes of their deliveries; null: not attempted yet. */
  outcomes: (KeptOutcome | null)[];
}

interface Bounds {
  from: Date;
  before: Date;
  overdueBefore: Date;
}

/** Of choices made between `from` and `before`; null if there are none. */
export async function unconfirmedOf(
  site: SiteDb,
  integrationId: string,
  { from, before, overdueBefore }: Bounds,
): Promise<Unconfirmed | null> {
  const { rows } = await sql<{
    choices: string;
    oldest: Date | null;
    newest_overdue: Date | null;
    outcomes: (KeptOutcome | null)[] | null;
  }>`
    select count(distinct choice_id) as choices, min(created_at) as oldest,
      max(created_at) filter (where created_at <= ${overdueBefore}) as newest_overdue,
      array_agg(distinct outcome) as outcomes
    from (${unconfirmed(site, { from, before })}) as late
    where action_id in (
      select actions.id from actions
      where actions.site_id = ${site.id} and actions.integration_id = ${integrationId}
        and actions.deleted_at is null)`.execute(site.db);
  const [row] = rows;
  if (row === undefined || row.oldest === null) return null;
  return {
    choices: Number(row.choices),
    oldest: row.oldest,
    newestOverdue: row.newest_overdue,
    outcomes: row.outcomes ?? [],
  };
}

/** Number of unconfirmed deliveries per action. */
export async function unconfirmedByAction(
  site: SiteDb,
  bounds: Pick<Bounds, 'from' | 'before'>,
): Promise<{ action_id: string; count: number }[]> {
  const { rows } = await sql<{ action_id: string; count: string }>`
    select action_id, count(*) as count from (${unconfirmed(site, bounds)}) as late
    group by action_id`.execute(site.db);
  return rows.map(({ action_id, count }) => ({ action_id, count: Number(count) }));
}

/** Ids are created at about the time of their rows: they narrow the index scan, and the timestamp decides. */
const NEIGHBOURHOOD_MS = 30 * 24 * 3_600_000;

/** One half for each partial index. */
function unconfirmed(site: SiteDb, { from, before }: Pick<Bounds, 'from' | 'before'>) {
  const firstId = firstIdAt(new Date(from.getTime() - NEIGHBOURHOOD_MS));
  const within = sql`site_id = ${site.id} and id >= ${firstId}
      and created_at > ${from} and created_at <= ${before}`;
  return sql`
      select action_id, choice_id, created_at, outcome from deliveries
      where ${within} and status <> 'arrived' and outcome is distinct from 'action_off'
        and ${IS_NOT_HELD}
      union all
      select action_id, choice_id, created_at, outcome from deliveries
      where ${within} and outcome in ('checking', 'unconfirmed') and status = 'arrived'`;
}

import { sql } from 'kysely';
import { builtOnce, type GlobalDb, type SiteDb, type Statement } from '#server/platform/database.ts';

/**
 * Marks a site as having work due at that time.
 * @param holdUntil the mark does not move past this time
 */
export function markSite(siteId: string, dueAt: Date, holdUntil: Date): Statement {
  return {
    sql: `insert into sites_with_work (site_id, due_at, hold_until) values ($1, $2, $3)
      on conflict (site_id) do update set due_at = least(sites_with_work.due_at, excluded.due_at),
        hold_until = greatest(sites_with_work.hold_until, excluded.hold_until)`,
    parameters: [siteId, dueAt, holdUntil],
  };
}

/**
 * Sites with due deliveries, the longest overdue first.
 * @param asked.without sites that this process has no room for
 */
export async function dueSites(
  global: GlobalDb,
  { now, without, limit }: { now: Date; without: readonly string[]; limit: number },
): Promise<string[]> {
  const { rows } = await global.query(
    'select site_id from sites_with_work where due_at <= $1 and site_id <> all($2::uuid[]) order by due_at limit $3',
    [now, without, limit],
  );
  return (rows as { site_id: string }[]).map(({ site_id }) => site_id);
}

/**
 * Locks a site's mark until the transaction ends, so that nothing becomes due unnoticed.
 * @returns the time past which it must not move; null if there is no mark
 */
export async function lockMark(site: SiteDb): Promise<Date | 'locked' | null> {
  const { rows } = await site.query(
    `with mark as (select hold_until from sites_with_work where site_id = $1 for update skip locked)
     select (select hold_until from mark) as hold_until,
       exists (select from sites_with_work where site_id = $1) as is_marked`,
    [site.id],
  );
  const [mark] = rows as { hold_until: Date | null; is_marked: boolean }[];
  return mark?.hold_until ?? (mark?.is_marked === true ? 'locked' : null);
}

/** Sets when the site is due next; null: when new work arrives. */
export function moveMark(siteId: string, dueAt: Date | null): Statement {
  return dueAt === null
    ? { sql: 'delete from sites_with_work where site_id = $1', parameters: [siteId] }
    : { sql: 'update sites_with_work set due_at = $2 where site_id = $1', parameters: [siteId, dueAt] };
}

/**
 * Locks due deliveries, the longest overdue first, and skips locked rows.
 * @param asked.without actions whose receivers have enough waiting in this process
 */
export async function lockDue(
  site: SiteDb,
  { now, without, limit }: { now: Date; without: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await site.db
    .selectFrom('deliveries')
    .select('id')
    .where('site_id', '=', site.id)
    .where('next_attempt_at', '<=', now)
    .where(sql<boolean>`action_id <> all(${[...without]}::uuid[])`)
    .orderBy('next_attempt_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

/** When the next delivery of a site is due, or its lease ends; null if there is none. */
export const nextDueAt = builtOnce((db, siteId: string) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where('site_id', '=', siteId)
    .where('next_attempt_at', 'is not', null)
    .compile(),
);

/**
 * Locks leased deliveries without new attempts and skips those being recorded right now: waiting for them could
 * deadlock two processes that lock many rows in different orders.
 * @param rounds number of attempts, by id
 */
export async function lockLeased(site: SiteDb, rounds: ReadonlyMap<string, number>): Promise<string[]> {
  const rows = await site.db
    .selectFrom('deliveries')
    .select(['id', 'attempt_count'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`id = any(${[...rounds.keys()]}::uuid[])`)
    .where('next_attempt_at', 'is not', null)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.flatMap((row) => (rounds.get(row.id) === row.attempt_count ? [row.id] : []));
}

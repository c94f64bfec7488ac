import { sql } from 'kysely';
import { builtOnce, type GlobalDb, type SiteDb, type Statement } from '#server/platform/database.ts';

/**
 * Makes workers look at a site by then.
 * @param holdUntil no look moves the mark past this moment
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
 * Sites that have something due, the longest due first.
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
 * Takes the mark of a site until the transaction ends, so that nothing becomes due unnoticed meanwhile.
 * @returns until when it must not be moved past; null where there is none
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

/** Says when a site has to be looked at again; null: when something new comes. */
export function moveMark(siteId: string, dueAt: Date | null): Statement {
  return dueAt === null
    ? { sql: 'delete from sites_with_work where site_id = $1', parameters: [siteId] }
    : { sql: 'update sites_with_work set due_at = $2 where site_id = $1', parameters: [siteId, dueAt] };
}

/**
 * Locks what is due, the longest due first; what others have locked is left to them.
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

/** When the next delivery of a site is due, or its lease ends; null where there is none. */
export const nextDueAt = builtOnce((db, siteId: string) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where('site_id', '=', siteId)
    .where('next_attempt_at', 'is not', null)
    .compile(),
);

/**
 * Locks leased deliveries on which nothing was recorded since, and leaves out what is being recorded at this moment: to
 * wait for it would make a deadlock of two who lock many in different orders.
 * @param rounds how many attempts there were, by id
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

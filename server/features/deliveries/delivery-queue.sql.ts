import { sql } from 'kysely';
import { builtOnce, type GlobalDb, type SiteDb, type Statement } from '#server/platform/database.ts';
import { updateStatements } from '#server/platform/row-statements.ts';

/**
 * Makes workers look at a site by then. The last statement of a transaction that sets a `next_attempt_at`: others wait
 * for the row. A mark that is earlier stays as it is.
 */
export function markSite(siteId: string, dueAt: Date): Statement {
  return {
    sql: `insert into sites_with_work (site_id, due_at) values ($1, $2)
      on conflict (site_id) do update set due_at = excluded.due_at
      where sites_with_work.due_at > excluded.due_at`,
    parameters: [siteId, dueAt],
  };
}

/** Sites that have something due, the longest due first. */
export async function dueSites(global: GlobalDb, now: Date, limit: number): Promise<string[]> {
  const { rows } = await global.query(
    'select site_id from sites_with_work where due_at <= $1 order by due_at limit $2',
    [now, limit],
  );
  return (rows as { site_id: string }[]).map(({ site_id }) => site_id);
}

/**
 * Takes the mark of a site until the transaction ends, so that nothing becomes due unnoticed meanwhile.
 * @returns false while another process has it, or where there is none
 */
export async function lockMark(site: SiteDb): Promise<boolean> {
  const { rows } = await site.query('select 1 from sites_with_work where site_id = $1 for update skip locked', [
    site.id,
  ]);
  return rows.length > 0;
}

/** Says when the site has to be looked at again; null: when something new comes. */
export async function moveMark(site: SiteDb, dueAt: Date | null): Promise<void> {
  if (dueAt === null) await site.query('delete from sites_with_work where site_id = $1', [site.id]);
  else await site.query('update sites_with_work set due_at = $2 where site_id = $1', [site.id, dueAt]);
}

export interface LeasedRow {
  id: string;
}

/**
 * Leases what is due, the longest due first.
 * @param claim.without actions whose receivers have enough waiting in this process
 */
export async function leaseDue(
  site: SiteDb,
  { now, until, without, limit }: { now: Date; until: Date; without: readonly string[]; limit: number },
): Promise<string[]> {
  const due = site.db
    .selectFrom('deliveries')
    .select('id')
    .where('site_id', '=', site.id)
    .where('next_attempt_at', '<=', now)
    .where(sql<boolean>`action_id <> all(${[...without]}::uuid[])`)
    .orderBy('next_attempt_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const rows = await site.db
    .updateTable('deliveries')
    .set({ next_attempt_at: until })
    .where('site_id', '=', site.id)
    .where('id', 'in', due)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** When the next delivery of a site is due, or its lease ends. */
export const nextDueAt = builtOnce((db, siteId: string) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where('site_id', '=', siteId)
    .where('next_attempt_at', 'is not', null)
    .compile(),
);

/** Keeps leases of deliveries on which nothing was recorded since they were leased. */
export const renewLeases = updateStatements<{ id: string; attempt_count: number; next_attempt_at: Date }>(
  'deliveries',
  { attempt_count: 'int', next_attempt_at: 'timestamptz' },
  'deliveries.attempt_count = changed.attempt_count and deliveries.next_attempt_at is not null',
);

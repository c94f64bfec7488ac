import { type Insertable, type Selectable, sql } from 'kysely';
import type { GlobalTables, TenantTables } from '#db/tables.ts';
import { sitesWithout } from '#server/accounts/sites/sites.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.sql.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';
import type { Head } from './chain.ts';

export type CheckRow = Selectable<TenantTables['evidence_checks']>;
export type RoundRow = Selectable<GlobalTables['evidence_check_tasks']>;

/** Where the chains of the next customers have to end, in the order of their ids. */
export async function headsAfter(site: SiteDb, after: string, limit: number): Promise<Head[]> {
  return site.db
    .selectFrom('customers')
    .select(['id', 'sequence', 'evidence_hash'])
    .where('site_id', '=', site.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function findHead(site: SiteDb, customerId: string): Promise<Head | undefined> {
  return site.db
    .selectFrom('customers')
    .select(['id', 'sequence', 'evidence_hash'])
    .where('site_id', '=', site.id)
    .where('id', '=', customerId)
    .executeTakeFirst();
}

/** A place among the records of a site, which are read in the order of customers and of numbers. */
export interface Place {
  customerId: string;
  sequence: number;
}

/** The next records after a place, of customers up to one. Those of nobody are among them. */
export async function recordsAfter(
  site: SiteDb,
  { customerId, sequence }: Place,
  { upTo, limit }: { upTo: string; limit: number },
): Promise<ChoiceRow[]> {
  return site.db
    .selectFrom('choices')
    .leftJoin('customers', (join) =>
      join
        .onRef('customers.site_id', '=', 'choices.site_id')
        .onRef('customers.id', '=', 'choices.customer_id'),
    )
    .selectAll('choices')
    .select('customers.person_salt')
    .where('choices.site_id', '=', site.id)
    .where(sql<boolean>`(choices.customer_id, choices.sequence) > (${customerId}::uuid, ${sequence}::int)`)
    .where('choices.customer_id', '<=', upTo)
    .orderBy('choices.customer_id')
    .orderBy('choices.sequence')
    .limit(limit)
    .execute();
}

export async function lastCheck(site: SiteDb): Promise<CheckRow | undefined> {
  return site.db
    .selectFrom('evidence_checks')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertCheck(
  site: SiteDb,
  check: Omit<Insertable<TenantTables['evidence_checks']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('evidence_checks')
    .values({ ...check, site_id: site.id })
    .execute();
}

export async function findRound(global: Pick<GlobalDb, 'db'>, siteId: string): Promise<RoundRow | undefined> {
  return global.db
    .selectFrom('evidence_check_tasks')
    .selectAll()
    .where('site_id', '=', siteId)
    .executeTakeFirst();
}

export async function sitesWithoutRound(global: GlobalDb, limit: number): Promise<string[]> {
  return sitesWithout(global, limit, (siteIds) =>
    global.db
      .selectFrom('evidence_check_tasks')
      .select('site_id')
      .where(sql<boolean>`site_id = any(${[...siteIds]}::uuid[])`)
      .execute(),
  );
}

/** @param rounds at least one */
export async function insertRounds(
  global: GlobalDb,
  rounds: readonly { site_id: string; due_at: Date }[],
): Promise<void> {
  await global.db
    .insertInto('evidence_check_tasks')
    .values(rounds.map((round) => ({ ...round, lease: null, checked_at: null, broken: 0 })))
    .onConflict((conflict) => conflict.columns(['site_id']).doNothing())
    .execute();
}

/** Takes the one that waits longest, for this process only until `until`; undefined when none is due. */
export async function claimDueRound(
  tx: GlobalDb,
  { now, until, lease }: { now: Date; until: Date; lease: string },
): Promise<RoundRow | undefined> {
  const due = await tx.db
    .selectFrom('evidence_check_tasks')
    .select('site_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (due === undefined) return undefined;
  return tx.db
    .updateTable('evidence_check_tasks')
    .set({ due_at: until, lease })
    .where('site_id', '=', due.site_id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Changes a claim while it is still the process's own.
 * @returns whether it still is
 */
export async function updateRound(
  global: Pick<GlobalDb, 'db'>,
  { site_id, lease }: Pick<RoundRow, 'site_id' | 'lease'>,
  changes: Partial<RoundRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await global.db
    .updateTable('evidence_check_tasks')
    .set(changes)
    .where('site_id', '=', site_id)
    .where('lease', '=', lease)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function countRounds(global: GlobalDb): Promise<{ checked: number; broken: number }> {
  const { rows } = await sql<{ checked: string; broken: string }>`
    select count(checked_at) as checked, count(*) filter (where broken > 0) as broken
    from evidence_check_tasks`.execute(global.db);
  return { checked: Number(rows[0]?.checked), broken: Number(rows[0]?.broken) };
}

/** Makes those that are due after `latest` due now. */
export async function pullBackRounds(
  global: GlobalDb,
  { latest, now }: { latest: Date; now: Date },
): Promise<void> {
  await global.db
    .updateTable('evidence_check_tasks')
    .set({ due_at: now })
    .where('due_at', '>', latest)
    .execute();
}

/**
 * Never the last one.
 * @returns how many were deleted
 */
export async function forgetChecks(site: SiteDb, before: Date, most: number): Promise<number> {
  const { rows } = await site.query('select forget_evidence_checks($1, $2) as forgotten', [before, most]);
  return (rows as { forgotten: number }[])[0]?.forgotten ?? 0;
}

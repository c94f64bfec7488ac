import { type Insertable, type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type HeadRow = Selectable<TenantTables['evidence_heads']>;

/** A head without its leaves, which may be many. */
export type SignedHead = Omit<HeadRow, 'leaves'>;

const WITHOUT_LEAVES = [
  'site_id',
  'id',
  'number',
  'up_to',
  'records',
  'statement',
  'kid',
  'signature',
  'signed_at',
] as const;

export async function lastHead(site: SiteDb): Promise<SignedHead | undefined> {
  return site.db
    .selectFrom('evidence_heads')
    .select(WITHOUT_LEAVES)
    .where('site_id', '=', site.id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Newest first, one more than `limit` if there are more. */
export async function headsBefore(
  site: SiteDb,
  { before, limit }: { before: string | null; limit: number },
): Promise<SignedHead[]> {
  let select = site.db
    .selectFrom('evidence_heads')
    .select(WITHOUT_LEAVES)
    .where('site_id', '=', site.id)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (before !== null) select = select.where('id', '<', before);
  return select.execute();
}

/** Those that come after one, oldest first. */
export async function headsFrom(site: SiteDb, after: number, limit: number): Promise<SignedHead[]> {
  return site.db
    .selectFrom('evidence_heads')
    .select(WITHOUT_LEAVES)
    .where('site_id', '=', site.id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
}

/** The head that comes after one. */
export async function headAfter(site: SiteDb, number: number): Promise<HeadRow | undefined> {
  return site.db
    .selectFrom('evidence_heads')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('number', '>', number)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
}

/** The head that holds a record with this id, if the record was there when it was signed. */
export async function headOfRecord(site: SiteDb, recordId: string): Promise<HeadRow | undefined> {
  return site.db
    .selectFrom('evidence_heads')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('up_to', '>', recordId)
    .orderBy('up_to')
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
}

/** Is there a head whose key is none of these? */
export async function hasHeadBesides(site: SiteDb, kids: readonly string[]): Promise<boolean> {
  const found = await site.db
    .selectFrom('evidence_heads')
    .select('number')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`kid <> all(${[...kids]}::text[])`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** A head that another process has signed meanwhile stays as it is. @returns whether this one was stored */
export async function insertHead(
  site: SiteDb,
  head: Omit<Insertable<TenantTables['evidence_heads']>, 'site_id'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await site.db
    .insertInto('evidence_heads')
    .values({ ...head, site_id: site.id })
    .onConflict((conflict) => conflict.columns(['site_id', 'number']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export type AnchoredRow = Selectable<TenantTables['evidence_anchors']>;

export async function lastAnchored(site: SiteDb): Promise<AnchoredRow | undefined> {
  return site.db.selectFrom('evidence_anchors').selectAll().where('site_id', '=', site.id).executeTakeFirst();
}

export async function recordAnchored(site: SiteDb, anchored: Omit<AnchoredRow, 'site_id'>): Promise<void> {
  await site.db
    .insertInto('evidence_anchors')
    .values({ ...anchored, site_id: site.id })
    .onConflict((conflict) => conflict.columns(['site_id']).doUpdateSet(anchored))
    .execute();
}

/** What a head is made of: records with ids from one to before another, in the order of their ids. */
export async function hashesBetween(
  site: SiteDb,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<{ id: string; hash: Buffer }[]> {
  return site.db
    .selectFrom('choices')
    .select(['id', 'hash'])
    .where('site_id', '=', site.id)
    .where('id', '>=', from)
    .where('id', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
}

import { sql } from 'kysely';
import type { GlobalDb } from '#server/platform/database.ts';

export interface HolderRow {
  host: string;
  organization_id: string;
  owned_since: Date;
  released_at: Date | null;
}

export async function siteIdOfHost(tx: GlobalDb, host: string): Promise<string | null> {
  const row = await tx.db
    .selectFrom('host_names')
    .select('site_id')
    .where('host', '=', host)
    .executeTakeFirst();
  return row?.site_id ?? null;
}

/** @returns false if a site already has this name */
export async function insertHost(
  tx: GlobalDb,
  row: { host: string; site_id: string; kind: 'subdomain' | 'custom'; created_at: Date },
): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('host_names')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doNothing())
    .returning('host')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function deleteCustomHost(tx: GlobalDb, siteId: string, host: string): Promise<void> {
  await tx.db
    .deleteFrom('host_names')
    .where('host', '=', host)
    .where('site_id', '=', siteId)
    .where('kind', '=', 'custom')
    .execute();
}

/** @returns the names under which the site was served */
export async function deleteHostsOfSite(tx: GlobalDb, siteId: string): Promise<string[]> {
  const rows = await tx.db.deleteFrom('host_names').where('site_id', '=', siteId).returning('host').execute();
  return rows.map(({ host }) => host);
}

export async function holderOf(tx: GlobalDb, host: string): Promise<HolderRow | undefined> {
  return tx.db
    .selectFrom('host_name_owners')
    .select(['host', 'organization_id', 'owned_since', 'released_at'])
    .where('host', '=', host)
    .executeTakeFirst();
}

/** How many names under a domain the same account took before this one, given up or not, since then. */
export async function namesTakenBefore(
  tx: GlobalDb,
  { organization_id: organizationId, owned_since: before }: HolderRow,
  { domain, since }: { domain: string; since: Date },
): Promise<number> {
  // Separate statements, because on Citus the names exist only on the coordinator.
  const organizations = await tx.db
    .selectFrom('organizations as own')
    .innerJoin('organizations as all', 'all.created_by', 'own.created_by')
    .select('all.id')
    .where('own.id', '=', organizationId)
    .execute();
  const row = await tx.db
    .selectFrom('host_name_owners')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where(
      'organization_id',
      'in',
      organizations.map(({ id }) => id),
    )
    .where('host', 'like', `%.${domain}`)
    .where('owned_since', '>', since)
    .where('owned_since', '<', before)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** @returns false if another organization has the name, or released it after `releasedBefore` */
export async function insertHolder(
  tx: GlobalDb,
  holder: { host: string; organization_id: string; owned_since: Date },
  releasedBefore: Date,
): Promise<boolean> {
  const held = await tx.db
    .insertInto('host_name_owners')
    .values({ ...holder, released_at: null })
    .onConflict((conflict) =>
      conflict
        .column('host')
        .doUpdateSet((row) => ({
          organization_id: row.ref('excluded.organization_id'),
          owned_since: row.ref('excluded.owned_since'),
          released_at: null,
        }))
        .where((row) =>
          row.or([
            row('host_name_owners.organization_id', '=', row.ref('excluded.organization_id')),
            row('host_name_owners.released_at', '<=', releasedBefore),
          ]),
        ),
    )
    .returning('host')
    .executeTakeFirst();
  return held !== undefined;
}

export async function releaseHolder(tx: GlobalDb, host: string, now: Date): Promise<void> {
  await tx.db.updateTable('host_name_owners').set({ released_at: now }).where('host', '=', host).execute();
}

export async function deleteHolder(tx: GlobalDb, host: string): Promise<void> {
  await tx.db.deleteFrom('host_name_owners').where('host', '=', host).execute();
}

/** Names taken before `heldBefore` and not released, in slices by name. */
export async function heldHostsAfter(
  tx: GlobalDb,
  after: string,
  { heldBefore, limit }: { heldBefore: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('host_name_owners')
    .select('host')
    .where('host', '>', after)
    .where('released_at', 'is', null)
    .where('owned_since', '<', heldBefore)
    .orderBy('host')
    .limit(limit)
    .execute();
  return rows.map(({ host }) => host);
}

/** Which of these names show a site. */
export async function servedHosts(tx: GlobalDb, hosts: readonly string[]): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('host_names')
    .select('host')
    .where(sql<boolean>`host = any(${[...hosts]}::text[])`)
    .execute();
  return rows.map(({ host }) => host);
}

/** Skips names that were taken again meanwhile. */
export async function releaseHolders(
  tx: GlobalDb,
  hosts: readonly string[],
  { heldBefore, now }: { heldBefore: Date; now: Date },
): Promise<void> {
  await tx.db
    .updateTable('host_name_owners')
    .set({ released_at: now })
    .where(sql<boolean>`host = any(${[...hosts]}::text[])`)
    .where('released_at', 'is', null)
    .where('owned_since', '<', heldBefore)
    .execute();
}

export async function deleteHoldersReleasedBefore(tx: GlobalDb, releasedBefore: Date): Promise<void> {
  await tx.db.deleteFrom('host_name_owners').where('released_at', '<=', releasedBefore).execute();
}

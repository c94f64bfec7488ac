import type { QueryConfig } from 'pg';
import type { Operator } from '#contract/operator.ts';
import type { Database, GlobalDb } from '#server/platform/database.ts';

export interface SiteRow {
  id: string;
  organization_id: string;
  name: string;
  domain_name: string;
  custom_domain: string | null;
  custom_domain_verified_at: Date | null;
  link_lifetime_days: number;
  delivery_content_days: number;
  sender_name: string;
  reply_to: string;
  operator: Operator | null;
}

function selectSites(tx: GlobalDb) {
  return tx.db
    .selectFrom('sites')
    .innerJoin('host_names as sub', (join) =>
      join.onRef('sub.site_id', '=', 'sites.id').on('sub.kind', '=', 'subdomain'),
    )
    .leftJoin('site_domains as own', 'own.site_id', 'sites.id')
    .select([
      'sites.id',
      'sites.organization_id',
      'sites.name',
      'sites.link_lifetime_days',
      'sites.delivery_content_days',
      'sites.sender_name',
      'sites.reply_to',
      'sites.operator',
      'sub.host as domain_name',
      'own.host as custom_domain',
      'own.verified_at as custom_domain_verified_at',
    ]);
}

export async function sitesOfOrganization(tx: GlobalDb, organizationId: string): Promise<SiteRow[]> {
  return selectSites(tx).where('organization_id', '=', organizationId).orderBy('sites.id').execute();
}

/** All sites, in slices by their ids. */
async function siteIdsAfter(tx: GlobalDb, after: string | null, limit: number): Promise<string[]> {
  let select = tx.db.selectFrom('sites').select('id').orderBy('id').limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  return (await select.execute()).map(({ id }) => id);
}

const SITES_AT_ONCE = 100;

/** The ids of all sites, read in slices. */
export async function* allSiteIds(tx: GlobalDb): AsyncGenerator<string> {
  let after: string | null = null;
  for (;;) {
    const ids: string[] = await siteIdsAfter(tx, after, SITES_AT_ONCE);
    yield* ids;
    if (ids.length < SITES_AT_ONCE) return;
    after = ids.at(-1) ?? null;
  }
}

export async function siteById(tx: GlobalDb, id: string): Promise<SiteRow | undefined> {
  return selectSites(tx).where('sites.id', '=', id).executeTakeFirst();
}

export async function insertSite(
  tx: GlobalDb,
  site: { id: string; organization_id: string; name: string; created_at: Date },
): Promise<void> {
  await tx.db.insertInto('sites').values(site).execute();
}

/** Changes of a site's own domain happen one after the other; what only refers to the site is not held up. */
export async function lockSite(tx: GlobalDb, id: string): Promise<void> {
  await tx.db.selectFrom('sites').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export async function renameSite(tx: GlobalDb, id: string, name: string): Promise<void> {
  await tx.db.updateTable('sites').set({ name }).where('id', '=', id).execute();
}

export async function setLinkLifetime(tx: GlobalDb, id: string, days: number): Promise<void> {
  await tx.db.updateTable('sites').set({ link_lifetime_days: days }).where('id', '=', id).execute();
}

export async function setDeliveryContentDays(tx: GlobalDb, id: string, days: number): Promise<void> {
  await tx.db.updateTable('sites').set({ delivery_content_days: days }).where('id', '=', id).execute();
}

export async function setSender(
  tx: GlobalDb,
  id: string,
  sender: { sender_name: string; reply_to: string },
): Promise<void> {
  await tx.db.updateTable('sites').set(sender).where('id', '=', id).execute();
}

export async function setOperator(tx: GlobalDb, id: string, operator: Operator): Promise<void> {
  await tx.db
    .updateTable('sites')
    .set({ operator: JSON.stringify(operator) })
    .where('id', '=', id)
    .execute();
}

/** Also sites without a name any more, which `sitesOfOrganization` leaves out. */
export async function siteIdsOfOrganization(tx: GlobalDb, organizationId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('sites')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** A large site takes longer than any request may. */
const DELETION_MS = 3_600_000;

/** A site and everything of it, its evidence too: one statement, so that there is no half of it. */
export async function deleteSite({ pool }: Pick<Database, 'pool'>, id: string): Promise<void> {
  const statement: QueryConfig & { query_timeout: number } = {
    text: 'delete from sites where id = $1',
    values: [id],
    query_timeout: DELETION_MS,
  };
  await pool.query(statement);
}

import type { GlobalDb } from '#server/platform/database.ts';

export interface SiteRow {
  id: string;
  name: string;
  domain_name: string;
  custom_domain: string | null;
}

function selectSites(tx: GlobalDb) {
  return tx.db
    .selectFrom('sites')
    .innerJoin('host_names as sub', (join) =>
      join.onRef('sub.site_id', '=', 'sites.id').on('sub.kind', '=', 'subdomain'),
    )
    .leftJoin('host_names as own', (join) =>
      join.onRef('own.site_id', '=', 'sites.id').on('own.kind', '=', 'custom'),
    )
    .select(['sites.id', 'sites.name', 'sub.host as domain_name', 'own.host as custom_domain']);
}

export async function sitesOfOrganization(tx: GlobalDb, organizationId: string): Promise<SiteRow[]> {
  return selectSites(tx).where('organization_id', '=', organizationId).orderBy('sites.id').execute();
}

export async function siteById(tx: GlobalDb, id: string): Promise<SiteRow | undefined> {
  return selectSites(tx).where('sites.id', '=', id).executeTakeFirst();
}

export async function insertSite(
  tx: GlobalDb,
  site: { id: string; organization_id: string; name: string; host: string; created_at: Date },
): Promise<void> {
  await tx.db
    .insertInto('sites')
    .values({
      id: site.id,
      organization_id: site.organization_id,
      name: site.name,
      created_at: site.created_at,
    })
    .execute();
  await tx.db
    .insertInto('host_names')
    .values({ host: site.host, site_id: site.id, kind: 'subdomain', created_at: site.created_at })
    .execute();
}

export async function renameSite(tx: GlobalDb, id: string, name: string): Promise<void> {
  await tx.db.updateTable('sites').set({ name }).where('id', '=', id).execute();
}

export async function removeCustomHost(tx: GlobalDb, siteId: string): Promise<void> {
  await tx.db.deleteFrom('host_names').where('site_id', '=', siteId).where('kind', '=', 'custom').execute();
}

export async function insertCustomHost(tx: GlobalDb, siteId: string, host: string, now: Date): Promise<void> {
  await tx.db
    .insertInto('host_names')
    .values({ host, site_id: siteId, kind: 'custom', created_at: now })
    .execute();
}

export async function siteIdOfHost(tx: GlobalDb, host: string): Promise<string | null> {
  const row = await tx.db
    .selectFrom('host_names')
    .select('site_id')
    .where('host', '=', host)
    .executeTakeFirst();
  return row?.site_id ?? null;
}

export async function memberSite(
  tx: GlobalDb,
  userId: string,
  organizationId: string,
  siteId: string,
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('members')
    .innerJoin('sites', 'sites.organization_id', 'members.organization_id')
    .select('sites.id')
    .where('members.user_id', '=', userId)
    .where('members.organization_id', '=', organizationId)
    .where('sites.id', '=', siteId)
    .executeTakeFirst();
  return row !== undefined;
}

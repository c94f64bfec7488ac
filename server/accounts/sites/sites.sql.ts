import type { QueryConfig } from 'pg';
import { sql } from 'kysely';
import type { Operator } from '#contract/operator.ts';
import type { RecordMailboxes } from '#db/tables.ts';
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
  test_mode: boolean;
  test_emails: string[];
  evidence_anchor: string;
  evidence_anchor_agreed: string;
  taken_down_at: Date | null;
  taken_down_reason: string;
}

function selectSites(tx: GlobalDb) {
  return tx.db
    .selectFrom('sites')
    .innerJoin('host_names as sub', (join) =>
      join.onRef('sub.site_id', '=', 'sites.id').on('sub.kind', '=', 'subdomain'),
    )
    .select([
      'sites.id',
      'sites.organization_id',
      'sites.name',
      'sites.link_lifetime_days',
      'sites.delivery_content_days',
      'sites.sender_name',
      'sites.reply_to',
      'sites.operator',
      'sites.test_mode',
      'sites.test_emails',
      'sites.evidence_anchor',
      'sites.evidence_anchor_agreed',
      'sites.taken_down_at',
      'sites.taken_down_reason',
      'sub.host as domain_name',
    ]);
}

/** Own domains take a separate statement, because on Citus they exist only on the coordinator. */
async function ownDomains(tx: GlobalDb, siteIds: readonly string[]) {
  return tx.db
    .selectFrom('site_domains')
    .select(['site_id', 'host as custom_domain', 'verified_at as custom_domain_verified_at'])
    .where(sql<boolean>`site_id = any(${[...siteIds]}::uuid[])`)
    .execute();
}

const NO_DOMAIN = { custom_domain: null, custom_domain_verified_at: null };

export async function sitesOfOrganization(tx: GlobalDb, organizationId: string): Promise<SiteRow[]> {
  const sites = await selectSites(tx)
    .where('organization_id', '=', organizationId)
    .orderBy('sites.id')
    .execute();
  const domains = await ownDomains(
    tx,
    sites.map(({ id }) => id),
  );
  const domainOf = new Map(domains.map(({ site_id, ...domain }) => [site_id, domain]));
  return sites.map((site) => ({ ...site, ...(domainOf.get(site.id) ?? NO_DOMAIN) }));
}

/** All sites, in slices by their ids. */
async function siteIdsAfter(tx: GlobalDb, after: string | null, limit: number): Promise<string[]> {
  let select = tx.db.selectFrom('sites').select('id').orderBy('id').limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  return (await select.execute()).map(({ id }) => id);
}

const SITES_AT_ONCE = 500;

async function* siteIdsInSlices(tx: GlobalDb): AsyncGenerator<string[]> {
  let after: string | null = null;
  for (;;) {
    const ids: string[] = await siteIdsAfter(tx, after, SITES_AT_ONCE);
    if (ids.length > 0) yield ids;
    if (ids.length < SITES_AT_ONCE) return;
    after = ids.at(-1) ?? null;
  }
}

/** The ids of all sites, read in slices. */
export async function* allSiteIds(tx: GlobalDb): AsyncGenerator<string> {
  for await (const ids of siteIdsInSlices(tx)) yield* ids;
}

/** The site's organization; null: the site does not exist. */
export async function organizationOfSite(tx: GlobalDb, siteId: string): Promise<string | null> {
  const row = await tx.db
    .selectFrom('sites')
    .select('organization_id')
    .where('id', '=', siteId)
    .executeTakeFirst();
  return row?.organization_id ?? null;
}

/**
 * Some of the sites that something is not kept of yet, which only the coordinator has where there is Citus.
 * @param keptOf which of these sites it is kept of
 */
export async function sitesWithout(
  tx: GlobalDb,
  limit: number,
  keptOf: (siteIds: readonly string[]) => Promise<{ site_id: string }[]>,
): Promise<string[]> {
  const without: string[] = [];
  for await (const ids of siteIdsInSlices(tx)) {
    const kept = new Set((await keptOf(ids)).map(({ site_id }) => site_id));
    without.push(...ids.filter((id) => !kept.has(id)));
    if (without.length >= limit) break;
  }
  return without.slice(0, limit);
}

export async function siteById(tx: GlobalDb, id: string): Promise<SiteRow | undefined> {
  const [site, [domain]] = await Promise.all([
    selectSites(tx).where('sites.id', '=', id).executeTakeFirst(),
    ownDomains(tx, [id]),
  ]);
  if (site === undefined) return undefined;
  const { custom_domain, custom_domain_verified_at } = domain ?? NO_DOMAIN;
  return { ...site, custom_domain, custom_domain_verified_at };
}

export async function insertSite(
  tx: GlobalDb,
  site: { id: string; organization_id: string; name: string; created_at: Date },
): Promise<void> {
  await tx.db.insertInto('sites').values(site).execute();
}

/** Serializes changes of a site's own domain without blocking rows that only refer to the site. */
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

export async function setTakenDown(
  tx: GlobalDb,
  id: string,
  state: { taken_down_at: Date | null; taken_down_reason: string },
): Promise<void> {
  await tx.db.updateTable('sites').set(state).where('id', '=', id).execute();
}

export async function setEvidenceAnchor(
  tx: GlobalDb,
  id: string,
  anchor: { evidence_anchor: string; evidence_anchor_agreed: string },
): Promise<void> {
  await tx.db.updateTable('sites').set(anchor).where('id', '=', id).execute();
}

/** @returns whether the site still sends its signed heads there */
export async function agreeToEvidence(tx: GlobalDb, id: string, email: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('sites')
    .set({ evidence_anchor_agreed: email })
    .where('id', '=', id)
    .where('evidence_anchor', '=', email)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function stopEvidence(tx: GlobalDb, id: string, email: string): Promise<void> {
  await tx.db
    .updateTable('sites')
    .set({ evidence_anchor_agreed: '' })
    .where('id', '=', id)
    .where('evidence_anchor_agreed', '=', email)
    .execute();
}

export interface SiteMailboxes {
  id: string;
  name: string;
  organization_id: string;
  record_mailboxes: RecordMailboxes;
}

/** Which mailboxes may get the evidence of a site by email. */
export async function recordMailboxesOf(tx: GlobalDb, siteId: string): Promise<SiteMailboxes | undefined> {
  return tx.db
    .selectFrom('sites')
    .select(['id', 'name', 'organization_id', 'record_mailboxes'])
    .where('id', '=', siteId)
    .executeTakeFirst();
}

/** @returns whether the site exists */
export async function setRecordMailbox(
  tx: GlobalDb,
  siteId: string,
  key: string,
  hasAgreed: boolean,
): Promise<boolean> {
  const change = JSON.stringify({ [key]: hasAgreed });
  const { numUpdatedRows } = await tx.db
    .updateTable('sites')
    .set({ record_mailboxes: sql`record_mailboxes || ${change}::jsonb` })
    .where('id', '=', siteId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setTestMode(
  tx: GlobalDb,
  id: string,
  settings: { test_mode: boolean; test_emails: string[] },
): Promise<void> {
  await tx.db.updateTable('sites').set(settings).where('id', '=', id).execute();
}

export async function readTestMode(
  tx: GlobalDb,
  id: string,
): Promise<{ test_mode: boolean; test_emails: string[] } | undefined> {
  return tx.db
    .selectFrom('sites')
    .select(['test_mode', 'test_emails'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Includes sites without a host name, which `sitesOfOrganization` leaves out. */
export async function siteIdsOfOrganization(tx: GlobalDb, organizationId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('sites')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Deleting a large site takes longer than a request may. */
const DELETION_MS = 3_600_000;

/** Deletes a site with all its data, including evidence, in one statement, so that it is never deleted by half. */
export async function deleteSite({ pool }: Pick<Database, 'pool'>, id: string): Promise<void> {
  const statement: QueryConfig & { query_timeout: number } = {
    text: 'delete from sites where id = $1',
    values: [id],
    query_timeout: DELETION_MS,
  };
  await pool.query(statement);
}

import type { CompiledQuery, Insertable, Selectable } from 'kysely';
import type { AuditEvent } from '#contract/audit-log.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type AuditRow = Selectable<TenantTables['audit_log']>;

export function insertEntry(
  site: Pick<SiteDb, 'id' | 'db'>,
  entry: Omit<Insertable<TenantTables['audit_log']>, 'site_id'>,
): CompiledQuery {
  return site.db
    .insertInto('audit_log')
    .values({ ...entry, site_id: site.id })
    .compile();
}

/** @returns one more than `limit` when there is a next page */
export async function searchEntries(
  site: SiteDb,
  filter: { events: readonly AuditEvent[] | null; actors: readonly string[] | null },
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditRow[]> {
  let select = site.db
    .selectFrom('audit_log')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (filter.events !== null) select = select.where('event', 'in', filter.events);
  if (filter.actors !== null) select = select.where('actor', 'in', filter.actors);
  if (before !== null) select = select.where('id', '<', before);
  return select.execute();
}

export async function actorsOf(site: SiteDb): Promise<string[]> {
  const rows = await site.db
    .selectFrom('audit_log')
    .select('actor')
    .distinct()
    .where('site_id', '=', site.id)
    .execute();
  return rows.map(({ actor }) => actor);
}

export async function namesOfKeys(site: SiteDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await site.db
    .selectFrom('api_keys')
    .select(['id', 'name'])
    .where('site_id', '=', site.id)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

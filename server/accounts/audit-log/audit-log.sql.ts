import { type CompiledQuery, type Insertable, type Selectable, sql } from 'kysely';
import { AUDIT_EVENTS, type AuditEvent } from '#contract/audit-log.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { FIRST_ID, LAST_ID } from '#server/platform/ids.ts';

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

/** What the subject of an event was called then. */
export async function lastNameOf(
  site: SiteDb,
  event: AuditEvent,
  subject: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select details->>'name' as name from audit_log
    where site_id = ${site.id} and event = ${event} and subject = ${subject}
    order by id desc limit 1`.execute(site.db);
  return rows[0]?.name ?? undefined;
}

/** @returns one more than `limit` when there is a next page */
export async function searchEntries(
  site: SiteDb,
  { events, actors }: { events: readonly AuditEvent[] | null; actors: readonly string[] | null },
  page: { before: string | null; limit: number },
): Promise<AuditRow[]> {
  if (actors === null && events === null) return newestEntries(site, page);
  const last = sql`${page.before ?? LAST_ID}::uuid`;
  // Each separately, so that rare ones are not looked for among all the others. Compared as rows: whatever the planner
  // thinks of how often they come, only an index of them gives this order.
  const { rows } =
    actors === null
      ? await sql<AuditRow>`
          select newest.* from unnest(${[...(events ?? [])]}::text[]) as wanted (event)
          cross join lateral (
            select * from audit_log
            where site_id = ${site.id} and (event, id) >= (wanted.event, ${FIRST_ID}::uuid)
              and (event, id) < (wanted.event, ${last})
            order by event desc, id desc limit ${page.limit + 1}
          ) as newest
          order by newest.id desc limit ${page.limit + 1}`.execute(site.db)
      : await sql<AuditRow>`
          select newest.* from unnest(${[...actors]}::text[]) as whose (actor)
          cross join unnest(${[...(events ?? AUDIT_EVENTS)]}::text[]) as wanted (event)
          cross join lateral (
            select * from audit_log
            where site_id = ${site.id} and (actor, event, id) >= (whose.actor, wanted.event, ${FIRST_ID}::uuid)
              and (actor, event, id) < (whose.actor, wanted.event, ${last})
            order by actor desc, event desc, id desc limit ${page.limit + 1}
          ) as newest
          order by newest.id desc limit ${page.limit + 1}`.execute(site.db);
  return rows;
}

async function newestEntries(
  site: SiteDb,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditRow[]> {
  let select = site.db
    .selectFrom('audit_log')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (before !== null) select = select.where('id', '<', before);
  return select.execute();
}

/** Everyone who changed something. From one actor to the next, past all entries of each. */
export async function actorsOf(site: SiteDb): Promise<string[]> {
  const { rows } = await sql<{ actor: string }>`
    with recursive actors as (
      (select actor from audit_log where site_id = ${site.id} order by actor limit 1)
      union all
      select (
        select actor from audit_log where site_id = ${site.id} and actor > actors.actor order by actor limit 1
      ) from actors where actors.actor is not null
    )
    select actor from actors where actor is not null`.execute(site.db);
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

/** @returns how many were deleted */
export async function forgetEntries(site: SiteDb, before: Date, most: number): Promise<number> {
  const { rows } = await site.query('select forget_audit_entries($1, $2) as forgotten', [before, most]);
  return (rows as { forgotten: number }[])[0]?.forgotten ?? 0;
}

import type { CompiledQuery } from 'kysely';
import {
  AUDIT_EVENTS,
  type AuditActor,
  type AuditEntry,
  type AuditEvent,
  type AuditNoun,
} from '#contract/audit-log.ts';
import { namesOfUsers } from '#server/accounts/users/users.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { currentActor } from './current-actor.ts';
import { actorsOf, type AuditRow, insertEntry, namesOfKeys, searchEntries } from './audit-log.sql.ts';

/** What a change was made to. Never a secret, and never anything of a customer but the id. */
interface Subject {
  id?: string;
  name?: string;
  count?: number;
}

/**
 * Writes down who made a change, in the transaction of the change: neither is there without the other. What nobody
 * asked for just now (a job, a scheduled task, a customer's own choice) is no entry.
 */
export async function recordChange(
  services: Pick<Services, 'clock'>,
  site: Pick<SiteDb, 'id' | 'db'>,
  event: AuditEvent,
  subject: Subject,
): Promise<void> {
  for (const statement of changeStatements(services, site, event, subject)) {
    await site.db.executeQuery(statement);
  }
}

/** As statements, for transactions that send their last ones together with the commit; none where nobody acts. */
export function changeStatements(
  { clock }: Pick<Services, 'clock'>,
  site: Pick<SiteDb, 'id' | 'db'>,
  event: AuditEvent,
  { id = '', name, count }: Subject,
): CompiledQuery[] {
  const actor = currentActor();
  if (actor === null) return [];
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(count === undefined ? {} : { count }),
  };
  const entry = { id: newId(), actor, event, subject: id, details: JSON.stringify(details) };
  return [insertEntry(site, { ...entry, created_at: clock.now() })];
}

type Names = (actor: string) => AuditActor;

function partsOf(actor: string): Pick<AuditActor, 'kind' | 'id'> {
  const [kind = '', id = ''] = actor.split(':');
  return { kind: kind === 'api_key' ? 'api_key' : 'user', id };
}

function idsOf(kind: AuditActor['kind'], actors: readonly string[]): string[] {
  return actors.map(partsOf).flatMap((one) => (one.kind === kind ? [one.id] : []));
}

/** Names as they are now: an account that is gone leaves none behind. @param keys those of the site's API keys */
async function namesOf(
  services: Services,
  actors: readonly string[],
  keys: ReadonlyMap<string, string>,
): Promise<Names> {
  const users = await namesOfUsers(services.database.global, idsOf('user', actors));
  return (actor) => {
    const { kind, id } = partsOf(actor);
    return { kind, id, name: (kind === 'user' ? users : keys).get(id) ?? null };
  };
}

function presentEntry(
  { id, created_at, actor, event, subject, details }: AuditRow,
  names: Names,
): AuditEntry {
  return {
    id,
    at: created_at.toISOString(),
    actor: names(actor),
    event,
    subject_id: subject === '' ? null : subject,
    subject_name: details.name ?? null,
    count: details.count ?? null,
  };
}

export async function listEntries(
  services: Services,
  siteId: string,
  query: {
    noun?: AuditNoun | undefined;
    actor_id?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
) {
  const { noun, actor_id: actorId, limit } = query;
  const before = cursorOf(query.cursor);
  const filter = {
    events: noun === undefined ? null : AUDIT_EVENTS.filter((event) => event.startsWith(`${noun}.`)),
    actors: actorId === undefined ? null : [`user:${actorId}`, `api_key:${actorId}`],
  };
  const { rows, actors, keys } = await services.database.readSite(siteId, async (site) => {
    const found = await searchEntries(site, filter, { before, limit });
    const whose = [...new Set(found.map(({ actor }) => actor))];
    return { rows: found, actors: whose, keys: await namesOfKeys(site, idsOf('api_key', whose)) };
  });
  const names = await namesOf(services, actors, keys);
  return pageOf(rows, limit, (row) => presentEntry(row, names));
}

export async function listActors(services: Services, siteId: string): Promise<AuditActor[]> {
  const { actors, keys } = await services.database.readSite(siteId, async (site) => {
    const found = await actorsOf(site);
    return { actors: found, keys: await namesOfKeys(site, idsOf('api_key', found)) };
  });
  return actors
    .map(await namesOf(services, actors, keys))
    .toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? '', 'en'));
}

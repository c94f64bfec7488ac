import type { CompiledQuery } from 'kysely';
import {
  AUDIT_EVENTS,
  type AuditActor,
  type AuditEntry,
  type AuditEvent,
  type AuditNoun,
} from '#contract/audit-log.ts';
import type { PageCheck } from '#contract/page-checks.ts';
import type { Role } from '#contract/roles.ts';
import { namesOfUsers } from '#server/accounts/users/users.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { currentActor, OPERATOR } from './current-actor.ts';
import { actorsOf, type AuditRow, insertEntry, namesOfKeys, searchEntries } from './audit-log.sql.ts';

export { forgetEntries, lastNameOf } from './audit-log.sql.ts';

/** What a change was made to. Never a secret, and never anything of a customer but the id. */
export interface Subject {
  id?: string;
  name?: string;
  count?: number;
  role?: Role;
  previousRole?: Role;
  checks?: readonly PageCheck[];
  reason?: string;
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
  { id = '', name, count, role, previousRole, checks, reason }: Subject,
): CompiledQuery[] {
  const actor = currentActor();
  if (actor === null) return [];
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(count === undefined ? {} : { count }),
    ...(role === undefined ? {} : { role }),
    ...(previousRole === undefined ? {} : { previous_role: previousRole }),
    ...(checks === undefined ? {} : { checks }),
    ...(reason === undefined ? {} : { reason }),
  };
  const entry = { id: newId(), actor, event, subject: id, details: JSON.stringify(details) };
  return [insertEntry(site, { ...entry, created_at: clock.now() })];
}

/** Of accounts and of the site's API keys, by id. */
interface Names {
  users: ReadonlyMap<string, string>;
  keys: ReadonlyMap<string, string>;
}

function partsOf(actor: string): Pick<AuditActor, 'kind' | 'id'> {
  if (actor === OPERATOR) return { kind: 'operator', id: null };
  const [kind = '', id = ''] = actor.split(':');
  return { kind: kind === 'api_key' ? 'api_key' : 'user', id };
}

function idsOf(kind: AuditActor['kind'], actors: readonly string[]): string[] {
  return actors.map(partsOf).flatMap((one) => (one.kind === kind && one.id !== null ? [one.id] : []));
}

function presentActor(actor: string, { users, keys }: Names): AuditActor {
  const { kind, id } = partsOf(actor);
  const name = id === null ? null : ((kind === 'user' ? users : keys).get(id) ?? null);
  return { kind, id, name };
}

/** Members are named as they are called now, like actors. */
function memberOf({ event, subject, details }: AuditRow): string | null {
  return event.startsWith('member.') && details.name === undefined ? subject : null;
}

function presentEntry(row: AuditRow, names: Names): AuditEntry {
  const { id, created_at, actor, event, subject, details } = row;
  const memberId = memberOf(row);
  const member = memberId === null ? undefined : names.users.get(memberId);
  return {
    id,
    at: created_at.toISOString(),
    actor: presentActor(actor, names),
    event,
    subject_id: subject === '' ? null : subject,
    subject_name: details.name ?? member ?? null,
    count: details.count ?? null,
    role: details.role ?? null,
    previous_role: details.previous_role ?? null,
    checks: details.checks ?? null,
    reason: details.reason ?? null,
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
  const people = [...idsOf('user', actors), ...rows.flatMap((row) => memberOf(row) ?? [])];
  // An account that is gone leaves no name behind.
  const names = { users: await namesOfUsers(services.database.global, [...new Set(people)]), keys };
  return pageOf(rows, limit, (row) => presentEntry(row, names));
}

export async function listActors(services: Services, siteId: string): Promise<AuditActor[]> {
  const { actors, keys } = await services.database.readSite(siteId, async (site) => {
    const found = await actorsOf(site);
    return { actors: found, keys: await namesOfKeys(site, idsOf('api_key', found)) };
  });
  const users = await namesOfUsers(services.database.global, idsOf('user', actors));
  return actors
    .map((actor) => presentActor(actor, { users, keys }))
    .toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? '', 'en'));
}

/** Looks up who actors are, such as `user:{id}`. */
export async function namedActors(
  services: Services,
  siteId: string,
  actors: readonly string[],
): Promise<(actor: string) => AuditActor> {
  const all = [...new Set(actors)];
  const keys = await services.database.readSite(siteId, (site) => namesOfKeys(site, idsOf('api_key', all)));
  const users = await namesOfUsers(services.database.global, idsOf('user', all));
  return (actor) => presentActor(actor, { users, keys });
}

import { z } from 'zod';
import {
  ConnectorError,
  path,
  type Resource,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import { keyOf } from '#server/connectors/batches.ts';
import { readerOf } from '#server/connectors/reader.ts';

const { answer: understood } = readerOf('SendGrid');

const PAGE_SIZE = 1000;

const LOOK_EVERY_MS = 3000;
/** A refusal comes soon. Jobs take up to minutes, and nobody's opt-out may wait for one. */
const LOOKS = 2;
const MOST_LOOKS = 20;

/** Below this it is a number of seconds, else a time: the documentation shows both. */
const FIRST_EPOCH = 1_000_000_000;

function secondsUntilReset(header: string | undefined, now: Date): number | null {
  if (header === undefined || !/^\d+$/.test(header.trim())) return null;
  const value = Number(header.trim());
  return value < FIRST_EPOCH ? value : Math.max(0, Math.ceil(value - now.getTime() / 1000));
}

export function failureOf({ status, headers }: ToolAnswer, now: Date): ConnectorError | null {
  if (status === 401) return new ConnectorError('bad_credentials', 'SendGrid rejected the API key (401).');
  if (status === 403) {
    return new ConnectorError(
      'bad_credentials',
      'The SendGrid API key lacks a permission (403). Give it full access to Suppressions, and to Marketing for lists.',
    );
  }
  if (status !== 429) return null;
  const after =
    retryAfterSeconds(headers['retry-after'], now) ?? secondsUntilReset(headers['x-ratelimit-reset'], now);
  return new ConnectorError('rate_limited', 'SendGrid allows no more calls right now (429).', after);
}

/** The call without ids and addresses. */
export function endpointOf({ method, url }: { method: string; url: string }): string {
  const names = new URL(url).pathname.split('/').filter((part) => /^(?:v3|[a-z_]+)$/.test(part));
  return [method, ...names].join('/');
}

const scopes = z.object({ scopes: z.array(z.string()) });
const profile = z.object({
  company: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});
const username = z.object({ username: z.string(), user_id: z.number().nullish() });

export async function verify(api: ToolApi): Promise<ToolAccount> {
  understood(scopes, await api.call({ method: 'GET', path: '/v3/scopes' }));
  await groups(api);
  // The key may be right and still not see the profile.
  const named = await api.call({ method: 'GET', path: '/v3/user/profile', expects: [403] });
  const user = await api.call({ method: 'GET', path: '/v3/user/username', expects: [403] });
  const known = user.status === 403 ? null : understood(username, user);
  const name = (named.status === 403 ? '' : nameIn(named)) || (known?.username ?? 'SendGrid');
  return { id: known === null ? name : String(known.user_id ?? known.username), name };
}

function nameIn(answer: ToolAnswer): string {
  const { company, first_name, last_name } = understood(profile, answer);
  return company || [first_name, last_name].filter(Boolean).join(' ');
}

const groupList = z.array(
  z.object({ id: z.number().int(), name: z.string(), description: z.string().nullish() }),
);

export async function groups(api: ToolApi): Promise<Resource[]> {
  const answer = await api.call({ method: 'GET', path: '/v3/asm/groups' });
  return understood(groupList, answer).map(({ id, name, description }) => ({
    id: String(id),
    name,
    ...(description ? { description } : {}),
  }));
}

const listPage = z.object({
  result: z.array(z.object({ id: z.string(), name: z.string() })),
  _metadata: z.object({ next: z.string().optional() }).optional(),
});

export async function lists(api: ToolApi): Promise<Resource[]> {
  const found: Resource[] = [];
  let token: string | undefined;
  do {
    const query = { page_size: PAGE_SIZE, page_token: token };
    const page = understood(listPage, await api.call({ method: 'GET', path: '/v3/marketing/lists', query }));
    found.push(...page.result);
    const next = page._metadata?.next;
    // An absolute address on the tool's own host; only the token is followed.
    token =
      next && URL.canParse(next) ? (new URL(next).searchParams.get('page_token') ?? undefined) : undefined;
  } while (token);
  return found;
}

const fieldDefinitions = z.object({
  custom_fields: z.array(z.object({ id: z.string(), name: z.string(), field_type: z.string() })).optional(),
});

/** All the custom ones, or those that take a text. */
export async function fields(api: ToolApi, { onlyText = false } = {}): Promise<Resource[]> {
  const answer = await api.call({ method: 'GET', path: '/v3/marketing/field_definitions' });
  const all = understood(fieldDefinitions, answer).custom_fields ?? [];
  return all
    .filter(({ field_type: type }) => !onlyText || type === 'Text')
    .map(({ id, name }) => ({ id, name }));
}

const groupStates = z.object({
  suppressions: z.array(z.object({ id: z.number().int(), name: z.string(), suppressed: z.boolean() })),
});

/** The groups that hold mail back from the address. */
export async function suppressedGroups(api: ToolApi, email: string): Promise<Resource[]> {
  const answer = await api.call({ method: 'GET', path: path`/v3/asm/suppressions/${email}` });
  return understood(groupStates, answer)
    .suppressions.filter(({ suppressed }) => suppressed)
    .map(({ id, name }) => ({ id: String(id), name }));
}

const added = z.object({ recipient_emails: z.array(z.string()).nullish() });

/** @returns whom SendGrid says that it has added */
async function suppress(api: ToolApi, where: string, emails: readonly string[]): Promise<string[]> {
  const answer = await api.call({ method: 'POST', path: where, json: { recipient_emails: emails } });
  return understood(added, answer).recipient_emails ?? [];
}

export function suppressInGroup(api: ToolApi, groupId: string, emails: readonly string[]): Promise<string[]> {
  return suppress(api, path`/v3/asm/groups/${groupId}/suppressions`, emails);
}

/** Those of the addresses from whom the group holds mail back. */
export async function suppressedIn(
  api: ToolApi,
  groupId: string,
  emails: readonly string[],
): Promise<string[]> {
  const answer = await api.call({
    method: 'POST',
    path: path`/v3/asm/groups/${groupId}/suppressions/search`,
    json: { recipient_emails: emails },
  });
  return understood(z.array(z.string()), answer);
}

export async function releaseFromGroup(api: ToolApi, groupId: string, email: string): Promise<void> {
  const gone = path`/v3/asm/groups/${groupId}/suppressions/${email}`;
  await api.call({ method: 'DELETE', path: gone, expects: [404] });
}

// 200 and `{}` where the address is not there.
const globalState = z.object({ recipient_email: z.string().optional() });

export async function isGloballySuppressed(api: ToolApi, email: string): Promise<boolean> {
  const answer = await api.call({ method: 'GET', path: path`/v3/asm/suppressions/global/${email}` });
  return understood(globalState, answer).recipient_email !== undefined;
}

export function suppressGlobally(api: ToolApi, emails: readonly string[]): Promise<string[]> {
  return suppress(api, '/v3/asm/suppressions/global', emails);
}

export async function releaseGlobally(api: ToolApi, email: string): Promise<void> {
  await api.call({ method: 'DELETE', path: path`/v3/asm/suppressions/global/${email}`, expects: [404] });
}

const entries = z.array(z.object({ email: z.string() }));

/** `bounces` holds the lasting ones; what is only put off is kept in other books of the tool. */
export async function isIn(api: ToolApi, book: 'bounces' | 'spam_reports', email: string): Promise<boolean> {
  const one = path`/v3/suppression/${book}/${email}`;
  const answer = await api.call({ method: 'GET', path: one, expects: [404] });
  return answer.status !== 404 && understood(entries, answer).length > 0;
}

const text = z.string().nullish();

const contactSchema = z.object({
  id: z.string(),
  email: text,
  phone_number_id: text,
  external_id: text,
  anonymous_id: text,
  alternate_emails: z.array(z.string()).nullish(),
  first_name: text,
  last_name: text,
  address_line_1: text,
  address_line_2: text,
  city: text,
  state_province_region: text,
  postal_code: text,
  country: text,
  list_ids: z.array(z.string()),
  /** By the names of the fields, while writing wants their ids. */
  custom_fields: z.record(z.string(), z.unknown()).nullish(),
});

export type Contact = z.infer<typeof contactSchema>;

const searchResult = z.object({
  result: z.record(z.string(), z.object({ contact: contactSchema.optional() })),
});

/** What one search takes at most. */
export const ADDRESSES_PER_SEARCH = 100;

async function search(
  api: ToolApi,
  emails: readonly string[],
): Promise<z.infer<typeof searchResult>['result']> {
  const answer = await api.call({
    method: 'POST',
    path: '/v3/marketing/contacts/search/emails',
    json: { emails },
    // Nobody has any of them.
    expects: [404],
  });
  return answer.status === 404 ? {} : understood(searchResult, answer).result;
}

/** The contact that has the address, be it as its second one. */
export async function findContact(api: ToolApi, email: string): Promise<Contact | null> {
  const [found] = Object.values(await search(api, [email]));
  return found?.contact ?? null;
}

/** By the addresses that they were looked for with. */
export async function findContacts(api: ToolApi, emails: readonly string[]): Promise<Map<string, Contact>> {
  const found = Object.entries(await search(api, emails));
  return new Map(found.flatMap(([email, { contact }]) => (contact ? [[keyOf(email), contact]] : [])));
}

/**
 * Together, for they come to the same end.
 * @returns false while SendGrid has only accepted them
 * @throws ConnectorError `refused` if it can't store one of them
 */
export async function putContacts(
  api: ToolApi,
  contacts: readonly Readonly<Record<string, unknown>>[],
  listIds: readonly string[],
): Promise<boolean> {
  const json = { ...(listIds.length > 0 && { list_ids: listIds }), contacts };
  return finish(api, await api.call({ method: 'PUT', path: '/v3/marketing/contacts', json }));
}

export function putContact(
  api: ToolApi,
  contact: Readonly<Record<string, unknown>>,
  listIds: readonly string[],
): Promise<boolean> {
  return putContacts(api, [contact], listIds);
}

/**
 * @param isAwaited something needs to happen after it
 * @returns false while SendGrid has only accepted it
 */
export async function deleteContact(api: ToolApi, id: string, isAwaited: boolean): Promise<boolean> {
  const query = { ids: id };
  // The search still finds for a while who is deleted already.
  const answer = await api.call({ method: 'DELETE', path: '/v3/marketing/contacts', query, expects: [404] });
  return answer.status === 404 || finish(api, answer, isAwaited ? MOST_LOOKS : LOOKS);
}

export async function removeFromList(
  api: ToolApi,
  listId: string,
  contactIds: readonly string[],
): Promise<void> {
  const members = path`/v3/marketing/lists/${listId}/contacts`;
  const query = { contact_ids: contactIds.join(',') };
  await finish(api, await api.call({ method: 'DELETE', path: members, query }));
}

const accepted = z.object({ job_id: z.string() });
const count = z.number().optional();
const job = z.object({
  status: z.string(),
  results: z
    .object({
      requested_count: count,
      created_count: count,
      updated_count: count,
      deleted_count: count,
      errored_count: count,
    })
    .optional(),
});

/** A job may stay "pending" after it has stored everything: then its counts say so (recorded on 2026-07-15). */
function stateOf({ status, results = {} }: z.infer<typeof job>): string {
  const { requested_count: requested = 0, errored_count: errored = 0 } = results;
  const { created_count: created = 0, updated_count: updated = 0, deleted_count: deleted = 0 } = results;
  if (status !== 'pending' || requested === 0) return status;
  if (created + updated + deleted + errored < requested) return status;
  return errored === 0 ? 'completed' : 'errored';
}

/** Null if SendGrid doesn't tell now: what it has accepted stays accepted. */
async function lookAt(api: ToolApi, status: string): Promise<ToolAnswer | null> {
  try {
    return await api.call({ method: 'GET', path: status, expects: [404] });
  } catch (error) {
    if (error instanceof ConnectorError && !error.isAboutChange) return null;
    throw error;
  }
}

/**
 * Looks whether what was only accepted gets done.
 * @returns false while it is under way: a later read shows what became of it
 * @throws ConnectorError `refused`
 */
async function finish(api: ToolApi, answer: ToolAnswer, looks = LOOKS): Promise<boolean> {
  const { job_id: id } = understood(accepted, answer);
  for (let look = 1; ; look += 1) {
    const status = path`/v3/marketing/contacts/imports/${id}`;
    // Jobs that take people out of a list are not named among those that this route tells of.
    const told = await lookAt(api, status);
    if (told === null) return false;
    const state = told.status === 404 ? 'completed' : stateOf(understood(job, told));
    if (state === 'completed') return true;
    if (state === 'errored' || state === 'failed') {
      throw new ConnectorError('refused', "SendGrid accepted the contact but couldn't store it.");
    }
    if (look === looks) return false;
    await api.wait(LOOK_EVERY_MS);
  }
}

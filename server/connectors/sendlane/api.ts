import { z } from 'zod';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import {
  ConnectorError,
  type Resource,
  type ResourceKind,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
  type ToolCall,
  path,
} from '../connector.ts';
import { readerOf } from '#server/connectors/reader.ts';

const { answer: read, each, value } = readerOf('Sendlane');

/** Sendlane does not say when to come again; its limit is by the minute. */
const LIMIT_SECONDS = 60;
const BLOCK_SECONDS = 300;

export function failureOf({ status, headers }: ToolAnswer, now: Date): ConnectorError | null {
  if (status === 429) {
    const seconds = retryAfterSeconds(headers['retry-after'], now) ?? LIMIT_SECONDS;
    return new ConnectorError('rate_limited', 'Sendlane allows no more calls right now (429).', seconds);
  }
  // A wrong token is a 401; this is for accounts that made too many errors in a time.
  if (status === 403) {
    return new ConnectorError('unavailable', 'Sendlane is blocking calls for now (403).', BLOCK_SECONDS);
  }
  return null;
}

const PAGE_SIZE = 100;

const paging = z.object({ links: z.object({ next: z.string().nullish() }).nullish() });

async function all<T>(
  api: ToolApi,
  row: z.ZodType<T>,
  call: Pick<ToolCall, 'path' | 'query' | 'expects'>,
  rowsOf = (given: readonly unknown[]): T[] => value(z.array(row), given),
): Promise<T[]> {
  const data = z.object({ data: z.array(z.unknown()) });
  const rows: T[] = [];
  for (let page = 1; ; page += 1) {
    const query = { ...call.query, limit: PAGE_SIZE, page };
    const answer = await api.call({ ...call, method: 'GET', query });
    if (answer.status === 404) return rows;
    rows.push(...rowsOf(read(data, answer).data));
    // Some answers have no pages at all.
    if (!read(paging, answer).links?.next) return rows;
  }
}

const FALLBACK_NAME = 'Sendlane';

/** There is no call about the account itself; a sender names the company. */
export async function verify(api: ToolApi): Promise<ToolAccount> {
  const senders = z.object({
    data: z.array(z.object({ company: z.string().nullish(), from_email: z.string().nullish() })),
  });
  const answer = await api.call({ method: 'GET', path: '/senders', query: { limit: 1 } });
  const [sender] = read(senders, answer).data;
  const name = sender?.company ?? sender?.from_email ?? FALLBACK_NAME;
  return { id: name, name };
}

/** Numbers here and texts there, for the same thing. */
const id = z.union([z.number(), z.string()]).transform(String);

const list = z.object({ id, list_name: z.string().nullish(), name: z.string().nullish() });
const named = z.object({ id, name: z.string() });
const field = named.extend({ type: z.string().nullish() });

/** The tool lists no types; these words in one say that it holds no text. */
const NO_TEXT = /date|time|num|int|float|decimal|currency|bool|check|radio|select|drop|multi/i;

async function readTextFields(api: ToolApi): Promise<Resource[]> {
  const fields = await all(api, field, { path: '/custom-fields' });
  return fields.filter(({ type }) => !NO_TEXT.test(type ?? '')).map(({ id, name }) => ({ id, name }));
}

export async function readLists(api: ToolApi): Promise<Resource[]> {
  const lists = await all(api, list, { path: '/lists' });
  return lists.map(({ id, list_name: name, name: early }) => ({ id, name: name ?? early ?? `List ${id}` }));
}

export async function resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'lists') return readLists(api);
  if (kind === 'tags') return all(api, named, { path: '/tags' });
  if (kind === 'fields') return readTextFields(api);
  return [];
}

const contact = z.object({
  id,
  email: z.string(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  subscribed: z.boolean(),
  suppressed: z.boolean().nullish(),
});

export type Contact = z.infer<typeof contact>;

/** May be mailed at all. */
export function isOpen({ subscribed, suppressed }: Pick<Contact, 'subscribed' | 'suppressed'>): boolean {
  return subscribed && suppressed !== true;
}

export function isSameAddress(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

export async function findContact(api: ToolApi, email: string): Promise<Contact | null> {
  const answer = await api.call({
    // A body in a GET is the tool's own way.
    method: 'GET',
    path: '/contacts/search',
    json: { email },
    expects: [404],
  });
  const nobody = z.object({ data: z.union([z.null(), z.array(z.unknown()).length(0)]).optional() });
  if (answer.status === 404 || nobody.safeParse(answer.body).success) return null;
  const found = read(z.object({ data: contact }), answer).data;
  if (isSameAddress(found.email, email)) return found;
  // A proxy that drops the body would let us act on somebody else.
  throw new ConnectorError('unavailable', 'Sendlane returned the wrong person.');
}

const subscription = z.object({
  list_id: id,
  subscribed: z.boolean(),
  suppressed: z.boolean().nullish(),
  date_added: z.string().nullish(),
});

export type Subscription = z.infer<typeof subscription>;

/** What the contact is in, and what they left. */
export async function readSubscriptions(api: ToolApi, contactId: string): Promise<Subscription[]> {
  const answer = await api.call({ method: 'GET', path: path`/contacts/${contactId}/subscriptions` });
  const oneOrMany = z.object({ data: z.union([z.array(subscription), subscription]) });
  return [read(oneOrMany, answer).data].flat();
}

/** Some are known only by their telephone. */
function withAddress<T extends { email?: string | null | undefined }>(one: T): (T & { email: string })[] {
  return one.email ? [{ ...one, email: one.email }] : [];
}

const pageOfContacts = z.object({
  data: z.array(contact.extend({ email: z.string().nullish() })),
  meta: z.object({ current_page: z.coerce.number().nullish() }).nullish(),
});

/** One page of many. */
export async function readContacts(
  api: ToolApi,
  where: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ contacts: Contact[]; isMore: boolean }> {
  const answer = await api.call({ method: 'GET', path: where, query: { limit, page } });
  const { data, meta } = read(pageOfContacts, answer);
  if ((meta?.current_page ?? page) !== page) {
    throw new ConnectorError('unavailable', 'Sendlane returned the wrong page.');
  }
  const contacts = data.flatMap((one) => withAddress(one));
  // Some answers have no pages at all.
  return { contacts, isMore: data.length > 0 && Boolean(read(paging, answer).links?.next) };
}

export async function readTagIds(api: ToolApi, contactId: string): Promise<string[]> {
  const tags = await all(api, z.object({ id }), { path: path`/contacts/${contactId}/tags` });
  return tags.map((tag) => tag.id);
}

export interface FieldValue {
  id: number;
  value: string;
}

export async function readFieldValues(api: ToolApi, contactId: string): Promise<FieldValue[]> {
  const row = z.object({ custom_field_id: z.coerce.number(), value: z.string().nullable() });
  const values = await all(api, row, { path: path`/contacts/${contactId}/custom-fields` });
  return values.flatMap(({ custom_field_id: id, value }) => (value === null ? [] : [{ id, value }]));
}

/** Holds an address back that no contact has; nothing lifts it by the API. */
export async function suppress(api: ToolApi, email: string): Promise<void> {
  await api.call({ method: 'POST', path: '/suppression/emails', json: { email } });
}

/** Somebody new. */
export interface Entry {
  email: string;
  first_name?: string;
  last_name?: string;
  custom_fields?: FieldValue[];
}

/** Queued: takes effect later. */
export async function addToList(api: ToolApi, listId: string, entry: Entry): Promise<void> {
  const json = { contacts: [{ ...entry, email_consent: true }] };
  await api.call({ method: 'POST', path: path`/lists/${listId}/contacts`, json });
}

/** Queued: takes effect later. */
export async function removeFromList(api: ToolApi, listId: string, contactId: string): Promise<void> {
  await api.call({
    method: 'DELETE',
    path: path`/lists/${listId}/contacts/${contactId}`,
    expects: [404],
  });
}

export async function addTags(api: ToolApi, contactId: string, tagIds: string[]): Promise<void> {
  const json = { tag_ids: tagIds.map(Number) };
  await api.call({ method: 'POST', path: path`/contacts/${contactId}/tags`, json });
}

/** Queued: takes effect later. */
export async function removeTag(api: ToolApi, contactId: string, tagId: string): Promise<void> {
  await api.call({ method: 'DELETE', path: path`/contacts/${contactId}/tags/${tagId}`, expects: [404] });
}

export async function unsubscribe(api: ToolApi, contactId: string): Promise<void> {
  await api.call({ method: 'POST', path: path`/contacts/${contactId}/unsubscribe` });
}

/** Queued: takes effect later. */
export async function deleteContact(api: ToolApi, contactId: string): Promise<void> {
  await api.call({ method: 'DELETE', path: path`/contacts/${contactId}`, expects: [404] });
}

/**
 * One row that can't be read keeps no other from counting.
 * @param listId null: from everything
 */
export async function readUnsubscribed(
  api: ToolApi,
  listId: string | null,
  window: { from: string; to: string },
): Promise<Pick<Contact, 'id' | 'email'>[]> {
  const row = z.object({ id, email: z.string().nullish() });
  const call = {
    path: listId === null ? '/contacts/unsubscribed' : path`/lists/${listId}/unsubscribed`,
    query: window,
    // The list may have been deleted meanwhile.
    ...(listId === null ? {} : { expects: [404] }),
  };
  const found = await all(api, row, call, (given) => each(row, given));
  return found.flatMap((one) => withAddress(one));
}

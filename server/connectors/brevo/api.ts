import { z } from 'zod';
import {
  ConnectorError,
  path,
  type Resource,
  type ResourceKind,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import { readerOf } from '#server/connectors/reader.ts';

const { answer: read } = readerOf('Brevo');

const account = z.object({
  organization_id: z.string().nullish(),
  email: z.string(),
  companyName: z.string().nullish(),
});

const contact = z.object({
  id: z.number(),
  email: z.string().nullish(),
  emailBlacklisted: z.boolean(),
  listIds: z.array(z.number()).nullish(),
  listUnsubscribed: z.array(z.number()).nullish(),
  // They cover the last 90 days.
  statistics: z
    .object({ complaints: z.array(z.unknown()).nullish(), hardBounces: z.array(z.unknown()).nullish() })
    .nullish()
    .catch(null),
});

const lists = z.object({
  lists: z.array(z.object({ id: z.number(), name: z.string() })).nullish(),
  count: z.number(),
});

const attributes = z.object({
  attributes: z.array(z.object({ name: z.string(), category: z.string(), type: z.string().nullish() })),
});

const trouble = z.object({ code: z.string() });

export interface Contact {
  id: number;
  email: string;
  isBlocked: boolean;
  /** Reported spam, or can't be reached: that blocks them like an unsubscribe does. */
  trouble: 'complained' | 'bounced' | null;
  lists: number[];
  /** Left by the person; only where the account unsubscribes list by list. */
  leftLists: number[];
}

export interface ContactUpdate {
  attributes?: Record<string, string>;
  emailBlacklisted?: boolean;
  listIds?: number[];
  unlinkListIds?: number[];
}

/** What `limit` of the lists may be at most. */
const LISTS_PER_PAGE = 50;

export async function verifyAccount(api: ToolApi): Promise<ToolAccount> {
  const answer = await api.call({ method: 'GET', path: '/account' });
  const { organization_id: id, companyName, email } = read(account, answer);
  return { id: id ?? email, name: companyName?.trim() || email };
}

export async function resourcesOf(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'lists') return allLists(api);
  return kind === 'fields' ? textAttributes(api) : [];
}

/** By these Brevo knows the contact. */
const IDENTIFIERS = ['EMAIL', 'SMS', 'WHATSAPP', 'LANDLINE_NUMBER', 'EXT_ID'];

export async function textAttributes(api: ToolApi): Promise<Resource[]> {
  const answer = await api.call({ method: 'GET', path: '/contacts/attributes' });
  return read(attributes, answer)
    .attributes.filter(({ category, type }) => category === 'normal' && type === 'text')
    .filter(({ name }) => !IDENTIFIERS.includes(name.toUpperCase()))
    .map(({ name }) => ({ id: name, name }));
}

async function allLists(api: ToolApi): Promise<Resource[]> {
  const all: Resource[] = [];
  for (let offset = 0; ; offset += LISTS_PER_PAGE) {
    const query = { limit: LISTS_PER_PAGE, offset, sort: 'asc' };
    const answer = await api.call({ method: 'GET', path: '/contacts/lists', query });
    const page = read(lists, answer);
    const rows = page.lists ?? [];
    all.push(...rows.map(({ id, name }) => ({ id: String(id), name })));
    if (rows.length === 0 || offset + LISTS_PER_PAGE >= page.count) return all;
  }
}

export async function readState(api: ToolApi, email: string): Promise<ToolState> {
  const found = await findContact(api, email);
  if (found === null) return { known: false };
  return { known: true, unsubscribed: found.isBlocked, lists: found.lists.map(String) };
}

export async function findContact(
  api: ToolApi,
  identifier: string | number,
  type: 'email_id' | 'contact_id' = 'email_id',
): Promise<Contact | null> {
  const answer = await api.call({
    method: 'GET',
    path: path`/contacts/${identifier}`,
    query: { identifierType: type },
    expects: [404],
  });
  if (answer.status === 404) {
    if (codeOf(answer) === 'document_not_found') return null;
    throw new ConnectorError('not_found', "Brevo doesn't know this request for contacts (404).");
  }
  return contactOf(read(contact, answer));
}

function troubleOf({ statistics }: z.infer<typeof contact>): Contact['trouble'] {
  if ((statistics?.complaints ?? []).length > 0) return 'complained';
  return (statistics?.hardBounces ?? []).length > 0 ? 'bounced' : null;
}

function contactOf(row: z.infer<typeof contact>): Contact {
  return {
    id: row.id,
    email: row.email ?? '',
    isBlocked: row.emailBlacklisted,
    trouble: troubleOf(row),
    lists: row.listIds ?? [],
    leftLists: row.listUnsubscribed ?? [],
  };
}

/** What `limit` of the contacts of a list may be at most. */
const CONTACTS_PER_PAGE = 500;

// An empty page has no contacts at all.
const contactPage = z.object({ contacts: z.array(contact).nullish(), count: z.number() });

export async function readMembers(
  api: ToolApi,
  list: number,
  offset: number,
): Promise<{ contacts: Contact[]; total: number }> {
  const answer = await api.call({
    method: 'GET',
    path: path`/contacts/lists/${list}/contacts`,
    // New contacts are at the end; the default is the other way round.
    query: { limit: CONTACTS_PER_PAGE, offset, sort: 'asc' },
  });
  const { contacts, count: total } = read(contactPage, answer);
  return { contacts: (contacts ?? []).map(contactOf), total };
}

/** What the list's own calls take at most. */
export const MEMBERS_PER_CALL = 150;

const moved = z.object({
  contacts: z.object({ success: z.array(z.union([z.string(), z.number()])).nullish() }),
});

/**
 * @param who addresses or ids, of contacts that are there
 * @returns those of them for whom it made a difference; nobody where the list is gone
 */
export async function moveMembers<T extends string | number>(
  api: ToolApi,
  list: number,
  verb: 'add' | 'remove',
  who: { emails: readonly T[] } | { ids: readonly T[] },
): Promise<ReadonlySet<string | number>> {
  const answer = await api.call({
    method: 'POST',
    path: path`/contacts/lists/${list}/contacts/${verb}`,
    json: who,
    // 400 also where it made no difference for anybody.
    expects: [400, 404],
  });
  if (answer.status >= 400) return new Set();
  return new Set(read(moved, answer).contacts.success ?? []);
}

// With `updateEnabled`, who came into being meanwhile is updated; without it the call would be lost.
export async function createContact(
  api: ToolApi,
  fields: { email: string; emailBlacklisted?: true; listIds?: number[] },
): Promise<void> {
  await api.call({ method: 'POST', path: '/contacts', json: { ...fields, updateEnabled: true } });
}

/** @returns whether it was done; not when another contact has the address */
export async function updateContact(api: ToolApi, id: number, update: ContactUpdate): Promise<boolean> {
  const answer = await api.call({
    method: 'PUT',
    path: path`/contacts/${id}`,
    query: { identifierType: 'contact_id' },
    json: update,
    expects: [400],
  });
  if (answer.status !== 400) return true;
  if (codeOf(answer) === 'duplicate_parameter') return false;
  throw failureOf(answer, api.now()) ?? new ConnectorError('refused', 'Brevo rejected the request (400).');
}

export async function deleteContact(api: ToolApi, id: number): Promise<void> {
  const query = { identifierType: 'contact_id' };
  await api.call({ method: 'DELETE', path: path`/contacts/${id}`, query, expects: [404] });
}

/** The usual sense, but for what Brevo says in its own words. */
export function failureOf(answer: ToolAnswer, now: Date): ConnectorError | null {
  const { status, headers } = answer;
  const code = codeOf(answer);
  if (status === 429) {
    // There is no Retry-After; the reset is in seconds (S3).
    const seconds = retryAfterSeconds(headers['retry-after'] ?? headers['x-sib-ratelimit-reset'], now);
    return new ConnectorError('rate_limited', 'Brevo allows no more calls right now (429).', seconds);
  }
  if (status === 401) {
    return new ConnectorError(
      'bad_credentials',
      'Brevo rejected the API key (401). It may have been deleted, or be limited to certain IP addresses.',
    );
  }
  if (status === 425 || code === 'account_in_process') {
    return new ConnectorError('unavailable', `Brevo is still processing this contact (${status}).`);
  }
  if (status === 402) {
    return new ConnectorError('refused', "Brevo rejects requests until the account's plan is paid (402).");
  }
  if (code !== null && status < 500 && ![403, 404, 408, 410].includes(status)) {
    return new ConnectorError('refused', `Brevo rejected the request (${status}, ${code}).`);
  }
  return null;
}

function codeOf({ body }: ToolAnswer): string | null {
  const parsed = trouble.safeParse(body);
  return parsed.success && /^[\w-]{1,60}$/.test(parsed.data.code) ? parsed.data.code : null;
}

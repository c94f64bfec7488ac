import { z } from 'zod';
import {
  ConnectorError,
  type Credentials,
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

export const { value: read } = readerOf('ActiveCampaign');

/** Ids are strings in answers, but some answers to a POST hold numbers. */
export const id = z.union([z.string(), z.number()]).transform(String);

export const contact = z.object({ id, email: z.string() });
const contactList = z.object({
  id,
  list: id,
  status: id,
  campaign: id.nullish(),
  message: id.nullish(),
  unsubreason: z.string().nullish(),
  ip4Unsub: id.nullish(),
});
const contactTag = z.object({ id, tag: id });
const contactAutomation = z.object({ id, automation: id, status: id, completed: id.nullish() });
const exclusion = z.object({
  id,
  matchPhrase: z.string(),
  matchType: z.string(),
  channel: z.string(),
  lists: z
    .array(id)
    .nullish()
    .transform((lists) => lists ?? []),
});

export type Contact = z.output<typeof contact>;
export type ContactList = z.output<typeof contactList>;
export type ContactTag = z.output<typeof contactTag>;
export type ContactAutomation = z.output<typeof contactAutomation>;
export type Exclusion = z.output<typeof exclusion>;

export const LIST_STATUS = { unconfirmed: '0', active: '1', unsubscribed: '2', bounced: '3' };

/** Of an automation that the person has left or finished. */
const AUTOMATION_OVER = '2';

/** The largest page; the usual one of 20 would lose lists of people who are in many. */
export const PAGE = 100;

export async function readAll<T extends { id: string }>(
  api: ToolApi,
  where: string,
  key: string,
  row: z.ZodType<T>,
  expects: readonly number[] = [],
): Promise<T[]> {
  const all = new Map<string, T>();
  for (;;) {
    const query = { limit: PAGE, offset: all.size };
    const { body, status } = await api.call({ method: 'GET', path: where, query, expects });
    if (expects.includes(status)) return [...all.values()];
    const page = read(z.record(z.string(), z.unknown()), body)[key];
    const rows = read(z.array(row), page);
    const before = all.size;
    for (const one of rows) all.set(one.id, one);
    if (rows.length < PAGE || all.size === before) return [...all.values()];
  }
}

const failure = z.object({
  message: z.string().optional(),
  errors: z.array(z.object({ detail: z.string().optional(), code: z.string().optional() })).optional(),
});

export function isDuplicate({ body }: ToolAnswer): boolean {
  const parsed = failure.safeParse(body);
  return parsed.data?.errors?.some(({ code }) => code === 'duplicate') ?? false;
}

/** 403 is a bad key, a missing permission, a thing that is not there or an automation that takes nobody. */
function meaningOf403(answer: ToolAnswer): ConnectorError | null {
  const { message = '', errors = [] } = failure.safeParse(answer.body).data ?? {};
  if (message.startsWith('No Result found')) {
    return new ConnectorError('not_found', "ActiveCampaign couldn't find what this request refers to (403).");
  }
  if (message.startsWith('Could not create')) {
    return new ConnectorError('refused', "ActiveCampaign doesn't let this person into the automation (403).");
  }
  if (errors.some(({ detail = '' }) => detail.includes('permission'))) {
    return new ConnectorError(
      'bad_credentials',
      "The API key's user lacks a permission in ActiveCampaign (403).",
    );
  }
  return null;
}

export function failureOf(answer: ToolAnswer, now: Date): ConnectorError | null {
  if (answer.status === 403) return meaningOf403(answer);
  // Some accounts are throttled with 503.
  if (answer.status !== 503) return null;
  const seconds = retryAfterSeconds(answer.headers['retry-after'], now);
  return new ConnectorError('rate_limited', 'ActiveCampaign is busy or limits our calls (503).', seconds);
}

export function hostOf(api_url: string): string {
  return new URL(api_url).host.toLowerCase();
}

/** The key's user may not be allowed to see the account's settings; its host is a name that people know. */
export async function verify(api: ToolApi, credentials: Credentials = {}): Promise<ToolAccount> {
  const { body } = await api.call({ method: 'GET', path: '/users/me' });
  const { user } = read(z.object({ user: z.object({ email: z.string() }) }), body);
  const { api_url } = credentials;
  const name = api_url === undefined ? user.email : hostOf(api_url);
  return { id: name, name };
}

export async function findContact(api: ToolApi, email: string): Promise<Contact | null> {
  const { body } = await api.call({ method: 'GET', path: '/contacts', query: { email } });
  const { contacts } = read(z.object({ contacts: z.array(contact) }), body);
  return contacts.find((one) => one.email.toLowerCase() === email.toLowerCase()) ?? null;
}

/** Creates, or finds who came in the meantime; consent stays as it is. */
export async function createContact(api: ToolApi, email: string): Promise<Contact> {
  const json = { contact: { email } };
  const { body } = await api.call({ method: 'POST', path: '/contact/sync', json });
  return read(z.object({ contact }), body).contact;
}

export function listsOf(api: ToolApi, { id: of }: Contact): Promise<ContactList[]> {
  return readAll(api, path`/contacts/${of}/contactLists`, 'contactLists', contactList);
}

export function tagsOf(api: ToolApi, { id: of }: Contact): Promise<ContactTag[]> {
  return readAll(api, path`/contacts/${of}/contactTags`, 'contactTags', contactTag);
}

export function automationsOf(api: ToolApi, { id: of }: Contact): Promise<ContactAutomation[]> {
  return readAll(api, path`/contacts/${of}/contactAutomations`, 'contactAutomations', contactAutomation);
}

export function isRunning({ status }: ContactAutomation): boolean {
  return status !== AUTOMATION_OVER;
}

export function isMailed({ status }: ContactList): boolean {
  return status === LIST_STATUS.active || status === LIST_STATUS.unconfirmed;
}

/** Without the permission to see exclusions the lists say what there is to know. */
export function allExclusions(api: ToolApi): Promise<Exclusion[]> {
  return readAll(api, '/lists/exclusions', 'exclusions', exclusion, [403]);
}

async function isExcluded(api: ToolApi, email: string): Promise<boolean> {
  const answer = await api.call({
    method: 'GET',
    path: '/lists/exclusions',
    query: { 'filters[matchPhrase]': email },
    // Without the permission to see exclusions the lists say what there is to know.
    expects: [403],
  });
  if (answer.status === 403) return false;
  const { exclusions } = read(z.object({ exclusions: z.array(exclusion) }), answer.body);
  return exclusions.some(
    ({ matchPhrase, matchType, channel }) =>
      matchType === 'exact' &&
      matchPhrase.toLowerCase() === email.toLowerCase() &&
      (channel === 'all' || channel === 'allEmail'),
  );
}

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const person = await findContact(api, email);
  if (person === null) return { known: false };
  const [lists, tags, automations, excluded] = await Promise.all([
    listsOf(api, person),
    tagsOf(api, person),
    automationsOf(api, person),
    isExcluded(api, email),
  ]);
  return {
    known: true,
    unsubscribed: excluded || (lists.length > 0 && !lists.some(isMailed)),
    lists: lists.filter(({ status }) => status === LIST_STATUS.active).map(({ list }) => list),
    tags: tags.map(({ tag }) => tag),
    automations: automations.filter(isRunning).map(({ automation }) => automation),
  };
}

const named = z.object({ id, name: z.string(), channel: z.string().nullish() });
const tagRow = z.object({ id, tag: z.string(), tagType: z.string() });
const field = z.object({ id, title: z.string(), perstag: z.string(), type: z.string().nullish() });

const TEXT_TYPES: readonly (string | null | undefined)[] = ['text', 'textarea', 'hidden', null, undefined];

/** The tool fills a field by its number, and puts it into mails by its tag. */
const FIELD = /^(\d+):(.+)$/;

/** @returns null for what is no field of `resources` */
export function fieldNumber(of: Resource): string | null {
  return FIELD.exec(of.id)?.[1] ?? null;
}

export function fieldTag(of: Resource): string {
  return `%${FIELD.exec(of.id)?.[2] ?? of.id}%`;
}

export async function resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'lists') {
    const lists = await readAll(api, '/lists', 'lists', named);
    return lists.filter(({ channel }) => channel !== 'sms').map((list) => ({ id: list.id, name: list.name }));
  }
  if (kind === 'automations') {
    const automations = await readAll(api, '/automations', 'automations', named);
    return automations.map(({ id: of, name }) => ({ id: of, name }));
  }
  if (kind === 'tags') {
    const tags = await readAll(api, '/tags', 'tags', tagRow);
    return tags.filter(({ tagType }) => tagType === 'contact').map((row) => ({ id: row.id, name: row.tag }));
  }
  if (kind === 'fields') {
    const fields = await readAll(api, '/fields', 'fields', field);
    return fields
      .filter(({ type }) => TEXT_TYPES.includes(type))
      .map((row) => ({ id: `${row.id}:${row.perstag}`, name: row.title }));
  }
  return [];
}

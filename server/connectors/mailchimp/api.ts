import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  type Consent,
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
import { toldReason } from '#server/connectors/told-reason.ts';

export const { answer: read } = readerOf('Mailchimp');

const problem = z.object({
  title: z.string(),
  detail: z.string().catch(''),
  errors: z.array(z.object({ message: z.string() })).catch([]),
});

/** Titles tell what to do; the rest is worded for people. */
const REFUSALS: Readonly<Record<string, string>> = {
  'Member In Compliance State':
    "Mailchimp won't subscribe this person: they unsubscribed, bounced or reported spam. They can only resubscribe through a Mailchimp sign-up form.",
  'Forgotten Email Not Subscribed':
    "Mailchimp won't add this person: they were permanently deleted there. They can only resubscribe through a Mailchimp sign-up form.",
};

/**
 * A refusal that ends by itself has no title of its own: "… has signed up to a lot of lists very recently; we're not
 * allowing more signups for now".
 */
const PASSING = /for now|recent signup|try again/i;
const PASSES_IN_SECONDS = 300;

function titleOf({ body }: ToolAnswer): string | null {
  return problem.safeParse(body).data?.title ?? null;
}

function rejection({ body }: ToolAnswer): ConnectorError {
  const { title = '', detail = '', errors = [] } = problem.safeParse(body).data ?? {};
  const refusal = REFUSALS[title];
  if (refusal !== undefined) return new ConnectorError('refused', refusal);
  const [first] = errors;
  const said = toldReason(first?.message ?? detail);
  const sentence = `Mailchimp rejected the request (${`400 ${title}`.trim()})${said === '' ? '.' : `: ${said}`}`;
  return new ConnectorError('refused', sentence, PASSING.test(detail) ? PASSES_IN_SECONDS : null);
}

export function failureOf(answer: ToolAnswer): ConnectorError | null {
  // In front of the API stands a network that throttles without a body.
  if (answer.status === 403 && answer.body === null) {
    return new ConnectorError('rate_limited', 'Mailchimp allows no more calls right now (403).');
  }
  return answer.status === 400 ? rejection(answer) : null;
}

/** The most that one page holds; the default of 10 hides the rest. */
const PAGE_SIZE = 1000;

export async function allOf<T>(
  api: ToolApi,
  list: { path: string; key: string; row: z.ZodType<T>; fields: string; query?: ToolCall['query'] },
): Promise<T[]> {
  const size = z.object({ total_items: z.number() });
  const page = z.object({ [list.key]: z.array(list.row) });
  const fields = list.fields.split(',').map((field) => `${list.key}.${field}`);
  const rows: T[] = [];
  for (;;) {
    const query = {
      ...list.query,
      fields: [...fields, 'total_items'].join(','),
      count: PAGE_SIZE,
      offset: rows.length,
    };
    const answer = await api.call({ method: 'GET', path: list.path, query });
    const more = read(page, answer)[list.key] ?? [];
    rows.push(...more);
    if (more.length === 0 || rows.length >= read(size, answer).total_items) return rows;
  }
}

export async function verify(api: ToolApi): Promise<ToolAccount> {
  const account = z.object({ account_id: z.string(), account_name: z.string() });
  const query = { fields: 'account_id,account_name' };
  const { account_id: id, account_name: name } = read(
    account,
    await api.call({ method: 'GET', path: '/', query }),
  );
  return { id, name };
}

const named = z.object({ id: z.string(), name: z.string() });

/** How long an audience's setting is good for: it is changed by hand, and rarely. */
const SETTING_MS = 10 * 60_000;

const doubleOptIns = new WeakMap<object, Map<string, { isOn: boolean; until: number }>>();

/** Whether people have to confirm what subscribes them to the audience. */
export async function hasDoubleOptIn(api: ToolApi, audience: string): Promise<boolean> {
  const now = api.now().getTime();
  const known = doubleOptIns.get(api.cacheKey) ?? new Map<string, { isOn: boolean; until: number }>();
  doubleOptIns.set(api.cacheKey, known);
  const before = known.get(audience);
  if (before !== undefined && before.until > now) return before.isOn;
  const answer = await api.call({
    method: 'GET',
    path: path`/lists/${audience}`,
    query: { fields: 'double_optin' },
    expects: [404],
  });
  // The next call says what is wrong with an audience that is gone.
  if (answer.status === 404) return false;
  const { double_optin: isOn } = read(z.object({ double_optin: z.boolean() }), answer);
  known.set(audience, { isOn, until: now + SETTING_MS });
  return isOn;
}

/** @param email only those that hold the address */
export function readAudiences(api: ToolApi, email?: string): Promise<Resource[]> {
  return allOf(api, { path: '/lists', key: 'lists', row: named, fields: 'id,name', query: { email } });
}

function readCategories(api: ToolApi, audience: string): Promise<{ id: string; title: string }[]> {
  return allOf(api, {
    path: path`/lists/${audience}/interest-categories`,
    key: 'categories',
    row: z.object({ id: z.string(), title: z.string() }),
    fields: 'id,title',
  });
}

function readInterestsOf(api: ToolApi, audience: string, category: string): Promise<Resource[]> {
  return allOf(api, {
    path: path`/lists/${audience}/interest-categories/${category}/interests`,
    key: 'interests',
    row: named,
    fields: 'id,name',
  });
}

/** @returns null: the group is gone */
export async function readCategoryOf(
  api: ToolApi,
  audience: string,
  interest: string,
): Promise<string | null> {
  for (const { id: category } of await readCategories(api, audience)) {
    const interests = await readInterestsOf(api, audience, category);
    if (interests.some(({ id }) => id === interest)) return category;
  }
  return null;
}

async function readInterests(api: ToolApi, audience: Resource): Promise<Resource[]> {
  const found: Resource[] = [];
  for (const { id, title } of await readCategories(api, audience.id)) {
    for (const interest of await readInterestsOf(api, audience.id, id)) {
      found.push({
        id: joinIds(audience.id, interest.id),
        name: `${audience.name} / ${title} / ${interest.name}`,
        title: interest.name,
        within: audience.id,
      });
    }
  }
  return found;
}

const tag = z.object({ id: z.number(), name: z.string() });

async function readTags(api: ToolApi, audience: Resource): Promise<Resource[]> {
  const tags = await allOf(api, {
    path: path`/lists/${audience.id}/segments`,
    key: 'segments',
    row: tag,
    fields: 'id,name',
    // A tag is a static segment; the list of tags itself has no pages.
    query: { type: 'static' },
  });
  return tags.map(({ id, name }) => ({ id: joinIds(audience.id, id), name: `${audience.name} / ${name}` }));
}

/** Those that take any text. */
export async function readFields(api: ToolApi, audience: Pick<Resource, 'id'>): Promise<Resource[]> {
  const fields = await allOf(api, {
    path: path`/lists/${audience.id}/merge-fields`,
    key: 'merge_fields',
    row: z.object({ tag: z.string(), name: z.string(), type: z.string() }),
    fields: 'tag,name,type',
  });
  return fields.flatMap(({ tag: id, name, type }) => (type === 'text' ? [{ id, name }] : []));
}

export async function resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  const ofAudience = { lists: readInterests, tags: readTags, fields: readFields };
  if (kind !== 'lists' && kind !== 'tags' && kind !== 'fields') return [];
  const audiences = await readAudiences(api);
  const found = new Map<string, Resource>();
  if (kind === 'lists') for (const audience of audiences) found.set(audience.id, audience);
  for (const audience of audiences) {
    // Fields of the same name in several audiences are one to a mail.
    for (const one of await ofAudience[kind](api, audience)) if (!found.has(one.id)) found.set(one.id, one);
  }
  return [...found.values()];
}

export async function has(api: ToolApi, kind: ResourceKind, id: string): Promise<boolean> {
  const { audience, part } = splitIds(id);
  const call = {
    method: 'GET',
    path: path`/lists/${audience}`,
    query: { fields: 'id' },
    expects: [404],
  } as const;
  if ((await api.call(call)).status === 404) return false;
  if (part === null) return true;
  const readParts = kind === 'tags' ? readTags : readInterests;
  return (await readParts(api, { id: audience, name: '' })).some((one) => one.id === id);
}

export function joinIds(audience: string, part: string | number): string {
  return `${audience}/${part}`;
}

/** The part is an interest's or a tag's id; null for the audience itself. */
export function splitIds(id: string): { audience: string; part: string | null } {
  const [audience = '', part = null] = id.split('/');
  return { audience, part };
}

const member = z.object({
  status: z.string(),
  interests: z.record(z.string(), z.boolean()).default({}),
});

export type Member = z.infer<typeof member>;

/** People are known by the MD5 of the address in lower case. */
function memberPath(audience: string, email: string): string {
  const hash = createHash('md5').update(email.trim().toLowerCase()).digest('hex');
  return path`/lists/${audience}/members/${hash}`;
}

/** @returns null: never was in the audience, or the audience is gone */
export async function readMember(api: ToolApi, audience: string, email: string): Promise<Member | null> {
  const answer = await api.call({
    method: 'GET',
    path: memberPath(audience, email),
    query: { fields: 'status,interests' },
    expects: [404],
  });
  return answer.status === 404 ? null : read(member, answer);
}

/** Whole members are large: half of what a page may hold comes well before the line is given up. */
const PEOPLE_PAGE_SIZE = 500;

const listedMember = z.object({
  email_address: z.string(),
  status: z.string(),
  timestamp_opt: z.string().default(''),
});

export type ListedMember = z.infer<typeof listedMember>;

/** At most one of them narrows the audience down. */
export interface MemberSource {
  audience: string;
  tag: string | null;
  group: { category: string; interest: string } | null;
}

function placeOf({ audience, tag: id, group }: MemberSource): Pick<ToolCall, 'path' | 'query'> {
  if (id !== null) {
    // Without these, only subscribed people are there.
    const query = { include_unsubscribed: 'true', include_cleaned: 'true', include_transactional: 'true' };
    return { path: path`/lists/${audience}/segments/${id}/members`, query };
  }
  const filter =
    group === null
      ? {}
      : { interest_category_id: group.category, interest_ids: group.interest, interest_match: 'any' };
  // Of all that can be sorted by, this changes least: nobody moves between pages.
  const query = { ...filter, sort_field: 'timestamp_opt', sort_dir: 'ASC' };
  return { path: path`/lists/${audience}/members`, query };
}

export async function readMemberPage(
  api: ToolApi,
  source: MemberSource,
  offset: number,
): Promise<{ members: ListedMember[]; total: number }> {
  const { path: where, query } = placeOf(source);
  const fields = 'members.email_address,members.status,members.timestamp_opt,total_items';
  const page = z.object({ members: z.array(listedMember), total_items: z.number() });
  const answer = await api.call({
    method: 'GET',
    path: where,
    query: { ...query, fields, count: PEOPLE_PAGE_SIZE, offset },
  });
  const { members, total_items: total } = read(page, answer);
  return { members, total };
}

/** All of a person's tags; those in the member itself end at 50. */
export function readMemberTags(
  api: ToolApi,
  audience: string,
  email: string,
): Promise<{ id: number; name: string }[]> {
  return allOf(api, {
    path: `${memberPath(audience, email)}/tags`,
    key: 'tags',
    row: tag,
    fields: 'id,name',
  });
}

/** @returns null: the tag is gone */
export async function readTagName(api: ToolApi, audience: string, id: string): Promise<string | null> {
  const answer = await api.call({
    method: 'GET',
    path: path`/lists/${audience}/segments/${id}`,
    query: { fields: 'id,name' },
    expects: [404],
  });
  return answer.status === 404 ? null : read(tag, answer).name;
}

/** `compliance`: may not be subscribed; `exists`: the address is in the audience already. */
export type Written = 'done' | 'compliance' | 'exists';

const OUTCOMES: Readonly<Record<string, Written>> = {
  'Member In Compliance State': 'compliance',
  'Member Exists': 'exists',
};

async function write(api: ToolApi, call: Pick<ToolCall, 'method' | 'path' | 'json'>): Promise<Written> {
  // Fields that an audience requires are not ours to fill in.
  const answer = await api.call({ ...call, query: { skip_merge_validation: 'true' }, expects: [400] });
  if (answer.status !== 400) return 'done';
  const title = titleOf(answer);
  const outcome = title === null ? undefined : OUTCOMES[title];
  if (outcome !== undefined) return outcome;
  throw rejection(answer);
}

export interface ConsentFields {
  timestamp_signup?: string;
  ip_signup?: string;
  timestamp_opt?: string;
  ip_opt?: string;
  language?: string;
}

/** Without these, Mailchimp keeps our server's address and the time of the call as the person's consent. */
export function consentFields({ said, confirmed }: Consent): ConsentFields {
  return {
    ...(said && { timestamp_signup: said.at }),
    ...(said?.ip && { ip_signup: said.ip }),
    ...(said?.language && { language: said.language }),
    ...(confirmed && { timestamp_opt: confirmed.at }),
    ...(confirmed?.ip && { ip_opt: confirmed.ip }),
  };
}

/** Leaves the status of somebody who is there alone. */
export function createMember(
  api: ToolApi,
  audience: string,
  email: string,
  fields: { status_if_new: string; interests?: Record<string, boolean> } & ConsentFields,
): Promise<Written> {
  const json = { email_address: email.trim(), ...fields };
  return write(api, { method: 'PUT', path: memberPath(audience, email), json });
}

export function updateMember(
  api: ToolApi,
  audience: string,
  email: string,
  fields: {
    status?: string;
    interests?: Record<string, boolean>;
    email_address?: string;
    merge_fields?: Record<string, string>;
  } & ConsentFields,
): Promise<Written> {
  return write(api, { method: 'PATCH', path: memberPath(audience, email), json: fields });
}

export async function archiveMember(api: ToolApi, audience: string, email: string): Promise<void> {
  await api.call({ method: 'DELETE', path: memberPath(audience, email), expects: [404] });
}

/** @param startsJourneys whether the tags may start what they start */
export async function writeTags(
  api: ToolApi,
  audience: string,
  email: string,
  { names, on, startsJourneys }: { names: string[]; on: boolean; startsJourneys: boolean },
): Promise<void> {
  const status = on ? 'active' : 'inactive';
  const json = { tags: names.map((name) => ({ name, status })), is_syncing: !startsJourneys };
  await api.call({ method: 'POST', path: `${memberPath(audience, email)}/tags`, json });
}

export function refusalOf(title: keyof typeof REFUSALS): ConnectorError {
  return new ConnectorError('refused', REFUSALS[title] ?? 'Mailchimp rejected the request.');
}

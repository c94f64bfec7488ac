import { z } from 'zod';
import {
  ConnectorError,
  type Credentials,
  type Resource,
  type ResourceKind,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { errorOf, hiddenField, troubleOf } from './failures.ts';
import { readerOf } from '#server/connectors/reader.ts';

export const { answer: read, value, each } = readerOf('Salesforce');

/** The objects that a person can be in Salesforce. */
export const PERSON_OBJECTS = ['Contact', 'Lead'] as const;

export type PersonObject = (typeof PERSON_OBJECTS)[number];

export const DATA = '/services/data/v62.0';

/** The shortest session that an organization can set; an answer does not tell its life (A1). */
export const SESSION_SECONDS = 900;

const token = z.object({ access_token: z.string() });

const oauthTrouble = z.object({ error: z.string() });

const named = z.object({ Id: z.string(), Name: z.string() });

const description = z.object({
  fields: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      updateable: z.boolean(),
      custom: z.boolean(),
      type: z.string(),
      length: z.number().default(0),
    }),
  ),
});

export async function logIn(
  api: ToolApi,
  { client_id = '', client_secret = '' }: Credentials,
): Promise<{ headers: Record<string, string>; seconds: number }> {
  const answer = await api.call({
    method: 'POST',
    path: '/services/oauth2/token',
    form: { grant_type: 'client_credentials', client_id: client_id, client_secret: client_secret },
    expects: [400],
  });
  if (answer.status === 400) throw notLoggedIn(answer);
  const { access_token } = read(token, answer);
  return { headers: { authorization: `Bearer ${access_token}` }, seconds: SESSION_SECONDS };
}

function notLoggedIn({ body }: ToolAnswer): ConnectorError {
  const parsed = oauthTrouble.safeParse(body);
  const code = parsed.success ? parsed.data.error.replaceAll(/\W/g, '').slice(0, 60) : '400';
  return new ConnectorError(
    'bad_credentials',
    `Salesforce rejected the app (${code}). Check its consumer key and secret, that the client credentials flow is on, and that it has a user to run as.`,
  );
}

/** @throws ConnectorError `refused` also where the opt-out cannot be read and written: without it nothing else helps */
export async function verifyAccount(api: ToolApi): Promise<ToolAccount> {
  const [organization] = await query(api, named, 'SELECT Id, Name FROM Organization');
  for (const object of PERSON_OBJECTS) {
    const fields = await describe(api, object);
    const optOut = fields.find(({ name }) => name === 'HasOptedOutOfEmail');
    if (optOut?.updateable !== true) throw new ConnectorError('refused', hiddenField(object));
  }
  if (organization === undefined) throw oddAnswer();
  return { id: organization.Id, name: organization.Name };
}

export async function resourcesOf(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'lists') return (await query(api, named, all('Campaign'))).map(resource);
  // Without topics in the organization there are none.
  if (kind === 'tags') return ((await queryIfThere(api, named, all('Topic'))) ?? []).map(resource);
  return kind === 'fields' ? textFields(api) : [];
}

/** A value has at most so many signs. */
const SIGNS_OF_A_VALUE = 100;

/** The organization's own, of contacts or of leads. */
async function textFields(api: ToolApi): Promise<Resource[]> {
  const found = new Map<string, Resource>();
  for (const object of PERSON_OBJECTS) {
    for (const { name, label, custom, updateable, type, length } of await describe(api, object)) {
      const isText = (type === 'string' || type === 'textarea') && length >= SIGNS_OF_A_VALUE;
      if (custom && updateable && isText && !found.has(name)) found.set(name, { id: name, name: label });
    }
  }
  return [...found.values()];
}

const all = (object: string) => `SELECT Id, Name FROM ${object} ORDER BY Name`;

const resource = ({ Id, Name }: z.infer<typeof named>): Resource => ({ id: Id, name: Name });

async function describe(api: ToolApi, object: PersonObject) {
  const answer = await api.call({
    method: 'GET',
    path: `${DATA}/sobjects/${object}/describe`,
    expects: [404],
  });
  if (answer.status === 404) throw new ConnectorError('refused', hiddenField(object));
  return read(description, answer).fields;
}

/** A string in SOQL: an address may hold what ends one. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function anyOf(ids: readonly string[]): string {
  return `(${ids.map(quoted).join(', ')})`;
}

/** Of the values that one query names: it goes into the address of a call, in signs of that. */
const NAMED_PER_QUERY = 8000;

/** So that the values of each part go into a query. */
export function inQueries(values: readonly string[]): string[][] {
  const parts: string[][] = [];
  let size = Infinity;
  for (const value of values) {
    const more = encodeURIComponent(`${quoted(value)}, `).length;
    if (size + more > NAMED_PER_QUERY) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(value);
    size += more;
  }
  return parts;
}

/** All rows, over all pages. */
export async function query<T>(api: ToolApi, row: z.ZodType<T>, soql: string): Promise<T[]> {
  return restOf(api, row, await ask(api, soql));
}

/** @returns null where the organization does not have the object, or keeps it from the app's user */
export async function queryIfThere<T>(api: ToolApi, row: z.ZodType<T>, soql: string): Promise<T[] | null> {
  const answer = await ask(api, soql, [400]);
  if (answer.status !== 400) return restOf(api, row, answer);
  const trouble = troubleOf(answer);
  if (trouble?.code === 'INVALID_TYPE') return null;
  throw trouble === null ? oddAnswer() : errorOf(trouble);
}

/** @returns null where the object does not have the field, or keeps it from the app's user */
export async function queryWithField<T>(
  api: ToolApi,
  row: z.ZodType<T>,
  soql: string,
  field: string,
): Promise<T[] | null> {
  const answer = await ask(api, soql, [400]);
  if (answer.status !== 400) return restOf(api, row, answer);
  const trouble = troubleOf(answer);
  if (trouble?.code === 'INVALID_FIELD' && trouble.message.includes(`'${field}'`)) return null;
  throw trouble === null ? oddAnswer() : errorOf(trouble);
}

const page = z.object({
  records: z.array(z.unknown()),
  nextRecordsUrl: z.string().startsWith(DATA).optional(),
});

/** An answer and the pages after it. */
async function* pagesFrom(api: ToolApi, first: ToolAnswer): AsyncGenerator<unknown[]> {
  for (let answer = first; ;) {
    const { records, nextRecordsUrl } = read(page, answer);
    yield records;
    if (nextRecordsUrl === undefined) return;
    answer = await api.call({ method: 'GET', path: nextRecordsUrl });
  }
}

/** The rows of an answer and of the pages after it. */
async function restOf<T>(api: ToolApi, row: z.ZodType<T>, first: ToolAnswer): Promise<T[]> {
  const rows: T[] = [];
  for await (const records of pagesFrom(api, first)) rows.push(...value(z.array(row), records));
  return rows;
}

/** The same, of events: a row that can't be read keeps no other from counting. */
export async function readableRestOf<T>(api: ToolApi, row: z.ZodType<T>, first: ToolAnswer): Promise<T[]> {
  const rows: T[] = [];
  for await (const records of pagesFrom(api, first)) rows.push(...each(row, records));
  return rows;
}

/** For who has to see more of an answer than its rows. */
export function ask(api: ToolApi, soql: string, expects: readonly number[] = []): Promise<ToolAnswer> {
  return api.call({ method: 'GET', path: `${DATA}/query`, query: { q: soql }, expects });
}

export function oddAnswer(): ConnectorError {
  return new ConnectorError('unavailable', "Salesforce sent a response we couldn't read.");
}

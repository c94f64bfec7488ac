import { z } from 'zod';
import {
  ConnectorError,
  type Credentials,
  type Resource,
  type ResourceKind,
  type ToolAnswer,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { errorOf, hiddenField, type Trouble, troubleOf } from './failures.ts';
import { readerOf } from '#server/connectors/reader.ts';

const { answer: read } = readerOf('Salesforce');

/** The objects that a person can be in Salesforce. */
export const PERSON_OBJECTS = ['Contact', 'Lead'] as const;

export type PersonObject = (typeof PERSON_OBJECTS)[number];

const DATA = '/services/data/v62.0';

/** What one call may write (A2). */
const ROWS_PER_CALL = 200;

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

const outcomes = z.array(
  z.object({
    success: z.boolean(),
    errors: z.array(z.object({ statusCode: z.string(), message: z.string() })),
  }),
);

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
    `Salesforce does not let the app in (${code}). Check its consumer key and secret, that the client credentials flow is on, and that it has a user to run as.`,
  );
}

/** @throws ConnectorError `refused` also where the opt-out cannot be read and written: without it nothing else helps */
export async function verifyAccount(api: ToolApi): Promise<string> {
  const [organization] = await query(api, named, 'SELECT Id, Name FROM Organization');
  for (const object of PERSON_OBJECTS) {
    const fields = await describe(api, object);
    const optOut = fields.find(({ name }) => name === 'HasOptedOutOfEmail');
    if (optOut?.updateable !== true) throw new ConnectorError('refused', hiddenField(object));
  }
  if (organization === undefined) throw oddAnswer();
  return organization.Name;
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

/** The rows of an answer and of the pages after it. */
export async function restOf<T>(api: ToolApi, row: z.ZodType<T>, first: ToolAnswer): Promise<T[]> {
  const page = z.object({ records: z.array(row), nextRecordsUrl: z.string().startsWith(DATA).optional() });
  const rows: T[] = [];
  for (let answer = first; ;) {
    const { records, nextRecordsUrl } = read(page, answer);
    rows.push(...records);
    if (nextRecordsUrl === undefined) return rows;
    answer = await api.call({ method: 'GET', path: nextRecordsUrl });
  }
}

/** For who has to see more of an answer than its rows. */
export function ask(api: ToolApi, soql: string, expects: readonly number[] = []): Promise<ToolAnswer> {
  return api.call({ method: 'GET', path: `${DATA}/query`, query: { q: soql }, expects });
}

export type Row = Readonly<Record<string, string | boolean>> & { type: string };

export async function createRows(api: ToolApi, rows: readonly Row[]): Promise<void> {
  const told = await writeRows(api, 'POST', rows);
  // They are there already.
  throwWorst(
    told.filter((one) => one !== null),
    ['DUPLICATE_VALUE'],
  );
}

/** The contact of a person account is refused; what it is to hold is written to its account. */
export async function updateRows(api: ToolApi, rows: readonly Row[]): Promise<void> {
  const told = await writeRows(api, 'PATCH', rows);
  const ofAccounts = rows.filter(
    ({ type }, at) => type === 'Contact' && told[at]?.code === 'INVALID_PERSON_ACCOUNT_OPERATION',
  );
  const accounts = await accountRows(api, ofAccounts);
  const toldOfAccounts = await writeRows(
    api,
    'PATCH',
    accounts.map(({ account }) => account),
  );
  const moved = new Set<Row | undefined>(accounts.map(({ contact }) => contact));
  throwWorst(
    [...told.filter((_, at) => !moved.has(rows[at])), ...toldOfAccounts].filter((one) => one !== null),
    ['ENTITY_IS_DELETED'],
  );
}

const personAccount = z.object({ Id: z.string(), PersonContactId: z.string() });

/** What a contact holds by its name there: `Email` is `PersonEmail`, an organization's own `X__c` is `X__pc`. */
const nameOnAccount = (field: string) =>
  field.endsWith('__c') ? field.replace(/__c$/, '__pc') : `Person${field}`;

async function accountRows(
  api: ToolApi,
  contacts: readonly Row[],
): Promise<{ contact: Row; account: Row }[]> {
  if (contacts.length === 0) return [];
  const byId = new Map(contacts.map((contact) => [String(contact['id']), contact]));
  const soql = `SELECT Id, PersonContactId FROM Account WHERE PersonContactId IN ${anyOf([...byId.keys()])}`;
  const accounts = await query(api, personAccount, soql);
  return accounts.flatMap(({ Id, PersonContactId }) => {
    const contact = byId.get(PersonContactId);
    if (contact === undefined) return [];
    const fields = Object.entries(contact).filter(([name]) => name !== 'type' && name !== 'id');
    const renamed = Object.fromEntries(fields.map(([name, value]) => [nameOnAccount(name), value]));
    return [{ contact, account: { ...renamed, type: 'Account', id: Id } }];
  });
}

/** @returns what each row came to; null where it was written */
async function writeRows(
  api: ToolApi,
  method: 'POST' | 'PATCH',
  rows: readonly Row[],
): Promise<(Trouble | null)[]> {
  const told: (Trouble | null)[] = [];
  for (const some of inCalls(rows)) {
    const records = some.map(({ type, ...fields }) => ({ attributes: { type }, ...fields }));
    const json = { allOrNone: false, records };
    const answer = await api.call({ method, path: `${DATA}/composite/sobjects`, json });
    told.push(...troublesOf(answer));
  }
  return told;
}

export async function deleteRows(api: ToolApi, ids: readonly string[]): Promise<void> {
  const told: Trouble[] = [];
  for (const some of inCalls(ids)) {
    const answer = await api.call({
      method: 'DELETE',
      path: `${DATA}/composite/sobjects`,
      query: { ids: some.join(','), allOrNone: 'false' },
    });
    told.push(...troublesOf(answer).filter((one) => one !== null));
  }
  throwWorst(told, ['ENTITY_IS_DELETED', 'INVALID_CROSS_REFERENCE_KEY']);
}

function inCalls<T>(rows: readonly T[]): T[][] {
  const calls = Math.ceil(rows.length / ROWS_PER_CALL);
  return Array.from({ length: calls }, (_, at) => rows.slice(at * ROWS_PER_CALL, (at + 1) * ROWS_PER_CALL));
}

/** The status is 200 also where rows failed (A6, 4). */
function troublesOf(answer: ToolAnswer): (Trouble | null)[] {
  return read(outcomes, answer).map(({ success, errors: [first] }) =>
    success ? null : { code: first?.statusCode ?? 'UNKNOWN_EXCEPTION', message: first?.message ?? '' },
  );
}

/** What may yet succeed goes before what never will, so that it is tried again. */
function throwWorst(told: readonly Trouble[], fine: readonly string[]): void {
  const errors = told.filter(({ code }) => !fine.includes(code)).map(errorOf);
  const worst = errors.find(({ kind }) => kind === 'unavailable') ?? errors[0];
  if (worst !== undefined) throw worst;
}

function oddAnswer(): ConnectorError {
  return new ConnectorError('unavailable', 'Salesforce answered in a form that is not its own.');
}

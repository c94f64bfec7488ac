import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { SALESFORCE } from '#test/fakes/descriptions/salesforce.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakePerson, type FakeTool, type Held, startFakeServer } from './fake-tool.ts';

type Value = string | boolean | null;
export type FakeRecord = Record<string, Value> & { Id: string };

/** What a row of a write comes to instead. */
interface RowFailure {
  statusCode: string;
  message: string;
}

export interface SalesforceFake extends FakeTool {
  oauth: LoginFake;
  /** One more record, as an administrator makes it. */
  add(object: string, fields: Record<string, Value>): FakeRecord;
  /** A person who is an account: its contact is not written to. */
  addPersonAccount(email: string): { account: FakeRecord; contact: FakeRecord };
  addField(field: Pick<CustomField, 'object' | 'name'> & Partial<CustomField>): void;
  /** As an administrator does it. */
  remove(id: string): void;
  edit(id: string, fields: Record<string, Value>): void;
  /** What is written from now on is written then. */
  setTime(time: Date): void;
  /** Whether the organization tracks the history of the opt-out. */
  track(isTracked: boolean): void;
  /** Salesforce's own cursors are forgotten after some days. */
  forgetCursors(): void;
  /** Those of an address, contacts and leads, converted leads too. */
  records(email: string): FakeRecord[];
  /** Those of an object. */
  all(object: string): FakeRecord[];
  /** Field-level security: kept from being seen, or from being written to. */
  secure(field: `${string}.${string}`, how: 'hidden' | 'readOnly' | 'open'): void;
  /** An object that the organization does not have. */
  switchOff(object: string, isOff: boolean): void;
  /** The next rows written come to this, in turn; null: they are written. */
  failRows(...failures: (RowFailure | null)[]): void;
  /** Of 24 hours. */
  use(calls: number): void;
  /** All tokens so far are worth nothing. */
  endSessions(): void;
  /** Whether the app has the client credentials flow switched on. */
  allowLogIn(isAllowed: boolean): void;
}

const CLIENT = { id: '3MVG9_GoodGoodGoodGoodGood.0123456789', secret: '0123456789ABCDEF0123456789ABCDEF' };
const DATA = '/services/data/v62.0';
const PAGE = 2000;
const DAILY_CALLS = 5000;

const PERSON_FIELDS = ['Email', 'LastName', 'HasOptedOutOfEmail', 'EmailBouncedDate', 'SystemModstamp'];

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Organization: ['Name'],
  Account: ['IsPersonAccount', 'PersonContactId', 'PersonEmail', 'PersonHasOptedOutOfEmail'],
  Contact: PERSON_FIELDS,
  Lead: [...PERSON_FIELDS, 'Company', 'IsConverted'],
  Campaign: ['Name'],
  CampaignMember: ['CampaignId', 'ContactId', 'LeadId', 'CreatedDate'],
  Topic: ['Name'],
  TopicAssignment: ['TopicId', 'EntityId', 'CreatedDate'],
  ContactPointEmail: ['EmailAddress'],
  ContactHistory: ['ContactId', 'Field', 'OldValue', 'NewValue', 'CreatedDate'],
  LeadHistory: ['LeadId', 'Field', 'OldValue', 'NewValue', 'CreatedDate'],
};

/** Of the organization itself. */
interface CustomField {
  object: string;
  name: string;
  label: string;
  type: string;
  length: number;
}

/** The columns that no two rows share. */
const UNIQUE: Readonly<Record<string, readonly string[]>> = {
  CampaignMember: ['CampaignId', 'ContactId', 'LeadId'],
  TopicAssignment: ['TopicId', 'EntityId'],
};

const PREFIX: Readonly<Record<string, string>> = {
  Account: '001',
  Contact: '003',
  Lead: '00Q',
  Campaign: '701',
  Topic: '0TO',
};

class Refusal extends Error {
  readonly errorCode: string;

  constructor(errorCode: string, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

class Organization {
  readonly tables = new Map<string, FakeRecord[]>(Object.keys(FIELDS).map((name) => [name, []]));
  readonly security = new Map<string, 'hidden' | 'readOnly' | 'open'>();
  readonly off = new Set<string>();
  readonly tokens = new Set<string>();
  readonly cursors = new Map<string, Record<string, unknown>[]>();
  readonly custom: CustomField[] = [];
  rowFailures: (RowFailure | null)[] = [];
  used = 18;
  canLogIn = true;
  now = new Date('2026-11-20T08:00:00Z');
  isTracked = false;
  #ids = 0;

  constructor() {
    this.add('Organization', { Name: 'Acme Sales' });
  }

  table(object: string): FakeRecord[] {
    const table = this.off.has(object) ? undefined : this.tables.get(object);
    if (table === undefined) {
      throw new Refusal('INVALID_TYPE', `sObject type '${object}' is not supported.`);
    }
    return table;
  }

  nextId(prefix = 'a00'): string {
    this.#ids += 1;
    return `${prefix}${String(this.#ids).padStart(12, '0')}AAA`;
  }

  fieldsOf(object: string): string[] {
    const own = this.custom
      .filter((field) => field.object === (object === 'Account' ? 'Contact' : object))
      .map(({ name }) => (object === 'Account' ? name.replace(/__c$/, '__pc') : name));
    return [...(FIELDS[object] ?? []), ...own];
  }

  /** What an administrator said of a field of their own. */
  described(object: string, name: string): Partial<CustomField> {
    const { object: _, ...told } =
      this.custom.find((one) => one.object === object && one.name === name) ?? {};
    return told;
  }

  add(object: string, fields: Record<string, Value>): FakeRecord {
    const blank = Object.fromEntries((FIELDS[object] ?? []).map((name) => [name, null]));
    const flags = {
      ...('HasOptedOutOfEmail' in blank && { HasOptedOutOfEmail: false }),
      ...('IsConverted' in blank && { IsConverted: false }),
      ...('SystemModstamp' in blank && { SystemModstamp: textOf(this.now) }),
      ...('CreatedDate' in blank && { CreatedDate: '2026-03-01T08:30:00.000+0000' }),
    };
    const made = { ...blank, ...flags, ...fields, Id: this.nextId(PREFIX[object]) };
    this.table(object).push(made);
    return made;
  }

  requireField(object: string, field: string): void {
    const [parent, ofParent] = field.split('.');
    if (parent !== undefined && ofParent !== undefined) return this.requireField(parent, ofParent);
    const isThere = field === 'Id' || this.fieldsOf(object).includes(field);
    if (isThere && this.security.get(`${object}.${field}`) !== 'hidden') return;
    throw new Refusal('INVALID_FIELD', `No such column '${field}' on entity '${object}'.`);
  }

  requireWritable(object: string, fields: Record<string, Value>): void {
    for (const field of Object.keys(fields)) {
      const how = this.security.get(`${object}.${field}`) ?? 'open';
      if (this.fieldsOf(object).includes(field) && how === 'open' && field !== 'SystemModstamp') continue;
      throw new Refusal(
        'INVALID_FIELD_FOR_INSERT_UPDATE',
        `Unable to create/update fields: ${field}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`,
      );
    }
  }

  create(object: string, fields: Record<string, Value>): string {
    this.table(object);
    this.requireWritable(object, fields);
    for (const [name, value] of Object.entries(fields)) {
      const parent = name === 'CampaignId' ? 'Campaign' : name === 'TopicId' ? 'Topic' : null;
      if (parent !== null && !this.table(parent).some(({ Id }) => Id === value)) {
        throw new Refusal('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id');
      }
    }
    const key = UNIQUE[object];
    const isTwice =
      key !== undefined &&
      this.table(object).some((row) => key.every((name) => row[name] === (fields[name] ?? null)));
    if (isTwice) throw new Refusal('DUPLICATE_VALUE', 'Already a campaign member.');
    return this.add(object, fields).Id;
  }

  update(object: string, id: string, fields: Record<string, Value>): string {
    const row = this.table(object).find(({ Id }) => Id === id);
    if (row === undefined) throw new Refusal('ENTITY_IS_DELETED', 'entity is deleted');
    if (row.IsConverted === true) {
      throw new Refusal('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead');
    }
    const isPersonContact = this.table('Account').some(({ PersonContactId }) => PersonContactId === id);
    if (isPersonContact) {
      throw new Refusal('INVALID_PERSON_ACCOUNT_OPERATION', 'cannot reference person contact');
    }
    this.requireWritable(object, fields);
    const contact = this.tables.get('Contact')?.find(({ Id }) => Id === row.PersonContactId);
    if (contact !== undefined) {
      const ofContact = (name: string) => name.replace(/^Person/, '').replace(/__pc$/, '__c');
      const theirs = Object.entries(fields).map(([name, value]) => [ofContact(name), value]);
      this.change('Contact', contact, Object.fromEntries(theirs) as Record<string, Value>);
    }
    if ('Email' in fields && !String(fields.Email).includes('@')) {
      throw new Refusal('INVALID_EMAIL_ADDRESS', `Email: invalid email address: ${fields.Email}`);
    }
    this.change(object, row, fields);
    return id;
  }

  /** Whatever is written, it is the time of the record's last change. */
  change(object: string, row: FakeRecord, fields: Record<string, Value>): void {
    const OldValue = row.HasOptedOutOfEmail ?? null;
    Object.assign(row, fields, 'SystemModstamp' in row ? { SystemModstamp: textOf(this.now) } : {});
    const NewValue = row.HasOptedOutOfEmail ?? null;
    if (!this.isTracked || OldValue === NewValue) return;
    const change = { Field: 'HasOptedOutOfEmail', OldValue, NewValue, CreatedDate: textOf(this.now) };
    this.add(`${object}History`, { [`${object}Id`]: row.Id, ...change });
  }

  delete(id: string): string {
    for (const table of this.tables.values()) {
      const at = table.findIndex(({ Id }) => Id === id);
      if (at === -1) continue;
      table.splice(at, 1);
      return id;
    }
    throw new Refusal('ENTITY_IS_DELETED', 'entity is deleted');
  }

  /** A row fails on its own; the call does not. */
  row(write: () => string): unknown {
    const failure = this.rowFailures.shift();
    if (failure) return { success: false, errors: [{ ...failure, fields: [] }] };
    try {
      return { id: write(), success: true, errors: [] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { errorCode, message } = error;
      return { success: false, errors: [{ statusCode: errorCode, message, fields: [] }] };
    }
  }
}

type Test = (row: FakeRecord) => boolean;

/** As much of SOQL as a query of one object needs: SELECT, WHERE with AND, OR, IN and brackets, ORDER BY, LIMIT. */
class Soql {
  readonly #tokens: string[];
  readonly #organization: Organization;
  readonly #parents = new Map<string, Map<string, FakeRecord>>();
  #object = '';

  constructor(text: string, organization: Organization) {
    const pattern = /'(?:\\.|[^'\\])*'|\d{4}-[\d:.TZ+-]+|[\w.]+|!=|[(),=<>]|\S/g;
    this.#tokens = text.match(pattern) ?? [];
    this.#organization = organization;
  }

  run(): FakeRecord[] {
    this.#take('SELECT');
    const fields = this.#names();
    this.#take('FROM');
    this.#object = this.#next();
    const table = this.#organization.table(this.#object);
    for (const field of fields) this.#organization.requireField(this.#object, field);
    const test = this.#maybe('WHERE') ? this.#either() : () => true;
    const rows = table.filter(test).toSorted(this.#order());
    const limit = this.#maybe('LIMIT') ? Number(this.#next()) : Infinity;
    if (this.#tokens.length > 0) throw this.#malformed();
    return rows.slice(0, limit).map((row) => this.#show(this.#object, row, fields));
  }

  /** Fields of a parent, such as `Contact.Email`, are in an object of its own. */
  #show(object: string, row: FakeRecord, fields: readonly string[]): FakeRecord {
    const attributes = { type: object, url: `${DATA}/sobjects/${object}/${row.Id}` };
    const shown: Record<string, unknown> = { attributes };
    for (const field of fields) {
      const [name = '', ofParent] = field.split('.');
      if (ofParent === undefined) shown[name] = row[name] ?? null;
      else shown[name] ??= this.#parent(row, name, fields);
    }
    return shown as FakeRecord;
  }

  #parent(row: FakeRecord, name: string, fields: readonly string[]): FakeRecord | null {
    const known = this.#parents.get(name);
    const parents = known ?? new Map(this.#organization.table(name).map((one) => [one.Id, one]));
    if (known === undefined) this.#parents.set(name, parents);
    const parent = parents.get(String(row[`${name}Id`]));
    if (parent === undefined) return null;
    const wanted = fields.filter((field) => field.startsWith(`${name}.`));
    return this.#show(
      name,
      parent,
      wanted.map((field) => field.slice(name.length + 1)),
    );
  }

  #order(): (one: FakeRecord, other: FakeRecord) => number {
    if (!this.#maybe('ORDER')) return () => 0;
    this.#take('BY');
    const [first = 'Id'] = this.#names();
    this.#organization.requireField(this.#object, first);
    if (first === 'Id') return (one, other) => (one.Id < other.Id ? -1 : 1);
    return (one, other) => String(one[first]).localeCompare(String(other[first]));
  }

  #names(): string[] {
    const names = [this.#next()];
    while (this.#maybe(',')) names.push(this.#next());
    return names;
  }

  #either(): Test {
    const tests = [this.#both()];
    while (this.#maybe('OR')) tests.push(this.#both());
    return (row) => tests.some((test) => test(row));
  }

  #both(): Test {
    const tests = [this.#one()];
    while (this.#maybe('AND')) tests.push(this.#one());
    return (row) => tests.every((test) => test(row));
  }

  #one(): Test {
    if (this.#maybe('(')) {
      const inside = this.#either();
      this.#take(')');
      return inside;
    }
    const field = this.#next();
    this.#organization.requireField(this.#object, field);
    const operator = this.#next();
    if (operator === 'IN') {
      this.#take('(');
      const values = [this.#value()];
      while (this.#maybe(',')) values.push(this.#value());
      this.#take(')');
      return (row) => values.some((value) => isEqual(row[field], value));
    }
    const value = this.#value();
    if (operator === '=') return (row) => isEqual(row[field], value);
    if (operator === '!=') return (row) => !isEqual(row[field], value);
    if (operator === '>' && field === 'Id') return (row) => row.Id > String(value);
    if (operator === '>')
      return (row) => typeof row[field] === 'string' && timeOf(row[field]) > timeOf(value);
    throw this.#malformed();
  }

  #value(): Value {
    const token = this.#next();
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    if (token === 'null') return null;
    if (token === 'true' || token === 'false') return token === 'true';
    if (/^\d/.test(token)) return token;
    throw this.#malformed();
  }

  #next(): string {
    const token = this.#tokens.shift();
    if (token === undefined) throw this.#malformed();
    return token;
  }

  #maybe(word: string): boolean {
    if (this.#tokens[0] !== word) return false;
    this.#tokens.shift();
    return true;
  }

  #take(word: string): void {
    if (!this.#maybe(word)) throw this.#malformed();
  }

  #malformed(): Refusal {
    return new Refusal('MALFORMED_QUERY', `unexpected token: '${this.#tokens[0] ?? '<EOF>'}'`);
  }
}

const textOf = (time: Date) => time.toISOString().replace('Z', '+0000');
const timeOf = (value: Value) => Date.parse(String(value).replace(/\+0000$/, 'Z'));

function isEqual(one: Value | undefined, other: Value): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return one === other;
  return one.toLowerCase() === other.toLowerCase();
}

const refuse = (reply: FastifyReply, status: number, errorCode: string, message: string) =>
  reply.code(status).send([{ message, errorCode }]);

const TOKEN_PATH = '/services/oauth2/token';

const login = () =>
  new LoginFake({
    authorizePath: '/services/oauth2/authorize',
    tokenPath: TOKEN_PATH,
    demands: { response_type: 'code' },
    scopes: { separator: ' ', known: ['api', 'refresh_token', 'id'] },
    pkce: 'demanded',
    reads: 'form',
    refresh: { rotates: true, demandsClient: true },
    life: { seconds: 7200, told: false },
    alsoAnswers: () => ({
      instance_url: 'https://acme.my.salesforce.com',
      id: 'https://login.salesforce.com/id/00D000000000001AAA/005000000000001AAA',
      issued_at: '1700000000000',
      signature: 'c2lnbmF0dXJl',
    }),
    refuse: (reply, error, description) => reply.code(400).send({ error, error_description: description }),
  });

function logInRoute(http: FastifyInstance, organization: Organization, oauth: LoginFake): void {
  oauth.addLoginPage(http);
  http.post<{ Body: Record<string, string> }>(TOKEN_PATH, async (request, reply) => {
    const { body } = request;
    if (['authorization_code', 'refresh_token'].includes(body.grant_type ?? '')) {
      return oauth.token(request, reply);
    }
    const no = (error: string, description: string) =>
      reply.code(400).send({ error, error_description: description });
    if (body.grant_type !== 'client_credentials') {
      return no('unsupported_grant_type', 'grant type not supported');
    }
    if (body.client_id !== CLIENT.id) return no('invalid_client_id', 'client identifier invalid');
    if (body.client_secret !== CLIENT.secret) return no('invalid_client', 'invalid client credentials');
    if (!organization.canLogIn) return no('invalid_grant', 'no client credentials user enabled');
    const token = `00D!${organization.nextId()}`;
    organization.tokens.add(token);
    return {
      access_token: token,
      instance_url: 'https://acme.my.salesforce.com',
      id: 'https://login.salesforce.com/id/00D000000000001AAA/005000000000001AAA',
      token_type: 'Bearer',
      issued_at: '1700000000000',
      scope: 'api',
      signature: 'x',
    };
  });
}

function page(organization: Organization, rows: Record<string, unknown>[], totalSize: number): unknown {
  const [records, rest] = [rows.slice(0, PAGE), rows.slice(PAGE)];
  if (rest.length === 0) return { totalSize, done: true, records };
  const locator = `${organization.nextId('01g')}-${PAGE}`;
  organization.cursors.set(locator, rest);
  return { totalSize, done: false, nextRecordsUrl: `${DATA}/query/${locator}`, records };
}

function readRoutes(http: FastifyInstance, organization: Organization): void {
  http.get<{ Querystring: { q: string } }>(`${DATA}/query`, async ({ query }, reply) => {
    try {
      const rows = new Soql(query.q, organization).run();
      return page(organization, rows, rows.length);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return refuse(reply, 400, error.errorCode, error.message);
    }
  });

  http.get<{ Params: { locator: string } }>(`${DATA}/query/:locator`, async ({ params }, reply) => {
    const rest = organization.cursors.get(params.locator);
    if (rest === undefined) return refuse(reply, 400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
    return page(organization, rest, rest.length);
  });

  http.get<{ Params: { object: string } }>(
    `${DATA}/sobjects/:object/describe`,
    async ({ params: { object } }, reply) => {
      const fields = organization.fieldsOf(object);
      if (organization.off.has(object) || FIELDS[object] === undefined) {
        return refuse(reply, 404, 'NOT_FOUND', 'The requested resource does not exist');
      }
      const how = (field: string) => organization.security.get(`${object}.${field}`) ?? 'open';
      return {
        name: object,
        fields: fields
          .filter((field) => how(field) !== 'hidden')
          .map((name) => ({
            name,
            label: name,
            type: /^(Has|Is)/.test(name) ? 'boolean' : 'string',
            length: 255,
            custom: name.endsWith('__c'),
            createable: how(name) === 'open' && name !== 'SystemModstamp',
            updateable: how(name) === 'open' && name !== 'SystemModstamp',
            picklistValues: [],
            ...organization.described(object, name),
          })),
      };
    },
  );
}

interface Collection {
  records: ({ attributes: { type: string }; id?: string } & Record<string, Value>)[];
}

function writeRoutes(http: FastifyInstance, organization: Organization): void {
  const collection = `${DATA}/composite/sobjects`;
  const tooMany = (reply: FastifyReply) =>
    refuse(reply, 400, 'EXCEEDED_ID_LIMIT', 'record limit reached. cannot submit more than 200 records');

  http.post<{ Body: Collection }>(collection, async ({ body: { records } }, reply) => {
    if (records.length > 200) return tooMany(reply);
    return records.map(({ attributes: { type }, ...fields }) =>
      organization.row(() => organization.create(type, fields)),
    );
  });

  http.patch<{ Body: Collection }>(collection, async ({ body: { records } }, reply) => {
    if (records.length > 200) return tooMany(reply);
    return records.map(({ attributes: { type }, id = '', ...fields }) =>
      organization.row(() => organization.update(type, id, fields)),
    );
  });

  http.delete<{ Querystring: { ids: string } }>(collection, async ({ query }, reply) => {
    const ids = query.ids.split(',');
    if (ids.length > 200) return tooMany(reply);
    return ids.map((id) => organization.row(() => organization.delete(id)));
  });
}

/** One organization of Salesforce: the REST API of the core platform, with an External Client App. */
export async function startSalesforceFake(): Promise<SalesforceFake> {
  const organization = new Organization();
  const oauth = login();
  const server = await startFakeServer(
    (http) => {
      http.addHook('preHandler', async (request, reply) => {
        if (oauth.isOpen(request.url)) return;
        const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
        if (!organization.tokens.has(token) && !oauth.isGood(request.headers.authorization)) {
          return refuse(reply, 401, 'INVALID_SESSION_ID', 'Session expired or invalid');
        }
        if (organization.used >= DAILY_CALLS) {
          return refuse(reply, 403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
        }
        organization.used += 1;
        reply.header('sforce-limit-info', `api-usage=${organization.used}/${DAILY_CALLS}`);
      });
      http.setNotFoundHandler((_request, reply) =>
        refuse(reply, 404, 'NOT_FOUND', 'The requested resource does not exist'),
      );
      logInRoute(http, organization, oauth);
      readRoutes(http, organization);
      writeRoutes(http, organization);
    },
    {
      distilled: ['answers/salesforce'],
      written: SALESFORCE,
      basePath: DATA,
      isOutside: (url) => oauth.isOpen(url),
      refuse: ({ kind, problems: [message = ''] }) =>
        kind === 'unknown path'
          ? {
              status: 404,
              body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
            }
          : { status: 400, body: [{ errorCode: 'JSON_PARSER_ERROR', message }] },
    },
  );
  return { ...server, oauth, ...account(), ...contents(organization), ...switches(organization) };
}

function account(): Pick<FakeTool, 'credentials' | 'wrongCredentials' | 'accountName'> {
  const credentials = {
    my_domain_url: 'https://acme.my.salesforce.com',
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
  };
  return {
    credentials,
    wrongCredentials: { ...credentials, client_secret: 'WRONG-0123456789ABCDEF' },
    accountName: 'Acme Sales',
  };
}

/** Who left is in the campaign no more; contacts and leads by turns. */
function addPerson(
  organization: Organization,
  kind: 'lists' | 'tags',
  target: string,
  { email, state }: FakePerson,
): void {
  const [contacts = 0, leads = 0] = ['Contact', 'Lead'].map((name) => organization.table(name).length);
  const object = contacts > leads ? 'Lead' : 'Contact';
  const EmailBouncedDate = state === 'unclear' ? '2026-11-01T08:00:00.000+0000' : null;
  const { Id } = organization.add(object, { Email: email, LastName: 'Nilsson', EmailBouncedDate });
  if (state === 'unsubscribed') return;
  if (kind === 'lists') organization.add('CampaignMember', { CampaignId: target, [`${object}Id`]: Id });
  else organization.add('TopicAssignment', { TopicId: target, EntityId: Id });
}

function contents(
  organization: Organization,
): Pick<
  SalesforceFake,
  | 'addResources'
  | 'addContact'
  | 'addPeople'
  | 'fieldOf'
  | 'add'
  | 'addPersonAccount'
  | 'addField'
  | 'remove'
  | 'edit'
  | 'all'
  | 'records'
  | 'holds'
> {
  const all = (object: string) => organization.tables.get(object) ?? [];
  const records = (email: string) =>
    [...all('Contact'), ...all('Lead')].filter(({ Email = null }) => isEqual(Email, email));

  const addField: SalesforceFake['addField'] = (field) =>
    void organization.custom.push({ label: field.name, type: 'string', length: 255, ...field });

  return {
    all,
    records,
    addField,
    addPersonAccount(email) {
      const contact = organization.add('Contact', { Email: email, LastName: 'Nilsson' });
      const account = organization.add('Account', {
        IsPersonAccount: true,
        PersonContactId: contact.Id,
        PersonEmail: email,
        PersonHasOptedOutOfEmail: false,
      });
      return { account, contact };
    },
    addPeople: (kind, id, people) => people.forEach((person) => addPerson(organization, kind, id, person)),
    fieldOf: (email, { id }) => (records(email)[0]?.[id] as string | null | undefined) ?? null,
    remove: (id) => void organization.delete(id),
    edit(id, fields) {
      const object = ['Contact', 'Lead'].find((name) => all(name).some(({ Id }) => Id === id));
      const row = all(object ?? '').find(({ Id }) => Id === id);
      if (object === undefined || row === undefined) throw new Error(`No contact or lead has the id ${id}`);
      organization.change(object, row, fields);
    },
    add: (object, fields) => organization.add(object, fields),
    addContact: (email) => void organization.add('Contact', { Email: email, LastName: 'Nilsson' }),
    addResources(kind: ResourceKind, count: number): Resource[] {
      if (kind === 'fields') {
        return Array.from({ length: count }, () => {
          const name = `Field_${organization.nextId()}__c`;
          addField({ object: 'Contact', name, label: `Label of ${name}` });
          addField({ object: 'Lead', name, label: `Label of ${name}` });
          return { id: name, name: `Label of ${name}` };
        });
      }
      const object = kind === 'lists' ? 'Campaign' : kind === 'tags' ? 'Topic' : null;
      if (object === null) throw new Error(`Salesforce has no ${kind}`);
      return Array.from({ length: count }, () => {
        const name = `${object} ${organization.nextId()}`;
        return { id: organization.add(object, { Name: name }).Id, name };
      });
    },
    holds(email): Held | null {
      const people = records(email).filter(({ IsConverted }) => IsConverted !== true);
      if (people.length === 0) return null;
      const ids = new Set<unknown>(people.map(({ Id }) => Id));
      const members = all('CampaignMember').filter((row) => ids.has(row.ContactId) || ids.has(row.LeadId));
      const assignments = all('TopicAssignment').filter(({ EntityId }) => ids.has(EntityId));
      return {
        unsubscribed: people.every(({ HasOptedOutOfEmail }) => HasOptedOutOfEmail === true),
        lists: members.map(({ CampaignId }) => String(CampaignId)),
        tags: assignments.map(({ TopicId }) => String(TopicId)),
        suppression_groups: [],
        automations: [],
        funnels: [],
      };
    },
  };
}

function switches(
  organization: Organization,
): Pick<
  SalesforceFake,
  | 'secure'
  | 'switchOff'
  | 'failRows'
  | 'use'
  | 'endSessions'
  | 'allowLogIn'
  | 'forgetCursors'
  | 'setTime'
  | 'track'
> {
  return {
    forgetCursors: () => organization.cursors.clear(),
    secure: (field, how) => void organization.security.set(field, how),
    switchOff(object, isOff) {
      if (isOff) organization.off.add(object);
      else organization.off.delete(object);
    },
    failRows: (...failures) => void (organization.rowFailures = failures),
    use: (calls) => void (organization.used = calls),
    setTime: (time) => void (organization.now = time),
    track: (isTracked) => void (organization.isTracked = isTracked),
    endSessions: () => organization.tokens.clear(),
    allowLogIn: (isAllowed) => void (organization.canLogIn = isAllowed),
  };
}

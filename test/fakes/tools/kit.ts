import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KIT } from '#test/fakes/descriptions/kit.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakePerson, type FakeTool, startFakeServer } from './fake-tool.ts';
import { type FakeWebhook, FakeWebhooks } from './fake-webhooks.ts';

type State = 'active' | 'inactive' | 'cancelled' | 'bounced' | 'complained';

interface Subscriber {
  id: number;
  first_name: string | null;
  email_address: string;
  state: State;
  created_at: string;
  fields: Record<string, string | null>;
}

interface Named {
  id: number;
  name: string;
  created_at: string;
}

interface Account {
  subscribers: Subscriber[];
  tags: Named[];
  sequences: (Named & { active: boolean })[];
  fields: { id: number; name: string; key: string; label: string }[];
  /** By `tag:subscriber` and `sequence:subscriber`. */
  taggings: Set<string>;
  additions: Set<string>;
  /** So many reads by a filter do not see anybody yet. */
  lag: number;
  /** What becomes of a value for a field that is not there; the tool's own words differ. */
  unknownFields: 'refused' | 'ignored';
  webhooks: FakeWebhooks;
}

export interface KitFake extends FakeTool {
  webhooks: FakeWebhooks;
  oauth: LoginFake;
  /** What the person or the tool did there. */
  setState(email: string, state: State): void;
  stateOf(email: string): State | null;
  stopSequence(id: string): void;
  /** The next so many filtered lists of people are from before the last writes. */
  lag(reads: number): void;
  removeField(key: string): void;
  setUnknownFields(answer: 'refused' | 'ignored'): void;
}

const KEY = 'kit_9f8e7d6c5b4a39281706f5e4d3c2b1a0';
const CREATED = '2026-01-05T08:00:00Z';
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

type Params = Record<'tag' | 'sequence' | 'id', string>;
type Body = Record<string, unknown> | null;

const textIn = (body: unknown, name: string) => {
  const value = (body as Body)?.[name];
  return typeof value === 'string' ? value.trim() : '';
};

function personBy(account: Account, by: { email?: string; id?: string }): Subscriber | undefined {
  return account.subscribers.find((one) =>
    by.id === undefined
      ? one.email_address.toLowerCase() === by.email?.toLowerCase()
      : String(one.id) === by.id,
  );
}

function refuse(reply: FastifyReply, status: number, message: string) {
  return reply.code(status).send({ errors: [message] });
}

const notFound = (reply: FastifyReply) => refuse(reply, 404, 'Not Found');

const isCursor = (text: string) => /^\d+$/.test(Buffer.from(text, 'base64url').toString());

/** Cursors say where the page ended; a size beyond the largest is the largest. */
function page<T>(request: FastifyRequest, key: string, rows: T[]) {
  const query = request.query as Record<string, string | undefined>;
  const size = Math.min(Number(query.per_page ?? 500), 1000);
  const start = query.after === undefined ? 0 : Number(Buffer.from(query.after, 'base64url').toString());
  const part = rows.slice(start, start + size);
  const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
  return {
    [key]: part,
    pagination: {
      has_previous_page: start > 0,
      has_next_page: start + size < rows.length,
      start_cursor: part.length === 0 ? null : cursor(start),
      end_cursor: part.length === 0 ? null : cursor(start + part.length),
      per_page: size,
    },
  };
}

function create(account: Account, email: string, state: State): Subscriber {
  const made: Subscriber = {
    id: 1000 + account.subscribers.length,
    first_name: null,
    email_address: email,
    state,
    created_at: CREATED,
    fields: {},
  };
  account.subscribers.push(made);
  return made;
}

/** Every field of the account is there, if only as null. */
const told = (account: Account, person: Subscriber) => ({
  ...person,
  fields: Object.fromEntries(account.fields.map(({ key }) => [key, person.fields[key] ?? null])),
});

function addSubscriberRoutes(http: FastifyInstance, account: Account): void {
  http.get('/subscribers', (request) => {
    const query = request.query as Record<string, string | undefined>;
    const wanted = query.status ?? 'active';
    if (account.lag > 0) {
      account.lag -= 1;
      return page(request, 'subscribers', []);
    }
    const rows = account.subscribers.filter(
      (one) =>
        (wanted === 'all' || one.state === wanted) &&
        (query.email_address === undefined ||
          one.email_address.toLowerCase() === query.email_address.toLowerCase()),
    );
    return page(
      request,
      'subscribers',
      rows.map((one) => told(account, one)),
    );
  });

  http.post('/subscribers', (request, reply) => {
    const email = textIn(request.body, 'email_address');
    if (!EMAIL.test(email)) return refuse(reply, 422, 'Email address is invalid');
    const existing = personBy(account, { email });
    if (existing !== undefined) return reply.code(200).send({ subscriber: told(account, existing) });
    const state = textIn(request.body, 'state') === 'inactive' ? 'inactive' : 'active';
    return reply.code(201).send({ subscriber: told(account, create(account, email, state)) });
  });
}

function addSubscriberByIdRoutes(http: FastifyInstance, account: Account): void {
  http.get<{ Params: Params }>('/subscribers/:id', (request, reply) => {
    const person = personBy(account, { id: request.params.id });
    if (person === undefined) return notFound(reply);
    const canceled_at = person.state === 'cancelled' ? CREATED : null;
    return { subscriber: { ...told(account, person), canceled_at } };
  });

  http.put<{ Params: Params }>('/subscribers/:id', (request, reply) => {
    const person = personBy(account, { id: request.params.id });
    if (person === undefined) return notFound(reply);
    const email = textIn(request.body, 'email_address');
    if (!EMAIL.test(email)) return refuse(reply, 422, 'Email address is invalid');
    const other = personBy(account, { email });
    if (other !== undefined && other !== person) {
      return refuse(reply, 422, 'Email address has already been taken');
    }
    const { fields } = (request.body ?? {}) as { fields?: Record<string, string> };
    for (const [key, value] of Object.entries(fields ?? {})) {
      const isThere = account.fields.some((field) => field.key === key);
      if (isThere) person.fields[key] = value;
      else if (account.unknownFields === 'refused') return refuse(reply, 422, 'Custom field does not exist');
    }
    person.email_address = email;
    return { subscriber: told(account, person) };
  });

  http.post<{ Params: Params }>('/subscribers/:id/unsubscribe', (request, reply) => {
    const person = personBy(account, { id: request.params.id });
    if (person === undefined) return notFound(reply);
    person.state = 'cancelled';
    return reply.code(204).send();
  });

  http.get<{ Params: Params }>('/subscribers/:id/tags', (request, reply) => {
    const { id } = request.params;
    if (personBy(account, { id }) === undefined) return notFound(reply);
    const rows = account.tags.filter((tag) => account.taggings.has(`${tag.id}:${id}`));
    return page(
      request,
      'tags',
      rows.map(({ id: tag, name }) => ({ id: tag, name, tagged_at: CREATED })),
    );
  });
}

/** By address in the body or by id in the path, the person has to be there. */
function personOf(request: FastifyRequest, account: Account): Subscriber | undefined {
  const { id } = request.params as Params;
  return personBy(account, id === undefined ? { email: textIn(request.body, 'email_address') } : { id });
}

function addTagRoutes(http: FastifyInstance, account: Account): void {
  http.get('/tags', (request) =>
    page(
      request,
      'tags',
      account.tags.map((tag) => ({ ...tag, subscriber_count: 0 })),
    ),
  );

  http.post('/tags', (request, reply) => {
    const name = textIn(request.body, 'name');
    if (name === '') return refuse(reply, 422, "Name can't be blank");
    const existing = account.tags.find((tag) => tag.name.toLowerCase() === name.toLowerCase());
    if (existing !== undefined) return reply.code(200).send({ tag: existing });
    const tag = { id: 500 + account.tags.length, name, created_at: CREATED };
    account.tags.push(tag);
    return reply.code(201).send({ tag });
  });

  http.get<{ Params: Params }>('/tags/:tag/subscribers', (request, reply) => {
    const { tag } = request.params;
    if (!account.tags.some(({ id }) => String(id) === tag)) return notFound(reply);
    const query = request.query as Record<string, string | undefined>;
    if (query.after !== undefined && !isCursor(query.after)) return refuse(reply, 422, 'Invalid cursor');
    const wanted = query.status ?? 'active';
    const rows = account.subscribers.filter(
      ({ id, state }) => account.taggings.has(`${tag}:${id}`) && (wanted === 'all' || state === wanted),
    );
    return page(
      request,
      'subscribers',
      rows.map((one) => ({ ...told(account, one), tagged_at: CREATED })),
    );
  });

  for (const url of ['/tags/:tag/subscribers', '/tags/:tag/subscribers/:id']) {
    http.post(url, (request, reply) => {
      const { tag } = request.params as Params;
      const person = personOf(request, account);
      const isThere = account.tags.some(({ id }) => String(id) === tag);
      if (!isThere || person === undefined) return notFound(reply);
      const key = `${tag}:${person.id}`;
      const had = account.taggings.has(key);
      account.taggings.add(key);
      return reply
        .code(had ? 200 : 201)
        .send({ subscriber: { ...told(account, person), tagged_at: CREATED } });
    });
  }

  http.delete('/tags/:tag/subscribers/:id', (request, reply) => {
    const { tag } = request.params as Params;
    const person = personOf(request, account);
    if (person === undefined || !account.taggings.delete(`${tag}:${person.id}`)) return notFound(reply);
    return reply.code(204).send();
  });
}

function addSequenceRoutes(http: FastifyInstance, account: Account): void {
  http.get('/sequences', (request) =>
    page(
      request,
      'sequences',
      account.sequences.map((sequence) => ({
        ...sequence,
        hold: false,
        repeat: false,
        updated_at: sequence.created_at,
        email_address: null,
        email_template_id: null,
        send_days: ['monday'],
        send_hour: 11,
        time_zone: 'America/New_York',
        exclude_subscriber_sources: [],
        email_count: 0,
        subscriber_count: 0,
      })),
    ),
  );
  http.get('/custom_fields', (request) => page(request, 'custom_fields', account.fields));

  http.post('/sequences/:sequence/subscribers/:id', (request, reply) => {
    const { sequence: id } = request.params as Params;
    const sequence = account.sequences.find((one) => String(one.id) === id);
    const person = personOf(request, account);
    if (sequence === undefined || person === undefined) return notFound(reply);
    if (!sequence.active) return refuse(reply, 422, 'Sequence is inactive');
    const key = `${id}:${person.id}`;
    const had = account.additions.has(key);
    account.additions.add(key);
    const subscriber = { ...told(account, person), added_at: CREATED };
    return reply.code(had ? 200 : 201).send({ subscriber });
  });
}

function addWebhookRoutes(http: FastifyInstance, { webhooks }: Account): void {
  type Of = { Params: { id: string } };
  const json = ({ id, url, events, isOff, told }: FakeWebhook) => ({
    id: Number(id),
    url,
    events,
    status: isOff ? 'disabled' : 'active',
    ...told,
    created_at: CREATED,
  });
  http.get('/webhook_endpoints', (request) => page(request, 'webhook_endpoints', webhooks.all.map(json)));
  http.post('/webhook_endpoints', (request, reply) => {
    const {
      url,
      events,
      name = '',
      description = '',
    } = request.body as Record<string, string> & {
      events: string[];
    };
    const secret = `whsec_${'0123456789abcdef'.repeat(2)}${webhooks.all.length}`;
    const told = { name, description };
    const made = webhooks.add({ url: String(url), events, secret, told }, (number) => String(7000 + number));
    return reply.code(201).send({ webhook_endpoint: { ...json(made), secret } });
  });
  http.patch<Of>('/webhook_endpoints/:id', (request, reply) => {
    const webhook = webhooks.find(request.params.id);
    if (webhook === undefined) return notFound(reply);
    const { events = webhook.events, status } = request.body as { events?: string[]; status?: string };
    webhook.events = events.toSorted();
    if (status !== undefined) webhook.isOff = status === 'disabled';
    return { webhook_endpoint: json(webhook) };
  });
  http.delete<Of>('/webhook_endpoints/:id', (request, reply) =>
    webhooks.remove(request.params.id) ? reply.code(204).send() : notFound(reply),
  );
}

const login = () =>
  new LoginFake({
    authorizePath: '/v4/oauth/authorize',
    tokenPath: '/v4/oauth/token',
    demands: { response_type: 'code' },
    scopes: { separator: ' ', known: ['read', 'write'] },
    pkce: 'unknown',
    reads: 'json',
    refresh: { rotates: true, demandsClient: true, demandsRedirect: true },
    life: { seconds: 7200, told: true },
    alsoAnswers: () => ({ scope: 'read write', created_at: 1_764_000_000 }),
  });

function addRoutes(http: FastifyInstance, account: Account, oauth: LoginFake): void {
  http.setNotFoundHandler((_request, reply) => notFound(reply));
  http.addHook('onRequest', async (request, reply) => {
    if (oauth.isOpen(request.url) || oauth.isGood(request.headers.authorization)) return;
    const isBulk = request.url.startsWith('/bulk/');
    if (request.headers['x-kit-api-key'] === KEY && !isBulk) return;
    return refuse(reply, 401, 'The access token is invalid');
  });
  oauth.addRoutes(http);
  http.get('/account', () => ({
    user: { email: 'owner@example.com', id: 27 },
    account: {
      id: 27,
      name: 'Nora Letters',
      plan_type: 'creator',
      primary_email_address: 'owner@example.com',
      created_at: CREATED,
      timezone: {
        name: 'America/New_York',
        friendly_name: 'Eastern Time (US & Canada)',
        utc_offset: '-05:00',
      },
      sending_addresses: [
        {
          email_address: 'owner@example.com',
          from_name: 'Nora',
          status: 'confirmed',
          is_default: true,
          is_verified: true,
          is_dmarc_configured: true,
        },
      ],
    },
  }));
  addSubscriberRoutes(http, account);
  addSubscriberByIdRoutes(http, account);
  addTagRoutes(http, account);
  addSequenceRoutes(http, account);
  addWebhookRoutes(http, account);
}

/** One of a kind, as the connector should give it. */
function addResource(account: Account, kind: string) {
  if (kind === 'tags') {
    const tag = { id: 500 + account.tags.length, name: `Tag ${account.tags.length}`, created_at: CREATED };
    account.tags.push(tag);
    return { id: String(tag.id), name: tag.name };
  }
  if (kind === 'funnels') {
    const { length } = account.sequences;
    const sequence = { id: 90_000 + length, name: `Sequence ${length}`, created_at: CREATED, active: true };
    account.sequences.push(sequence);
    return { id: String(sequence.id), name: sequence.name };
  }
  if (kind !== 'fields') throw new Error(`ConvertKit has no ${kind}`);
  const id = account.fields.length + 1;
  const key = `field_${id}`;
  account.fields.push({ id, name: `ck_field_${id}_${key}`, key, label: `Field ${id}` });
  return { id: key, name: `Field ${id}` };
}

const STATE_OF = { subscribed: 'active', unsubscribed: 'cancelled', unclear: 'inactive' } as const;

function addPeople(account: Account, kind: string, tag: string, people: readonly FakePerson[]): void {
  if (kind !== 'tags') throw new Error('ConvertKit has no lists');
  for (const { email, state } of people) {
    account.taggings.add(`${tag}:${create(account, email, STATE_OF[state]).id}`);
  }
}

const idsOf = (pairs: Set<string>, person: Subscriber) =>
  [...pairs].filter((pair) => pair.endsWith(`:${person.id}`)).map((pair) => pair.slice(0, pair.indexOf(':')));

export async function startKitFake(): Promise<KitFake> {
  const account: Account = {
    subscribers: [],
    tags: [],
    sequences: [],
    fields: [],
    taggings: new Set(),
    additions: new Set(),
    lag: 0,
    unknownFields: 'ignored',
    webhooks: new FakeWebhooks(),
  };
  const oauth = login();
  const server = await startFakeServer((http) => addRoutes(http, account, oauth), {
    written: KIT,
    isOutside: (url) => oauth.isOpen(url),
    refuse: ({ kind, problems }) =>
      kind === 'unknown path'
        ? { status: 404, body: { errors: ['Not Found'] } }
        : { status: 422, body: { errors: problems } },
  });
  return {
    ...server,
    oauth,
    credentials: { api_key: KEY },
    wrongCredentials: { api_key: 'kit_0000000000000000000000000000dead' },
    accountName: 'Nora Letters',
    webhooks: account.webhooks,
    addResources: (kind, count) => Array.from({ length: count }, () => addResource(account, kind)),
    addContact: (email) => void create(account, email, 'active'),
    addPeople: (kind, id, people) => addPeople(account, kind, id, people),
    fieldOf: (email, field) => personBy(account, { email })?.fields[field.id] ?? null,
    holds(email) {
      const person = personBy(account, { email });
      if (person === undefined) return null;
      return {
        unsubscribed: ['cancelled', 'complained', 'bounced'].includes(person.state),
        lists: [],
        tags: idsOf(account.taggings, person),
        suppression_groups: [],
        automations: [],
        funnels: idsOf(account.additions, person),
      };
    },
    setState(email, state) {
      const person = personBy(account, { email });
      if (person !== undefined) person.state = state;
    },
    stateOf: (email) => personBy(account, { email })?.state ?? null,
    stopSequence(id) {
      const sequence = account.sequences.find((one) => String(one.id) === id);
      if (sequence !== undefined) sequence.active = false;
    },
    lag: (reads) => void (account.lag = reads),
    removeField(key) {
      account.fields = account.fields.filter((field) => field.key !== key);
    },
    setUnknownFields: (answer) => void (account.unknownFields = answer),
  };
}

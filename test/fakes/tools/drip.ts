import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { DRIP } from '#test/fakes/descriptions/drip.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakePerson, type FakeTool, startFakeServer } from './fake-tool.ts';
import { type FakeWebhook, FakeWebhooks } from './fake-webhooks.ts';

interface Subscriber {
  id: string;
  href: string;
  first_name: string | null;
  last_name: string | null;
  time_zone: string | null;
  sms_number: string | null;
  sms_consent: boolean | null;
  user_id: string | null;
  created_at: string;
  email: string;
  status: string;
  tags: string[];
  custom_fields: Record<string, string>;
  eu_consent: string;
}

interface Subscription {
  id: string;
  campaign_id: string;
  subscriber: string;
  status: string;
  is_complete: boolean;
  lap: number;
  last_sent_email_at: string | null;
  last_sent_email_index: number | null;
}

interface Account {
  nextId: number;
  marketingOnly: boolean;
  subscribers: Subscriber[];
  campaigns: { id: string; name: string; status: string; double_optin: boolean }[];
  workflows: { id: string; name: string; status: string }[];
  tags: Set<string>;
  fields: string[];
  subscriptions: Subscription[];
  /** By the ids of people. */
  consentMessages: Map<string, string>;
  inWorkflows: { workflow: string; subscriber: string }[];
  webhooks: FakeWebhooks;
}

export interface DripFake extends FakeTool {
  oauth: LoginFake;
  /** Through the link in a mail: from all. */
  unsubscribesByLink(email: string): void;
  /** Through the link in a mail of the campaign. */
  leavesByLink(email: string, campaign: string): void;
  /** So many mails of the campaign have gone out. */
  receives(email: string, campaign: string, mails: number): void;
  pause(workflow: string): void;
  /** From now on the campaign asks whoever joins it. */
  asksToConfirm(campaign: string): void;
  /** An account for email marketing only: contacts who unsubscribe are inactive. */
  setMarketingOnly(on: boolean): void;
  denyConsent(email: string): void;
  consentOf(email: string): { eu_consent: string | undefined; message: string | undefined };
  removeField(field: Resource): void;
}

const ACCOUNT = '9999999';
const TOKEN = 'f4ke0f4ke0f4ke0f4ke0f4ke0f4ke0aa';
const AUTHORIZATION = `Basic ${Buffer.from(`${TOKEN}:`).toString('base64')}`;

const failure = (code: string, message: string, attribute?: string) => ({
  errors: [{ code, attribute, message }],
});
const absent = (reply: FastifyReply) =>
  reply.code(404).send(failure('not_found_error', 'The resource you requested was not found'));
const inactive = (reply: FastifyReply) =>
  reply.code(422).send(failure('unavailable_error', 'The person is inactive'));
const missing = (reply: FastifyReply, what: string) =>
  reply.code(422).send(failure('presence_error', `${what} is required`, what));

const MADE = '2026-03-01T08:30:00Z';
const hrefOf = (path: string) => `https://api.getdrip.com/v2/${ACCOUNT}/${path}`;

const newId = (account: Account) => String((account.nextId += 1));
const sameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function find(account: Account, idOrEmail: string): Subscriber | undefined {
  return account.subscribers.find(({ id, email }) => id === idOrEmail || sameAddress(email, idOrEmail));
}

function add(account: Account, email: string, status = 'active'): Subscriber {
  const id = newId(account);
  const person = {
    id,
    href: hrefOf(`subscribers/${id}`),
    status,
    email,
    first_name: null,
    last_name: null,
    time_zone: 'America/Los_Angeles',
    sms_number: null,
    sms_consent: null,
    user_id: null,
    eu_consent: 'unknown',
    custom_fields: {},
    tags: [],
    created_at: MADE,
  };
  account.subscribers.push(person);
  return person;
}

const isInactive = (account: Account, person: Subscriber | undefined) =>
  account.marketingOnly && person !== undefined && person.status !== 'active';

const params = (request: FastifyRequest) => request.params as Record<string, string>;
const query = (request: FastifyRequest) => request.query as Record<string, string | undefined>;

/** The one in the envelope, which is always a plural. */
function inside(request: FastifyRequest, key: string): Record<string, unknown> | null {
  const rows = ((request.body ?? {}) as Record<string, unknown>)[key];
  return Array.isArray(rows) && rows.length === 1 ? (rows[0] as Record<string, unknown>) : null;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

function page<T>(request: FastifyRequest, key: string, rows: T[], size = 100) {
  const number = Number(query(request)['page'] ?? 1);
  const found = rows.slice((number - 1) * size, number * size);
  return {
    links: {},
    meta: {
      page: number,
      count: found.length,
      total_pages: Math.ceil(rows.length / size),
      total_count: rows.length,
    },
    [key]: found,
  };
}

const answer = (person: Subscriber) => ({ links: {}, subscribers: [person] });

function putThings(http: FastifyInstance, account: Account): void {
  const ofStatus = <T extends { status: string }>(request: FastifyRequest, rows: T[]) => {
    const { status = 'all' } = query(request);
    return status === 'all' ? rows : rows.filter((row) => row.status === status);
  };
  http.get('/campaigns', (request) => {
    const rows = ofStatus(request, account.campaigns).map((one) => ({
      ...one,
      href: hrefOf(`campaigns/${one.id}`),
      from_name: null,
      email_count: 3,
      active_subscriber_count: account.subscriptions.filter(
        ({ campaign_id, status }) => campaign_id === one.id && status === 'active',
      ).length,
      created_at: MADE,
    }));
    return page(request, 'campaigns', rows);
  });
  http.get('/workflows', (request) => {
    const rows = ofStatus(request, account.workflows).map((one) => ({
      ...one,
      href: hrefOf(`workflows/${one.id}`),
      created_at: MADE,
    }));
    return page(request, 'workflows', rows);
  });
  http.get('/tags', () => ({ tags: [...account.tags] }));
  http.get('/custom_field_identifiers', () => ({ custom_field_identifiers: account.fields }));
}

function change(account: Account, person: Subscriber, fields: Record<string, unknown>): void {
  person.status = textOf(fields['status']) ?? person.status;
  person.email = textOf(fields['new_email']) ?? person.email;
  const taken = new Set(textsOf(fields['remove_tags']));
  const tags = [...person.tags, ...textsOf(fields['tags'])].filter((tag) => !taken.has(tag));
  person.tags = [...new Set(tags)];
  for (const tag of person.tags) account.tags.add(tag);
  for (const [name, value] of Object.entries((fields['custom_fields'] ?? {}) as Record<string, string>)) {
    // One that is not there is made.
    if (!account.fields.includes(name)) account.fields.push(name);
    person.custom_fields[name] = value;
  }
}

function putSubscribers(http: FastifyInstance, account: Account): void {
  http.post('/subscribers', (request, reply) => {
    const fields = inside(request, 'subscribers');
    const key = textOf(fields?.['id']) ?? textOf(fields?.['email']);
    if (fields === null || key === undefined) return missing(reply, 'email');
    const known = find(account, key);
    if (isInactive(account, known)) return inactive(reply);
    const newEmail = textOf(fields['new_email']);
    const holder = newEmail === undefined ? undefined : find(account, newEmail);
    if (holder !== undefined && holder !== known) {
      return reply.code(422).send(failure('uniqueness_error', 'Email is already taken', 'new_email'));
    }
    if (known === undefined && !key.includes('@')) return absent(reply);
    // An unknown old address makes a person of the new one.
    const person = known ?? add(account, newEmail ?? key, textOf(fields['initial_status']));
    change(account, person, fields);
    return answer(person);
  });
  http.get('/subscribers', (request) => {
    const { status = 'active', tags, per_page: size = '100' } = query(request);
    const wanted = tags?.split(',');
    const found = account.subscribers.filter(
      (one) =>
        (status === 'all' || one.status === status) &&
        (wanted === undefined || wanted.some((tag) => one.tags.includes(tag))),
    );
    return page(request, 'subscribers', found, Math.min(Number(size), 1000));
  });
  http.get('/subscribers/:key', (request, reply) => {
    const person = find(account, params(request)['key'] ?? '');
    return person === undefined ? absent(reply) : answer(person);
  });
  http.delete('/subscribers/:key', (request, reply) => {
    const person = find(account, params(request)['key'] ?? '');
    if (person === undefined) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    account.subscribers = account.subscribers.filter((one) => one !== person);
    account.subscriptions = account.subscriptions.filter(({ subscriber }) => subscriber !== person.id);
    account.inWorkflows = account.inWorkflows.filter(({ subscriber }) => subscriber !== person.id);
    return reply.code(204).send();
  });
  http.post('/subscribers/:key/unsubscribe_all', (request, reply) => {
    const person = find(account, params(request)['key'] ?? '');
    if (person === undefined) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    person.status = 'unsubscribed';
    return answer(person);
  });
}

function putTags(http: FastifyInstance, account: Account): void {
  http.post('/tags', (request, reply) => {
    const fields = inside(request, 'tags');
    const [email, tag] = [textOf(fields?.['email']), textOf(fields?.['tag'])];
    if (email === undefined || tag === undefined) return missing(reply, 'tag');
    const person = find(account, email);
    if (person === undefined) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    change(account, person, { tags: [tag] });
    return reply.code(201).send({});
  });
  http.delete('/subscribers/:key/tags/:tag', (request, reply) => {
    const { key = '', tag } = params(request);
    const person = find(account, key);
    if (person === undefined) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    change(account, person, { remove_tags: [tag] });
    return reply.code(204).send();
  });
}

function putCampaigns(http: FastifyInstance, account: Account): void {
  http.get('/subscribers/:key/campaign_subscriptions', (request, reply) => {
    const person = find(account, params(request)['key'] ?? '');
    if (person === undefined) return absent(reply);
    const theirs = account.subscriptions
      .filter(({ subscriber }) => subscriber === person.id)
      .map(({ subscriber: _, ...one }) => one);
    return page(request, 'campaign_subscriptions', theirs);
  });
  http.post('/subscribers/:key/remove', (request, reply) => {
    const person = find(account, params(request)['key'] ?? '');
    if (person === undefined) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    const { campaign_id: campaign } = query(request);
    for (const one of account.subscriptions) {
      const isMeant = campaign === undefined || campaign === one.campaign_id;
      if (one.subscriber === person.id && isMeant) one.status = 'removed';
    }
    return answer(person);
  });
}

function putJoining(http: FastifyInstance, account: Account): void {
  http.post('/campaigns/:id/subscribers', (request, reply) => {
    const campaign = account.campaigns.find(({ id }) => id === params(request)['id']);
    const fields = inside(request, 'subscribers');
    const email = textOf(fields?.['email']);
    if (campaign === undefined) return absent(reply);
    if (fields === null || email === undefined) return missing(reply, 'email');
    const person = find(account, email) ?? add(account, email);
    if (isInactive(account, person)) return inactive(reply);
    const known = account.subscriptions.find(
      (one) => one.subscriber === person.id && one.campaign_id === campaign.id,
    );
    const isBack = known !== undefined && known.status !== 'active';
    if (isBack && fields['reactivate_if_removed'] === false) {
      return reply.code(422).send(failure('unavailable_error', 'The person was removed', 'email'));
    }
    // It brings people back from an unsubscribe without a word.
    person.status = 'active';
    if (typeof fields['eu_consent'] === 'string') {
      person.eu_consent = fields['eu_consent'];
      // Drip keeps it, and tells it to nobody.
      account.consentMessages.set(person.id, textOf(fields['eu_consent_message']) ?? '');
    }
    const isAsked = (fields['double_optin'] ?? campaign.double_optin) === true;
    const status = isAsked ? 'unconfirmed' : 'active';
    const first = Number(fields['starting_email_index'] ?? 0);
    const last_sent_email_index = first > 0 ? first - 1 : null;
    if (known) known.status = status;
    else {
      const joined = { campaign_id: campaign.id, subscriber: person.id, status, last_sent_email_index };
      account.subscriptions.push({
        id: newId(account),
        is_complete: false,
        lap: 1,
        last_sent_email_at: null,
        ...joined,
      });
    }
    return reply.code(201).send(answer(person));
  });
}

function putWorkflows(http: FastifyInstance, account: Account): void {
  http.post('/workflows/:id/subscribers', (request, reply) => {
    const workflow = account.workflows.find(({ id }) => id === params(request)['id']);
    if (workflow === undefined) return absent(reply);
    const email = textOf(inside(request, 'subscribers')?.['email']);
    if (email === undefined) return missing(reply, 'email');
    const person = find(account, email);
    if (person === undefined) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    const isIn = account.inWorkflows.some(
      (one) => one.workflow === workflow.id && one.subscriber === person.id,
    );
    // One that is not active ignores it.
    if (workflow.status === 'active' && !isIn) {
      account.inWorkflows.push({ workflow: workflow.id, subscriber: person.id });
    }
    return answer(person);
  });
  http.delete('/workflows/:id/subscribers/:key', (request, reply) => {
    const { id, key = '' } = params(request);
    const person = find(account, key);
    if (person === undefined || !account.workflows.some((one) => one.id === id)) return absent(reply);
    if (isInactive(account, person)) return inactive(reply);
    account.inWorkflows = account.inWorkflows.filter(
      (one) => one.workflow !== id || one.subscriber !== person.id,
    );
    return reply.code(204).send();
  });
}

function putWebhooks(http: FastifyInstance, { webhooks }: Account): void {
  const json = ({ id, url, events, told }: FakeWebhook) => ({
    id,
    href: hrefOf(`webhooks/${id}`),
    post_url: url,
    version: '2',
    include_received_email: told['include_received_email'] === true,
    events,
    created_at: MADE,
  });
  http.get('/webhooks', () => ({ links: {}, webhooks: webhooks.all.map(json) }));
  http.post('/webhooks', (request, reply) => {
    const { post_url: url, events, ...told } = inside(request, 'webhooks') ?? {};
    const made = webhooks.add({ url: String(url), events: textsOf(events), told });
    return reply.code(201).send({ links: {}, webhooks: [json(made)] });
  });
  http.delete('/webhooks/:id', (request, reply) =>
    webhooks.remove(params(request)['id'] ?? '') ? reply.code(204).send() : absent(reply),
  );
}

function addResource(account: Account, kind: ResourceKind): Resource {
  const id = newId(account);
  const name = `${kind} ${id}`;
  if (kind === 'funnels') account.campaigns.push({ id, name, status: 'active', double_optin: false });
  if (kind === 'automations') account.workflows.push({ id, name, status: 'active' });
  if (kind === 'tags') account.tags.add(name);
  if (kind === 'fields') account.fields.push(name);
  return kind === 'funnels' || kind === 'automations' ? { id, name } : { id: name, name };
}

const STATUS_OF = { subscribed: 'active', unsubscribed: 'unsubscribed', unclear: 'undeliverable' } as const;

function addPerson(account: Account, kind: string, tag: string, person: FakePerson): void {
  if (kind !== 'tags') throw new Error('Drip has no lists');
  change(account, add(account, person.email, STATUS_OF[person.state]), { tags: [tag] });
}

function holds(account: Account, email: string) {
  const person = find(account, email);
  if (person === undefined) return null;
  return {
    unsubscribed: person.status !== 'active',
    lists: [],
    tags: [...person.tags],
    suppression_groups: [],
    automations: account.inWorkflows
      .filter(({ subscriber }) => subscriber === person.id)
      .map(({ workflow }) => workflow),
    funnels: account.subscriptions
      .filter(({ subscriber, status }) => subscriber === person.id && status === 'active')
      .map((one) => one.campaign_id),
  };
}

const login = () =>
  new LoginFake({
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/token',
    demands: { response_type: 'code' },
    scopes: null,
    pkce: 'unknown',
    reads: 'query',
    refresh: null,
    life: { seconds: 0, told: false },
    alsoAnswers: () => ({ scope: 'public' }),
  });

const accountRow = (id: string, name: string) => ({
  id,
  name,
  url: 'www.acme.example',
  primary_email_address: 'nora@acme.example',
  default_from_email: 'news@acme.example',
  href: `https://api.getdrip.com/v2/accounts/${id}`,
});

function putAll(http: FastifyInstance, account: Account, oauth: LoginFake): void {
  oauth.addRoutes(http);
  http.addHook('preHandler', async (request, reply) => {
    if (oauth.isOpen(request.url)) return;
    const { authorization } = request.headers;
    if (authorization !== AUTHORIZATION && !oauth.isGood(authorization)) {
      return reply.code(401).send(failure('authentication_error', 'Your credentials could not be verified'));
    }
    const { account: of = ACCOUNT } = params(request);
    if (of === ACCOUNT) return;
    return reply.code(403).send(failure('authorization_error', 'You are not authorized'));
  });
  http.setNotFoundHandler((_request, reply) => absent(reply));
  void http.register(
    async (api) => {
      api.get('/accounts', () => ({
        links: {},
        accounts: [accountRow('1111111', 'Another of the same owner'), accountRow(ACCOUNT, 'Acme, Inc.')],
      }));
      await api.register(
        async (below) => {
          putThings(below, account);
          putSubscribers(below, account);
          putTags(below, account);
          putCampaigns(below, account);
          putJoining(below, account);
          putWorkflows(below, account);
          putWebhooks(below, account);
        },
        { prefix: '/:account' },
      );
    },
    { prefix: '/v2' },
  );
}

/** An account of Drip, REST API v2. */
export async function startDripFake(): Promise<DripFake> {
  const account: Account = {
    nextId: 1000,
    marketingOnly: false,
    subscribers: [],
    campaigns: [],
    workflows: [],
    tags: new Set(),
    fields: ['first_name'],
    subscriptions: [],
    consentMessages: new Map(),
    inWorkflows: [],
    webhooks: new FakeWebhooks(),
  };
  const oauth = login();
  const server = await startFakeServer((http) => putAll(http, account, oauth), {
    written: DRIP,
    basePath: '/v2',
    isOutside: (url) => oauth.isOpen(url),
    refuse: ({ kind, problems: [message = ''] }) =>
      kind === 'unknown path'
        ? { status: 404, body: failure('not_found_error', 'The resource you requested was not found') }
        : { status: 422, body: failure('format_error', message) },
  });
  const subscriptionOf = (email: string, campaign: string) => {
    const subscriber = find(account, email)?.id;
    return account.subscriptions.find((one) => one.subscriber === subscriber && one.campaign_id === campaign);
  };

  return {
    ...server,
    oauth,
    url: `${server.url}/v2/${ACCOUNT}`,
    credentials: { api_token: TOKEN, account_id: ACCOUNT },
    wrongCredentials: { api_token: 'wr0ngwr0ngwr0ngwr0ngwr0ngwr0ng00', account_id: ACCOUNT },
    accountName: 'Acme, Inc.',
    webhooks: account.webhooks,
    addResources: (kind, count) => Array.from({ length: count }, () => addResource(account, kind)),
    addContact: (email) => void add(account, email),
    addPeople(kind, id, people) {
      for (const person of people) addPerson(account, kind, id, person);
    },
    fieldOf: (email, field) => find(account, email)?.custom_fields[field.id] ?? null,
    holds: (email) => holds(account, email),
    unsubscribesByLink(email) {
      const person = find(account, email) ?? add(account, email);
      person.status = 'unsubscribed';
    },
    leavesByLink(email, campaign) {
      const subscription = subscriptionOf(email, campaign);
      if (subscription !== undefined) subscription.status = 'unsubscribed';
    },
    receives(email, campaign, mails) {
      const subscription = subscriptionOf(email, campaign);
      if (subscription !== undefined) subscription.last_sent_email_index = mails - 1;
    },
    pause(workflow) {
      for (const one of account.workflows) if (one.id === workflow) one.status = 'paused';
    },
    asksToConfirm(campaign) {
      for (const one of account.campaigns) if (one.id === campaign) one.double_optin = true;
    },
    consentOf(email) {
      const person = find(account, email);
      return { eu_consent: person?.eu_consent, message: account.consentMessages.get(person?.id ?? '') };
    },
    setMarketingOnly(on) {
      account.marketingOnly = on;
    },
    denyConsent(email) {
      const person = find(account, email);
      if (person !== undefined) person.eu_consent = 'denied';
    },
    removeField(field) {
      account.fields = account.fields.filter((name) => name !== field.id);
    },
  };
}

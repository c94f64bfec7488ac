import type { FastifyInstance, FastifyReply } from 'fastify';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { type FakeTool, startFakeServer } from './fake-tool.ts';
import { type FakeWebhook, FakeWebhooks } from './fake-webhooks.ts';

const API_KEY = 'SG.fakeKeyId0123456789ab.fakeSecret0123456789abcdefghijklmnopqrstuvw';
const IDENTIFIERS = ['phone_number_id', 'external_id', 'anonymous_id'] as const;
const PLAIN_FIELDS = [
  'first_name',
  'last_name',
  'address_line_1',
  'address_line_2',
  'city',
  'state_province_region',
  'postal_code',
  'country',
];

export interface SendgridContact {
  id: string;
  email: string;
  listIds: string[];
  alternateEmails: string[];
  /** Plain fields and identifiers. */
  values: Record<string, string>;
  /** By the ids of the fields. */
  custom: Record<string, unknown>;
}

const BOOKED = {
  spam_reports: { ip: '203.0.113.7' },
  bounces: { reason: '550 5.1.1 no such mailbox', status: '5.1.1' },
};

interface Job {
  type: 'upsert' | 'delete';
  status: 'pending' | 'completed' | 'errored' | 'failed';
  /** All of it is stored, though its status does not say so; recorded on 2026-07-15, 33 s after the call. */
  isStored?: boolean;
  /** @returns how it ended */
  work(): Job['status'];
}

type Fate = 'failed' | 'late' | 'stored' | 'untold';

export interface SendgridFake extends FakeTool {
  /** Their secret is the key that verifies them. */
  webhooks: FakeWebhooks;
  contact(email: string): SendgridContact | undefined;
  suppress(book: 'global' | 'spam_reports' | 'bounces', email: string): void;
  /** With the link in a mail of that group. */
  suppressIn(groupId: string, email: string): void;
  deleteGroup(id: string): void;
  addField(id: string, name: string, type?: 'Text' | 'Number' | 'Date'): void;
  /** What becomes of the next job: it fails, it waits for `finishJobs`, or it is not told of. */
  nextJob(fate: Fate): void;
  /** Does the jobs that are late, in their order. */
  finishJobs(): void;
  /** From now on the search of contacts tells what is true now, until it is thawed. */
  freezeSearch(frozen: boolean): void;
  /** What the key may not see. */
  forbid(prefix: string | null): void;
  company(name: string): void;
}

const lower = (email: string) => email.toLowerCase();
const fail = (reply: FastifyReply, status: number, message: string, field: string | null = null) =>
  reply.code(status).send({ errors: [{ field, message }] });

class Account {
  contacts = new Map<string, SendgridContact>();
  readonly webhooks = new FakeWebhooks();
  frozen: Map<string, SendgridContact> | null = null;
  lists: { id: string; name: string }[] = [];
  groups: { id: number; name: string; description: string; is_default: boolean }[] = [];
  fields: { id: string; name: string; field_type: string }[] = [];
  groupMembers = new Map<number, Set<string>>();
  books = { global: new Set<string>(), spam_reports: new Set<string>(), bounces: new Set<string>() };
  jobs = new Map<string, Job>();
  fates: Fate[] = [];
  late: (() => void)[] = [];
  forbidden: string | null = null;
  company = 'Acme Letters';
  private count = 0;

  add(email: string): SendgridContact {
    const contact = {
      id: randomUUID(),
      email: lower(email),
      listIds: [],
      alternateEmails: [],
      values: {},
      custom: {},
    };
    this.contacts.set(lower(email), contact);
    return contact;
  }

  groupOf(id: string) {
    return this.groups.find((group) => String(group.id) === id);
  }

  suppress(groupId: string, emails: string[]): void {
    const group = this.groupOf(groupId);
    const members = group ? this.groupMembers.get(group.id) : this.books.global;
    for (const email of emails) members?.add(lower(email));
  }

  /** @param work tells of each row whether it was stored */
  accept(type: Job['type'], work: () => boolean[]): { job_id: string } {
    const id = `job-${(this.count += 1)}`;
    const fate = this.fates.shift();
    const finish = () => {
      const rows = work();
      return rows.every(Boolean) ? 'completed' : rows.some(Boolean) ? 'errored' : 'failed';
    };
    if (fate === 'untold') finish();
    else if (fate === 'stored') {
      const isStored = finish() === 'completed';
      this.jobs.set(id, { type, status: 'pending', isStored, work: () => 'pending' });
    } else if (fate === 'failed') this.jobs.set(id, { type, status: 'pending', work: () => 'failed' });
    else if (fate === 'late') {
      const job: Job = { type, status: 'pending', work: () => 'pending' };
      this.jobs.set(id, job);
      this.late.push(() => (job.status = finish()));
    } else this.jobs.set(id, { type, status: 'pending', work: finish });
    return { job_id: id };
  }

  upsert(asked: Record<string, unknown>, listIds: string[]): boolean {
    const email = lower(String(asked['email']));
    const others = [...this.contacts.values()].filter((one) => one.email !== email);
    const isTaken = others.some(
      ({ values, alternateEmails }) =>
        alternateEmails.includes(email) ||
        IDENTIFIERS.some((name) => values[name] && values[name] === asked[name]),
    );
    const known = this.contacts.get(email);
    const isIncomplete = IDENTIFIERS.some(
      (name) => known?.values[name] && known.values[name] !== asked[name],
    );
    if (isTaken || isIncomplete) return false;
    const contact = known ?? this.add(email);
    for (const name of [...PLAIN_FIELDS, ...IDENTIFIERS]) {
      const value = asked[name];
      if (typeof value === 'string') contact.values[name] = value;
    }
    Object.assign(contact.custom, asked['custom_fields']);
    if (Array.isArray(asked['alternate_emails']))
      contact.alternateEmails = asked['alternate_emails'].map(String);
    contact.listIds = [...new Set([...contact.listIds, ...listIds])];
    return true;
  }

  search(email: string): SendgridContact | undefined {
    const all = [...(this.frozen ?? this.contacts).values()];
    return all.find((one) => one.email === lower(email) || one.alternateEmails.includes(lower(email)));
  }

  told({ id, email, listIds, alternateEmails, values, custom }: SendgridContact) {
    const named = this.fields.filter((field) => field.id in custom);
    return {
      ...Object.fromEntries([...PLAIN_FIELDS, ...IDENTIFIERS].map((name) => [name, values[name] ?? ''])),
      id,
      email,
      alternate_emails: alternateEmails,
      list_ids: listIds,
      segment_ids: [],
      custom_fields: Object.fromEntries(named.map((field) => [field.name, custom[field.id]])),
      created_at: '2026-11-01T10:00:00Z',
      updated_at: '2026-11-01T10:00:00Z',
    };
  }
}

function accountRoutes(http: FastifyInstance, account: Account): void {
  http.addHook('preHandler', async (request, reply) => {
    if (request.headers.authorization !== `Bearer ${API_KEY}`)
      return fail(reply, 401, 'authorization required');
    if (account.forbidden !== null && request.url.startsWith(account.forbidden)) {
      return fail(reply, 403, 'access forbidden');
    }
  });
  http.setNotFoundHandler((_request, reply) => fail(reply, 404, 'not found'));
  http.get('/v3/scopes', () => ({ scopes: ['asm.groups.read', 'marketing.read'] }));
  http.get('/v3/user/profile', () => ({
    company: account.company,
    first_name: '',
    last_name: '',
    address: '1801 California St.',
    address2: '',
    city: 'Denver',
    state: 'CO',
    zip: '80202',
    country: 'US',
    phone: '',
    website: '',
  }));
  http.get('/v3/user/username', () => ({ username: 'acme', user_id: 1 }));
}

type One = { Params: { id: string; email: string } };

const EVENT_NAMES = [
  ...['bounce', 'click', 'deferred', 'delivered', 'dropped', 'group_resubscribe', 'group_unsubscribe'],
  ...['open', 'processed', 'spam_report', 'unsubscribe'],
];
/** The smallest plan has one. */
const MOST_WEBHOOKS = 5;

function webhookRoutes(http: FastifyInstance, { webhooks }: Account): void {
  type Body = { url: string; enabled?: boolean; friendly_name?: string } & Record<string, unknown>;
  type Of = { Params: { id: string }; Body: Body };
  const base = '/v3/user/webhooks/event/settings';
  const eventsIn = (body: Body) => EVENT_NAMES.filter((name) => body[name] === true);
  const toldOf = ({ enabled = false, friendly_name = '' }: Body) => ({ enabled, friendly_name });
  const json = ({ id, url, events, told }: FakeWebhook) => ({
    id,
    url,
    ...Object.fromEntries(EVENT_NAMES.map((name) => [name, events.includes(name)])),
    account_status_change: false,
    ...told,
    created_date: '2026-11-01T10:00:00Z',
    updated_date: '2026-11-01T10:00:00Z',
  });
  const unknown = (reply: FastifyReply) =>
    reply.code(404).send({ errors: [{ message: 'webhook not found' }] });
  const refuse = (reply: FastifyReply, message: string, more = {}) =>
    reply.code(400).send({ errors: [{ message, ...more }] });

  // Without any, there is an empty object among them.
  http.get(`${base}/all`, () => ({
    max_allowed: MOST_WEBHOOKS,
    webhooks: webhooks.all.length === 0 ? [{}] : webhooks.all.map(json),
  }));
  http.post<{ Body: Body }>(base, ({ body }, reply) => {
    const twin = webhooks.all.find(({ url }) => url === body.url);
    if (twin !== undefined) {
      const message = `Webhook at '${body.url}' already exists. Please provide a unique URL.`;
      return refuse(reply, message, { id: twin.id });
    }
    if (webhooks.all.length >= MOST_WEBHOOKS) {
      return refuse(reply, 'You have reached the maximum number of webhooks per your current billing plan.');
    }
    const made = { url: body.url, events: eventsIn(body), isOff: body.enabled !== true, told: toldOf(body) };
    return reply.code(201).send(json(webhooks.add(made, () => randomUUID())));
  });
  http.patch<Of>(`${base}/:id`, ({ params, body }, reply) => {
    const webhook = webhooks.find(params.id);
    if (webhook === undefined) return unknown(reply);
    Object.assign(webhook, {
      url: body.url,
      events: eventsIn(body).toSorted(),
      isOff: body.enabled !== true,
      told: toldOf(body),
    });
    return json(webhook);
  });
  http.delete<Of>(`${base}/:id`, ({ params }, reply) =>
    webhooks.remove(params.id) ? reply.code(204).send() : unknown(reply),
  );
  http.get<Of>(`${base}/signed/:id`, ({ params: { id } }, reply) => {
    const webhook = webhooks.find(id);
    return webhook === undefined ? unknown(reply) : { id, public_key: webhook.secret };
  });
  http.patch<Of>(`${base}/signed/:id`, ({ params: { id }, body }, reply) => {
    const webhook = webhooks.find(id);
    if (webhook === undefined) return unknown(reply);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    webhook.secret = body.enabled === true ? webhook.secret || key : '';
    return { id, public_key: webhook.secret };
  });
}
type Addresses = { Params: { id: string }; Body: { recipient_emails?: string[] } | null };

function suppressionRoutes(http: FastifyInstance, account: Account): void {
  const { global } = account.books;
  http.get('/v3/asm/groups', () =>
    account.groups.map((group) => ({
      ...group,
      unsubscribes: account.groupMembers.get(group.id)?.size ?? 0,
    })),
  );
  http.post<Addresses>('/v3/asm/groups/:id/suppressions', (request, reply) => {
    const emails = request.body?.recipient_emails ?? [];
    if (emails.length === 0) return fail(reply, 400, 'must supply at least one address', 'recipient_emails');
    account.suppress(request.params.id, emails);
    return reply.code(201).send({ recipient_emails: emails });
  });
  http.post<Addresses>('/v3/asm/groups/:id/suppressions/search', ({ params, body }) => {
    const members = account.groupMembers.get(Number(params.id));
    return (body?.recipient_emails ?? []).map(lower).filter((email) => members?.has(email));
  });
  http.delete<One>('/v3/asm/groups/:id/suppressions/:email', ({ params }, reply) => {
    const wasIn = account.groupMembers.get(Number(params.id))?.delete(lower(params.email));
    return wasIn ? reply.code(204).send() : fail(reply, 404, 'suppression not found');
  });
  http.post<Addresses>('/v3/asm/suppressions/global', (request, reply) => {
    const emails = request.body?.recipient_emails ?? [];
    if (emails.length === 0) return fail(reply, 400, 'must supply at least one address', 'recipient_emails');
    for (const email of emails) global.add(lower(email));
    return reply.code(201).send({ recipient_emails: emails });
  });
  http.get<One>('/v3/asm/suppressions/global/:email', ({ params: { email } }) =>
    global.has(lower(email)) ? { recipient_email: email } : {},
  );
  http.delete<One>('/v3/asm/suppressions/global/:email', ({ params: { email } }, reply) => {
    global.delete(lower(email));
    return reply.code(204).send();
  });
  http.get<One>('/v3/asm/suppressions/:email', ({ params: { email } }) => ({
    suppressions: account.groups.map((group) => ({
      ...group,
      suppressed: account.groupMembers.get(group.id)?.has(lower(email)) === true,
    })),
  }));
  for (const book of ['spam_reports', 'bounces'] as const) {
    http.get<One>(`/v3/suppression/${book}/:email`, ({ params: { email } }) =>
      account.books[book].has(lower(email))
        ? [{ created: 1_443_651_125, email: lower(email), ...BOOKED[book] }]
        : [],
    );
  }
}

function listRoutes(http: FastifyInstance, account: Account): void {
  http.get<{ Querystring: { page_size?: string; page_token?: string } }>(
    '/v3/marketing/lists',
    ({ query }, reply) => {
      const size = Number(query.page_size ?? 100);
      if (!(size >= 1 && size <= 1000))
        return fail(reply, 400, 'page_size must be from 1 to 1000', 'page_size');
      const start = query.page_token ? Number(Buffer.from(query.page_token, 'base64url').toString()) : 0;
      const end = start + size;
      const self = 'https://api.sendgrid.com/v3/marketing/lists';
      const token = Buffer.from(String(end)).toString('base64url');
      const next =
        end < account.lists.length ? { next: `${self}?page_size=${size}&page_token=${token}` } : {};
      return {
        result: account.lists.slice(start, end).map((list) => ({
          ...list,
          contact_count: [...account.contacts.values()].filter(({ listIds }) => listIds.includes(list.id))
            .length,
          _metadata: { self: `${self}/${list.id}` },
        })),
        _metadata: { self, ...next, count: account.lists.length },
      };
    },
  );
  http.delete<One & { Querystring: { contact_ids?: string } }>(
    '/v3/marketing/lists/:id/contacts',
    ({ params, query }, reply) => {
      const people = (query.contact_ids ?? '').split(',').map((id) => byId(account, id));
      const isThere = account.lists.some(({ id }) => id === params.id);
      if (!isThere || people.includes(undefined)) return fail(reply, 404, 'resource not found');
      const job = account.accept('delete', () => {
        for (const one of people) if (one) one.listIds = one.listIds.filter((id) => id !== params.id);
        return [true];
      });
      return reply.code(202).send(job);
    },
  );
  http.get('/v3/marketing/field_definitions', () => ({
    custom_fields: account.fields,
    reserved_fields: [{ id: '_rf2_T', name: 'email', field_type: 'Text', read_only: false }],
    _metadata: { self: 'https://api.sendgrid.com/v3/marketing/field_definitions' },
  }));
}

const byId = (account: Account, id: string) => [...account.contacts.values()].find((one) => one.id === id);

function contactRoutes(http: FastifyInstance, account: Account): void {
  http.post<{ Body: { emails?: string[] } | null }>(
    '/v3/marketing/contacts/search/emails',
    ({ body }, reply) => {
      const emails = body?.emails ?? [];
      if (emails.length === 0 || emails.some((email) => !/^\S+@\S+\.\w+$/.test(email))) {
        return fail(reply, 400, 'invalid email', 'emails');
      }
      if (emails.length > 100) return fail(reply, 400, 'at most 100 emails can be searched', 'emails');
      const found = emails.map((email) => [lower(email), account.search(email)] as const);
      if (found.every(([, contact]) => contact === undefined)) return fail(reply, 404, 'no contacts found');
      const told = found.map(([email, one]) => [
        email,
        one ? { contact: account.told(one) } : { error: 'contact not found' },
      ]);
      return { result: Object.fromEntries(told) as unknown };
    },
  );
  type Put = { Body: { list_ids?: string[]; contacts?: Record<string, unknown>[] } | null };
  http.put<Put>('/v3/marketing/contacts', ({ body }, reply) => {
    const { contacts = [], list_ids: listIds = [] } = body ?? {};
    if (contacts.length === 0) return fail(reply, 400, 'contacts are required', 'contacts');
    if (contacts.some(({ email }) => typeof email !== 'string'))
      return fail(reply, 400, 'email is required', 'email');
    const fieldIds = contacts.flatMap(({ custom_fields }) => Object.keys(custom_fields ?? {}));
    if (fieldIds.some((id) => !account.fields.some((field) => field.id === id))) {
      return fail(reply, 400, 'unknown custom field', 'custom_fields');
    }
    if (listIds.some((id) => !account.lists.some((list) => list.id === id)))
      return fail(reply, 404, 'list not found');
    const job = account.accept('upsert', () => contacts.map((one) => account.upsert(one, listIds)));
    return reply.code(202).send(job);
  });
  http.delete<{ Querystring: { ids?: string } }>('/v3/marketing/contacts', ({ query: { ids } }, reply) => {
    const people = (ids ?? '').split(',').map((id) => byId(account, id));
    if (people.includes(undefined)) return fail(reply, 404, 'contact not found');
    const job = account.accept('delete', () => {
      for (const one of people) if (one) account.contacts.delete(one.email);
      return [true];
    });
    return reply.code(202).send(job);
  });
  http.get<One>('/v3/marketing/contacts/imports/:id', ({ params: { id } }, reply) => {
    const job = account.jobs.get(id);
    if (job === undefined) return fail(reply, 404, 'job not found');
    const isDone = job.status !== 'pending' || job.isStored === true;
    const told = {
      id,
      status: job.status,
      job_type: job.type,
      // A count that is zero is not there while the job runs.
      results: {
        requested_count: 1,
        ...(isDone && job.type === 'upsert' && { updated_count: 1 }),
        ...(isDone && job.type === 'delete' && { deleted_count: 1 }),
        ...(job.status !== 'pending' && { errored_count: 0, errors_url: '' }),
      },
      started_at: '2026-11-01T10:00:00Z',
      ...(job.status !== 'pending' && { finished_at: '2026-11-01T10:00:03Z' }),
    };
    if (job.status === 'pending') job.status = job.work();
    return told;
  });
}

function addResources(account: Account, kind: ResourceKind, count: number): Resource[] {
  return Array.from({ length: count }, () => {
    if (kind === 'lists') {
      // The same at every start, as the demo needs it.
      const number = account.lists.length + 1;
      const id = `5d3c0000-0000-4000-8000-${String(number).padStart(12, '0')}`;
      const list = { id, name: `List ${number}` };
      account.lists.push(list);
      return list;
    }
    if (kind === 'suppression_groups') {
      const id = 1001 + account.groupMembers.size;
      account.groups.push({ id, name: `Group ${id}`, description: '', is_default: false });
      account.groupMembers.set(id, new Set());
      return { id: String(id), name: `Group ${id}` };
    }
    if (kind !== 'fields') throw new Error(`SendGrid has no ${kind}`);
    const number = account.fields.length + 1;
    const field = { id: `e${number}_T`, name: `field_${number}` };
    account.fields.push({ ...field, field_type: 'Text' });
    return field;
  });
}

/** Stands for api.sendgrid.com: suppressions at once, contacts in jobs that are done after the first look at them. */
export async function startSendgridFake(): Promise<SendgridFake> {
  const account = new Account();
  const server = await startFakeServer(
    (http) => {
      accountRoutes(http, account);
      suppressionRoutes(http, account);
      listRoutes(http, account);
      contactRoutes(http, account);
      webhookRoutes(http, account);
    },
    {
      distilled: ['sendgrid', 'answers/sendgrid'],
      refuse: ({ kind, problems: [message] }) =>
        kind === 'unknown path'
          ? { status: 404, body: { errors: [{ field: null, message: 'not found' }] } }
          : { status: 400, body: { errors: [{ field: null, message }] } },
    },
  );
  return {
    ...server,
    credentials: { api_key: API_KEY, region: 'global' },
    wrongCredentials: { api_key: 'SG.wrongKeyId.wrongSecret' },
    accountName: account.company,
    webhooks: account.webhooks,
    addResources: (kind, count) => addResources(account, kind, count),
    rename(kind, id, name) {
      const one = kind === 'lists' ? account.lists.find((list) => list.id === id) : account.groupOf(id);
      if (one !== undefined) one.name = name;
    },
    addContact: (email) => void account.add(email),
    addPeople(kind, id, people) {
      if (kind !== 'lists') throw new Error(`SendGrid has no ${kind}`);
      // Leaving a list leaves no trace, and nothing has to be confirmed.
      for (const { email, state } of people) {
        account.add(email);
        if (state === 'subscribed') account.contacts.get(lower(email))?.listIds.push(id);
      }
    },
    holds: (email) => holds(account, lower(email)),
    contact: (email) => account.contacts.get(lower(email)),
    suppress: (book, email) => void account.books[book].add(lower(email)),
    suppressIn: (groupId, email) => account.suppress(groupId, [email]),
    deleteGroup(id) {
      account.groups = account.groups.filter((group) => String(group.id) !== id);
      account.groupMembers.get(Number(id))?.clear();
    },
    addField: (id, name, type = 'Text') => void account.fields.push({ id, name, field_type: type }),
    fieldOf: (email, { id }) =>
      (account.contacts.get(lower(email))?.custom[id] as string | undefined) ?? null,
    nextJob: (fate) => void account.fates.push(fate),
    finishJobs() {
      for (const finish of account.late.splice(0)) finish();
    },
    freezeSearch: (frozen) => void (account.frozen = frozen ? structuredClone(account.contacts) : null),
    forbid: (prefix) => void (account.forbidden = prefix),
    company: (name) => void (account.company = name),
  };
}

function holds(account: Account, email: string) {
  const contact = account.contacts.get(email);
  const isOut = account.books.global.has(email);
  const groups = account.groups.filter(({ id }) => account.groupMembers.get(id)?.has(email));
  if (contact === undefined && !isOut && groups.length === 0) return null;
  return {
    unsubscribed: isOut,
    lists: contact?.listIds ?? [],
    tags: [],
    suppression_groups: groups.map(({ id }) => String(id)),
    automations: [],
    funnels: [],
  };
}

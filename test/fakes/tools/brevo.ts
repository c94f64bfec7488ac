import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakePerson, type FakeTool, type Held, startFakeServer, type Trouble } from './fake-tool.ts';
import { FakeWebhooks } from './fake-webhooks.ts';

interface FakeContact {
  id: number;
  email: string;
  emailBlacklisted: boolean;
  smsBlacklisted: boolean;
  listIds: number[];
  listUnsubscribed: number[];
  attributes: Record<string, unknown>;
  complaints: number;
  hardBounces: number;
}

interface Write {
  email?: string;
  emailBlacklisted?: boolean;
  listIds?: number[];
  unlinkListIds?: number[];
  updateEnabled?: boolean;
  attributes?: Record<string, unknown>;
}

export interface BrevoFake extends FakeTool {
  webhooks: FakeWebhooks;
  oauth: LoginFake;
  contact(email: string): FakeContact | null;
  /** As the person does from a mail, where the account unsubscribes list by list. */
  leaveList(email: string, list: Resource): void;
  /** Either blocks the person, as an unsubscribe does. */
  complain(email: string): void;
  bounce(email: string): void;
  /** The next change of an address is done, but its answer gets lost. */
  loseNextRename(): void;
  /** What the calls after the next change of an address come to. */
  troubleAfterRename(troubles: Trouble[]): void;
  addAttribute(name: string, type: string): void;
  /** A contact who is in the list with a number, and has no address. */
  addPhoneContact(list: Resource): void;
  remove(email: string): void;
}

const API_KEY = 'xkeysib-5a1e0000000000000000000000000000-GoodGoodGood1234';
const ATTRIBUTES = ['FIRSTNAME', 'LASTNAME'];

const WRITTEN = { createdAt: '2026-10-01T10:00:00.000Z', modifiedAt: '2026-11-01T10:00:00.000Z' };

const refuse = (reply: FastifyReply, status: number, code: string, message: string, more = {}) =>
  reply.code(status).send({ code, message, ...more });

class Account {
  readonly contacts: FakeContact[] = [];
  readonly webhooks = new FakeWebhooks();
  readonly lists: { id: number; name: string }[] = [];
  readonly attributes = ATTRIBUTES.map((name) => ({ name, type: 'text' }));
  shouldLoseRename = false;
  afterRename = () => {};
  #ids = 0;

  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  byEmail(email: string): FakeContact | undefined {
    return this.contacts.find((one) => one.email === email.toLowerCase());
  }

  find(identifier: string, type: string | undefined): FakeContact | undefined {
    if (type === 'contact_id' || (type === undefined && /^\d+$/.test(identifier))) {
      return this.contacts.find(({ id }) => id === Number(identifier));
    }
    return type === undefined || type === 'email_id' ? this.byEmail(identifier) : undefined;
  }

  add(email: string): FakeContact {
    const made: FakeContact = {
      id: this.nextId(),
      email: email.toLowerCase(),
      emailBlacklisted: false,
      smsBlacklisted: false,
      listIds: [],
      listUnsubscribed: [],
      attributes: {},
      complaints: 0,
      hardBounces: 0,
    };
    this.contacts.push(made);
    return made;
  }

  hasLists(ids: number[] = []): boolean {
    return ids.every((id) => this.lists.some((list) => list.id === id));
  }

  write(
    to: FakeContact,
    { emailBlacklisted, listIds = [], unlinkListIds = [], attributes = {} }: Write,
  ): void {
    if (emailBlacklisted !== undefined) to.emailBlacklisted = emailBlacklisted;
    to.listIds = [...new Set([...to.listIds, ...listIds])].filter((id) => !unlinkListIds.includes(id));
    for (const [name, value] of Object.entries(attributes)) {
      // What is not known, or of another type, is passed over without a word.
      const isText = this.attributes.some((one) => one.name === name && one.type === 'text');
      if (isText) to.attributes[name] = value;
    }
  }
}

type One = { Params: { identifier: string }; Querystring: { identifierType?: string } };

function contactRoutes(http: FastifyInstance, account: Account): void {
  const found = ({ params, query }: FastifyRequest<One>) =>
    account.find(params.identifier, query.identifierType);
  const nobody = (reply: FastifyReply) => refuse(reply, 404, 'document_not_found', 'Contact does not exist');

  http.get<One>('/contacts/:identifier', async (request, reply) => {
    const one = found(request);
    if (one === undefined) return nobody(reply);
    const { listUnsubscribed, complaints, hardBounces, ...rest } = one;
    const events = (count: number) =>
      Array.from({ length: count }, () => ({ campaignId: 7, eventTime: '2026-11-10T08:30:00.000+01:00' }));
    const statistics = {
      ...(complaints > 0 && { complaints: events(complaints) }),
      ...(hardBounces > 0 && { hardBounces: events(hardBounces) }),
    };
    return { ...rest, ...(listUnsubscribed.length > 0 && { listUnsubscribed }), ...WRITTEN, statistics };
  });

  http.post<{ Body: Write }>('/contacts', async ({ body }, reply) => {
    const { email, listIds, updateEnabled = false } = body;
    if (email === undefined) return refuse(reply, 400, 'missing_parameter', 'email is missing');
    if (!account.hasLists(listIds)) return refuse(reply, 400, 'invalid_parameter', 'Invalid list ID');
    const present = account.byEmail(email);
    if (present !== undefined && !updateEnabled) {
      const message = 'Unable to create contact, email is already associated with another Contact';
      const metadata = { duplicate_identifiers: ['email'] };
      return refuse(reply, 400, 'duplicate_parameter', message, { metadata });
    }
    const one = present ?? account.add(email);
    account.write(one, body);
    return present === undefined ? reply.code(201).send({ id: one.id }) : reply.code(204).send();
  });

  http.put<One & { Body: Write }>('/contacts/:identifier', async (request, reply) => {
    const one = found(request as FastifyRequest<One>);
    if (one === undefined) return nobody(reply);
    const { body } = request;
    if (!account.hasLists(body.listIds)) return refuse(reply, 400, 'invalid_parameter', 'Invalid list ID');
    const { EMAIL } = body.attributes ?? {};
    if (typeof EMAIL === 'string') {
      const other = account.byEmail(EMAIL);
      if (other === one) return refuse(reply, 400, 'invalid_parameter', 'Contact already exist');
      if (other !== undefined) {
        return refuse(reply, 400, 'duplicate_parameter', 'Email is already associated with another Contact');
      }
    }
    account.write(one, body);
    if (typeof EMAIL === 'string') {
      one.email = EMAIL.toLowerCase();
      one.emailBlacklisted = false;
      account.afterRename();
      account.afterRename = () => {};
      if (account.shouldLoseRename) {
        account.shouldLoseRename = false;
        reply.hijack();
        request.raw.socket.destroy();
        return reply;
      }
    }
    return reply.code(204).send();
  });

  http.delete<One>('/contacts/:identifier', async (request, reply) => {
    const one = found(request);
    if (one === undefined) return nobody(reply);
    account.contacts.splice(account.contacts.indexOf(one), 1);
    return reply.code(204).send();
  });
}

type Page = { Querystring: { limit?: string; offset?: string; sort?: string } };

function memberJson({ email, listUnsubscribed, complaints: _, hardBounces: __, ...rest }: FakeContact) {
  const times = { createdAt: '2026-03-01T08:30:00.000Z', modifiedAt: '2026-03-01T08:30:00.000Z' };
  return {
    ...(email !== '' && { email }),
    ...rest,
    ...times,
    ...(listUnsubscribed.length > 0 && { listUnsubscribed }),
  };
}

function listRoutes(http: FastifyInstance, account: Account): void {
  http.get<Page>('/contacts/lists', async ({ query }, reply) => {
    const [limit, offset] = [Number(query.limit ?? 10), Number(query.offset ?? 0)];
    if (limit > 50) return refuse(reply, 400, 'out_of_range', 'Limit exceeds max value');
    const lists = account.lists.slice(offset, offset + limit).map((list) => ({
      ...list,
      totalBlacklisted: 0,
      totalSubscribers: 0,
      uniqueSubscribers: 0,
      folderId: 1,
    }));
    return { ...(lists.length > 0 && { lists }), count: account.lists.length };
  });

  type Members = Page & { Params: { id: string } };
  http.get<Members>('/contacts/lists/:id/contacts', async ({ params, query }, reply) => {
    const [limit, offset] = [Number(query.limit ?? 50), Number(query.offset ?? 0)];
    if (limit > 500) return refuse(reply, 400, 'out_of_range', 'Limit exceeds max value');
    const id = Number(params.id);
    if (!account.hasLists([id])) return refuse(reply, 404, 'document_not_found', 'List ID does not exist');
    const inside = account.contacts.filter(({ listIds }) => listIds.includes(id));
    const sorted = query.sort === 'asc' ? inside : inside.toReversed();
    const contacts = sorted.slice(offset, offset + limit).map(memberJson);
    return { contacts, count: inside.length };
  });

  type Moved = { Params: { id: string }; Body: { emails?: string[]; ids?: number[] } };
  for (const verb of ['add', 'remove'] as const) {
    http.post<Moved>(`/contacts/lists/:id/contacts/${verb}`, async ({ params, body }, reply) => {
      const id = Number(params.id);
      if (!account.hasLists([id])) return refuse(reply, 404, 'document_not_found', 'List ID does not exist');
      const asked = body.emails ?? body.ids ?? [];
      const move = (key: string | number) => {
        const one = account.find(String(key), body.emails === undefined ? 'contact_id' : 'email_id');
        if (one === undefined || one.listIds.includes(id) === (verb === 'add')) return false;
        account.write(one, verb === 'add' ? { listIds: [id] } : { unlinkListIds: [id] });
        return true;
      };
      const success = asked.filter(move);
      if (success.length === 0) {
        return refuse(reply, 400, 'invalid_parameter', 'Contact already in list and/or does not exist');
      }
      const failure = asked.filter((key) => !success.includes(key as never));
      return reply.code(201).send({ contacts: { success, failure } });
    });
  }

  http.get('/contacts/attributes', async () => ({
    attributes: [
      ...account.attributes.map((one) => ({ ...one, category: 'normal' })),
      { name: 'BLACKLIST', category: 'global', calculatedValue: 'COUNT[BLACKLISTED]' },
    ],
  }));
}

interface WebhookBody {
  url: string;
  events: string[];
  type?: string;
  description?: string;
  auth?: { type: string; token: string };
}

function webhookRoutes(http: FastifyInstance, { webhooks }: Account): void {
  type Of = { Params: { id: string }; Body: WebhookBody };
  const unknown = (reply: FastifyReply) =>
    refuse(reply, 404, 'document_not_found', 'Webhook ID does not exist');
  http.get<{ Querystring: { type?: string } }>('/webhooks', async ({ query }, reply) => {
    const { type = 'transactional' } = query;
    const found = webhooks.all.filter(({ told }) => told['type'] === type);
    if (found.length === 0) return unknown(reply);
    return {
      webhooks: found.map(({ id, url, events, told }) => ({
        id: Number(id),
        url,
        events,
        ...told,
        ...WRITTEN,
      })),
    };
  });
  http.post<{ Body: WebhookBody }>('/webhooks', async ({ body }, reply) => {
    const { url, events, type = 'transactional', description = '', auth } = body;
    if (webhooks.all.length >= 40) return refuse(reply, 400, 'out_of_range', 'Webhook limit reached');
    const told = { type, description, ...(auth && { auth }) };
    const { id } = webhooks.add({ url, events, secret: auth?.token ?? '', told });
    return reply.code(201).send({ id: Number(id) });
  });
  http.put<Of>('/webhooks/:id', async ({ params, body }, reply) => {
    const webhook = webhooks.find(params.id);
    if (webhook === undefined) return unknown(reply);
    const { url, events, description, auth } = body;
    webhook.told = {
      ...webhook.told,
      ...(description !== undefined && { description }),
      ...(auth && { auth }),
    };
    Object.assign(webhook, { url, events: events.toSorted(), secret: auth?.token ?? webhook.secret });
    return reply.code(204).send();
  });
  http.delete<Of>('/webhooks/:id', async ({ params }, reply) =>
    webhooks.remove(params.id) ? reply.code(204).send() : unknown(reply),
  );
}

const login = () =>
  new LoginFake({
    authorizePath: '/realms/partner/oauth/authorize',
    tokenPath: '/realms/partner/oauth/token',
    demands: { response_type: 'code' },
    // The one for everything is refused by now.
    scopes: { separator: ' ', known: ['account:read', 'contacts:read', 'contacts:write', 'webhooks:read'] },
    pkce: 'taken',
    reads: 'form',
    refresh: { rotates: true, demandsClient: true },
    life: { seconds: 3600, told: true },
  });

/** One account of Brevo (API v3), without per-list unsubscription until somebody leaves a list. */
export async function startBrevoFake(): Promise<BrevoFake> {
  const account = new Account();
  const oauth = login();
  const server = await startFakeServer(
    (http) => {
      http.addHook('preHandler', async (request, reply) => {
        if (oauth.isOpen(request.url) || oauth.isGood(request.headers.authorization)) return;
        if (request.headers['api-key'] === API_KEY) return;
        return refuse(reply, 401, 'unauthorized', 'Key not found');
      });
      http.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'not_found', 'Route not found'));
      oauth.addRoutes(http);
      http.get('/account', async () => ({
        email: 'nora@acme.example',
        firstName: 'Nora',
        lastName: 'Nilsson',
        companyName: 'Acme Mail',
        address: { street: 'Storgatan 1', city: 'Malmö', zipCode: '21142', country: 'Sweden' },
        relay: { enabled: false, data: { userName: 'nora@acme.example', relay: 'smtp.example', port: 587 } },
        plan: [{ type: 'subscription', creditsType: 'sendLimit', credits: 8755 }],
      }));
      listRoutes(http, account);
      contactRoutes(http, account);
      webhookRoutes(http, account);
    },
    {
      distilled: ['brevo'],
      isOutside: (url) => oauth.isOpen(url),
      refuse: ({ kind, problems: [message = ''] }) =>
        kind === 'unknown path'
          ? { status: 404, body: { code: 'document_not_found', message: 'Route not found' } }
          : { status: 400, body: { code: 'invalid_parameter', message } },
    },
  );
  return { ...server, oauth, ...outside(account, server) };
}

/** Who left the list is in it no more; who bounced is, and is blocked. */
function addPerson(account: Account, list: number, { email, state }: FakePerson): void {
  const contact = account.add(email);
  if (state === 'unsubscribed') contact.listUnsubscribed.push(list);
  else contact.listIds.push(list);
  contact.emailBlacklisted = state === 'unclear';
}

function outside(
  account: Account,
  { trouble }: Pick<FakeTool, 'trouble'>,
): Omit<BrevoFake, 'oauth' | 'url' | 'seen' | 'trouble' | 'calm' | 'rule' | 'close'> {
  const required = (email: string): FakeContact => {
    const one = account.byEmail(email);
    if (one === undefined) throw new Error('Nobody has this address');
    return one;
  };
  return {
    credentials: { api_key: API_KEY },
    wrongCredentials: { api_key: 'xkeysib-5a1e0000000000000000000000000000-WrongWrong123456' },
    accountName: 'Acme Mail',
    webhooks: account.webhooks,
    addResources(kind: ResourceKind, count: number): Resource[] {
      return Array.from({ length: count }, () => {
        const id = account.nextId();
        if (kind === 'fields') {
          account.attributes.push({ name: `FIELD_${id}`, type: 'text' });
          return { id: `FIELD_${id}`, name: `FIELD_${id}` };
        }
        if (kind !== 'lists') throw new Error(`Brevo has no ${kind}`);
        account.lists.push({ id, name: `List ${id}` });
        return { id: String(id), name: `List ${id}` };
      });
    },
    addContact: (email) => void account.add(email),
    addPeople: (_kind, id, people) => people.forEach((person) => addPerson(account, Number(id), person)),
    fieldOf: (email, { id }) => (account.byEmail(email)?.attributes[id] as string | undefined) ?? null,
    addAttribute: (name, type) => void account.attributes.push({ name, type }),
    addPhoneContact: ({ id }) => void account.add('').listIds.push(Number(id)),
    remove(email) {
      const at = account.contacts.findIndex((one) => one.email === email);
      if (at !== -1) account.contacts.splice(at, 1);
    },
    contact: (email) => account.byEmail(email) ?? null,
    leaveList(email, list) {
      const one = required(email);
      one.listIds = one.listIds.filter((id) => id !== Number(list.id));
      one.listUnsubscribed.push(Number(list.id));
    },
    complain: (email) => void Object.assign(required(email), { emailBlacklisted: true, complaints: 1 }),
    bounce: (email) => void Object.assign(required(email), { emailBlacklisted: true, hardBounces: 1 }),
    loseNextRename() {
      account.shouldLoseRename = true;
    },
    troubleAfterRename(troubles) {
      account.afterRename = () => {
        for (const one of troubles) trouble(one);
      };
    },
    holds(email): Held | null {
      const one = account.byEmail(email);
      if (one === undefined) return null;
      return {
        unsubscribed: one.emailBlacklisted,
        lists: one.listIds.map(String),
        tags: [],
        suppression_groups: [],
        automations: [],
        funnels: [],
      };
    },
  };
}

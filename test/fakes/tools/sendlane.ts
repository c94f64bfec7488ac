import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Resource } from '#server/connectors/connector.ts';
import { SENDLANE } from '#test/fakes/descriptions/sendlane.ts';
import { type FakePerson, type FakeTool, startFakeServer } from './fake-tool.ts';

export interface FakeContact {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  subscribed: boolean;
  suppressed: boolean;
  lists: Map<number, { subscribed: boolean; suppressed: boolean }>;
  tags: Set<number>;
  fields: Map<number, string>;
}

export interface SendlaneFake extends FakeTool {
  /** null: nobody. */
  contact(email: string): FakeContact | null;
  /** A field that is no text. */
  addField(type: string): Resource;
  removeField(field: Resource): void;
  /** The person unsubscribes in a mail, from one list or from all. */
  leave(email: string, listId: number | null, at: Date): void;
  /** After so many requests, what is queued is done. */
  queueFor(requests: number): void;
  /** After so many calls, the minute's are used up. */
  allow(calls: number): void;
  /** Searches come without their body from now on, as behind some proxies, and find the first contact. */
  dropSearchBodies(drops: boolean): void;
}

const TOKEN = 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.acme';
const ACCEPTED = { data: { message: 'Successfully handled request' } };

class Refusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

const notFound = () => new Refusal(404, { message: 'Not found.', errors: ['An error occurred'] });
const invalid = (field: string, message: string) =>
  new Refusal(422, { message: 'The given data was invalid.', errors: { [field]: [message] } });

interface Asked {
  params: Record<string, string>;
  query: Record<string, string | undefined>;
  body: Record<string, unknown>;
  url: string;
}

function page(rows: unknown[], { query, url }: Asked): object {
  const size = Math.min(Number(query.limit ?? 100), 100);
  const current = Number(query.page ?? 1);
  const last = Math.max(1, Math.ceil(rows.length / size));
  const path = `https://api.sendlane.com/v2${url.split('?')[0]}`;
  const link = (number: number) => `${path}?page=${number}`;
  const data = rows.slice((current - 1) * size, current * size);
  const before = (current - 1) * size;
  return {
    data,
    links: {
      first: link(1),
      last: link(last),
      prev: current > 1 ? link(current - 1) : null,
      next: current < last ? link(current + 1) : null,
    },
    meta: {
      current_page: current,
      from: data.length === 0 ? null : before + 1,
      last_page: last,
      path,
      per_page: size,
      to: data.length === 0 ? null : before + data.length,
      total: rows.length,
    },
  };
}

class Account {
  readonly lists: { id: number; list_name: string }[] = [];
  readonly tags: { id: number; name: string }[] = [];
  fields: { id: string; name: string; type: string }[] = [];
  readonly contacts = new Map<number, FakeContact>();
  /** Addresses that get nothing, whether somebody has them or not. */
  readonly suppressed = new Set<string>();
  readonly left: { contactId: number; listId: number | null; at: Date }[] = [];
  readonly senders = [{ id: 1, company: 'Acme Goods', from_email: 'news@acme.example', is_default: true }];
  delay = 2;
  callsLeft = Infinity;
  dropsSearchBodies = false;
  private queue: { requestsLeft: number; work: () => void }[] = [];
  private made = 0;

  next(): number {
    this.made += 1;
    return this.made;
  }

  /** Everything that is answered with 202. */
  later(work: () => void): object {
    this.queue.push({ requestsLeft: this.delay, work });
    return ACCEPTED;
  }

  tick(): void {
    for (const item of this.queue) item.requestsLeft -= 1;
    const due = this.queue.filter(({ requestsLeft }) => requestsLeft < 0);
    this.queue = this.queue.filter(({ requestsLeft }) => requestsLeft >= 0);
    for (const { work } of due) work();
  }

  byEmail(email: string): FakeContact | undefined {
    return [...this.contacts.values()].find((one) => one.email.toLowerCase() === email.toLowerCase());
  }

  contact({ params }: Asked): FakeContact {
    const contact = this.contacts.get(Number(params.contact));
    if (contact === undefined) throw notFound();
    return contact;
  }

  listId({ params }: Asked): number {
    const list = this.lists.find(({ id }) => id === Number(params.list));
    if (list === undefined) throw notFound();
    return list.id;
  }

  add(email: string): FakeContact {
    const contact: FakeContact = {
      id: this.next(),
      email,
      first_name: '',
      last_name: '',
      subscribed: true,
      suppressed: this.suppressed.has(email.toLowerCase()),
      lists: new Map(),
      tags: new Set(),
      fields: new Map(),
    };
    this.contacts.set(contact.id, contact);
    return contact;
  }

  leave(contact: FakeContact, listId: number | null, at: Date): void {
    this.left.push({ contactId: contact.id, listId, at });
    if (listId === null) contact.subscribed = false;
    for (const [id, list] of contact.lists) if (listId === null || id === listId) list.subscribed = false;
  }

  /** Who left a list is still there. */
  inList(listId: number): object[] {
    return [...this.contacts.values()].filter(({ lists }) => lists.has(listId)).map((one) => this.show(one));
  }

  tagged({ params }: Asked): object[] {
    const tag = this.tags.find(({ id }) => id === Number(params.tag));
    if (tag === undefined) throw notFound();
    return [...this.contacts.values()].filter(({ tags }) => tags.has(tag.id)).map((one) => this.show(one));
  }

  show({
    id,
    email,
    first_name,
    last_name,
    subscribed,
    suppressed,
    lists,
    tags,
    fields,
  }: FakeContact): object {
    return {
      id,
      email,
      first_name,
      last_name,
      phone: '',
      lists: [...lists.keys()].map((listId) => ({ id: listId, name: this.nameOf(listId) })),
      tags: this.tags.filter((tag) => tags.has(tag.id)),
      custom_fields: [...fields].map(([field, value]) => ({ id: field, value })),
      sms_consent: [],
      subscribed,
      suppressed,
      lifetime_value: 0,
      integration_customer: [],
    };
  }

  nameOf(listId: number): string {
    return this.lists.find(({ id }) => id === listId)?.list_name ?? '';
  }

  addField(type: string): Resource {
    const id = this.next();
    const field = { id: String(id), name: `Field ${id}` };
    this.fields.push({ ...field, type });
    return field;
  }

  addPerson(kind: 'lists' | 'tags', id: number, { email, state }: FakePerson): void {
    const contact = this.add(email);
    if (kind === 'lists') {
      contact.lists.set(id, { subscribed: true, suppressed: state === 'unclear' });
      if (state === 'unsubscribed') this.leave(contact, id, new Date());
    } else {
      contact.tags.add(id);
      Object.assign(contact, { subscribed: state !== 'unsubscribed', suppressed: state === 'unclear' });
    }
  }

  whoLeft(listId: number | null, { query }: Asked): object[] {
    const { from, to } = query;
    if (to !== undefined && from === undefined) throw invalid('from', 'The from field is required.');
    const isIn = ({ at }: { at: Date }) =>
      (from === undefined || at >= new Date(from)) && (to === undefined || at <= new Date(to));
    return this.left
      .filter((one) => one.listId === listId && isIn(one))
      .flatMap(({ contactId }) => {
        const contact = this.contacts.get(contactId);
        return contact === undefined ? [] : [this.show(contact)];
      });
  }
}

function search(account: Account, { body }: Asked): object {
  const [first] = account.contacts.values();
  if (account.dropsSearchBodies && first !== undefined) return { data: account.show(first) };
  if (typeof body.email !== 'string') throw invalid('email', 'The email field is required.');
  const contact = account.byEmail(body.email);
  if (contact === undefined) throw notFound();
  return { data: account.show(contact) };
}

interface Entry {
  email: string;
  first_name?: string;
  last_name?: string;
  email_consent?: boolean;
  custom_fields?: { id: number; value: string }[];
}

function addToList(account: Account, asked: Asked): object {
  const listId = account.listId(asked);
  const entries = asked.body.contacts as Entry[] | undefined;
  if (!Array.isArray(entries) || entries.length === 0)
    throw invalid('contacts', 'The contacts field is required.');
  if (entries.some(({ email }) => !/^\S+@\S+\.\S+$/.test(email)))
    throw invalid('contacts.0.email', 'Not an address.');
  return account.later(() => {
    for (const {
      email,
      first_name,
      last_name,
      email_consent: consent,
      custom_fields: fields = [],
    } of entries) {
      const contact = account.byEmail(email) ?? account.add(email);
      contact.first_name = first_name ?? contact.first_name;
      contact.last_name = last_name ?? contact.last_name;
      for (const { id, value } of fields) contact.fields.set(id, value);
      const isSubscribed = consent === true && contact.subscribed;
      contact.lists.set(listId, { subscribed: isSubscribed, suppressed: contact.suppressed });
    }
  });
}

function subscriptions(account: Account, asked: Asked): object {
  const contact = account.contact(asked);
  const date_added = '2026-03-01T09:00:00+01:00';
  const rows = [...contact.lists].map(([listId, list]) => ({
    id: listId,
    subscriber_id: contact.id,
    list_id: listId,
    list_name: account.nameOf(listId),
    added_by: 'api',
    date_added,
    ...list,
  }));
  // One is not always in an array.
  return { data: rows.length === 1 ? rows[0] : rows };
}

function setFields(account: Account, asked: Asked): object {
  const contact = account.contact(asked);
  const values = asked.body.custom_fields as { id: number; value: string }[];
  if (!values.every(({ id }) => account.fields.some((field) => field.id === String(id)))) {
    throw invalid('custom_fields.0.id', 'The selected custom field is invalid.');
  }
  for (const { id, value } of values) contact.fields.set(id, value);
  return { data: account.show(contact) };
}

function addTags(account: Account, asked: Asked): object {
  const contact = account.contact(asked);
  const ids = asked.body.tag_ids as number[];
  if (!ids.every((id) => account.tags.some((tag) => tag.id === id))) {
    throw invalid('tag_ids', 'The selected tag is invalid.');
  }
  for (const id of ids) contact.tags.add(id);
  return { data: tagsOf(account, contact) };
}

const CREATED = '2026-03-01T08:30:00Z';

const tagRow = (account: Account, tag: { id: number; name: string }) => ({
  ...tag,
  audience_count: [...account.contacts.values()].filter(({ tags }) => tags.has(tag.id)).length,
  created_at: CREATED,
});

const tagsOf = (account: Account, contact: FakeContact) =>
  account.tags.filter(({ id }) => contact.tags.has(id)).map((tag) => tagRow(account, tag));

const listRow = (list: { id: number; list_name: string }) => ({
  ...list,
  description: null,
  status: 1,
  list_key: `key${list.id}`,
  company: 'Acme Goods',
  default_from_email: 'news@acme.example',
  date_added: CREATED,
  deleted_date: null,
});

type Answer = (account: Account, asked: Asked) => object;

/** With the status of a success. */
const ROUTES: Record<string, [number, Answer]> = {
  'GET /senders': [200, (account, asked) => page(account.senders, asked)],
  'GET /lists': [200, (account, asked) => page(account.lists.map(listRow), asked)],
  'GET /tags': [
    200,
    (account, asked) =>
      page(
        account.tags.map((tag) => tagRow(account, tag)),
        asked,
      ),
  ],
  // Small ones come without pages.
  'GET /custom-fields': [
    200,
    ({ fields }) => ({ data: fields.map((field) => ({ ...field, created_at: CREATED })) }),
  ],
  'GET /contacts/search': [200, search],
  'GET /contacts/unsubscribed': [200, (account, asked) => page(account.whoLeft(null, asked), asked)],
  'GET /lists/:list/contacts': [200, (account, asked) => page(account.inList(account.listId(asked)), asked)],
  'GET /tags/:tag/contacts': [200, (account, asked) => page(account.tagged(asked), asked)],
  'POST /contacts/:contact/custom-fields': [200, setFields],
  'GET /lists/:list/unsubscribed': [
    200,
    (account, asked) => page(account.whoLeft(account.listId(asked), asked), asked),
  ],
  'POST /lists/:list/contacts': [202, addToList],
  'DELETE /lists/:list/contacts/:contact': [
    202,
    (account, asked) => {
      const [listId, contact] = [account.listId(asked), account.contact(asked)];
      return account.later(() => contact.lists.delete(listId));
    },
  ],
  'DELETE /contacts/:contact': [
    202,
    (account, asked) => {
      const { id } = account.contact(asked);
      return account.later(() => account.contacts.delete(id));
    },
  ],
  'GET /contacts/:contact/subscriptions': [200, subscriptions],
  'GET /contacts/:contact/tags': [
    200,
    (account, asked) => page(tagsOf(account, account.contact(asked)), asked),
  ],
  'POST /contacts/:contact/tags': [200, addTags],
  'DELETE /contacts/:contact/tags/:tag': [
    202,
    (account, asked) => {
      const { tags } = account.contact(asked);
      return account.later(() => tags.delete(Number(asked.params.tag)));
    },
  ],
  'GET /contacts/:contact/custom-fields': [
    200,
    (account, asked) =>
      page(
        [...account.contact(asked).fields].map(([id, value]) => ({
          id: id + 1000,
          custom_field_id: id,
          value,
        })),
        asked,
      ),
  ],
  'POST /contacts/:contact/unsubscribe': [
    200,
    (account, asked) => {
      account.leave(account.contact(asked), null, new Date());
      return { data: { message: 'Contact unsubscribed successfully' } };
    },
  ],
  'POST /suppression/emails': [
    201,
    (account, { body }) => {
      const email = String(body.email);
      account.suppressed.add(email.toLowerCase());
      const known = account.byEmail(email);
      if (known !== undefined) known.suppressed = true;
      return { data: { id: account.next(), email, list_id: null } };
    },
  ],
  // Only where support has switched it on.
  'POST /contacts/:contact/email-consent': [
    200,
    () => {
      throw new Refusal(403, { message: 'This action is unauthorized.', errors: ['An error occurred'] });
    },
  ],
};

function serve(http: FastifyInstance, account: Account): void {
  http.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  http.addHook('preHandler', async (request: FastifyRequest, reply) => {
    account.tick();
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return reply.code(401).header('content-type', 'text/html; charset=UTF-8').send('Unauthorized.');
    }
    if (request.headers.accept !== 'application/json') throw new Refusal(400, { message: 'Bad request.' });
    account.callsLeft -= 1;
    if (account.callsLeft < 0)
      throw new Refusal(429, { message: 'Too Many Attempts.', errors: ['An error occurred'] });
  });
  http.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'Not found.', errors: [] }));
  http.setErrorHandler((error, _request, reply) =>
    error instanceof Refusal
      ? reply.code(error.status).send(error.body)
      : reply.code(500).send({ message: 'Server Error', errors: [String(error)] }),
  );
  for (const [route, [status, answer]] of Object.entries(ROUTES)) {
    const [method = '', url = ''] = route.split(' ');
    http.route({
      method,
      url,
      handler: (request, reply) => {
        const asked = {
          params: request.params as Record<string, string>,
          query: request.query as Record<string, string | undefined>,
          body: (request.body ?? {}) as Record<string, unknown>,
          url: request.url,
        };
        return reply.code(status).send(answer(account, asked));
      },
    });
  }
}

export async function startSendlaneFake(): Promise<SendlaneFake> {
  const account = new Account();
  const server = await startFakeServer((http) => serve(http, account), {
    written: SENDLANE,
    refuse: ({ kind, problems: [message = ''] }) =>
      kind === 'unknown path'
        ? { status: 404, body: { message: 'Not found.', errors: [] } }
        : { status: 422, body: { message: 'The given data was invalid.', errors: { request: [message] } } },
  });

  return {
    ...server,
    credentials: { api_token: TOKEN },
    wrongCredentials: { api_token: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.wrong' },
    accountName: 'Acme Goods',
    addResources(kind, count) {
      return Array.from({ length: count }, () => {
        if (kind === 'fields') return account.addField('text');
        const id = account.next();
        if (kind === 'lists') account.lists.push({ id, list_name: `List ${id}` });
        else if (kind === 'tags') account.tags.push({ id, name: `Tag ${id}` });
        else throw new Error(`Sendlane has no ${kind}`);
        return { id: String(id), name: `${kind === 'lists' ? 'List' : 'Tag'} ${id}` };
      });
    },
    addField: (type) => account.addField(type),
    removeField(field) {
      account.fields = account.fields.filter(({ id }) => id !== field.id);
    },
    addPeople(kind, id, people) {
      for (const person of people) account.addPerson(kind, Number(id), person);
    },
    fieldOf: (email, field) => account.byEmail(email)?.fields.get(Number(field.id)) ?? null,
    addContact: (email) => void account.add(email),
    contact: (email) => account.byEmail(email) ?? null,
    leave(email, listId, at) {
      const contact = account.byEmail(email);
      if (contact !== undefined) account.leave(contact, listId, at);
    },
    queueFor(requests) {
      account.delay = requests;
    },
    allow(calls) {
      account.callsLeft = calls;
    },
    dropSearchBodies(drops) {
      account.dropsSearchBodies = drops;
    },
    holds(email) {
      const contact = account.byEmail(email);
      if (contact === undefined) {
        const isKept = account.suppressed.has(email.toLowerCase());
        return isKept ? { unsubscribed: true, lists: [], tags: [] } : null;
      }
      const isMailed = contact.subscribed && !contact.suppressed;
      return {
        unsubscribed: !isMailed,
        lists: [...contact.lists].flatMap(([id, list]) =>
          isMailed && list.subscribed && !list.suppressed ? [String(id)] : [],
        ),
        tags: [...contact.tags].map(String),
        suppression_groups: [],
        automations: [],
        funnels: [],
      };
    },
  };
}

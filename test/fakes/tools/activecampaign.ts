import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { ACTIVECAMPAIGN } from '#test/fakes/descriptions/activecampaign.ts';
import { type FakePerson, type FakeTool, startFakeServer } from './fake-tool.ts';
import { type FakeWebhook, FakeWebhooks } from './fake-webhooks.ts';

interface ListRow {
  id: string;
  contact: string;
  list: string;
  status: string;
  unsubreason: string | null;
  sourceid: string;
  campaign: string | null;
  message: string | null;
  ip4Unsub: string;
  sdate: string;
  udate: string | null;
}

interface AutomationRow {
  id: string;
  contact: string;
  automation: string;
  status: string;
  completed: number;
}

interface Account {
  nextId: number;
  contacts: { id: string; email: string; deleted: string }[];
  lists: { id: string; name: string; channel: string }[];
  tags: { id: string; tag: string; tagType: string; description: string }[];
  automations: { id: string; name: string; status: string }[];
  fields: { id: string; title: string; perstag: string; type: string }[];
  contactLists: ListRow[];
  contactTags: { id: string; contact: string; tag: string }[];
  contactAutomations: AutomationRow[];
  fieldValues: { id: string; contact: string; field: string; value: string }[];
  exclusions: { id: string; matchPhrase: string; matchType: string; channel: string; lists: string[] }[];
  webhooks: FakeWebhooks;
}

export interface ActivecampaignFake extends FakeTool {
  /** Through the link in a mail. */
  leavesByLink(email: string, list: string): void;
  /** The mail system's or the owner's doing. */
  setStatus(email: string, list: string, status: string): void;
  finishes(email: string, automation: string): void;
  deactivate(automation: string): void;
  /** By whole addresses, or by what they end with; of all lists, or of one. */
  exclude(phrase: string, of?: { matchType?: string; list?: string }): void;
  /** Of the contact with the address, who is kept as deleted. */
  markDeleted(email: string): void;
  removeField(field: Resource): void;
  /** A field that is no text. */
  addField(type: string): Resource;
  /** A tag of mails, no person's. */
  addTemplateTag(): Resource;
  /** How often somebody was put into an automation. */
  runs(email: string): number;
}

const KEY = 'fake-activecampaign-key-0123456789abcdef';
const notFound = (what: string, id: string) => ({ message: `No Result found for ${what} with id ${id}` });
const errors = (status: number, title: string, detail: string) => ({ errors: [{ status, title, detail }] });

const DUPLICATE = {
  errors: [
    {
      title: 'Email address already exists in the system',
      detail: '',
      code: 'duplicate',
      source: { pointer: '/data/attributes/email' },
    },
  ],
};

function newAccount(): Account {
  return {
    nextId: 1,
    contacts: [],
    lists: [],
    tags: [],
    automations: [],
    fields: [],
    contactLists: [],
    contactTags: [],
    contactAutomations: [],
    fieldValues: [],
    exclusions: [],
    webhooks: new FakeWebhooks(),
  };
}

type Inside = Record<string, Record<string, string | number | undefined> | undefined>;

/** What a request holds, inside its one key; numbers and strings are the same to the tool. */
function inside(request: FastifyRequest, key: string): Record<string, string | undefined> {
  const fields = ((request.body ?? {}) as Inside)[key] ?? {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );
}

const idIn = (request: FastifyRequest) => (request.params as { id: string }).id;
const queryOf = (request: FastifyRequest) => request.query as Record<string, string | undefined>;

function page<T>(
  request: FastifyRequest,
  key: string,
  rows: T[],
  usual = 20,
): Record<string, T[]> & { meta: { total: string } } {
  const { limit, offset } = queryOf(request);
  const size = Math.min(Number(limit ?? usual), 100);
  const start = Number(offset ?? 0);
  const found = { [key]: rows.slice(start, start + size) };
  return Object.assign(found, { meta: { total: String(rows.length) } });
}

const SINCE = '2021-04-08T11:17:44-05:00';
const LEFT = '2021-05-12T11:10:06-05:00';
const LINKS = { self: 'https://acme.api-us1.com/api/3' };

/* What the tool tells of each row beside what decides anything here. */

const contactRow = (contact: Account['contacts'][number]) => ({
  ...contact,
  firstName: '',
  lastName: '',
  phone: '',
  bounced_hard: '0',
  bounced_soft: '0',
  bounced_date: null,
  anonymized: '0',
  cdate: SINCE,
  udate: SINCE,
  links: LINKS,
});
const tagRow = (tag: Account['tags'][number]) => ({ ...tag, cdate: SINCE });
const contactListRow = (row: ListRow) => ({ ...row, links: LINKS });
const contactTagRow = (row: Account['contactTags'][number]) => ({ ...row, cdate: SINCE, links: LINKS });
const contactAutomationRow = (row: AutomationRow) => ({
  ...row,
  seriesid: row.automation,
  adddate: SINCE,
  remdate: row.status === '2' ? LEFT : null,
});

const sameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function byEmail(account: Account, email: string) {
  return account.contacts.find((contact) => sameAddress(contact.email, email));
}

const newId = (account: Account) => String((account.nextId += 1));
function addContact(account: Account, email: string) {
  const contact = { id: newId(account), email, deleted: '0' };
  account.contacts.push(contact);
  return contact;
}

function putOnList(account: Account, contact: string, list: string): ListRow {
  const found = account.contactLists.find((row) => row.contact === contact && row.list === list);
  if (found) return found;
  const row: ListRow = {
    id: newId(account),
    contact,
    list,
    status: '1',
    unsubreason: '',
    sourceid: '0',
    campaign: null,
    message: null,
    ip4Unsub: '0',
    sdate: SINCE,
    udate: null,
  };
  account.contactLists.push(row);
  return row;
}

function putAccount(http: FastifyInstance, account: Account): void {
  http.get('/users/me', () => ({
    user: {
      id: '1',
      username: 'jdoe',
      firstName: 'John',
      lastName: 'Doe',
      email: 'johndoe@example.com',
      phone: '',
      signature: null,
      links: LINKS,
    },
  }));
  http.get('/lists', (request) => {
    const rows = account.lists.map((list) => ({
      ...list,
      stringid: `list-${list.id}`,
      userid: '1',
      cdate: SINCE,
      private: '0',
      get_unsubscribe_reason: '0',
      links: LINKS,
    }));
    return page(request, 'lists', rows);
  });
  http.get('/tags', (request) => page(request, 'tags', account.tags.map(tagRow)));
  http.get('/automations', (request) => {
    const rows = account.automations.map((one) => ({
      ...one,
      cdate: SINCE,
      mdate: SINCE,
      userid: '1',
      entered: '0',
      exited: '0',
      hidden: '0',
    }));
    const { meta, ...found } = page(request, 'automations', rows);
    return { ...found, meta: { ...meta, starts: [] } };
  });
  http.get('/fields', (request) => ({
    fieldOptions: [],
    fieldRels: [],
    ...page(
      request,
      'fields',
      account.fields.map((field) => ({
        ...field,
        isrequired: '0',
        defval: null,
        visible: '1',
        options: [],
        relations: [],
      })),
      100,
    ),
  }));
  http.get('/lists/exclusions', (request) => {
    const phrase = queryOf(request)['filters[matchPhrase]'] ?? '';
    const found = account.exclusions.filter(({ matchPhrase }) => matchPhrase.includes(phrase));
    const rows = found.map((one) => ({ ...one, hidden: false }));
    // A number, only here.
    return { ...page(request, 'exclusions', rows), meta: { total: found.length } };
  });
  http.post('/tags', (request, reply) => {
    const { tag = '', tagType = '' } = inside(request, 'tag');
    if (account.tags.some((one) => sameAddress(one.tag, tag))) {
      return reply.code(422).send({ errors: [{ title: 'The tag exists', detail: '', code: 'duplicate' }] });
    }
    const made = { id: newId(account), tag, tagType, description: '' };
    account.tags.push(made);
    return reply.code(201).send({ tag: tagRow(made) });
  });
}

/** Without a status, or with one of a list: of those who have it in any list. */
function contactsFor(account: Account, query: Record<string, string | undefined>) {
  const { email, listid, tagid, id_greater: after, status = '-1' } = query;
  const rowsOf = (id: string) => account.contactLists.filter(({ contact }) => contact === id);
  const found = account.contacts.filter(
    (contact) =>
      (email === undefined || sameAddress(contact.email, email)) &&
      (listid === undefined || rowsOf(contact.id).some(({ list }) => list === listid)) &&
      (tagid === undefined ||
        account.contactTags.some((row) => row.tag === tagid && row.contact === contact.id)) &&
      (status === '-1' || rowsOf(contact.id).some((row) => row.status === status)) &&
      (after === undefined || Number(contact.id) > Number(after)),
  );
  const order = query['orders[id]'] === 'ASC' ? 1 : -1;
  return found.toSorted((one, other) => order * (Number(one.id) - Number(other.id)));
}

/** Fields that are not there are passed over. */
function setFields(account: Account, contact: string, request: FastifyRequest) {
  const body = request.body as { contact?: { fieldValues?: { field: number; value: string }[] } } | null;
  const given = (body?.contact?.fieldValues ?? []).map((one) => ({ ...one, field: String(one.field) }));
  const taken = given.filter(({ field }) => account.fields.some(({ id }) => id === field));
  for (const { field, value } of taken) {
    const others = account.fieldValues.filter((row) => row.contact !== contact || row.field !== field);
    account.fieldValues = [...others, { id: newId(account), contact, field, value }];
  }
  return taken.map((one) => ({ contact, ...one }));
}

function putContacts(http: FastifyInstance, account: Account): void {
  const absent = (reply: FastifyReply, id: string) => reply.code(404).send(notFound('Subscriber', id));
  const known = (id: string) => account.contacts.find((contact) => contact.id === id);

  http.get('/contacts', (request) => {
    const { include } = queryOf(request);
    const { meta, ...found } = page(
      request,
      'contacts',
      contactsFor(account, queryOf(request)).map(contactRow),
    );
    const ids = new Set(found['contacts']?.map(({ id }) => id));
    const contactLists = account.contactLists.filter(({ contact }) => ids.has(contact)).map(contactListRow);
    return {
      scoreValues: [],
      ...(include === 'contactLists' && { contactLists }),
      ...found,
      meta: { ...meta, page_input: {} },
    };
  });
  http.post('/contact/sync', (request, reply) => {
    const { email } = inside(request, 'contact');
    if (email === undefined) return reply.code(400).send({});
    const known = byEmail(account, email);
    const contact = known ?? addContact(account, email);
    return reply.code(known === undefined ? 201 : 200).send({ contact: contactRow(contact) });
  });
  http.put('/contacts/:id', (request, reply) => {
    const contact = known(idIn(request));
    if (contact === undefined) return absent(reply, idIn(request));
    const { email = contact.email } = inside(request, 'contact');
    const holder = byEmail(account, email);
    if (holder !== undefined && holder !== contact) return reply.code(422).send(DUPLICATE);
    contact.email = email;
    return { fieldValues: setFields(account, contact.id, request), contact: contactRow(contact) };
  });
  http.delete('/contacts/:id', (request, reply) => {
    const id = idIn(request);
    if (known(id) === undefined) return absent(reply, id);
    account.contacts = account.contacts.filter((contact) => contact.id !== id);
    account.contactLists = account.contactLists.filter(({ contact }) => contact !== id);
    account.contactTags = account.contactTags.filter(({ contact }) => contact !== id);
    account.contactAutomations = account.contactAutomations.filter(({ contact }) => contact !== id);
    return {};
  });
}

function putBelowContacts(http: FastifyInstance, account: Account): void {
  const rowsOf = {
    contactLists: () => account.contactLists.map(contactListRow),
    contactTags: () => account.contactTags.map(contactTagRow),
    contactAutomations: () => account.contactAutomations.map(contactAutomationRow),
    fieldValues: () => account.fieldValues,
  };
  for (const key of ['contactLists', 'contactTags', 'contactAutomations', 'fieldValues'] as const) {
    http.get(`/contacts/:id/${key}`, (request, reply) => {
      const id = idIn(request);
      if (!account.contacts.some((contact) => contact.id === id)) {
        return reply.code(404).send(notFound('Subscriber', id));
      }
      const rows: { contact: string }[] = rowsOf[key]();
      return page(
        request,
        key,
        rows.filter(({ contact }) => contact === id),
      );
    });
  }
}

function putBindings(http: FastifyInstance, account: Account): void {
  const isKnown = (contact: string) => account.contacts.some(({ id }) => id === contact);

  http.post('/contactLists', (request, reply) => {
    const { list, contact, status, sourceid = '0' } = inside(request, 'contactList');
    const exists = account.lists.some(({ id }) => id === list);
    if (!list || !contact || !status || !exists || !isKnown(contact)) return reply.code(400).send({});
    const row = putOnList(account, contact, list);
    // Nothing stops a status of 1 from reviving somebody.
    const udate = status === '2' ? LEFT : null;
    Object.assign(row, {
      status,
      udate,
      sourceid,
      campaign: null,
      message: null,
      ip4Unsub: '0',
      unsubreason: '',
    });
    return { contactList: { ...contactListRow(row), status: Number(status) } };
  });
  http.post('/contactTags', (request, reply) => {
    const { contact, tag } = inside(request, 'contactTag');
    if (!contact || !tag)
      return reply.code(422).send(errors(422, 'Unprocessable', 'An attribute is missing'));
    if (!isKnown(contact)) return reply.code(404).send(errors(404, 'Not Found', 'Contact not found'));
    if (!account.tags.some(({ id }) => id === tag)) {
      return reply.code(404).send(errors(404, 'Not Found', 'Tag not found'));
    }
    const held = account.contactTags.find((row) => row.contact === contact && row.tag === tag);
    if (held !== undefined) return { contactTag: contactTagRow(held) };
    const row = { id: newId(account), contact, tag };
    account.contactTags.push(row);
    return reply.code(201).send({ contactTag: contactTagRow(row) });
  });
  http.delete('/contactTags/:id', (request, reply) => {
    const index = account.contactTags.findIndex(({ id }) => id === idIn(request));
    if (index < 0) return reply.code(404).send(notFound('SubscriberTag', idIn(request)));
    account.contactTags.splice(index, 1);
    return {};
  });
  http.post('/contactAutomations', (request, reply) => {
    const { contact = '', automation = '' } = inside(request, 'contactAutomation');
    const takes = account.automations.some(({ id, status }) => id === automation && status === '1');
    if (!takes || !isKnown(contact)) {
      return reply.code(403).send({ message: 'Could not create SubscriberSeries' });
    }
    const row = { id: newId(account), contact, automation, status: '1', completed: 0 };
    account.contactAutomations.push(row);
    const contactAutomation = {
      ...row,
      seriesid: automation,
      startid: 0,
      status: 1,
      completeValue: 50,
    };
    return reply.code(201).send({ contacts: [], contactAutomation });
  });
  http.delete('/contactAutomations/:id', (request, reply) => {
    const index = account.contactAutomations.findIndex(({ id }) => id === idIn(request));
    if (index < 0) return reply.code(403).send(notFound('SubscriberSeries', idIn(request)));
    account.contactAutomations.splice(index, 1);
    return {};
  });
}

function putWebhooks(http: FastifyInstance, { webhooks }: Account): void {
  interface Written {
    name: string;
    url: string;
    events: string[];
    sources: string[];
  }
  const bodyOf = (request: FastifyRequest) => (request.body as { webhook: Written }).webhook;
  const row = ({ id, url, events, told }: FakeWebhook) => ({
    id,
    url,
    events,
    ...told,
    listid: '0',
    cdate: SINCE,
    links: LINKS,
  });
  http.get('/webhooks', (request) => page(request, 'webhooks', webhooks.all.map(row)));
  http.post('/webhooks', (request, reply) => {
    const { url, events, name, sources } = bodyOf(request);
    return reply.code(201).send({ webhook: row(webhooks.add({ url, events, told: { name, sources } })) });
  });
  http.put('/webhooks/:id', (request, reply) => {
    const webhook = webhooks.find(idIn(request));
    if (webhook === undefined) return reply.code(404).send(notFound('Webhook', idIn(request)));
    const { url, events, name, sources } = bodyOf(request);
    Object.assign(webhook, { url, events: events.toSorted(), told: { name, sources } });
    return { webhook: row(webhook) };
  });
  http.delete('/webhooks/:id', (request, reply) =>
    webhooks.remove(idIn(request)) ? {} : reply.code(404).send(notFound('Webhook', idIn(request))),
  );
}

function addResource(account: Account, kind: ResourceKind): Resource {
  const id = newId(account);
  const name = `${kind} ${id}`;
  if (kind === 'lists') account.lists.push({ id, name, channel: 'email' });
  else if (kind === 'tags') account.tags.push({ id, tag: name, tagType: 'contact', description: '' });
  else if (kind === 'automations') account.automations.push({ id, name, status: '1' });
  else if (kind === 'fields') {
    account.fields.push({ id, title: name, perstag: `FIELD_${id}`, type: 'text' });
    return { id: `${id}:FIELD_${id}`, name };
  }
  return { id, name };
}

const STATUS_OF = { subscribed: '1', unsubscribed: '2', unclear: '0' } as const;

function addPerson(account: Account, kind: 'lists' | 'tags', of: string, person: FakePerson): void {
  const { id } = addContact(account, person.email);
  if (kind === 'tags') account.contactTags.push({ id: newId(account), contact: id, tag: of });
  const list = kind === 'lists' ? of : (account.lists[0] ?? addResource(account, 'lists')).id;
  putOnList(account, id, list).status = STATUS_OF[person.state];
}

function holds(account: Account, email: string) {
  const contact = byEmail(account, email);
  if (contact === undefined) return null;
  const isTheirs = (row: { contact: string }) => row.contact === contact.id;
  const lists = account.contactLists.filter(isTheirs);
  const isMailed = lists.some(({ status }) => status === '1' || status === '0');
  return {
    unsubscribed: lists.length > 0 && !isMailed,
    lists: lists.filter(({ status }) => status === '1').map(({ list }) => list),
    tags: account.contactTags.filter(isTheirs).map(({ tag }) => tag),
    suppression_groups: [],
    automations: account.contactAutomations
      .filter((row) => isTheirs(row) && row.status === '1')
      .map(({ automation }) => automation),
    funnels: [],
  };
}

function serve(http: FastifyInstance, account: Account): void {
  http.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'No Result found' }));
  http.addHook('preHandler', async (request, reply) => {
    if (request.headers['api-token'] !== KEY) return reply.code(403).send({ message: 'Forbidden' });
  });
  void http.register(
    async (api) => {
      putAccount(api, account);
      putContacts(api, account);
      putBelowContacts(api, account);
      putBindings(api, account);
      putWebhooks(api, account);
    },
    { prefix: '/api/3' },
  );
}

/** An account of ActiveCampaign, API v3. */
export async function startActivecampaignFake(): Promise<ActivecampaignFake> {
  const account = newAccount();
  const server = await startFakeServer((http) => serve(http, account), {
    distilled: ['answers/activecampaign'],
    written: ACTIVECAMPAIGN,
    basePath: '/api/3',
    refuse: ({ kind, problems: [detail = ''] }) =>
      kind === 'unknown path'
        ? { status: 404, body: { message: 'No Result found' } }
        : { status: 422, body: errors(422, 'Unprocessable', detail) },
  });
  const idOf = (email: string) => (byEmail(account, email) ?? addContact(account, email)).id;

  return {
    ...server,
    url: `${server.url}/api/3`,
    credentials: { api_url: 'https://acme.api-us1.com', api_key: KEY },
    wrongCredentials: { api_url: 'https://acme.api-us1.com', api_key: 'wrong-activecampaign-key-0123456789' },
    accountName: 'acme.api-us1.com',
    webhooks: account.webhooks,
    addResources: (kind, count) => Array.from({ length: count }, () => addResource(account, kind)),
    addContact: (email) => void addContact(account, email),
    addPeople(kind, id, people) {
      for (const person of people) addPerson(account, kind, id, person);
    },
    fieldOf(email, field) {
      const number = field.id.split(':')[0];
      const contact = byEmail(account, email)?.id;
      const row = account.fieldValues.find((one) => one.contact === contact && one.field === number);
      return row?.value ?? null;
    },
    holds: (email) => holds(account, email),
    leavesByLink(email, list) {
      const mail = { campaign: '7', message: '9', ip4Unsub: '2130706433', udate: LEFT };
      Object.assign(putOnList(account, idOf(email), list), { status: '2', ...mail });
    },
    setStatus(email, list, status) {
      putOnList(account, idOf(email), list).status = status;
    },
    finishes(email, automation) {
      const contact = idOf(email);
      for (const row of account.contactAutomations) {
        if (row.contact !== contact || row.automation !== automation) continue;
        Object.assign(row, { status: '2', completed: 1 });
      }
    },
    deactivate(automation) {
      for (const one of account.automations) if (one.id === automation) one.status = '2';
    },
    exclude(phrase, { matchType = 'exact', list } = {}) {
      const reach =
        list === undefined ? { channel: 'all', lists: [] } : { channel: 'several', lists: [list] };
      account.exclusions.push({ id: newId(account), matchPhrase: phrase, matchType, ...reach });
    },
    markDeleted(email) {
      const contact = byEmail(account, email);
      if (contact !== undefined) contact.deleted = '1';
    },
    removeField(field) {
      account.fields = account.fields.filter(({ id }) => id !== field.id.split(':')[0]);
    },
    addField(type) {
      const made = addResource(account, 'fields');
      for (const one of account.fields) if (made.id.startsWith(`${one.id}:`)) one.type = type;
      return made;
    },
    addTemplateTag() {
      const tag = { id: newId(account), tag: 'A kind of mail', tagType: 'template', description: '' };
      account.tags.push(tag);
      return { id: tag.id, name: tag.tag };
    },
    runs: (email) => account.contactAutomations.filter(({ contact }) => contact === idOf(email)).length,
  };
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { CAMPAIGN_MONITOR } from '#test/fakes/descriptions/campaign-monitor.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakeTool, startFakeServer } from './fake-tool.ts';
import { FakeWebhooks } from './fake-webhooks.ts';

const API_KEY = '639d8cc27198202f5fe6037a8b17a29a59984b86d3289bc9';
const CLIENT_ID = '4a397ccaaa55eb4e6aa1221e1e2d7122';
const BASE = '/api/v3.3';

type State = 'Active' | 'Unconfirmed' | 'Unsubscribed' | 'Bounced' | 'Deleted';

export interface CampaignMonitorSubscriber {
  email: string;
  name: string;
  state: State;
  consentToTrack: string;
  custom: { Key: string; Value: string }[];
}

interface List {
  id: string;
  name: string;
  unsubscribeSetting: 'AllClientLists' | 'OnlyThisList';
  isConfirmedOptIn: boolean;
  fields: string[];
  /** Those of them that are not of text. */
  types: Record<string, string>;
  /** By the address in lower case. */
  people: Map<string, CampaignMonitorSubscriber>;
}

export interface CampaignMonitorFake extends FakeTool {
  webhooks: FakeWebhooks;
  oauth: LoginFake;
  subscriber(listId: string, email: string): CampaignMonitorSubscriber | undefined;
  put(listId: string, email: string, state: State): void;
  set(
    listId: string,
    settings: Partial<Pick<List, 'unsubscribeSetting' | 'isConfirmedOptIn' | 'fields' | 'types'>>,
  ): void;
  suppressed(email: string, reason: string): void;
  /** By the owner, in the tool. */
  unsuppressed(email: string): void;
}

const INACTIVE_CODES = { Deleted: 205, Unsubscribed: 206, Bounced: 207, Unconfirmed: 208 } as const;
const MESSAGES: Readonly<Record<number, string>> = {
  1: 'Invalid Email Address',
  100: 'Invalid API Key',
  101: 'Invalid ListID',
  102: 'Invalid ClientID',
  176: 'Email address is not in the suppression list',
  201: 'Already Subscribed',
  203: 'Subscriber not in list or has already been removed.',
  209: 'Too many subscribers',
  210: 'Subscriber Import had some failures',
  211: 'Invalid New Email Address',
  212: 'No subscribers',
  214: 'ConsentToTrack value required',
};

const fail = (reply: FastifyReply, status: number, code: number, data?: object) =>
  reply
    .code(status)
    .send({ ...(data && { ResultData: data }), Code: code, Message: MESSAGES[code] ?? 'Refused' });

const lower = (email: string) => email.toLowerCase();
const isAddress = (email: unknown): email is string =>
  typeof email === 'string' && /^\S+@\S+\.\w+$/.test(email);

/** Without spaces. */
const keyOf = (name: string) => name.replaceAll(' ', '');

interface Written {
  EmailAddress?: unknown;
  Name?: string;
  ConsentToTrack?: string;
  CustomFields?: { Key: string; Value: string }[];
  Resubscribe?: boolean;
}

class Client {
  lists: List[] = [];
  readonly webhooks = new FakeWebhooks();
  suppressions = new Map<string, { email: string; reason: string }>();

  makeList(): List {
    const list: List = {
      id: `c${(this.lists.length + 1).toString(16).padStart(31, '0')}`,
      name: `List ${this.lists.length + 1}`,
      unsubscribeSetting: 'AllClientLists',
      isConfirmedOptIn: false,
      fields: [],
      types: {},
      people: new Map(),
    };
    this.lists.push(list);
    return list;
  }

  list(id: string): List | undefined {
    return this.lists.find((one) => one.id === id);
  }

  suppress(email: string, reason: string): void {
    this.suppressions.set(lower(email), { email, reason });
    for (const { people, unsubscribeSetting } of this.lists) {
      const person = people.get(lower(email));
      if (person?.state === 'Active' && unsubscribeSetting === 'AllClientLists')
        person.state = 'Unsubscribed';
    }
  }

  /** @returns why not; null: taken */
  take(list: List, written: Written, resubscribe: boolean): number | null {
    const { EmailAddress: email, Name: name, ConsentToTrack: consentToTrack } = written;
    if (!isAddress(email)) return 1;
    if (consentToTrack === undefined) return 214;
    const isKeptOut = list.unsubscribeSetting === 'AllClientLists' && this.suppressions.has(lower(email));
    if (isKeptOut && !resubscribe) return 204;
    const known = list.people.get(lower(email));
    if (known && known.state !== 'Active' && !resubscribe) return INACTIVE_CODES[known.state];
    if (known) {
      known.state = 'Active';
      if (name !== undefined) known.name = name;
    } else {
      const state = list.isConfirmedOptIn ? 'Unconfirmed' : 'Active';
      list.people.set(lower(email), { email, name: name ?? '', state, consentToTrack, custom: [] });
    }
    return null;
  }

  /** Keys may be in brackets, and are kept as the fields' names; what the list does not have is passed over. */
  fill(list: List, person: CampaignMonitorSubscriber, given: { Key: string; Value: string }[]): void {
    for (const { Key: key, Value } of given) {
      const name = list.fields.find((one) => keyOf(one) === key.replaceAll(/[[\]]/g, ''));
      if (name === undefined) continue;
      person.custom = [...person.custom.filter((one) => one.Key !== name), { Key: name, Value }];
    }
  }

  change(list: List, old: string, written: Written): number | null {
    const {
      EmailAddress: email,
      Name: name,
      ConsentToTrack: consentToTrack,
      Resubscribe: resubscribe,
    } = written;
    if (consentToTrack === undefined) return 214;
    const person = list.people.get(lower(old));
    if (person === undefined) return 203;
    if (!isAddress(email)) return 211;
    if (lower(email) !== lower(old) && list.people.has(lower(email))) return 201;
    list.people.delete(lower(old));
    list.people.set(lower(email), person);
    Object.assign(person, { email, name: name ?? '', state: resubscribe ? 'Active' : person.state });
    if (consentToTrack !== 'Unchanged') person.consentToTrack = consentToTrack;
    this.fill(list, person, written.CustomFields ?? []);
    return null;
  }
}

interface OfClient {
  Params: { id: string };
  Querystring: {
    email?: string;
    page?: string;
    pagesize?: string;
    orderfield?: string;
    orderdirection?: string;
  };
  Body: { EmailAddresses?: string[] } | null;
}

const login = () =>
  new LoginFake({
    authorizePath: '/oauth',
    tokenPath: '/oauth/token',
    demands: { type: 'web_server' },
    scopes: {
      separator: ',',
      known: ['ViewReports', 'ManageLists', 'ImportSubscribers', 'ViewSubscribersInReports', 'Automation'],
    },
    pkce: 'unknown',
    reads: 'form',
    refresh: { rotates: true, demandsClient: false },
    life: { seconds: 1_209_600, told: true },
  });

const FIRST_SUPPRESSION = Date.parse('2025-10-26T10:55:31Z');

const TOKEN_CODES = { unknown: 120, expired: 121, revoked: 122 };

function clientRoutes(http: FastifyInstance, client: Client, oauth: LoginFake): void {
  http.addHook('preHandler', async (request, reply) => {
    if (oauth.isOpen(request.url)) return;
    const token = oauth.judge(request.headers.authorization);
    const [scheme, encoded = ''] = (request.headers.authorization ?? '').split(' ');
    const [user] = Buffer.from(encoded, 'base64').toString().split(':');
    if (scheme === 'Bearer' && token !== 'good') return fail(reply, 401, TOKEN_CODES[token]);
    if (scheme !== 'Bearer' && (scheme !== 'Basic' || user !== API_KEY)) return fail(reply, 401, 100);
    const [, id] = /\/clients\/(\w+)/.exec(request.url) ?? [];
    if (id !== undefined && id !== CLIENT_ID) return fail(reply, 401, 102);
  });
  http.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ Code: 404, Message: 'We couldn’t find the resource.' }),
  );
  oauth.addRoutes(http);
  http.get(`${BASE}/clients.json`, () => [
    { ClientID: 'a206def0582eec7dae47d937a4109cb2', Name: 'Client Two' },
    { ClientID: CLIENT_ID, Name: 'Client One' },
  ]);
  http.get(`${BASE}/clients/:id/lists.json`, () =>
    client.lists.map(({ id, name }) => ({ ListID: id, Name: name })),
  );
  http.get<OfClient>(`${BASE}/clients/:id/listsforemail.json`, ({ query: { email = '' } }) =>
    client.lists.flatMap(({ id, name, people }) => {
      const state = people.get(lower(email))?.state;
      if (state === undefined) return [];
      return [
        { ListID: id, ListName: name, SubscriberState: state, DateSubscriberAdded: '2026-08-20 22:32:00' },
      ];
    }),
  );
}

function suppressionRoutes(http: FastifyInstance, client: Client): void {
  http.post<OfClient>(`${BASE}/clients/:id/suppress.json`, ({ body }, reply) => {
    const emails = body?.EmailAddresses ?? [];
    if (!emails.every(isAddress)) return fail(reply, 400, 1);
    for (const email of emails) client.suppress(email, 'Unsubscribed');
    return reply.code(200).send();
  });
  http.put<OfClient>(`${BASE}/clients/:id/unsuppress.json`, ({ query: { email = '' } }, reply) =>
    client.suppressions.delete(lower(email)) ? reply.code(200).send() : fail(reply, 400, 176),
  );
  http.get<OfClient>(`${BASE}/clients/:id/suppressionlist.json`, ({ query }) => {
    const { orderfield = 'email', orderdirection = 'asc' } = query;
    // Each was suppressed after the one before.
    const dated = [...client.suppressions.values()].map((one, index) => ({
      ...one,
      at: new Date(FIRST_SUPPRESSION + index * 1000).toISOString().slice(0, 19).replace('T', ' '),
    }));
    const key = ({ email, at }: (typeof dated)[number]) => (orderfield === 'date' ? at : lower(email));
    const sorted = dated.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
    const all = orderdirection === 'asc' ? sorted : sorted.toReversed();
    const [page, size] = [
      Number(query.page ?? 1),
      Math.min(1000, Math.max(10, Number(query.pagesize ?? 1000))),
    ];
    const results = all.slice((page - 1) * size, page * size);
    return {
      Results: results.map(({ email, reason, at }) => ({
        SuppressionReason: reason,
        EmailAddress: email,
        Date: at,
        State: 'Suppressed',
      })),
      ResultsOrderedBy: orderfield,
      OrderDirection: orderdirection,
      PageNumber: page,
      PageSize: size,
      RecordsOnThisPage: results.length,
      TotalNumberOfRecords: all.length,
      NumberOfPages: Math.max(1, Math.ceil(all.length / size)),
    };
  });
}

interface OfPart {
  Params: { id: string };
  Querystring: { page?: string; pagesize?: string; orderfield?: string; orderdirection?: string };
}

/** As recorded: not all of these answers say it. */
const TELLS_CONSENT: ReadonlySet<string> = new Set(['Unconfirmed']);

function memberRoutes(http: FastifyInstance, client: Client): void {
  for (const state of ['Active', 'Unconfirmed', 'Unsubscribed', 'Bounced', 'Deleted'] as const) {
    http.get<OfPart>(`${BASE}/lists/:id/${lower(state)}.json`, ({ params, query }, reply) => {
      const list = client.list(params.id);
      if (!list) return fail(reply, 401, 101);
      const all = [...list.people.values()].filter((one) => one.state === state);
      const [page, size] = [Number(query.page ?? 1), Number(query.pagesize ?? 1000)];
      if (!(size >= 10 && size <= 1000)) return fail(reply, 400, 1);
      const date = '2010-10-25 10:28:00';
      const results = all.slice((page - 1) * size, page * size).map((person) => ({
        EmailAddress: person.email,
        Name: person.name,
        Date: date,
        ListJoinedDate: date,
        State: person.state,
        CustomFields: person.custom,
        ReadsEmailWith: '',
        ...(TELLS_CONSENT.has(state) && { ConsentToTrack: 'Unchanged', ConsentToSendSms: 'Unchanged' }),
      }));
      return {
        Results: results,
        ResultsOrderedBy: query.orderfield ?? 'email',
        OrderDirection: query.orderdirection ?? 'asc',
        PageNumber: page,
        PageSize: size,
        RecordsOnThisPage: results.length,
        TotalNumberOfRecords: all.length,
        NumberOfPages: Math.ceil(all.length / size),
      };
    });
  }
}

interface OfList {
  Params: { file: string };
  Querystring: { email?: string };
  Body: Written | null;
}

function subscriberRoutes(http: FastifyInstance, client: Client): void {
  const listOf = (file: string) => client.list(file.replace(/\.json$/, ''));
  http.get<OfList>(`${BASE}/subscribers/:file`, ({ params, query: { email = '' } }, reply) => {
    const list = listOf(params.file);
    if (!list) return fail(reply, 401, 101);
    const person = list.people.get(lower(email));
    if (!person) return fail(reply, 400, 203);
    const date = '2026-10-25 10:28:00';
    return {
      EmailAddress: person.email,
      Name: person.name,
      MobileNumber: '',
      Date: date,
      ListJoinedDate: date,
      State: person.state,
      CustomFields: person.custom,
      ReadsEmailWith: '',
    };
  });
  http.put<OfList>(`${BASE}/subscribers/:file`, ({ params, query: { email = '' }, body }, reply) => {
    const list = listOf(params.file);
    if (!list) return fail(reply, 401, 101);
    const code = client.change(list, email, body ?? {});
    return code === null ? reply.code(200).send() : fail(reply, 400, code);
  });
  http.delete<OfList>(`${BASE}/subscribers/:file`, ({ params, query: { email = '' } }, reply) => {
    const list = listOf(params.file);
    if (!list) return fail(reply, 401, 101);
    const person = list.people.get(lower(email));
    if (!person || person.state === 'Deleted') return fail(reply, 400, 203);
    person.state = 'Deleted';
    return reply.code(200).send();
  });
  http.post<OfList>(`${BASE}/subscribers/:file/unsubscribe.json`, ({ params, body }, reply) => {
    const list = listOf(params.file);
    if (!list) return fail(reply, 401, 101);
    const person = list.people.get(lower(String(body?.EmailAddress)));
    if (!person) return fail(reply, 400, 203);
    person.state = 'Unsubscribed';
    if (list.unsubscribeSetting === 'AllClientLists') client.suppress(person.email, 'Unsubscribed');
    return reply.code(200).send();
  });
  http.get<OfList>(`${BASE}/lists/:file/customfields.json`, ({ params }, reply) => {
    const list = client.list(params.file);
    if (!list) return fail(reply, 401, 101);
    return list.fields.map((name) => ({
      FieldName: name,
      Key: `[${keyOf(name)}]`,
      DataType: list.types[name] ?? 'Text',
      FieldOptions: [],
      VisibleInPreferenceCenter: true,
    }));
  });
}

interface Import {
  Params: { id: string };
  Body: { Subscribers?: Written[]; Resubscribe?: boolean } | null;
}

function importRoute(http: FastifyInstance, client: Client): void {
  http.post<Import>(`${BASE}/subscribers/:id/import.json`, ({ params, body }, reply) => {
    const list = client.list(params.id);
    if (!list) return fail(reply, 401, 101);
    const people = body?.Subscribers ?? [];
    if (people.length === 0) return fail(reply, 400, 212);
    if (people.length > 1000) return fail(reply, 400, 209);
    const failures = people.flatMap((one) => {
      const code = client.take(list, one, body?.Resubscribe === true);
      return code === null
        ? []
        : [{ EmailAddress: one.EmailAddress, Code: code, Message: MESSAGES[code] ?? '' }];
    });
    const result = {
      FailureDetails: failures,
      TotalUniqueEmailsSubmitted: people.length,
      TotalExistingSubscribers: 0,
      TotalNewSubscribers: people.length - failures.length,
      DuplicateEmailsInSubmission: [],
    };
    return failures.length > 0 ? fail(reply, 400, 210, result) : reply.code(201).send(result);
  });
}

interface OfWebhook {
  Params: { file: string; id: string };
  Body: { Events: string[]; Url: string; PayloadFormat: string };
}

function webhookRoutes(http: FastifyInstance, client: Client): void {
  const { webhooks } = client;
  http.get<OfWebhook>(`${BASE}/lists/:file/webhooks.json`, ({ params }, reply) => {
    const list = client.list(params.file);
    if (!list) return fail(reply, 401, 101);
    return webhooks.at(list.id).map(({ id, url, events, isOff, told }) => ({
      WebhookID: id,
      Events: events,
      Url: url,
      Status: isOff ? 'Inactive' : 'Active',
      ...told,
    }));
  });
  http.post<OfWebhook>(`${BASE}/lists/:file/webhooks.json`, ({ params, body }, reply) => {
    const list = client.list(params.file);
    if (!list) return fail(reply, 401, 101);
    const { Events: events, Url: url, PayloadFormat: format } = body;
    const told = { PayloadFormat: format === 'json' ? 'Json' : 'Xml' };
    const { id } = webhooks.add({ place: list.id, url, events, told }, (number) =>
      String(number).padStart(32, '0'),
    );
    return reply.code(201).serializer(String).send(JSON.stringify(id));
  });
  http.delete<OfWebhook>(`${BASE}/lists/:file/webhooks/:id`, ({ params }, reply) => {
    const list = client.list(params.file);
    const isGone = list && webhooks.remove(params.id.replace(/\.json$/, ''), list.id);
    return isGone ? reply.code(200).send() : fail(reply, 401, 101);
  });
}

function addResources(client: Client, kind: ResourceKind, count: number): Resource[] {
  if (kind === 'fields') {
    const fields = client.lists[0]?.fields ?? [];
    return Array.from({ length: count }, () => {
      const name = `Field ${fields.length + 1}`;
      fields.push(name);
      return { id: keyOf(name), name };
    });
  }
  if (kind !== 'lists') throw new Error(`Campaign Monitor has no ${kind}`);
  return Array.from({ length: count }, () => {
    const { id, name } = client.makeList();
    return { id, name };
  });
}

const STATE_OF = { subscribed: 'Active', unsubscribed: 'Unsubscribed', unclear: 'Unconfirmed' } as const;

/** Stands for api.createsend.com with one client; a person is known there by being in a list. */
export async function startCampaignMonitorFake(): Promise<CampaignMonitorFake> {
  const client = new Client();
  const house = client.makeList();
  const oauth = login();
  const server = await startFakeServer(
    (http) => {
      clientRoutes(http, client, oauth);
      suppressionRoutes(http, client);
      memberRoutes(http, client);
      subscriberRoutes(http, client);
      importRoute(http, client);
      webhookRoutes(http, client);
    },
    {
      distilled: ['answers/campaign-monitor'],
      written: CAMPAIGN_MONITOR,
      basePath: BASE,
      isOutside: (url) => oauth.isOpen(url),
      refuse: ({ kind, problems: [problem] }) =>
        kind === 'unknown path'
          ? { status: 404, body: { Code: 404, Message: 'We couldn’t find the resource.' } }
          : { status: 400, body: { Code: 400, Message: problem } },
    },
  );
  const put = (listId: string, email: string, state: State) =>
    void client
      .list(listId)
      ?.people.set(lower(email), { email, name: 'Nora', state, consentToTrack: 'Yes', custom: [] });
  return {
    ...server,
    oauth,
    url: `${server.url}${BASE}`,
    credentials: { api_key: API_KEY, client_id: CLIENT_ID },
    wrongCredentials: { api_key: 'ffffffffffffffffffffffffffffffff', client_id: CLIENT_ID },
    accountName: 'Client One',
    webhooks: client.webhooks,
    addResources: (kind, count) => addResources(client, kind, count),
    addContact: (email) => put(house.id, email, 'Active'),
    addPeople(_kind, id, people) {
      for (const { email, state } of people) put(id, email, STATE_OF[state]);
    },
    fieldOf(email, field) {
      const all = client.lists.flatMap(({ people }) => people.get(lower(email))?.custom ?? []);
      return all.find(({ Key: name }) => keyOf(name) === field.id)?.Value ?? null;
    },
    holds: (email) => holds(client, lower(email)),
    subscriber: (listId, email) => client.list(listId)?.people.get(lower(email)),
    put,
    set: (listId, settings) => void Object.assign(client.list(listId) ?? {}, settings),
    suppressed: (email, reason) => client.suppress(email, reason),
    unsuppressed: (email) => void client.suppressions.delete(lower(email)),
  };
}

function holds(client: Client, email: string) {
  const isOut = client.suppressions.has(email);
  const lists = client.lists.filter(({ people }) => people.has(email));
  if (lists.length === 0 && !isOut) return null;
  return {
    unsubscribed: isOut,
    lists: lists.filter(({ people }) => people.get(email)?.state === 'Active').map(({ id }) => id),
    tags: [],
    suppression_groups: [],
    automations: [],
    funnels: [],
  };
}

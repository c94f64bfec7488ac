import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { HUBSPOT } from '#test/fakes/descriptions/hubspot.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakePerson, type FakeTool, startFakeServer } from './fake-tool.ts';

type Status = 'SUBSCRIBED' | 'UNSUBSCRIBED' | 'NOT_SPECIFIED';

interface TypeStatus {
  status: Status;
  source: string;
  timestamp: string;
  legalBasis: string | null;
  legalBasisExplanation: string | null;
}

interface SubscriptionType {
  id: string;
  name: string;
  isActive: boolean;
  isInternal: boolean;
  /** The brand's. */
  businessUnitId: number;
}

/** Of an address, whether there is a contact with it or not. */
interface Consent {
  /** Out of everything: of a brand, by its id, or of the whole account. */
  wide: Map<number | 'account', { at: string; source: string }>;
  /** Told of the account, too, and no opt-out. */
  isUnspecified: boolean;
  types: Map<number, TypeStatus>;
}

interface Contact {
  id: number;
  email: string;
  additional: string[];
  changedAt: number;
  bounce: string | null;
  isMarketing: boolean;
  values: Record<string, string>;
}

interface List {
  listId: string;
  name: string;
  processingType: 'MANUAL' | 'SNAPSHOT' | 'DYNAMIC';
  /** Since when. */
  members: Map<string, string>;
}

interface Property {
  name: string;
  label: string;
  type: string;
  hidden: boolean;
  calculated: boolean;
  hubspotDefined: boolean;
  modificationMetadata: { readOnlyValue: boolean };
}

interface Account {
  /** Contacts, those that are gone included. */
  made: number;
  contacts: Contact[];
  consents: Map<string, Consent>;
  types: SubscriptionType[];
  lists: List[];
  properties: Property[];
  demandsLegalBasis: boolean;
  hidesExplanations: boolean;
  hasStatusBatches: boolean;
  now: number;
}

export interface HubspotFake extends FakeTool {
  oauth: LoginFake;
  /** What the person did in HubSpot: out of one type, or of everything. */
  optOut(email: string, type?: string): void;
  /** The same of everything that one brand sends. */
  optOutOfBrand(email: string, brand: number): void;
  hasLeftBrand(email: string, brand: number): boolean;
  /** A type of another brand: the account then has the Brands add-on. */
  addBrandType(brand: number): Resource;
  /** Brands are there no more. */
  removeBrands(): void;
  /** One of HubSpot's own, such as "One to One". */
  addInternalType(name: string): Resource;
  /** The account's wide status of somebody is told as NOT_SPECIFIED. */
  leaveUnspecified(email: string): void;
  /** What came by the API is told without its explanation, as some of HubSpot's answers are. */
  hideExplanations(does: boolean): void;
  /** Of the address only. */
  statusOf(email: string, type: string): Status;
  isOutOfAll(email: string): boolean;
  addAdditionalAddress(email: string, additional: string): void;
  addDynamicList(): Resource;
  bounce(email: string): void;
  /** The account's data privacy settings. */
  demandLegalBasis(does: boolean): void;
  removeContact(email: string): void;
  /** Marketing Hub Enterprise, and the scopes for its calls. */
  grantStatusBatches(does: boolean): void;
  /** One of HubSpot's own, or of the owner but not to be filled. */
  addProperty(property: Partial<Property> & { name: string }): void;
  makeNonMarketing(email: string): void;
}

const TOKEN = 'pat-na1-7c1d2e3f-1111-4222-8333-944455566677';
const VERSIONS = ['2026-03', '2026-09'];
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const START = Date.parse('2026-11-21T10:00:00Z');
const LONG_AGO = Date.parse('2025-06-01T10:00:00Z');

type Params = Record<'id' | 'email', string>;
type Fields = Record<string, unknown>;

const bodyOf = (request: FastifyRequest) => (request.body ?? {}) as Fields;

const failureBody = (category: string, message: string, more: Fields = {}) => ({
  status: 'error',
  message,
  correlationId: '6f1f2ad4-7c3c-4a0f-9d0e-0123456789ab',
  category,
  ...more,
});

const refuse = (reply: FastifyReply, status: number, category: string, message: string, more: Fields = {}) =>
  reply.code(status).send(failureBody(category, message, more));

const invalid = (reply: FastifyReply, message: string) => refuse(reply, 400, 'VALIDATION_ERROR', message);
const notFound = (reply: FastifyReply) => refuse(reply, 404, 'OBJECT_NOT_FOUND', 'resource not found');

const PERSON = 'Self Service Subscription Management';
const BY_API = 'Public status API, App ID:5848098';
/** HubSpot's own name of the brand that every account has. */
const ACCOUNT_BRAND = 0;

const tick = (account: Account) => (account.now += 1000);

function consentOf(account: Account, address: string): Consent {
  const email = address.toLowerCase();
  const consent = account.consents.get(email) ?? { wide: new Map(), isUnspecified: false, types: new Map() };
  account.consents.set(email, consent);
  return consent;
}

function contactBy(account: Account, address: string): Contact | undefined {
  const email = address.toLowerCase();
  return account.contacts.find((one) => one.email === email || one.additional.includes(email));
}

/** The contact's mirror of what its address may be sent has changed. */
function touch(account: Account, address: string): void {
  const contact = contactBy(account, address);
  if (contact !== undefined) contact.changedAt = tick(account);
}

const brandsOf = ({ types }: Account) => new Set([ACCOUNT_BRAND, ...types.map((one) => one.businessUnitId)]);

const typeOf = ({ types }: Account, id: string) => types.find((one) => one.id === id);

function statusOf(account: Account, email: string, id: string): TypeStatus {
  const { wide, types } = consentOf(account, email);
  const noBasis = { legalBasis: null, legalBasisExplanation: null };
  const left = wide.get('account') ?? wide.get(typeOf(account, id)?.businessUnitId ?? ACCOUNT_BRAND);
  if (left !== undefined) {
    return { status: 'UNSUBSCRIBED', source: left.source, timestamp: left.at, ...noBasis };
  }
  const timestamp = new Date(START).toISOString();
  return types.get(Number(id)) ?? { status: 'NOT_SPECIFIED', source: 'Not specified', timestamp, ...noBasis };
}

/** @returns undefined for what contacts do not have */
function propertyOf(account: Account, contact: Contact, name: string): string | null | undefined {
  const { wide, types } = consentOf(account, contact.email);
  const plain: Record<string, string | null> = {
    email: contact.email,
    hs_additional_emails: contact.additional.join(';'),
    hs_email_hard_bounce_reason_enum: contact.bounce,
    hs_marketable_status: String(contact.isMarketing),
    ...contact.values,
  };
  if (name in plain) return plain[name];
  const [, brand] = /^business_unit_optout_(\d+)$/.exec(name) ?? [];
  if (brand !== undefined || name === 'hs_email_optout') {
    return wide.has('account') || wide.has(Number(brand ?? ACCOUNT_BRAND)) ? 'true' : null;
  }
  const [, type] = /^hs_email_optout_(\d+)$/.exec(name) ?? [];
  if (type === undefined) return undefined;
  const isOut =
    wide.size === 0
      ? types.get(Number(type))?.status === 'UNSUBSCRIBED'
      : statusOf(account, contact.email, type).status === 'UNSUBSCRIBED';
  return isOut ? 'true' : null;
}

/** @param wanted the properties that were asked for; some come always */
function show(account: Account, contact: Contact, wanted: readonly string[] = ['email']) {
  const updatedAt = new Date(contact.changedAt).toISOString();
  const asked = wanted.flatMap((name) => {
    const value = propertyOf(account, contact, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    id: String(contact.id),
    properties: {
      createdate: updatedAt,
      hs_object_id: String(contact.id),
      lastmodifieddate: updatedAt,
      ...(Object.fromEntries(asked) as Record<string, string | null>),
    },
    createdAt: updatedAt,
    updatedAt,
    archived: false,
    url: `https://app.hubspot.com/contacts/123456/record/0-1/${contact.id}`,
  };
}

function makeContact(account: Account, email: string, changedAt = tick(account)): Contact {
  account.made += 1;
  const made: Contact = {
    id: 37_765_128_952 + account.made,
    email: email.toLowerCase(),
    additional: [],
    changedAt,
    bounce: null,
    isMarketing: true,
    values: {},
  };
  account.contacts.push(made);
  return made;
}

function problemWith(account: Account, name: string): object | null {
  const property = account.properties.find((one) => one.name === name);
  if (property === undefined) {
    return {
      isValid: false,
      message: `Property "${name}" does not exist`,
      error: 'PROPERTY_DOESNT_EXIST',
      name,
    };
  }
  if (!property.calculated && !property.modificationMetadata.readOnlyValue) return null;
  const message = `${name} is a read only property; its value cannot be set`;
  return { isValid: false, message, error: 'READ_ONLY_VALUE', name };
}

function addSearchRoute(http: FastifyInstance, account: Account, at: string): void {
  http.post(`${at}/search`, (request, reply) => {
    const {
      filterGroups,
      properties,
      limit = 10,
      after = '0',
    } = bodyOf(request) as {
      properties: string[];
      filterGroups: { filters: { propertyName: string; operator: string; value: string }[] }[];
      limit?: number;
      after?: string;
    };
    const [filter] = filterGroups[0]?.filters ?? [];
    if (limit > 200) return invalid(reply, 'limit must be at most 200');
    if (filter?.propertyName !== 'lastmodifieddate' || filter.operator !== 'GTE') {
      return invalid(reply, 'This filter is not in the fake.');
    }
    const rows = account.contacts
      .filter(({ changedAt }) => changedAt >= Number(filter.value))
      .toSorted((a, b) => a.changedAt - b.changedAt);
    const end = Number(after) + limit;
    const paging = end < rows.length ? { next: { after: String(end), link: null } } : undefined;
    const results = rows.slice(Number(after), end).map((one) => show(account, one, properties));
    return { total: rows.length, results, paging };
  });
}

function addBatchRoutes(http: FastifyInstance, account: Account, at: string): void {
  http.post(`${at}/batch/read`, (request) => {
    const { inputs, properties, idProperty } = bodyOf(request) as {
      inputs: { id: string }[];
      properties: string[];
      idProperty?: string;
    };
    const ids = new Set(inputs.map(({ id }) => id.toLowerCase()));
    const keyOf = ({ id, email }: Contact) => (idProperty === 'email' ? email : String(id));
    // Who is not there is not in the answer, which does not tell what was asked for either.
    const results = account.contacts.filter((one) => ids.has(keyOf(one)));
    return envelope(results.map((one) => show(account, one, properties)));
  });

  // All of them or nobody.
  http.post(`${at}/batch/create`, (request, reply) => {
    const { inputs } = bodyOf(request) as { inputs: { properties: { email?: string } }[] };
    const emails = inputs.map(({ properties: { email = '' } }) => email);
    if (emails.some((email) => !EMAIL.test(email))) return invalid(reply, 'Property values were not valid');
    const taken = emails.map((email) => contactBy(account, email)).find((one) => one !== undefined);
    if (taken !== undefined) {
      return refuse(reply, 409, 'CONFLICT', `Contact already exists. Existing ID: ${taken.id}`);
    }
    const made = emails.map((email) => show(account, makeContact(account, email)));
    return reply.code(201).send(envelope(made));
  });
}

function addContactRoutes(http: FastifyInstance, account: Account, version: string): void {
  const at = `/crm/objects/${version}/contacts`;
  const emailIn = (request: FastifyRequest) => {
    const { email } = (bodyOf(request).properties ?? {}) as Fields;
    return typeof email === 'string' ? email : '';
  };

  http.get<{ Params: Params }>(`${at}/:id`, (request, reply) => {
    const { id } = request.params;
    const isByEmail = (request.query as Fields).idProperty === 'email';
    const contact = isByEmail
      ? contactBy(account, id)
      : account.contacts.find((one) => String(one.id) === id);
    const { properties } = request.query as { properties?: string };
    return contact === undefined ? notFound(reply) : show(account, contact, properties?.split(','));
  });

  http.post(at, (request, reply) => {
    const email = emailIn(request);
    if (!EMAIL.test(email)) return invalid(reply, 'Property values were not valid');
    const taken = contactBy(account, email);
    if (taken !== undefined) {
      return refuse(reply, 409, 'CONFLICT', `Contact already exists. Existing ID: ${taken.id}`);
    }
    return reply.code(201).send(show(account, makeContact(account, email)));
  });

  http.patch<{ Params: Params }>(`${at}/:id`, (request, reply) => {
    const contact = account.contacts.find(({ id }) => String(id) === request.params.id);
    if (contact === undefined) return notFound(reply);
    const given = (bodyOf(request).properties ?? {}) as Record<string, string>;
    for (const [name, value] of Object.entries(given).filter(([key]) => key !== 'email')) {
      const problem = problemWith(account, name);
      if (problem !== null) {
        return invalid(reply, `Property values were not valid: ${JSON.stringify([problem])}`);
      }
      contact.values[name] = value;
      contact.changedAt = tick(account);
    }
    if (given.email === undefined) return show(account, contact);
    const email = emailIn(request).toLowerCase();
    if (!EMAIL.test(email)) return invalid(reply, 'Property values were not valid');
    const taken = contactBy(account, email);
    if (taken !== undefined && taken !== contact) {
      const message = `A contact with email ${email} already exists. Existing ID: ${taken.id}`;
      const errors = [{ message, in: 'email' }];
      return refuse(reply, 409, 'OBJECT_ALREADY_EXISTS', 'The object exists already.', { errors });
    }
    contact.additional = contact.additional.filter((one) => one !== email);
    contact.email = email;
    contact.changedAt = tick(account);
    return show(account, contact);
  });

  addBatchRoutes(http, account, at);
  addSearchRoute(http, account, at);
  http.get(`/crm/properties/${version}/contacts`, () => ({
    results: account.properties.map((property) => ({
      fieldType: 'text',
      groupName: 'contactinformation',
      description: '',
      options: [],
      hasUniqueValue: false,
      dataSensitivity: 'non_sensitive',
      ...property,
      modificationMetadata: { archivable: true, readOnlyDefinition: false, ...property.modificationMetadata },
    })),
  }));
}

function envelope(results: unknown[]) {
  const at = new Date(START).toISOString();
  return { status: 'COMPLETE', results, startedAt: at, completedAt: at };
}

function statusRow(account: Account, email: string, { id, name, businessUnitId }: SubscriptionType) {
  const found = statusOf(account, email, id);
  const isHidden = account.hidesExplanations && found.source === BY_API;
  return {
    ...found,
    ...(isHidden && { legalBasis: null, legalBasisExplanation: null }),
    businessUnitId,
    channel: 'EMAIL',
    subscriberIdString: email,
    subscriptionId: Number(id),
    subscriptionName: name,
    setStatusSuccessReason: null,
  };
}

function addStatusRoutes(http: FastifyInstance, account: Account, version: string): void {
  const at = `/communication-preferences/${version}`;
  const isOf = ({ businessUnitId: brand }: Fields, id: number) => brand === undefined || Number(brand) === id;
  http.get(`${at}/definitions`, ({ query }) => {
    const types = account.types.filter((one) => isOf(query as Fields, one.businessUnitId));
    const since = new Date(LONG_AGO).toISOString();
    return envelope(
      types.map((type) => ({
        ...type,
        description: '',
        purpose: 'Marketing',
        communicationMethod: 'Email',
        isDefault: false,
        createdAt: since,
        updatedAt: since,
      })),
    );
  });

  http.get<{ Params: Params }>(`${at}/statuses/:email`, ({ params: { email }, query }) => {
    const types = account.types.filter((one) => isOf(query as Fields, one.businessUnitId));
    return envelope(types.map((type) => statusRow(account, email, type)));
  });

  http.get<{ Params: Params }>(`${at}/statuses/:email/unsubscribe-all`, ({ params: { email } }) =>
    envelope(wideRows(account, email)),
  );
}

/** @returns how it is told, or why it is not done */
function writeStatus(account: Account, email: string, asked: Fields): object | 'no basis' | 'no type' {
  const { statusState, subscriptionId, legalBasis, legalBasisExplanation } = asked;
  const hasBasis = typeof legalBasis === 'string' && typeof legalBasisExplanation === 'string';
  if (account.demandsLegalBasis && !hasBasis) return 'no basis';
  const type = typeOf(account, String(subscriptionId));
  if (type === undefined) return 'no type';
  const before = statusOf(account, email, type.id);
  const consent = consentOf(account, email);
  const told = (setStatusSuccessReason: string) => ({
    ...statusRow(account, email, type),
    setStatusSuccessReason,
  });
  if (before.status === statusState) return told('NO_STATUS_CHANGE');
  if (statusState === 'SUBSCRIBED') {
    consent.wide.delete('account');
    consent.wide.delete(type.businessUnitId);
  }
  touch(account, email);
  consent.types.set(Number(type.id), {
    status: statusState as Status,
    source: BY_API,
    timestamp: new Date(tick(account)).toISOString(),
    legalBasis: hasBasis ? legalBasis : null,
    legalBasisExplanation: hasBasis ? legalBasisExplanation : null,
  });
  const isBack = before.status === 'UNSUBSCRIBED' && statusState === 'SUBSCRIBED';
  return told(isBack ? 'RESUBSCRIBE_OCCURRED' : 'REQUESTED_CHANGE_OCCURRED');
}

function wideRows(account: Account, email: string): object[] {
  const { wide, isUnspecified } = consentOf(account, email);
  const ofAll = { channel: 'EMAIL', subscriberIdString: email };
  const rows = [...wide].map(([scope, { at: timestamp }]) =>
    scope === 'account'
      ? { wideStatusType: 'PORTAL_WIDE', status: 'UNSUBSCRIBED', ...ofAll, timestamp }
      : {
          wideStatusType: 'BUSINESS_UNIT_WIDE',
          businessUnitId: scope,
          status: 'UNSUBSCRIBED',
          ...ofAll,
          timestamp,
        },
  );
  const timestamp = new Date(START).toISOString();
  const none = { wideStatusType: 'PORTAL_WIDE', status: 'NOT_SPECIFIED', ...ofAll, timestamp };
  return isUnspecified ? [...rows, none] : rows;
}

/** Of many addresses, only with Marketing Hub Enterprise. */
function addStatusBatchRoutes(http: FastifyInstance, account: Account, version: string): void {
  const at = `/communication-preferences/${version}/statuses/batch`;
  const route = (path: string, answer: (inputs: unknown[], reply: FastifyReply) => object) =>
    http.post(`${at}/${path}`, (request, reply) => {
      if (account.hasStatusBatches) return answer(bodyOf(request)['inputs'] as unknown[], reply);
      return refuse(reply, 403, 'MISSING_SCOPES', 'This app has not been granted all required scopes.');
    });

  route('read', (inputs) =>
    envelope(
      inputs.map(String).map((email) => ({
        subscriberIdString: email,
        statuses: account.types.map((type) => statusRow(account, email, type)),
      })),
    ),
  );
  route('unsubscribe-all/read', (inputs) =>
    envelope(
      inputs
        .map(String)
        .map((email) => ({ subscriberIdString: email, wideStatuses: wideRows(account, email) })),
    ),
  );
  route('unsubscribe-all', (inputs, reply) => {
    if (brandsOf(account).size > 1) return invalid(reply, 'businessUnitId is required');
    for (const email of inputs) leaveEverything(account, String(email), 'account', BY_API);
    return envelope(inputs.map((email) => ({ subscriberIdString: email })));
  });
  route('write', (inputs, reply) => {
    const rows = (inputs as Fields[]).map((one) => writeStatus(account, String(one.subscriberIdString), one));
    const written = rows.filter((row) => typeof row === 'object');
    const errors = rows
      .filter((row) => typeof row === 'string')
      .map((row) => failureBody('VALIDATION_ERROR', `The status was not written: ${row}.`));
    if (errors.length === 0) return envelope(written);
    return reply.code(207).send({ ...envelope(written), numErrors: errors.length, errors });
  });
}

function addStatusWriteRoutes(http: FastifyInstance, account: Account, version: string): void {
  const at = `/communication-preferences/${version}`;

  http.post<{ Params: Params }>(`${at}/statuses/:email`, (request, reply) => {
    const row = writeStatus(account, request.params.email, bodyOf(request));
    if (row === 'no basis') return invalid(reply, 'legalBasis is required');
    return row === 'no type' ? notFound(reply) : envelope([row]);
  });

  http.post<{ Params: Params }>(`${at}/statuses/:email/unsubscribe-all`, (request, reply) => {
    const { businessUnitId: brand } = request.query as { businessUnitId?: string };
    const brands = brandsOf(account);
    if (brands.size > 1 && brand === undefined) return invalid(reply, 'businessUnitId is required');
    if (brand !== undefined && !brands.has(Number(brand))) return notFound(reply);
    leaveEverything(account, request.params.email, brand === undefined ? 'account' : Number(brand), BY_API);
    // The statuses come only with `verbose`.
    return envelope([]);
  });
}

function leaveEverything(
  account: Account,
  email: string,
  scope: number | 'account' = 'account',
  source = PERSON,
): void {
  const { wide } = consentOf(account, email);
  if (!wide.has(scope)) wide.set(scope, { at: new Date(tick(account)).toISOString(), source });
  touch(account, email);
}

function addListRoutes(http: FastifyInstance, account: Account, version: string): void {
  const at = `/crm/lists/${version}`;

  http.post(`${at}/search`, (request, reply) => {
    const {
      processingTypes = [],
      listIds = [],
      offset = 0,
      count = 20,
    } = bodyOf(request) as {
      processingTypes?: string[];
      listIds?: string[];
      offset?: number;
      count?: number;
    };
    if (count > 500) return invalid(reply, 'count must be at most 500');
    const rows = account.lists.filter(
      ({ processingType, listId }) =>
        (processingTypes.length === 0 || processingTypes.includes(processingType)) &&
        (listIds.length === 0 || listIds.includes(listId)),
    );
    const end = offset + count;
    const lists = rows.slice(offset, end).map(({ members, ...list }) => ({
      ...list,
      objectTypeId: '0-1',
      processingStatus: 'COMPLETE',
      listVersion: 1,
      createdAt: new Date(LONG_AGO).toISOString(),
      updatedAt: new Date(LONG_AGO).toISOString(),
      additionalProperties: { hs_list_size: String(members.size) },
    }));
    return { lists, hasMore: end < rows.length, offset: Math.min(end, rows.length), total: rows.length };
  });
  addMembershipRoutes(http, account, at);
}

function addMembershipRoutes(http: FastifyInstance, account: Account, at: string): void {
  for (const verb of ['add', 'remove'] as const) {
    http.put<{ Params: Params }>(`${at}/:id/memberships/${verb}`, (request, reply) => {
      const list = account.lists.find(({ listId }) => listId === request.params.id);
      if (list === undefined) return notFound(reply);
      if (list.processingType === 'DYNAMIC') return invalid(reply, 'The list is filled by its filters');
      const ids = Array.isArray(request.body) ? request.body.map(String) : [];
      const known = ids.filter((id) => account.contacts.some((one) => String(one.id) === id));
      const moved = known.filter((id) => list.members.has(id) === (verb === 'remove'));
      for (const id of moved) {
        if (verb === 'add') list.members.set(id, new Date(tick(account)).toISOString());
        else list.members.delete(id);
      }
      return {
        recordsIdsAdded: verb === 'add' ? moved : [],
        recordIdsRemoved: verb === 'remove' ? moved : [],
        recordIdsMissing: ids.filter((id) => !known.includes(id)),
      };
    });
  }

  http.get<{ Params: Params }>(`${at}/:id/memberships`, (request, reply) => {
    const list = account.lists.find(({ listId }) => listId === request.params.id);
    if (list === undefined) return notFound(reply);
    const { limit = '100', after = '0' } = request.query as Record<string, string>;
    // A page begins behind the record that the one before ended with.
    const rows = [...list.members].filter(([id]) => Number(id) > Number(after));
    const results = rows
      .slice(0, Number(limit))
      .map(([recordId, membershipTimestamp]) => ({ recordId, membershipTimestamp }));
    const isMore = rows.length > results.length;
    const last = results.at(-1)?.recordId;
    return {
      results,
      total: list.members.size,
      ...(isMore && { paging: { next: { after: last, link: null } } }),
    };
  });

  http.get<{ Params: Params }>(`${at}/records/0-1/:id/memberships`, ({ params: { id } }) => {
    const results = account.lists.flatMap(({ listId, members }) => {
      const since = members.get(id);
      return since === undefined
        ? []
        : [{ listId, listVersion: 1, firstAddedTimestamp: since, lastAddedTimestamp: since }];
    });
    return { results, total: results.length };
  });
}

const SCOPES = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.lists.read',
  'crm.lists.write',
  'crm.schemas.contacts.read',
  'communication_preferences.read',
  'communication_preferences.write',
];

const login = () =>
  new LoginFake({
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/2026-09/token',
    demands: {},
    scopes: { separator: ' ', known: SCOPES },
    pkce: 'unknown',
    reads: 'form',
    refresh: { rotates: false, demandsClient: true },
    life: { seconds: 1800, told: true },
    alsoAnswers: () => ({ hub_id: 123_456, scopes: SCOPES, user_id: 12 }),
    refuse(reply, error, message) {
      const status = error === 'invalid_grant' ? 'BAD_REFRESH_TOKEN' : 'BAD_CLIENT_SECRET';
      return reply.code(400).send({ status, message });
    },
  });

function addRoutes(http: FastifyInstance, account: Account, oauth: LoginFake): void {
  http.setNotFoundHandler((_request, reply) => notFound(reply));
  http.addHook('onRequest', async (request, reply) => {
    if (oauth.isOpen(request.url) || oauth.isGood(request.headers.authorization)) return;
    if (request.headers.authorization === `Bearer ${TOKEN}`) return;
    const message = 'Authentication credentials not found.';
    return refuse(reply, 401, 'INVALID_AUTHENTICATION', message);
  });
  oauth.addRoutes(http);
  for (const version of VERSIONS) {
    http.get(`/account-info/${version}/details`, () => ({
      portalId: 123_456,
      accountType: 'STANDARD',
      timeZone: 'US/Eastern',
      companyCurrency: 'USD',
      additionalCurrencies: [],
      utcOffset: '-05:00',
      utcOffsetMilliseconds: -18_000_000,
      uiDomain: 'app.hubspot.com',
      dataHostingLocation: 'na1',
    }));
    addContactRoutes(http, account, version);
    addStatusRoutes(http, account, version);
    addStatusWriteRoutes(http, account, version);
    addStatusBatchRoutes(http, account, version);
    addListRoutes(http, account, version);
  }
}

function addList(account: Account, processingType: List['processingType']): Resource {
  const listId = String(800 + account.lists.length);
  const name = `List ${listId}`;
  account.lists.push({ listId, name, processingType, members: new Map() });
  return { id: listId, name };
}

function addType(account: Account, parts: Partial<SubscriptionType>): Resource {
  const id = String(180_551_219 + account.types.length);
  const type = {
    id,
    name: `Type ${id}`,
    isActive: true,
    isInternal: false,
    businessUnitId: ACCOUNT_BRAND,
    ...parts,
  };
  account.types.push(type);
  return { id, name: type.name };
}

function addProperty(account: Account, property: Partial<Property> & { name: string }): void {
  account.properties.push({
    label: property.name,
    type: 'string',
    hidden: false,
    calculated: false,
    hubspotDefined: false,
    modificationMetadata: { readOnlyValue: false },
    ...property,
  });
}

/** Who left is simply in the list no more. */
function addPerson(account: Account, list: string, { email, state }: FakePerson): void {
  const contact = makeContact(account, email, LONG_AGO);
  if (state === 'unclear') contact.bounce = 'UNKNOWN_USER';
  if (state === 'unsubscribed') return;
  const members = account.lists.find(({ listId }) => listId === list)?.members;
  members?.set(String(contact.id), new Date(LONG_AGO).toISOString());
}

/** One of a kind, as the connector should give it. */
function addResource(account: Account, kind: ResourceKind): Resource {
  if (kind === 'lists') return addList(account, account.lists.length % 2 === 0 ? 'MANUAL' : 'SNAPSHOT');
  if (kind === 'suppression_groups') {
    return addType(account, {});
  }
  if (kind !== 'fields') throw new Error(`HubSpot has no ${kind}`);
  const name = `field_${account.properties.length}`;
  addProperty(account, { name, label: `Field ${name}` });
  return { id: name, name: `Field ${name}` };
}

function isOutOfAll(account: Account, email: string): boolean {
  const { wide } = consentOf(account, email);
  return wide.has('account') || [...brandsOf(account)].every((brand) => wide.has(brand));
}

function holds(account: Account, address: string) {
  const contact = account.contacts.find(({ email }) => email === address.toLowerCase());
  if (contact === undefined) return null;
  const isOut = (id: string) => statusOf(account, address, id).status === 'UNSUBSCRIBED';
  return {
    unsubscribed: isOutOfAll(account, address),
    lists: account.lists.filter(({ members }) => members.has(String(contact.id))).map(({ listId }) => listId),
    tags: [],
    suppression_groups: account.types.filter(({ id }) => isOut(id)).map(({ id }) => id),
    automations: [],
    funnels: [],
  };
}

function newAccount(): Account {
  return {
    made: 0,
    contacts: [],
    consents: new Map(),
    types: [],
    lists: [],
    properties: [],
    demandsLegalBasis: false,
    hidesExplanations: false,
    hasStatusBatches: false,
    now: START,
  };
}

export async function startHubspotFake(): Promise<HubspotFake> {
  const account = newAccount();
  const oauth = login();
  const server = await startFakeServer((http) => addRoutes(http, account, oauth), {
    distilled: ['answers/hubspot'],
    written: HUBSPOT,
    isOutside: (url) => oauth.isOpen(url),
    refuse: ({ kind, problems: [message = ''] }) =>
      kind === 'unknown path'
        ? { status: 404, body: failureBody('OBJECT_NOT_FOUND', 'resource not found') }
        : { status: 400, body: failureBody('VALIDATION_ERROR', message) },
  });
  return {
    ...server,
    oauth,
    credentials: { token: TOKEN },
    wrongCredentials: { token: 'pat-na1-00000000-dead-4222-8333-944455566677' },
    accountName: 'HubSpot account 123456 (app.hubspot.com)',
    addResources: (kind, count) => Array.from({ length: count }, () => addResource(account, kind)),
    rename(kind, id, name) {
      const list = account.lists.find(({ listId }) => listId === id);
      const one = kind === 'lists' ? list : account.types.find((type) => type.id === id);
      if (one !== undefined) one.name = name;
    },
    addContact: (email) => void makeContact(account, email),
    addPeople: (_kind, id, people) => people.forEach((person) => addPerson(account, id, person)),
    fieldOf: (email, { id }) => contactBy(account, email)?.values[id] ?? null,
    addProperty: (property) => addProperty(account, property),
    makeNonMarketing(email) {
      const contact = contactBy(account, email);
      if (contact !== undefined) contact.isMarketing = false;
    },
    holds: (email) => holds(account, email),
    optOut(email, type) {
      if (type === undefined) return leaveEverything(account, email);
      const timestamp = new Date(tick(account)).toISOString();
      consentOf(account, email).types.set(Number(type), {
        status: 'UNSUBSCRIBED',
        source: PERSON,
        timestamp,
        legalBasis: null,
        legalBasisExplanation: null,
      });
      touch(account, email);
    },
    statusOf: (email, type) => statusOf(account, email, type).status,
    isOutOfAll: (email) => isOutOfAll(account, email),
    optOutOfBrand: (email, brand) => leaveEverything(account, email, brand),
    hasLeftBrand: (email, brand) => consentOf(account, email).wide.has(brand),
    addBrandType: (brand) => addType(account, { businessUnitId: brand }),
    removeBrands() {
      account.types = account.types.filter(({ businessUnitId }) => businessUnitId === ACCOUNT_BRAND);
    },
    addInternalType: (name) => addType(account, { name, isInternal: true }),
    leaveUnspecified: (email) => void (consentOf(account, email).isUnspecified = true),
    hideExplanations: (does) => void (account.hidesExplanations = does),
    addAdditionalAddress(email, additional) {
      contactBy(account, email)?.additional.push(additional.toLowerCase());
    },
    addDynamicList: () => addList(account, 'DYNAMIC'),
    bounce(email) {
      const contact = contactBy(account, email);
      if (contact === undefined) return;
      contact.bounce = 'UNKNOWN_USER';
      touch(account, email);
    },
    demandLegalBasis: (does) => void (account.demandsLegalBasis = does),
    grantStatusBatches: (does) => void (account.hasStatusBatches = does),
    removeContact(email) {
      account.contacts = account.contacts.filter((one) => one.email !== email);
    },
  };
}

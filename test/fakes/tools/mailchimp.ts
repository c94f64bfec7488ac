import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import type { Resource, ResourceKind } from '#server/connectors/connector.ts';
import { MAILCHIMP } from '#test/fakes/descriptions/mailchimp.ts';
import { LoginFake } from './fake-oauth.ts';
import { type FakePerson, type FakeTool, startFakeServer } from './fake-tool.ts';
import { type FakeWebhook, FakeWebhooks } from './fake-webhooks.ts';

export interface FakeMember {
  email: string;
  contactId: string;
  status: string;
  interests: Record<string, boolean>;
  tags: Set<number>;
  /** Where and when they signed up and opted in, and their language, as they were written. */
  consent: Partial<Record<(typeof CONSENT_FIELDS)[number], string>>;
  /** When they opted in; empty where nobody knows. */
  timestampOpt: string;
  mergeFields: Record<string, string>;
  /** Unsubscribed with a link in a mail, not by an administrator or the API. */
  leftByThemselves: boolean;
  /** Mails in which Mailchimp asked for a confirmation. */
  askedTimes: number;
  /** Names of tags that started what they start. */
  started: string[];
}

interface Named {
  id: string;
  name: string;
}

interface MergeField {
  tag: string;
  name: string;
  /** Text, where nothing is said. */
  type?: string;
  required: boolean;
}

interface Audience extends Named {
  categories: { id: string; title: string; interests: Named[] }[];
  tags: { id: number; name: string }[];
  mergeFields: MergeField[];
  members: Map<string, FakeMember>;
  /** Hashes of people who were deleted for ever. */
  forgotten: Set<string>;
  hasDoubleOptIn: boolean;
}

export interface MailchimpFake extends FakeTool {
  webhooks: FakeWebhooks;
  oauth: LoginFake;
  /** Where `addContact` puts people. */
  audience: string;
  addMember(audience: string, email: string, member?: Partial<FakeMember>): FakeMember;
  member(audience: string, email: string): FakeMember | null;
  forget(audience: string, email: string): void;
  addInterest(audience: string): Resource;
  renameTag(id: string, name: string): void;
  /** Whether people have to confirm what subscribes them. */
  setDoubleOptIn(audience: string, isOn: boolean): void;
  addMergeField(audience: string, field: MergeField): void;
  /** Gone as if they had never been there, or archived. */
  removeMember(audience: string, email: string): void;
}

const CONSENT_FIELDS = ['ip_signup', 'timestamp_signup', 'ip_opt', 'timestamp_opt', 'language'] as const;

const KEY = '0123456789abcdef0123456789abcdef-us19';

class Problem extends Error {
  readonly status: number;
  readonly title: string;
  readonly errors: { field: string; message: string }[] | undefined;

  constructor(status: number, title: string, detail: string, errors?: { field: string; message: string }[]) {
    super(detail);
    this.status = status;
    this.title = title;
    this.errors = errors;
  }
}

const invalid = (field: string, message: string) =>
  new Problem(400, 'Invalid Resource', 'The resource submitted could not be validated.', [
    { field, message },
  ]);
const notFound = () => new Problem(404, 'Resource Not Found', 'The requested resource could not be found.');
const inCompliance = (email: string) =>
  new Problem(
    400,
    'Member In Compliance State',
    `${email} is in a compliance state due to unsubscribe, bounce, or compliance review and cannot be subscribed.`,
  );

const hashOf = (email: string) => createHash('md5').update(email.toLowerCase()).digest('hex');
const STATUSES = ['subscribed', 'unsubscribed', 'cleaned', 'pending'];

/** Keeps what `fields` names, with dots into objects and rows. */
function pick(value: unknown, fields: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => pick(one, fields));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (fields.includes(key)) return [[key, inner]];
      const deeper = fields.filter((field) => field.startsWith(`${key}.`));
      return deeper.length === 0
        ? []
        : [
            [
              key,
              pick(
                inner,
                deeper.map((field) => field.slice(key.length + 1)),
              ),
            ],
          ];
    }),
  );
}

type Query = Record<string, string | undefined>;

const API = 'https://us19.api.mailchimp.com';

const linksTo = (at: string) => ({
  _links: [
    {
      rel: 'self',
      href: `${API}/3.0${at}`,
      method: 'GET',
      targetSchema: `${API}/schema/3.0/Definitions/Response.json`,
    },
  ],
});

function page(
  key: string,
  rows: object[],
  { count = '10', offset = '0' }: Query,
  { at, ...ids }: { at: string } & Record<string, string>,
): object {
  const part = rows.slice(Number(offset), Number(offset) + Number(count));
  return { [key]: part, total_items: rows.length, ...ids, ...linksTo(at) };
}

class Account {
  readonly audiences = new Map<string, Audience>();
  readonly webhooks = new FakeWebhooks();
  private made = 0;

  next(): number {
    this.made += 1;
    return this.made;
  }

  addAudience(): Audience {
    const number = this.next();
    const id = `a${String(number).padStart(9, '0')}`;
    const audience: Audience = {
      id,
      name: `Audience ${number}`,
      categories: [],
      tags: [],
      mergeFields: [],
      members: new Map(),
      forgotten: new Set(),
      hasDoubleOptIn: false,
    };
    this.audiences.set(id, audience);
    return audience;
  }

  audience(id: string): Audience {
    const audience = this.audiences.get(id);
    if (audience === undefined) throw notFound();
    return audience;
  }

  addTag(audience: Audience, name?: string): { id: number; name: string } {
    const id = 100_000 + this.next();
    const tag = { id, name: name ?? `Tag ${id}` };
    audience.tags.push(tag);
    return tag;
  }

  addInterest(audience: Audience): Resource {
    const category = audience.categories[0] ?? { id: `c${this.next()}`, title: 'Topics', interests: [] };
    if (audience.categories.length === 0) audience.categories.push(category);
    const number = this.next();
    const interest = { id: `i${number}`, name: `Topic ${number}` };
    category.interests.push(interest);
    for (const { interests } of audience.members.values()) interests[interest.id] = false;
    return {
      id: `${audience.id}/${interest.id}`,
      name: `${audience.name} / ${category.title} / ${interest.name}`,
      title: interest.name,
      within: audience.id,
    };
  }

  addMember(audience: Audience, email: string, member: Partial<FakeMember> = {}): FakeMember {
    const groups = audience.categories.flatMap(({ interests }) => interests);
    const added: FakeMember = {
      email,
      contactId: `contact-${this.next()}`,
      status: 'subscribed',
      tags: new Set(),
      timestampOpt: '2026-03-01T08:30:00+00:00',
      mergeFields: {},
      consent: {},
      leftByThemselves: false,
      askedTimes: 0,
      started: [],
      ...member,
      interests: { ...Object.fromEntries(groups.map(({ id }) => [id, false])), ...member.interests },
    };
    audience.members.set(hashOf(email), added);
    return added;
  }

  /** Changes a member by what a PUT or a PATCH says. */
  update(audience: Audience, member: FakeMember, body: Record<string, unknown>): void {
    const { status, email_address: email, interests = {}, merge_fields: values = {} } = body;
    // Those that the audience does not have are passed over without a word.
    for (const [tag, value] of Object.entries(values as Record<string, string>)) {
      if (audience.mergeFields.some((field) => field.tag === tag)) member.mergeFields[tag] = value;
    }
    for (const [id, isIn] of Object.entries(interests as Record<string, boolean>)) {
      if (!(id in member.interests)) throw invalid('interests', `Invalid interest ID: '${id}'.`);
      member.interests[id] = isIn;
    }
    if (typeof email === 'string' && email !== member.email) this.rename(audience, member, email);
    for (const name of CONSENT_FIELDS) {
      const value = body[name];
      if (typeof value === 'string') member.consent[name] = value;
    }
    if (typeof status === 'string') this.setStatus(member, status);
  }

  private setStatus(member: FakeMember, status: string): void {
    if (!STATUSES.includes(status)) throw invalid('status', 'Value must be one of the known statuses.');
    const isBarred =
      member.status === 'cleaned' || (member.status === 'unsubscribed' && member.leftByThemselves);
    if (status === 'subscribed' && isBarred) throw inCompliance(member.email);
    if (status === 'pending' && member.status === 'cleaned') throw inCompliance(member.email);
    if (status === 'pending' && member.status !== 'pending') member.askedTimes += 1;
    if (status === 'unsubscribed' && member.status !== 'unsubscribed') member.leftByThemselves = false;
    member.status = status;
  }

  private rename(audience: Audience, member: FakeMember, email: string): void {
    this.requireRealAddress(email);
    const other = audience.members.get(hashOf(email));
    if (other !== undefined && other !== member) {
      throw invalid(
        'email_address',
        `"${email}" is already in this list with a status of "${other.status}".`,
      );
    }
    if (audience.forgotten.has(hashOf(email))) throw invalid('email_address', `"${email}" was deleted.`);
    audience.members.delete(hashOf(member.email));
    member.email = email;
    audience.members.set(hashOf(email), member);
  }

  requireRealAddress(email: string): void {
    if (/^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i.test(email) && !email.endsWith('.invalid')) return;
    throw invalid('email_address', `${email} looks fake or invalid, please enter a real email address.`);
  }
}

interface Asked {
  params: Record<string, string>;
  query: Query;
  body: Record<string, unknown>;
}

function membersOf(account: Account, { params }: Asked): { audience: Audience; member: FakeMember } {
  const audience = account.audience(params.list ?? '');
  const member = audience.members.get(params.hash ?? '');
  if (member === undefined) throw notFound();
  return { audience, member };
}

const LONG_AGO = '2026-03-01T08:30:00+00:00';
const NOWHERE = {
  latitude: 0,
  longitude: 0,
  gmtoff: 0,
  dstoff: 0,
  country_code: '',
  timezone: '',
  region: '',
};

function memberJson(audience: Audience, member: FakeMember): object {
  const tags = audience.tags.filter(({ id }) => member.tags.has(id));
  const id = hashOf(member.email);
  return {
    id,
    email_address: member.email,
    unique_email_id: id.slice(0, 10),
    contact_id: member.contactId,
    full_name: '',
    web_id: 1,
    email_type: 'html',
    status: member.status,
    ...(member.status === 'unsubscribed' && { unsubscribe_reason: 'N/A' }),
    consents_to_one_to_one_messaging: true,
    sms_phone_number: '',
    sms_subscription_status: '',
    sms_subscription_last_updated: '',
    merge_fields: member.mergeFields,
    ...(audience.categories.length > 0 && { interests: member.interests }),
    stats: { avg_open_rate: 0, avg_click_rate: 0 },
    ip_signup: '',
    timestamp_signup: '',
    ip_opt: '203.0.113.7',
    timestamp_opt: member.timestampOpt,
    language: '',
    ...member.consent,
    member_rating: 2,
    last_changed: LONG_AGO,
    vip: false,
    email_client: '',
    location: NOWHERE,
    source: 'API - Generic',
    tags_count: tags.length,
    tags: tags.slice(0, 50),
    list_id: audience.id,
    ...linksTo(`/lists/${audience.id}/members/${id}`),
  };
}

function audienceJson({ id, name, members, hasDoubleOptIn }: Audience): object {
  return {
    id,
    web_id: 1,
    name,
    contact: { company: 'Acme', address1: '', city: '', state: '', zip: '', country: 'US' },
    permission_reminder: '',
    use_archive_bar: true,
    campaign_defaults: { from_name: 'Acme', from_email: 'acme@example.com', subject: '', language: 'en' },
    notify_on_subscribe: '',
    notify_on_unsubscribe: '',
    date_created: LONG_AGO,
    list_rating: 0,
    email_type_option: false,
    subscribe_url_short: `https://eepurl.com/${id}`,
    subscribe_url_long: `https://acme.us19.list-manage.com/subscribe?id=${id}`,
    beamer_address: '',
    visibility: 'prv',
    double_optin: hasDoubleOptIn,
    has_welcome: false,
    marketing_permissions: false,
    modules: [],
    stats: { member_count: members.size },
    ...linksTo(`/lists/${id}`),
  };
}

function segmentJson(audience: Audience, { id, name }: { id: number; name: string }): object {
  return {
    id,
    name,
    member_count: [...audience.members.values()].filter(({ tags }) => tags.has(id)).length,
    type: 'static',
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    options: { match: 'any', conditions: [] },
    list_id: audience.id,
    ...linksTo(`/lists/${audience.id}/segments/${id}`),
  };
}

function requireMergeFields(audience: Audience, { query, body }: Asked): void {
  const given = (body.merge_fields ?? {}) as Record<string, unknown>;
  const missing = audience.mergeFields.find(({ tag, required }) => required && given[tag] === undefined);
  if (missing === undefined || query.skip_merge_validation === 'true') return;
  throw invalid(missing.tag, 'This value should not be blank.');
}

function putMember(account: Account, asked: Asked): object {
  const { params, body } = asked;
  const audience = account.audience(params.list ?? '');
  const { email_address: email, status_if_new: status } = body;
  if (typeof email !== 'string' || typeof status !== 'string') {
    throw invalid('', 'Required fields were not provided: email_address, status_if_new');
  }
  account.requireRealAddress(email);
  requireMergeFields(audience, asked);
  const hash = hashOf(email);
  if (audience.forgotten.has(hash)) {
    throw new Problem(
      400,
      'Forgotten Email Not Subscribed',
      `${email} was permanently deleted and cannot be re-imported.`,
    );
  }
  if (hash !== params.hash && audience.members.has(hash)) {
    throw new Problem(
      400,
      'Member Exists',
      `${email} is already a list member. Use PUT to insert or update list members.`,
    );
  }
  const known = audience.members.get(hash);
  const member =
    known ?? account.addMember(audience, email, { status, askedTimes: status === 'pending' ? 1 : 0 });
  account.update(audience, member, body);
  return memberJson(audience, member);
}

interface BatchRow extends Record<string, unknown> {
  email_address: string;
  status: string;
}

/** Each row comes to something of its own; the call is good nevertheless. */
function postMembers(account: Account, asked: Asked): object {
  const audience = list(account, asked);
  const { members, update_existing: isUpdate = false } = asked.body as {
    members: BatchRow[];
    update_existing?: boolean;
  };
  const made: object[] = [];
  const updated: object[] = [];
  const errors: object[] = [];
  for (const row of members) {
    const { email_address: email, status } = row;
    try {
      account.requireRealAddress(email);
      requireMergeFields(audience, { ...asked, body: row });
      const known = audience.members.get(hashOf(email));
      if (known === undefined && audience.forgotten.has(hashOf(email))) {
        throw new Problem(400, 'Forgotten Email Not Subscribed', `${email} was permanently deleted.`);
      }
      // Who is archived is not taken for being there, and comes back.
      const isThere = known !== undefined && known.status !== 'archived';
      if (isThere && !isUpdate) throw new Problem(400, 'Member Exists', `${email} is already a list member.`);
      const member = known ?? account.addMember(audience, email, { status });
      account.update(audience, member, row);
      (isThere ? updated : made).push(memberJson(audience, member));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const error_code = problem.title === 'Member Exists' ? 'ERROR_CONTACT_EXISTS' : 'ERROR_GENERIC';
      const error = { error: problem.message, error_code, field: '', field_message: '' };
      errors.push({ email_address: email, ...error });
    }
  }
  return {
    new_members: made,
    updated_members: updated,
    errors,
    total_created: made.length,
    total_updated: updated.length,
    error_count: errors.length,
    ...linksTo(`/lists/${audience.id}`),
  };
}

function patchMember(account: Account, asked: Asked): object {
  const { audience, member } = membersOf(account, asked);
  requireMergeFields(audience, asked);
  account.update(audience, member, asked.body);
  return memberJson(audience, member);
}

function postTags(account: Account, asked: Asked): null {
  const { audience, member } = membersOf(account, asked);
  const { tags, is_syncing: isSyncing = false } = asked.body as {
    tags: { name: string; status: string }[];
    is_syncing?: boolean;
  };
  for (const { name, status } of tags) {
    const known = audience.tags.find((tag) => tag.name === name);
    if (status === 'active') {
      const { id } = known ?? account.addTag(audience, name);
      if (!member.tags.has(id) && !isSyncing) member.started.push(name);
      member.tags.add(id);
    } else if (known !== undefined) member.tags.delete(known.id);
  }
  return null;
}

function groupOf(audience: Audience, query: Query): string | null {
  const { interest_ids: id, interest_category_id: categoryId, interest_match: match } = query;
  if (id === undefined) return null;
  const category = audience.categories.find((one) => one.id === categoryId);
  if (category?.interests.some((one) => one.id === id) === true && match !== undefined) return id;
  throw invalid('interest_ids', 'interest_ids needs its interest_category_id and interest_match.');
}

function listMembers(account: Account, asked: Asked): object {
  const audience = list(account, asked);
  const { query } = asked;
  const group = groupOf(audience, query);
  const members = [...audience.members.values()].filter(
    ({ status, interests }) => status !== 'archived' && (group === null || interests[group] === true),
  );
  if (query.sort_field === 'timestamp_opt') {
    members.sort((one, other) => one.timestampOpt.localeCompare(other.timestampOpt));
  }
  return page(
    'members',
    members.map((member) => memberJson(audience, member)),
    query,
    { at: `/lists/${audience.id}/members`, list_id: audience.id },
  );
}

function listTagged(account: Account, asked: Asked): object {
  const audience = list(account, asked);
  const { query, params } = asked;
  const tag = audience.tags.find(({ id }) => String(id) === params.segment);
  if (tag === undefined) throw notFound();
  const shown = ['subscribed', 'unsubscribed', 'cleaned', 'transactional'].filter(
    (status) => status === 'subscribed' || query[`include_${status}`] === 'true',
  );
  const members = [...audience.members.values()].filter(
    ({ status, tags }) => tags.has(tag.id) && shown.includes(status),
  );
  return page(
    'members',
    members.map((member) => memberJson(audience, member)),
    query,
    { at: `/lists/${audience.id}/segments/${tag.id}/members` },
  );
}

type Answer = (account: Account, asked: Asked) => unknown;

const list = (account: Account, { params }: Asked) => account.audience(params.list ?? '');

const ROUTES: Record<string, Answer> = {
  'GET /': () => ({
    account_id: 'acme1',
    login_id: 'login1',
    account_name: 'Acme Mailings',
    email: 'nora@example.com',
    first_name: 'Nora',
    last_name: 'Lind',
    username: 'acme',
    avatar_url: '',
    role: 'owner',
    member_since: LONG_AGO,
    pricing_plan_type: 'monthly',
    first_payment: LONG_AGO,
    account_timezone: 'UTC',
    account_industry: '',
    contact: { company: 'Acme', addr1: '', city: '', state: '', zip: '', country: 'US' },
    pro_enabled: false,
    last_login: LONG_AGO,
    total_subscribers: 0,
    industry_stats: { open_rate: 0, bounce_rate: 0, click_rate: 0 },
    ...linksTo('/'),
  }),
  'GET /lists': (account, { query }) => {
    const { email } = query;
    const holds = ({ members }: Audience) => email === undefined || members.has(hashOf(email));
    const lists = [...account.audiences.values()].filter(holds);
    const constraints = {
      may_create: true,
      max_instances: -1,
      current_total_instances: account.audiences.size,
    };
    return { ...page('lists', lists.map(audienceJson), query, { at: '/lists' }), constraints };
  },
  'GET /lists/:list': (account, asked) => audienceJson(list(account, asked)),
  'POST /lists/:list': postMembers,
  'GET /lists/:list/interest-categories': (account, asked) => {
    const { id: audience, categories } = list(account, asked);
    const at = `/lists/${audience}/interest-categories`;
    const rows = categories.map(({ id, title }) => ({
      id,
      title,
      display_order: 0,
      type: 'checkboxes',
      list_id: audience,
      ...linksTo(`${at}/${id}`),
    }));
    return page('categories', rows, asked.query, { at, list_id: audience });
  },
  'GET /lists/:list/interest-categories/:category/interests': (account, asked) => {
    const audience = list(account, asked);
    const category = audience.categories.find(({ id }) => id === asked.params.category);
    if (category === undefined) throw notFound();
    const at = `/lists/${audience.id}/interest-categories/${category.id}/interests`;
    const belongs = { category_id: category.id, list_id: audience.id };
    const rows = category.interests.map(({ id, name }) => ({
      id,
      name,
      subscriber_count: String([...audience.members.values()].filter((one) => one.interests[id]).length),
      display_order: 0,
      ...belongs,
      ...linksTo(`${at}/${id}`),
    }));
    return page('interests', rows, asked.query, { at, ...belongs });
  },
  'GET /lists/:list/segments': (account, asked) => {
    const audience = list(account, asked);
    const rows = audience.tags.map((tag) => segmentJson(audience, tag));
    return page('segments', rows, asked.query, {
      at: `/lists/${audience.id}/segments`,
      list_id: audience.id,
    });
  },
  'GET /lists/:list/segments/:segment': (account, asked) => {
    const audience = list(account, asked);
    const tag = audience.tags.find(({ id }) => String(id) === asked.params.segment);
    if (tag === undefined) throw notFound();
    return segmentJson(audience, tag);
  },
  'GET /lists/:list/segments/:segment/members': listTagged,
  'GET /lists/:list/merge-fields': (account, asked) => {
    const { id: audience, mergeFields } = list(account, asked);
    const at = `/lists/${audience}/merge-fields`;
    const rows = mergeFields.map((field, index) => ({
      merge_id: index + 1,
      type: 'text',
      ...field,
      default_value: '',
      public: false,
      display_order: index + 2,
      options: { size: 25 },
      help_text: '',
      list_id: audience,
      ...linksTo(`${at}/${index + 1}`),
    }));
    return page('merge_fields', rows, asked.query, { at, list_id: audience });
  },
  'GET /lists/:list/members': listMembers,
  'GET /lists/:list/members/:hash': (account, asked) => {
    const { audience, member } = membersOf(account, asked);
    return memberJson(audience, member);
  },
  'PUT /lists/:list/members/:hash': putMember,
  'PATCH /lists/:list/members/:hash': patchMember,
  'DELETE /lists/:list/members/:hash': (account, asked) => {
    const { member } = membersOf(account, asked);
    if (member.status === 'archived') throw new Problem(405, 'Method Not Allowed', 'It is archived already.');
    member.status = 'archived';
    return null;
  },
  'GET /lists/:list/members/:hash/tags': (account, asked) => {
    const { audience, member } = membersOf(account, asked);
    const tags = audience.tags.filter(({ id }) => member.tags.has(id));
    const at = `/lists/${audience.id}/members/${hashOf(member.email)}/tags`;
    return page(
      'tags',
      tags.map((tag) => ({ ...tag, date_added: LONG_AGO })),
      asked.query,
      { at },
    );
  },
  'POST /lists/:list/members/:hash/tags': postTags,
};

function webhookJson({ id, place, url, told }: FakeWebhook): object {
  return { id, url, ...told, list_id: place, ...linksTo(`/lists/${place}/webhooks/${id}`) };
}

const eventsIn = (told: unknown) =>
  Object.entries((told ?? {}) as Record<string, boolean>).flatMap(([event, isOn]) => (isOn ? [event] : []));

/** What a webhook says that is not told everything. */
const toldOf = ({ events, sources }: Record<string, unknown>) => ({
  events: events ?? {},
  sources: sources ?? {},
});

function postWebhook(account: Account, asked: Asked): object {
  const { id: place } = list(account, asked);
  const { body } = asked;
  const url = String(body['url']);
  if (account.webhooks.at(place).some((one) => one.url === url)) {
    throw invalid('url', "Sorry, you can't set up multiple WebHooks for one URL");
  }
  const secret = createHash('sha256').update(`${place} ${account.next()}`).digest('hex');
  const made = { place, url, events: eventsIn(body['events']), secret, told: toldOf(body) };
  // The secret is told here, and never again.
  return {
    ...webhookJson(account.webhooks.add(made, (number) => `w${number}`)),
    signing_enabled: true,
    signing_secret: secret,
  };
}

function webhookOf(account: Account, asked: Asked): FakeWebhook {
  const webhook = account.webhooks.find(asked.params['webhook'] ?? '', list(account, asked).id);
  if (webhook === undefined) throw notFound();
  return webhook;
}

const WEBHOOK_ROUTES: Record<string, (account: Account, asked: Asked) => object | null> = {
  'GET /lists/:list/webhooks': (account, asked) => {
    const { id } = list(account, asked);
    const rows = account.webhooks.at(id).map(webhookJson);
    return page('webhooks', rows, asked.query, { at: `/lists/${id}/webhooks`, list_id: id });
  },
  'POST /lists/:list/webhooks': postWebhook,
  'PATCH /lists/:list/webhooks/:webhook': (account, asked) => {
    const webhook = webhookOf(account, asked);
    webhook.events = eventsIn(asked.body['events']).toSorted();
    webhook.told = toldOf(asked.body);
    return webhookJson(webhook);
  },
  'DELETE /lists/:list/webhooks/:webhook': (account, asked) => {
    const { id, place } = webhookOf(account, asked);
    account.webhooks.remove(id, place);
    return null;
  },
};

const problemJson = ({ status, title, message, errors }: Problem) => ({
  type: 'https://mailchimp.com/developer/marketing/docs/errors/',
  title,
  status,
  detail: message,
  instance: '995c5cb0-3280-4a6e-808b-3b096d0bb219',
  ...(errors && { errors }),
});

const sendProblem = (reply: FastifyReply, problem: Problem) =>
  reply
    .code(problem.status)
    .header('content-type', 'application/problem+json')
    .serializer(String)
    .send(JSON.stringify(problemJson(problem)));

const METADATA = '/oauth2/metadata';

const login = () =>
  new LoginFake({
    authorizePath: '/oauth2/authorize',
    tokenPath: '/oauth2/token',
    demands: { response_type: 'code' },
    scopes: null,
    pkce: 'unknown',
    reads: 'form',
    refresh: null,
    life: { seconds: 0, told: true },
    alsoAnswers: () => ({ scope: null }),
  });

function serve(http: FastifyInstance, account: Account, oauth: LoginFake): void {
  oauth.addRoutes(http);
  http.get(METADATA, (request, reply) => {
    if (!oauth.isGood(request.headers.authorization, 'OAuth')) {
      return reply.code(401).send({ error: 'invalid_token' });
    }
    return {
      dc: 'us19',
      api_endpoint: 'https://us19.api.mailchimp.com',
      accountname: 'Acme Mailings',
      user_id: 777,
    };
  });
  let open = 0;
  http.addHook('onRequest', async () => {
    open += 1;
  });
  http.addHook('onResponse', async () => {
    open -= 1;
  });
  http.addHook('preHandler', async (request: FastifyRequest) => {
    const { authorization } = request.headers;
    if (oauth.isOpen(request.url) || request.url === METADATA) return;
    const basic = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    if (authorization === undefined)
      throw new Problem(401, 'API Key Missing', 'Your request did not include an API key.');
    if (authorization !== `Bearer ${KEY}` && !oauth.isGood(authorization) && !basic.endsWith(`:${KEY}`)) {
      throw new Problem(
        401,
        'API Key Invalid',
        'Your API key may be invalid, or you have tried the wrong data centre.',
      );
    }
    if (open > 10)
      throw new Problem(
        429,
        'Too Many Requests',
        'You have exceeded the limit of 10 simultaneous connections.',
      );
  });
  http.setNotFoundHandler((_request, reply) => sendProblem(reply, notFound()));
  http.setErrorHandler((error, _request, reply) =>
    sendProblem(
      reply,
      error instanceof Problem ? error : new Problem(500, 'Internal Server Error', String(error)),
    ),
  );
  for (const [route, answer] of Object.entries({ ...ROUTES, ...WEBHOOK_ROUTES })) {
    const [method = '', url = ''] = route.split(' ');
    http.route({
      method,
      url,
      handler: (request, reply) => {
        const query = request.query as Query;
        const result = answer(account, {
          params: request.params as Record<string, string>,
          query,
          body: (request.body ?? {}) as Record<string, unknown>,
        });
        if (result === null) return reply.code(204).send();
        return reply.send(query.fields === undefined ? result : pick(result, query.fields.split(',')));
      },
    });
  }
}

export async function startMailchimpFake(): Promise<MailchimpFake> {
  const account = new Account();
  const first = account.addAudience();
  const oauth = login();
  const server = await startFakeServer((http) => serve(http, account, oauth), {
    distilled: ['answers/mailchimp'],
    written: MAILCHIMP,
    isOutside: (url) => oauth.isOpen(url) || url === METADATA,
    refuse: ({ kind, problems: [message = ''] }) => {
      const problem = kind === 'unknown path' ? notFound() : invalid('', message);
      return { status: problem.status, body: problemJson(problem) };
    },
  });
  const found = (audience: string, email: string) =>
    account.audience(audience).members.get(hashOf(email)) ?? null;

  function addResource(kind: ResourceKind, index: number): Resource {
    if (kind === 'tags') {
      const { id, name } = account.addTag(first);
      return { id: `${first.id}/${id}`, name: `${first.name} / ${name}` };
    }
    if (kind === 'fields') {
      const number = account.next();
      const field = { tag: `MMERGE${number}`, name: `Field ${number}`, required: false };
      first.mergeFields.push(field);
      return { id: field.tag, name: field.name };
    }
    if (kind !== 'lists') throw new Error(`Mailchimp has no ${kind}`);
    if (index % 2 === 1) return account.addInterest(first);
    const { id, name } = account.addAudience();
    return { id, name };
  }

  function addPerson(kind: 'lists' | 'tags', id: string, { email, state }: FakePerson): void {
    const [audience = '', part] = id.split('/');
    const status = state === 'unclear' ? 'cleaned' : state;
    const isGroup = kind === 'lists' && part !== undefined;
    account.addMember(account.audience(audience), email, {
      status,
      interests: isGroup ? { [part]: true } : {},
      tags: new Set(kind === 'tags' ? [Number(part)] : []),
    });
  }

  return {
    ...server,
    oauth,
    credentials: { api_key: KEY },
    wrongCredentials: { api_key: 'ffffffffffffffffffffffffffffffff-us19' },
    accountName: 'Acme Mailings',
    audience: first.id,
    webhooks: account.webhooks,
    addResources: (kind, count) => Array.from({ length: count }, (_, index) => addResource(kind, index)),
    rename(_lists, id, name) {
      const [audienceId = '', group] = id.split('/');
      const audience = account.audience(audienceId);
      const interests = audience.categories.flatMap((category) => category.interests);
      const one = group === undefined ? audience : interests.find((interest) => interest.id === group);
      if (one !== undefined) one.name = name;
    },
    addContact: (email) => void account.addMember(first, email),
    addPeople: (kind, id, people) => people.forEach((person) => addPerson(kind, id, person)),
    fieldOf: (email, { id }) => found(first.id, email)?.mergeFields[id] ?? null,
    removeMember: (audience, email) => void account.audience(audience).members.delete(hashOf(email)),
    addMember: (audience, email, member) => account.addMember(account.audience(audience), email, member),
    member: found,
    forget(audience, email) {
      account.audience(audience).members.delete(hashOf(email));
      account.audience(audience).forgotten.add(hashOf(email));
    },
    addInterest: (audience) => account.addInterest(account.audience(audience)),
    renameTag(id, name) {
      const tag = [...account.audiences.values()]
        .flatMap(({ tags }) => tags)
        .find((one) => id.endsWith(`/${one.id}`));
      if (tag !== undefined) tag.name = name;
    },
    setDoubleOptIn: (audience, isOn) => void (account.audience(audience).hasDoubleOptIn = isOn),
    addMergeField: (audience, field) => void account.audience(audience).mergeFields.push(field),
    holds: (email) => holds(account, email),
  };
}

function holds(account: Account, email: string): ReturnType<MailchimpFake['holds']> {
  const held = [...account.audiences.values()].flatMap(({ id, members }) => {
    const member = members.get(hashOf(email));
    return member === undefined ? [] : [{ id, member }];
  });
  if (held.length === 0) return null;
  const isMailed = held.some(({ member }) => ['subscribed', 'pending'].includes(member.status));
  const isOut = held.some(({ member }) => ['unsubscribed', 'cleaned'].includes(member.status));
  return {
    unsubscribed: isOut && !isMailed,
    lists: held
      .filter(({ member }) => member.status === 'subscribed')
      .flatMap(({ id, member }) => [
        id,
        ...Object.entries(member.interests).flatMap(([interest, isIn]) =>
          isIn ? [`${id}/${interest}`] : [],
        ),
      ]),
    tags: held.flatMap(({ id, member }) => [...member.tags].map((tag) => `${id}/${tag}`)),
    suppression_groups: [],
    automations: [],
    funnels: [],
  };
}

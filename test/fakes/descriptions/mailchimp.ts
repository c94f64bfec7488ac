import { z } from 'zod';
import { type Answers, commaList, describeTool, digits, flag, type Query } from './written.ts';

/* Mailchimp's Marketing API 3.0, below `/3.0`, as far as the connector calls it. */

type Shape = z.ZodRawShape;

/** All that the tool tells; of what a call cut down to `fields` any part may be missing. */
function cuttable(build: (object: (shape: Shape) => z.ZodType) => z.ZodType) {
  const whole = { 200: build((shape) => z.strictObject(shape)) };
  const cut = { 200: build((shape) => z.strictObject(shape).partial()) };
  return (query: Query): Answers => ('fields' in query ? cut : whole);
}

const links = z.array(
  z.strictObject({
    rel: z.string(),
    href: z.url(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']),
    targetSchema: z.string().optional(),
    schema: z.string().optional(),
  }),
);
const ids = { list_id: z.string() };
const paths = { list: z.string().regex(/^\w+$/), hash: z.string().regex(/^[0-9a-f]{32}$/) };
const cut = {
  fields: commaList(z.string().regex(/^\w+(?:\.\w+)*$/)).optional(),
  exclude_fields: commaList().optional(),
};
const paged = { ...cut, count: digits(0, 1000).optional(), offset: digits().optional() };
const pageOf = (key: string, row: Shape, more: Shape = {}) =>
  cuttable((object) => object({ [key]: z.array(object(row)), total_items: z.int(), _links: links, ...more }));
const oneOf = (row: Shape) => cuttable((object) => object(row));
const moment = z.union([z.literal(''), z.iso.datetime({ offset: true })]);

const webhookFlags = {
  events: z.strictObject({
    subscribe: z.boolean(),
    unsubscribe: z.boolean(),
    profile: z.boolean(),
    cleaned: z.boolean(),
    upemail: z.boolean(),
    campaign: z.boolean(),
  }),
  sources: z.strictObject({ user: z.boolean(), admin: z.boolean(), api: z.boolean() }),
};
const webhookWritten = { ...webhookFlags, url: z.url() };
const webhook = { ...webhookWritten, ...ids, id: z.string(), _links: links };

const list = {
  id: z.string(),
  web_id: z.int(),
  name: z.string(),
  contact: z.record(z.string(), z.string()),
  permission_reminder: z.string(),
  use_archive_bar: z.boolean(),
  campaign_defaults: z.record(z.string(), z.string()),
  notify_on_subscribe: z.string(),
  notify_on_unsubscribe: z.string(),
  date_created: moment,
  list_rating: z.int(),
  email_type_option: z.boolean(),
  subscribe_url_short: z.string(),
  subscribe_url_long: z.string(),
  beamer_address: z.string(),
  visibility: z.enum(['pub', 'prv']),
  double_optin: z.boolean(),
  has_welcome: z.boolean(),
  marketing_permissions: z.boolean(),
  modules: z.array(z.string()),
  stats: z.looseObject({ member_count: z.int() }),
  _links: links,
};

const category = {
  ...ids,
  id: z.string(),
  title: z.string(),
  display_order: z.int(),
  type: z.enum(['checkboxes', 'dropdown', 'radio', 'hidden']),
  _links: links,
};

const interest = {
  ...ids,
  category_id: z.string(),
  id: z.string(),
  name: z.string(),
  subscriber_count: z.string(),
  display_order: z.int(),
  _links: links,
};

const segment = {
  ...ids,
  id: z.int(),
  name: z.string(),
  member_count: z.int(),
  type: z.enum(['saved', 'static', 'fuzzy']),
  created_at: moment,
  updated_at: moment,
  options: z.looseObject({}),
  _links: links,
};

const mergeField = {
  ...ids,
  merge_id: z.int(),
  tag: z.string(),
  name: z.string(),
  type: z.enum([
    'text',
    'number',
    'address',
    'phone',
    'date',
    'url',
    'imageurl',
    'radio',
    'dropdown',
    'birthday',
    'zip',
  ]),
  required: z.boolean(),
  default_value: z.string(),
  public: z.boolean(),
  display_order: z.int(),
  options: z
    .strictObject({
      default_country: z.int(),
      phone_format: z.string(),
      date_format: z.string(),
      choices: z.array(z.string()),
      size: z.int(),
    })
    .partial(),
  help_text: z.string(),
  _links: links,
};

const tag = z.strictObject({ id: z.int(), name: z.string() });
const permission = z.strictObject({
  marketing_permission_id: z.string(),
  text: z.string(),
  enabled: z.boolean(),
});
const status = z.enum(['subscribed', 'unsubscribed', 'cleaned', 'pending']);

const member = {
  ...ids,
  id: z.string(),
  email_address: z.string(),
  unique_email_id: z.string(),
  contact_id: z.string(),
  full_name: z.string(),
  web_id: z.int(),
  email_type: z.string(),
  status: z.enum([...status.options, 'transactional', 'archived']),
  unsubscribe_reason: z.string().optional(),
  consents_to_one_to_one_messaging: z.boolean(),
  sms_phone_number: z.string(),
  sms_subscription_status: z.string(),
  sms_subscription_last_updated: moment,
  merge_fields: z.record(z.string(), z.unknown()),
  // Of an audience with groups.
  interests: z.record(z.string(), z.boolean()).optional(),
  stats: z.looseObject({ avg_open_rate: z.number(), avg_click_rate: z.number() }),
  ip_signup: z.string(),
  timestamp_signup: moment,
  ip_opt: z.string(),
  timestamp_opt: moment,
  member_rating: z.int(),
  last_changed: moment,
  language: z.string(),
  vip: z.boolean(),
  email_client: z.string(),
  location: z.strictObject({
    latitude: z.number(),
    longitude: z.number(),
    gmtoff: z.int(),
    dstoff: z.int(),
    country_code: z.string(),
    timezone: z.string(),
    region: z.string(),
  }),
  // Of an audience that asks for them.
  marketing_permissions: z.array(permission).optional(),
  source: z.string(),
  tags_count: z.int(),
  tags: z.array(tag).max(50),
  _links: links,
};

const written = {
  email_type: z.enum(['html', 'text']).optional(),
  merge_fields: z.record(z.string(), z.unknown()).optional(),
  interests: z.record(z.string(), z.boolean()).optional(),
  language: z.string().optional(),
  vip: z.boolean().optional(),
  location: z.strictObject({ latitude: z.number(), longitude: z.number() }).optional(),
  marketing_permissions: z
    .array(z.strictObject({ marketing_permission_id: z.string(), enabled: z.boolean() }))
    .optional(),
  ip_signup: z.string().optional(),
  timestamp_signup: moment.optional(),
  ip_opt: z.string().optional(),
  timestamp_opt: moment.optional(),
};
const skips = { skip_merge_validation: flag.optional() };

export const MAILCHIMP = describeTool({
  source: {
    kind: 'described',
    date: '2026-06-05',
    where: 'Swagger file 3.0.55 and the requests of mailchimp/fern-marketing-api-docs 03215668',
  },
  operations: {
    'get /': {
      query: cut,
      answers: oneOf({
        account_id: z.string(),
        login_id: z.string(),
        account_name: z.string(),
        email: z.string(),
        first_name: z.string(),
        last_name: z.string(),
        username: z.string(),
        avatar_url: z.string(),
        role: z.string(),
        member_since: moment,
        pricing_plan_type: z.enum(['monthly', 'pay_as_you_go', 'forever_free']),
        first_payment: moment,
        account_timezone: z.string(),
        account_industry: z.string(),
        contact: z.record(z.string(), z.string()),
        pro_enabled: z.boolean(),
        last_login: moment,
        total_subscribers: z.int(),
        industry_stats: z.record(z.string(), z.number()),
        _links: links,
      }),
    },
    'get /lists': {
      query: { ...paged, email: z.string().optional() },
      answers: pageOf('lists', list, {
        constraints: z.strictObject({
          may_create: z.boolean(),
          max_instances: z.int(),
          current_total_instances: z.int(),
        }),
      }),
    },
    'get /lists/{list}': { path: paths, query: cut, answers: oneOf(list) },
    'post /lists/{list}': {
      path: paths,
      query: { ...skips, skip_duplicate_check: flag.optional() },
      json: z.strictObject({
        members: z
          .array(
            z.strictObject({
              email_type: written.email_type,
              merge_fields: written.merge_fields,
              interests: written.interests,
              language: written.language,
              vip: written.vip,
              ip_signup: written.ip_signup,
              timestamp_signup: written.timestamp_signup,
              ip_opt: written.ip_opt,
              timestamp_opt: written.timestamp_opt,
              email_address: z.string(),
              status: z.enum([...status.options, 'transactional']),
            }),
          )
          .min(1)
          .max(500),
        sync_tags: z.boolean().optional(),
        update_existing: z.boolean().optional(),
      }),
      answers: {
        200: z.strictObject({
          new_members: z.array(z.strictObject(member)),
          updated_members: z.array(z.strictObject(member)),
          errors: z.array(
            z.strictObject({
              email_address: z.string(),
              error: z.string(),
              error_code: z.enum(['ERROR_CONTACT_EXISTS', 'ERROR_GENERIC']),
              field: z.string(),
              field_message: z.string(),
            }),
          ),
          total_created: z.int(),
          total_updated: z.int(),
          error_count: z.int(),
          _links: links,
        }),
      },
    },
    'get /lists/{list}/interest-categories': {
      path: paths,
      query: { ...paged, type: z.string().optional() },
      answers: pageOf('categories', category, ids),
    },
    'get /lists/{list}/interest-categories/{category}/interests': {
      path: paths,
      query: paged,
      answers: pageOf('interests', interest, { ...ids, category_id: z.string() }),
    },
    'get /lists/{list}/segments': {
      path: paths,
      query: { ...paged, type: z.enum(['saved', 'static', 'fuzzy']).optional() },
      answers: pageOf('segments', segment, ids),
    },
    'get /lists/{list}/segments/{segment}': {
      path: { ...paths, segment: digits() },
      query: cut,
      answers: oneOf(segment),
    },
    'get /lists/{list}/segments/{segment}/members': {
      path: { ...paths, segment: digits() },
      query: {
        ...paged,
        include_cleaned: flag.optional(),
        include_transactional: flag.optional(),
        include_unsubscribed: flag.optional(),
      },
      answers: pageOf('members', member),
    },
    'get /lists/{list}/merge-fields': {
      path: paths,
      query: { ...paged, type: z.string().optional(), required: flag.optional() },
      answers: pageOf('merge_fields', mergeField, ids),
    },
    'get /lists/{list}/webhooks': { path: paths, query: paged, answers: pageOf('webhooks', webhook, ids) },
    // The signing is in the tool's documents, and not in its description of 2024.
    'post /lists/{list}/webhooks': {
      path: paths,
      json: z.strictObject(webhookWritten),
      answers: {
        200: z.strictObject({ ...webhook, signing_enabled: z.boolean(), signing_secret: z.string() }),
      },
    },
    'patch /lists/{list}/webhooks/{webhook}': {
      path: paths,
      json: z.strictObject(webhookWritten).partial(),
      answers: { 200: z.strictObject(webhook) },
    },
    'delete /lists/{list}/webhooks/{webhook}': { path: paths, answers: { 204: null } },
    'get /lists/{list}/members': {
      path: paths,
      query: {
        ...paged,
        status: z.enum([...status.options, 'transactional', 'archived']).optional(),
        since_last_changed: moment.optional(),
        interest_category_id: z.string().optional(),
        interest_ids: commaList().optional(),
        interest_match: z.enum(['any', 'all', 'none']).optional(),
        sort_field: z.enum(['timestamp_opt', 'timestamp_signup', 'last_changed']).optional(),
        sort_dir: z.enum(['ASC', 'DESC']).optional(),
      },
      answers: pageOf('members', member, ids),
    },
    'get /lists/{list}/members/{hash}': { path: paths, query: cut, answers: oneOf(member) },
    'put /lists/{list}/members/{hash}': {
      path: paths,
      query: skips,
      json: z.strictObject({
        ...written,
        email_address: z.string(),
        status_if_new: z.enum([...status.options, 'transactional']),
        status: z.enum([...status.options, 'transactional']).optional(),
      }),
      answers: oneOf(member),
    },
    'patch /lists/{list}/members/{hash}': {
      path: paths,
      query: skips,
      json: z.strictObject({ ...written, email_address: z.string().optional(), status: status.optional() }),
      answers: oneOf(member),
    },
    'delete /lists/{list}/members/{hash}': { path: paths, answers: { 204: null } },
    'get /lists/{list}/members/{hash}/tags': {
      path: paths,
      query: paged,
      answers: pageOf('tags', { ...tag.shape, date_added: moment }),
    },
    'post /lists/{list}/members/{hash}/tags': {
      path: paths,
      json: z.strictObject({
        tags: z
          .array(z.strictObject({ name: z.string().min(1), status: z.enum(['active', 'inactive']) }))
          .min(1),
        is_syncing: z.boolean().optional(),
      }),
      answers: { 204: null },
    },
  },
  failure: z.strictObject({
    type: z.url(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.uuid(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  }),
});

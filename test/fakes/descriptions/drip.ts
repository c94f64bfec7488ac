import { z } from 'zod';
import { address, describeTool, digits } from './written.ts';

/* Drip's REST API v2, as far as the connector calls it. */

const links = z.looseObject({});
const time = z.iso.datetime();
const account = { account: digits() };
const of = (parts: Record<string, z.ZodType>) => ({ path: { ...account, ...parts } });

const pageOf = <Row extends z.ZodType>(key: string, row: Row) => ({
  200: z.strictObject({
    links,
    meta: z.strictObject({
      page: z.int(),
      count: z.int(),
      total_pages: z.int(),
      total_count: z.int(),
    }),
    [key]: z.array(row),
  }),
});
const page = digits(1).optional();
const sorted = { sort: z.string().optional(), direction: z.enum(['asc', 'desc']).optional(), page };

const consent = z.enum(['granted', 'denied', 'unknown']);
const subscriber = z.strictObject({
  id: z.string(),
  href: z.url(),
  status: z.enum(['active', 'unsubscribed', 'undeliverable']),
  email: address,
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  time_zone: z.string().nullable(),
  sms_number: z.string().nullable(),
  sms_consent: z.boolean().nullable(),
  eu_consent: consent,
  user_id: z.string().nullable(),
  custom_fields: z.record(z.string(), z.string()),
  tags: z.array(z.string()),
  created_at: time,
});
const subscribers = z.strictObject({ links, subscribers: z.array(subscriber).length(1) });

/** One of them, in a list that is always there. */
const one = <Row extends z.ZodType>(key: string, row: Row) =>
  z.strictObject({ [key]: z.array(row).length(1) });

const custom_fields = z.record(z.string(), z.string()).optional();
const tags = z.array(z.string()).optional();
const told = {
  eu_consent: z.enum(['granted', 'denied']).optional(),
  eu_consent_message: z.string().optional(),
  time_zone: z.string().optional(),
  tags,
  custom_fields,
};
const written = z
  .strictObject({
    ...told,
    id: z.string().optional(),
    email: z.string().optional(),
    visitor_uuid: z.string().optional(),
    new_email: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    phone: z.string().optional(),
    ip_address: z.string().optional(),
    remove_tags: tags,
    status: z.enum(['active', 'unsubscribed']).optional(),
    initial_status: z.enum(['active', 'unsubscribed']).optional(),
    user_id: z.string().optional(),
    prospect: z.boolean().optional(),
    base_lead_score: z.int().optional(),
  })
  .refine(
    ({ id, email, visitor_uuid }) => (id ?? email ?? visitor_uuid) !== undefined,
    'has neither email, id nor visitor_uuid',
  );

const person = z.string().min(1);
const status = z.enum(['all', 'draft', 'active', 'paused']).optional();
const nothing = z.strictObject({});
const gone = { 204: null };

const webhook = z.strictObject({
  id: z.string(),
  href: z.url(),
  post_url: z.url(),
  version: z.string(),
  include_received_email: z.boolean(),
  events: z.array(z.string()),
  created_at: time,
});

export const DRIP = describeTool({
  source: { kind: 'documented', date: '2026-06-17', where: 'DripEmail/api-docs 6f937b3' },
  operations: {
    'get /accounts': {
      answers: {
        200: z.strictObject({
          links,
          accounts: z.array(
            z.strictObject({
              id: z.string(),
              name: z.string(),
              url: z.string(),
              primary_email_address: address,
              default_from_email: address,
              href: z.url(),
            }),
          ),
        }),
      },
    },
    'get /{account}/campaigns': {
      ...of({}),
      query: { ...sorted, status },
      answers: pageOf(
        'campaigns',
        z.strictObject({
          id: z.string(),
          href: z.url(),
          status: z.enum(['draft', 'active', 'paused']),
          name: z.string(),
          from_name: z.string().nullable(),
          double_optin: z.boolean(),
          email_count: z.int(),
          active_subscriber_count: z.int(),
          created_at: time,
        }),
      ),
    },
    'post /{account}/campaigns/{campaign}/subscribers': {
      ...of({ campaign: digits() }),
      json: one(
        'subscribers',
        z.strictObject({
          ...told,
          email: z.string(),
          double_optin: z.boolean().optional(),
          starting_email_index: z.int().min(0).optional(),
          reactivate_if_removed: z.boolean().optional(),
        }),
      ),
      answers: { 201: subscribers },
    },
    'get /{account}/workflows': {
      ...of({}),
      query: { ...sorted, status },
      answers: pageOf(
        'workflows',
        z.strictObject({
          id: z.string(),
          href: z.url(),
          name: z.string(),
          status: z.enum(['draft', 'active', 'paused']),
          created_at: time,
        }),
      ),
    },
    'post /{account}/workflows/{workflow}/subscribers': {
      ...of({ workflow: digits() }),
      json: one('subscribers', z.strictObject({ ...told, email: z.string() })),
      answers: { 200: subscribers },
    },
    'delete /{account}/workflows/{workflow}/subscribers/{person}': {
      ...of({ workflow: digits(), person }),
      answers: gone,
    },
    'get /{account}/tags': { ...of({}), answers: { 200: z.strictObject({ tags: z.array(z.string()) }) } },
    'post /{account}/tags': {
      ...of({}),
      json: one('tags', z.strictObject({ email: z.string(), tag: z.string().min(1) })),
      answers: { 201: nothing },
    },
    'get /{account}/webhooks': {
      ...of({}),
      answers: { 200: z.strictObject({ links, webhooks: z.array(webhook) }) },
    },
    'post /{account}/webhooks': {
      ...of({}),
      json: one(
        'webhooks',
        z.strictObject({
          post_url: z.url(),
          include_received_email: z.boolean().optional(),
          events: z.array(z.string().regex(/^subscriber\.\w+$/)).optional(),
        }),
      ),
      answers: { 201: z.strictObject({ links, webhooks: z.array(webhook).length(1) }) },
    },
    'delete /{account}/webhooks/{webhook}': { ...of({ webhook: digits() }), answers: gone },
    'get /{account}/custom_field_identifiers': {
      ...of({}),
      answers: { 200: z.strictObject({ custom_field_identifiers: z.array(z.string()) }) },
    },
    'get /{account}/subscribers': {
      ...of({}),
      query: {
        status: z
          .enum(['all', 'active', 'unsubscribed', 'active_or_unsubscribed', 'undeliverable'])
          .optional(),
        tags: z.string().min(1).optional(),
        subscribed_before: time.optional(),
        subscribed_after: time.optional(),
        page,
        per_page: digits(1, 1000).optional(),
      },
      answers: pageOf('subscribers', subscriber),
    },
    'post /{account}/subscribers': {
      ...of({}),
      json: one('subscribers', written),
      answers: { 200: subscribers },
    },
    'get /{account}/subscribers/{person}': { ...of({ person }), answers: { 200: subscribers } },
    'delete /{account}/subscribers/{person}': { ...of({ person }), answers: gone },
    'post /{account}/subscribers/{person}/unsubscribe_all': {
      ...of({ person }),
      answers: { 200: subscribers },
    },
    'post /{account}/subscribers/{person}/remove': {
      ...of({ person }),
      query: { campaign_id: digits().optional() },
      answers: { 200: subscribers },
    },
    'delete /{account}/subscribers/{person}/tags/{tag}': { ...of({ person }), answers: gone },
    'get /{account}/subscribers/{person}/campaign_subscriptions': {
      ...of({ person }),
      query: { page },
      answers: pageOf(
        'campaign_subscriptions',
        z.strictObject({
          id: z.string(),
          campaign_id: z.string(),
          status: z.enum(['active', 'unsubscribed', 'removed', 'unconfirmed']),
          is_complete: z.boolean(),
          lap: z.int(),
          last_sent_email_index: z.int().nullable(),
          last_sent_email_at: time.nullable(),
        }),
      ),
    },
  },
  failure: z.union([
    z.strictObject({
      errors: z
        .array(z.strictObject({ code: z.string(), attribute: z.string().optional(), message: z.string() }))
        .min(1),
    }),
    z.strictObject({ message: z.string(), documentation: z.string() }),
  ]),
});

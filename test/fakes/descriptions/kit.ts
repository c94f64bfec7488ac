import { z } from 'zod';
import { address, describeTool, digits, flag } from './written.ts';
import type { Source } from './sources.ts';

/* Kit's API v4, as far as the connector calls it. */

const created = z.iso.datetime();
const cursor = z.string().nullable();
const pageOf = <Row extends z.ZodType>(key: string, row: Row) => ({
  200: z.strictObject({
    [key]: z.array(row),
    pagination: z.strictObject({
      has_previous_page: z.boolean(),
      has_next_page: z.boolean(),
      start_cursor: cursor,
      end_cursor: cursor,
      per_page: z.int().min(1).max(1000),
    }),
  }),
});
const paged = {
  after: z.string().optional(),
  before: z.string().optional(),
  per_page: digits(1, 1000).optional(),
  include_total_count: flag.optional(),
};
const status = z.enum(['active', 'inactive', 'bounced', 'complained', 'cancelled', 'all']).optional();
const day = z.iso.date().optional();

const subscriber = z.strictObject({
  id: z.int(),
  first_name: z.string().nullable(),
  email_address: address,
  state: z.enum(['active', 'inactive', 'bounced', 'complained', 'cancelled']),
  created_at: created,
  fields: z.record(z.string(), z.string().nullable()),
});
const one = z.strictObject({ subscriber });
const tagged = subscriber.extend({ tagged_at: created });
const tag = z.strictObject({ id: z.int(), name: z.string(), created_at: created });
const tagging = z.strictObject({ subscriber: tagged });
const added = z.strictObject({ subscriber: subscriber.extend({ added_at: created }) });

const byAddress = z.strictObject({ email_address: z.string() });
const nothing = z.strictObject({});
const ids = { tag: digits(), id: digits(), sequence: digits() };
const fields = z.record(z.string(), z.string().nullable()).optional();

const documented: Source = { kind: 'documented', date: '2026-11-21', where: 'developers.kit.com, webhooks' };

// What its answers are wrapped in is not documented in what we have: it is as for everything else of the API.
const endpoint = z.strictObject({
  id: z.int(),
  url: z.url(),
  events: z.array(z.string()),
  status: z.enum(['active', 'disabled']),
  name: z.string(),
  description: z.string(),
  created_at: created,
});
const endpointWritten = {
  url: z.url(),
  events: z.array(z.string().regex(/^\w+\.\w+$/)).min(1),
  name: z.string().optional(),
  description: z.string().optional(),
};

export const KIT = describeTool({
  source: { kind: 'described', date: '2026-07-01', where: 'imjohnbo/kit-cli 57348a50' },
  operations: {
    'get /account': {
      answers: {
        200: z.strictObject({
          user: z.strictObject({ email: address, id: z.int() }),
          account: z.strictObject({
            id: z.int(),
            name: z.string(),
            plan_type: z.string(),
            primary_email_address: address,
            created_at: created,
            timezone: z.strictObject({
              name: z.string(),
              friendly_name: z.string(),
              utc_offset: z.string().regex(/^[+-]\d\d:\d\d$/),
            }),
            sending_addresses: z.array(
              z.strictObject({
                email_address: address,
                from_name: z.string(),
                status: z.string(),
                is_default: z.boolean(),
                is_verified: z.boolean(),
                is_dmarc_configured: z.boolean(),
              }),
            ),
          }),
        }),
      },
    },
    'get /subscribers': {
      query: {
        ...paged,
        email_address: z.string().optional(),
        status,
        slim: flag.optional(),
        include: z.string().optional(),
        created_after: day,
        created_before: day,
        updated_after: day,
        updated_before: day,
        sort_field: z.enum(['id', 'updated_at', 'cancelled_at']).optional(),
        sort_order: z.enum(['asc', 'desc']).optional(),
      },
      answers: pageOf('subscribers', subscriber),
    },
    'post /subscribers': {
      json: z.strictObject({
        email_address: z.string(),
        first_name: z.string().nullable().optional(),
        state: z.enum(['active', 'inactive']).optional(),
        fields,
      }),
      answers: { 200: one, 201: one, 202: one },
    },
    'get /subscribers/{id}': {
      path: ids,
      answers: {
        200: z.strictObject({ subscriber: subscriber.extend({ canceled_at: created.nullable() }) }),
      },
    },
    'put /subscribers/{id}': {
      path: ids,
      json: z.strictObject({
        email_address: z.string(),
        first_name: z.string().nullable().optional(),
        fields,
      }),
      answers: { 200: one, 202: one },
    },
    'post /subscribers/{id}/unsubscribe': { path: ids, json: nothing, answers: { 204: null } },
    'get /subscribers/{id}/tags': {
      path: ids,
      query: paged,
      answers: pageOf('tags', z.strictObject({ id: z.int(), name: z.string(), tagged_at: created })),
    },
    'get /tags': { query: paged, answers: pageOf('tags', tag.extend({ subscriber_count: z.int() })) },
    'post /tags': {
      json: z.strictObject({ name: z.string() }),
      answers: { 200: z.strictObject({ tag }), 201: z.strictObject({ tag }) },
    },
    'get /tags/{tag}/subscribers': {
      path: ids,
      query: {
        ...paged,
        status,
        created_after: day,
        created_before: day,
        tagged_after: day,
        tagged_before: day,
      },
      answers: pageOf('subscribers', tagged),
    },
    'post /tags/{tag}/subscribers': { path: ids, json: byAddress, answers: { 200: tagging, 201: tagging } },
    'post /tags/{tag}/subscribers/{id}': {
      path: ids,
      json: nothing,
      answers: { 200: tagging, 201: tagging },
    },
    'delete /tags/{tag}/subscribers/{id}': { path: ids, answers: { 204: null } },
    'get /sequences': {
      query: paged,
      answers: pageOf(
        'sequences',
        z.strictObject({
          id: z.int(),
          name: z.string(),
          hold: z.boolean(),
          repeat: z.boolean(),
          created_at: created,
          updated_at: created,
          email_address: z.string().nullable(),
          email_template_id: z.int().nullable(),
          send_days: z.array(z.string()),
          send_hour: z.int(),
          time_zone: z.string(),
          exclude_subscriber_sources: z.array(z.unknown()),
          active: z.boolean(),
          email_count: z.int(),
          subscriber_count: z.int(),
        }),
      ),
    },
    'post /sequences/{sequence}/subscribers/{id}': {
      path: ids,
      json: nothing,
      answers: { 200: added, 201: added },
    },
    'get /webhook_endpoints': {
      source: documented,
      query: { ...paged, status: z.enum(['active', 'disabled']).optional() },
      answers: pageOf('webhook_endpoints', endpoint),
    },
    'post /webhook_endpoints': {
      source: documented,
      json: z.strictObject(endpointWritten),
      answers: { 201: z.strictObject({ webhook_endpoint: endpoint.extend({ secret: z.string() }) }) },
    },
    'patch /webhook_endpoints/{id}': {
      source: documented,
      path: ids,
      json: z.strictObject({ ...endpointWritten, status: z.enum(['active', 'disabled']) }).partial(),
      answers: { 200: z.strictObject({ webhook_endpoint: endpoint }) },
    },
    'delete /webhook_endpoints/{id}': { source: documented, path: ids, answers: { 204: null } },
    'get /custom_fields': {
      query: paged,
      answers: pageOf(
        'custom_fields',
        z.strictObject({ id: z.int(), name: z.string(), key: z.string(), label: z.string() }),
      ),
    },
  },
  failure: z.strictObject({ errors: z.array(z.string()).min(1) }),
});

import { z } from 'zod';
import { address, describeTool, digits } from './written.ts';

/* Sendlane's API v2, as far as the connector calls it. */

const pages = { limit: digits(1).optional(), page: digits(1).optional() };
const url = z.url().nullable();
const pageOf = <Row extends z.ZodType>(row: Row) => ({
  200: z.strictObject({
    data: z.array(row),
    links: z.strictObject({ first: url, last: url, prev: url, next: url }),
    meta: z.strictObject({
      current_page: z.int(),
      from: z.int().nullable(),
      last_page: z.int(),
      path: z.url(),
      per_page: z.int(),
      to: z.int().nullable(),
      total: z.int(),
    }),
  }),
});
/** Small things come without pages. */
const allOf = <Row extends z.ZodType>(row: Row) => ({ 200: z.strictObject({ data: z.array(row) }) });

const named = z.strictObject({ id: z.int(), name: z.string() });
const contact = z.strictObject({
  id: z.int(),
  email: address,
  first_name: z.string(),
  last_name: z.string(),
  phone: z.string(),
  lists: z.array(named),
  tags: z.array(named),
  custom_fields: z.array(z.unknown()),
  sms_consent: z.array(z.unknown()),
  subscribed: z.boolean(),
  suppressed: z.boolean(),
  lifetime_value: z.number(),
  integration_customer: z.array(z.unknown()),
});
const oneContact = { 200: z.strictObject({ data: contact }) };
const said = z.strictObject({ data: z.strictObject({ message: z.string() }) });
const queued = { 202: said };
const tag = z.strictObject({
  id: z.int(),
  name: z.string(),
  audience_count: z.int(),
  created_at: z.iso.datetime(),
});
const subscription = z.strictObject({
  id: z.int(),
  subscriber_id: z.int(),
  list_id: z.int(),
  list_name: z.string(),
  subscribed: z.boolean(),
  suppressed: z.boolean(),
  added_by: z.string(),
  date_added: z.iso.datetime({ offset: true }),
});
const value = z.strictObject({ id: z.int(), value: z.string() });
const moment = z.iso.datetime({ offset: true }).optional();
const left = { query: { ...pages, from: moment, to: moment }, answers: pageOf(contact) };
const list = digits();
const id = digits();

export const SENDLANE = describeTool({
  source: {
    kind: 'described',
    date: '2026-08-13',
    where: 'export of API 2.0 and notes, in api-evangelist/sendlane e761382',
  },
  operations: {
    'get /senders': {
      query: pages,
      answers: pageOf(
        z.strictObject({
          id: z.int(),
          company: z.string(),
          from_email: address,
          is_default: z.boolean(),
        }),
      ),
    },
    'get /lists': {
      query: pages,
      answers: pageOf(
        z.strictObject({
          id: z.int(),
          list_name: z.string(),
          description: z.string().nullable(),
          status: z.int(),
          list_key: z.string(),
          company: z.string(),
          default_from_email: address,
          date_added: z.iso.datetime(),
          deleted_date: z.iso.datetime().nullable(),
        }),
      ),
    },
    'get /tags': { query: pages, answers: pageOf(tag) },
    'get /custom-fields': {
      query: pages,
      answers: allOf(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          type: z.string(),
          created_at: z.iso.datetime(),
        }),
      ),
    },
    // A body in a GET is the tool's own way.
    'get /contacts/search': {
      json: z
        .strictObject({ email: z.string().optional(), phone: z.string().optional() })
        .refine(({ email, phone }) => (email ?? phone) !== undefined, 'has neither email nor phone'),
      answers: oneContact,
    },
    'get /contacts/unsubscribed': left,
    'get /lists/{list}/unsubscribed': { path: { list }, ...left },
    'get /lists/{list}/contacts': { path: { list }, query: pages, answers: pageOf(contact) },
    'get /tags/{tag}/contacts': { path: { tag: digits() }, query: pages, answers: pageOf(contact) },
    'post /lists/{list}/contacts': {
      path: { list },
      json: z.strictObject({
        contacts: z
          .array(
            z.strictObject({
              email: z.string().optional(),
              phone: z.string().optional(),
              first_name: z.string().optional(),
              last_name: z.string().optional(),
              email_consent: z.boolean().optional(),
              tag_ids: z.array(z.int()).optional(),
              custom_fields: z.array(value).optional(),
            }),
          )
          .min(1),
      }),
      answers: queued,
    },
    'delete /lists/{list}/contacts/{id}': { path: { list, id }, answers: queued },
    'delete /contacts/{id}': { path: { id }, answers: queued },
    'get /contacts/{id}/subscriptions': {
      path: { id },
      // One is not always in an array.
      answers: { 200: z.strictObject({ data: z.union([z.array(subscription), subscription]) }) },
    },
    'get /contacts/{id}/tags': { path: { id }, query: pages, answers: pageOf(tag) },
    'post /contacts/{id}/tags': {
      path: { id },
      json: z.strictObject({ tag_ids: z.array(z.int()).min(1) }),
      answers: allOf(tag),
    },
    'delete /contacts/{id}/tags/{tag}': { path: { id, tag: digits() }, answers: queued },
    'get /contacts/{id}/custom-fields': {
      path: { id },
      query: pages,
      answers: pageOf(z.strictObject({ id: z.int(), custom_field_id: z.int(), value: z.string() })),
    },
    'post /contacts/{id}/custom-fields': {
      path: { id },
      json: z.strictObject({ custom_fields: z.array(value).min(1) }),
      answers: oneContact,
    },
    'post /contacts/{id}/unsubscribe': { path: { id }, answers: { 200: said } },
    'post /suppression/emails': {
      json: z.strictObject({ email: z.string(), list_id: z.int().optional() }),
      answers: {
        201: z.strictObject({
          data: z.strictObject({ id: z.int(), email: z.string(), list_id: z.int().nullable() }),
        }),
      },
    },
    'post /contacts/{id}/email-consent': {
      path: { id },
      json: z.strictObject({ email_consent: z.boolean(), list_ids: z.array(z.int()).optional() }),
      answers: oneContact,
    },
  },
  failure: z.union([
    // Who may not call is told so in HTML.
    z.literal('Unauthorized.'),
    z.strictObject({
      message: z.string(),
      errors: z.union([z.array(z.string()), z.record(z.string(), z.array(z.string()))]).optional(),
    }),
  ]),
});

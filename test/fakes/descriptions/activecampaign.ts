import { z } from 'zod';
import { address, describeTool, digits } from './written.ts';

/* ActiveCampaign's API v3, as far as the connector calls it. Numbers are texts nearly everywhere. Rows have more than what is said here. */

const number = digits();
const flag = z.enum(['0', '1']);
const time = z.iso.datetime({ offset: true });
const links = z.record(z.string(), z.url());
const paging = { limit: digits(1, 100).optional(), offset: digits().optional() };
const total = z.looseObject({ total: number });
const listOf = (key: string, row: z.ZodType, meta: z.ZodType = total) => ({
  200: z.strictObject({ [key]: z.array(row), meta }),
});
/** Recorded clients write ids as numbers. */
const given = z.int();

const contact = z.looseObject({
  id: number,
  email: address,
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string(),
  bounced_hard: number,
  bounced_soft: number,
  bounced_date: time.nullable(),
  deleted: flag,
  anonymized: flag,
  cdate: time,
  udate: time,
  links,
});
const contactList = z.looseObject({
  id: number,
  contact: number,
  list: number,
  status: z.enum(['0', '1', '2', '3', '91']),
  unsubreason: z.string().nullable(),
  sourceid: number,
  campaign: number.nullable(),
  message: number.nullable(),
  ip4Unsub: number,
  sdate: time,
  udate: time.nullable(),
  links,
});
const contactTag = z.looseObject({ id: number, contact: number, tag: number, cdate: time, links });
const contactAutomation = z.strictObject({
  id: number,
  contact: number,
  automation: number,
  seriesid: number,
  status: z.enum(['1', '2']),
  adddate: time,
  remdate: time.nullable(),
  completed: z.int().min(0).max(1),
});
const fieldValue = z.strictObject({ id: number, contact: number, field: number, value: z.string() });
const tag = z.looseObject({
  id: number,
  tag: z.string(),
  tagType: z.enum(['contact', 'template']),
  description: z.string(),
  cdate: time,
});
const person = z.strictObject({
  email: z.string().optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  phone: z.string().optional(),
  fieldValues: z.array(z.strictObject({ field: given, value: z.string() })).optional(),
});
const writtenPerson = z.strictObject({
  fieldValues: z.array(z.strictObject({ contact: number, field: number, value: z.string() })),
  contact,
});
const nothing = { 200: z.strictObject({}) };
const id = { id: number };
const below = (key: string, row: z.ZodType) => ({
  path: id,
  query: paging,
  answers: listOf(key, row),
});

const webhookFields = {
  name: z.string().min(1),
  url: z.url(),
  events: z.array(z.string()).min(1),
  sources: z.array(z.enum(['public', 'admin', 'api', 'system'])).min(1),
};
const webhook = z.strictObject({ ...webhookFields, id: number, cdate: time, listid: number, links });
const webhookWritten = z.strictObject({
  webhook: z.strictObject({ ...webhookFields, listid: given.optional() }),
});

export const ACTIVECAMPAIGN = describeTool({
  source: {
    kind: 'documented',
    date: '2026-11-21',
    where: 'documentation of API v3, as in api-evangelist/activecampaign 6295cc55',
  },
  operations: {
    'get /users/me': {
      answers: {
        200: z.strictObject({
          user: z.strictObject({
            id: number,
            username: z.string(),
            firstName: z.string(),
            lastName: z.string(),
            email: address,
            phone: z.string(),
            signature: z.string().nullable(),
            links,
          }),
        }),
      },
    },
    'get /lists': {
      query: {
        ...paging,
        'filters[name]': z.string().optional(),
        'orders[name]': z.string().optional(),
      },
      answers: listOf(
        'lists',
        z.looseObject({
          id: number,
          stringid: z.string(),
          userid: number,
          name: z.string(),
          cdate: time,
          private: flag,
          get_unsubscribe_reason: flag,
          channel: z.enum(['email', 'sms']),
          links,
        }),
      ),
    },
    'get /lists/exclusions': {
      query: {
        ...paging,
        'filters[matchPhrase]': z.string().optional(),
        'filters[lists][]': number.optional(),
      },
      answers: listOf(
        'exclusions',
        z.strictObject({
          id: number,
          matchPhrase: z.string(),
          matchType: z.string(),
          channel: z.enum(['all', 'allSms', 'allEmail', 'several']),
          hidden: z.boolean(),
          lists: z.array(number),
        }),
        // Here it is one.
        z.strictObject({ total: z.int() }),
      ),
    },
    'get /tags': {
      query: {
        ...paging,
        search: z.string().optional(),
        'filters[search][eq]': z.string().optional(),
        'orders[search]': z.string().optional(),
      },
      answers: listOf('tags', tag),
    },
    'post /tags': {
      json: z.strictObject({
        tag: z.strictObject({
          tag: z.string().min(1),
          tagType: z.enum(['contact', 'template']),
          description: z.string().optional(),
        }),
      }),
      answers: { 201: z.strictObject({ tag }) },
    },
    'get /automations': {
      query: paging,
      answers: listOf(
        'automations',
        z.looseObject({
          id: number,
          name: z.string(),
          cdate: time,
          mdate: time,
          userid: number,
          status: z.enum(['1', '2']),
          entered: number,
          exited: number,
          hidden: flag,
        }),
        total.extend({
          starts: z.array(z.strictObject({ id: number, series: number, type: z.string() })),
        }),
      ),
    },
    'get /fields': {
      query: { ...paging, 'filters[perstag]': z.string().optional() },
      answers: {
        200: z.strictObject({
          fieldOptions: z.array(z.unknown()),
          fieldRels: z.array(z.unknown()),
          fields: z.array(
            z.looseObject({
              id: number,
              title: z.string(),
              type: z.string(),
              isrequired: flag,
              perstag: z.string(),
              defval: z.string().nullable(),
              visible: flag,
              options: z.array(z.unknown()),
              relations: z.array(z.unknown()),
            }),
          ),
          meta: total,
        }),
      },
    },
    'get /contacts': {
      query: {
        ...paging,
        email: z.string().optional(),
        email_like: z.string().optional(),
        listid: number.optional(),
        tagid: number.optional(),
        status: z.enum(['-1', '0', '1', '2', '3']).optional(),
        segmentid: number.optional(),
        id_greater: number.optional(),
        include: z.literal('contactLists').optional(),
        'orders[id]': z.enum(['ASC', 'DESC']).optional(),
        'filters[updated_after]': z.string().optional(),
      },
      answers: {
        200: z.strictObject({
          scoreValues: z.array(z.unknown()),
          contactLists: z.array(contactList).optional(),
          contacts: z.array(contact),
          meta: total.extend({ page_input: z.looseObject({}) }),
        }),
      },
    },
    'post /contact/sync': {
      json: z.strictObject({ contact: person.extend({ email: z.string() }) }),
      answers: { 200: z.strictObject({ contact }), 201: z.strictObject({ contact }) },
    },
    'put /contacts/{id}': {
      path: id,
      json: z.strictObject({ contact: person }),
      answers: { 200: writtenPerson },
    },
    'delete /contacts/{id}': { path: id, answers: nothing },
    'get /contacts/{id}/contactLists': below('contactLists', contactList),
    'get /contacts/{id}/contactTags': below('contactTags', contactTag),
    'get /contacts/{id}/contactAutomations': below('contactAutomations', contactAutomation),
    'get /contacts/{id}/fieldValues': below('fieldValues', fieldValue),
    'post /contactLists': {
      json: z.strictObject({
        contactList: z.strictObject({
          list: given,
          contact: given,
          status: z.literal([1, 2]),
          sourceid: given.optional(),
        }),
      }),
      answers: {
        200: z.strictObject({ contactList: contactList.extend({ status: z.literal([1, 2]) }) }),
      },
    },
    'post /contactTags': {
      json: z.strictObject({ contactTag: z.strictObject({ contact: given, tag: given }) }),
      answers: { 200: z.strictObject({ contactTag }), 201: z.strictObject({ contactTag }) },
    },
    'delete /contactTags/{id}': { path: id, answers: nothing },
    'post /contactAutomations': {
      json: z.strictObject({ contactAutomation: z.strictObject({ contact: given, automation: given }) }),
      answers: {
        201: z.strictObject({
          contacts: z.array(contact),
          contactAutomation: z.strictObject({
            id: number,
            contact: number,
            automation: number,
            seriesid: number,
            startid: z.int(),
            status: z.int(),
            completed: z.int(),
            completeValue: z.int(),
          }),
        }),
      },
    },
    'delete /contactAutomations/{id}': { path: id, answers: nothing },
    'get /webhooks': { query: paging, answers: listOf('webhooks', webhook) },
    'post /webhooks': { json: webhookWritten, answers: { 201: z.strictObject({ webhook }) } },
    'put /webhooks/{id}': { path: id, json: webhookWritten, answers: { 200: z.strictObject({ webhook }) } },
    'delete /webhooks/{id}': { path: id, answers: nothing },
  },
  failure: z.union([
    z.strictObject({}),
    z.strictObject({ message: z.string() }),
    z.strictObject({
      errors: z
        .array(
          z.strictObject({
            status: z.int().optional(),
            title: z.string(),
            detail: z.string(),
            code: z.string().optional(),
            source: z.strictObject({ pointer: z.string() }).optional(),
          }),
        )
        .min(1),
    }),
  ]),
});

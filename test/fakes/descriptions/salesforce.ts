import { z } from 'zod';
import { commaList, describeTool, flag } from './written.ts';

/*
 * The REST API of Salesforce's core platform, v62.0, as far as the connector calls it. What an object has is known to its
 * organization only: a field that it lacks is refused by the fake itself, as the organization would.
 */

const DATA = '/services/data/v62.0/';
const id = z.string().regex(/^[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?$/, 'must be an id');
const attributes = z.strictObject({ type: z.string(), url: z.string().startsWith(DATA) });
const plain = z.union([z.string(), z.boolean(), z.null()]);

/** With its parents, which are records, too; a field that holds nothing is null, and not left out. */
const record = z
  .object({ attributes })
  .catchall(z.union([plain, attributes, z.object({ attributes }).catchall(z.union([plain, attributes]))]));
const page = {
  200: z.strictObject({
    totalSize: z.int(),
    done: z.boolean(),
    nextRecordsUrl: z.string().startsWith(`${DATA}query/`).optional(),
    records: z.array(record),
  }),
};

/** A row names its object, and holds values and nothing else. */
const row = z
  .object({ attributes: z.strictObject({ type: z.string() }) })
  .catchall(z.union([plain, z.number(), z.strictObject({ type: z.string() })]));
const rows = (of: z.ZodType) =>
  z.strictObject({ allOrNone: z.boolean().optional(), records: z.array(of).min(1).max(200) });
/** In the order of the rows; the status is 200 also where rows failed. */
const outcomes = {
  200: z.array(
    z.union([
      z.strictObject({ id, success: z.literal(true), errors: z.array(z.never()) }),
      z.strictObject({
        success: z.literal(false),
        errors: z
          .array(z.strictObject({ statusCode: z.string(), message: z.string(), fields: z.array(z.string()) }))
          .min(1),
      }),
    ]),
  ),
};
/** Not all that a field has. */
const describedField = z.looseObject({
  name: z.string(),
  label: z.string(),
  type: z.string(),
  length: z.int(),
  custom: z.boolean(),
  createable: z.boolean(),
  updateable: z.boolean(),
  picklistValues: z.array(z.unknown()),
});

export const SALESFORCE = describeTool({
  source: {
    kind: 'documented',
    date: '2026-11-21',
    where: 'documentation of v62 to v67 and jsforce/jsforce e744dad',
  },
  operations: {
    'get /query': { query: { q: z.string().startsWith('SELECT ') }, answers: page },
    'get /query/{locator}': { answers: page },
    'get /sobjects/{object}/describe': {
      path: { object: z.string().regex(/^\w+$/) },
      answers: { 200: z.looseObject({ name: z.string(), fields: z.array(describedField) }) },
    },
    'post /composite/sobjects': { json: rows(row), answers: outcomes },
    'patch /composite/sobjects': { json: rows(row.extend({ id })), answers: outcomes },
    'delete /composite/sobjects': {
      query: { ids: commaList(id), allOrNone: flag.optional() },
      answers: outcomes,
    },
  },
  failure: z
    .array(
      z.strictObject({
        message: z.string(),
        errorCode: z.string(),
        fields: z.array(z.string()).optional(),
      }),
    )
    .min(1),
});

import { z } from 'zod';
import { collection, id, line, lookup, pageQuery, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const IMPORT_SOURCES = ['csv', 'tool'] as const;

/**
 * A file: receiving, uploaded, checking, checked, applying, finished. A tool: reading, checking, checked, applying,
 * finished. cancelled and failed end it from anywhere.
 */
export const IMPORT_STATUSES = [
  'receiving',
  'uploaded',
  'reading',
  'checking',
  'checked',
  'applying',
  'finished',
  'cancelled',
  'failed',
] as const;

/**
 * What becomes of a row. added: a new customer. changed: an opt-out, or a list never chosen before. revived: back to
 * what was left. unchanged: it is so already. blocked: it would revive, and the import may not. rejected: cannot be used.
 */
export const IMPORT_VERDICTS = ['added', 'changed', 'revived', 'unchanged', 'blocked', 'rejected'] as const;

export type ImportSource = (typeof IMPORT_SOURCES)[number];
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
export type ImportVerdict = (typeof IMPORT_VERDICTS)[number];

export const MAX_IMPORT_BYTES = 50 * 1024 * 1024;
export const MAX_IMPORT_ROWS = 500_000;
export const MAX_IMPORT_COLUMNS = 200;

/** Browsers on Windows call every CSV file one of Excel's. */
export const IMPORT_FILE_TYPES = [
  'text/csv',
  'application/csv',
  'application/vnd.ms-excel',
  'text/tab-separated-values',
] as const;

const column = z.string().min(1).max(200).describe('As `columns` names it.');

export const importMapping = z
  .strictObject({
    email: column,
    lists: z
      .array(z.strictObject({ column, list_id: id }))
      .max(200)
      .default([]),
    all: column
      .optional()
      .describe('Where "yes" or "unsubscribed" means: left everything. "no" says nothing.'),
  })
  .meta({ id: 'ImportMapping' });

export const importOptions = z
  .strictObject({
    revive: z
      .boolean()
      .default(false)
      .describe('Brings people back to what they left. Only with proof that they want it.'),
  })
  .meta({ id: 'ImportOptions' });

const NO_OPTIONS = { revive: false };

const toolResource = z.strictObject({ id: lookup(500), name: line(500) });

export const importResource = z.strictObject({
  resource: toolResource,
  list_id: id
    .nullable()
    .describe("null: a new list of the resource's name, made when the import is applied."),
});

export const importCounts = z
  .object({
    total: z.number().int(),
    read: z.number().int().describe('Rows of the file, or people as the tool told them.'),
    checked: z.number().int(),
    applied: z.number().int().describe('With the rejected ones: `total` in the end.'),
    added: z.number().int(),
    changed: z.number().int(),
    revived: z.number().int(),
    unchanged: z.number().int(),
    blocked: z.number().int(),
    rejected: z.number().int(),
  })
  .describe('The verdicts are those of the check, and from applying on those of what was really done.');

export const importSummary = z
  .object({
    id,
    source: z.enum(IMPORT_SOURCES),
    status: z.enum(IMPORT_STATUSES),
    file_name: z.string().nullable(),
    integration_id: id.nullable(),
    counts: importCounts,
    message: z.string().nullable().describe('Why it failed, or what a cancelled one left behind.'),
    created_by: id,
    created_at: timestamp,
    updated_at: timestamp,
    ended_at: timestamp.nullable().describe('30 days later its rows are deleted.'),
  })
  .meta({ id: 'ImportSummary' });

export const importDetail = importSummary
  .extend({
    kind: z.enum(['lists', 'tags']).nullable(),
    resources: z.array(importResource).nullable(),
    columns: z.array(z.string()).nullable(),
    preview: z.array(z.array(z.string())).describe('The first five rows of the file.'),
    suggested_mapping: importMapping
      .partial({ email: true })
      .nullable()
      .describe('`email` is missing where no column looks like it.'),
    mapping: importMapping.nullable(),
    options: importOptions,
  })
  .meta({ id: 'Import' });

export const importRow = z
  .object({
    number: z.number().int().describe('As a spreadsheet counts: the header is 1.'),
    email: z.string().nullable(),
    fields: z.array(z.string()).nullable().describe('In the order of `columns`.'),
    lists: z.array(
      z.object({
        list_id: id.nullable().describe('null: the list is not made yet.'),
        subscribed: z.boolean(),
        since: timestamp.nullable(),
      }),
    ),
    leaves_everything: z.boolean(),
    verdict: z.enum(IMPORT_VERDICTS).nullable().describe('null: not checked yet.'),
    reason: z.string().nullable(),
    customer_id: id.nullable(),
    choice_id: id.nullable().describe('The evidence of what was changed.'),
    applied_at: timestamp.nullable(),
  })
  .meta({ id: 'ImportRow' });

export type ImportMapping = z.infer<typeof importMapping>;
export type SuggestedMapping = NonNullable<ImportDetail['suggested_mapping']>;
export type ImportOptions = z.infer<typeof importOptions>;
export type ImportResource = z.infer<typeof importResource>;
export type ImportCounts = z.infer<typeof importCounts>;
export type ImportSummary = z.infer<typeof importSummary>;
export type ImportDetail = z.infer<typeof importDetail>;
export type ImportRow = z.infer<typeof importRow>;

export const uploadImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports/files`,
  access: 'site',
  tag: 'Imports',
  summary: 'Upload a CSV file of people',
  description:
    'The body is the file itself, in UTF-8, at most 50 MB, with a header and at most 500,000 rows; separated by comma, semicolon or tab. Nothing is changed by it: check it next.',
  params: siteParams,
  query: z.strictObject({ file_name: line(200) }),
  file: { types: IMPORT_FILE_TYPES, maxBytes: MAX_IMPORT_BYTES, streamed: true },
  status: 201,
  response: importDetail,
  errors: ['invalid_field', 'limit_reached', 'unavailable'],
});

export const createImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports`,
  access: 'site',
  tag: 'Imports',
  summary: 'Read the people of a connected tool',
  description: 'It is read and checked in the background; nothing is changed before it is applied.',
  params: siteParams,
  body: z.strictObject({
    integration_id: id,
    kind: z.enum(['lists', 'tags']),
    resources: z.array(importResource).min(1, { error: 'must have at least one' }).max(100),
    options: importOptions.default(NO_OPTIONS),
  }),
  status: 201,
  response: importDetail,
  errors: ['bad_request', 'limit_reached'],
});

export const listImports = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/imports`,
  access: 'site',
  tag: 'Imports',
  summary: 'The imports of a site, newest first',
  params: siteParams,
  query: pageQuery,
  status: 200,
  response: collection(importSummary),
});

export const getImport = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/imports/{id}`,
  access: 'site',
  tag: 'Imports',
  summary: 'Read an import, with its progress',
  params: siteItemParams,
  status: 200,
  response: importDetail,
});

export const checkImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports/{id}/check`,
  access: 'site',
  tag: 'Imports',
  summary: 'Find out what an import would change',
  description:
    'Changes nothing but the import. May be called again with another mapping or other options until it is applied.',
  params: siteItemParams,
  body: z.strictObject({
    mapping: importMapping.optional().describe('Of a file; a tool needs none.'),
    options: importOptions.default(NO_OPTIONS),
  }),
  status: 202,
  response: importDetail,
  errors: ['conflict'],
});

export const applyImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports/{id}/apply`,
  access: 'site',
  tag: 'Imports',
  summary: 'Carry out an import that was checked',
  description:
    'Each row is held against what the person has at that moment: who leaves between the check and now is not brought back.',
  params: siteItemParams,
  status: 202,
  response: importDetail,
  errors: ['conflict'],
});

export const cancelImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports/{id}/cancel`,
  access: 'site',
  tag: 'Imports',
  summary: 'Stop an import',
  description: 'What was applied stays as it is.',
  params: siteItemParams,
  status: 200,
  response: importDetail,
  errors: ['conflict'],
});

export const listImportRows = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/imports/{id}/rows`,
  access: 'site',
  tag: 'Imports',
  summary: 'The rows of an import, in their order',
  params: siteItemParams,
  query: pageQuery.extend({ verdict: z.enum(IMPORT_VERDICTS).optional() }),
  status: 200,
  response: collection(importRow),
});

export const downloadRejectedRows = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/imports/{id}/rejected.csv`,
  access: 'site',
  needs: 'admin',
  tag: 'Imports',
  summary: 'The rejected rows as a CSV file, with the reason of each',
  params: siteItemParams,
  answers: 'text/csv',
  status: 200,
  response: z.string(),
});

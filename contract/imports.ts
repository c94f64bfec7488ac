import { z } from 'zod';
import { collection, id, line, lookup, pageQuery, timestamp } from './fields.ts';
import { DATE_ORDERS } from './import-cells.ts';
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
 * what was left. unchanged: it is so already. blocked: it would revive, and the import may not. merged: an earlier row has
 * the address, and takes over its opt-outs. rejected: cannot be used.
 */
export const IMPORT_VERDICTS = [
  'added',
  'changed',
  'revived',
  'unchanged',
  'blocked',
  'merged',
  'rejected',
] as const;

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
  'application/zip',
  'application/x-zip-compressed',
] as const;

export const NO_MEANINGS = ['unsubscribed', 'unchanged'] as const;

export type NoMeaning = (typeof NO_MEANINGS)[number];

/** What a file can say about everyone in it. */
export const EVERYONE_STATES = ['subscribed', 'unsubscribed', 'bounced', 'complained'] as const;

/** Columns that go into the evidence and change nothing. */
export const EVIDENCE_COLUMNS = [
  'confirmed_at',
  'confirmed_ip',
  'consent_at',
  'consent_ip',
  'source',
  'suppression_reason',
] as const;

export type EvidenceColumn = (typeof EVIDENCE_COLUMNS)[number];

export const MAX_SUPPRESSION_COLUMNS = 20;

/** What a column of its own can say against sending to somebody. */
export const SUPPRESSION_STATES = ['unsubscribed', 'bounced', 'complained'] as const;
export type SuppressionState = (typeof SUPPRESSION_STATES)[number];

/** Whose contacts an export holds, where the tool writes a file for each. */
export const EXPORT_PARTS = [
  'contacts',
  'subscribed',
  'unsubscribed',
  'cleaned',
  'nonsubscribed',
  'bounced',
  'complained',
  'suppressed',
] as const;

const column = z.string().min(1).max(200).describe('A name from `columns`.');

export const importMapping = z
  .strictObject({
    email: column,
    lists: z
      .array(
        z.strictObject({
          column,
          list_id: id,
          no: z
            .enum(NO_MEANINGS)
            .optional()
            .describe(
              'What "no", "false" or "0" does. unsubscribed, the default: an unsubscribe. unchanged: nothing, because it may mean that the list was never chosen. Words such as "unsubscribed" always unsubscribe.',
            ),
        }),
      )
      .max(200)
      .default([]),
    confirmed_at: column
      .optional()
      .describe(
        "When the customer confirmed their subscriptions elsewhere, such as `2026-03-14T09:30:00Z` or `2026-03-14`. The evidence of the lists that the row subscribes to says so. Ignored if it isn't a valid time.",
      ),
    confirmed_ip: column
      .optional()
      .describe('The IP address they confirmed from. Stored encrypted, and only with `confirmed_at`.'),
    all: column
      .optional()
      .describe('"yes", "unsubscribed" or a time means unsubscribed from all. "no" changes nothing.'),
    suppressions: z
      .array(z.strictObject({ column, state: z.enum(SUPPRESSION_STATES) }))
      .max(MAX_SUPPRESSION_COLUMNS)
      .optional()
      .describe(
        'Columns in which "yes", a time or a reason means that the customer left (`unsubscribed`: unsubscribes from all, unless a cell of the row says which list they left), that emails bounced (`bounced`: subscribes no one, and unsubscribes no one) or that the customer reported spam (`complained`: unsubscribes from all). "no" and an empty cell say nothing. A time counts as nothing if `consent_at` or `confirmed_at` of the row is later. The evidence contains the time.',
      ),
    everyone: z
      .strictObject({
        state: z.enum(EVERYONE_STATES),
        list_id: id
          .optional()
          .describe('Required for `subscribed`. For `unsubscribed`, absent means unsubscribed from all.'),
      })
      .optional()
      .describe(
        'What the file says about everyone in it, if no column does: some tools export unsubscribed contacts into a file of their own. `bounced` subscribes no one and unsubscribes no one; `complained` unsubscribes from all.',
      ),
    consent_at: column
      .optional()
      .describe(
        "When the customer signed up or agreed. Only for the evidence. Ignored if it isn't a valid time.",
      ),
    consent_ip: column.optional().describe('The IP address they signed up from. Stored encrypted.'),
    source: column.optional().describe('Where they signed up, such as a form. Stored encrypted.'),
    suppression_reason: column
      .optional()
      .describe('Why, in the words of the tool or the customer. Stored encrypted.'),
  })
  .meta({ id: 'ImportMapping' });

export const importOptions = z
  .strictObject({
    revive: z
      .boolean()
      .default(false)
      .describe('Resubscribes people who unsubscribed. Only use it with proof that they want it.'),
    send_subscriptions: z
      .boolean()
      .describe(
        'Are your tools and endpoints sent what people are subscribed to? Unsubscribes are always sent, except to `exported_from`.',
      ),
    exported_from: id
      .nullable()
      .describe(
        'The connected tool that these people were exported from: it is sent nothing. null: none of them.',
      ),
  })
  .meta({ id: 'ImportOptions' });

const someOptions = z
  .strictObject({
    revive: importOptions.shape.revive,
    send_subscriptions: importOptions.shape.send_subscriptions
      .optional()
      .describe(
        'Are your tools and endpoints sent what people are subscribed to? Unless you say so, not for people who come from a connected tool, be it by a file that we recognize as its export. Unsubscribes are always sent, except to `exported_from`.',
      ),
    exported_from: importOptions.shape.exported_from
      .optional()
      .describe(
        'The connected tool that the file was exported from: it is sent nothing. Unless you name one, it is the one whose export we recognize. Only for a file.',
      ),
  })
  .default({ revive: false });

const toolResource = z.strictObject({ id: lookup(500), name: line(500) });

export const importResource = z.strictObject({
  resource: toolResource,
  list_id: id
    .nullable()
    .describe("null: a new list with the resource's name, created when the import is applied."),
});

export const importCounts = z
  .object({
    total: z.number().int(),
    read: z.number().int().describe('Rows of the file, or people read from the tool.'),
    checked: z.number().int(),
    applied: z.number().int().describe('Without merged and rejected rows.'),
    added: z.number().int(),
    changed: z.number().int(),
    revived: z.number().int(),
    unchanged: z.number().int(),
    blocked: z.number().int(),
    merged: z
      .number()
      .int()
      .describe('Rows with the same email as an earlier row, which takes over their unsubscribes.'),
    rejected: z.number().int(),
    subscribes: z.number().int().describe('From the check: customers it subscribes to a list.'),
    unsubscribes: z
      .number()
      .int()
      .describe('From the check: customers it unsubscribes from a list or from all.'),
    no_choice: z.number().int().describe('From the check: new customers who get no choice.'),
  })
  .describe('Counts by verdict: from the check, and once it is applied, of what was actually done.');

export const importSummary = z
  .object({
    id,
    source: z.enum(IMPORT_SOURCES),
    status: z.enum(IMPORT_STATUSES),
    file_name: z.string().nullable(),
    integration_id: id.nullable(),
    counts: importCounts,
    message: z.string().nullable().describe('Why it failed, or what was applied before it was canceled.'),
    created_by: id,
    created_at: timestamp,
    updated_at: timestamp,
    ended_at: timestamp.nullable().describe('Its rows are deleted 30 days later.'),
  })
  .meta({ id: 'ImportSummary' });

const columnSamples = z.array(
  z.object({
    filled: z.number().int().describe('Rows with a value.'),
    values: z.array(z.string()).describe('Its first different values, up to three.'),
    date_order: z
      .enum(DATE_ORDERS)
      .nullable()
      .describe(
        'How dates such as 03/04/2024 are read, from those in the column that can only be read one way. null: none can, or they contradict each other, so that such dates are ignored.',
      ),
  }),
);

export const recognizedExport = z.object({
  tool: z.string().describe('Its name.'),
  part: z.enum(EXPORT_PARTS).describe('Whose contacts the file holds.'),
  is_certain: z
    .boolean()
    .describe(
      "true: the header is one that the tool's maker documents or publishes. false: it looks like one.",
    ),
  columns: z.array(z.string()).describe('Columns whose meaning is part of the format.'),
});

export const importDetail = importSummary
  .extend({
    kind: z.enum(['lists', 'tags']).nullable(),
    resources: z.array(importResource).nullable(),
    columns: z.array(z.string()).nullable(),
    preview: z.array(z.array(z.string())).describe('The first five rows of the file.'),
    column_samples: columnSamples
      .nullable()
      .describe(
        'In the order of `columns`, while they can be matched: `uploaded` and `checked`. Otherwise null.',
      ),
    file_sha256: z
      .string()
      .nullable()
      .describe('SHA-256 of the uploaded file, in hex. The evidence of each imported choice contains it.'),
    recognized: recognizedExport
      .nullable()
      .describe('The tool that wrote the file, if its header says so. null: none that we know.'),
    suggested_mapping: importMapping
      .partial({ email: true })
      .nullable()
      .describe('`email` is missing if no column looks like one.'),
    mapping: importMapping.nullable(),
    options: importOptions,
    tells: z
      .array(z.object({ integration_id: id.nullable(), customers: z.number().int() }))
      .describe(
        'From the check: about how many customers each tool is sent something. `integration_id` null: your endpoints.',
      ),
  })
  .meta({ id: 'Import' });

export const importRow = z
  .object({
    number: z.number().int().describe('Counted as in a spreadsheet: the header is 1.'),
    email: z.string().nullable(),
    fields: z.array(z.string()).nullable().describe('In the order of `columns`.'),
    lists: z.array(
      z.object({
        list_id: id.nullable().describe("null: the list isn't created yet."),
        subscribed: z.boolean(),
        since: timestamp.nullable(),
      }),
    ),
    leaves_everything: z.boolean(),
    verdict: z.enum(IMPORT_VERDICTS).nullable().describe('null: not checked yet.'),
    reason: z.string().nullable(),
    customer_id: id.nullable(),
    choice_id: id.nullable().describe('The evidence of the change.'),
    applied_at: timestamp.nullable(),
  })
  .meta({ id: 'ImportRow' });

export type ImportMapping = z.infer<typeof importMapping>;
export type SuggestedMapping = NonNullable<ImportDetail['suggested_mapping']>;
export type ImportOptions = z.infer<typeof importOptions>;
export type SomeImportOptions = z.input<typeof someOptions>;
export type ImportResource = z.infer<typeof importResource>;
export type ImportCounts = z.infer<typeof importCounts>;
export type ImportSummary = z.infer<typeof importSummary>;
export type RecognizedExport = z.infer<typeof recognizedExport>;
export type ColumnSamples = z.infer<typeof columnSamples>;
export type ImportDetail = z.infer<typeof importDetail>;
export type ImportRow = z.infer<typeof importRow>;

export const uploadImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports/files`,
  access: 'site',
  tag: 'Imports',
  summary: 'Upload a CSV file of customers',
  description:
    "The body is the file itself: at most 50 MB, with a header and at most 500,000 rows, separated by comma, semicolon, tab, or what a first line such as `sep=;` names, in UTF-8, UTF-16 or Windows-1252. A ZIP with one such file is read, too, and Mailchimp's with a file for each status: a column of its own then says which file a row is in. This changes no customers yet. Check the import next.",
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
  summary: 'Import people from a connected tool',
  description: 'Read and checked in the background. Nothing changes until you apply the import.',
  params: siteParams,
  body: z.strictObject({
    integration_id: id,
    kind: z.enum(['lists', 'tags']),
    resources: z.array(importResource).min(1, { error: 'must have at least one' }).max(100),
    options: someOptions,
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
  summary: 'List the imports of a site, newest first',
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
  summary: 'Read an import and its progress',
  params: siteItemParams,
  status: 200,
  response: importDetail,
});

export const checkImport = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/imports/{id}/check`,
  access: 'site',
  tag: 'Imports',
  summary: 'Preview an import',
  description:
    'Checks what the import would change, without changing it. You can call it again with another mapping or options until you apply the import.',
  params: siteItemParams,
  body: z.strictObject({
    mapping: importMapping.optional().describe('For a file; a tool needs none.'),
    options: someOptions,
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
  summary: 'Apply a checked import',
  description:
    "Each row is compared with the customer's current state. Customers who unsubscribed since the check stay unsubscribed.",
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
  summary: 'Cancel an import',
  description: 'Applied rows stay as they are.',
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
  summary: 'List the rows of an import',
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
  summary: 'Download the rejected rows as CSV, with reasons',
  params: siteItemParams,
  answers: 'text/csv',
  status: 200,
  response: z.string(),
});

import { z } from 'zod';

/*
 * A backup is a gzip stream of lines:
 *
 *   {"format":"sayso-backup","version":2,...}      what it is
 *   {"table":"public.users","columns":["id",...]}  a block of rows ...
 *   ...                                            ... as COPY writes them in text form ...
 *   \.                                             ... and its end, which no row can be
 *   {"end":true,"tables":{...},"sha256":"..."}     counts, digests, and the hash of everything above
 *
 * A table may have several blocks: where there is Citus, each site has its own.
 */

export const FORMAT = 'sayso-backup';
export const FORMAT_VERSION = 2;
export const END_OF_ROWS = '\\.';

export const header = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  /** Version of the product. */
  product: z.string(),
  /** The last migration that the database had. */
  schema: z.string(),
  /** Of all tables at one moment, or of each site at its own. */
  snapshot: z.enum(['one', 'per_site']),
  /** Of the keys it was made with, the newest first. */
  key_fingerprints: z.array(z.string()).min(1),
  taken_at: z.iso.datetime(),
});

export type Header = z.infer<typeof header>;

export const block = z.object({ table: z.string(), columns: z.array(z.string()) });

export type Block = z.infer<typeof block>;

export const tableSum = z.object({ rows: z.number().int(), digest: z.string() });

/** What a table comes to. */
export type TableSum = z.infer<typeof tableSum>;

export const footer = z.object({
  end: z.literal(true),
  tables: z.record(z.string(), tableSum),
  sha256: z.string(),
});

import type pg from 'pg';
import type { TenantTables } from '#db/tables.ts';
import { copyIn } from '#server/platform/copy.ts';

/** What COPY writes of each table, in this order: rows before those that refer to them. */
export const COPIED = {
  customers: [
    'id',
    'email',
    'email_key',
    'global_unsubscribe',
    'paused_until',
    'sequence',
    'evidence_hash',
    'person_salt',
    'created_at',
    'updated_at',
  ],
  subscriptions: ['customer_id', 'list_id', 'subscribed', 'changed_at'],
  choices: [
    'id',
    'customer_id',
    'sequence',
    'save_id',
    'source',
    'authority',
    'events',
    'lists',
    'global_unsubscribe',
    'paused_until',
    'shown',
    'language',
    'person_hash',
    'person_sealed',
    'ip',
    'occurred_at',
    'previous_hash',
    'hash',
    'requested',
    'is_test',
    'replaced',
  ],
  subscription_changes: ['choice_id', 'list_id', 'joined'],
  leave_reasons: ['choice_id', 'customer_id', 'reason', 'created_at'],
  deliveries: [
    'id',
    'action_id',
    'customer_id',
    'choice_id',
    'event',
    'status',
    'attempt_count',
    'try_count',
    'next_attempt_at',
    'last_error',
    'created_at',
    'finished_at',
    'outcome',
  ],
  delivery_attempts: [
    'delivery_id',
    'number',
    'started_at',
    'duration_ms',
    'outcome',
    'request',
    'response',
    'error',
  ],
} as const satisfies Partial<Record<keyof TenantTables, readonly string[]>>;

export type CopiedTable = keyof typeof COPIED;

export const COPIED_TABLES = Object.keys(COPIED) as CopiedTable[];

/** Rows of all these tables as text for COPY. */
export type CopyText = Record<CopiedTable, Buffer>;

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

type Field = string | number | boolean | Date | Buffer | readonly string[] | null | undefined;

function fieldOf(value: Field): string {
  if (value === null || value === undefined) return String.raw`\N`;
  if (value === true) return 't';
  if (value === false) return 'f';
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`;
  if (typeof value === 'object') return `{${value.join(',')}}`;
  return String(value).replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? '');
}

/** Collects rows of the tables above. Arrays hold plain words; what is JSON comes as its text. */
export function createCopyText() {
  const lines = Object.fromEntries(COPIED_TABLES.map((table) => [table, [] as string[]])) as Record<
    CopiedTable,
    string[]
  >;
  return {
    add(siteId: string, table: CopiedTable, row: Readonly<Record<string, Field>>): void {
      const fields = COPIED[table].map((column) => fieldOf(row[column]));
      lines[table].push(`${siteId}\t${fields.join('\t')}\n`);
    },
    end: (): CopyText =>
      Object.fromEntries(
        COPIED_TABLES.map((table) => [table, Buffer.from(lines[table].join(''), 'utf8')]),
      ) as CopyText,
  };
}

/** @param client in a transaction, of a role that row-level security does not bind */
export async function copyRows(client: pg.Client, rows: CopyText): Promise<void> {
  for (const table of COPIED_TABLES) {
    if (rows[table].length === 0) continue;
    await copyIn(
      client,
      `copy ${table} (site_id, ${COPIED[table].join(', ')}) from stdin`,
      inChunks(rows[table]),
    );
  }
}

const CHUNK_BYTES = 1 << 18;

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

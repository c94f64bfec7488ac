import pg from 'pg';

/** An index that a version after 0.2.0 added to a table that may be large. */
interface AddedIndex {
  name: string;
  /** What follows `create index concurrently name`. */
  definition: string;
}

/**
 * For test mode (decision 043), records that only say a customer was created, wrong recipients, undo, reasons for leaving,
 * the audit log's filters, and what accounts leave behind. Built within a migration's transaction, they would block every save until the whole table
 * has been read.
 */
export const ADDED_INDEXES: readonly AddedIndex[] = [
  { name: 'choices_test_idx', definition: 'on choices (site_id, id) where is_test' },
  {
    name: 'choices_arrival_idx',
    definition: `on choices (site_id, id) where events = '{customer_created}' and lists = '[]' and is_test is null`,
  },
  {
    name: 'deliveries_test_idx',
    definition: `on deliveries (site_id, outcome, id) where outcome in ('test', 'held')`,
  },
  {
    name: 'customers_wrong_recipient_idx',
    definition: 'on customers (site_id, id) where wrong_recipient_at is not null',
  },
  {
    name: 'choices_replaced_idx',
    definition: 'on choices (site_id, id) where replaced is not null',
  },
  {
    name: 'choices_burst_idx',
    definition: `on choices (site_id, id) where replaced is not null and source in ('tool', 'owner', 'api')`,
  },
  {
    name: 'leave_reasons_given_idx',
    definition: 'on leave_reasons (site_id, created_at) include (reason, choice_id)',
  },
  { name: 'leave_reasons_reason_idx', definition: 'on leave_reasons (site_id, reason, choice_id)' },
  { name: 'audit_log_event_idx', definition: 'on audit_log (site_id, event, id)' },
  { name: 'audit_log_actor_idx', definition: 'on audit_log (site_id, actor, event, id)' },
  { name: 'refresh_tokens_used_idx', definition: 'on refresh_tokens (used_at) where used_at is not null' },
  { name: 'sessions_ended_idx', definition: 'on sessions (least(expires_at, revoked_at))' },
  { name: 'password_links_expires_idx', definition: 'on password_links (expires_at)' },
  { name: 'account_links_expires_idx', definition: 'on account_links (expires_at)' },
];

const LOCK = 727463003;
/** Building waits for transactions that are open. A start does not wait for a dump that takes hours. */
const WAIT_AT_MOST = '60s';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Builds the indexes that are missing, while others read and write. Of several processes that start, one builds them and
 * the others go on: queries answer the same without them, only slower. What couldn't be built because of a transaction
 * that stayed open is left to the next start.
 * @returns the names of those left to the next start
 * @throws what PostgreSQL refuses, for example for want of disk space
 */
export async function buildAddedIndexes(ownerUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ is_free: boolean }>('select pg_try_advisory_lock($1) as is_free', [
      LOCK,
    ]);
    if (rows[0]?.is_free !== true) return [];
    await client.query(`set lock_timeout = '${WAIT_AT_MOST}'`);
    const left: string[] = [];
    for (const index of ADDED_INDEXES) if (!(await build(client, index))) left.push(index.name);
    return left;
  } finally {
    await client.end();
  }
}

/** @returns false if a transaction stayed open for too long */
async function build(client: pg.Client, { name, definition }: AddedIndex): Promise<boolean> {
  const { rows } = await client.query<{ is_valid: boolean }>(
    `select indisvalid as is_valid from pg_index where indexrelid = to_regclass('public.' || $1)`,
    [name],
  );
  if (rows[0]?.is_valid === true) return true;
  try {
    // One whose building was cut short is there, but not used.
    if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
    await client.query(`create index concurrently ${name} ${definition}`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}

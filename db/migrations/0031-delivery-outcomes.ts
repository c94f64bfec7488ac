import { type Kysely, sql } from 'kysely';

/*
 * What came of a delivery is kept with it, so that one sentence can say it; deliveries from before say what their
 * columns tell. A choice that no tool has confirmed after a day is reported to those responsible, by a chore of each
 * connected tool.
 */

const OUTCOMES = [
  'bad_credentials',
  'refused',
  'not_found',
  'rate_limited',
  'unavailable',
  'confirmed',
  'accepted',
  'checking',
  'unconfirmed',
  'not_known',
  'overtaken',
  'erased',
  'disconnected',
  'tool_off',
  'action_off',
];

const STATEMENTS = [
  `alter table deliveries add column outcome text`,
  `alter table deliveries add constraint deliveries_outcome_check check (outcome in (${OUTCOMES.map((one) => `'${one}'`).join(', ')}))`,
  `create index deliveries_unconfirmed_idx on deliveries (site_id, id) include (action_id) where outcome in ('checking', 'unconfirmed')`,
  `alter table integrations add column late_notice_at timestamptz`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  // Who owns the table is held to its policy, too, and is of no site here.
  await sql.raw(`alter table integrations no force row level security`).execute(db);
  await sql
    .raw(
      `insert into tool_chores (site_id, integration_id, kind, due_at, lease)
       select site_id, id, 'late', now(), null from integrations where deleted_at is null`,
    )
    .execute(db);
  await sql.raw(`alter table integrations force row level security`).execute(db);
}

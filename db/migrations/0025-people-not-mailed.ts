import { type Kysely, sql } from 'kysely';

/*
 * A delivery can say that a tool waits for the person to confirm, or shows what was asked for and sends the person nothing
 * all the same.
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
  'awaits_person',
  'blocked',
  'not_known',
  'overtaken',
  'untouched',
  'erased',
  'disconnected',
  'tool_off',
  'action_off',
  'test',
  'held',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const outcomes = OUTCOMES.map((outcome) => `'${outcome}'`).join(', ');
  const statements = [
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    `alter table deliveries drop constraint deliveries_outcome_check`,
    `alter table deliveries add constraint deliveries_outcome_check check (outcome in (${outcomes})) not valid`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

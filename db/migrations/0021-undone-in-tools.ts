import { type Kysely, sql } from 'kysely';

/*
 * What each delivery changed in its tool, so that an undo takes back no more than that (decision 065). Deliveries of a
 * process of the version before record nothing: what they changed in tools stays when it is undone.
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
    `alter table deliveries add column tool_effect jsonb`,
    `alter table deliveries drop constraint deliveries_outcome_check`,
    `alter table deliveries add constraint deliveries_outcome_check check (outcome in (${outcomes})) not valid`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

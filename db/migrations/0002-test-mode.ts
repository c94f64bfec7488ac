import { type Kysely, sql } from 'kysely';

/*
 * Test mode (decision 043). A process of the version before knows none of this: it would send what test customers
 * choose, and would see another hash than the stored one in records that are marked as a test. Test mode is off and no
 * address is a test address until an owner says otherwise, which only this version lets them do.
 *
 * Of choices, only those of test addresses have `is_test`; of deliveries, `test` ends one that is never sent, and `held`
 * stands at one that waits until the site goes live.
 *
 * Nothing here reads a whole table: the new check allows all that the old one allowed, so it isn't validated, and
 * `server/platform/added-indexes.ts` builds the indexes afterwards.
 */

const OUTCOMES = [
  ...['bad_credentials', 'refused', 'not_found', 'rate_limited', 'unavailable', 'confirmed', 'accepted'],
  ...[
    'checking',
    'unconfirmed',
    'not_known',
    'overtaken',
    'erased',
    'disconnected',
    'tool_off',
    'action_off',
  ],
  ...['test', 'held'],
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const outcomes = OUTCOMES.map((outcome) => `'${outcome}'`).join(', ');
  const statements = [
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    `alter table sites add column test_mode boolean not null default false`,
    `alter table sites add column test_emails text[] not null default '{}'`,
    `alter table choices add column is_test boolean`,
    `alter table deliveries drop constraint deliveries_outcome_check`,
    `alter table deliveries add constraint deliveries_outcome_check check (outcome in (${outcomes})) not valid`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

import { type Kysely, sql } from 'kysely';

/** The same key, with which the row goes when its parent does. */
function gone(table: string, name: string, key: string): string[] {
  return [
    `alter table ${table} drop constraint ${name}`,
    `alter table ${table} add constraint ${name} foreign key ${key} on delete cascade`,
  ];
}

const STATEMENTS = [
  // Of the user agent only what an owner needs to tell their devices apart.
  `alter table refresh_families add column browser text`,
  `alter table refresh_families add column system text`,
  `create table avatars (
    user_id uuid constraint avatars_pkey primary key,
    id uuid not null constraint avatars_id_key unique,
    bytes bytea not null,
    created_at timestamptz not null
  )`,
  `alter table avatars add constraint avatars_user_fk foreign key (user_id) references users (id) on delete cascade`,
  // From then on nobody belongs to it, and its sites are taken away one after the other.
  `alter table organizations add column closing_at timestamptz`,
  // Everything of a site goes with it, in whichever order. The server's role may delete neither choices nor customers.
  ...gone('choices', 'choices_customer_fk', '(site_id, customer_id) references customers (site_id, id)'),
  ...gone('deliveries', 'deliveries_choice_fk', '(site_id, choice_id) references choices (site_id, id)'),
  ...gone(
    'actions',
    'actions_integration_fk',
    '(site_id, integration_id) references integrations (site_id, id)',
  ),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

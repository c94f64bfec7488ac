import { type Kysely, sql } from 'kysely';

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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

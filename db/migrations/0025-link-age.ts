import { type Kysely, sql } from 'kysely';

/*
 * Personal links age and end. A link carries the generation of the customer that it was made in; ending their links
 * begins the next one. The tools' fields hold links of which nothing says when they were made: they are all renewed.
 */

const STATEMENTS = [
  `alter table sites add column link_lifetime_days int not null default 180`,
  `alter table sites add constraint sites_link_lifetime_check check (link_lifetime_days between 30 and 730)`,
  `alter table customers add column link_generation int not null default 0`,
  `alter table customers add column links_ended_at timestamptz`,
  `alter table kept_links add column issued_on int not null default 0`,
  `alter table kept_links add column link_generation int not null default 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  // Who owns the table is held to its policy, too, and is of no site here.
  await sql.raw(`alter table link_fields no force row level security`).execute(db);
  await sql.raw(`update link_fields set round_due_at = now()`).execute(db);
  await sql.raw(`alter table link_fields force row level security`).execute(db);
}

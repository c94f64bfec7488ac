import { type Kysely, sql } from 'kysely';

/*
 * The content of attempts of deliveries that arrived is deleted after a number of days, which is a setting of the site.
 * A site remembers how far that has come: deliveries are gone through in the order of their ids, which is the order of
 * time. Those that arrived long after they were made, and may have been passed by, are found by an index of their own;
 * it costs the others nothing.
 */

const STATEMENTS = [
  `alter table sites add column delivery_content_days int not null default 30`,
  `alter table sites add constraint sites_delivery_content_days_check check (delivery_content_days between 1 and 365)`,
  `alter table delivery_attempts add column content_deleted_at timestamptz`,
  `create index deliveries_late_arrival_idx on deliveries (site_id, finished_at, id)
     where status = 'arrived' and finished_at - created_at > interval '1 hour'`,
  `create table retention_rounds (
    site_id uuid constraint retention_rounds_pkey primary key,
    due_at timestamptz not null,
    lease uuid,
    up_to_id uuid,
    late_up_to timestamptz
  )`,
  `alter table retention_rounds add constraint retention_rounds_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index retention_rounds_due_idx on retention_rounds (due_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

import { type Kysely, sql } from 'kysely';

/*
 * The deliveries table is the queue: `next_attempt_at` says when a delivery is due, and while a process has it, when its
 * lease ends. `sites_with_work` says which sites a worker has to look at; it holds ids and times alone and stays on the
 * coordinator. Of databases from before, a sweep marks the sites as soon as a worker starts.
 */
const STATEMENTS = [
  `alter table deliveries add column looks int not null default 0`,
  `create index deliveries_due_idx on deliveries (site_id, next_attempt_at) where next_attempt_at is not null`,
  `create table sites_with_work (
    site_id uuid constraint sites_with_work_pkey primary key
      constraint sites_with_work_site_id_fkey references sites (id) on delete cascade,
    due_at timestamptz not null,
    hold_until timestamptz not null
  )`,
  `create index sites_with_work_due_idx on sites_with_work (due_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  // Looks whether a change has arrived were jobs alone; they begin again.
  await sql`
    update deliveries set next_attempt_at = finished_at
    where status = 'arrived' and outcome = 'checking' and next_attempt_at is null`.execute(db);
}

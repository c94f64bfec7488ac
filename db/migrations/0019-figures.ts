import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * What the figures are counted from. The evidence itself is too wide for that: a site with a million choices would read
 * gigabytes. All of these indexes are walked by ranges of ids, which are ranges of time.
 */

/** From the choices made so far: by the same rules as `movesBetween`, as far as the evidence tells. */
const PAST_MOVES = `
  insert into list_moves (site_id, choice_id, list_id, joined)
  select choices.site_id, choices.id, changed.list_id, changed.subscribed
  from choices
  cross join lateral jsonb_to_recordset(choices.lists) as changed (list_id uuid, subscribed boolean, previous boolean)
  left join lists on lists.site_id = choices.site_id and lists.id = changed.list_id
  where choices.source <> 'pause_end'
  and not (choices.paused_until is not null and 'global_unsubscribed' = any(choices.events))
  and case when changed.subscribed then changed.previous is not true
    else coalesce(changed.previous, lists.default_state, false) end
  on conflict do nothing`;

const STATEMENTS = [
  `alter table list_moves add constraint list_moves_choice_fk foreign key (site_id, choice_id) references choices (site_id, id) on delete cascade`,
  `create index customers_present_idx on customers (site_id, id) where erased_at is null`,
  // Both with what is counted, so that the rows themselves are not read.
  `drop index deliveries_action_idx`,
  `create index deliveries_action_idx on deliveries (site_id, action_id, id) include (status, finished_at)`,
  `drop index deliveries_open_idx`,
  `create index deliveries_open_idx on deliveries (site_id, status, id) include (action_id) where status <> 'arrived'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'list_moves',
    `choice_id uuid not null,
    list_id uuid not null,
    joined boolean not null,
    constraint list_moves_pkey primary key (site_id, choice_id, list_id) include (joined)`,
    { hangsOnSite: false },
  );
  // Who owns the tables is held to their policies, too, and is of no site here.
  const forcedOn = ['choices', 'lists', 'list_moves'];
  for (const table of forcedOn) await sql.raw(`alter table ${table} no force row level security`).execute(db);
  await sql.raw(PAST_MOVES).execute(db);
  for (const table of forcedOn) await sql.raw(`alter table ${table} force row level security`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

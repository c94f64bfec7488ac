import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * What screens show costs the same however many customers a site has. What they count of everybody is kept in counters;
 * what is looked at page by page is found in the order of its pages: a filter that few rows of a large site match read all
 * the others before.
 */
const INDEXES = [
  `create index list_moves_list_idx on list_moves (site_id, list_id, joined, choice_id)`,
  `create index list_moves_joined_idx on list_moves (site_id, joined, choice_id)`,
];

const COUNTERS = `
  day int not null,
  fact text not null,
  list_id uuid not null,
  slot smallint not null,
  value bigint not null,
  constraint counters_pkey primary key (site_id, day, fact, list_id, slot)`;

const OF_SITE = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** The UTC day of a UUIDv7: its first 48 bits are milliseconds. */
const dayOf = (id: string) =>
  `(('x0000' || substr(${id}::text, 1, 8) || substr(${id}::text, 10, 4))::bit(64)::bigint / 86400000)::int`;

const PRESENT = 'erased_at is null and merged_into is null';

/** What there is so far. What an earlier version that still runs saves meanwhile is added by the next night's recount. */
const COUNTS = [
  `select site_id, 0, 'customers', ${OF_SITE}, 0, count(*) from customers where ${PRESENT} group by site_id`,
  `select site_id, ${dayOf('id')}, 'customers', ${OF_SITE}, 0, count(*) from customers where ${PRESENT} group by site_id, 2`,
  `select site_id, ${dayOf('id')}, 'choices', ${OF_SITE}, 0, count(*) from choices group by site_id, 2`,
  `select site_id, ${dayOf('id')}, 'deliveries', ${OF_SITE}, 0, count(*) from deliveries group by site_id, 2`,
  `select site_id, ${dayOf('choice_id')}, case when joined then 'joins' else 'leaves' end, list_id, 0, count(*)
   from list_moves group by site_id, 2, 3, list_id`,
  `select subscriptions.site_id, 0, 'subscribers', subscriptions.list_id, 0, count(*) from subscriptions
   join customers on customers.site_id = subscriptions.site_id and customers.id = subscriptions.customer_id
   where ${PRESENT} and subscribed and not global_unsubscribe group by subscriptions.site_id, subscriptions.list_id`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
  await createTenantTable(db, 'counters', COUNTERS);
  for (const counts of COUNTS) {
    await sql.raw(`insert into counters (site_id, day, fact, list_id, slot, value) ${counts}`).execute(db);
  }
}

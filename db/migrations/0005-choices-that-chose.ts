import { type Kysely, sql } from 'kysely';

/*
 * The figure "choices" also counted customers who were only created, for example by an import without lists. What
 * was counted of the last two years, which is as far as the dashboard looks, is taken off. Saves go on meanwhile: they
 * add to slots 0 to 7, and the nightly pass brings this one into the first. What processes of the version before count
 * until they are stopped is corrected by the same pass.
 */

const SLOT = 8;

export async function up(db: Kysely<unknown>): Promise<void> {
  const day = `(('x0000' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(64)::bigint / 86400000)::int`;
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql
    .raw(
      `insert into counters (site_id, day, metric, list_id, slot, value)
       select site_id, ${day}, 'choices', '00000000-0000-0000-0000-000000000000'::uuid, ${SLOT}, -count(*)
       from choices
       where events = '{customer_created}' and lists = '[]' and is_test is null
         and occurred_at >= now() - interval '2 years'
       group by 1, 2
       on conflict (site_id, day, metric, list_id, slot) do update set value = counters.value + excluded.value`,
    )
    .execute(db);
}

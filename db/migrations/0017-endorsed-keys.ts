import { type Kysely, sql } from 'kysely';

/*
 * Public keys count only with a MAC made with SECRET_KEY. Those stored before have none: the first start takes them over, so
 * they are named where the server's role can't write.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql
    .raw(
      `create table evidence_key_endorsements (
    kid text not null,
    mac bytea not null,
    constraint evidence_key_endorsements_pkey primary key (kid, mac))`,
    )
    .execute(db);
  await sql
    .raw(`alter table installation add column keys_from_before text[] not null default '{}'`)
    .execute(db);
  await sql
    .raw(`update installation set keys_from_before = array(select kid from evidence_keys order by kid)`)
    .execute(db);
}

import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Opt-outs of addresses that are no customer's, and the addresses that customers had before, both as keyed hashes
 * (decision 064). A process of the version before keeps neither: what a tool reports to it about an unknown address is
 * dropped until it is stopped.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'kept_opt_outs',
    `address_hash bytea not null,
    about text not null,
    kind text not null,
    integration_id uuid,
    happened_at timestamptz not null,
    kept_at timestamptz not null,
    constraint kept_opt_outs_pkey primary key (site_id, address_hash, about)`,
  );
  await createTenantTable(
    db,
    'former_addresses',
    `address_hash bytea not null,
    customer_id uuid not null,
    moved_at timestamptz not null,
    constraint former_addresses_pkey primary key (site_id, address_hash, customer_id)`,
    { hangsOnSite: false },
  );
  await sql
    .raw(
      `alter table former_addresses add constraint former_addresses_customer_fk
         foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
    )
    .execute(db);
  await sql
    .raw(`create index former_addresses_customer_idx on former_addresses (site_id, customer_id)`)
    .execute(db);
  await sql.raw(`alter table inbound_events drop constraint inbound_events_outcome_check`).execute(db);
  await sql
    .raw(
      `alter table inbound_events add constraint inbound_events_outcome_check
         check (outcome in ('applied', 'kept', 'ignored', 'failed'))`,
    )
    .execute(db);
}

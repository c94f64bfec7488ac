import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/* Who a site's emails are from, who is behind its pages, and which customers' mailboxes refuse its emails. */

const STATEMENTS = [
  `alter table sites add column sender_name text not null default ''`,
  `alter table sites add column reply_to text not null default ''`,
  `alter table sites add column operator jsonb`,
];

const EMAIL_BOUNCES = `
  customer_id uuid not null,
  email_key text not null,
  status int not null,
  reply text not null,
  bounced_at timestamptz not null,
  constraint email_bounces_pkey primary key (site_id, customer_id)`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await createTenantTable(db, 'email_bounces', EMAIL_BOUNCES);
}

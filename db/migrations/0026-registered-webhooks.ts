import { type Kysely, sql } from 'kysely';

/*
 * Whether a tool calls us about what people do there: since when we know that our webhook is registered, when we last looked,
 * why it is not, and when it last called. Tools that were connected before are looked at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    ...['registered', 'checked', 'called'].map(
      (what) => `alter table integrations add column webhook_${what}_at timestamptz`,
    ),
    `alter table integrations add column webhook_reason text`,
    `insert into scheduled_tasks (site_id, integration_id, kind, due_at)
      select site_id, id, 'webhook', created_at from integrations
      where deleted_at is null
        and provider in ('activecampaign', 'brevo', 'campaign-monitor', 'drip', 'kit', 'mailchimp', 'sendgrid')
      on conflict do nothing`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

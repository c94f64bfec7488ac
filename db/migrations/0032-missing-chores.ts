import { type Kysely, sql } from 'kysely';

/*
 * 0010 and 0012 gave their chores to the integrations that they saw. Run by an owner who is held to the policies, they
 * saw none: those tools were neither polled nor compared again.
 */

const POLLED = ['hubspot', 'salesforce', 'sendlane'];

/** All of them at once would be a burst of calls; comparisons may take the next day. */
const SPREAD_SECONDS = 24 * 3600;

interface Integration {
  site_id: string;
  id: string;
  provider: string;
}

async function allIntegrations(db: Kysely<unknown>): Promise<Integration[]> {
  const { rows: tables } = await sql<{ relforcerowsecurity: boolean }>`
    select relforcerowsecurity from pg_class where oid = 'integrations'::regclass`.execute(db);
  const isForced = tables[0]?.relforcerowsecurity === true;
  // Who owns the table is held to its policy, too, and is of no site here.
  if (isForced) await sql.raw(`alter table integrations no force row level security`).execute(db);
  const { rows } = await sql<Integration>`
    select site_id, id, provider from integrations where deleted_at is null order by site_id, id`.execute(db);
  if (isForced) await sql.raw(`alter table integrations force row level security`).execute(db);
  return rows;
}

async function addChore(
  db: Kysely<unknown>,
  { site_id: siteId, id }: Integration,
  kind: 'poll' | 'comparison',
  inSeconds: number,
): Promise<void> {
  await sql`
    insert into tool_chores (site_id, integration_id, kind, due_at, lease)
    values (${siteId}, ${id}, ${kind}, now() + make_interval(secs => ${inSeconds}), null)
    on conflict (site_id, integration_id, kind) do nothing`.execute(db);
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  const integrations = await allIntegrations(db);
  for (const [index, integration] of integrations.entries()) {
    if (POLLED.includes(integration.provider)) await addChore(db, integration, 'poll', 0);
    await addChore(db, integration, 'comparison', (SPREAD_SECONDS * index) / integrations.length);
  }
}

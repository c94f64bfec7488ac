import { type Kysely, sql } from 'kysely';

// nullif: outside a site's transaction the setting is empty, and no row is visible.
const POLICY = `site_id = nullif(current_setting('app.site_id', true), '')::uuid`;

/** The first tenant table that is made: the rows of a site in all others lie beside its rows. */
const FIRST_TENANT_TABLE = 'audit_log';

/** Is this database a Citus coordinator? Then tenant tables are distributed. */
export async function hasCitus(db: Kysely<unknown>): Promise<boolean> {
  const citus = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db);
  return citus.rows.length > 0;
}

/**
 * Rows of a tenant table are seen and written only inside their own site. Citus could not move shards of a table whose
 * owner is bound, too (migration 0014); the server's role is no owner.
 */
async function secureTenantTable(db: Kysely<unknown>, table: string): Promise<void> {
  await sql.raw(`alter table ${table} enable row level security`).execute(db);
  if (!(await hasCitus(db))) await sql.raw(`alter table ${table} force row level security`).execute(db);
  await sql
    .raw(`create policy ${table}_site on ${table} using (${POLICY}) with check (${POLICY})`)
    .execute(db);
  await openToOwner(db, table);
}

/**
 * The role that migrates sees the rows of all sites, although row-level security is forced on it too, except on Citus: backups and
 * migrations would find nothing otherwise. The server's own role is not in it and gains nothing.
 */
async function openToOwner(db: Kysely<unknown>, table: string): Promise<void> {
  await sql
    .raw(`create policy ${table}_owner on ${table} to current_user using (true) with check (true)`)
    .execute(db);
}

/**
 * No statistics are gathered about which sites have rows here. From them, the planner would expect one row of any site that
 * came after the last ANALYZE, and its joins would read all of that site's rows again for each of them (decision 055).
 */
export async function disableSiteStatistics(db: Kysely<unknown>, table: string): Promise<void> {
  await sql.raw(`alter table ${table} alter column site_id set statistics 0`).execute(db);
}

/**
 * A tenant table: distributed where there is Citus, behind row-level security, gone with its site.
 * @param columns SQL of everything but site_id; its keys have to contain site_id
 * @param input.hangsOnSite false where a parent of the same site takes it along
 */
export async function createTenantTable(
  db: Kysely<unknown>,
  table: string,
  columns: string,
  { hangsOnSite = true }: { hangsOnSite?: boolean } = {},
): Promise<void> {
  await sql.raw(`create table ${table} (site_id uuid not null, ${columns})`).execute(db);
  // Before the table is distributed: shards take it over.
  await disableSiteStatistics(db, table);
  if (await hasCitus(db)) {
    const beside = table === FIRST_TENANT_TABLE ? '' : `, colocate_with => '${FIRST_TENANT_TABLE}'`;
    await sql.raw(`select create_distributed_table('${table}', 'site_id'${beside})`).execute(db);
  }
  if (hangsOnSite) {
    const key = `foreign key (site_id) references sites (id) on delete cascade`;
    await sql.raw(`alter table ${table} add constraint ${table}_site_fk ${key}`).execute(db);
  }
  await secureTenantTable(db, table);
}

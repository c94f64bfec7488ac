import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { newId } from '#server/platform/ids.ts';
import { isOnCitus } from './harness/nodes.ts';
import { startTestProduct, type TestProduct } from './harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from './harness/world.ts';

/** Tables that come before any tenant. A new table is either added here, with a reason to be, or has a policy. */
const BEFORE_ANY_TENANT = [
  'account_links',
  // Of accounts, which may belong to no organization yet.
  'avatars',
  // Ids only: one look finds what is due on every site.
  'customer_timers',
  // Ids, times and counts: one look finds what is due on every site.
  'evidence_check_tasks',
  // Public keys of the installation as a whole.
  'evidence_key_endorsements',
  'evidence_keys',
  'host_name_owners',
  'host_names',
  // Of the database as a whole: one row.
  'installation',
  'invitations',
  'kysely_migration',
  'kysely_migration_lock',
  'members',
  'organizations',
  'outbox_emails',
  'passkeys',
  'password_links',
  'rate_limits',
  'recovery_codes',
  'refresh_tokens',
  // Ids and times: one look finds what is due on every site.
  'retention_tasks',
  // Ids only: one look finds what is due on every site.
  'scheduled_tasks',
  'sessions',
  'site_domains',
  'sites',
  // Ids and times: one look finds what is due on every site.
  'sites_with_work',
  'surveys',
  // Ids only: one look finds what is due on every site.
  'token_renewals',
  // Counts of calls by the hash of an account.
  'tool_rate_limits',
  'totp_factors',
  'used_tickets',
  'users',
];

const POLICY = "(site_id = (NULLIF(current_setting('app.site_id'::text, true), ''::text))::uuid)";
const APPEND_ONLY = ['audit_log', 'choices', 'evidence_checks', 'evidence_heads', 'shown_texts'];
/** Their evidence would go with them; they are erased. */
const NEVER_DELETED = ['customers'];
const NO_SUCH_ROWS = 'new row violates row-level security policy';
/** Citus refuses to change a row's site before the policy is asked. */
const NO_OTHER_SITE = isOnCitus ? 'modifying the partition value of rows is not allowed' : NO_SUCH_ROWS;

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  /** How many of its commonest values ANALYZE lists; -1: as many as of any column. */
  statistics: number;
}

let product: TestProduct;
let app: pg.Client;
let acme: World;
let globex: World;
let tenantTables: string[];
let columns: Column[];

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product, 'acme');
  globex = await buildWorld(product, 'globex');
  for (const world of [acme, globex]) {
    await buildWebhook(product, world, { url: 'https://shop.example/hook' });
    const customer = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, customer);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    await fillTheOthers(world);
  }
  app = new pg.Client({ connectionString: product.testDatabase.appUrl });
  await app.connect();
  tenantTables = (
    await asOwner<{ name: string }>(
      `select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'site_id'
       and c.relname <> all($1) order by 1`,
      [BEFORE_ANY_TENANT],
    )
  ).map(({ name }) => name);
  columns = await asOwner<Column>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as required,
       coalesce(a.attstattarget, -1)::int as statistics
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
  );
});

afterAll(async () => {
  await app.end();
  await product.stop();
});

async function asOwner<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await product.testDatabase.owner.query<T>(text, values)).rows;
}

/** Rows in the tables that no call of the product writes yet. */
async function fillTheOthers({ site, owner }: World): Promise<void> {
  const now = new Date();
  const rows: [string, unknown[]][] = [
    [`insert into integrations values ($1, $2, 'drip', 'Drip', 'x', 'connected', $3, $3)`, [now]],
    [`insert into customer_leases values ($1, $2, $4, $5, $3)`, [now, newId(), newId()]],
    [`insert into link_fields values ($1, $2, $4, 'LINK', 'Link', null, $3, null, null, $3)`, [now, newId()]],
    [`insert into inbound_requests values ($1, $2, $4, 'drip', 'done', null, $3)`, [now, newId()]],
    [
      `insert into inbound_events values ($1, $2, $4, '\\x00', null, $3, $3, null, null, 'failed', 'no', null)`,
      [now, newId()],
    ],
    [
      `insert into reconciliations values ($1, $2, $4, 'nightly', 'finished', null, null, '{}', null, null, $3)`,
      [now, newId()],
    ],
    [
      `insert into discrepancies values ($1, $2, $4, $4, $5, null, 'tag:1', 'not_applied', '{}', '{}', '{}', 'gone', null, $3)`,
      [now, newId(), newId()],
    ],
    [`insert into audit_log values ($1, $2, 'nora', 'made', 'list', '{}', $3)`, [now]],
    [`insert into leave_reasons values ($1, $2, $4, 'other', $3)`, [now, newId()]],
    [
      `insert into imports (site_id, id, source, status, options, counts, position, round, created_by, created_at, updated_at)
       values ($1, $2, 'csv', 'finished', '{}', '{}', 0, 0, $4, $3, $3)`,
      [now, owner.id],
    ],
    [`insert into images values ($1, $2, '\\x00', 'logo', 1, 1, '\\x00', $3)`, [now]],
    [`insert into email_bounces values ($1, $2, 'nora@example.com', 550, 'No', $3)`, [now]],
    [
      `insert into kept_opt_outs values ($1, $2::text::bytea, 'everything', 'complained', null, $3, $3)`,
      [now],
    ],
    [`insert into known_opt_outs values ($1, $2, '\\x00', '\\x00', $3)`, [now]],
    [`insert into customer_views values ($1, $2, 'Readers', 'readers', '{}', $3, $3)`, [now]],
    [`insert into evidence_checks values ($1, $2, 0, 0, 0, '[]', '{}', '\\x00', $3)`, [now]],
    [`insert into abuse_reports values ($1, $2, 'acme.localhost', 'preferences', 'other', 'x', $3)`, [now]],
    [`insert into evidence_anchors values ($1, 'heads@example.com', 1, $3, $2::text)`, [now]],
    [`insert into evidence_heads values ($1, $2, 1, $2, 0, '\\x00', '{}', 'kid', '\\x00', $3)`, [now]],
    [`insert into api_keys values ($1, $2, 'key', '\\x00', $4, $3)`, [now, owner.id]],
  ];
  for (const [text, values] of rows) await asOwner(text, [site.id, newId(), ...values]);
  await asOwner(
    `insert into pending_changes select site_id, id, 'resubscribe', $2, null, 0, 'x', '{}', $3 from customers where site_id = $1 limit 1`,
    [site.id, newId(), now],
  );
  await asOwner(
    `insert into complaints (site_id, id, customer_id, language, received_at, due_at)
     select site_id, $2, id, 'en', $3, $3 from customers where site_id = $1 limit 1`,
    [site.id, newId(), now],
  );
  await asOwner(
    `insert into former_addresses select site_id, '\\x00', id, $2 from customers where site_id = $1 limit 1`,
    [site.id, now],
  );
  await asOwner(
    `insert into page_drafts select site_id, id, '{}', 1, 1, $2, $3, $3 from preference_pages where site_id = $1`,
    [site.id, owner.id, now],
  );
  await asOwner(
    `insert into synced_links select site_id, id, $2, 'synced', '\\x00', '\\x00', 1, 0, null, $3 from link_fields where site_id = $1`,
    [site.id, newId(), now],
  );
  await asOwner(
    `insert into import_rows (site_id, import_id, number) select site_id, id, 2 from imports where site_id = $1`,
    [site.id],
  );
  await asOwner(
    `insert into bulk_undos (site_id, id, about, status, counts, told, round, created_at, updated_at)
     values ($1, $2, '{}', 'checked', '{}', '{}', 0, $3, $3)`,
    [site.id, newId(), now],
  );
  await asOwner(
    `insert into bulk_undo_customers (site_id, undo_id, customer_id, verdict, plan, is_new)
     select u.site_id, u.id, c.id, 'kept', '{}', false
     from bulk_undos u join customers c on c.site_id = u.site_id where u.site_id = $1`,
    [site.id],
  );
  await asOwner(
    `insert into delivery_attempts select site_id, id, 1, $2, 1, 'arrived', '{}' from deliveries where site_id = $1`,
    [site.id, now],
  );
}

/** Runs as the server does; everything is undone. */
async function asServer<T>(siteId: string | null, work: () => Promise<T>): Promise<T> {
  await app.query('begin');
  try {
    if (siteId !== null) {
      await app.query(`set local citus.propagate_set_commands = 'local'`);
      await app.query(`set local app.site_id = '${siteId}'`);
    }
    return await work();
  } finally {
    await app.query('rollback');
  }
}

async function countOf(table: string): Promise<number> {
  const { rows } = await app.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return rows[0]?.count ?? -1;
}

/** A row of the site with a new identity, so that only the policy can refuse it. */
async function copyOf(table: string, siteId: string): Promise<{ text: string; values: unknown[] }> {
  const [row] = await asOwner<Record<string, unknown>>(`select * from ${table} where site_id = $1 limit 1`, [
    siteId,
  ]);
  if (row === undefined) throw new Error(`${table} has no row to copy; give it one in fillTheOthers`);
  const names = Object.keys(row);
  const values = names.map((name) => (name === 'id' ? newId() : row[name])).map(toParameter);
  return {
    text: `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    values,
  };
}

function toParameter(value: unknown): unknown {
  const isJson =
    typeof value === 'object' && value !== null && !(value instanceof Date) && !Buffer.isBuffer(value);
  return isJson && !isTextArray(value) ? JSON.stringify(value) : value;
}

function isTextArray(value: object): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

describe('the catalog', () => {
  it('has no table that is neither before any tenant nor under a policy', async () => {
    const rows = await asOwner<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p', 'v', 'm', 'f')
       and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e') order by 1`,
    );
    const others = rows.map(({ name }) => name).filter((name) => !BEFORE_ANY_TENANT.includes(name));
    expect(others).toEqual(tenantTables);
    expect(tenantTables.length).toBeGreaterThan(10);
  });

  it('requires site_id as a uuid in every tenant table, and has no statistics about it', () => {
    const siteIds = columns.filter(({ table, name }) => name === 'site_id' && tenantTables.includes(table));
    expect(siteIds.map(({ table }) => table).toSorted()).toEqual(tenantTables);
    // Decision 055.
    for (const column of siteIds)
      expect(column).toMatchObject({ type: 'uuid', required: true, statistics: 0 });
  });

  it('enables and forces row-level security with exactly two policies: a site, and the role that owns the tables', async () => {
    const tables = await asOwner<{ name: string; enabled: boolean; forced: boolean }>(
      `select relname as name, relrowsecurity as enabled, relforcerowsecurity as forced from pg_class
       where relnamespace = 'public'::regnamespace and relname = any($1) order by 1`,
      [tenantTables],
    );
    // Citus could not move shards of a table that is forced: there, what the owner of the tables sees is not limited.
    const forced = !isOnCitus;
    expect(tables).toEqual(tenantTables.map((name) => ({ name, enabled: true, forced })));
    const policies = await asOwner(
      `select tablename as name, policyname as policy, permissive, cmd, roles::text, qual, with_check from pg_policies
       where schemaname = 'public' order by 1, 2`,
    );
    const [owner] = await asOwner<{ role: string }>(`select current_user as role`);
    const all = { permissive: 'PERMISSIVE', cmd: 'ALL' };
    // The server's role is in no other role, see below: this one opens nothing to it.
    const ofOwner = { ...all, roles: `{${owner?.role}}`, qual: 'true', with_check: 'true' };
    const ofSite = { ...all, roles: '{public}', qual: POLICY, with_check: POLICY };
    expect(policies).toEqual(
      tenantTables.flatMap((name) => [
        { name, policy: `${name}_owner`, ...ofOwner },
        { name, policy: `${name}_site`, ...ofSite },
      ]),
    );
  });

  it('keeps the rules of citus-rules.md that a catalog can show', async () => {
    const keys = await asOwner<{ table: string; name: string; type: string; columns: string[] }>(
      `select c.relname as table, conname as name, contype as type,
         (select array_agg(attname::text order by attname) from pg_attribute
          where attrelid = conrelid and attnum = any(conkey)) as columns
       from pg_constraint join pg_class c on c.oid = conrelid
       where c.relnamespace = 'public'::regnamespace and contype in ('p', 'u', 'x', 'f')`,
    );
    expect(keys.filter(({ name }) => name.length >= 54)).toEqual([]);
    const ofTenants = keys.filter(({ table }) => tenantTables.includes(table));
    expect(ofTenants.filter((key) => !key.columns.includes('site_id'))).toEqual([]);
    const withPrimaryKey = ofTenants.filter(({ type }) => type === 'p').map(({ table }) => table);
    expect(withPrimaryKey.toSorted()).toEqual(tenantTables);

    const uniqueIndexes = await asOwner<{ name: string; columns: string[] }>(
      `select i.indexrelid::regclass::text as name,
         (select array_agg(attname::text) from pg_attribute where attrelid = i.indrelid and attnum = any(i.indkey)) as columns
       from pg_index i join pg_class c on c.oid = i.indrelid
       where i.indisunique and c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
      [tenantTables],
    );
    expect(uniqueIndexes.filter((index) => !index.columns.includes('site_id'))).toEqual([]);
  });

  it('pairs site_id with site_id in every foreign key between tenant tables', async () => {
    const pairs = await asOwner<{ name: string; onto: string; paired: boolean; actions: string }>(
      `select conname as name, f.relname as onto, confdeltype::text || confupdtype::text as actions,
         exists (select 1 from unnest(conkey, confkey) as pair(here, there)
           join pg_attribute a on a.attrelid = conrelid and a.attnum = here and a.attname = 'site_id'
           join pg_attribute b on b.attrelid = confrelid and b.attnum = there
             and b.attname = case when f.relname = 'sites' then 'id' else 'site_id' end) as paired
       from pg_constraint join pg_class c on c.oid = conrelid join pg_class f on f.oid = confrelid
       where contype = 'f' and c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
      [tenantTables],
    );
    expect(pairs.length).toBeGreaterThan(tenantTables.length);
    expect(pairs.filter(({ paired }) => !paired)).toEqual([]);
    // Rule 3: no SET NULL, no SET DEFAULT, nothing on update. Rule 4: tenant tables only lean on tenant tables and sites.
    expect(pairs.filter(({ actions }) => !['aa', 'ca', 'ra'].includes(actions))).toEqual([]);
    expect(pairs.filter(({ onto }) => onto !== 'sites' && !tenantTables.includes(onto))).toEqual([]);
  });

  it('has no foreign key from a global table to a tenant table, no trigger, no rule, no deferred constraint', async () => {
    const backwards = await asOwner(
      `select conname from pg_constraint join pg_class c on c.oid = conrelid join pg_class f on f.oid = confrelid
       where contype = 'f' and not c.relname = any($1) and f.relname = any($1)`,
      [tenantTables],
    );
    const triggers = await asOwner(
      `select tgname from pg_trigger join pg_class c on c.oid = tgrelid
       where not tgisinternal and c.relnamespace = 'public'::regnamespace`,
    );
    const rules = await asOwner(`select rulename from pg_rules where schemaname = 'public'`);
    const deferred = await asOwner(
      `select conname from pg_constraint where condeferred and connamespace = 'public'::regnamespace`,
    );
    expect({ backwards, triggers, rules, deferred }).toEqual({
      backwards: [],
      triggers: [],
      rules: [],
      deferred: [],
    });
  });
});

describe('the server’s role', () => {
  it('is unprivileged, is in no other role, and owns nothing', async () => {
    const { rows } = await app.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
         (select count(*)::int from pg_auth_members where member = r.oid) as memberships,
         (select count(*)::int from pg_class where relowner = r.oid) as relations,
         (select count(*)::int from pg_proc where proowner = r.oid) as functions,
         (select count(*)::int from pg_namespace where nspowner = r.oid) as schemas,
         (select count(*)::int from pg_database where datdba = r.oid) as databases,
         has_schema_privilege('public', 'create') as may_create,
         has_schema_privilege('queue', 'create') as may_create_in_queue
       from pg_roles r where rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        memberships: 0,
        relations: 0,
        functions: 0,
        schemas: 0,
        databases: 0,
        may_create: false,
        may_create_in_queue: false,
      },
    ]);
  });

  it('may not truncate, reference or add triggers anywhere, nor touch the migrations', async () => {
    const { rows } = await app.query(
      `select relname from pg_class where relnamespace in ('public'::regnamespace, 'queue'::regnamespace)
       and relkind in ('r', 'p') and has_table_privilege(oid, 'truncate, references, trigger')`,
    );
    expect(rows).toEqual([]);
    await expect(app.query(`delete from kysely_migration`)).rejects.toThrow('permission denied');
  });

  it('runs three functions with the rights of the owner: one takes nothing, two delete what is old enough', async () => {
    const rows = await asOwner(
      `select proname, pronargs, prorettype::regtype::text as gives, proconfig from pg_proc
       where prosecdef and pronamespace in ('public'::regnamespace, 'queue'::regnamespace) order by proname`,
    );
    const common = { gives: 'integer', proconfig: ['search_path=pg_catalog'] };
    const forgets = {
      ...common,
      pronargs: 2,
      proconfig: [...common.proconfig, 'plan_cache_mode=force_custom_plan'],
    };
    expect(rows).toEqual([
      { ...common, proname: 'analyze_grown_tables', pronargs: 0 },
      { ...forgets, proname: 'forget_audit_entries' },
      { ...forgets, proname: 'forget_evidence_checks' },
    ]);
  });

  it.each(NEVER_DELETED)('cannot remove a row of %s', async (table) => {
    for (const statement of [`delete from ${table}`, `truncate ${table}`]) {
      await asServer(acme.site.id, () => expect(app.query(statement)).rejects.toThrow('permission denied'));
    }
  });

  it.each(APPEND_ONLY)('cannot change or remove a row of %s', async (table) => {
    for (const statement of [
      `update ${table} set site_id = site_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      await asServer(acme.site.id, () => expect(app.query(statement)).rejects.toThrow('permission denied'));
    }
  });
});

describe('row-level security', () => {
  it('shows nothing outside a site, whatever happened on the connection before', async () => {
    await app.query('begin');
    await app.query(`set local citus.propagate_set_commands = 'local'`);
    await app.query(`set local app.site_id = '${acme.site.id}'`);
    expect(await countOf('lists')).toBe(2);
    await app.query('commit');
    for (const table of tenantTables)
      expect({ table, count: await countOf(table) }).toEqual({ table, count: 0 });
  });

  it('accepts no row outside a site', async () => {
    for (const table of tenantTables) {
      const { text, values } = await copyOf(table, acme.site.id);
      await asServer(null, () => expect(app.query(text, values), table).rejects.toThrow(NO_SUCH_ROWS));
    }
  });

  it('shows a site its own rows and none of another’s', async () => {
    for (const table of tenantTables) {
      const [own] = await asOwner<{ count: number }>(
        `select count(*)::int as count from ${table} where site_id = $1`,
        [acme.site.id],
      );
      expect(own?.count, `${table} is empty, so this would prove nothing`).toBeGreaterThan(0);
      await asServer(acme.site.id, async () => {
        expect({ table, count: await countOf(table) }).toEqual({ table, count: own?.count });
        const { rows } = await app.query(`select 1 from ${table} where site_id = $1`, [globex.site.id]);
        expect({ table, rows }).toEqual({ table, rows: [] });
      });
    }
  });

  it('does not let a site add, change, remove or give away rows of another', async () => {
    for (const table of tenantTables) {
      const foreign = await copyOf(table, globex.site.id);
      await asServer(acme.site.id, () =>
        expect(app.query(foreign.text, foreign.values), table).rejects.toThrow(NO_SUCH_ROWS),
      );
      if (APPEND_ONLY.includes(table)) continue;
      await asServer(acme.site.id, async () => {
        const where = `where site_id = '${globex.site.id}'`;
        const updated = await app.query(`update ${table} set site_id = site_id ${where}`);
        const changed = [updated.rowCount];
        if (!NEVER_DELETED.includes(table)) {
          changed.push((await app.query(`delete from ${table} ${where}`)).rowCount);
        }
        expect({ table, changed }).toEqual({ table, changed: changed.map(() => 0) });
        await expect(app.query(`update ${table} set site_id = '${globex.site.id}'`), table).rejects.toThrow(
          NO_OTHER_SITE,
        );
      });
    }
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ApiError } from '#contract/client.ts';
import { exportSiteProof } from '#contract/proof.ts';
import { getCustomerPage, saveLists } from '#contract/public-preferences.ts';
import { createSite } from '#contract/sites.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { refuseUnusableWorkers } from '#server/platform/citus.ts';
import { appRole } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { startProblem } from '#server/platform/start-errors.ts';
import { inDatabase, WORKER_URLS } from '#test/harness/nodes.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  ON_THE_PAGE,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { verifyPack } from '../../packages/verify/verify.mjs';

/* What holds only on a cluster; runs with `test/with-citus.sh`. Everything else runs there as it runs everywhere. */

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

async function asOwner<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await product.testDatabase.owner.query<T>(text, values)).rows;
}

/** Where the rows of a site in a table lie. */
async function shardOf(table: string, siteId: string): Promise<{ name: string; port: number }> {
  const [shard] = await asOwner<{ name: string; port: number }>(
    `select $1 || '_' || shardid as name, nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column($1::regclass, $2::uuid) and noderole = 'primary'`,
    [table, siteId],
  );
  return shard ?? expect.unreachable(`${table} has no shard for ${siteId}`);
}

/** Asks a worker itself, past the coordinator. */
async function onWorker<T>(
  port: number,
  role: { name: string; password: string } | null,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const found = WORKER_URLS.find((one) => Number(new URL(one).port) === port);
  const url = new URL(
    inDatabase(found ?? expect.unreachable(`no worker has port ${port}`), product.testDatabase.name),
  );
  if (role !== null) Object.assign(url, { username: role.name, password: role.password });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A new customer who chooses. */
async function save(there: World, subscribed: boolean): Promise<string> {
  const customer = await buildCustomer(product, there);
  const customerId = await openAsProven(product, there, customer);
  const body = [{ notification_list_id: there.weekly.id, subscribed }];
  await product.call(saveLists, { params: { customerId }, body }, there.visitor);
  return customer.id;
}

describe('a test database', () => {
  it('is distributed: tenant tables by site, reference tables on every node', async () => {
    const { tenantTables, referenceTables } = inject('catalog');
    const partitions = await asOwner<{ name: string; method: string; kind: string }>(
      `select logicalrelid::text as name, partmethod as method, repmodel as kind from pg_dist_partition`,
    );
    const ofKind = (method: string, kind: string) =>
      partitions
        .filter((one) => one.method === method && one.kind === kind)
        .map(({ name }) => name)
        .toSorted();
    expect(ofKind('h', 's')).toEqual([...tenantTables].toSorted());
    expect(ofKind('n', 't')).toEqual([...referenceTables].toSorted());
    const nodes = await asOwner(`select nodeport from pg_dist_node where shouldhaveshards order by 1`);
    const ports = WORKER_URLS.map((url) => Number(new URL(url).port));
    expect(nodes.map((node) => (node as { nodeport: number }).nodeport)).toEqual(
      ports.toSorted((a, b) => a - b),
    );
  });

  it('has all rows of a site on one worker, whatever their table', async () => {
    const { tenantTables } = inject('catalog');
    const groups = await asOwner(
      `select distinct colocationid from pg_dist_partition where partmethod = 'h'`,
    );
    expect(groups).toHaveLength(1);
    const places = await Promise.all(tenantTables.map((table) => shardOf(table, world.site.id)));
    expect(new Set(places.map(({ port }) => port)).size).toBe(1);
  });

  it('shows a site on a worker nothing of the others, in any shard of any table', async () => {
    const other = await buildSite(product, world.owner, world.params.organization_id);
    for (const there of [world, other]) await save(there, false);
    const role = appRole(createKeyring([inject('secretKey')]));
    const { tenantTables } = inject('catalog');
    const shards = await asOwner<{ name: string; port: number }>(
      `select shard_name as name, nodeport as port from citus_shards
       where table_name::text = any($1) and citus_table_type = 'distributed'`,
      [[...tenantTables]],
    );
    expect(shards.length).toBeGreaterThan(tenantTables.length);
    /** Every shard that this role may read, with the sites whose rows it shows. */
    const seenBy = async (siteId: string | null) => {
      const seen = new Map<string, number>();
      for (const port of new Set(shards.map((one) => one.port)))
        await onWorker(port, role, async (client) => {
          for (const { name } of shards.filter((one) => one.port === port)) {
            await client.query('begin');
            if (siteId !== null) await client.query(`set local app.site_id = '${siteId}'`);
            const { rows } = await client.query<{ site_id: string; rows: number }>(
              `select site_id, count(*)::int as rows from ${name} group by 1`,
            );
            await client.query('rollback');
            for (const row of rows) seen.set(row.site_id, (seen.get(row.site_id) ?? 0) + row.rows);
          }
        });
      return seen;
    };
    expect([...(await seenBy(null)).keys()]).toEqual([]);
    for (const { site } of [world, other]) {
      const seen = await seenBy(site.id);
      expect([...seen.keys()]).toEqual([site.id]);
      expect(seen.get(site.id)).toBeGreaterThan(3);
    }
  });
});

describe('a save', () => {
  it('lies on the worker of its site, behind row-level security there as well', async () => {
    const customerId = await save(world, true);
    const { name, port } = await shardOf('choices', world.site.id);
    const records = `select customer_id, lists from ${name} where customer_id = '${customerId}' order by sequence`;
    const rows = await onWorker(port, null, async (client) => (await client.query(records)).rows);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows.at(-1))).toContain(world.weekly.id);

    const role = appRole(createKeyring([inject('secretKey')]));
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const seenAs = (siteId: string) =>
      onWorker(port, role, async (client) => {
        await client.query('begin');
        await client.query(`set local app.site_id = '${siteId}'`);
        return (await client.query(records)).rows.length;
      });
    expect(await onWorker(port, role, async (client) => (await client.query(records)).rows)).toEqual([]);
    expect(await seenAs(other.site.id)).toBe(0);
    expect(await seenAs(world.site.id)).toBe(rows.length);
  });

  it('is planned on its worker without statistics about sites, as on the coordinator', async () => {
    const { name, port } = await shardOf('choices', world.site.id);
    const statistics = await onWorker(port, null, (client) =>
      client.query(
        `select attstattarget::int as target from pg_attribute where attrelid = '${name}'::regclass and attname = 'site_id'`,
      ),
    );
    expect(statistics.rows).toEqual([{ target: 0 }]);
  });

  it('is made, read and proved while its shard moves to the other worker', async () => {
    const before = await save(world, true);
    const { port } = await shardOf('choices', world.site.id);
    const target = WORKER_URLS.map((url) => Number(new URL(url).port)).find((one) => one !== port);
    const [shard] = await asOwner<{ id: string }>(
      `select get_shard_id_for_distribution_column('choices', $1::uuid) as id`,
      [world.site.id],
    );
    let isMoving = true;
    const moving = asOwner(
      `select citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`,
      [shard?.id, port, target],
    ).finally(() => (isMoving = false));
    const during: string[] = [];
    while (isMoving) during.push(await save(world, false));
    await moving;
    expect(during.length).toBeGreaterThan(0);
    const moved = await shardOf('choices', world.site.id);
    expect(moved.port).toBe(target);
    const rows = await onWorker(moved.port, null, async (client) => {
      const { rows: people } = await client.query<{ id: string }>(
        `select distinct customer_id as id from ${moved.name}`,
      );
      return people.map(({ id }) => id);
    });
    expect(rows).toEqual(expect.arrayContaining([before, ...during]));
    await signHeads(product.services, world.site.id, { settlesAfterMs: 0 });
    const pack = await product.call(exportSiteProof, { params: world.params }, world.owner);
    const verdict = await verifyPack([Buffer.from(pack, 'utf8')], {});
    expect(verdict.problems).toEqual([]);
    expect(verdict.customers).toBeGreaterThanOrEqual(1 + during.length);
  });
});

describe('round trips to the worker', () => {
  /** Saves and reads one after the other; Citus waits for each statement before it sends the next. */
  const commands: string[] = [];
  let counted: TestProduct;

  beforeAll(async () => {
    counted = await startTestProduct({
      beside: product,
      through: (url) => `${url}?options=${encodeURIComponent('-c citus.log_remote_commands=on')}`,
    });
    const heard = new WeakSet<pg.PoolClient>();
    counted.services.database.pool.on('acquire', (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      client.on('notice', ({ message = '' }) => {
        if (message.startsWith('issuing ')) commands.push(message.slice('issuing '.length));
      });
    });
  });

  afterAll(() => counted.stop());

  /** The first words of what the transaction sent that is about this. */
  async function sent(about: RegExp, work: () => Promise<unknown>): Promise<string[]> {
    commands.length = 0;
    await work();
    // An answer does not wait for the commit of a reading.
    await expect.poll(() => commands.at(-1)).toMatch(/^COMMIT/);
    const ends = commands.findIndex(
      (one, index) => one.startsWith('COMMIT') && index > commands.findIndex((it) => about.test(it)),
    );
    const begins = commands.findLastIndex((one, index) => one.startsWith('BEGIN') && index < ends);
    return commands.slice(begins, ends + 1).map((one) => one.split(' ')[0] ?? '');
  }

  it('number eleven for a group of eight saves, and three for a read', async () => {
    const there = await buildSite(counted, world.owner, world.params.organization_id);
    await buildWebhook(counted, there, { url: 'https://shop.example/hook' });
    const people = await Promise.all(
      Array.from({ length: 8 }, async () => (await buildCustomer(counted, there)).id),
    );
    const saveAll = (subscribed: boolean) => () =>
      Promise.all(
        people.map((id) =>
          saveChoice(
            counted.services,
            there.site.id,
            id,
            { lists: [{ list_id: there.weekly.id, subscribed }] },
            ON_THE_PAGE,
          ),
        ),
      );
    // The mark of the site is the coordinator's; the save that writes it commits in two phases.
    const marking = await sent(/INSERT INTO public.choices/, saveAll(false));
    const statements = [
      'BEGIN',
      'SELECT',
      'SELECT',
      'SELECT',
      'WITH',
      ...Array.from({ length: 5 }, () => 'INSERT'),
    ];
    expect(marking).toEqual([...statements, 'PREPARE', 'COMMIT']);
    await saveAll(true)();
    expect(await sent(/INSERT INTO public.choices/, saveAll(false))).toEqual([...statements, 'COMMIT']);
    const customerId = await openAsProven(counted, there, await buildCustomer(counted, there));
    const params = { customerId, custom_path: there.page.custom_path };
    const read = () => counted.call(getCustomerPage, { params }, there.visitor);
    await read();
    expect(await sent(/FROM public.customers/, read)).toEqual(['BEGIN', 'SELECT', 'COMMIT']);
  });
});

const MOST_CALLS = 5;

describe('many simultaneous sign-ups', () => {
  /** As owners do: a caller who is told that the database is busy tries again, a few times. */
  async function create(name: string, there = world): Promise<string | undefined> {
    const { organization_id } = there.params;
    for (let calls = 1; ; calls += 1) {
      try {
        const body = { domain_name: name, name };
        await product.call(createSite, { params: { organization_id }, body }, there.owner);
        return 'made';
      } catch (error) {
        const code = (error as ApiError).errors[0]?.code;
        if (code !== 'unavailable' || calls === MOST_CALLS) return code;
      }
    }
  }

  it('for the same name get one site, and the others are told that it is taken', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => buildWorld(product)));
    const answers = await Promise.all([world, ...others].map((there) => create('same-name', there)));
    expect(answers.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'domain_taken'), 'made']);
  });

  it('for different names all get one', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `name-${index}`);
    expect(await Promise.all(names.map((name) => create(name)))).toEqual(names.map(() => 'made'));
  });
});

describe('a worker', () => {
  it('that requires a password unknown to the coordinator keeps Sayso from starting, and the message says why', async () => {
    const known = await asOwner<{ nodeid: number; rolename: string; authinfo: string }>(
      'delete from pg_dist_authinfo returning *',
    );
    const problem = async (ownerRole: string | null) => {
      const error = await refuseUnusableWorkers(product.testDatabase.appUrl, ownerRole).catch(
        (one: Error) => one,
      );
      return startProblem(error);
    };
    try {
      expect(await problem('sayso')).toMatch(
        /^DATABASE_URL: the Citus coordinator can't use a worker, .*no password supplied.*"grant select, insert, update on pg_dist_authinfo to sayso" on the coordinator/,
      );
      expect(await problem(null)).toMatch(
        /^DATABASE_URL: the Citus coordinator can't use one of its workers: connection to the remote node sayso_app_\w+@127\.0\.0\.1:\d+ failed .*no password supplied\. Start that worker/,
      );
    } finally {
      for (const { nodeid, rolename, authinfo } of known)
        await asOwner('insert into pg_dist_authinfo values ($1, $2, $3)', [nodeid, rolename, authinfo]);
    }
    await refuseUnusableWorkers(product.testDatabase.appUrl, null);
  });
});

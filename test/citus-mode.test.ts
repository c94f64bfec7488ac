import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createOrganization } from '#contract/organizations.ts';
import { getCustomerPage, saveLists } from '#contract/public-preferences.ts';
import { createSite } from '#contract/sites.ts';
import { openDatabase } from '#server/platform/database.ts';
import { createLog } from '#server/platform/log.ts';
import { createTestDatabase } from './harness/database.ts';
import { copyDatabase, dropDatabase, isOnCitus, requireDistributed } from './harness/nodes.ts';
import { startTestProduct, type TestProduct } from './harness/product.ts';
import { messagesTo } from './harness/recorded-statements.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from './harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'https://shop.example/hook', event: 'subscribed' });
});

afterAll(() => product.stop());

const isSetting = (message: string) => message.includes('set local ');

/** What a customer does on the page: reads, saves, reads again. */
async function subscribe(on: TestProduct, there: World): Promise<unknown[]> {
  const { weekly, page, visitor } = there;
  const customerId = await openAsProven(on, there, await buildCustomer(on, there));
  const read = async () => {
    const params = { customerId, custom_path: page.custom_path };
    const { lists } = await on.call(getCustomerPage, { params }, visitor);
    return lists.find(({ id }) => id === weekly.id)?.subscribed;
  };
  const before = await read();
  const body = [{ notification_list_id: weekly.id, subscribed: true }];
  await on.call(saveLists, { params: { customerId }, body }, visitor);
  return [before, await read()];
}

describe('the transaction of a site', () => {
  it('reads and saves, and no message that contains SET LOCAL contains anything else', async () => {
    expect(await subscribe(product, world)).toEqual([null, true]);
    const messages = messagesTo(product.testDatabase.name);
    expect(messages).toContain('begin');
    expect(messages.filter(isSetting).toSorted()).toEqual([
      `set local app.site_id = '${world.site.id}'`,
      `set local citus.propagate_set_commands = 'local'`,
    ]);
  });

  it('writes state, evidence, delivery and mark together, as everywhere', async () => {
    await subscribe(product, world);
    const { rows } = await product.testDatabase.owner.query(
      `select (select count(*) > 0 from choices) as choices, (select count(*) > 0 from deliveries) as deliveries,
         (select count(*) > 0 from sites_with_work) as marks`,
    );
    expect(rows).toEqual([{ choices: true, deliveries: true, marks: true }]);
  });

  it('rolls a failed transaction back with the cause, and goes on', async () => {
    const { database } = product.services;
    const failing = database.inSite(world.site.id, async (site) => {
      await site.query(`update lists set name = 'lost' where site_id = $1`, [site.id]);
      await site.query('select 1 / 0');
    });
    await expect(failing).rejects.toThrow('division by zero');
    const wrong = database.readOnce(world.site.id, (db) =>
      db.selectFrom('lists').select('name').where('site_id', '=', 'no id').compile(),
    );
    await expect(wrong).rejects.toThrow('invalid input syntax for type uuid');
    const lists = await database.readOnce(world.site.id, (db) =>
      db.selectFrom('lists').select('name').where('site_id', '=', world.site.id).compile(),
    );
    expect(lists.map(({ name }) => name).toSorted()).toEqual(
      [world.weekly.name, world.offers.name].toSorted(),
    );
  });
});

/** Changes of a reference table lock all of it until the commit, so creations that share a name take turns. */
describe('what is created with a unique name', () => {
  /** Makes a call while somebody else has the turn, and gives it back once the call waits for it. */
  async function inTurn<T>(what: string, call: () => Promise<T>): Promise<T> {
    const other = await product.testDatabase.owner.connect();
    try {
      await other.query('begin');
      await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [what]);
      const made = call();
      const isWaiting = async () =>
        (
          await product.testDatabase.owner.query(
            `select 1 from pg_locks join pg_database on pg_database.oid = database
             where locktype = 'advisory' and not granted and datname = current_database()`,
          )
        ).rows.length;
      await expect.poll(isWaiting).toBe(1);
      await other.query('commit');
      return await made;
    } finally {
      other.release(true);
    }
  }

  const name = 'in-turn';

  it('is a site that waits for its turn', async () => {
    const { organization_id } = world.params;
    const host = `${name}.${product.services.config.siteDomain}`;
    const body = { domain_name: name, name };
    const made = await inTurn(`host:${host}`, () =>
      product.call(createSite, { params: { organization_id }, body }, world.owner),
    );
    expect(made).toMatchObject({ domain_name: host });
  });

  it('is an organization that waits for its turn', async () => {
    const made = await inTurn(`organization-name:${name}`, () =>
      product.call(createOrganization, { body: { name } }, world.owner),
    );
    expect(made).toMatchObject({ name });
  });
});

describe('the guard of test databases', () => {
  const NOT_DISTRIBUTED = 'This is no database of a Citus cluster: none of its tables is distributed.';

  it('rejects one whose tables lie on one node in a run that is said to be on Citus', async () => {
    const found = requireDistributed(product.testDatabase.ownerUrl).catch((error: Error) => error.message);
    expect(await found).toBe(isOnCitus ? undefined : NOT_DISTRIBUTED);
  });

  it('checks each copy of the template', async () => {
    const name = 'sayso_test_copied';
    const copied = copyDatabase(inject('ownerUrl'), inject('templateName'), name, true);
    const refused = await copied.catch((error: Error) => error.message);
    await dropDatabase(inject('ownerUrl'), name);
    expect(refused).toBe(isOnCitus ? undefined : NOT_DISTRIBUTED);
  });

  it.runIf(!isOnCitus)('rejects one that has the extension and plain tables', async () => {
    const testDatabase = await createTestDatabase();
    await testDatabase.owner.query('create table pg_dist_partition ()');
    await expect(requireDistributed(testDatabase.ownerUrl)).rejects.toThrow(NOT_DISTRIBUTED);
    await testDatabase.drop();
  });
});

describe('the guard of statements', () => {
  it('ends a test’s database with the statement that would not run on Citus, and the rule', async () => {
    const testDatabase = await createTestDatabase();
    const database = openDatabase(testDatabase.appUrl, { log: createLog('silent') });
    await database.global.query('select id from lists where id = $1', [world.weekly.id]);
    await database.close();
    await expect(testDatabase.drop()).rejects.toThrow(
      /no-site \(lists\).*\n.*select id from lists where id = \$1/,
    );
  });

  it('ignores owners, queues and connections of tests', async () => {
    const testDatabase = await createTestDatabase();
    await testDatabase.owner.query('select id from lists');
    await testDatabase.drop();
  });
});

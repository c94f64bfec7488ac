import type { PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  countCustomers,
  type Customer,
  type CustomerQuery,
  deleteCustomer,
  listCustomers,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { exportCustomers } from '#contract/exports.ts';
import { recountSite } from '#server/audience/counters/counters.ts';
import { newId } from '#server/platform/ids.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';
import { countMatchingCustomers, searchCustomers } from './customer-search.ts';

let product: TestProduct;
let acme: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

beforeEach(async () => {
  world = await buildSite(product, acme.owner, acme.params.organization_id);
});

async function build(...names: string[]): Promise<Customer[]> {
  const made: Customer[] = [];
  for (const name of names) made.push(await buildCustomer(product, world, name));
  return made;
}

const nameOf = (email: string) => email.replace('@example.com', '');

async function found(query: CustomerQuery): Promise<string[]> {
  const { results } = await product.call(listCustomers, { params: world.params, query }, world.owner);
  const names = results.map(({ email }) => nameOf(email));
  expect(await count(query)).toEqual({ count: names.length, is_exact: true });
  return names;
}

function count(query: CustomerQuery) {
  return product.call(countCustomers, { params: world.params, query }, world.owner);
}

const choose = (customer: Customer, listId: string, subscribed: boolean) =>
  product.call(
    setCustomerLists,
    {
      params: { ...world.params, id: customer.id },
      body: [{ notification_list_id: listId, subscribed }],
    },
    world.owner,
  );

const setLeft = (customer: Customer, isLeft: boolean) =>
  product.call(
    updateCustomer,
    { params: { ...world.params, id: customer.id }, body: { global_unsubscribe: isLeft } },
    world.owner,
  );

const asOwner = (text: string, values: unknown[]) => product.testDatabase.owner.query(text, values);

/** A tool with an action, and one delivery of it to each of these, in this state. */
async function buildTool(...deliveries: [Customer, 'waiting' | 'arrived' | 'failed'][]): Promise<string> {
  const now = new Date();
  const [integration, action] = [newId(), newId()];
  await asOwner(
    `insert into integrations (site_id, id, provider, name, credentials_sealed, status, created_at, updated_at)
     values ($1, $2, 'brevo', 'Brevo', 'x', 'connected', $3, $3)`,
    [world.site.id, integration, now],
  );
  await asOwner(
    `insert into actions (site_id, id, type, name, enabled, integration_id, event, list_ids, target, created_at, updated_at)
     values ($1, $2, 'list', 'Brevo', true, $3, 'subscribed', '{}', '{}', $4, $4)`,
    [world.site.id, action, integration, now],
  );
  for (const [customer, status] of deliveries) {
    await asOwner(
      `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count, try_count, created_at)
       select $1, $2, $3, $4, id, 'subscribed', $5, 1, 1, $6 from choices where site_id = $1 and customer_id = $4 limit 1`,
      [world.site.id, newId(), action, customer.id, status, now],
    );
  }
  return integration;
}

async function bounce(customer: Customer, key: string): Promise<void> {
  await asOwner(`insert into email_bounces values ($1, $2, $3, 550, 'No', now())`, [
    world.site.id,
    customer.id,
    key,
  ]);
}

describe('each customer in the list', () => {
  it('comes with the lists that they receive and those they turned off, and the bounce of their address', async () => {
    const emails = ['vera@example.com', 'otto@example.com', 'lea@example.com', 'max@example.com'];
    const [vera, otto, lea] = (await build(...emails)) as [Customer, Customer, Customer];
    for (const list of [world.weekly, world.offers]) await choose(vera, list.id, true);
    await choose(otto, world.weekly.id, true);
    await setLeft(otto, true);
    await choose(lea, world.weekly.id, false);
    await bounce(vera, 'vera@example.com');
    await bounce(lea, 'an-earlier-address@example.com');
    const { results } = await product.call(listCustomers, { params: world.params }, world.owner);
    const shown = results.map(({ email, receives, declines, email_bounced_at }) => [
      nameOf(email),
      receives.toSorted(),
      declines,
      email_bounced_at !== null,
    ]);
    expect(shown).toEqual([
      ['max', [], [], false],
      ['lea', [], [world.weekly.id], false],
      ['otto', [], [], false],
      ['vera', [world.weekly.id, world.offers.id].toSorted(), [], true],
    ]);
  });
});

describe('a filter finds', () => {
  it('those who receive a list and those who left it, but no erased customers', async () => {
    const [on, off, gone, erased] = (await build(
      'on@example.com',
      'off@example.com',
      'gone@example.com',
      'erased@example.com',
    )) as [Customer, Customer, Customer, Customer];
    for (const customer of [on, off, gone, erased]) await choose(customer, world.weekly.id, true);
    await choose(off, world.weekly.id, false);
    await setLeft(gone, true);
    await product.call(deleteCustomer, { params: { ...world.params, id: erased.id } }, world.owner);
    await build('never@example.com');
    expect(await found({ receives_list_id: world.weekly.id })).toEqual(['on']);
    expect(await found({ left_list_id: world.weekly.id })).toEqual(['off']);
    expect(await found({ receives_list_id: world.offers.id })).toEqual([]);
    expect(await found({ receives_list_id: newId() })).toEqual([]);
    await choose(off, world.offers.id, true);
    expect(await found({ receives_list_id: world.offers.id, left_list_id: world.weekly.id })).toEqual([
      'off',
    ]);
  });

  it('each state, and every customer has exactly one', async () => {
    const [, gone, paused, bounced] = (await build(
      'active@example.com',
      'gone@example.com',
      'paused@example.com',
      'bounced@example.com',
    )) as [Customer, Customer, Customer, Customer];
    await setLeft(gone, true);
    await setLeft(paused, true);
    await asOwner(
      `update customers set paused_until = now() + interval '1 month' where site_id = $1 and id = $2`,
      [world.site.id, paused.id],
    );
    await bounce(bounced, 'bounced@example.com');
    // Who receives nothing is not looked for because of a bounce.
    await bounce(gone, 'gone@example.com');
    await bounce(paused, 'paused@example.com');
    expect(await found({ state: 'active' })).toEqual(['active']);
    expect(await found({ state: 'unsubscribed' })).toEqual(['gone']);
    expect(await found({ state: 'paused' })).toEqual(['paused']);
    expect(await found({ state: 'bounced' })).toEqual(['bounced']);
  });

  it('those whose changes wait for a tool or failed there, and no others', async () => {
    const [waiting, failed, arrived] = (await build(
      'waiting@example.com',
      'failed@example.com',
      'arrived@example.com',
    )) as [Customer, Customer, Customer];
    const brevo = await buildTool([waiting, 'waiting'], [failed, 'failed'], [arrived, 'arrived']);
    const other = await buildTool([arrived, 'failed']);
    expect(await found({ undelivered_to: brevo })).toEqual(['failed', 'waiting']);
    expect(await found({ undelivered_to: other })).toEqual(['arrived']);
    expect(await found({ undelivered_to: newId() })).toEqual([]);
  });

  it('those who were added or changed since a date', async () => {
    const [old] = (await build('old@example.com')) as [Customer];
    const since = new Date(Date.now() + 1).toISOString();
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(since));
    await build('new@example.com');
    expect(await found({ added_since: since })).toEqual(['new']);
    expect(await found({ added_since: since, search: 'o' })).toEqual([]);
    await choose(old, world.weekly.id, true);
    expect(await found({ changed_since: since })).toEqual(['new', 'old']);
    expect(await found({ added_since: since, changed_since: since })).toEqual(['new']);
  });

  it('only customers who match all filters, and exports the same ones', async () => {
    const [vera, lea] = (await build('vera@example.com', 'lea@example.com', 'tom@example.com')) as [
      Customer,
      Customer,
    ];
    for (const customer of [vera, lea]) await choose(customer, world.weekly.id, true);
    const query = { receives_list_id: world.weekly.id, search: 'ver', match: 'anywhere' } as const;
    expect(await found(query)).toEqual(['vera']);
    const file = await product.call(exportCustomers, { params: world.params, query }, world.owner);
    expect(file.match(/[a-z]+@example\.com/g)).toEqual(['vera@example.com']);
    const all = await product.call(exportCustomers, { params: world.params }, world.owner);
    expect(all.match(/[a-z]+@example\.com/g)).toEqual([
      'tom@example.com',
      'lea@example.com',
      'vera@example.com',
    ]);
  });

  it.each([
    'state=gone',
    'match=end',
    'receives_list_id=x',
    'undelivered_to=x',
    'added_since=yesterday',
    'changed_since=2026-13-01T00:00:00Z',
    'tool=x',
  ])('nothing with %s: 422, for rows and count', async (query) => {
    const { organization_id, site_id } = world.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/customers`;
    for (const call of [path, `${path}/count`]) {
      expect((await rawRequest(product, 'GET', `${call}?${query}`, { as: world.owner })).status).toBe(422);
    }
  });
});

describe('a search anywhere in the address', () => {
  it('returns matches at the start by address, then all others, newest first, each once', async () => {
    await build('x-ann@example.com', 'ann-ann@example.com', 'joann@example.com', 'tom@example.com');
    await build('Ann@example.com');
    expect(await found({ search: 'ANN' })).toEqual(['ann-ann', 'Ann']);
    expect(await found({ search: 'ANN', match: 'anywhere' })).toEqual(['ann-ann', 'Ann', 'joann', 'x-ann']);
    expect(await found({ search: 'tom@example.com', match: 'anywhere' })).toEqual(['tom']);
    expect(await found({ search: '%', match: 'anywhere' })).toEqual([]);
    expect(await found({ search: '', match: 'anywhere' })).toHaveLength(5);
  });

  it('finds a domain both as it is typed and as it is stored in the key', async () => {
    await build('info@Bücher.example');
    for (const search of ['büch', 'BÜCH', '@bücher.example', 'xn--bcher', 'cher.exa']) {
      expect([search, await found({ search, match: 'anywhere' })]).toEqual([search, ['info@Bücher.example']]);
    }
  });

  it('pages through both, however long a page is', async () => {
    const names = ['ab1', 'ab2', 'ab3', 'x-ab1', 'x-ab2', 'x-ab3', 'other'];
    await build(...names.map((name) => `${name}@example.com`));
    for (const limit of [1, 2, 3, 4]) {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { results, next }: { results: Customer[]; next: string | null } = await product.call(
          listCustomers,
          { params: world.params, query: { search: 'ab', match: 'anywhere', limit, cursor } },
          world.owner,
        );
        seen.push(...results.map(({ email }) => nameOf(email)));
        cursor = next;
      }
      expect(seen).toEqual(['ab1', 'ab2', 'ab3', 'x-ab3', 'x-ab2', 'x-ab1']);
    }
  });

  it('rejects an invalid cursor', async () => {
    const query = { search: 'ab', match: 'anywhere', cursor: 'x' } as const;
    const refused = await product.refuse(listCustomers, { params: world.params, query }, world.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'cursor' }] });
  });
});

describe('on a large site', () => {
  async function pages(query: CustomerQuery, lookedAt: number) {
    const seen: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await searchCustomers(
        product.services,
        world.site.id,
        { ...query, limit: 2, cursor },
        { lookedAt },
      );
      seen.push(page.results.map(({ email }) => nameOf(email)));
      cursor = page.next;
    }
    return seen;
  }

  it('a page scans a limited number of customers, and the next one continues after them', async () => {
    await build(...['hit1', 'a', 'b', 'c', 'd', 'hit2', 'hit3', 'hit4'].map((name) => `${name}@example.com`));
    const query = { search: 'it', match: 'anywhere' } as const;
    expect(await pages(query, 100)).toEqual([
      ['hit4', 'hit3'],
      ['hit2', 'hit1'],
    ]);
    expect(await pages(query, 3)).toEqual([['hit4', 'hit3'], ['hit2'], ['hit1']]);
    expect(await pages({ state: 'bounced' }, 3)).toEqual([[], [], []]);
    expect(await pages({ search: 'h', state: 'bounced' }, 3)).toEqual([[], []]);
  });

  it('counts say whether they are complete', async () => {
    await build(...['hit1', 'a', 'b', 'hit2'].map((name) => `${name}@example.com`));
    const counted = (query: CustomerQuery, lookedAt: number) =>
      countMatchingCustomers(product.services, world.site.id, query, { lookedAt });
    const query = { search: 'it', match: 'anywhere' } as const;
    expect(await counted(query, 3)).toEqual({ count: 1, is_exact: false });
    expect(await counted(query, 5)).toEqual({ count: 2, is_exact: true });
    // Counted ahead.
    expect(await counted({}, 1)).toEqual({ count: 4, is_exact: true });
  });

  it('counts stop at 10,000, and those of all customers and of a list are computed ahead', async () => {
    await asOwner(
      `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, created_at, updated_at)
       select $1, (lpad(to_hex(n), 12, '0') || '70008000000000000000')::uuid, n || '@example.com', n || '@example.com', false, 0, now(), now()
       from generate_series(1, 10001) as n`,
      [world.site.id],
    );
    await asOwner(
      `insert into subscriptions select site_id, id, $2, true, now() from customers where site_id = $1`,
      [world.site.id, world.weekly.id],
    );
    // As a running product has it done: what autovacuum saw of these tables before depends on the minute.
    await asOwner('analyze customers, subscriptions', []);
    await recountSite(product.services, world.site.id, new Date(0));
    expect(await count({ state: 'active' })).toEqual({ count: 10_000, is_exact: false });
    expect(await count({})).toEqual({ count: 10_001, is_exact: true });
    expect(await count({ receives_list_id: world.weekly.id })).toEqual({ count: 10_001, is_exact: true });
    expect(await count({ receives_list_id: world.weekly.id, state: 'active' })).toEqual({
      count: 10_000,
      is_exact: false,
    });
  });

  it('a page of rows, with their lists and bounces, takes at most two statements', async () => {
    await build(...Array.from({ length: 12 }, (_, at) => `n${at}@example.com`));
    const statements: Record<string, number> = {};
    const { database } = product.services;
    for (const query of [
      {},
      { search: 'n' },
      { search: '1', match: 'anywhere' },
      { state: 'active' },
    ] as const) {
      let sent = 0;
      const counting = {
        transformQuery({ node }: PluginTransformQueryArgs) {
          sent += 1;
          return node;
        },
        transformResult: async ({ result }: PluginTransformResultArgs) => result,
      };
      const readSite: typeof database.readSite = (siteId, work) =>
        database.readSite(siteId, (site) => work({ ...site, db: site.db.withPlugin(counting) }));
      const services = { ...product.services, database: { ...database, readSite } };
      await searchCustomers(services, world.site.id, { ...query, limit: 10 });
      statements[JSON.stringify(query)] = sent;
    }
    expect(statements).toEqual({
      '{}': 1,
      '{"search":"n"}': 1,
      '{"search":"1","match":"anywhere"}': 2,
      '{"state":"active"}': 1,
    });
  });
});

it('the search stays within the site, whatever the query names', async () => {
  await build('vera@example.com');
  const other = await buildSite(product, acme.owner, acme.params.organization_id);
  await buildCustomer(product, other, 'vera@example.com');
  const query = { search: 'era', match: 'anywhere' } as const;
  const { results } = await product.call(listCustomers, { params: world.params, query }, world.owner);
  expect(results).toHaveLength(1);
  const stranger = await buildWorld(product, 'globex');
  for (const route of [listCustomers, countCustomers]) {
    const refused = await product.refuse(route, { params: world.params, query }, stranger.owner);
    expect(refused.status).toBe(404);
  }
});

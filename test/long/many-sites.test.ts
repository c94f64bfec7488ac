import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSite } from '#contract/sites.ts';
import { sweep } from '#server/delivery/deliveries/delivery-queue.ts';
import { dueSites } from '#server/delivery/deliveries/delivery-queue.sql.ts';
import { newId } from '#server/platform/ids.ts';
import { API_PREFIX } from '#contract/route.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import { type BlockMeter, type Cost, openBlockMeter } from '../load/block-meter.ts';
import { signUpWholly } from '../load/sign-up.ts';

/*
 * What is looked up among all sites must not grow with how many there are. `npm run bench -- sites` measures the same, and
 * what a site's deliveries wait for, with sites that were made through the product.
 */

const SIZES = [100, 10_000];

/** Flat, but for indexes that are a level deeper, and plans that were made anew. */
const MOST_GROWTH = 2;
const LEEWAY = 50;
const AT_ONCE = 50;

let product: TestProduct;
let world: World;
let meter: BlockMeter;

beforeAll(async () => {
  product = await startTestProduct({ env: { DATABASE_CONNECTIONS: '6' } });
  world = await buildWorld(product);
  meter = await openBlockMeter(product.testDatabase.ownerUrl, product.services.database.pool);
});

afterAll(async () => {
  await meter.close();
  await product.stop();
});

/** Of the site with the number n. */
const ID = `(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid`;

/** Each with a host and with something due, one second after the one before. */
async function growTo(sites: number): Promise<void> {
  const { owner } = product.testDatabase;
  // Of nobody: an organization of the product has 200 sites at most.
  const organization = '00000000-0000-7000-8000-000000000000';
  await owner.query(
    `insert into organizations (id, name, name_key, created_by, created_at)
     values ($1, 'Many', 'many', $2, now()) on conflict do nothing`,
    [organization, world.owner.id],
  );
  await owner.query(
    `insert into sites (id, organization_id, name, created_at)
     select ${ID}, $1, 'Site ' || n, now() from generate_series(1, $2::int) n on conflict do nothing`,
    [organization, sites],
  );
  await owner.query(
    `insert into host_names (host, site_id, kind, created_at)
     select 'site-' || n || '.localhost', ${ID}, 'subdomain', now() from generate_series(1, $1::int) n
     on conflict do nothing`,
    [sites],
  );
  await owner.query(
    `insert into host_name_owners (host, organization_id, owned_since)
     select 'site-' || n || '.localhost', $1, now() from generate_series(1, $2::int) n on conflict do nothing`,
    [organization, sites],
  );
  await owner.query(
    `insert into sites_with_work (site_id, due_at, hold_until)
     select ${ID}, now() - interval '1 day' + n * interval '1 second', now() from generate_series(1, $1::int) n
     on conflict do nothing`,
    [sites],
  );
  await owner.query('vacuum analyze');
}

async function costs(sites: number): Promise<Record<string, Cost>> {
  const ask = async (path: string, host: string) => {
    const answer = await fetch(`${product.url}${API_PREFIX}${path}`, { headers: { 'x-site-domain': host } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const hostOf = (turn: number, step: number) => `site-${1 + ((turn * 7 + step) % sites)}.localhost`;
  const { params, owner } = world;
  const calls: Record<string, (turn: number) => Promise<unknown>> = {
    'the next sites with work': () =>
      dueSites(product.services.database.global, { now: new Date(), without: [], limit: AT_ONCE }),
    'TLS ask': async (turn) => expect(await ask(`/tls/ask?domain=${hostOf(turn, 1)}`, '')).toBe(200),
    'TLS ask of nobody': async () => expect(await ask(`/tls/ask?domain=${newId()}.localhost`, '')).toBe(404),
    // These sites have no page.
    'public page': async (turn) =>
      expect(await ask('/customer/v1/preferences/preferences', hostOf(turn, 50))).toBe(404),
    'a new site': () => {
      const name = `new-${newId()}`;
      const { organization_id } = params;
      return product.call(
        createSite,
        { params: { organization_id }, body: { domain_name: name, name } },
        owner,
      );
    },
    'sign-up, with the survey, organization and site': () => signUpWholly(product.url),
  };
  const found: Record<string, Cost> = {};
  for (const [name, run] of Object.entries(calls)) {
    // One address may sign up a few times an hour.
    await product.testDatabase.owner.query('delete from rate_limits');
    found[name] = await meter.costOf(run, 5);
  }
  return found;
}

it(`a poll costs as few blocks among ${SIZES[1]} sites as among ${SIZES[0]}, and the longest overdue come first`, async (context) => {
  const [few = 0, many = 0] = SIZES;
  await growTo(few);
  const before = await costs(few);
  await growTo(many);
  const after = await costs(many);
  const sides = Object.entries(after).map(([name, cost]) => ({ name, after: cost, before: before[name] }));
  const cell = (cost?: Cost) => `${cost?.fewestBlocks} blocks, ${cost?.ms.toFixed(1)} ms`;
  await context.annotate(
    sides.map((side) => `${side.name}: ${cell(side.before)}; ${cell(side.after)}`).join('\n'),
  );
  const grown = sides.filter(
    (side) => side.after.fewestBlocks > MOST_GROWTH * (side.before?.fewestBlocks ?? 0) + LEEWAY,
  );
  expect(grown).toEqual([]);
  const first = await dueSites(product.services.database.global, { now: new Date(), without: [], limit: 2 });
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    `select ${ID} as id from generate_series(1, 2) n`,
  );
  expect(first).toEqual(rows.map(({ id }) => id));
});

it('a sweep over all sites reads each once, several at a time', async (context) => {
  const { services } = product;
  const { database } = services;
  let [reads, running, most] = [0, 0, 0];
  const readOnce: typeof database.readOnce = (siteId, statement) => {
    reads += 1;
    running += 1;
    most = Math.max(most, running);
    return database.readOnce(siteId, statement).finally(() => (running -= 1));
  };
  const began = performance.now();
  await sweep({ ...services, database: { ...database, readOnce } }, () => {}, new AbortController().signal);
  const seconds = (performance.now() - began) / 1000;
  const { rows } = await product.testDatabase.owner.query<{ sites: number }>(
    'select count(*)::int as sites from sites',
  );
  await context.annotate(`${reads} sites in ${seconds.toFixed(1)} s`);
  expect(reads).toBe(rows[0]?.sites);
  expect(most).toBe(4);
});

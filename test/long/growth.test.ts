import { afterAll, beforeAll, expect, it } from 'vitest';
import { createList } from '#contract/lists.ts';
import { recountSite, tidyCounters } from '#server/audience/counters/counters.ts';
import { countMatchingCustomers, searchCustomers } from '#server/audience/customers/customer-search.ts';
import { listEvidence } from '#server/audience/evidence/judged-evidence.ts';
import { readDashboard, readListFigures } from '#server/insight/dashboard/dashboard.ts';
import type { Services } from '#server/platform/services.ts';
import { countBlocks } from '#test/harness/blocks.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

/*
 * What a screen reads must not grow with the customers of a site: the same site at several sizes, in blocks that the
 * statements touch. `TEST_SCALE=10` goes to a million.
 */

/** PostgreSQL reads smaller ones in cheaper ways. */
const SIZES = [10_000, scaled(100_000)];
const DAYS = 400;

let product: TestProduct;
let world: World;
let quietListId: string;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  const body = { name: 'Quiet' };
  quietListId = (await product.call(createList, { params: world.params, body }, world.owner)).id;
});

afterAll(() => product.stop());

/** A UUIDv7 of a customer's time, the same for each kind of row. */
const idOf = (kind: string) =>
  `(lpad(to_hex(at), 12, '0') || '7' || substr(md5('${kind}' || n), 1, 3) || '8' || substr(md5('${kind}' || n), 4, 15))::uuid`;

const TIME = 'to_timestamp(at / 1000.0)';

const ROWS = [
  `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, person_salt, created_at, updated_at)
   select $1, ${idOf('customer')}, address, address, n % 10 = 0, 1, decode(md5(n::text), 'hex'), ${TIME}, ${TIME} from people`,
  `insert into subscriptions (site_id, customer_id, list_id, subscribed, changed_at)
   select $1, ${idOf('customer')}, list_id, n % 5 > 0, ${TIME} from people`,
  `insert into choices (site_id, id, customer_id, sequence, source, authority, events, lists, global_unsubscribe, shown, person_hash, person_sealed, occurred_at, hash)
   select $1, ${idOf('choice')}, ${idOf('customer')}, 1, 'owner', 'owner', '{subscribed}', '[]', false, '{}', '\\x00', 'x', ${TIME}, '\\x00'
   from people`,
  `insert into subscription_changes (site_id, choice_id, list_id, joined)
   select $1, ${idOf('choice')}, list_id, true from people`,
  `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count, try_count, created_at, finished_at)
   select $1, ${idOf('delivery')}, action_id, ${idOf('customer')}, ${idOf('choice')}, 'subscribed', 'arrived', 1, 1, ${TIME}, ${TIME}
   from people`,
];

/** Written straight into the tables: the product itself would take hours. */
async function growTo(from: number, until: number, actionId: string): Promise<void> {
  const client = await product.testDatabase.owner.connect();
  const people = `with people as materialized (
    select n, 'person-' || n || '@example.com' as address, $2::uuid as action_id,
      case when n % 3 = 0 then $3::uuid else $4::uuid end as list_id,
      $5::bigint - (('x' || substr(md5(n::text), 1, 6))::bit(24)::bigint * $6::bigint) / 16777216 as at
    from generate_series($7::int, $8::int - 1) as n order by at)`;
  const values = [
    world.site.id,
    actionId,
    world.weekly.id,
    world.offers.id,
    Date.now(),
    DAYS * 86_400_000,
    from,
    until,
  ];
  try {
    // Rows that fit together need no check of each.
    await client.query('set session_replication_role = replica');
    for (const rows of ROWS) await client.query(rows.replace(' select ', ` ${people} select `), values);
    await client.query('set session_replication_role = origin');
  } finally {
    client.release();
  }
  // In the order in which customers come, as in a site that grew: rows of each step would otherwise lie apart.
  await product.testDatabase.owner.query('cluster customers using customers_pkey');
  await product.testDatabase.owner.query('vacuum analyze');
  await recountSite(product.services, world.site.id, new Date(0));
  await tidyCounters(product.services, world.site.id);
  await product.testDatabase.owner.query('vacuum analyze counters');
}

const evidence = (filter: Partial<Parameters<typeof listEvidence>[2]>) => (services: Services) =>
  listEvidence(services, world.site.id, { limit: 25, ...filter });

const search = (text: string, cursor?: string) => (services: Services) =>
  searchCustomers(services, world.site.id, {
    search: text,
    limit: 25,
    ...(cursor !== undefined && { cursor }),
  });

/**
 * A statement looks at so many customers at most; fewer here, so that the smallest site has more. Few rows, because each
 * customer is looked up by id, in indexes that become deeper.
 */
const filtered = (query: Omit<Parameters<typeof searchCustomers>[2], 'limit'>) => (services: Services) =>
  searchCustomers(services, world.site.id, { ...query, limit: 10 }, { lookedAt: 500 });

const counted = (query: Parameters<typeof countMatchingCustomers>[2]) => (services: Services) =>
  countMatchingCustomers(services, world.site.id, query, { lookedAt: 500 });

async function screens(): Promise<Record<string, (services: Services) => Promise<unknown>>> {
  const { site } = world;
  const { next } = await search('person-5')(product.services);
  return {
    'dashboard, 30 days': (services) => readDashboard(services, site.id, '30d'),
    'dashboard, 12 months': (services) => readDashboard(services, site.id, '12m'),
    'figures of lists': (services) => readListFigures(services, site.id),
    'customers, newest': search(''),
    'search with many matches': search('person'),
    'search, next page': search('person', next ?? ''),
    'search without a match': search('nobody'),
    'search anywhere without a match': filtered({ search: 'nobody', match: 'anywhere' }),
    'search anywhere with many matches': filtered({ search: 'son-', match: 'anywhere' }),
    'customers of a list': filtered({ receives_list_id: world.weekly.id }),
    'customers of a list without any': filtered({ left_list_id: quietListId }),
    'customers by a start, of a list without any': filtered({ search: 'per', left_list_id: quietListId }),
    'customers whose emails bounce': filtered({ state: 'bounced' }),
    'customers with open deliveries to a tool': filtered({ undelivered_to: quietListId }),
    'customers changed since now': filtered({ changed_since: new Date().toISOString() }),
    'count of all customers': counted({}),
    'count of a list': counted({ receives_list_id: world.weekly.id }),
    'count of a search': counted({ search: 'son', match: 'anywhere' }),
    'count of a filter': counted({ state: 'active', left_list_id: world.weekly.id }),
    'evidence, all': evidence({}),
    'evidence by a list': evidence({ list_id: world.weekly.id }),
    'evidence by a list without moves': evidence({ list_id: quietListId }),
    'evidence of joins of a list without moves': evidence({ list_id: quietListId, move: 'joined' }),
    'evidence of leaves of a list that nobody left': evidence({ list_id: world.weekly.id, move: 'left' }),
    'evidence of leaves where nobody left': evidence({ move: 'left' }),
    'evidence by a list since a time': evidence({
      list_id: quietListId,
      since: new Date(Date.now() - 300 * 86_400_000).toISOString(),
    }),
  };
}

it(`the figures touch as few blocks for ${SIZES.at(-1)} customers as for ${SIZES[0]}`, async () => {
  const { id: actionId } = await buildWebhook(product, world, { url: 'http://127.0.0.1:9/' });
  const touched: Record<string, number[]> = {};
  let from = 1;
  for (const size of SIZES) {
    await growTo(from, size + 1, actionId);
    from = size + 1;
    for (const uses of [1, 10]) {
      const counter = await countBlocks(product, uses);
      for (const [screen, rule] of Object.entries(await screens())) {
        (touched[uses === 1 ? screen : `${screen}, often`] ??= []).push(await counter.blocksOf(rule));
      }
      await counter.close();
    }
  }
  if (process.env['TEST_SCALE'] !== undefined) console.table(touched);
  // Indexes become a level deeper, and a day of a larger site has more rows.
  const grown = Object.entries(touched).filter(([, [first = 0, ...others]]) =>
    others.some((blocks) => blocks > 1.5 * first + 100),
  );
  expect(grown).toEqual([]);
});

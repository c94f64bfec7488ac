import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Customer, setCustomerLists } from '#contract/customers.ts';
import { type Attempt, type DeliveryStatus, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { updateSite } from '#contract/sites.ts';
import { checkSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import type { Database } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { personalDataOf } from '#server/visit/personal-data/personal-data.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  type World,
} from '#test/harness/world.ts';
import { RETENTION } from './retention.jobs.ts';

const DAY_MS = 86_400_000;
const HOUR = 1 / 24;

let product: TestProduct;
let receiver: WebhookReceiver;
let nora: World;
let acme: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  receiver = await startWebhookReceiver();
  nora = await buildWorld(product, 'nora');
});

beforeEach(async () => {
  await logInAgain(product, nora.owner);
  acme = await siteWithWebhook(product, nora);
  vera = await buildCustomer(product, acme);
  await leave(product, acme, vera);
  // From here on a test says itself which deliveries there are, on all sites.
  await rows('delete from deliveries', []);
});

afterAll(async () => {
  await receiver.close();
  await product.stop();
});

async function siteWithWebhook(on: TestProduct, { owner, params }: World): Promise<World> {
  const world = await buildSite(on, owner, params.organization_id);
  await buildWebhook(on, world, { url: `${receiver.url}?for=acme` });
  return world;
}

function leave(on: TestProduct, { params, weekly, owner }: World, { id }: Customer) {
  const body = [{ notification_list_id: weekly.id, subscribed: false }];
  return on.call(setCustomerLists, { params: { ...params, id }, body }, owner);
}

async function rows<T extends object>(text: string, values: unknown[], on = product): Promise<T[]> {
  return (await on.testDatabase.owner.query<T>(text, values)).rows;
}

/** Tonight has come for every site. */
async function night(on = product, services: Services = on.services, signal?: AbortSignal): Promise<void> {
  await RETENTION.runDue(on.services);
  await rows('update retention_tasks set due_at = $1, lease = null', [on.clock.now()], on);
  await RETENTION.runDue(services, signal);
}

const daysAgo = (days: number) => new Date(product.clock.now().getTime() - days * DAY_MS);

interface Stored {
  status: DeliveryStatus;
  made: number;
  finished: number | null;
  attempts: number;
  url: string;
}

const REQUEST = { method: 'POST', headers: { 'x-trace': '1' }, body: '{"email":"vera@example.com"}' };
const RESPONSE = { status: 200, body: 'thanks, vera@example.com' };

/** Deliveries that were made, and finished, so many days ago. */
async function store(site: World, { made, finished, ...one }: Partial<Stored>, count = 1): Promise<string[]> {
  const madeAt = daysAgo(made ?? 31);
  const finishedAt = finished === undefined ? madeAt : finished === null ? null : daysAgo(finished);
  const ids = Array.from({ length: count }, () => newId(madeAt)).toSorted();
  await rows(
    `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count, try_count, created_at, finished_at)
     select site_id, delivery_id, $3, customer_id, id, 'unsubscribed', $4, $5, 1, $6, $7
     from choices cross join unnest($2::uuid[]) as delivery_id
     where site_id = $1 and sequence = (select max(sequence) from choices where site_id = $1)`,
    [site.site.id, ids, newId(), one.status ?? 'arrived', one.attempts ?? 1, madeAt, finishedAt],
  );
  const request = { ...REQUEST, url: one.url ?? 'https://shop.example/hook' };
  await rows(
    `insert into delivery_attempts (site_id, delivery_id, number, started_at, duration_ms, outcome, request, response, error)
     select $1, delivery_id, number, $4, 12, 'unavailable', $5, $6, 'vera@example.com is busy'
     from unnest($2::uuid[]) as delivery_id cross join generate_series(1, $3) as number`,
    [site.site.id, ids, one.attempts ?? 1, madeAt, JSON.stringify(request), JSON.stringify(RESPONSE)],
  );
  return ids;
}

interface AttemptRow {
  request: Attempt['request'];
  response: Attempt['response'];
  error: string | null;
  content_deleted_at: Date | null;
}

function attemptsOf(id: string | undefined): Promise<AttemptRow[]> {
  return rows('select * from delivery_attempts where delivery_id = $1 order by number', [id]);
}

/** How many attempts of each delivery still have their content. */
async function withContent(ids: readonly string[]): Promise<number[]> {
  const all = await Promise.all(ids.map(attemptsOf));
  return all.map((attempts) => attempts.filter(({ content_deleted_at: at }) => at === null).length);
}

/** The sizes of the transactions that last wrote the site's attempts. */
async function transactions(): Promise<{ id: string; size: number }[]> {
  return rows(
    `select xmin::text as id, count(*)::int as size from delivery_attempts where site_id = $1
     and content_deleted_at is not null group by 1 order by min(content_deleted_at)`,
    [acme.site.id],
  );
}

function setDays(world: World, delivery_content_days: number) {
  return product.call(updateSite, { params: world.params, body: { delivery_content_days } }, world.owner);
}

describe('the content of an arrived delivery', () => {
  it('is deleted after 30 days and not before; outcome, times and evidence stay', async () => {
    const own = await startTestProduct();
    try {
      const site = await siteWithWebhook(own, await buildWorld(own, 'own'));
      const person = await buildCustomer(own, site);
      receiver.answerWith({ status: 200, body: 'thanks' });
      await leave(own, site, person);
      const { results } = await own.call(listDeliveries, { params: site.params, query: {} }, site.owner);
      const id = results[0]?.id ?? '';
      await deliverNow(own.services, { site_id: site.site.id, id, round: 0 });
      const detail = () => own.call(getDelivery, { params: { ...site.params, id } }, site.owner);
      const choices = () => rows('select choices::text from choices order by id', [], own);
      const [before, evidence] = [await detail(), await choices()];
      expect(before.attempts).toMatchObject([
        { request: { url: `${receiver.url}?for=acme` }, content_deleted_at: null },
      ]);

      own.clock.advance({ days: 30 });
      await night(own);
      await logInAgain(own, site.owner);
      expect(await detail()).toEqual(before);

      own.clock.advance({ hours: 3 });
      await night(own);
      await logInAgain(own, site.owner);
      const emptied = {
        ...before.attempts[0],
        request: { method: 'POST', url: new URL(receiver.url).origin, headers: {}, body: '' },
        response: { status: 200, body: '' },
        content_deleted_at: expect.any(String),
      };
      expect(await detail()).toEqual({ ...before, attempts: [emptied] });
      expect(await choices()).toEqual(evidence);
      expect(await checkSite(own.services, site.site.id)).toMatchObject({ broken: 0, records: 2 });
      const data = await personalDataOf(own.services, site.site.id, person.id);
      expect(data.deliveries[0]?.sent).toMatchObject([
        { to: new URL(receiver.url).host, outcome: 'arrived', content: null },
      ]);
    } finally {
      await own.stop();
    }
  });

  it('is deleted after another number of days where the site says so', async () => {
    const globex = await siteWithWebhook(product, nora);
    await leave(product, globex, await buildCustomer(product, globex));
    await setDays(acme, 1);
    await setDays(globex, 365);
    const short = [...(await store(acme, { made: 1 + 3 * HOUR })), ...(await store(acme, { made: 0.9 }))];
    const long = [...(await store(globex, { made: 364 })), ...(await store(globex, { made: 366 }))];
    await night();
    expect(await withContent(short)).toEqual([0, 1]);
    expect(await withContent(long)).toEqual([1, 0]);
  });

  it('is deleted from all its attempts, and leaves of the address at most the host', async () => {
    const url = 'https://key:secret@shop.example:8443/people/vera@example.com?email=vera@example.com#@x';
    const [tried] = await store(acme, { attempts: 3, url });
    const [mailed] = await store(acme, { url: 'mailto:records@acme.example' });
    const [erased] = await store(acme, { url: '' });
    await night();
    const left = { headers: {}, body: '', method: 'POST' };
    const attempts = await attemptsOf(tried);
    expect(attempts).toHaveLength(3);
    for (const attempt of attempts) {
      expect(attempt.request).toEqual({ ...left, url: 'https://shop.example:8443' });
      expect(attempt).toMatchObject({ response: { status: 200, body: '' }, error: null });
      expect(JSON.stringify(attempt)).not.toContain('vera');
    }
    expect(await attemptsOf(mailed)).toMatchObject([{ request: { url: 'mailto:records@acme.example' } }]);
    expect(await attemptsOf(erased)).toMatchObject([{ request: { ...left, url: '' } }]);
  });
});

describe('a delivery that is waiting or failed', () => {
  it('keeps its content, however old', async () => {
    const ids = [
      ...(await store(acme, { status: 'waiting', made: 300, finished: null, attempts: 2 })),
      ...(await store(acme, { status: 'failed', made: 300, finished: 297, attempts: 10 })),
    ];
    await night();
    expect(await withContent(ids)).toEqual([2, 10]);
    expect(await attemptsOf(ids[0])).toMatchObject([
      { request: REQUEST, response: RESPONSE, error: 'vera@example.com is busy' },
      { request: REQUEST },
    ]);
  });

  it('that arrives long after it was created keeps its content for that many days from then', async () => {
    const early = await store(acme, { made: 100, finished: 29, attempts: 2 });
    const [replayed = '', other = ''] = await store(acme, { status: 'failed', made: 100, attempts: 2 }, 2);
    await night();
    await rows(`update deliveries set status = 'arrived', finished_at = $2 where id = $1`, [
      replayed,
      daysAgo(29),
    ]);
    await night();
    expect(await withContent([...early, replayed, other])).toEqual([2, 2, 2]);
    product.clock.advance({ days: 1, hours: 1 });
    await night();
    expect(await withContent([...early, replayed, other])).toEqual([0, 0, 2]);
  });
});

describe('the nightly deletion', () => {
  it('runs in transactions of at most 500 rows, with a pause after each', async () => {
    const many = await store(acme, {}, 1100);
    const [tried = ''] = await store(acme, { attempts: 1200 });
    const late = await store(acme, { made: 40, finished: 35 }, 600);
    const wait = vi.spyOn(product.clock, 'wait');
    await night();
    expect((await withContent([...many, tried, ...late])).every((left) => left === 0)).toBe(true);
    const sizes = (await transactions()).map(({ size }) => size);
    expect(Math.max(...sizes)).toBe(500);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1100 + 1200 + 600);
    expect(wait.mock.calls.length).toBeGreaterThan(sizes.length);
    wait.mockRestore();
  });

  it('happens once: emptied content is not written again', async () => {
    await store(acme, {}, 3);
    await store(acme, { made: 40, finished: 35 }, 3);
    await night();
    const before = await transactions();
    await RETENTION.runDue(product.services);
    await night();
    expect(await transactions()).toEqual(before);
    const [round] = await rows<{ due_at: Date; lease: string | null }>(
      'select * from retention_tasks where site_id = $1',
      [acme.site.id],
    );
    expect(round?.lease).toBeNull();
    expect(round?.due_at.getUTCHours()).toBeOneOf([1, 2, 3, 4]);
    expect(round?.due_at.getTime()).toBeGreaterThan(product.clock.now().getTime());
  });

  it('resumes in another process after a crash', async () => {
    const ids = await store(acme, {}, 1100);
    const death = dyingAfter(1);
    const dead = night(product, death.services);
    await death.died;
    const [first] = await transactions();
    expect(first?.size).toBe(500);
    expect(await roundOf()).toMatchObject([{ up_to_id: ids[499] }]);

    // Its turn has not ended yet.
    await RETENTION.runDue(product.services);
    expect(await transactions()).toEqual([first]);
    product.clock.advance({ minutes: 11 });
    await RETENTION.runDue(product.services);
    expect((await withContent(ids)).every((left) => left === 0)).toBe(true);
    expect((await transactions()).map(({ size }) => size)).toEqual([500, 500, 100]);

    // It was only very slow. It ends what it was at, and leaves the rest to whose turn it is.
    await rows('update retention_tasks set lease = $1 where site_id = $2', [newId(), acme.site.id]);
    await rows('update delivery_attempts set content_deleted_at = null where delivery_id = any($1)', [
      ids.slice(500),
    ]);
    const round = await roundOf();
    death.wake();
    await dead;
    expect(await roundOf()).toEqual(round);
    expect((await withContent(ids)).filter((left) => left > 0)).toHaveLength(100);
  });

  it('ends soon when the process is told to stop, and is left to the next one', async () => {
    const ids = await store(acme, {}, 1100);
    const stopping = new AbortController();
    const { inSite } = product.services.database;
    const stopped = withInSite((...args) => {
      if (args[0] === acme.site.id) stopping.abort();
      return inSite(...args);
    });
    await night(product, stopped, stopping.signal);
    expect((await transactions()).map(({ size }) => size)).toEqual([500]);
    await RETENTION.runDue(product.services);
    expect((await withContent(ids)).every((left) => left === 0)).toBe(true);
  });
});

function roundOf() {
  return rows('select * from retention_tasks where site_id = $1', [acme.site.id]);
}

/** The product's services with another way to write to a site. */
function withInSite(inSite: Database['inSite']): Services {
  return { ...product.services, database: { ...product.services.database, inSite } };
}

/** A process that does nothing any more after so many transactions on the site, until it is woken. */
function dyingAfter(count: number) {
  const { inSite } = product.services.database;
  const died = Promise.withResolvers<void>();
  const sleep = Promise.withResolvers<void>();
  let left = count;
  const services = withInSite(async (...args) => {
    if (left === 0) {
      died.resolve();
      await sleep.promise;
    }
    if (args[0] === acme.site.id) left = Math.max(0, left - 1);
    return inSite(...args);
  });
  return { services, died: died.promise, wake: () => sleep.resolve() };
}

it('a kept opt-out is deleted after ten years, and not before', async () => {
  for (const days of [3600, 3660]) {
    await rows(
      `insert into kept_opt_outs values ($1, $2::text::bytea, 'everything', 'complained', null, $3, $3)`,
      [acme.site.id, `hash-${days}`, daysAgo(days)],
    );
  }
  await night();
  const left = await rows(`select convert_from(address_hash, 'UTF8') as hash from kept_opt_outs`, []);
  expect(left).toEqual([{ hash: 'hash-3600' }]);
});

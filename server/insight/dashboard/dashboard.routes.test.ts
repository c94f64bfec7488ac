import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEvidence } from '#contract/choices.ts';
import { setCustomerLists, updateCustomer, deleteCustomer, type Customer } from '#contract/customers.ts';
import {
  getActionFigures,
  getDashboard,
  getListFigures,
  getOnboarding,
  listSitesInNeed,
  UNSENT_LOOKED_AT,
} from '#contract/dashboard.ts';
import { updateAction } from '#contract/actions.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { recountSite } from '#server/audience/counters/counters.ts';
import { newId } from '#server/platform/ids.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { readDashboard } from './dashboard.ts';

const DAY_MS = 86_400_000;

let product: TestProduct;
let home: World;
let world: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  home = await buildWorld(product);
});

beforeEach(async () => {
  world = await buildSite(product, home.owner, home.params.organization_id);
  vera = await buildCustomer(product, world);
});

afterAll(() => product.stop());

const figures = (range?: '7d' | '30d' | '90d' | '12m') =>
  product.call(
    getDashboard,
    { params: world.params, query: range === undefined ? {} : { range } },
    world.owner,
  );

async function listsOf() {
  return (await product.call(getListFigures, { params: world.params }, world.owner)).results;
}

async function actionsOf() {
  return (await product.call(getActionFigures, { params: world.params }, world.owner)).results;
}

function choose(listId: string, subscribed: boolean, who = vera) {
  const params = { ...world.params, id: who.id };
  const body = [{ notification_list_id: listId, subscribed }];
  return product.call(setCustomerLists, { params, body }, world.owner);
}

function leave(hasLeft: boolean, who = vera) {
  const params = { ...world.params, id: who.id };
  return product.call(updateCustomer, { params, body: { global_unsubscribe: hasLeft } }, world.owner);
}

/** Rows that were not made by the product are not counted yet. */
async function countInserted(): Promise<void> {
  await recountSite(product.services, world.params.site_id, new Date(0));
}

/** A row of the past, as if it had been made then. */
async function deliveryOf(
  actionId: string,
  { daysAgo, status, finishedAfterMs = 1000 }: { daysAgo: number; status: string; finishedAfterMs?: number },
): Promise<string> {
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const id = newId(at);
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    'select id from choices where site_id = $1 limit 1',
    [world.params.site_id],
  );
  await product.testDatabase.owner.query(
    `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count, try_count, created_at, finished_at)
     values ($1, $2, $3, $4, $5, 'unsubscribed', $6, 1, 1, $7, $8)`,
    [
      world.params.site_id,
      id,
      actionId,
      vera.id,
      rows[0]?.id,
      status,
      at,
      status === 'waiting' ? null : new Date(at.getTime() + finishedAfterMs),
    ],
  );
  await countInserted();
  return id;
}

/** Somebody who came so many days ago. */
async function earlierCustomer(days: number): Promise<void> {
  const id = newId(new Date(Date.now() - days * DAY_MS));
  await product.testDatabase.owner.query(
    `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, created_at, updated_at)
     values ($1, $2, $3, $3, false, 0, now(), now())`,
    [world.params.site_id, id, `${id}@example.com`],
  );
  await countInserted();
}

describe('the dashboard', () => {
  it('counts 30 UTC days by default, the last of them today', async () => {
    const { range, step, periods, from, until, choices } = await figures();
    expect({ range, step, length: periods.length }).toEqual({ range: '30d', step: 'day', length: 30 });
    expect(from).toBe(periods[0]);
    expect(periods.at(-1)?.slice(0, 10)).toBe(until.slice(0, 10));
    expect(choices.periods).toHaveLength(30);
  });

  it('counts weeks over 12 months', async () => {
    const { step, periods } = await figures('12m');
    expect({ step, length: periods.length }).toEqual({ step: 'week', length: 52 });
  });

  it('knows four ranges: another answers 422', async () => {
    const query = { range: '5y' } as unknown as { range: '7d' };
    const refused = await product.refuse(getDashboard, { params: world.params, query }, world.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'range' }] });
  });

  it('counts current and new customers, without erased people or another site’s', async () => {
    const lea = await buildCustomer(product, world);
    await buildCustomer(product, home);
    await earlierCustomer(40);
    expect((await figures()).customers).toEqual({ total: 3, created: { now: 2, before: 1 } });
    await product.call(deleteCustomer, { params: { ...world.params, id: lea.id } }, world.owner);
    expect((await figures()).customers).toEqual({ total: 2, created: { now: 1, before: 1 } });
  });

  it('counts choices, joins and leaves, each on its day and by its list', async () => {
    await choose(world.offers.id, true);
    await choose(world.offers.id, false);
    await choose(world.offers.id, true);
    const { choices, joins, leaves, lists } = await figures('7d');
    // That Vera came is no choice of hers.
    expect(choices).toMatchObject({ now: 3, before: 0, periods: [0, 0, 0, 0, 0, 0, 3], unsent: 3 });
    expect({ joins, leaves }).toEqual({ joins: { now: 2, before: 0 }, leaves: { now: 1, before: 0 } });
    expect(lists.map(({ name }) => name)).toEqual(['Weekly news', 'Offers']);
    expect(lists[1]).toMatchObject({ joins: [0, 0, 0, 0, 0, 0, 2], leaves: [0, 0, 0, 0, 0, 0, 1] });
    expect(lists[0]?.joins).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('counts only choices that chose something, and its link leads to exactly these', async () => {
    await buildCustomer(product, world);
    await choose(world.offers.id, true);
    await choose(world.offers.id, false);
    const { choices, from } = await figures('7d');
    const query = { since: from, chose: 'true' } as const;
    const { results } = await product.call(listEvidence, { params: world.params, query }, world.owner);
    expect(results.map(({ events }) => events)).toEqual([['unsubscribed'], ['subscribed']]);
    expect(choices.now).toBe(results.length);
    const all = await product.call(listEvidence, { params: world.params, query: {} }, world.owner);
    expect(all.results).toHaveLength(4);
  });

  it('counts leaving everything as leaving what was on, by choice or default, and coming back as joining what is then on', async () => {
    await choose(world.offers.id, true);
    await leave(true);
    const after = await figures('7d');
    expect(after.leaves.now).toBe(2);
    await leave(false);
    const back = await figures('7d');
    expect(back.joins.now).toBe(2);
    expect(back.lists[1]?.joins.at(-1)).toBe(2);
  });

  it('counts no join for what was chosen already, and no leave for what was never on', async () => {
    await choose(world.offers.id, false);
    await choose(world.offers.id, true);
    await choose(world.offers.id, true);
    const { joins, leaves } = await figures('7d');
    expect({ joins: joins.now, leaves: leaves.now }).toEqual({ joins: 1, leaves: 0 });
  });

  it('compares with the previous period', async () => {
    await choose(world.offers.id, true);
    product.clock.advance({ days: 7 });
    try {
      // The owner's token has ended by then: the rule itself is asked.
      const { choices, joins } = await readDashboard(product.services, world.params.site_id, '7d');
      expect(choices).toMatchObject({ now: 0, before: 1 });
      expect(joins).toEqual({ now: 0, before: 1 });
    } finally {
      product.clock.advance({ days: -7 });
    }
  });

  it('counts deliveries by status, and late ones among those that have not arrived', async () => {
    const action = await buildWebhook(product, world, { url: 'https://shop.example/hook' });
    await deliveryOf(action.id, { daysAgo: 1, status: 'arrived' });
    await deliveryOf(action.id, { daysAgo: 1, status: 'waiting' });
    await deliveryOf(action.id, { daysAgo: 3, status: 'waiting' });
    await deliveryOf(action.id, { daysAgo: 4, status: 'failed' });
    await deliveryOf(action.id, { daysAgo: 20, status: 'failed' });
    expect((await figures('7d')).deliveries).toEqual({
      arrived: 1,
      waiting: 2,
      failed: 1,
      late: 2,
      older_failed: 1,
    });
    const { deliveries, from } = await figures('30d');
    expect(deliveries).toEqual({ arrived: 1, waiting: 2, failed: 2, late: 3, older_failed: 0 });
    const query = { late: 'true', since: from } as const;
    const rows = await product.call(listDeliveries, { params: world.params, query }, world.owner);
    expect(rows.results).toHaveLength(3);
  });

  it('counts changes that no action sent, without those that a tool reported or that changed nothing', async () => {
    await buildWebhook(product, world, { url: 'https://shop.example/hook', list_ids: [world.weekly.id] });
    const unsent = async () => (await figures('7d')).choices.unsent;
    expect(await unsent()).toBe(0);
    await choose(world.weekly.id, false);
    expect(await unsent()).toBe(0);
    await choose(world.offers.id, true);
    await choose(world.offers.id, false);
    expect(await unsent()).toBe(2);
    const set = (change: string) =>
      product.testDatabase.owner.query(
        `update choices set ${change} where site_id = $1 and 'subscribed' = any(events)`,
        [world.params.site_id],
      );
    const recounted = async () => {
      await countInserted();
      return unsent();
    };
    await set(`source = 'tool'`);
    expect(await recounted()).toBe(1);
    await set(`source = 'api'`);
    expect(await recounted()).toBe(2);
    await set(`events = '{}'`);
    expect(await recounted()).toBe(1);
  });

  it('explains why changes were not sent, until each tool was compared', async () => {
    const why = async () => (await figures('7d')).choices.unsent_because;
    await choose(world.offers.id, true);
    await choose(world.offers.id, false);
    expect(await why()).toEqual({ uncovered: 2, covered_later: 0, is_partial: false });
    const action = await buildWebhook(product, world, { url: 'https://shop.example/offers' });
    expect(await why()).toEqual({ uncovered: 1, covered_later: 1, is_partial: false });
    const params = { ...world.params, id: action.id };
    await product.call(updateAction, { params, body: { enabled: false } }, world.owner);
    expect(await why()).toMatchObject({ uncovered: 2, covered_later: 0 });

    const compare = (id: string | undefined, kind: string, status: string, started = new Date()) =>
      product.testDatabase.owner.query(
        `insert into reconciliations (site_id, id, integration_id, kind, status, counts, started_at)
         values ($1, $2, $3, $4, $5, '{}', $6)`,
        [world.params.site_id, newId(), id, kind, status, started],
      );
    const ids = Object.values(await integrations());
    const [first, ...others] = ids;
    for (const id of others) await compare(id, 'nightly', 'finished');
    await compare(first, 'nightly', 'finished', new Date(Date.now() - DAY_MS));
    await compare(first, 'on_demand', 'failed');
    await compare(first, 'mending', 'finished');
    expect(await why()).toMatchObject({ uncovered: 2 });
    await compare(first, 'on_demand', 'finished');
    expect(await why()).toEqual({ uncovered: 0, covered_later: 0, is_partial: false });
    // Nothing says that these have arrived.
    expect((await figures('7d')).choices.unsent).toBe(2);
    await choose(world.offers.id, true);
    expect(await why()).toMatchObject({ uncovered: 1 });
  });

  it('counts all unsent changes, explains the newest, and says so', async () => {
    for (let count = 0; count <= UNSENT_LOOKED_AT; count += 1) await choose(world.offers.id, count % 2 === 0);
    const { unsent, unsent_because: why } = (await figures('7d')).choices;
    expect([unsent, why]).toEqual([
      UNSENT_LOOKED_AT + 1,
      { uncovered: UNSENT_LOOKED_AT, covered_later: 0, is_partial: true },
    ]);
  });

  it('names the lists that no action sends to a tool', async () => {
    const sent = async () => (await figures()).lists.map(({ is_sent }) => is_sent);
    await buildWebhook(product, world, { url: 'https://shop.example/any' });
    expect(await sent()).toEqual([false, false]);
    const id = await toolAction((await integrations())['Fine'] ?? '');
    expect(await sent()).toEqual([true, true]);
    const set = (change: string, value: unknown) =>
      product.testDatabase.owner.query(`update actions set ${change} = $3 where site_id = $1 and id = $2`, [
        world.params.site_id,
        id,
        value,
      ]);
    await set('list_ids', [world.offers.id]);
    expect(await sent()).toEqual([false, true]);
    await set('event', 'email_changed');
    expect(await sent()).toEqual([false, false]);
    await set('event', 'subscribed');
    expect(await sent()).toEqual([false, true]);
    await set('enabled', false);
    expect(await sent()).toEqual([false, false]);
  });

  it('counts why people left, the most frequent reason first', async () => {
    await product.testDatabase.owner.query(
      `insert into leave_reasons (site_id, choice_id, customer_id, reason, created_at)
       select $1, gen_random_uuid(), $2, reason, now() - days * interval '1 day'
       from (values ('other', 1), ('too_many', 2), ('too_many', 3), ('other', 50)) as given (reason, days)`,
      [world.params.site_id, vera.id],
    );
    expect((await figures()).reasons).toEqual([
      { reason: 'too_many', count: 2 },
      { reason: 'other', count: 1 },
    ]);
  });

  it('shows the health of each integration, what is waiting for it and its last success', async () => {
    const ids = await integrations();
    const actionId = await toolAction(ids['Fine'] ?? '');
    await deliveryOf(actionId, { daysAgo: 2, status: 'arrived', finishedAfterMs: DAY_MS });
    await deliveryOf(actionId, { daysAgo: 1.5, status: 'arrived' });
    await deliveryOf(actionId, { daysAgo: 60, status: 'waiting' });
    const { integrations: told } = await figures('7d');
    expect(told.map(({ name, health, waiting }) => [name, health, waiting])).toEqual([
      ['Fine', 'connected', 1],
      ['Failing', 'needs_attention', 0],
      ['Refused', 'needs_attention', 0],
      ['Resting', 'resting', 0],
      ['Off', 'switched_off', 0],
    ]);
    const namedOf = (is: 'needs_credentials' | 'has_key_alone') =>
      told.flatMap((one) => (one[is] ? [one.name] : []));
    expect([namedOf('needs_credentials'), namedOf('has_key_alone')]).toEqual([['Refused'], ['Refused']]);
    const lastMs = Date.parse(told[0]?.last_arrival_at ?? '');
    // What was made earlier arrived later.
    expect(Math.round((Date.now() - lastMs) / DAY_MS)).toBe(1);
    expect(told[1]?.last_arrival_at).toBeNull();
  });

  it('is all zeros for an empty site', async () => {
    world = await buildSite(product, home.owner, home.params.organization_id);
    const { customers, choices, deliveries, reasons, integrations: none } = await figures('12m');
    expect({ customers, choices: choices.now, deliveries, reasons, none }).toEqual({
      customers: { total: 0, created: { now: 0, before: 0 } },
      choices: 0,
      deliveries: { arrived: 0, waiting: 0, failed: 0, late: 0, older_failed: 0 },
      reasons: [],
      none: [],
    });
  });
});

async function integrations(): Promise<Record<string, string>> {
  const rows = [
    ['Fine', 'connected', null, null],
    ['Failing', 'connected', new Date(), null],
    ['Refused', 'credentials_refused', null, null],
    ['Resting', 'connected', new Date(), new Date(Date.now() + 60_000)],
    ['Off', 'switched_off', new Date(), null],
  ] as const;
  const ids: Record<string, string> = {};
  for (const [name, status, failingSince, restsUntil] of rows) {
    const id = newId();
    ids[name] = id;
    await product.testDatabase.owner.query(
      `insert into integrations (site_id, id, provider, name, account_name, credentials_sealed, status, failing_since, rests_until, created_at, updated_at)
       values ($1, $2, $7, $3, 'Acme', 'x', $4, $5, $6, now(), now())`,
      [
        world.params.site_id,
        id,
        name,
        status,
        failingSince,
        restsUntil,
        name === 'Refused' ? 'brevo' : 'drip',
      ],
    );
  }
  return ids;
}

async function toolAction(integrationId: string): Promise<string> {
  const { id } = await buildWebhook(product, world, { url: 'https://shop.example/hook' });
  await product.testDatabase.owner.query(
    `update actions set type = 'global_unsubscribe', integration_id = $3 where site_id = $1 and id = $2`,
    [world.params.site_id, id, integrationId],
  );
  return id;
}

describe('the sites that need attention', () => {
  const inNeed = async () => {
    const params = { organization_id: home.params.organization_id };
    const { results } = await product.call(listSitesInNeed, { params }, home.owner);
    return results.find(({ site_id }) => site_id === world.params.site_id);
  };

  it('are those with an integration that is failing or off, or with recent failed deliveries', async () => {
    await choose(world.weekly.id, true);
    const action = await buildWebhook(product, world, { url: 'https://shop.example/hook' });
    await deliveryOf(action.id, { daysAgo: 1, status: 'arrived' });
    await deliveryOf(action.id, { daysAgo: 40, status: 'failed' });
    expect(await inNeed()).toBeUndefined();
    await deliveryOf(action.id, { daysAgo: 2, status: 'failed' });
    expect(await inNeed()).toMatchObject({ integrations: 0, failed_deliveries: 1 });
    await integrations();
    expect(await inNeed()).toMatchObject({ integrations: 3, failed_deliveries: 1 });
  });
});

describe('the figures of lists', () => {
  it('cover every list in their order, with the actions about it', async () => {
    const any = await buildWebhook(product, world, { url: 'https://shop.example/any' });
    const one = await buildWebhook(product, world, {
      url: 'https://shop.example/one',
      event: 'subscribed',
      list_ids: [world.offers.id],
    });
    await buildWebhook(product, world, { url: 'https://shop.example/all', event: 'global_unsubscribed' });
    const lists = await listsOf();
    expect(lists.map(({ list_id }) => list_id)).toEqual([world.weekly.id, world.offers.id]);
    expect(lists.map(({ actions }) => actions.map(({ id }) => id))).toEqual([[any.id], [any.id, one.id]]);
  });

  it('count as subscribers those who chose it and receive it', async () => {
    const [lea, max] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    for (const who of [vera, lea, max]) await choose(world.offers.id, true, who);
    await leave(true, lea);
    expect((await listsOf())[1]).toMatchObject({ subscribers: 2, joins: 3, leaves: 1 });
    await product.call(deleteCustomer, { params: { ...world.params, id: max.id } }, world.owner);
    expect((await listsOf())[1]?.subscribers).toBe(1);
  });
});

describe('the figures of actions', () => {
  it('count the deliveries of 30 days by status, and include the newest of all', async () => {
    const busy = await buildWebhook(product, world, { url: 'https://shop.example/busy' });
    const old = await buildWebhook(product, world, { url: 'https://shop.example/old' });
    const idle = await buildWebhook(product, world, { url: 'https://shop.example/idle' });
    await deliveryOf(busy.id, { daysAgo: 20, status: 'failed' });
    await deliveryOf(busy.id, { daysAgo: 10, status: 'arrived' });
    const newest = await deliveryOf(busy.id, { daysAgo: 1, status: 'waiting' });
    const longAgo = await deliveryOf(old.id, { daysAgo: 45, status: 'arrived' });
    expect(await actionsOf()).toMatchObject([
      {
        action_id: busy.id,
        arrived: 1,
        waiting: 1,
        failed: 1,
        last_delivery: { id: newest, status: 'waiting' },
      },
      { action_id: old.id, arrived: 0, waiting: 0, failed: 0, last_delivery: { id: longAgo } },
      { action_id: idle.id, arrived: 0, last_delivery: null },
    ]);
  });
});

describe('a failing endpoint', () => {
  /** What an attempt of a webhook that answers 500 leaves behind. */
  async function failingSince(actionId: string, reason: string | null): Promise<void> {
    await product.testDatabase.owner.query(
      `update actions set failing_since = now(), disabled_reason = $3, enabled = $4 where site_id = $1 and id = $2`,
      [world.params.site_id, actionId, reason, reason === null],
    );
  }

  it('is named on the dashboard; one that works or was turned off by a person is not', async () => {
    const failing = await buildWebhook(product, world, { url: 'https://shop.example/failing' });
    const off = await buildWebhook(product, world, { url: 'https://shop.example/off' });
    const fine = await buildWebhook(product, world, { url: 'https://shop.example/fine' });
    await failingSince(failing.id, null);
    const gone = await buildWebhook(product, world, { url: 'https://shop.example/gone' });
    await failingSince(off.id, 'Every delivery failed.');
    await failingSince(gone.id, 'The receiver answered 410 Gone.');
    await product.call(
      updateAction,
      { params: { ...world.params, id: fine.id }, body: { enabled: false } },
      world.owner,
    );
    expect((await figures()).endpoints).toMatchObject([
      {
        action_id: failing.id,
        name: 'Tell the shop',
        type: 'webhook',
        state: 'failing',
        disabled_because: null,
      },
      { action_id: off.id, state: 'switched_off', disabled_because: 'failing' },
      { action_id: gone.id, state: 'switched_off', disabled_because: 'gone' },
    ]);
  });

  it('has retried deliveries counted apart from those that only wait', async () => {
    const action = await buildWebhook(product, world, { url: 'https://shop.example/failing' });
    await deliveryOf(action.id, { daysAgo: 1, status: 'arrived' });
    await deliveryOf(action.id, { daysAgo: 1, status: 'waiting' });
    const retrying = await deliveryOf(action.id, { daysAgo: 1, status: 'waiting' });
    await product.testDatabase.owner.query(
      `update deliveries set outcome = 'unavailable' where site_id = $1 and id = $2`,
      [world.params.site_id, retrying],
    );
    expect((await actionsOf())[0]).toMatchObject({ waiting: 2, retrying: 1, failing_since: null });
    await failingSince(action.id, null);
    expect((await actionsOf())[0]?.failing_since).not.toBeNull();
  });
});

describe('the evidence behind a figure', () => {
  const found = async (query: Record<string, unknown>) =>
    await product.call(listEvidence, { params: world.params, query: { limit: 1, ...query } }, world.owner);

  it('can be found by event, by list and by reason, page by page', async () => {
    await choose(world.offers.id, true);
    await choose(world.weekly.id, true);
    await choose(world.offers.id, false);
    const first = await found({ move: 'joined' });
    expect(first.results[0]?.lists[0]?.name).toBe('Weekly news');
    const second = await found({ move: 'joined', cursor: first.next });
    expect(second.results[0]?.lists[0]?.name).toBe('Offers');
    expect(second.next).toBeNull();
    const left = await found({ move: 'left', list_id: world.offers.id });
    expect(left.results).toMatchObject([{ events: ['unsubscribed'] }]);
    expect((await found({ list_id: world.offers.id, limit: 10 })).results).toHaveLength(2);
    await product.testDatabase.owner.query(
      `insert into leave_reasons (site_id, choice_id, customer_id, reason, created_at) values ($1, $2, $3, 'other', now())`,
      [world.params.site_id, left.results[0]?.id, vera.id],
    );
    const isLeft = [{ id: left.results[0]?.id }];
    expect((await found({ reason: 'other' })).results).toMatchObject(isLeft);
    expect((await found({ reason: 'other', move: 'left' })).results).toMatchObject(isLeft);
    expect((await found({ reason: 'other', list_id: world.offers.id })).results).toMatchObject(isLeft);
    expect((await found({ reason: 'other', list_id: world.weekly.id })).results).toEqual([]);
    expect((await found({ reason: 'too_many', list_id: world.offers.id })).results).toEqual([]);
    expect((await found({ reason: 'other', move: 'joined' })).results).toEqual([]);
    expect((await found({ reason: 'too_many' })).results).toEqual([]);
  });

  it('covers the chosen period', async () => {
    await choose(world.offers.id, true);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await found({ since: later })).results).toEqual([]);
    expect((await found({ since: later, move: 'joined' })).results).toEqual([]);
    const before = new Date(Date.now() - 60_000).toISOString();
    expect((await found({ since: before, limit: 10 })).results).toHaveLength(2);
  });
});

describe('the first steps', () => {
  const facts = () => product.call(getOnboarding, { params: world.params }, world.owner);

  async function saveAs(customer: Customer): Promise<void> {
    const customerId = await openAsProven(product, world, customer);
    const body = [{ notification_list_id: world.offers.id, subscribed: true }];
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
  }

  it('count what the site has', async () => {
    await buildWebhook(product, world, { url: 'https://shop.example/hook', list_ids: [] });
    expect(await facts()).toEqual({
      lists: 2,
      pages: 1,
      integrations: 0,
      actions: 1,
      has_own_choice: false,
      is_live: false,
      first_page: { id: world.page.id, url: world.page.url },
      to_set_up: null,
    });
  });

  it('name the first connected tool that no action works in', async () => {
    const toSetUp = async () => (await facts()).to_set_up;
    const ids = await integrations();
    const fine = { id: ids['Fine'], name: 'Fine' };
    expect(await toSetUp()).toEqual(fine);
    await toolAction(fine.id ?? '');
    // The next one that accepts its credentials.
    expect(await toSetUp()).toEqual({ id: ids['Failing'], name: 'Failing' });
  });

  it('are only done when the owner has saved on a page themselves', async () => {
    await saveAs(vera);
    expect(await facts()).toMatchObject({ has_own_choice: false, is_live: true });
    const own = await buildCustomer(product, world, world.owner.email);
    await choose(world.offers.id, false, own);
    expect((await facts()).has_own_choice).toBe(false);
    await saveAs(own);
    expect((await facts()).has_own_choice).toBe(true);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, getCustomerLists } from '#contract/customers.ts';
import { getDashboard } from '#contract/dashboard.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { openCustomer, saveLists, undoChoice } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let first: World;
let world: World;
let vera: Customer;
let customerId: string;

beforeAll(async () => {
  product = await startTestProduct();
  first = await buildWorld(product);
});

afterAll(() => product.stop());

beforeEach(async () => {
  // Weekly news is on by default, Offers is off.
  world = await buildSite(product, first.owner, first.params.organization_id);
  for (const event of ['subscribed', 'unsubscribed', 'global_unsubscribed'] as const) {
    await buildWebhook(product, world, { url: 'http://127.0.0.1:9/', event });
  }
  vera = await buildCustomer(product, world);
  customerId = await openAsProven(product, world, vera);
});

const choose = (weekly: boolean, offers: boolean) => [
  { notification_list_id: world.weekly.id, subscribed: weekly },
  { notification_list_id: world.offers.id, subscribed: offers },
];

const save = (weekly: boolean, offers: boolean, headers: { 'x-unsubscribe-all'?: '1' } = {}) =>
  product.call(saveLists, { params: { customerId }, headers, body: choose(weekly, offers) }, world.visitor);

const PRESSED = { 'x-unsubscribe-all': '1' } as const;

async function stateNow() {
  const call = { params: { ...world.params, id: vera.id } };
  const customer = await product.call(getCustomer, call, world.owner);
  const { results } = await product.call(getCustomerLists, call, world.owner);
  const lists = new Map(results.map((one) => [one.notification_list_id, one.subscribed]));
  return {
    left: customer.global_unsubscribe,
    weekly: lists.get(world.weekly.id),
    offers: lists.get(world.offers.id),
  };
}

async function evidence() {
  const call = { params: { ...world.params, id: vera.id }, query: { limit: 100 } };
  return (await product.call(listCustomerEvidence, call, world.owner)).results;
}

/** The events that were delivered about Vera. */
async function delivered(): Promise<string[]> {
  const call = { params: world.params, query: { customer_id: vera.id, limit: 100 } };
  return (await product.call(listDeliveries, call, world.owner)).results.map((one) => one.event).toSorted();
}

async function movesToday(): Promise<{ joined: number; left: number }> {
  const { joins, leaves } = await product.call(
    getDashboard,
    { params: world.params, query: {} },
    world.owner,
  );
  return { joined: joins.now, left: leaves.now };
}

/** Presses a button of the page that a browser without JavaScript shows. */
function postForm(fields: [string, string][]) {
  return product.http.inject({
    method: 'POST',
    url: '/preferences',
    headers: {
      host: `${world.site.domain_name}:${product.services.config.port}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams([['customer', customerId], ['save_id', 'save-00001'], ...fields]).toString(),
  });
}

const shown = (): [string, string][] => [
  ['list', world.weekly.id],
  ['list', world.offers.id],
];

describe('Unsubscribe from all, saved', () => {
  it('switches every list off and leaves everything, as one choice', async () => {
    await save(true, true);
    const saved = await save(false, false, PRESSED);
    expect(saved).toMatchObject({ global_unsubscribe: true, lists: choose(false, false) });
    expect(await stateNow()).toEqual({ left: true, weekly: false, offers: false });
    const [leave, ...before] = await evidence();
    expect(leave).toMatchObject({
      source: 'page',
      events: ['unsubscribed', 'global_unsubscribed'],
      global_unsubscribe: true,
    });
    expect(leave?.lists.map(({ subscribed, previous }) => [previous, subscribed])).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(before).toHaveLength(2);
  });

  it('runs the actions for leaving everything, and those for the lists that were left', async () => {
    await save(true, true);
    await save(false, false, PRESSED);
    expect(await delivered()).toEqual(['global_unsubscribed', 'subscribed', 'unsubscribed']);
  });

  it('covers lists that were all off already', async () => {
    await save(false, false);
    await save(false, false, PRESSED);
    expect(await stateNow()).toMatchObject({ left: true });
    expect((await evidence())[0]?.events).toEqual(['global_unsubscribed']);
  });

  it('can be followed by subscribing to one list, and the others stay off', async () => {
    await save(true, true);
    await save(false, false, PRESSED);
    await save(true, false);
    expect(await stateNow()).toEqual({ left: false, weekly: true, offers: false });
    expect((await evidence())[0]?.events).toEqual(['subscribed', 'global_resubscribed']);
  });

  it('can be undone as one choice', async () => {
    await save(true, false);
    const { receipt } = await save(false, false, PRESSED);
    await product.call(
      undoChoice,
      { params: { customerId }, body: { receipt: receipt ?? '' } },
      world.visitor,
    );
    expect(await stateNow()).toEqual({ left: false, weekly: true, offers: false });
  });

  it('is rejected together with a list that is on, naming the header, and nothing changes', async () => {
    await save(true, true);
    const refused = await product.refuse(
      saveLists,
      { params: { customerId }, headers: PRESSED, body: choose(true, false) },
      world.visitor,
    );
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'x-unsubscribe-all' }] });
    expect(await stateNow()).toEqual({ left: false, weekly: true, offers: true });
  });

  it('works without JavaScript, and its page says that nothing more will come', async () => {
    await save(true, true);
    const answer = await postForm([['intent', 'unsubscribe_all'], ...shown()]);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('You won’t receive anything from Acme any more.');
    expect(await stateNow()).toEqual({ left: true, weekly: false, offers: false });
  });

  it('that was pressed before the language was changed still covers everything', async () => {
    const [fields, pressed] = [shown(), ['leaves_all', '1'] as [string, string]];
    const answer = await postForm([['instead', 'language'], ...fields, pressed]);
    expect(answer.body).toContain('name="leaves_all"');
    await postForm([['intent', 'save'], ...fields, pressed]);
    expect(await stateNow()).toMatchObject({ left: true });
  });

  it('is dropped when a list was switched on after the press', async () => {
    await postForm([['intent', 'save'], ...shown(), ['on', world.offers.id], ['leaves_all', '1']]);
    expect(await stateNow()).toEqual({ left: false, weekly: false, offers: true });
  });
});

describe('switching every list off by hand', () => {
  it('does not leave everything: by the API', async () => {
    await save(true, true);
    expect(await save(false, false)).toMatchObject({ global_unsubscribe: false });
    expect(await stateNow()).toEqual({ left: false, weekly: false, offers: false });
    expect((await evidence())[0]?.events).toEqual(['unsubscribed']);
    expect(await delivered()).toEqual(['subscribed', 'unsubscribed']);
  });

  it('does not leave everything: without JavaScript', async () => {
    await save(true, true);
    await postForm([['intent', 'save'], ...shown()]);
    expect(await stateNow()).toEqual({ left: false, weekly: false, offers: false });
  });
});

describe('a first save', () => {
  async function newPerson(): Promise<void> {
    const body = { email: `new-${vera.email}`, custom_path: 'preferences' };
    const opened = await product.call(openCustomer, { body }, world.visitor);
    customerId = opened.id;
    const { rows } = await product.testDatabase.owner.query<{ id: string }>(
      'select id from customers where email = $1 and site_id = $2',
      [body.email, world.site.id],
    );
    vera = { ...vera, id: rows[0]?.id ?? '', email: body.email };
  }

  it('that switches one list on reports no leaving of one that is off by default, anywhere', async () => {
    await newPerson();
    const before = await movesToday();
    await save(true, false);
    expect(await delivered()).toEqual(['subscribed']);
    const [choice] = await evidence();
    expect(choice?.events).toEqual(['subscribed']);
    expect(choice?.lists).toMatchObject([
      { name: 'Weekly news', subscribed: true, previous: null },
      { name: 'Offers', subscribed: false, previous: null, declined: true },
    ]);
    expect(choice?.lists[0]).not.toHaveProperty('declined');
    expect(await stateNow()).toMatchObject({ weekly: true, offers: false });
    const after = await movesToday();
    expect([after.joined - before.joined, after.left - before.left]).toEqual([1, 0]);
  });

  it('that switches off what is on by default leaves that list alone', async () => {
    await newPerson();
    await buildWebhook(product, world, {
      url: 'http://127.0.0.1:9/',
      event: 'unsubscribed',
      list_ids: [world.offers.id],
    });
    await save(false, false);
    expect(await delivered()).toEqual(['unsubscribed']);
    const [choice] = await evidence();
    expect(choice?.lists.map(({ name, declined }) => [name, declined ?? false])).toEqual([
      ['Weekly news', false],
      ['Offers', true],
    ]);
  });

  it('that only declines is recorded, and runs no action', async () => {
    await newPerson();
    const body = [{ notification_list_id: world.offers.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    expect(await delivered()).toEqual([]);
    const [choice] = await evidence();
    expect(choice).toMatchObject({ events: [], lists: [{ name: 'Offers', declined: true }] });
  });
});

import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  createCustomer,
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
} from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { updateList } from '#contract/lists.ts';
import { replacePreferencePage } from '#contract/preference-pages.ts';
import {
  getCustomerPage,
  giveReason,
  type PauseLength,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { countReasons } from '#server/audience/evidence/reasons.ts';
import { NOTHING_SHOWN } from '#server/choices/choices/choices.ts';
import { MIGRATIONS } from '#server/platform/migrate.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { requestErasure } from '#server/visit/customers/erasure.ts';
import { shortenPauses } from '#server/visit/customers/shorten-pauses.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let first: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  first = await buildWorld(product);
  world = await buildSite(product, first.owner, first.params.organization_id);
  await offerPause(world);
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/', event: 'unsubscribed' });
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/', event: 'subscribed' });
});

afterAll(() => product.stop());

/** Time goes by; the owner logs in again, because a session does not last that long. */
async function pass(time: { days?: number; hours?: number; minutes?: number }): Promise<void> {
  product.clock.advance(time);
  const { owner } = first;
  const body = { username: owner.username, password: PASSWORD };
  owner.token = (await product.call(logIn, { body })).access_token;
}

async function offerPause({ page, params, owner }: World): Promise<void> {
  await product.call(
    replacePreferencePage,
    {
      params: { ...params, id: page.id },
      body: {
        ...page,
        attrs: { ...page.attrs, offer_pause: true },
        lists: page.lists.map(({ id }) => ({ id })),
      },
    },
    owner,
  );
}

function choose(weekly: boolean, offers: boolean) {
  return [
    { notification_list_id: world.weekly.id, subscribed: weekly },
    { notification_list_id: world.offers.id, subscribed: offers },
  ];
}

async function someone(): Promise<{ vera: Customer; customerId: string }> {
  const vera = await buildCustomer(product, world);
  return { vera, customerId: await openAsProven(product, world, vera) };
}

const save = (customerId: string, weekly: boolean, offers: boolean) =>
  product.call(saveLists, { params: { customerId }, body: choose(weekly, offers) }, world.visitor);

type Update = { global_unsubscribe: boolean } | PauseLength | { email: string };

const update = (customerId: string, body: Update) =>
  product.call(updatePublicCustomer, { params: { customerId }, body }, world.visitor);

const undo = (customerId: string, receipt: string | null) =>
  product.call(undoChoice, { params: { customerId }, body: { receipt: receipt ?? '' } }, world.visitor);

async function stateOf({ id }: Customer) {
  const call = { params: { ...world.params, id } };
  const [customer, { results }] = await Promise.all([
    product.call(getCustomer, call, world.owner),
    product.call(getCustomerLists, call, world.owner),
  ]);
  const lists = new Map(results.map((one) => [one.notification_list_id, one.subscribed]));
  return {
    left: customer.global_unsubscribe,
    paused: customer.paused_until !== null,
    weekly: lists.get(world.weekly.id),
    offers: lists.get(world.offers.id),
  };
}

async function evidenceOf({ id }: Customer) {
  const call = { params: { ...world.params, id }, query: { limit: 100 } };
  return (await product.call(listCustomerEvidence, call, world.owner)).results;
}

async function deliveredEvents({ id }: Customer): Promise<string[]> {
  const call = { params: world.params, query: { customer_id: id, limit: 100 } };
  return (await product.call(listDeliveries, call, world.owner)).results.map((one) => one.event).toSorted();
}

describe('a pause', () => {
  it('counts as leaving everything for every tool, shows what comes after it, and ends automatically exactly there', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    const paused = await update(customerId, { pause_days: 30 });
    expect(paused).toMatchObject({ global_unsubscribe: true });
    const until = new Date(paused.paused_until ?? 0).getTime();
    expect(until - product.clock.now().getTime()).toBeGreaterThan(29.99 * 86_400_000);
    expect(await stateOf(vera)).toEqual({ left: true, paused: true, weekly: true, offers: false });
    const call = { params: { customerId, custom_path: 'preferences' } };
    const page = await product.call(getCustomerPage, call, world.visitor);
    expect(page.lists.map((list) => list.subscribed)).toEqual([true, false]);
    expect(await deliveredEvents(vera)).toEqual(['subscribed', 'unsubscribed']);

    await pass({ days: 29, hours: 23 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: true });
    await pass({ hours: 2 });
    await Promise.all([runCustomerTimers(product.services), runCustomerTimers(product.services)]);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: true, offers: false });
    expect(await deliveredEvents(vera)).toEqual(['subscribed', 'subscribed', 'unsubscribed']);
    const [end, start] = await evidenceOf(vera);
    expect(end).toMatchObject({ source: 'pause_end', authority: 'system', paused_until: null });
    expect(start).toMatchObject({ events: ['unsubscribed', 'global_unsubscribed'], source: 'page' });
    expect(start?.paused_until).toBe(paused.paused_until);
    const { rows } = await product.testDatabase.owner.query(
      'select * from customer_timers where customer_id = $1',
      [vera.id],
    );
    expect(rows).toEqual([]);
  });

  it('that began while the clock was years ahead gets the length that was chosen, from when the clock is right', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    await update(customerId, { pause_days: 30 });
    const { owner } = product.testDatabase;
    await owner.query(`update choices set occurred_at = occurred_at + interval '700 days', paused_until = paused_until + interval '700 days'
      where customer_id = '${vera.id}' and paused_until is not null`);
    await owner.query(
      `update customers set paused_until = paused_until + interval '700 days' where id = '${vera.id}'`,
    );
    await owner.query(
      `update customer_timers set due_at = due_at + interval '700 days' where customer_id = '${vera.id}'`,
    );
    await shortenPauses(product.services);
    const { paused_until: until } = await product.call(
      getCustomer,
      { params: { ...world.params, id: vera.id } },
      world.owner,
    );
    const lengthMs = new Date(until ?? 0).getTime() - product.clock.now().getTime();
    expect(lengthMs / 86_400_000).toBeCloseTo(30, 1);
    const [shortened] = await evidenceOf(vera);
    expect(shortened).toMatchObject({ events: [], authority: 'system', paused_until: until });

    await pass({ days: 29 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ paused: true });
    await pass({ days: 2 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: true, offers: false });
  });

  it('of a year, the longest that can be chosen, stays as it was chosen', async () => {
    const { customerId, vera } = await someone();
    const day = new Date(product.clock.now().getTime() + 365 * 86_400_000).toISOString().slice(0, 10);
    await update(customerId, { pause_until: day });
    const before = await evidenceOf(vera);
    await shortenPauses(product.services);
    expect(await evidenceOf(vera)).toEqual(before);
  });

  it('that is over leaves no timer of the wrong year', async () => {
    const { customerId, vera } = await someone();
    await update(customerId, { pause_days: 30 });
    await update(customerId, { global_unsubscribe: false });
    const { owner } = product.testDatabase;
    const far = await owner.query(
      `update customer_timers set due_at = due_at + interval '700 days' where customer_id = $1 returning *`,
      [vera.id],
    );
    expect(far.rows).toHaveLength(1);
    await shortenPauses(product.services);
    expect(
      (await owner.query('select * from customer_timers where customer_id = $1', [vera.id])).rows,
    ).toEqual([]);
    expect(await stateOf(vera)).toMatchObject({ left: false, paused: false });
  });

  it('ends with what the person chose meanwhile', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    await update(customerId, { pause_days: 60 });
    await save(customerId, false, true);
    expect(await stateOf(vera)).toEqual({ left: true, paused: true, weekly: false, offers: true });
    await pass({ days: 61 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: false, offers: true });
  });

  it('does not resubscribe customers who left for good meanwhile', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    await update(customerId, { pause_days: 30 });
    await update(customerId, { global_unsubscribe: true });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: false });
    const [last] = await evidenceOf(vera);
    expect(last).toMatchObject({ events: ['global_unsubscribed'], paused_until: null });
  });

  it('can be extended, and ends only then', async () => {
    const { vera, customerId } = await someone();
    await update(customerId, { pause_days: 30 });
    await update(customerId, { pause_days: 90 });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ paused: true });
    await pass({ days: 60 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ left: false, paused: false });
  });

  it('can be ended by the person at any time', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    await update(customerId, { pause_days: 30 });
    expect(await update(customerId, { global_unsubscribe: false })).toMatchObject({
      global_unsubscribe: false,
      paused_until: null,
    });
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: true, offers: false });
  });

  it('updates the tools again about lists that nobody chose and everybody gets', async () => {
    const { vera, customerId } = await someone();
    await update(customerId, { pause_days: 30 });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: null, offers: null });
    expect(await deliveredEvents(vera)).toEqual(['subscribed', 'unsubscribed']);
  });

  it('sends no tool a list with double opt-in, though it was on by default before an upgrade', async () => {
    const { owner } = product.testDatabase;
    await owner.query('update lists set double_opt_in = true where id = $1', [world.weekly.id]);
    await MIGRATIONS['0018-unconfirmed-defaults'].up(
      new Kysely<unknown>({ dialect: new PostgresDialect({ pool: owner }) }),
    );
    const ofWeekly = { params: { ...world.params, id: world.weekly.id } };
    const upgraded = await product.call(
      updateList,
      { ...ofWeekly, body: { name: world.weekly.name } },
      world.owner,
    );
    expect(upgraded).toMatchObject({ double_opt_in: true, subscription_default_state: false });
    const { vera, customerId } = await someone();
    await update(customerId, { pause_days: 30 });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: null, offers: null });
    const [end] = await evidenceOf(vera);
    expect(end).toMatchObject({ source: 'pause_end', events: ['global_resubscribed'], lists: [] });
    expect(await deliveredEvents(vera)).toEqual(['unsubscribed']);
    const body = { double_opt_in: false, subscription_default_state: true };
    await product.call(updateList, { ...ofWeekly, body }, world.owner);
  });

  it('until a chosen day ends when that day has begun everywhere, and not before', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    const day = new Date(product.clock.now().getTime() + 100 * 86_400_000).toISOString().slice(0, 10);
    const paused = await update(customerId, { pause_until: day });
    expect(paused).toMatchObject({ global_unsubscribe: true, paused_until: `${day}T12:00:00.000Z` });
    await pass({ days: 99 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: true });
    await pass({ days: 2 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: true, offers: false });
  });

  it.each([
    ['six days ahead', 6],
    ['more than a year ahead', 366],
    ['in the past', -30],
  ])('until a day %s is refused, and changes nothing', async (_, days) => {
    const { vera, customerId } = await someone();
    const day = new Date(product.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const call = { params: { customerId }, body: { pause_until: day } };
    expect(await product.refuse(updatePublicCustomer, call, world.visitor)).toMatchObject({
      status: 422,
      errors: [{ code: 'invalid_field', field: 'pause_until' }],
    });
    expect(await stateOf(vera)).toMatchObject({ left: false, paused: false });
  });

  it('does not bring back a list that was left by its link meanwhile', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, true);
    await update(customerId, { pause_days: 30 });
    const body = { list_id: world.weekly.id };
    const call = { params: { ...world.params, id: vera.id }, body };
    const { one_click_url: url } = await product.call(mintLinks, call, world.owner);
    await product.http.inject({
      method: 'POST',
      url: new URL(url).pathname,
      headers: {
        host: new URL(url).host,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'List-Unsubscribe=One-Click',
    });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: false, offers: true });
  });

  it('is refused for other lengths, and never raises consent of someone who had left', async () => {
    const { vera, customerId } = await someone();
    const odd = { params: { customerId }, body: { pause_days: 31 as 30 } };
    expect((await product.refuse(updatePublicCustomer, odd, world.visitor)).status).toBe(422);
    await update(customerId, { global_unsubscribe: true });
    await update(customerId, { pause_days: 30 });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: false });
  });

  it('of one person that cannot be ended delays nobody else, and is retried', async () => {
    const [one, two] = [await someone(), await someone()];
    for (const { customerId } of [one, two]) await update(customerId, { pause_days: 30 });
    await pass({ days: 31 });
    const { owner } = product.testDatabase;
    await owner.query(
      `alter table choices add constraint no_more check (customer_id <> '${one.vera.id}') not valid`,
    );
    await runCustomerTimers(product.services);
    expect(await stateOf(one.vera)).toMatchObject({ paused: true });
    expect(await stateOf(two.vera)).toMatchObject({ paused: false });
    await owner.query('alter table choices drop constraint no_more');
    await runCustomerTimers(product.services);
    expect(await stateOf(one.vera)).toMatchObject({ paused: false });
  });
});

describe('an undo', () => {
  it('restores a save, once', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, true);
    const { receipt } = await save(customerId, false, true);
    expect(await undo(customerId, receipt)).toMatchObject({ email: vera.email, global_unsubscribe: false });
    expect(await stateOf(vera)).toMatchObject({ weekly: true, offers: true });
    const before = await evidenceOf(vera);
    expect(before[0]).toMatchObject({ source: 'undo', events: ['subscribed'] });
    await undo(customerId, receipt);
    expect(await evidenceOf(vera)).toEqual(before);
  });

  it('restores what was shown to someone who had never chosen', async () => {
    const { vera, customerId } = await someone();
    const { receipt } = await save(customerId, false, false);
    await undo(customerId, receipt);
    expect(await stateOf(vera)).toMatchObject({ weekly: true, offers: false });
  });

  it('of leaving everything restores every list, also those never chosen', async () => {
    const { vera, customerId } = await someone();
    const { receipt } = await update(customerId, { global_unsubscribe: true });
    await undo(customerId, receipt);
    expect(await stateOf(vera)).toEqual({ left: false, paused: false, weekly: true, offers: null });
    expect(await deliveredEvents(vera)).toEqual(['subscribed', 'unsubscribed']);
  });

  it('of coming back by one list leaves everything again and forgets no other list', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, false);
    await update(customerId, { global_unsubscribe: true });
    const body = [{ notification_list_id: world.offers.id, subscribed: true }];
    const { receipt } = await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    expect(await stateOf(vera)).toMatchObject({ left: false, weekly: false, offers: true });
    await undo(customerId, receipt);
    expect(await stateOf(vera)).toEqual({ left: true, paused: false, weekly: true, offers: false });
  });

  it('of a pause restores everything, and of a longer pause the shorter one', async () => {
    const { vera, customerId } = await someone();
    const short = await update(customerId, { pause_days: 30 });
    const long = await update(customerId, { pause_days: 90 });
    expect(await undo(customerId, long.receipt)).toMatchObject({ paused_until: short.paused_until });
    expect(await stateOf(vera)).toMatchObject({ paused: true });
  });

  it('is refused after a later choice, after an hour, for others, and for nonsense', async () => {
    const { vera, customerId } = await someone();
    const one = await save(customerId, true, true);
    await save(customerId, false, true);
    const call = (id: string, receipt: string | null) =>
      product.refuse(
        undoChoice,
        { params: { customerId: id }, body: { receipt: receipt ?? '' } },
        world.visitor,
      );
    expect(await call(customerId, one.receipt)).toMatchObject({
      status: 409,
      errors: [{ code: 'conflict' }],
    });
    const other = await someone();
    const two = await save(customerId, true, false);
    expect(await call(other.customerId, two.receipt)).toMatchObject({
      status: 422,
      errors: [{ code: 'invalid_field' }],
    });
    expect((await call(customerId, 'nonsense')).status).toBe(422);
    await pass({ hours: 1, minutes: 1 });
    expect((await call(customerId, two.receipt)).status).toBe(422);
    expect(await stateOf(vera)).toMatchObject({ weekly: true, offers: false });
  });
});

describe('a link from before the person came back', () => {
  const linksOf = ({ id }: Customer, list_id?: string) =>
    product.call(
      mintLinks,
      { params: { ...world.params, id }, body: list_id === undefined ? {} : { list_id } },
      world.owner,
    );

  const pressOneClick = (url: string) =>
    product.http.inject({
      method: 'POST',
      url: new URL(url).pathname,
      headers: { host: new URL(url).host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });

  it('still leaves by one click: its list, and everything', async () => {
    const { vera, customerId } = await someone();
    const [weekly, all] = [await linksOf(vera, world.weekly.id), await linksOf(vera)];
    await save(customerId, false, true);
    await save(customerId, true, true);
    expect((await pressOneClick(weekly.one_click_url)).body).toBe("You're unsubscribed.\n");
    expect(await stateOf(vera)).toMatchObject({ left: false, weekly: false, offers: true });
    await update(customerId, { global_unsubscribe: true });
    await update(customerId, { global_unsubscribe: false });
    expect((await pressOneClick(all.one_click_url)).body).toBe("You're unsubscribed.\n");
    expect(await stateOf(vera)).toMatchObject({ left: true });
  });

  it('leaves what was chosen for the first time, or after a pause', async () => {
    const { vera, customerId } = await someone();
    const old = await linksOf(vera);
    await save(customerId, true, true);
    await update(customerId, { pause_days: 30 });
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    expect(await stateOf(vera)).toMatchObject({ left: false });
    await pressOneClick(old.one_click_url);
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: false });
  });
});

describe('a reason', () => {
  it('is stored with the choice, the last one counts, and an undo deletes it', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, true);
    const { receipt } = await save(customerId, false, false);
    const give = (reason: 'too_many' | 'other') =>
      product.call(
        giveReason,
        { params: { customerId }, body: { receipt: receipt ?? '', reason } },
        world.visitor,
      );
    expect((await evidenceOf(vera))[0]?.reason).toBeNull();
    await give('other');
    await give('too_many');
    expect((await evidenceOf(vera))[0]?.reason).toBe('too_many');
    const since = new Date(0);
    expect(await countReasons(product.services, world.site.id, since)).toContainEqual({
      reason: 'too_many',
      count: 1,
    });
    await undo(customerId, receipt);
    expect(await countReasons(product.services, world.site.id, since)).toEqual([]);
  });

  it('is refused without a receipt of this customer, and when it is not on the list', async () => {
    const [one, two] = [await someone(), await someone()];
    const { receipt } = await save(one.customerId, false, false);
    const give = (customerId: string, reason: string) =>
      product.refuse(
        giveReason,
        { params: { customerId }, body: { receipt: receipt ?? '', reason: reason as 'other' } },
        world.visitor,
      );
    expect((await give(two.customerId, 'other')).status).toBe(422);
    expect((await give(one.customerId, 'because')).status).toBe(422);
  });
});

describe('erasing a person', () => {
  const byPerson = {
    source: 'erasure',
    authority: 'proven',
    saveId: null,
    language: null,
    ip: null,
    userAgent: null,
    shown: NOTHING_SHOWN,
  } as const;

  const find = async (search: string) =>
    (await product.call(listCustomers, { params: world.params, query: { search } }, world.owner)).results;

  it('waits until every tool was updated, and five days at most', async () => {
    const { vera, customerId } = await someone();
    await save(customerId, true, true);
    expect(await requestErasure(product.services, world.site.id, vera.id, byPerson)).toEqual({
      erased: false,
    });
    expect(await stateOf(vera)).toMatchObject({ left: true });
    await pass({ minutes: 6 });
    await runCustomerTimers(product.services);
    expect(await find(vera.email)).toHaveLength(1);
    await product.testDatabase.owner.query(
      `update deliveries set status = 'arrived', next_attempt_at = null where customer_id = $1`,
      [vera.id],
    );
    await pass({ minutes: 6 });
    await runCustomerTimers(product.services);
    expect(await find(vera.email)).toEqual([]);

    const other = await someone();
    await save(other.customerId, true, true);
    await requestErasure(product.services, world.site.id, other.vera.id, byPerson);
    await pass({ days: 5, minutes: 1 });
    await runCustomerTimers(product.services);
    expect(await find(other.vera.email)).toEqual([]);
  });

  it('happens at once where no tool needs an update, and forgets no opt-out', async () => {
    const vera = await buildCustomer(product, first);
    expect(await requestErasure(product.services, first.site.id, vera.id, byPerson)).toEqual({
      erased: true,
    });
    const again = await product.call(
      createCustomer,
      { params: first.params, body: { email: vera.email.toUpperCase() } },
      first.owner,
    );
    expect(again).toMatchObject({ global_unsubscribe: true, paused_until: null });
    expect(again.id).not.toBe(vera.id);
    const { rows } = await product.testDatabase.owner.query<{ row: string }>(
      'select customers::text as row from customers where id = $1',
      [vera.id],
    );
    expect(rows[0]?.row).not.toContain('@');
  });

  it('by an owner keeps nothing of someone who had not left, nor of a pause', async () => {
    const { vera, customerId } = await someone();
    await update(customerId, { pause_days: 30 });
    await product.call(deleteCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    await pass({ days: 31 });
    await runCustomerTimers(product.services);
    const again = await product.call(
      createCustomer,
      { params: world.params, body: { email: vera.email } },
      world.owner,
    );
    expect(again.global_unsubscribe).toBe(false);
  });
});

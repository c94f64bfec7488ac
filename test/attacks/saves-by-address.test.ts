import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, getCustomerLists } from '#contract/customers.ts';
import { openCustomer, saveLists, undoChoice, updatePublicCustomer } from '#contract/public-preferences.ts';
import { API_PREFIX } from '#contract/route.ts';
import { countSave } from '#server/visit/public-customers/save-limit.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

/** More than anybody saves within ten minutes. */
const MANY = 100;

type Lists = { weekly?: boolean; offers?: boolean };

let product: TestProduct;
let world: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

beforeEach(async () => {
  world = await buildWorld(product);
  vera = await buildCustomer(product, world);
});

async function typeAddress(): Promise<string> {
  const body = { email: vera.email, custom_path: world.page.custom_path };
  return (await product.call(openCustomer, { body }, world.visitor)).id;
}

const listsOf = (lists: Lists) =>
  (['weekly', 'offers'] as const).flatMap((name) => {
    const subscribed = lists[name];
    return subscribed === undefined ? [] : [{ notification_list_id: world[name].id, subscribed }];
  });

/** By the page's script. */
function save(customerId: string, lists: Lists, headers: Record<string, string> = {}) {
  return product.http.inject({
    method: 'PUT',
    url: `${API_PREFIX}${saveLists.path.replace('{customerId}', customerId)}`,
    headers: { 'x-site-domain': world.site.domain_name, ...headers },
    payload: listsOf(lists),
  });
}

/** By a page without a script. */
function send(customerId: string, fields: [string, string][]) {
  return product.http.inject({
    method: 'POST',
    url: `/${world.page.custom_path}`,
    headers: {
      host: `${world.site.domain_name}:${product.services.config.port}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams([
      ...fields,
      ['customer', customerId],
      ['save_id', 'one-of-many'],
    ]).toString(),
  });
}

const sendLists = (customerId: string, lists: Lists) =>
  send(customerId, [
    ['intent', 'save'],
    ...listsOf(lists).map(({ notification_list_id: id }): [string, string] => ['list', id]),
    ...listsOf(lists).flatMap(({ notification_list_id: id, subscribed }): [string, string][] =>
      subscribed ? [['on', id]] : [],
    ),
  ]);

const sendLink = (customerId: string, state: string, list: string) =>
  send(customerId, [
    ['intent', 'state'],
    ['state', state],
    ['list', list],
  ]);

async function stateOf() {
  const params = { ...world.params, id: vera.id };
  const { global_unsubscribe: left } = await product.call(getCustomer, { params }, world.owner);
  const { results } = await product.call(getCustomerLists, { params }, world.owner);
  const of = (id: string) => results.find((one) => one.notification_list_id === id)?.subscribed;
  return { left, weekly: of(world.weekly.id), offers: of(world.offers.id) };
}

const visitFrom = (ip: string) => ({ siteId: world.params.site_id, ip });

/** Saves about one person as often as the limit allows. */
async function useUpLimit(): Promise<void> {
  for (let count = 0; count < MANY; count += 1) {
    await countSave(product.services, visitFrom('127.0.0.1'), { id: vera.id, level: 'open' });
  }
}

describe('saves by somebody who only typed an address', () => {
  it('end before they fill the evidence, and the answer says how long to wait', async () => {
    const stranger = await typeAddress();
    let refused = 0;
    for (let round = 0; round < MANY / 2; round += 1) {
      expect((await save(stranger, { weekly: false })).statusCode).toBe(200);
      const { statusCode, headers } = await save(stranger, { weekly: true });
      if (statusCode === 200) continue;
      expect(statusCode).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(60);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(10);
    const params = { ...world.params, id: vera.id };
    const query = { limit: 100 };
    const { results } = await product.call(listCustomerEvidence, { params, query }, world.owner);
    // One that a list was left again, which is not limited, and one for each that was.
    expect(results.length).toBeLessThanOrEqual(MANY - 2 * refused + 3);
    expect(await stateOf()).toMatchObject({ weekly: false });
  });

  it.each([
    {
      by: 'the page',
      on: (who: string) => save(who, { offers: true }),
      off: (who: string) => save(who, { weekly: false }),
    },
    {
      by: 'a link',
      on: (who: string) => save(who, { offers: true }, { 'x-choice-source': 'state_link' }),
      off: (who: string) => save(who, { weekly: false }, { 'x-choice-source': 'state_link' }),
    },
    {
      by: 'a form',
      on: (who: string) => sendLists(who, { weekly: true, offers: true }),
      off: (who: string) => sendLists(who, { weekly: false, offers: false }),
    },
    {
      by: 'a link without a script',
      on: (who: string) => sendLink(who, 'subscribe', world.offers.id),
      off: (who: string) => sendLink(who, 'unsubscribe', world.weekly.id),
    },
  ])('switch nothing on by $by beyond the limit, and still switch off', async ({ on, off }) => {
    await save(await typeAddress(), { weekly: true, offers: false });
    await useUpLimit();
    const stranger = await typeAddress();
    expect((await on(stranger)).statusCode).toBe(429);
    expect(await stateOf()).toMatchObject({ weekly: true, offers: false });
    expect((await off(stranger)).statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ weekly: false, offers: false });
  });

  it('undo what was switched on beyond the limit, and not what was switched off', async () => {
    const customerId = await typeAddress();
    const undo = (receipt: string | null) => ({ params: { customerId }, body: { receipt: receipt ?? '' } });
    const change = (lists: Lists) =>
      product.call(saveLists, { params: { customerId }, body: listsOf(lists) }, world.visitor);
    const left = await change({ weekly: false });
    await useUpLimit();
    expect((await product.refuse(undoChoice, undo(left.receipt), world.visitor)).status).toBe(429);
    expect(await stateOf()).toMatchObject({ weekly: false });

    vera = await buildCustomer(product, world);
    const another = await typeAddress();
    const body = listsOf({ offers: true });
    const { receipt } = await product.call(
      saveLists,
      { params: { customerId: another }, body },
      world.visitor,
    );
    await useUpLimit();
    await product.call(
      undoChoice,
      { params: { customerId: another }, body: { receipt: receipt ?? '' } },
      world.visitor,
    );
    expect(await stateOf()).toMatchObject({ offers: false });
  });

  it('save what they switch off also where the rest is refused, and the rest once it may be sent again', async () => {
    await useUpLimit();
    const stranger = await typeAddress();
    const wanted = { weekly: false, offers: true };
    const headers = { 'idempotency-key': 'one-of-many' };
    const refused = await save(stranger, wanted, headers);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ message: expect.stringContaining('switched off is saved') });
    expect(await stateOf()).toMatchObject({ weekly: false, offers: null });
    const proven = await openAsProven(product, world, vera);
    expect((await save(proven, wanted, headers)).statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ weekly: false, offers: true });
  });

  it('pause and leave everything beyond the limit, and do not come back', async () => {
    await useUpLimit();
    const params = { customerId: await typeAddress() };
    const patch = (body: { pause_days: 30 | 90 } | { global_unsubscribe: boolean }) =>
      product.call(updatePublicCustomer, { params, body }, world.visitor);
    expect((await patch({ pause_days: 90 })).paused_until).not.toBeNull();
    for (const body of [{ pause_days: 30 as const }, { global_unsubscribe: false }]) {
      expect((await product.refuse(updatePublicCustomer, { params, body }, world.visitor)).status).toBe(429);
    }
    expect(await patch({ global_unsubscribe: true })).toMatchObject({ global_unsubscribe: true });
    expect(await stateOf()).toMatchObject({ left: true });
  });

  it('count for their network as well, over all customers', async () => {
    const isAllowed = async (ip: string, person: number) =>
      (await countSave(product.services, visitFrom(ip), { id: `person-${person}`, level: 'open' })) === null;
    let saves = 0;
    while (saves < 5000 && (await isAllowed(`2001:db8::${(saves % 999).toString(16)}`, saves))) saves += 1;
    // An office that shares an address is far from it.
    expect(saves).toBeGreaterThan(500);
    expect(saves).toBeLessThan(5000);
    expect(await isAllowed('2001:db8:0:1::1', 0)).toBe(true);
  });
});

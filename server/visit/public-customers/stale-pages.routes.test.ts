import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  getCustomer,
  getCustomerLists,
  mintLinks,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { createList, deleteList, type List } from '#contract/lists.ts';
import {
  createPreferencePage,
  deletePreferencePage,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import {
  getCustomerPage,
  openCustomer,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { newId } from '#server/platform/ids.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
/** One that nobody ever chose. */
let events: List;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  events = await product.call(createList, { params: world.params, body: { name: 'Events' } }, world.owner);
  await replacePage({});
});

afterAll(() => product.stop());

/** The page with these differences. */
async function replacePage(attrs: Record<string, unknown>, lists = [world.weekly, world.offers, events]) {
  const { id, name, custom_path, allow_customer_create } = world.page;
  const body = {
    name,
    custom_path,
    allow_customer_create,
    lists: lists.map((one) => ({ id: one.id })),
    attrs,
  };
  await product.call(replacePreferencePage, { params: { ...world.params, id }, body }, world.owner);
}

const ofVera = () => ({ ...world.params, id: vera.id });

beforeEach(async () => {
  vera = await buildCustomer(product, world);
  await product.call(
    setCustomerLists,
    { params: ofVera(), body: choices({ weekly: true, offers: true }) },
    world.owner,
  );
});

type Wanted = Partial<Record<'weekly' | 'offers' | 'events', boolean>>;

const idOf = (name: string) =>
  ({ weekly: world.weekly.id, offers: world.offers.id, events: events.id })[name] ?? name;

const choices = (wanted: Wanted) =>
  Object.entries(wanted).map(([name, subscribed]) => ({ notification_list_id: idOf(name), subscribed }));

const open = () => openAsProven(product, world, vera);

const save = (customerId: string, wanted: Wanted, headers = {}) =>
  product.call(saveLists, { params: { customerId }, headers, body: choices(wanted) }, world.visitor);

const read = (customerId: string) =>
  product.call(getCustomerPage, { params: { customerId, custom_path: 'preferences' } }, world.visitor);

const ask = (customerId: string, global_unsubscribe: boolean, headers = {}) =>
  product.call(
    updatePublicCustomer,
    { params: { customerId }, headers, body: { global_unsubscribe } },
    world.visitor,
  );

async function stateOf() {
  const [customer, { results }] = await Promise.all([
    product.call(getCustomer, { params: ofVera() }, world.owner),
    product.call(getCustomerLists, { params: ofVera() }, world.owner),
  ]);
  const stands = (id: string) => results.find((one) => one.notification_list_id === id)?.subscribed ?? null;
  return {
    left: customer.global_unsubscribe,
    receives: customer.receives.length,
    weekly: stands(world.weekly.id),
    offers: stands(world.offers.id),
    events: stands(events.id),
  };
}

const evidence = async () =>
  (await product.call(listCustomerEvidence, { params: ofVera() }, world.owner)).results;

const hostOf = () => `${world.site.domain_name}:${product.services.config.port}`;

function post(url: string, fields: Record<string, string | string[]>) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  return product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded' },
    payload: body.toString(),
  });
}

const linkOf = async () =>
  (await product.call(mintLinks, { params: ofVera(), body: {} }, world.owner)).challenge;

async function leaveByOneClick() {
  const answer = await post(`/u/${await linkOf()}`, { 'List-Unsubscribe': 'One-Click' });
  expect(answer.statusCode).toBe(200);
}

const leaveByOwner = () =>
  product.call(updateCustomer, { params: ofVera(), body: { global_unsubscribe: true } }, world.owner);

/** The hidden fields and the switches of a form without script. */
async function openForm() {
  const { body } = await product.http.inject({
    method: 'GET',
    url: `/preferences?challenge=${await linkOf()}`,
    headers: { host: hostOf() },
  });
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(body)?.[1] ?? '';
  return {
    customer: field('customer'),
    save_id: field('save_id'),
    list: [idOf('weekly'), idOf('offers'), events.id],
  };
}

describe('a page that was open while the person left everything elsewhere', () => {
  it.each([
    ['by one-click', leaveByOneClick],
    [
      'in another tab',
      async () =>
        void (await save(
          await open(),
          { weekly: false, offers: false, events: false },
          { 'x-unsubscribe-all': '1' },
        )),
    ],
    ['at the business', leaveByOwner],
  ])('keeps the opt-out made %s when one list is switched off and saved', async (_where, leave) => {
    const customerId = await open();
    await leave();
    const saved = await save(customerId, { weekly: false, offers: true, events: false });
    expect(saved).toMatchObject({
      global_unsubscribe: true,
      customer: { global_unsubscribe: true, paused_until: null, email: vera.email },
    });
    expect(saved.lists.filter(({ subscribed }) => subscribed)).toEqual([]);
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    const [newest] = await evidence();
    expect(newest?.lists.filter(({ subscribed }) => subscribed)).toEqual([]);
    expect(newest?.events).not.toContain('subscribed');
    // Sent once more, as by a client that reads no answers.
    await save(customerId, { weekly: false, offers: true, events: false });
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    // What the answer brings shows the truth, so a switch that is moved there counts.
    const back = await save(saved.customer.id, { weekly: false, offers: true, events: false });
    expect(back).toMatchObject({ global_unsubscribe: false });
    expect(await stateOf()).toMatchObject({ left: false, weekly: false, offers: true });
  });

  it('keeps it without JavaScript, and shows what is true', async () => {
    const form = await openForm();
    await leaveByOneClick();
    const answer = await post('/preferences', { ...form, intent: 'save', on: [idOf('offers')] });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('You won’t receive anything from Acme any more.');
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    // The same form again, with another switch.
    await post('/preferences', { ...form, intent: 'save', on: [idOf('offers'), idOf('weekly')] });
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
  });

  it('keeps it through a change of language', async () => {
    const form = await openForm();
    await leaveByOneClick();
    const answer = await post('/preferences', {
      ...form,
      intent: 'language',
      on: [idOf('offers'), events.id],
    });
    const checked = [...answer.body.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].filter(([tag]) =>
      tag.includes('checked'),
    );
    // The switch that was moved is kept, the one that was not shows what is true.
    expect(checked.map(([tag]) => /value="([^"]+)"/.exec(tag)?.[1])).toEqual([events.id]);
  });

  it('resubscribes only to the list that is switched on', async () => {
    const customerId = await open();
    await leaveByOneClick();
    await save(customerId, { weekly: true, offers: true, events: true });
    expect(await stateOf()).toEqual({ left: false, receives: 1, weekly: false, offers: false, events: true });
  });

  it('leaves everything in full where that is requested', async () => {
    const customerId = await open();
    await product.call(setCustomerLists, { params: ofVera(), body: choices({ events: true }) }, world.owner);
    await save(customerId, { weekly: false, offers: false, events: false }, { 'x-unsubscribe-all': '1' });
    expect(await stateOf()).toEqual({ left: true, receives: 0, weekly: false, offers: false, events: false });
  });

  it('keeps the opt-out also when it may only lower consent', async () => {
    const customerId = await open();
    await product.testDatabase.owner.query(
      'update customers set link_generation = link_generation + 1 where id = $1',
      [vera.id],
    );
    await product.call(setCustomerLists, { params: ofVera(), body: choices({ offers: false }) }, world.owner);
    const saved = await save(customerId, { weekly: false, offers: true, events: false });
    expect(saved.customer).toMatchObject({ level: 'leave', email: expect.stringContaining('•••') as string });
    expect(await stateOf()).toMatchObject({ weekly: false, offers: false });
  });
});

describe('a page whose other lists were changed since', () => {
  it('neither raises nor lowers them, and asks for no confirmation', async () => {
    await replacePage({ confirm_changes: true });
    try {
      const { id } = await product.call(
        openCustomer,
        { body: { email: vera.email, custom_path: 'preferences' } },
        world.visitor,
      );
      await product.call(
        setCustomerLists,
        { params: ofVera(), body: choices({ offers: false, events: true }) },
        world.owner,
      );
      const saved = await save(id, { weekly: false, offers: true, events: false });
      expect(saved.pending).toEqual([]);
      expect(await stateOf()).toMatchObject({ weekly: false, offers: false, events: true });
    } finally {
      await replacePage({});
    }
  });

  it('counts what is shown on and was never chosen, unless something was decided since', async () => {
    vera = await buildCustomer(product, world);
    const early = await open();
    const { id } = (await read(early)).customer;
    await save(id, { weekly: true, offers: true });
    expect(await stateOf()).toMatchObject({ weekly: true, offers: true });
    await product.call(setCustomerLists, { params: ofVera(), body: choices({ weekly: false }) }, world.owner);
    await save(early, { weekly: true, offers: false, events: true });
    expect(await stateOf()).toMatchObject({ weekly: false, events: true });
  });

  it('can keep using an id, which knows what was chosen with it', async () => {
    const customerId = await open();
    await save(customerId, { weekly: false, offers: true, events: false });
    await save(customerId, { weekly: true, offers: false, events: false });
    expect(await stateOf()).toMatchObject({ weekly: true, offers: false });
    await ask(customerId, true);
    await save(customerId, { weekly: true, offers: false, events: false });
    expect(await stateOf()).toMatchObject({ left: false, weekly: true, offers: false });
  });

  it('still shows the old state after a pause or an undo, until it is read again', async () => {
    const customerId = await open();
    const saved = await save(customerId, { weekly: false, offers: true, events: false });
    await product.call(setCustomerLists, { params: ofVera(), body: choices({ offers: false }) }, world.owner);
    const { receipt, id } = await ask(saved.customer.id, true);
    const undone = await product.call(
      undoChoice,
      { params: { customerId: id }, body: { receipt: receipt ?? '' } },
      world.visitor,
    );
    await save(undone.id, { weekly: false, offers: true, events: true });
    expect(await stateOf()).toMatchObject({ left: false, offers: false, events: true });
    const again = await read(undone.id);
    await save(again.customer.id, { weekly: false, offers: true, events: true });
    expect(await stateOf()).toMatchObject({ offers: true });
  });

  it('shows what it did when its id has expired and is renewed', async () => {
    const customerId = await open();
    await leaveByOneClick();
    const custom_path = 'preferences';
    const renewed = await product.call(
      openCustomer,
      { body: { challenge: await linkOf(), custom_path, renews: customerId } },
      world.visitor,
    );
    await save(renewed.id, { weekly: false, offers: true, events: false });
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    const other = await buildCustomer(product, world);
    const foreign = await product.call(
      openCustomer,
      { body: { email: other.email, custom_path, renews: customerId } },
      world.visitor,
    );
    expect(foreign.email).toBe(other.email);
  });
});

describe('a state= link', () => {
  it('that its page follows automatically reverts no opt-out made since', async () => {
    const customerId = await open();
    await leaveByOneClick();
    const bySelf = { 'x-choice-source': 'state_link' };
    await save(customerId, { events: true }, bySelf);
    await ask(customerId, false, bySelf);
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    const fresh = await open();
    await save(fresh, { events: true }, bySelf);
    expect(await stateOf()).toMatchObject({ left: false, events: true, offers: false });
  });

  it('counts when its button is pressed', async () => {
    const form = await openForm();
    await leaveByOneClick();
    await post('/preferences', { ...form, intent: 'state', state: 'subscribe', list: events.id });
    expect(await stateOf()).toMatchObject({ left: false, events: true, offers: false });
  });
});

describe('a page whose owner changed it while it was open', () => {
  const ALL_OFF = { weekly: false, offers: false, events: false };

  it('ignores a list that was taken off, saves the rest, and says so', async () => {
    const [customerId, form] = [await open(), await openForm()];
    await replacePage({}, [world.weekly, events]);
    try {
      const saved = await save(customerId, { weekly: false, offers: false, events: true });
      expect(saved.ignored).toEqual([world.offers.id]);
      expect(await stateOf()).toMatchObject({ weekly: false, offers: true, events: true });
      const answer = await post('/preferences', { ...form, intent: 'unsubscribe_all' });
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain('is no longer offered, so we left it out.');
      expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
      const link = { ...(await openForm()), intent: 'state', list: world.offers.id };
      expect((await post('/preferences', { ...link, state: 'subscribe' })).body).toContain(
        'is no longer offered',
      );
      expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    } finally {
      await replacePage({});
    }
  });

  it('ignores a list that was deleted, even during the save', async () => {
    const gone = await product.call(
      createList,
      { params: world.params, body: { name: 'Gone' } },
      world.owner,
    );
    await replacePage({}, [world.weekly, world.offers, events, gone]);
    const [customerId, other] = [await open(), await open()];
    // As another process deletes it, before this one hears of it.
    await save(customerId, { weekly: true, offers: true });
    await product.testDatabase.owner.query('delete from lists where id = $1', [gone.id]);
    const body = [
      ...choices({ weekly: false, offers: true }),
      { notification_list_id: gone.id, subscribed: false },
    ];
    const saved = await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    expect(saved.ignored).toEqual([gone.id]);
    expect(await stateOf()).toMatchObject({ weekly: false, offers: true });
    await replacePage({});
    const left = await product.call(
      saveLists,
      {
        params: { customerId: other },
        headers: { 'x-unsubscribe-all': '1' },
        body: body.map((one) => ({ ...one, subscribed: false })),
      },
      world.visitor,
    );
    expect(left).toMatchObject({ ignored: [gone.id], global_unsubscribe: true });
  });

  it('can undo a save of which a list was deleted since', async () => {
    const gone = await product.call(
      createList,
      { params: world.params, body: { name: 'Gone, too' } },
      world.owner,
    );
    await replacePage({}, [world.weekly, world.offers, events, gone]);
    const body = [...choices({ events: true }), { notification_list_id: gone.id, subscribed: true }];
    const { customer, receipt } = await product.call(
      saveLists,
      { params: { customerId: await open() }, body },
      world.visitor,
    );
    await replacePage({});
    await product.call(deleteList, { params: { ...world.params, id: gone.id } }, world.owner);
    const undo = { params: { customerId: customer.id }, body: { receipt: receipt ?? '' } };
    await product.call(undoChoice, undo, world.visitor);
    expect(await stateOf()).toMatchObject({ weekly: true, offers: true, events: false });
  });

  it('saves after its path has changed, and is read with the old one', async () => {
    const [customerId, form] = [await open(), await openForm()];
    const { id, name, allow_customer_create } = world.page;
    const lists = [world.weekly, world.offers, events].map((one) => ({ id: one.id }));
    const rename = (custom_path: string) =>
      product.call(
        replacePreferencePage,
        { params: { ...world.params, id }, body: { name, custom_path, allow_customer_create, lists } },
        world.owner,
      );
    await rename('renamed');
    try {
      expect((await read(customerId)).lists).toHaveLength(3);
      const answer = await post('/preferences', { ...form, intent: 'save', on: [idOf('offers')] });
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain('action="/renamed');
      expect(await stateOf()).toMatchObject({ weekly: false, offers: true });
      expect((await post('/preferences', { intent: 'find', email: vera.email })).statusCode).toBe(404);
    } finally {
      await rename('preferences');
    }
  });

  it('saves what is off once it asks for a personal link, and shows nothing', async () => {
    const find = { body: { email: vera.email, custom_path: 'preferences' } };
    const { id } = await product.call(openCustomer, find, world.visitor);
    const { id: other } = await product.call(openCustomer, find, world.visitor);
    await replacePage({ enhanced_security: true });
    try {
      const saved = await save(id, { weekly: false, offers: true, events: true });
      expect(saved.lists).toEqual([{ notification_list_id: world.weekly.id, subscribed: false }]);
      expect(saved).toMatchObject({ ignored: [world.offers.id, events.id], receipt: null });
      expect(await stateOf()).toMatchObject({ weekly: false, offers: true, events: null });
      const raising = { params: { customerId: id }, body: { global_unsubscribe: false } };
      expect(await product.refuse(updatePublicCustomer, raising, world.visitor)).toMatchObject({
        status: 404,
      });
      expect(
        await product.refuse(
          getCustomerPage,
          { params: { customerId: id, custom_path: 'preferences' } },
          world.visitor,
        ),
      ).toMatchObject({ status: 404 });
      const form = {
        customer: other,
        save_id: 'form-save-id',
        list: [idOf('weekly'), idOf('offers'), events.id],
      };
      const answer = await post('/preferences', { ...form, intent: 'unsubscribe_all' });
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain('Your preferences have been saved');
      expect(answer.body).not.toContain('type="checkbox"');
      expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
    } finally {
      await replacePage({});
    }
  });

  it('still switches off after it was deleted', async () => {
    const page = await product.call(
      createPreferencePage,
      {
        params: world.params,
        body: {
          name: 'Short',
          custom_path: 'short',
          lists: [{ id: world.weekly.id }, { id: world.offers.id }],
        },
      },
      world.owner,
    );
    const find = { body: { email: vera.email, custom_path: 'short' } };
    const { id } = await product.call(openCustomer, find, world.visitor);
    await product.call(deletePreferencePage, { params: { ...world.params, id: page.id } }, world.owner);
    const saved = await save(id, { weekly: false, offers: true });
    expect(saved).toMatchObject({ ignored: [world.offers.id], receipt: null });
    expect(await stateOf()).toMatchObject({ weekly: false, offers: true });
    const [newest] = await evidence();
    expect(newest?.shown).toMatchObject({ page_id: page.id, page_version: null, lists: [] });
    const form = { customer: id, save_id: 'form-save-id', list: [idOf('weekly'), idOf('offers')] };
    const answer = await post('/short', { ...form, intent: 'unsubscribe_all' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('You won’t receive anything from');
    expect(await stateOf()).toMatchObject({ left: true, receives: 0 });
  });

  it('pauses although it no longer offers that', async () => {
    const body = { pause_days: 30 as const };
    await product.call(updatePublicCustomer, { params: { customerId: await open() }, body }, world.visitor);
    expect(await stateOf()).toMatchObject({ left: true, receives: 0, weekly: true });
  });

  it('treats unknown list ids as deleted lists, and rejects what is not an id', async () => {
    const [unknown] = [newId()];
    const body = [{ notification_list_id: unknown, subscribed: true }, ...choices(ALL_OFF)];
    const saved = await product.call(
      saveLists,
      { params: { customerId: await open() }, body },
      world.visitor,
    );
    expect(saved.ignored).toEqual([unknown]);
    expect(await stateOf()).toMatchObject({ weekly: false, offers: false });
    const broken = [{ notification_list_id: 'weekly', subscribed: false }];
    const refused = { params: { customerId: await open() }, body: broken };
    expect(await product.refuse(saveLists, refused, world.visitor)).toMatchObject({ status: 422 });
  });
});

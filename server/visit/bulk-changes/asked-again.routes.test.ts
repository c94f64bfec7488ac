import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, mintLinks, setCustomerLists } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { applyImport } from '#contract/imports.ts';
import { replacePreferencePage } from '#contract/preference-pages.ts';
import { exportCustomerProof } from '#contract/proof.ts';
import { saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { verifySite } from '#server/audience/evidence-checks/verify-site.ts';
import { newId } from '#server/platform/ids.ts';
import { confirmUndo, preview, storedStates, undoOnce } from '#test/harness/bulk-undos.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { verifyPack } from '../../../packages/verify/verify.mjs';

/*
 * Customers who ask to stop what a wrong import had already stopped: nothing changes, and yet the undo of the import has
 * to leave it off.
 */

let product: TestProduct;
let world: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

beforeEach(async () => {
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
});

const of = ({ id }: { id: string }) => ({ params: { ...acme.params, id } });

/** Posts to the link in an email: of Weekly news, or of everything. */
async function press(customer: Customer, list: { id: string } | null, payload: string): Promise<void> {
  const body = list === null ? {} : { list_id: list.id };
  const links = await product.call(mintLinks, { ...of(customer), body }, acme.owner);
  const answer = await product.http.inject({
    method: 'POST',
    url: new URL(links.one_click_url).pathname,
    headers: { ...acme.visitor, 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  });
  expect(answer.statusCode).toBe(200);
}

type SaveHeaders = Parameters<typeof product.call<typeof saveLists>>[1]['headers'];

async function saveOff(customer: Customer, headers: SaveHeaders = {}, lists = [acme.weekly, acme.offers]) {
  const customerId = await openAsProven(product, acme, customer);
  const body = lists.map(({ id }) => ({ notification_list_id: id, subscribed: false }));
  await product.call(saveLists, { params: { customerId }, body, headers }, acme.visitor);
}

type Update = Parameters<typeof product.call<typeof updatePublicCustomer>>[1]['body'];

async function update(customer: Customer, body: Update): Promise<void> {
  const customerId = await openAsProven(product, acme, customer);
  await product.call(updatePublicCustomer, { params: { customerId }, body }, acme.visitor);
}

interface Asking {
  how: string;
  /** The import unsubscribed them from all, and not from Weekly news. */
  isAll: boolean;
  ask: (customer: Customer) => Promise<void>;
}

const ONE_CLICK = 'List-Unsubscribe=One-Click';
const SILENT: Asking[] = [
  { how: 'silent', isAll: false, ask: async () => {} },
  { how: 'silent-all', isAll: true, ask: async () => {} },
];
const ASKING: Asking[] = [
  { how: 'one-click', isAll: false, ask: (one) => press(one, acme.weekly, ONE_CLICK) },
  { how: 'leave-link', isAll: false, ask: (one) => press(one, acme.weekly, 'intent=leave') },
  { how: 'page', isAll: false, ask: (one) => saveOff(one) },
  {
    how: 'state-link',
    isAll: false,
    ask: (one) => saveOff(one, { 'x-choice-source': 'state_link' }, [acme.weekly]),
  },
  { how: 'one-click-all', isAll: true, ask: (one) => press(one, null, ONE_CLICK) },
  { how: 'leave-link-all', isAll: true, ask: (one) => press(one, null, 'intent=leave') },
  { how: 'unsubscribe-from-all', isAll: true, ask: (one) => update(one, { global_unsubscribe: true }) },
  { how: 'saved-from-all', isAll: true, ask: (one) => saveOff(one, { 'x-unsubscribe-all': '1' }) },
  { how: 'pause', isAll: true, ask: (one) => update(one, { pause_days: 30 }) },
  { how: 'wrong-recipient', isAll: true, ask: (one) => press(one, null, 'Wrong-Recipient=One-Click') },
];

type Person = Asking & { customer: Customer };

async function offerPause(): Promise<void> {
  const { page } = acme;
  const body = {
    ...page,
    attrs: { ...page.attrs, offer_pause: true },
    lists: page.lists.map(({ id }) => ({ id })),
  };
  await product.call(replacePreferencePage, { ...of(page), body }, acme.owner);
}

/** Everybody was subscribed to Weekly news; the import takes them off it, or off everything. */
async function importWrongly(all: readonly Asking[]): Promise<{ importId: string; people: Person[] }> {
  await offerPause();
  const people: Person[] = [];
  for (const one of all) {
    const customer = await buildCustomer(product, acme, `${one.how}@example.com`);
    const body = [
      { notification_list_id: acme.weekly.id, subscribed: true },
      { notification_list_id: acme.offers.id, subscribed: false },
    ];
    await product.call(setCustomerLists, { ...of(customer), body }, acme.owner);
    people.push({ ...one, customer });
  }
  const rows = people.map(({ customer: { email }, isAll }) => `${email},${isAll ? 'yes,yes' : 'no,'}`);
  const lists = [{ column: 'Weekly', list_id: acme.weekly.id }];
  const { id } = await uploadAndCheck(product, acme, csv('email,Weekly,Left', ...rows), {
    mapping: { email: 'email', lists, all: 'Left' },
  });
  await product.call(applyImport, of({ id }), acme.owner);
  const done = await work(product, acme, id);
  expect(done.counts).toMatchObject({ changed: all.length });
  return { importId: id, people };
}

const evidenceOf = async (customer: Customer) =>
  (await product.call(listCustomerEvidence, of(customer), acme.owner)).results;

const states = () => storedStates(product.testDatabase.owner, acme.site.id);

it('an undo resubscribes nobody to what they asked to stop, although the import had stopped it', async () => {
  await buildWebhook(product, acme, { url: 'https://shop.example/hook', event: 'unsubscribed' });
  const { importId, people } = await importWrongly([...SILENT, ...ASKING]);
  // They ask after the preview: each customer is compared again.
  await preview(product, acme, importId);
  const stopped = await states();
  const deliveries = async () =>
    (await product.call(listDeliveries, { params: acme.params }, acme.owner)).results.map(({ id }) => id);
  const sent = await deliveries();
  for (const { ask, customer } of people) await ask(customer);
  expect(await deliveries()).toEqual(sent);

  await confirmUndo(product, acme, importId);
  await undoOnce(product, acme, importId);
  const after = await states();
  for (const { how, isAll, customer } of people) {
    const { global_unsubscribe: hasLeft, receives } = await product.call(
      getCustomer,
      of(customer),
      acme.owner,
    );
    const isBack = how.startsWith('silent');
    expect({ how, hasLeft, receives }).toEqual({
      how,
      hasLeft: isAll && !isBack,
      receives: isBack ? [acme.weekly.id] : [],
    });
    if (!isAll && !isBack)
      expect([how, after.get(customer.email)]).toEqual([how, stopped.get(customer.email)]);
  }
});

it('a repeated request to stop is recorded once, by evidence that verifies', async () => {
  const { people } = await importWrongly(ASKING);
  for (const { ask, customer } of people) await ask(customer);
  const records = await Promise.all(people.map(({ customer }) => evidenceOf(customer)));
  const named = Object.fromEntries(
    people.map(({ how }, index) => [how, records[index]?.[0]?.shown.already_off ?? null]),
  );
  const weekly = { list_id: acme.weekly.id, name: 'Weekly news' };
  const offers = { list_id: acme.offers.id, name: 'Offers' };
  expect(named).toEqual({
    'one-click': { everything: false, lists: [weekly] },
    'leave-link': { everything: false, lists: [weekly] },
    page: { everything: false, lists: [weekly, offers] },
    'state-link': { everything: false, lists: [weekly] },
    'one-click-all': { everything: true, lists: [] },
    'leave-link-all': { everything: true, lists: [] },
    'unsubscribe-from-all': { everything: true, lists: [] },
    'saved-from-all': { everything: true, lists: [offers] },
    pause: { everything: true, lists: [] },
    'wrong-recipient': { everything: true, lists: [] },
  });
  expect(records[0]?.[0]).toMatchObject({ source: 'one_click', events: [], lists: [], paused_until: null });

  for (const { ask, customer } of [...people, ...people]) await ask(customer);
  const again = await Promise.all(people.map(({ customer }) => evidenceOf(customer)));
  expect(again.map((all) => all.length)).toEqual(records.map((all) => all.length));
  const [first] = people;
  const pack = await product.call(exportCustomerProof, of(first?.customer ?? { id: '' }), acme.owner);
  expect((await verifyPack([Buffer.from(pack, 'utf8')])).problems).toEqual([]);
  const anchor = { known: null, before: newId() };
  expect(await verifySite(product.services, acme.site.id, { anchor })).toMatchObject({ broken: 0 });
});

it('nothing is recorded for a customer who asks again to stop what they had stopped themselves', async () => {
  const ada = await buildCustomer(product, acme, 'ada@example.com');
  await saveOff(ada);
  const one = await uploadAndCheck(product, acme, csv('email,Weekly news', 'ada@example.com,yes'), {
    options: { revive: true },
  });
  await product.call(applyImport, of(one), acme.owner);
  await work(product, acme, one.id);
  await press(ada, acme.weekly, ONE_CLICK);
  await press(ada, null, ONE_CLICK);
  const records = await evidenceOf(ada);
  expect(records.map(({ source }) => source)).toEqual(['one_click', 'one_click', 'import', 'page', 'owner']);
  await press(ada, acme.weekly, ONE_CLICK);
  await press(ada, null, 'intent=leave');
  await saveOff(ada);
  expect((await evidenceOf(ada)).map(({ id }) => id)).toEqual(records.map(({ id }) => id));
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { listCustomers } from '#contract/customers.ts';
import { applyImport, type ImportDetail } from '#contract/imports.ts';
import { createIntegration } from '#contract/integrations.ts';
import { saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { brevo } from '#server/connectors/brevo/index.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { sendgrid } from '#server/connectors/sendgrid/index.ts';
import { verifySite } from '#server/audience/evidence-checks/verify-site.ts';
import { newId } from '#server/platform/ids.ts';
import { startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { FakeTool, Held } from '#test/fakes/tools/fake-tool.ts';
import { startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { storedStates, undo } from '#test/harness/bulk-undos.ts';
import { createDeliveryWorkers, untilDone } from '#test/harness/delivery-workers.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildWorld, logInAgain, openAsProven, type World } from '#test/harness/world.ts';

/*
 * An import with the wrong columns, people who choose afterwards, and its undo: everybody else is as before, to the byte,
 * in the product and in three tools. TEST_SCALE=100 makes it 5,000 people, of whom 40 choose.
 */

const PEOPLE = scaled(50);
const CHOOSERS = Math.min(40, PEOPLE / 5);
const MOST_MS = scaled(300_000);

const workers = createDeliveryWorkers();
let tools: { name: string; fake: FakeTool; kind: 'lists' | 'tags' }[];
let product: TestProduct;
let world: World;

/** Their own limits would make 5,000 people take hours. */
function liftLimits(...connectors: Connector[]): void {
  for (const connector of connectors as { limits: Connector['limits'] }[])
    connector.limits = [{ requests: 1_000_000, perSeconds: 1 }];
}

beforeAll(async () => {
  liftLimits(brevo, sendgrid);
  const [mailchimpFake, brevoFake, sendgridFake] = await Promise.all([
    startMailchimpFake(),
    startBrevoFake(),
    startSendgridFake(),
  ]);
  tools = [
    { name: 'mailchimp', fake: mailchimpFake, kind: 'tags' },
    { name: 'brevo', fake: brevoFake, kind: 'lists' },
    { name: 'sendgrid', fake: sendgridFake, kind: 'lists' },
  ];
  product = await startTestProduct({
    env: {
      CONNECTOR_MAILCHIMP_URL: mailchimpFake.url,
      CONNECTOR_BREVO_URL: brevoFake.url,
      CONNECTOR_SENDGRID_URL: sendgridFake.url,
    },
  });
  world = await buildWorld(product);
  for (const tool of tools) await connect(tool);
});

afterAll(async () => {
  await workers.stopAll();
  await product.stop();
  await Promise.all(tools.map(({ fake }) => fake.close()));
});

const emails = Array.from({ length: PEOPLE }, (_, at) => `p${at}@example.com`);

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

/** Both lists are in the tool, and who leaves everything is blocked there. */
async function connect({ name, fake, kind }: (typeof tools)[number]): Promise<void> {
  for (const email of emails) fake.addContact(email);
  const { id } = await product.call(
    createIntegration,
    { params: world.params, body: { provider: name, credentials: { ...fake.credentials } } },
    world.owner,
  );
  const add = (action: Omit<NewAction, 'name' | 'integration_id'>) =>
    product.call(
      createAction,
      { params: world.params, body: { name: 'Tell the tool', integration_id: id, ...action } },
      world.owner,
    );
  const type = kind === 'tags' ? 'tag' : 'list';
  const targets = fake.addResources(kind, 2);
  for (const [index, list] of [world.weekly, world.offers].entries()) {
    const { id: target, name: called } = targets[index] ?? { id: '', name: '' };
    const of = { type, target: { id: target, name: called } } as const;
    await add({ ...of, trigger: { event: 'subscribed', list_ids: [list.id] }, operation: 'add' });
    await add({ ...of, trigger: { event: 'unsubscribed', list_ids: [list.id] }, operation: 'remove' });
  }
  // Mailchimp can't be told that somebody is back; there, leaving everything takes the tags off.
  if (name === 'mailchimp') return;
  const all = { type: 'global_unsubscribe', target: {} } as const;
  await add({ ...all, trigger: { event: 'global_unsubscribed' }, operation: 'unsubscribe' });
  await add({ ...all, trigger: { event: 'global_resubscribed' }, operation: 'resubscribe' });
}

async function importFile(rows: string[], mapping: NonNullable<ImportDetail['mapping']>) {
  await logInAgain(product, world.owner);
  const one = await uploadAndCheck(product, world, csv(...rows), { mapping, options: { revive: true } });
  await product.call(applyImport, { params: { ...world.params, id: one.id } }, world.owner);
  const done = await work(product, world, one.id);
  expect(done).toMatchObject({ status: 'finished', counts: { rejected: 0 } });
  return done;
}

async function toolsAreTold(): Promise<void> {
  const worker = workers.answering(product);
  await untilDone(product, world.site.id, MOST_MS);
  await worker.stop();
  await logInAgain(product, world.owner);
}

/** What the product, and each tool, holds about somebody, as text. */
async function everything(): Promise<Map<string, string>> {
  const stored = await storedStates(product.testDatabase.owner, world.site.id);
  return new Map(
    [...stored].map(([email, own]) => [
      email,
      [own, ...tools.map(({ fake }) => heldText(fake.holds(email)))].join('\n'),
    ]),
  );
}

/** No tool keeps an order of somebody's lists and tags. */
function heldText(held: Held | null): string {
  return JSON.stringify(held, (_, value: unknown) => (Array.isArray(value) ? value.toSorted() : value));
}

/** Whether they left everything, and what the tools hold. */
function received(held = ''): string[] {
  const [own = '', ...inTools] = held.split('\n');
  return [own.split(' ')[1] ?? '', ...inTools];
}

/** What somebody has of a list, whatever lies over it: `t`, `f`, or undefined if they never chose it. */
function ownOf(held: string | undefined, { id }: { id: string }): string | undefined {
  return new RegExp(` ${id} ([tf]) `).exec(held?.split('\n')[0] ?? '')?.[1];
}

/** What the chooser of this index asks for: to leave everything, to come back, or one list of the two. */
function wishOf(index: number): 'leave' | 'return' | { on: { id: string }; off: { id: string } } {
  if (index % 3 === 0) return index % 2 === 0 ? 'leave' : 'return';
  const { weekly, offers } = world;
  return index % 3 === 1 ? { on: weekly, off: offers } : { on: offers, off: weekly };
}

async function choose(email: string, index: number): Promise<void> {
  const { results } = await product.call(
    listCustomers,
    { params: world.params, query: { search: email } },
    world.owner,
  );
  const customer = results.find((one) => one.email === email);
  if (customer === undefined) throw new Error(`${email} is no customer`);
  const customerId = await openAsProven(product, world, customer);
  const wish = wishOf(index);
  if (typeof wish === 'string') {
    const body = { global_unsubscribe: wish === 'leave' };
    await product.call(updatePublicCustomer, { params: { customerId }, body }, world.visitor);
    return;
  }
  const body = [
    { notification_list_id: wish.on.id, subscribed: true },
    { notification_list_id: wish.off.id, subscribed: false },
  ];
  await product.call(saveLists, { params: { customerId }, body }, world.visitor);
}

it(
  'undoing an import restores everybody to the byte, here and in three tools, except those who chose later',
  { timeout: 6 * MOST_MS },
  async () => {
    const { weekly, offers } = world;
    const listed = (first: string, second: string) => ({
      email: 'email',
      lists: [
        { column: first, list_id: weekly.id },
        { column: second, list_id: offers.id },
      ],
    });
    // Some chose one list, some both, some left everything, and every fifth never chose anything.
    const chosen = (at: number) => ['yes,no,', 'no,yes,', 'yes,yes,', ',,', 'yes,,yes'][at % 5];
    await importFile(['email,Weekly,Offers,Left', ...emails.map((email, at) => `${email},${chosen(at)}`)], {
      ...listed('Weekly', 'Offers'),
      all: 'Left',
    });
    await toolsAreTold();
    const before = await everything();
    expect(before.size).toBe(PEOPLE);

    // The lists are swapped, "VIP" was taken for who unsubscribed, and who had left is brought back.
    const wrong = (at: number) => ['yes,no,', 'no,yes,yes', 'yes,yes,yes', 'yes,,', 'yes,no,'][at % 5];
    const one = await importFile(
      ['email,Weekly,Offers,VIP', ...emails.map((email, at) => `${email},${wrong(at)}`)],
      { ...listed('Offers', 'Weekly'), all: 'VIP' },
    );
    await toolsAreTold();
    const imported = await everything();
    const differing = emails.filter((email) => imported.get(email) !== before.get(email));
    expect(differing).toHaveLength(PEOPLE);

    // Of each kind of people.
    const choosers = Array.from(
      { length: CHOOSERS },
      (_, index) => emails[index * (PEOPLE / CHOOSERS) + (index % 5)] ?? '',
    );
    expect(new Set(choosers).size).toBe(CHOOSERS);
    for (const [index, email] of choosers.entries()) await choose(email, index);
    await toolsAreTold();
    const asChosen = await everything();

    const done = await undo(product, world, one.id);
    expect(done.undo).toMatchObject({ status: 'finished', counts: { customers: PEOPLE, applied: PEOPLE } });
    await toolsAreTold();
    const after = await everything();

    const others = emails.filter((email) => !choosers.includes(email));
    const differs = (email: string) => after.get(email) !== before.get(email);
    expect(others.filter(differs).map((email) => [before.get(email), after.get(email)])).toEqual([]);
    const textOf = (all: Map<string, string>) =>
      Buffer.from(others.map((email) => `${email}\n${all.get(email)}\n`).join(''));
    expect(textOf(after).equals(textOf(before))).toBe(true);
    // Each of the choosers, also those whose choice changed nothing because the import had done the same.
    const wishes = choosers.map((email, index) => ({ email, index, wish: wishOf(index) }));
    const isUnchanged = ({ email }: { email: string }) => asChosen.get(email) === imported.get(email);
    expect(wishes.some((one) => one.wish === 'leave' && isUnchanged(one))).toBe(true);
    const found = wishes.map(({ email, index, wish }) => {
      const [was, taken, chose, is] = [before, imported, asChosen, after].map((all) => all.get(email));
      // Who left everything gets nothing, whatever lies underneath.
      if (wish === 'leave') return { email, index, wish, is: received(is), should: received(chose) };
      // Coming back is a choice only for who had left: leaving the switch as the import set it is not.
      if (wish === 'return') {
        const isBack = received(taken)[0] === 't';
        return { email, index, wish, is: isBack ? received(is)[0] : is, should: isBack ? 'f' : was };
      }
      // A list that the import had switched on, and they left on, goes back; the other one is off for good.
      const isLeftOn = received(taken)[0] === 'f' && ownOf(taken, wish.on) === 't';
      return {
        email,
        index,
        is: { on: ownOf(is, wish.on), off: ownOf(is, wish.off) },
        should: { on: isLeftOn ? ownOf(was, wish.on) : 't', off: 'f' },
      };
    });
    expect(found).toHaveLength(CHOOSERS);
    for (const { is, should, ...one } of found) expect({ ...one, is }).toEqual({ ...one, is: should });
    const anchor = { known: null, before: newId() };
    expect(await verifySite(product.services, world.site.id, { anchor })).toMatchObject({ broken: 0 });
  },
);

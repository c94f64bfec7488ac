import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence, listEvidence } from '#contract/choices.ts';
import {
  type Customer,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { getDashboard } from '#contract/dashboard.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { countReasons } from '#server/audience/evidence/reasons.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/', event: 'global_unsubscribed' });
});

afterAll(() => product.stop());

const of = ({ id }: Customer) => ({ params: { ...world.params, id } });

/** A customer who chose Weekly, and the path of the link in their emails. */
async function reader(listId?: string): Promise<{ vera: Customer; path: string }> {
  const vera = await buildCustomer(product, world);
  const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
  await product.call(setCustomerLists, { ...of(vera), body }, world.owner);
  const links = await product.call(
    mintLinks,
    { ...of(vera), body: listId === undefined ? {} : { list_id: listId } },
    world.owner,
  );
  return { vera, path: new URL(links.one_click_url).pathname };
}

const hostOf = () => new URL(world.page.url).host;

const send = (path: string, payload: string, type = 'application/x-www-form-urlencoded') =>
  product.http.inject({
    method: 'POST',
    url: path,
    headers: { host: hostOf(), 'content-type': type },
    payload,
  });

const report = (path: string) => send(path, 'Wrong-Recipient=One-Click');

const now = (vera: Customer) => product.call(getCustomer, of(vera), world.owner);

async function evidenceOf(vera: Customer) {
  return (await product.call(listCustomerEvidence, { ...of(vera), query: { limit: 100 } }, world.owner))
    .results;
}

async function weeklyOf(vera: Customer) {
  const { results } = await product.call(getCustomerLists, of(vera), world.owner);
  return results.find((one) => one.notification_list_id === world.weekly.id)?.subscribed;
}

const dashboard = () => product.call(getDashboard, { params: world.params, query: {} }, world.owner);

const fieldOf = (body: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(body)?.[1] ?? '';

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

describe('a wrong recipient', () => {
  const multipart =
    '--b\r\nContent-Disposition: form-data; name="Wrong-Recipient"\r\n\r\nOne-Click\r\n--b--\r\n';

  it.each([
    ['urlencoded', 'application/x-www-form-urlencoded', 'Wrong-Recipient=One-Click'],
    ['multipart', 'multipart/form-data; boundary=b', multipart],
  ])('is reported by one click, %s, with nothing but the link', async (_, type, payload) => {
    const { vera, path } = await reader(world.offers.id);
    const before = await dashboard();
    const answers = [await send(path, payload, type), await send(path, payload, type)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(await now(vera)).toMatchObject({ global_unsubscribe: true, receives: [] });
    expect((await now(vera)).wrong_recipient_at).not.toBeNull();
    const records = (await evidenceOf(vera)).filter(({ source }) => source === 'wrong_recipient');
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ authority: 'link', global_unsubscribe: true, reason: null });
    const after = await dashboard();
    expect(after.wrong_recipients).toBe(before.wrong_recipients + 1);
    expect(after.leaves.now).toBe(before.leaves.now);
  });

  it('stops every list in the tools, and does not count as having left', async () => {
    const { vera, path } = await reader();
    await report(path);
    const query = { customer_id: vera.id, limit: 100 };
    const { results } = await product.call(listDeliveries, { params: world.params, query }, world.owner);
    expect(results.map(({ event }) => event)).toEqual(['global_unsubscribed']);
    const of = async (state: 'wrong_recipient' | 'unsubscribed') =>
      (
        await product.call(
          listCustomers,
          { params: world.params, query: { state, search: vera.email } },
          world.owner,
        )
      ).results.map(({ id }) => id);
    expect(await of('wrong_recipient')).toEqual([vera.id]);
    expect(await of('unsubscribed')).toEqual([]);
    const left = { move: 'left' as const, limit: 100 };
    const moves = await product.call(listEvidence, { params: world.params, query: left }, world.owner);
    expect(moves.results.filter((one) => one.customer_id === vera.id)).toEqual([]);
    // What the customer chose stays underneath.
    expect(await weeklyOf(vera)).toBe(true);
  });

  it('can report it by a button on the page behind the link, which names nobody, and undo it', async () => {
    const { vera, path } = await reader();
    const opened = await product.http.inject({ method: 'GET', url: path, headers: { host: hostOf() } });
    expect(opened.body).toContain('This isn’t me');
    expect(opened.body).not.toContain(vera.email);
    expect((await now(vera)).wrong_recipient_at).toBeNull();

    const before = await dashboard();
    const stopped = await send(path, form({ intent: 'wrong_recipient' }));
    expect(stopped.body).toContain('We’ve stopped all emails to this address.');
    expect(stopped.body).not.toContain(vera.email);
    expect((await now(vera)).wrong_recipient_at).not.toBeNull();

    // A stranger has no reason to leave.
    const receipt = fieldOf(stopped.body, 'receipt');
    await send(path, form({ intent: 'reason', receipt, reason: 'too_many' }));
    expect(await countReasons(product.services, world.params.site_id, new Date(0))).toEqual([]);

    const undone = await send(path, form({ intent: 'undo', receipt }));
    expect(undone.body).toContain('Your preferences are back to how they were.');
    expect(await now(vera)).toMatchObject({ global_unsubscribe: false, wrong_recipient_at: null });
    expect(await now(vera)).toMatchObject({ receives: [world.weekly.id] });
    const after = await dashboard();
    expect([after.joins, after.leaves]).toEqual([before.joins, before.leaves]);
  });

  it('is no longer one once the customer proves who they are and chooses, whatever they choose', async () => {
    const [one, two] = [await reader(), await reader()];
    for (const { path } of [one, two]) await report(path);
    const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
    const customerId = await openAsProven(product, world, one.vera);
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    expect(await now(one.vera)).toMatchObject({ global_unsubscribe: false, wrong_recipient_at: null });

    const other = { params: { customerId: await openAsProven(product, world, two.vera) } };
    await product.call(updatePublicCustomer, { ...other, body: { global_unsubscribe: true } }, world.visitor);
    expect(await now(two.vera)).toMatchObject({ global_unsubscribe: true, wrong_recipient_at: null });
    expect((await evidenceOf(two.vera))[0]).toMatchObject({ source: 'page', global_unsubscribe: true });
  });

  it('concerns one address: another one is not reported, but stays stopped', async () => {
    const { vera, path } = await reader();
    await report(path);
    const email = `right-${vera.email}`;
    await product.call(updateCustomer, { ...of(vera), body: { email } }, world.owner);
    expect(await now(vera)).toMatchObject({ email, global_unsubscribe: true, wrong_recipient_at: null });
  });

  it('of an address that had left is recorded, and an undo leaves the opt-out as it was', async () => {
    const { vera, path } = await reader();
    await send(path, 'List-Unsubscribe=One-Click');
    const stopped = await send(path, form({ intent: 'wrong_recipient' }));
    expect((await evidenceOf(vera))[0]).toMatchObject({ source: 'wrong_recipient', events: [] });
    await send(path, form({ intent: 'undo', receipt: fieldOf(stopped.body, 'receipt') }));
    expect(await now(vera)).toMatchObject({ global_unsubscribe: true, wrong_recipient_at: null });
  });

  it('reported together with an opt-out counts as an opt-out, and neither is undone by the end of a pause', async () => {
    const { vera, path } = await reader();
    await send(path, 'Wrong-Recipient=One-Click&List-Unsubscribe=One-Click');
    expect((await evidenceOf(vera))[0]).toMatchObject({ source: 'one_click' });

    const paused = await reader();
    await product.testDatabase.owner.query(
      'update customers set global_unsubscribe = true, paused_until = $2 where id = $1',
      [paused.vera.id, product.clock.now()],
    );
    await report(paused.path);
    await runCustomerTimers(product.services);
    expect(await now(paused.vera)).toMatchObject({ global_unsubscribe: true, paused_until: null });
    expect((await now(paused.vera)).wrong_recipient_at).not.toBeNull();
  });

  it('is unknown to a process of the previous version, and over once the customer is back', async () => {
    const { vera, path } = await reader();
    await report(path);
    await product.testDatabase.owner.query('update customers set global_unsubscribe = false where id = $1', [
      vera.id,
    ]);
    expect((await now(vera)).wrong_recipient_at).toBeNull();
  });
});

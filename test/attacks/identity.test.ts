import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  createCustomer,
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { getDashboard } from '#contract/dashboard.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { recountSite } from '#server/audience/counters/counters.ts';
import { examineSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { csv, uploadAndCheck } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

const TYPED = 'Ana@BÜCHER.example';
const SPELLINGS = [
  'ana@bücher.example',
  'ANA@xn--bcher-kva.example',
  ' ana@bu\u0308cher.example ',
  'ａｎａ@ｂücher.example',
];

let product: TestProduct;
let first: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  first = await buildWorld(product);
});

afterAll(() => product.stop());

async function freshSite(): Promise<void> {
  world = await buildSite(product, first.owner, first.params.organization_id);
}

const open = (body: { email: string } | { challenge: string }) =>
  product.call(openCustomer, { body: { ...body, custom_path: world.page.custom_path } }, world.visitor);

const at = (customer: { id: string }) => ({ params: { ...world.params, id: customer.id } });

async function choose(customer: Customer, weekly: boolean, offers: boolean): Promise<void> {
  const body = [
    { notification_list_id: world.weekly.id, subscribed: weekly },
    { notification_list_id: world.offers.id, subscribed: offers },
  ];
  await product.call(setCustomerLists, { ...at(customer), body }, world.owner);
}

async function subscribedTo(customer: { id: string }): Promise<(boolean | null)[]> {
  const { results } = await product.call(getCustomerLists, at(customer), world.owner);
  return results.map(({ subscribed }) => subscribed);
}

describe('one person', () => {
  it('is one customer on the page, in the API and in imports, however the address is spelled', async () => {
    await freshSite();
    const ana = await buildCustomer(product, world, TYPED);
    expect(ana.email).toBe(TYPED);
    for (const email of SPELLINGS) {
      expect((await open({ email })).email).toBe(TYPED);
      const refused = await product.refuse(
        createCustomer,
        { params: world.params, body: { email } },
        world.owner,
      );
      expect(refused.errors[0]?.code).toBe('error_exists');
      const { results } = await product.call(
        listCustomers,
        { params: world.params, query: { search: email.trim() } },
        world.owner,
      );
      expect(results.map(({ id }) => id)).toEqual([ana.id]);
    }
    const file = csv('email,Weekly news', ...SPELLINGS.map((one) => `${one.trim()},no`));
    const checked = await uploadAndCheck(product, world, file);
    expect(checked.counts).toMatchObject({ added: 0, changed: 1, merged: 3 });
    const { results } = await product.call(listCustomers, { params: world.params }, world.owner);
    expect(results).toHaveLength(1);
  });

  it('cannot be reached under another spelling by somebody who changes to it', async () => {
    await freshSite();
    await buildCustomer(product, world, TYPED);
    const otto = await buildCustomer(product, world, 'otto@example.com');
    const { id } = await open({ email: otto.email });
    for (const email of SPELLINGS) {
      const call = { params: { customerId: id }, body: { email } };
      const refused = await product.refuse(updatePublicCustomer, call, world.visitor);
      expect(refused.status).toBe(409);
      const byOwner = await product.refuse(updateCustomer, { ...at(otto), body: { email } }, world.owner);
      expect(byOwner.errors[0]?.code).toBe('error_exists');
    }
  });

  it('is not mistaken for somebody with a letter that only looks the same', async () => {
    await freshSite();
    await buildCustomer(product, world, 'mike@example.com');
    const other = await open({ email: 'm\u0131ke@example.com' });
    expect(other.email).toBe('m\u0131ke@example.com');
  });
});

describe('customers who turned out to be one person', () => {
  /** As the migration leaves them: the product does the rest. */
  async function merge(survivor: Customer, merged: Customer): Promise<void> {
    const { owner } = product.testDatabase;
    await owner.query('update customers set email_key = null, merged_into = $1 where id = $2', [
      survivor.id,
      merged.id,
    ]);
    await owner.query(
      `insert into customer_timers (site_id, customer_id, kind, due_at, created_at)
       values ($1, $2, 'merge', to_timestamp(0), now())`,
      [world.site.id, merged.id],
    );
    // A later migration filled the counters from what that one left.
    await recountSite(product.services, world.site.id, new Date(0));
    await runCustomerTimers(product.services, 'merge');
  }

  it('have an opt-out where either had one, with evidence and deliveries, and once', async () => {
    await freshSite();
    const ana = await buildCustomer(product, world, TYPED);
    const twin = await buildCustomer(product, world, 'twin@example.com');
    await choose(ana, true, true);
    await choose(twin, false, true);
    await buildWebhook(product, world, { url: 'http://127.0.0.1:9/', event: 'unsubscribed' });
    await merge(ana, twin);
    expect(await subscribedTo(ana)).toEqual([false, true]);
    const evidence = await product.call(listCustomerEvidence, at(ana), world.owner);
    expect(evidence.results[0]).toMatchObject({
      customer_id: ana.id,
      source: 'merge',
      authority: 'system',
      events: ['unsubscribed'],
    });
    expect(new Set(evidence.results.map(({ customer_id: id }) => id))).toEqual(new Set([ana.id, twin.id]));
    expect(evidence.results.map(({ email }) => email)).toContain('twin@example.com');
    const deliveries = await product.call(listDeliveries, { params: world.params }, world.owner);
    expect(deliveries.results).toHaveLength(1);
    // Somebody who comes back afterwards is not taken out again.
    await choose(ana, true, true);
    await product.testDatabase.owner.query(
      `insert into customer_timers (site_id, customer_id, kind, due_at, created_at)
       values ($1, $2, 'merge', to_timestamp(0), now())`,
      [world.site.id, twin.id],
    );
    await runCustomerTimers(product.services, 'merge');
    expect(await subscribedTo(ana)).toEqual([true, true]);
    expect(await examineSite(product.services, world.site.id)).toMatchObject({ broken: 0, chains: 2 });
  });

  it('have left everything where either had, and are counted and listed once', async () => {
    await freshSite();
    const ana = await buildCustomer(product, world, TYPED);
    const twin = await buildCustomer(product, world, 'twin@example.com');
    await choose(ana, true, true);
    await product.call(updateCustomer, { ...at(twin), body: { global_unsubscribe: true } }, world.owner);
    await merge(ana, twin);
    expect(await product.call(getCustomer, at(ana), world.owner)).toMatchObject({ global_unsubscribe: true });
    const { results } = await product.call(listCustomers, { params: world.params }, world.owner);
    expect(results.map(({ id }) => id)).toEqual([ana.id]);
    const dashboard = await product.call(getDashboard, { params: world.params }, world.owner);
    expect(JSON.stringify(dashboard)).toContain('"total":1');
  });

  it('are reached by the links and the id of either', async () => {
    await freshSite();
    const ana = await buildCustomer(product, world, TYPED);
    const twin = await buildCustomer(product, world, 'twin@example.com');
    await choose(ana, true, true);
    const links = await product.call(mintLinks, { ...at(twin), body: {} }, world.owner);
    await merge(ana, twin);
    expect((await open({ challenge: links.challenge })).email).toBe(TYPED);
    expect(await product.call(getCustomer, at(twin), world.owner)).toMatchObject({
      id: ana.id,
      email: TYPED,
    });
    const oneClick = await product.http.inject({
      method: 'POST',
      url: new URL(links.one_click_url).pathname,
      headers: { host: world.site.domain_name, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    expect(oneClick.statusCode).toBe(200);
    expect(await product.call(getCustomer, at(ana), world.owner)).toMatchObject({ global_unsubscribe: true });
  });

  it('are not resubscribed through a page that somebody else had opened under the other address', async () => {
    await freshSite();
    const ana = await buildCustomer(product, world, TYPED);
    const twin = await buildCustomer(product, world, 'twin@example.com');
    const lists = [{ id: world.weekly.id }, { id: world.offers.id }];
    const body = { name: 'Confirmed', custom_path: 'confirmed', lists, attrs: { confirm_changes: true } };
    await product.call(createPreferencePage, { params: world.params, body }, world.owner);
    await choose(ana, false, false);
    const { id: customerId } = await product.call(
      openCustomer,
      { body: { email: 'twin@example.com', custom_path: 'confirmed' } },
      world.visitor,
    );
    await merge(ana, twin);
    const saved = await product.call(
      saveLists,
      { params: { customerId }, body: [{ notification_list_id: world.offers.id, subscribed: true }] },
      world.visitor,
    );
    expect(await subscribedTo(ana)).toEqual([false, false]);
    expect(saved).toMatchObject({ pending: [{ kind: 'resubscribe' }] });
  });

  it('are erased together', async () => {
    await freshSite();
    const ana = await buildCustomer(product, world, TYPED);
    const twin = await buildCustomer(product, world, 'twin@example.com');
    await merge(ana, twin);
    await product.call(deleteCustomer, at(twin), world.owner);
    const { rows } = await product.testDatabase.owner.query(
      'select email, email_key, person_salt from customers where site_id = $1 and (email is not null or person_salt is not null)',
      [world.site.id],
    );
    expect(rows).toEqual([]);
    await product.refuse(getCustomer, at(ana), world.owner);
  });
});

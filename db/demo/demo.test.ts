import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAccount, logIn } from '#contract/accounts.ts';
import { listActions } from '#contract/actions.ts';
import { type Evidence, listCustomerEvidence } from '#contract/choices.ts';
import { getCustomerLists, listCustomers } from '#contract/customers.ts';
import { type Delivery, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { listIntegrations, verifyIntegration } from '#contract/integrations.ts';
import { listLists } from '#contract/lists.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import {
  getCustomerPage,
  openCustomer,
  saveLists,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { listSites } from '#contract/sites.ts';
import { evidenceHash } from '#server/audience/evidence/evidence.ts';
import { mintLinks } from '#server/visit/customers/mint-links.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { createDemoWorld, DEMO_PASSWORD } from './demo.ts';

const CUSTOMERS = 240;

let tools: FakeTools;
let product: TestProduct;
let printed: string;
let owner: { token: string };
let hosts: string[];
let params: { organization_id: string; site_id: string };

beforeAll(async () => {
  tools = await startFakeTools();
  product = await startTestProduct({ env: settingsFor(tools) });
  printed = await createDemoWorld(product.services, { customers: CUSTOMERS, fakeTools: tools.url });
  const tokens = await product.call(logIn, { body: { username: 'acme', password: DEMO_PASSWORD } });
  owner = { token: tokens.access_token };
  const sites = await product.call(listSites, { params: { organization_id: tokens.organization_id } }, owner);
  hosts = sites.results.map((site) => site.domain_name);
  params = { organization_id: tokens.organization_id, site_id: sites.results[0]?.id ?? '' };
});

afterAll(async () => {
  await product.stop();
  await tools.close();
});

function settingsFor({ accounts }: FakeTools): Record<string, string> {
  return Object.fromEntries(accounts.map(({ setting, url }) => [setting, url]));
}

async function everyCustomer() {
  const all = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof customersAfter>> = await customersAfter(cursor);
    all.push(...page.results);
    cursor = page.next;
  }
  return all;
}

function customersAfter(cursor: string) {
  return product.call(listCustomers, { params, query: { limit: 100, cursor } }, owner);
}

async function deliveriesOf(customerId: string): Promise<Delivery[]> {
  return (
    await product.call(listDeliveries, { params, query: { customer_id: customerId, limit: 100 } }, owner)
  ).results;
}

describe('the demo world', () => {
  it('prints its sign-ins, and both work', async () => {
    expect(printed).toContain(DEMO_PASSWORD);
    for (const username of ['acme', 'blank']) {
      const { user_id, organization_id, access_token } = await product.call(logIn, {
        body: { username, password: DEMO_PASSWORD },
      });
      expect(organization_id === 'None').toBe(username === 'blank');
      await product.call(getAccount, { params: { id: user_id } }, { token: access_token });
    }
  });

  it('has two sites', () => {
    expect(hosts).toEqual(['acme.localhost', 'acme-labs.localhost']);
  });

  it('has six lists in eight languages, a page of each template and one webhook', async () => {
    const lists = await product.call(listLists, { params }, owner);
    expect(lists.results).toHaveLength(6);
    for (const list of lists.results) expect(list.translations).toHaveLength(7);
    const pages = await product.call(listPreferencePages, { params }, owner);
    expect(pages.results.map((page) => page.attrs.template_id).toSorted()).toEqual([
      'default_preference_page',
      'stacked_marketer_template',
    ]);
    const actions = await product.call(listActions, { params }, owner);
    const webhooks = actions.results.filter(({ integration_id }) => integration_id === null);
    expect(webhooks).toMatchObject([{ type: 'webhook', enabled: true }]);
  });

  it('shows of every customer what the evidence says, and a delivery for each time somebody left', async () => {
    const customers = await everyCustomer();
    expect(customers).toHaveLength(CUSTOMERS);
    let choices = 0;
    for (const customer of customers.filter((_, index) => index % 4 === 0)) {
      const path = { params: { ...params, id: customer.id } };
      const evidence = (await product.call(listCustomerEvidence, path, owner)).results.toReversed();
      choices += evidence.length;
      expect(evidence.map((one) => one.sequence)).toEqual(evidence.map((_, index) => index + 1));
      expect(evidence.map((one) => one.occurred_at)).toEqual(
        evidence.map((one) => one.occurred_at).toSorted(),
      );
      expect(evidence.map((one) => one.previous_hash)).toEqual([
        null,
        ...evidence.slice(0, -1).map((one) => one.hash),
      ]);
      expect(evidence.at(-1)).toMatchObject({
        email: customer.email,
        global_unsubscribe: customer.global_unsubscribe,
      });
      const lists = await product.call(getCustomerLists, path, owner);
      const shown = lists.results.map((list) => [
        list.notification_list_id,
        customer.global_unsubscribe ? false : list.subscribed,
      ]);
      // Who comes back gets what was chosen; what never was is open again, and no record says so of each list.
      const cameBack = evidence.some((one) => one.events.includes('global_resubscribed'));
      for (const [listId, subscribed] of cameBack ? [] : effectiveStates(evidence)) {
        expect(shown).toContainEqual([listId, subscribed]);
      }
      const leaving = evidence.filter((one) => one.events.includes('unsubscribed')).map((one) => one.id);
      const webhooks = (await deliveriesOf(customer.id)).filter((one) => one.action_type === 'webhook');
      const delivered = webhooks.map((one) => one.choice_id);
      expect(delivered.toSorted()).toEqual(leaving.toSorted());
    }
    expect(choices).toBeGreaterThan(CUSTOMERS / 2);
  });

  it('has an intact chain of evidence: every hash can be recomputed', async () => {
    const { rows } = await product.testDatabase.owner.query<Record<string, unknown>>(
      `select id, customer_id, sequence, save_id, source, authority, events, global_unsubscribe, language, ip,
         occurred_at, paused_until, site_id, lists, shown, person_hash, previous_hash, hash from choices`,
    );
    for (const { person_hash: person, previous_hash: previous, hash, ...record } of rows) {
      const computed = evidenceHash(previous as Buffer | null, {
        ...record,
        person: (person as Buffer).toString('hex'),
      });
      expect(computed.toString('hex')).toBe((hash as Buffer).toString('hex'));
    }
    const { rows: wrong } = await product.testDatabase.owner.query(
      `select 1 from customers c where evidence_hash <> (select hash from choices h
        where h.site_id = c.site_id and h.customer_id = c.id order by sequence desc limit 1)`,
    );
    expect(wrong).toEqual([]);
  });

  it('has deliveries whose attempts tell the same story as their state', async () => {
    const { results } = await product.call(listDeliveries, { params, query: { limit: 100 } }, owner);
    expect(results.length).toBeGreaterThan(20);
    for (const { id } of results) {
      const one = await product.call(getDelivery, { params: { ...params, id } }, owner);
      expect(one.attempts).toHaveLength(one.attempt_count);
      expect(one.attempts.at(-1)?.outcome === 'arrived').toBe(one.status === 'arrived');
      expect(one.next_attempt_at !== null).toBe(one.status === 'waiting');
      const waits = one.attempts.map((attempt) => attempt.request.headers['webhook-id']);
      if (one.action_type === 'webhook') expect(new Set([...waits, id]).size).toBe(1);
    }
  });

  it('prints personal links that open the page', async () => {
    const links = [...printed.matchAll(/http:\/\/(\S+?)(?::\d+)?\/(\w+)\?challenge=(\S+)/g)];
    expect(links).toHaveLength(2);
    for (const [, host = '', path = '', challenge = ''] of links) {
      const body = { challenge, custom_path: path };
      expect((await product.call(openCustomer, { body }, { host })).email).toContain('@');
    }
  });

  it('is found again by a second start, which changes nothing', async () => {
    const before = await readRows(product.testDatabase.owner);
    const again = await createDemoWorld(product.services, { customers: CUSTOMERS, fakeTools: tools.url });
    expect(again.split('\n').length).toBe(printed.split('\n').length);
    expect(await readRows(product.testDatabase.owner)).toEqual(before);
  });
});

describe('the tools of the demo world', () => {
  it('are four, one of them with a rejected key, and all others work', async () => {
    const { results } = await product.call(listIntegrations, { params }, owner);
    expect(results.map(({ provider, status }) => [provider, status])).toEqual([
      ['mailchimp', 'connected'],
      ['hubspot', 'connected'],
      ['sendgrid', 'connected'],
      ['brevo', 'credentials_refused'],
    ]);
    for (const { id, status } of results) {
      const asked = await product.call(verifyIntegration, { params: { ...params, id } }, owner);
      expect(asked.status).toBe(status);
    }
  });

  it('contain every customer as the product has them', async () => {
    const { results: lists } = await product.call(listLists, { params }, owner);
    const weekly = lists.find(({ name }) => name === 'Weekly news')?.id;
    const offers = lists.find(({ name }) => name === 'Offers')?.id;
    let left = 0;
    for (const customer of await everyCustomer()) {
      const email = customer.email ?? '';
      const path = { params: { ...params, id: customer.id } };
      const chosen = (await product.call(getCustomerLists, path, owner)).results.filter(
        ({ changed_at }) => changed_at !== null,
      );
      const stateOf = (id?: string) => chosen.find((one) => one.notification_list_id === id)?.subscribed;
      const isInNewsletter = stateOf(weekly) === true && !customer.global_unsubscribe;
      expect(tools.mailchimp.holds(email)?.lists ?? []).toHaveLength(isInNewsletter ? 1 : 0);
      expect(tools.sendgrid.holds(email)?.unsubscribed).toBe(customer.global_unsubscribe);
      expect(tools.hubspot.holds(email)?.unsubscribed).toBe(customer.global_unsubscribe);
      if (stateOf(offers) === false) {
        left += 1;
        expect(tools.hubspot.holds(email)?.suppression_groups?.length).toBeGreaterThan(0);
      }
    }
    expect(left).toBeGreaterThan(10);
  });

  it('have a history of a month, with each delivery confirmed', async () => {
    const actions = (await product.call(listActions, { params }, owner)).results;
    const newsletter = actions.find(({ name }) => name === 'Remove from the newsletter');
    const query = { action_id: newsletter?.id, limit: 100 };
    const { results } = await product.call(listDeliveries, { params, query }, owner);
    expect(results.length).toBeGreaterThan(2);
    for (const one of results) expect(one.confirmed_at).not.toBeNull();
    const [last] = results;
    const detail = await product.call(getDelivery, { params: { ...params, id: last?.id ?? '' } }, owner);
    expect(detail.attempts.at(-1)?.request.url).toContain('api.mailchimp.com');
  });

  it('are filled again after a restart', async () => {
    const fresh = await startFakeTools();
    try {
      const email = (await everyCustomer()).find((one) => one.global_unsubscribe)?.email ?? '';
      expect(fresh.sendgrid.holds(email)).toBeNull();
      await createDemoWorld(product.services, { fakeTools: fresh.url });
      expect(fresh.sendgrid.holds(email)).toEqual(tools.sendgrid.holds(email));
      expect(fresh.mailchimp.holds(email)).toEqual(tools.mailchimp.holds(email));
      expect(fresh.hubspot.holds(email)).toEqual(tools.hubspot.holds(email));
    } finally {
      await fresh.close();
    }
  });
});

const PATIENCE = { timeout: 60_000 };

describe('a choice on a page of the demo world', () => {
  it('arrives in the tools, and is visible there', async () => {
    const fresh = await startFakeTools();
    const working = await startTestProduct({ env: settingsFor(fresh), worker: true });
    try {
      await createDemoWorld(working.services, { customers: 30, fakeTools: fresh.url });
      const [someone] = (
        await working.testDatabase.owner.query<{ id: string; site_id: string }>(
          `select id, site_id from customers where not global_unsubscribe
           and site_id = (select site_id from integrations limit 1) order by id limit 1`,
        )
      ).rows;
      const { id, site_id: siteId } = someone ?? { id: '', site_id: '' };
      const { challenge } = await mintLinks(working.services, siteId, id, {});
      const host = { host: 'acme.localhost' };
      const body = { challenge, custom_path: 'preferences' };
      const { id: customerId, email } = await working.call(openCustomer, { body }, host);
      const me = { params: { customerId } };
      const page = { params: { customerId, custom_path: 'preferences' } };
      const { lists } = await working.call(getCustomerPage, page, host);
      const choose = (subscribed: boolean) =>
        working.call(
          saveLists,
          { ...me, body: lists.map(({ id }) => ({ notification_list_id: id, subscribed })) },
          host,
        );
      const newsletter = () => fresh.mailchimp.holds(email)?.lists;

      await choose(true);
      await expect.poll(newsletter, PATIENCE).toEqual([fresh.mailchimp.audience]);
      await choose(false);
      await expect.poll(newsletter, PATIENCE).toEqual([]);
      await expect.poll(() => fresh.hubspot.holds(email)?.suppression_groups?.length, PATIENCE).toBe(2);
      await working.call(updatePublicCustomer, { ...me, body: { global_unsubscribe: true } }, host);
      for (const tool of [fresh.mailchimp, fresh.hubspot, fresh.sendgrid]) {
        await expect.poll(() => tool.holds(email)?.unsubscribed, PATIENCE).toBe(true);
      }
      await working.call(updatePublicCustomer, { ...me, body: { email: 'moved@example.com' } }, host);
      for (const tool of [fresh.mailchimp, fresh.hubspot, fresh.sendgrid]) {
        await expect.poll(() => tool.holds('moved@example.com')?.unsubscribed, PATIENCE).toBe(true);
      }
      const { rows } = await working.testDatabase.owner.query<{ confirmed: number }>(
        `select count(confirmed_at)::int as confirmed from deliveries
         where created_at > now() - interval '1 day' and action_id in (select id from actions where integration_id is not null)`,
      );
      expect(rows[0]?.confirmed).toBeGreaterThan(3);
    } finally {
      await working.stop();
      await fresh.close();
    }
  }, 120_000);
});

/** Replays what each record says about the lists. */
function effectiveStates(evidence: Evidence[]): Map<string, boolean> {
  const states = new Map<string, boolean>();
  for (const { lists } of evidence) for (const list of lists) states.set(list.list_id, list.subscribed);
  return states;
}

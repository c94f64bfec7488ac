import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAccount, logIn } from '#contract/accounts.ts';
import { listActions } from '#contract/actions.ts';
import { type Evidence, listCustomerEvidence } from '#contract/choices.ts';
import { getCustomerLists, listCustomers } from '#contract/customers.ts';
import { type Delivery, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { listLists } from '#contract/lists.ts';
import { listPreferencePages } from '#contract/preference-pages.ts';
import { openCustomer } from '#contract/public-preferences.ts';
import { listSites } from '#contract/sites.ts';
import { evidenceHash } from '#server/features/choices/evidence.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { createDemoWorld, DEMO_PASSWORD } from './demo.ts';

const CUSTOMERS = 240;

let product: TestProduct;
let printed: string;
let owner: { token: string };
let hosts: string[];
let params: { organization_id: string; site_id: string };

beforeAll(async () => {
  product = await startTestProduct();
  printed = await createDemoWorld(product.services, { customers: CUSTOMERS });
  const tokens = await product.call(logIn, { body: { username: 'acme', password: DEMO_PASSWORD } });
  owner = { token: tokens.access_token };
  const sites = await product.call(listSites, { params: { organization_id: tokens.organization_id } }, owner);
  hosts = sites.results.map((site) => site.domain_name);
  params = { organization_id: tokens.organization_id, site_id: sites.results[0]?.id ?? '' };
});

afterAll(() => product.stop());

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
    expect(actions.results).toMatchObject([{ type: 'webhook', enabled: true }]);
  });

  it('shows of every customer what the evidence says, and a delivery for each choice of leaving', async () => {
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
      const delivered = (await deliveriesOf(customer.id)).map((one) => one.choice_id);
      expect(delivered.toSorted()).toEqual(leaving.toSorted());
    }
    expect(choices).toBeGreaterThan(CUSTOMERS / 2);
  });

  it('has an intact chain of evidence: every hash can be computed again', async () => {
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
      expect(new Set([...waits, id]).size).toBe(1);
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
    const again = await createDemoWorld(product.services, { customers: CUSTOMERS });
    expect(again.split('\n').length).toBe(printed.split('\n').length);
    expect(await readRows(product.testDatabase.owner)).toEqual(before);
  });
});

/** Replays what each record says about the lists. */
function effectiveStates(evidence: Evidence[]): Map<string, boolean> {
  const states = new Map<string, boolean>();
  for (const { lists } of evidence) for (const list of lists) states.set(list.list_id, list.subscribed);
  return states;
}

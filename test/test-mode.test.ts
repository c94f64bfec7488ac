import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { type ChoiceEvent, listCustomerEvidence, listEvidence } from '#contract/choices.ts';
import { mendDifferences, startComparison } from '#contract/comparisons.ts';
import {
  type Customer,
  getCustomer,
  listCustomers,
  mintLinks,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { getActionFigures, getDashboard } from '#contract/dashboard.ts';
import {
  type Delivery,
  type DeliveryDetail,
  countHeld,
  countReplays,
  getDelivery,
  listDeliveries,
  replayDelivery,
} from '#contract/deliveries.ts';
import { exportCustomers, exportEvidence } from '#contract/exports.ts';
import { applyImport } from '#contract/imports.ts';
import { createIntegration, type Integration, updateIntegration } from '#contract/integrations.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { updateSite } from '#contract/sites.ts';
import { examineSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { recountSite } from '#server/audience/counters/counters.ts';
import { deliveriesWithChoices, lockDelivery } from '#server/delivery/deliveries/deliveries.sql.ts';
import { HELD_DELIVERIES } from '#server/delivery/deliveries/held-deliveries.ts';
import { deliverLeased, deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import { waitingDeliveries } from '#server/shell/system/metrics.sql.ts';
import { handleJob } from '#server/sync/inbound/inbound.jobs.ts';
import { RECONCILIATION } from '#server/sync/reconciliation/reconciliation.jobs.ts';
import { LINKS } from '#server/sync/tool-links/link-field-sync.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { mailchimpWebhook } from '#test/harness/tool-webhooks.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

const SECRET = 'a-signing-secret-of-mailchimp';

let product: TestProduct;
let mailchimp: MailchimpFake;
let shop: WebhookReceiver;
let world: World;
let acme: World;
let integration: Integration;

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  shop = await startWebhookReceiver();
  // No worker: the tests make each attempt themselves.
  product = await startTestProduct({ env: { CONNECTOR_MAILCHIMP_URL: mailchimp.url } });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await mailchimp.close();
  await shop.close();
});

const owner = (text: string, values: unknown[] = []) => product.testDatabase.owner.query(text, values);

beforeEach(async () => {
  await owner('delete from rate_limits');
  await owner('delete from scheduled_tasks');
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider: 'mailchimp', credentials: { ...mailchimp.credentials } };
  integration = await product.call(createIntegration, { params: acme.params, body }, acme.owner);
  await act('unsubscribed');
  await act('global_unsubscribed');
  await buildWebhook(product, acme, { url: shop.url });
  await buildWebhook(product, acme, { url: shop.url, event: 'global_unsubscribed' });
  mailchimp.seen.length = 0;
  shop.received.length = 0;
});

/** A customer who leaves the weekly list, or everything, leaves the audience, or is unsubscribed there. */
async function act(event: ChoiceEvent): Promise<void> {
  const isAll = event === 'global_unsubscribed';
  await product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type: isAll ? 'global_unsubscribe' : 'list',
        name: 'Tell Mailchimp',
        integration_id: integration.id,
        trigger: { event, list_ids: isAll ? [] : [acme.weekly.id] },
        operation: isAll ? 'unsubscribe' : 'remove',
        target: isAll ? {} : { id: mailchimp.audience, name: 'Audience 1' },
      },
    },
    acme.owner,
  );
}

type Settings = Parameters<typeof product.call<typeof updateSite>>[1]['body'];

const change = (body: Settings) => product.call(updateSite, { params: acme.params, body }, acme.owner);

const testWith = (...test_emails: string[]) => change({ test_emails });

const of = ({ id }: Pick<Customer, 'id'>) => ({ ...acme.params, id });

/** Somebody whom the tool has, on the weekly list. */
async function someone(email?: string): Promise<Customer> {
  const customer = await buildCustomer(product, acme, email);
  mailchimp.addContact(customer.email);
  await choose(customer, true);
  return customer;
}

const choose = (customer: Customer, subscribed: boolean) =>
  product.call(
    setCustomerLists,
    { params: of(customer), body: [{ notification_list_id: acme.weekly.id, subscribed }] },
    acme.owner,
  );

const leaveAll = (customer: Customer) =>
  product.call(updateCustomer, { params: of(customer), body: { global_unsubscribe: true } }, acme.owner);

async function deliveriesOf(customer: Customer): Promise<DeliveryDetail[]> {
  const query = { customer_id: customer.id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  return Promise.all(results.map((one) => product.call(getDelivery, { params: of(one) }, acme.owner)));
}

const outcomesOf = async (customer: Customer) =>
  (await deliveriesOf(customer)).map(({ outcome }) => outcome).toSorted();

async function deliver({ id, attempt_count: round }: Pick<Delivery, 'id' | 'attempt_count'>): Promise<void> {
  await owner('delete from tool_rate_limits');
  await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
}

/** Makes each delivery of the site, whatever its state, as though it were due. */
async function deliverAll(): Promise<void> {
  const query = { limit: 100 };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  for (const one of results) await deliver(one);
}

async function isDue(customer: Customer): Promise<boolean[]> {
  const { rows } = await owner('select next_attempt_at as at from deliveries where customer_id = $1', [
    customer.id,
  ]);
  return (rows as { at: Date | null }[]).map(({ at }) => at !== null && at <= product.clock.now());
}

/** How many deliveries of the site are held, and how many of them have a next attempt. */
async function heldOf({ params }: World): Promise<{ held: number; scheduled: number }> {
  const { rows } = await owner(
    `select count(*)::int as held, count(next_attempt_at)::int as scheduled from deliveries
     where site_id = $1 and outcome = 'held'`,
    [params.site_id],
  );
  return (rows as { held: number; scheduled: number }[])[0] ?? { held: 0, scheduled: 0 };
}

/** As though a process had held something after the switch, or had died before it released everything. */
async function goLiveWithoutRelease(): Promise<void> {
  await owner('update sites set test_mode = false where id = $1', [acme.params.site_id]);
  product.services.cache.evict(`site:${acme.params.site_id}`);
}

/** Lets the workers' sweep run until this holds. */
async function sweepUntil(check: () => Promise<void>): Promise<void> {
  const sweep = await HELD_DELIVERIES.start(product.services);
  try {
    await vi.waitFor(check, { timeout: 20_000 });
  } finally {
    await sweep.stop();
  }
}

const writes = () => mailchimp.seen.filter(({ method }) => method !== 'GET');

/** Nothing about anybody has left the product. */
function nothingWasSent(): void {
  expect(writes()).toEqual([]);
  expect(shop.received).toEqual([]);
}

const evidenceOf = async (customer: Customer) =>
  (await product.call(listCustomerEvidence, { params: of(customer) }, acme.owner)).results;

const isIntact = async () => {
  const { broken, records } = await examineSite(product.services, acme.params.site_id);
  return broken === 0 && records > 0;
};

/** All that test customers can do, by the way in which it is done. */
const WAYS: Record<string, (customer: Customer) => Promise<unknown>> = {
  'on the page': async (customer) => {
    const customerId = await openAsProven(product, acme, customer);
    const lists = [acme.weekly, acme.offers].map(({ id }) => ({
      notification_list_id: id,
      subscribed: false,
    }));
    await product.call(
      saveLists,
      { params: { customerId }, body: lists, headers: { 'idempotency-key': 'the-first-save' } },
      acme.visitor,
    );
  },
  'with one click': async (customer) => {
    const { one_click_url } = await product.call(mintLinks, { params: of(customer), body: {} }, acme.owner);
    await product.http.inject({
      method: 'POST',
      url: new URL(one_click_url).pathname,
      headers: {
        host: `${acme.site.domain_name}:${product.services.config.port}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'List-Unsubscribe=One-Click',
    });
  },
  'by an owner': (customer) => leaveAll(customer),
  'by an import': async (customer) => {
    const file = csv('email,Weekly news', `${customer.email},unsubscribed`);
    const one = await uploadAndCheck(product, acme, file);
    await product.call(applyImport, { params: of(one) }, acme.owner);
    await work(product, acme, one.id);
  },
  'by the tool itself': async (customer) => {
    const params = of(integration);
    await product.call(updateIntegration, { params, body: { webhook_secret: SECRET } }, acme.owner);
    const at = new Date(product.clock.now().getTime() + 2000);
    product.clock.advance({ seconds: 3 });
    const data = { id: 'x', list_id: mailchimp.audience, email: customer.email };
    const { body, headers } = mailchimpWebhook('unsubscribe', data, {
      at,
      sentAt: product.clock.now(),
      secret: SECRET,
    });
    await fetch(integration.webhook_url ?? '', { method: 'POST', headers, body });
    const { rows } = await owner(`select id from inbound_requests where site_id = $1`, [acme.params.site_id]);
    for (const { id } of rows as { id: string }[]) {
      await handleJob(product.services, { site_id: acme.params.site_id, id, round: 0 });
    }
  },
};

describe('a test address', () => {
  it.each(Object.keys(WAYS))('that unsubscribes %s never reaches a tool or a webhook', async (way) => {
    await testWith('@test.example.com');
    const customer = await someone('qa@test.example.com');
    await WAYS[way]?.(customer);
    const [newest] = await evidenceOf(customer);
    expect(newest).toMatchObject({ test: true });
    expect(newest?.events.some((event) => event.endsWith('unsubscribed'))).toBe(true);
    const made = await deliveriesOf(customer);
    expect(made.length).toBeGreaterThan(0);
    for (const one of made) {
      expect(one).toMatchObject({ status: 'arrived', outcome: 'test', test: true, attempts: [] });
    }
    await deliverAll();
    nothingWasSent();
    expect(await isIntact()).toBe(true);
  });

  it('is recognized in any spelling, and a domain does not cover its subdomains', async () => {
    await testWith('QA@Example.com', '@Ünïcode.example', '@test.example.com');
    const emails = ['qa@EXAMPLE.com', 'x@ünïcode.example', 'a@test.example.com', 'a@sub.test.example.com'];
    const customers = await Promise.all(emails.map((email) => buildCustomer(product, acme, email)));
    expect(customers.map(({ test }) => test)).toEqual([true, true, true, false]);
  });

  it('that was added while changes wait cancels them, one by one and in a batch', async () => {
    const people = [];
    for (let index = 0; index < 4; index += 1) people.push(await someone(`p${index}@late.example`));
    const real = await someone('real@example.org');
    for (const one of [...people, real]) await choose(one, false);
    await testWith('@late.example');
    const { results } = await product.call(
      listDeliveries,
      { params: acme.params, query: { limit: 100, status: 'waiting', integration_id: integration.id } },
      acme.owner,
    );
    const siteId = acme.params.site_id;
    const ids = results.map(({ id }) => id);
    const rows = await product.services.database.readOnce(siteId, (db) =>
      deliveriesWithChoices(db, siteId, ids),
    );
    await owner('delete from tool_rate_limits');
    await deliverLeased(
      product.services,
      rows.map((row) => ({
        siteId,
        receiver: integration.id,
        isTool: true,
        row,
        leasedAt: performance.now(),
      })),
    );
    await deliverAll();
    for (const one of people) expect(await outcomesOf(one)).toEqual(['test', 'test']);
    expect(await outcomesOf(real)).toEqual(['confirmed', 'received']);
    expect(shop.received).toHaveLength(1);
    expect(writes().every(({ body }) => !JSON.stringify(body ?? '').includes('late.example'))).toBe(true);
    // Their choices were made before: no record says that they were a test.
    expect((await evidenceOf(people[0] as Customer)).map(({ test }) => test)).toEqual([false, false, false]);
  });

  it('is not sent again on request; a real choice is, once the address is no longer one', async () => {
    await testWith('qa@example.com');
    const tester = await someone('qa@example.com');
    await leaveAll(tester);
    const real = await someone('real@example.com');
    await leaveAll(real);
    await testWith('qa@example.com', 'real@example.com');
    await deliverAll();
    const [ofTester] = await deliveriesOf(tester);
    const refused = await product.refuse(replayDelivery, { params: of(ofTester as Delivery) }, acme.owner);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'conflict' }] });
    expect(await outcomesOf(real)).toEqual(['test', 'test', 'test', 'test']);
    nothingWasSent();
    await testWith('qa@example.com');
    for (const one of await deliveriesOf(real)) {
      await product.call(replayDelivery, { params: of(one) }, acme.owner);
    }
    await deliverAll();
    expect(await outcomesOf(real)).not.toContain('test');
    expect(writes().length).toBeGreaterThan(0);
  });

  it('is skipped by comparisons, which fix what was missed once it is no longer one', async () => {
    const customer = await someone('qa@example.com');
    await testWith('qa@example.com');
    await leaveAll(customer);
    await compare();
    nothingWasSent();
    await testWith();
    await compare();
    expect(mailchimp.holds(customer.email)?.unsubscribed).toBe(true);
  });

  it('gets no personal link in a field of the tool', async () => {
    await testWith('qa@example.com');
    const tester = await someone('qa@example.com');
    const real = await someone();
    const [field] = mailchimp.addResources('fields', 1);
    if (field === undefined) throw new Error('The fake made no field');
    const body = { link_field: field };
    await product.call(updateIntegration, { params: of(integration), body }, acme.owner);
    await LINKS.runDue(product.services);
    expect(mailchimp.fieldOf(tester.email, field)).toBeNull();
    expect(mailchimp.fieldOf(real.email, field)).not.toBeNull();
  });

  it('is left out of the figures, today and after the nightly recount', async () => {
    await testWith('qa@example.com');
    const real = await someone();
    await choose(real, false);
    const before = await figures();
    const tester = await someone('qa@example.com');
    await choose(tester, false);
    await leaveAll(tester);
    expect(await figures()).toEqual(before);
    expect(await recountSite(product.services, acme.params.site_id, product.clock.now())).toEqual([]);
  });

  it('that is added later leaves earlier figures unchanged', async () => {
    const real = await someone('later@example.com');
    await choose(real, false);
    await testWith('later@example.com');
    await deliverAll();
    expect(await outcomesOf(real)).toContain('test');
    expect(await recountSite(product.services, acme.params.site_id, product.clock.now())).toEqual([]);
  });

  it('can be filtered together with a list and a direction, and with a reason', async () => {
    await testWith('qa@example.com');
    const real = await someone();
    const tester = await someone('qa@example.com');
    for (const one of [real, tester]) await choose(one, false);
    await leaveAll(tester);
    const [last] = await evidenceOf(tester);
    await owner(
      `insert into leave_reasons (site_id, choice_id, customer_id, reason, created_at)
       select site_id, id, customer_id, 'too_many', now() from choices where site_id = $1 and events @> '{unsubscribed}'`,
      [acme.params.site_id],
    );
    const found = async (query: Parameters<typeof product.call<typeof listEvidence>>[1]['query']) => {
      const { results } = await product.call(listEvidence, { params: acme.params, query }, acme.owner);
      return results.map(({ customer_id: id, events }) => [id === tester.id ? 'test' : 'real', ...events]);
    };
    const list_id = acme.weekly.id;
    const joined = ['subscribed'];
    const left = ['unsubscribed'];
    expect(last?.events).toEqual(['unsubscribed', 'global_unsubscribed']);
    expect(await found({ test: 'true', list_id })).toEqual([
      ['test', ...left],
      ['test', ...joined],
    ]);
    expect(await found({ test: 'true', list_id, move: 'joined' })).toEqual([['test', ...joined]]);
    expect(await found({ test: 'true', list_id, move: 'left', reason: 'too_many' })).toEqual([
      ['test', ...left],
    ]);
    expect(await found({ test: 'true', list_id, move: 'left', reason: 'other' })).toEqual([]);
    expect(await found({ test: 'true', reason: 'too_many' })).toHaveLength(2);
    expect(await found({ test: 'false', reason: 'too_many' })).toEqual([['real', ...left]]);
    expect(await found({ test: 'false', list_id, move: 'left' })).toEqual([['real', ...left]]);
    expect(await found({ list_id, move: 'left' })).toEqual([['real', ...left]]);
  });

  it('can be filtered on every list, and is a column of both files', async () => {
    await testWith('qa@example.com', '@test.example.com');
    const tester = await someone('qa@example.com');
    const other = await someone('b@test.example.com');
    const real = await someone();
    for (const one of [tester, other, real]) await choose(one, false);
    const emailsOf = async (test: 'true' | 'false', search?: string) => {
      const query = { test, ...(search === undefined ? {} : { search }) };
      const { results } = await product.call(listCustomers, { params: acme.params, query }, acme.owner);
      return results.map(({ email }) => email).toSorted();
    };
    expect(await emailsOf('true')).toEqual([other.email, tester.email]);
    expect(await emailsOf('false')).toEqual([real.email]);
    expect(await emailsOf('true', 'qa')).toEqual([tester.email]);
    expect(await emailsOf('false', 'qa')).toEqual([]);
    for (const test of ['true', 'false'] as const) {
      const query = { test, limit: 100 };
      const deliveries = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
      const choices = await product.call(listEvidence, { params: acme.params, query }, acme.owner);
      expect(deliveries.results.map((one) => one.test)).not.toContain(test !== 'true');
      expect(choices.results.map((one) => one.test)).not.toContain(test !== 'true');
      expect(deliveries.results.length).toBe(test === 'true' ? 4 : 2);
      expect(choices.results.length).toBe(test === 'true' ? 6 : 3);
    }
    const customers = await product.call(exportCustomers, { params: acme.params }, acme.owner);
    expect(customers.split('\n')[0]).toMatch(/,test\r?$/);
    expect(customers).toMatch(new RegExp(`${tester.email}.*,yes`));
    expect(customers).toMatch(new RegExp(`${real.email}.*,no`));
    expect(await product.call(exportEvidence, { params: acme.params }, acme.owner)).toContain(
      ',occurred_at,test,hash',
    );
  });

  it('marks a change of address from it and to it', async () => {
    await testWith('@test.example.com');
    const customer = await someone('qa@test.example.com');
    const real = await someone();
    const move = (one: Customer, email: string) =>
      product.call(updateCustomer, { params: of(one), body: { email } }, acme.owner);
    await move(customer, 'left@example.com');
    await move(real, 'came@test.example.com');
    await choose(customer, false);
    const marks = async (one: Customer) => (await evidenceOf(one)).map(({ test }) => test);
    expect(await marks(customer)).toEqual([false, true, true, true]);
    expect(await marks(real)).toEqual([true, false, false]);
    expect(await isIntact()).toBe(true);
  });

  it('whose mark is removed from a record, or added to one, shows in the check of the evidence', async () => {
    await testWith('qa@example.com');
    const tester = await someone('qa@example.com');
    const real = await someone();
    await owner('update choices set is_test = null where customer_id = $1', [tester.id]);
    expect(await isIntact()).toBe(false);
    await owner('update choices set is_test = true where customer_id = $1', [tester.id]);
    expect(await isIntact()).toBe(true);
    await owner('update choices set is_test = true where customer_id = $1', [real.id]);
    expect(await isIntact()).toBe(false);
  });
});

async function figures() {
  const dashboard = await product.call(
    getDashboard,
    { params: acme.params, query: { range: '7d' } },
    acme.owner,
  );
  const { choices, joins, leaves, deliveries } = dashboard;
  const actions = await product.call(getActionFigures, { params: acme.params }, acme.owner);
  return { choices, joins, leaves, deliveries, actions: actions.results };
}

async function compare(): Promise<void> {
  const { id } = await product.call(startComparison, { params: of(integration) }, acme.owner);
  for (;;) {
    await owner('delete from tool_rate_limits');
    await RECONCILIATION.runDue(product.services);
    const { rows } = await owner('select status from reconciliations where id = $1', [id]);
    if ((rows as { status: string }[])[0]?.status !== 'running') return;
    product.clock.advance({ seconds: 5 });
  }
}

const waitingForLive = () => product.call(countHeld, { params: acme.params }, acme.owner);

describe('a site in test mode', () => {
  it.each(Object.keys(WAYS))(
    'holds back what somebody chose %s, and sends it when it goes live',
    async (way) => {
      const customer = await someone();
      await change({ test_mode: true });
      await WAYS[way]?.(customer);
      const held = await deliveriesOf(customer);
      expect(held.length).toBeGreaterThan(0);
      for (const one of held) {
        expect(one).toMatchObject({ status: 'waiting', outcome: 'held', test: false, next_attempt_at: null });
      }
      await deliverAll();
      nothingWasSent();
      expect((await outcomesOf(customer)).every((outcome) => outcome === 'held')).toBe(true);
      expect(await heldOf(acme)).toEqual({ held: held.length, scheduled: 0 });
      expect(await waitingForLive()).toEqual({ count: held.length, has_more: false });

      await change({ test_mode: false });
      expect(await waitingForLive()).toEqual({ count: 0, has_more: false });
      expect(await isDue(customer)).not.toContain(false);
      await deliverAll();
      expect(await outcomesOf(customer)).not.toContain('held');
      expect(shop.received.length).toBeGreaterThan(0);
      // A change that the tool reported isn't sent back to it.
      if (way !== 'by the tool itself') expect(writes().length).toBeGreaterThan(0);
      expect(await isIntact()).toBe(true);
    },
  );

  it('holds what was waiting when it was switched on, and what an owner sends again', async () => {
    const customer = await someone();
    await choose(customer, false);
    await change({ test_mode: true });
    await deliverAll();
    expect(await outcomesOf(customer)).toEqual(['held', 'held']);
    for (const one of await deliveriesOf(customer)) {
      await product.call(replayDelivery, { params: of(one) }, acme.owner);
    }
    await deliverAll();
    expect(await outcomesOf(customer)).toEqual(['held', 'held']);
    expect(await heldOf(acme)).toEqual({ held: 2, scheduled: 0 });
    nothingWasSent();
    const newest = (await product.call(getActionFigures, { params: acme.params }, acme.owner)).results;
    expect(newest.flatMap((one) => one.last_delivery?.outcome ?? [])).toEqual(['held', 'held']);
    // Neither is one whose next attempt an owner could bring forward.
    const query = { status: 'waiting' } as const;
    expect(await product.call(countReplays, { params: acme.params, query }, acme.owner)).toMatchObject({
      count: 0,
    });
  });

  it('never sends what test addresses chose, even when it goes live', async () => {
    await change({ test_mode: true, test_emails: ['qa@example.com'] });
    const tester = await someone('qa@example.com');
    const later = await someone('later@example.com');
    await choose(tester, false);
    await choose(later, false);
    expect(await outcomesOf(tester)).toEqual(['test', 'test']);
    // Named just before going live, as the dialog suggests.
    await change({ test_mode: false, test_emails: ['qa@example.com', 'later@example.com'] });
    await deliverAll();
    expect(await outcomesOf(later)).toEqual(['test', 'test']);
    nothingWasSent();
  });

  it('loses nothing that a process held after the site went live', async () => {
    const customer = await someone();
    await change({ test_mode: true });
    await choose(customer, false);
    await goLiveWithoutRelease();
    await sweepUntil(async () => expect(await isDue(customer)).toEqual([true, true]));
    await deliverAll();
    expect(await outcomesOf(customer)).toEqual(['confirmed', 'received']);
  });

  it('keeps what it holds while workers release what others hold', async () => {
    await change({ test_mode: true });
    const customer = await someone();
    await choose(customer, false);
    const waiting = acme;
    // Its id is higher, so the sweep comes to it later.
    acme = await buildSite(product, world.owner, world.params.organization_id);
    await buildWebhook(product, acme, { url: shop.url });
    await change({ test_mode: true });
    await choose(await someone(), false);
    expect((await heldOf(acme)).held).toBe(1);
    await goLiveWithoutRelease();
    await sweepUntil(async () => expect((await heldOf(acme)).held).toBe(0));
    expect(await heldOf(waiting)).toEqual({ held: 2, scheduled: 0 });
  });

  it('goes live with any number of held changes, in slices', async () => {
    const customer = await someone();
    await change({ test_mode: true });
    await choose(customer, false);
    await owner(
      `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count,
         try_count, created_at, outcome)
       select site_id, gen_random_uuid(), action_id, customer_id, choice_id, event, status, 0, 0, created_at, outcome
       from deliveries cross join generate_series(1, 5500) where site_id = $1 and customer_id = $2`,
      [acme.params.site_id, customer.id],
    );
    await change({ test_mode: false });
    await vi.waitFor(async () => expect((await heldOf(acme)).held).toBe(0), { timeout: 20_000 });
    // Of each transaction.
    const { rows } = await owner(
      `select count(*)::int as released from deliveries where customer_id = $1 group by xmin::text order by 1 desc`,
      [customer.id],
    );
    expect(rows).toEqual([5000, 5000, 1002].map((released) => ({ released })));
    expect(await isDue(customer)).not.toContain(false);
  });

  it('goes live although a held delivery is locked, which follows later', async () => {
    const customer = await someone();
    await change({ test_mode: true });
    await choose(customer, false);
    const [locked] = await deliveriesOf(customer);
    await product.services.database.inSite(acme.params.site_id, async (site) => {
      await lockDelivery(site, locked?.id ?? '');
      await change({ test_mode: false });
      expect((await isDue(customer)).toSorted()).toEqual([false, true]);
    });
    await sweepUntil(async () => expect(await isDue(customer)).toEqual([true, true]));
  });

  it('still confirms what was sent before', async () => {
    const customer = await someone();
    await choose(customer, false);
    await deliverAll();
    expect(await outcomesOf(customer)).toEqual(['confirmed', 'received']);
    await owner(
      `update deliveries set outcome = 'checking', confirmed_at = null, next_attempt_at = now()
       where customer_id = $1 and outcome = 'confirmed'`,
      [customer.id],
    );
    const sent = [writes().length, shop.received.length];
    await change({ test_mode: true });
    await deliverAll();
    expect(await outcomesOf(customer)).toEqual(['confirmed', 'received']);
    expect([writes().length, shop.received.length]).toEqual(sent);
  });

  it('keeps holding when a tool is reconnected, which starts what is waiting for the tool', async () => {
    const early = await someone();
    await choose(early, false);
    await owner(`update deliveries set next_attempt_at = '2099-01-01' where customer_id = $1`, [early.id]);
    await change({ test_mode: true });
    const customer = await someone();
    await choose(customer, false);
    const body = { credentials: { ...mailchimp.credentials } };
    await product.call(updateIntegration, { params: of(integration), body }, acme.owner);
    expect((await isDue(early)).toSorted()).toEqual([false, true]);
    expect(await outcomesOf(customer)).toEqual(['held', 'held']);
    expect(await heldOf(acme)).toEqual({ held: 2, scheduled: 0 });
  });

  it('leaves what it holds out of the operator’s figures', async () => {
    const customer = await someone();
    await choose(customer, false);
    await change({ test_mode: true });
    await choose(customer, true);
    await leaveAll(customer);
    const { held } = await heldOf(acme);
    expect(held).toBeGreaterThan(0);
    const lateBefore = firstIdAt(new Date('2099-01-01'));
    const look = () =>
      product.services.database.readSite(acme.params.site_id, (site) => waitingDeliveries(site, lateBefore));
    expect(await look()).toMatchObject({ waiting: 2, late: 2, oldest: expect.any(String) as string });
    await owner(`update deliveries set outcome = 'held', next_attempt_at = null where customer_id = $1`, [
      customer.id,
    ]);
    expect(await look()).toEqual({ waiting: 0, late: 0, oldest: null });
  });

  it('counts nothing as late or unconfirmed that waits for it to go live', async () => {
    await change({ test_mode: true });
    const customer = await someone();
    await choose(customer, false);
    product.clock.advance({ days: 3 });
    await logInAgain(product, world.owner);
    for (const query of [{ late: 'true' }, { unconfirmed: 'true' }] as const) {
      const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
      expect(results).toEqual([]);
    }
    expect((await deliveriesOf(customer)).map((one) => one.is_late)).toEqual([false, false]);
    expect((await figures()).deliveries).toMatchObject({ waiting: 2, late: 0 });
  });

  it('writes no links and fixes no differences', async () => {
    const customer = await someone();
    await leaveAll(customer);
    await owner('delete from deliveries where site_id = $1', [acme.params.site_id]);
    const [field] = mailchimp.addResources('fields', 1);
    const body = { link_field: field ?? null };
    await product.call(updateIntegration, { params: of(integration), body }, acme.owner);
    mailchimp.seen.length = 0;
    await change({ test_mode: true });
    await LINKS.runDue(product.services);
    await compare();
    nothingWasSent();
    const refused = await product.refuse(mendDifferences, { params: of(integration), body: {} }, acme.owner);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'conflict' }] });
    await change({ test_mode: false });
    await compare();
    expect(mailchimp.holds(customer.email)?.unsubscribed).toBe(true);
  });
});

describe('the test mode settings', () => {
  it('start live and without addresses, and store keys of addresses, each once', async () => {
    expect(acme.site).toMatchObject({ test_mode: false, test_emails: [] });
    const site = await testWith(' QA@Acme.com ', 'qa@acme.com', '@Test.Acme.com');
    expect(site).toMatchObject({ test_mode: false, test_emails: ['qa@acme.com', '@test.acme.com'] });
    const customer = await buildCustomer(product, acme, 'qa@acme.com');
    expect(await product.call(getCustomer, { params: of(customer) }, acme.owner)).toMatchObject({
      test: true,
    });
  });

  it.each(['qa', '@', '@acme', 'qa@acme', '*@acme.com'])('reject %s', async (wrong) => {
    const body = { test_emails: ['qa@acme.com', wrong] };
    const refused = await product.refuse(updateSite, { params: acme.params, body }, acme.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'test_emails.1' }] });
  });

  it('accept 100 addresses', async () => {
    const all = (count: number) => Array.from({ length: count }, (_, index) => `qa${index}@acme.com`);
    expect((await testWith(...all(100))).test_emails).toHaveLength(100);
    const body = { test_emails: all(101) };
    expect(await product.refuse(updateSite, { params: acme.params, body }, acme.owner)).toMatchObject({
      status: 422,
    });
  });

  it('are in the audit log without the addresses', async () => {
    await change({ test_mode: true, test_emails: ['qa@acme.com'] });
    await change({ test_mode: true });
    await change({ test_mode: false });
    const query = { noun: 'site' as const };
    const { results } = await product.call(listAuditLog, { params: acme.params, query }, acme.owner);
    expect(results.map(({ event, count }) => [event, count])).toEqual([
      ['site.test_mode_off', null],
      ['site.test_mode_on', null],
      ['site.test_emails_changed', 1],
      ['site.created', null],
    ]);
    expect(JSON.stringify(results)).not.toContain('qa@acme.com');
  });
});

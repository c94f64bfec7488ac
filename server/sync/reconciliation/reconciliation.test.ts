import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction, updateAction } from '#contract/actions.ts';
import { type ChoiceEvent, listCustomerEvidence } from '#contract/choices.ts';
import {
  cancelComparison,
  type Comparison,
  type Difference,
  dismissDifference,
  getComparison,
  listComparisonDifferences,
  listComparisons,
  type ListedCount,
  listDifferences,
  mendDifference,
  mendDifferences,
  startComparison,
} from '#contract/comparisons.ts';
import {
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createIntegration, deleteIntegration, getIntegration } from '#contract/integrations.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { newId } from '#server/platform/ids.ts';
import { lastNightlyRun, nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { type Gate, startGate } from '#test/fakes/gate.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { RECONCILIATION, REPAIRS } from './reconciliation.jobs.ts';

const PEOPLE = scaled(200);

let product: TestProduct;
let mailServer: MailServer;
let gate: Gate;
let mailchimp: MailchimpFake;
let sendgrid: SendgridFake;
let world: World;
let acme: World;
let mailchimpId: string;

beforeAll(async () => {
  mailchimp = await startMailchimpFake();
  sendgrid = await startSendgridFake();
  mailServer = await startMailServer();
  gate = await startGate(mailchimp.url);
  // No worker: the tests take each turn, and make each delivery, themselves.
  product = await startTestProduct({
    env: {
      CONNECTOR_MAILCHIMP_URL: gate.url,
      CONNECTOR_SENDGRID_URL: sendgrid.url,
      SMTP_URL: mailServer.url,
    },
  });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await gate.close();
  await mailchimp.close();
  await sendgrid.close();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await owner('delete from rate_limits');
  await owner('delete from scheduled_tasks');
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  mailchimpId = await connect('mailchimp');
});

const owner = (text: string, values: unknown[] = []) => product.testDatabase.owner.query(text, values);

async function timePasses(by: Parameters<typeof product.clock.advance>[0]): Promise<void> {
  product.clock.advance(by);
  await logInAgain(product, world.owner);
}

async function connect(provider: 'mailchimp' | 'sendgrid', site = acme): Promise<string> {
  const { credentials } = provider === 'mailchimp' ? mailchimp : sendgrid;
  const body = { provider, credentials: { ...credentials } };
  return (await product.call(createIntegration, { params: site.params, body }, site.owner)).id;
}

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

const act = (event: ChoiceEvent, parts: Pick<NewAction, 'type'> & Partial<NewAction>, site = acme) =>
  product.call(
    createAction,
    {
      params: site.params,
      body: {
        name: 'Tell the tool',
        integration_id: mailchimpId,
        trigger: { event, list_ids: event.includes('global') ? [] : [site.weekly.id] },
        target: {},
        ...parts,
      },
    },
    site.owner,
  );

const audience = () => ({ id: mailchimp.audience, name: 'Audience 1' });

/** Who receives the weekly list is in the audience; who leaves everything is unsubscribed there. */
async function tieWeekly(): Promise<void> {
  await act('subscribed', { type: 'list', target: audience(), operation: 'add' });
  await act('unsubscribed', { type: 'list', target: audience(), operation: 'remove' });
}

const blockLeavers = (site = acme, integrationId = mailchimpId) =>
  act(
    'global_unsubscribed',
    { type: 'global_unsubscribe', operation: 'unsubscribe', integration_id: integrationId },
    site,
  );

const ofSite = (id: string) => ({ ...acme.params, id });

const choose = (customer: Customer, subscribed: boolean, list = acme.weekly) =>
  product.call(
    setCustomerLists,
    { params: ofSite(customer.id), body: [{ notification_list_id: list.id, subscribed }] },
    acme.owner,
  );

const leave = (customer: Customer, hasLeft = true) =>
  product.call(
    updateCustomer,
    { params: ofSite(customer.id), body: { global_unsubscribe: hasLeft } },
    acme.owner,
  );

/** All that waits is given up, as after an outage that outlasted every try. */
const loseDeliveries = () => owner(`update deliveries set status = 'failed' where status = 'waiting'`);

async function deliverAll(): Promise<void> {
  const query = { status: 'waiting' as const, limit: 100 };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  for (const { id, attempt_count: round } of results.toReversed()) {
    await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
  }
}

/** From its beginning to its end, however often it has to wait for room among the tool's calls. */
async function compare(id = mailchimpId): Promise<Comparison> {
  const { id: comparisonId } = await start(id);
  for (;;) {
    await turns();
    const comparison = await read(comparisonId, id);
    if (comparison.status !== 'running') return comparison;
    product.clock.advance({ seconds: 5 });
  }
}

const start = (id = mailchimpId) => product.call(startComparison, { params: ofSite(id) }, acme.owner);

const turns = () => RECONCILIATION.runDue(product.services);

const read = (comparisonId: string, id = mailchimpId) =>
  product.call(getComparison, { params: { ...ofSite(id), comparison_id: comparisonId } }, acme.owner);

async function differences(
  query: { status?: Difference['status']; kind?: Difference['kind'] } = {},
  id = mailchimpId,
): Promise<Difference[]> {
  return (await product.call(listDifferences, { params: ofSite(id), query }, acme.owner)).results;
}

async function onlyDifference(id = mailchimpId): Promise<Difference> {
  const [one, ...others] = await differences({ status: 'open' }, id);
  if (one === undefined || others.length > 0) throw new Error('There should be one open difference');
  return one;
}

/** Who is behind a count, oldest first, read one at a time. */
async function behind(
  { id: comparisonId }: Comparison,
  count: ListedCount,
): Promise<Pick<Difference, 'customer_id' | 'status'>[]> {
  const params = { ...ofSite(mailchimpId), comparison_id: comparisonId };
  const found: Difference[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { count, limit: 1, ...(cursor === '' ? {} : { cursor }) };
    const page: { results: Difference[]; next: string | null } = await product.call(
      listComparisonDifferences,
      { params, query },
      acme.owner,
    );
    found.unshift(...page.results);
    cursor = page.next;
  }
  return found.map(({ customer_id, status }) => ({ customer_id, status }));
}

const mend = ({ id: differenceId }: Difference, id = mailchimpId) =>
  product.call(mendDifference, { params: { ...ofSite(id), difference_id: differenceId } }, acme.owner);

const dismiss = ({ id: differenceId }: Difference) =>
  product.call(
    dismissDifference,
    { params: { ...ofSite(mailchimpId), difference_id: differenceId } },
    acme.owner,
  );

/** A customer who is subscribed in Mailchimp's audience. */
async function someone(): Promise<Customer> {
  const customer = await buildCustomer(product, acme);
  mailchimp.addContact(customer.email);
  return customer;
}

/** Chose the weekly list, and Mailchimp was never told. */
async function notThere(): Promise<Customer> {
  const customer = await buildCustomer(product, acme);
  await choose(customer, true);
  await loseDeliveries();
  return customer;
}

const stateHere = async ({ id }: Customer) => {
  const customer = await product.call(getCustomer, { params: ofSite(id) }, acme.owner);
  const { results } = await product.call(getCustomerLists, { params: ofSite(id) }, acme.owner);
  const of = (listId: string) =>
    results.find((one) => one.notification_list_id === listId)?.subscribed ?? null;
  return { hasLeft: customer.global_unsubscribe, weekly: of(acme.weekly.id), offers: of(acme.offers.id) };
};

const listsThere = ({ email }: Customer) => mailchimp.holds(email)?.lists ?? null;

const sendsThere = async (work: () => Promise<unknown>): Promise<number> => {
  const before = mailchimp.seen.length;
  await work();
  return mailchimp.seen.length - before;
};

describe('an opt-out that is missing in the tool', () => {
  it('is set by the comparison itself, and recorded as fixed', async () => {
    await blockLeavers();
    const vera = await someone();
    await leave(vera);
    await loseDeliveries();
    const done = await compare();
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
    expect(done).toMatchObject({
      kind: 'on_demand',
      status: 'finished',
      counts: { total: 1, customers: 1, compared: 1, same: 1, different: 0, mended: 1 },
      started_by: world.owner.id,
    });
    expect(await differences()).toMatchObject([
      {
        kind: 'opt_out_missing',
        status: 'mended',
        customer_id: vera.id,
        customer_email: vera.email,
        change: { in: 'tool', type: 'global_unsubscribe', on: true },
        ours: { global_unsubscribe: true },
        theirs: { known: true, unsubscribed: false, holds: false },
      },
    ]);
    expect((await compare()).counts).toMatchObject({ same: 1, mended: 0 });
  });

  it('is set at the address that the person gave up and at the new one, of which the tool was never told', async () => {
    await blockLeavers();
    const vera = await someone();
    const email = `new-${vera.email}`;
    await product.call(updateCustomer, { params: ofSite(vera.id), body: { email } }, acme.owner);
    await leave(vera);
    await loseDeliveries();
    expect((await compare()).counts).toMatchObject({ compared: 1, mended: 2 });
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
    expect((await compare()).counts).toMatchObject({ compared: 1, mended: 0 });
  });

  it('from one list is set, even where the person left everything without ever choosing the list', async () => {
    await tieWeekly();
    const vera = await someone();
    const mia = await someone();
    await choose(vera, false);
    await leave(mia);
    await loseDeliveries();
    await compare();
    expect([listsThere(vera), listsThere(mia)]).toEqual([[], []]);
  });

  it('by a pause is set like one from leaving, as deliveries do', async () => {
    await blockLeavers();
    const vera = await someone();
    await leave(vera);
    await owner('update customers set paused_until = $1 where id = $2', [
      new Date(product.clock.now().getTime() + 86_400_000),
      vera.id,
    ]);
    await loseDeliveries();
    await compare();
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
  });

  it('that the tool refuses stays open with its message, without the address, and is retried', async () => {
    await act('unsubscribed', { type: 'list', target: { id: 'a999/i9', name: 'Gone' }, operation: 'remove' });
    await blockLeavers();
    const vera = await someone();
    await leave(vera);
    await loseDeliveries();
    const before = mailchimp.seen.length;
    const { id } = await start();
    // Reading goes well, then the write is refused.
    await refuseWrites(async () => turns());
    expect(mailchimp.seen.length).toBeGreaterThan(before);
    expect((await read(id)).counts).toMatchObject({ different: 1, failed: 1, mended: 0 });
    const open = await onlyDifference();
    expect(open.error).toMatch(/Mailchimp/);
    expect(open.error).not.toContain(vera.email);
    await compare();
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
    expect(await differences({ status: 'open' })).toEqual([]);
  });

  it('is no longer missing for a person who comes back between the reading and the fixing', async () => {
    await tieWeekly();
    const vera = await someone();
    await choose(vera, false);
    await loseDeliveries();
    await start();
    // While Mailchimp is asked the person comes back; the tool's answer is from before.
    await whenAsked(async () => {
      await choose(vera, true);
      await loseDeliveries();
    }, turns);
    expect(listsThere(vera)).toEqual([mailchimp.audience]);
    expect(await differences({ kind: 'opt_out_missing' })).toEqual([]);
  });

  it('is left to a delivery that is on its way', async () => {
    await blockLeavers();
    const vera = await someone();
    await leave(vera);
    expect((await compare()).counts).toMatchObject({ customers: 1, compared: 0, skipped: 1 });
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(false);
    await deliverAll();
    expect((await compare()).counts).toMatchObject({ same: 1, mended: 0 });
  });

  it('waits while a delivery has the person locked', async () => {
    await blockLeavers();
    const vera = await someone();
    await leave(vera);
    await loseDeliveries();
    await owner(`insert into customer_leases values ($1, $2, $3, $4, $5)`, [
      acme.params.site_id,
      mailchimpId,
      vera.id,
      newId(),
      new Date(product.clock.now().getTime() + 60_000),
    ]);
    expect((await compare()).counts).toMatchObject({ skipped: 1, mended: 0 });
    await timePasses({ minutes: 2 });
    expect((await compare()).counts).toMatchObject({ mended: 1 });
  });
});

/** The first write of a kind is refused; what only reads goes through. */
async function refuseWrites(work: () => Promise<unknown>): Promise<void> {
  const { seen } = mailchimp;
  const push = seen.push.bind(seen);
  seen.push = (...all) => {
    if (all.some(({ method }) => method !== 'GET')) mailchimp.trouble({ status: 400, body: REFUSAL });
    return push(...all);
  };
  try {
    await work();
  } finally {
    seen.push = push;
  }
}

const REFUSAL = JSON.stringify({ title: 'Invalid Resource', status: 400, detail: 'No.' });

/** Something happens between the next answer of the tool and its arrival here. */
async function whenAsked(happens: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  gate.beforeAnswer = happens;
  await work();
  expect(gate.beforeAnswer).toBe(null);
}

describe('a missing effect of an action', () => {
  it('is only proposed where it raises consent, and applied on one click', async () => {
    await tieWeekly();
    const vera = await notThere();
    expect((await compare()).counts).toMatchObject({ different: 1, mended: 0 });
    expect(listsThere(vera)).toBe(null);
    const open = await onlyDifference();
    expect(open).toMatchObject({
      kind: 'not_applied',
      change: { in: 'tool', type: 'list', target: audience(), on: true, list_ids: [] },
      ours: { lists: [{ list_id: acme.weekly.id, subscribed: true }] },
      theirs: { known: false, holds: false },
    });
    expect(await mend(open)).toMatchObject({ status: 'mended', error: null });
    expect(listsThere(vera)).toEqual([mailchimp.audience]);
    expect((await product.refuse(mendDifference, paramsOf(open), acme.owner)).status).toBe(409);
  });

  it('belongs to its integration: through another one it answers 404', async () => {
    await tieWeekly();
    await notThere();
    await compare();
    const open = await onlyDifference();
    const otherId = await connect('mailchimp');
    const params = { params: { ...ofSite(otherId), difference_id: open.id } };
    expect((await product.refuse(mendDifference, params, acme.owner)).status).toBe(404);
    expect((await product.refuse(dismissDifference, params, acme.owner)).status).toBe(404);
    const { results } = await product.call(listComparisons, { params: ofSite(mailchimpId) }, acme.owner);
    const comparison = { params: { ...ofSite(otherId), comparison_id: results[0]?.id ?? '' } };
    expect((await product.refuse(getComparison, comparison, acme.owner)).status).toBe(404);
    expect((await product.refuse(cancelComparison, comparison, acme.owner)).status).toBe(404);
    expect(await onlyDifference()).toEqual(open);
  });

  it('is already gone when somebody else applied it meanwhile, or the person left', async () => {
    await tieWeekly();
    const vera = await notThere();
    const mia = await notThere();
    await compare();
    mailchimp.addContact(vera.email);
    await choose(mia, false);
    await loseDeliveries();
    for (const one of await differences()) expect(await mend(one)).toMatchObject({ status: 'gone' });
    expect(listsThere(mia)).toBe(null);
  });

  it('is closed by a later comparison when it no longer applies, and not created twice when it does', async () => {
    await tieWeekly();
    const vera = await notThere();
    await compare();
    const [first] = await differences();
    const second = await compare();
    expect(await differences()).toMatchObject([{ id: first?.id, comparison_id: second.id, status: 'open' }]);
    mailchimp.addContact(vera.email);
    await compare();
    expect(await differences()).toMatchObject([{ id: first?.id, status: 'gone' }]);
  });

  it('stays dismissed as long as it is the same, and comes back when it is a different one', async () => {
    await tieWeekly();
    const vera = await notThere();
    await compare();
    const open = await onlyDifference();
    expect(await dismiss(open)).toMatchObject({ status: 'dismissed' });
    await compare();
    expect(await differences()).toMatchObject([{ id: open.id, status: 'dismissed' }]);
    mailchimp.addContact(vera.email);
    await compare();
    expect(await differences()).toMatchObject([{ id: open.id, status: 'gone' }]);
    await choose(vera, false);
    await loseDeliveries();
    await compare();
    expect((await differences())[0]).toMatchObject({ kind: 'opt_out_missing', status: 'mended' });
  });

  it('stays open with the tool’s message when it refuses', async () => {
    await act('subscribed', { type: 'list', target: audience(), operation: 'add' });
    const vera = await notThere();
    await compare();
    mailchimp.forget(mailchimp.audience, vera.email);
    const mended = await mend(await onlyDifference());
    expect(mended).toMatchObject({ status: 'open' });
    expect(mended.error).toMatch(/Mailchimp/);
    expect(mended.error).not.toContain(vera.email);
  });

  it('answers 503 while the tool is unavailable, and 409 while a delivery has the person locked', async () => {
    await tieWeekly();
    const vera = await notThere();
    await compare();
    const open = await onlyDifference();
    mailchimp.trouble({ status: 500 });
    expect((await product.refuse(mendDifference, paramsOf(open), acme.owner)).status).toBe(503);
    await choose(vera, true, acme.offers);
    await owner(`insert into customer_leases values ($1, $2, $3, $4, $5)`, [
      acme.params.site_id,
      mailchimpId,
      vera.id,
      newId(),
      new Date(product.clock.now().getTime() + 60_000),
    ]);
    expect((await product.refuse(mendDifference, paramsOf(open), acme.owner)).status).toBe(409);
    expect(await onlyDifference()).toMatchObject({ id: open.id });
  });

  it('is not looked for where somebody never chose, and the tool is not asked about them', async () => {
    const [tag] = mailchimp.addResources('tags', 1);
    if (tag === undefined) throw new Error('The fake made no tag');
    await act('customer_created', { type: 'list', target: audience(), operation: 'add' });
    await act('global_resubscribed', { type: 'tag', target: tag, operation: 'add' });
    await tieWeekly();
    await buildCustomer(product, acme);
    await loseDeliveries();
    const calls = await sendsThere(async () => {
      expect((await compare()).counts).toMatchObject({ customers: 1, compared: 0, skipped: 1 });
    });
    expect(calls).toBe(0);
  });
});

const paramsOf = ({ id }: Difference) => ({ params: { ...ofSite(mailchimpId), difference_id: id } });

describe('a person missing in a list', () => {
  it('is never unsubscribed for it, here or there', async () => {
    await tieWeekly();
    await blockLeavers();
    const vera = await notThere();
    const mia = await someone();
    await choose(mia, true, acme.offers);
    await loseDeliveries();
    await compare();
    expect(await stateHere(vera)).toEqual({ hasLeft: false, weekly: true, offers: null });
    expect(await stateHere(mia)).toEqual({ hasLeft: false, weekly: null, offers: true });
    expect(listsThere(mia)).toEqual([mailchimp.audience]);
    expect((await differences()).map(({ kind }) => kind)).toEqual(['not_applied']);
  });
});

describe('an opt-out that only the tool has', () => {
  it('is proposed, applied on one click, and sent to the other tool but not back', async () => {
    await tieWeekly();
    await blockLeavers();
    const sendgridId = await connect('sendgrid');
    await blockLeavers(acme, sendgridId);
    const vera = await someone();
    await choose(vera, true);
    await deliverAll();
    mailchimp.addMember(mailchimp.audience, vera.email, { status: 'unsubscribed', leftByThemselves: true });
    expect((await compare()).counts).toMatchObject({ different: 1, mended: 0 });
    const open = await onlyDifference();
    expect(open).toMatchObject({
      kind: 'opted_out_there',
      change: { in: 'here', type: 'global_unsubscribe', on: true, list_ids: [] },
      theirs: { unsubscribed: true },
    });
    expect(await mend(open)).toMatchObject({ status: 'mended' });
    expect(await stateHere(vera)).toMatchObject({ hasLeft: true });
    const evidence = await product.call(listCustomerEvidence, { params: ofSite(vera.id) }, acme.owner);
    expect(evidence.results[0]).toMatchObject({ source: 'tool', authority: 'system' });
    const toMailchimp = await sendsThere(deliverAll);
    expect(toMailchimp).toBe(0);
    expect(sendgrid.holds(vera.email)?.unsubscribed).toBe(true);
    expect((await compare()).counts).toMatchObject({ same: 1, different: 0 });
    expect((await compare(sendgridId)).counts).toMatchObject({ same: 1, different: 0 });
  });

  it('from a suppression group leaves the linked lists, and is never lifted there', async () => {
    const sendgridId = await connect('sendgrid');
    const [group] = sendgrid.addResources('suppression_groups', 1);
    if (group === undefined) throw new Error('The fake made no group');
    const tied = { type: 'suppression_group', target: group, integration_id: sendgridId } as const;
    await act('unsubscribed', { ...tied, operation: 'add' });
    await act('subscribed', { ...tied, operation: 'remove' });
    const vera = await buildCustomer(product, acme);
    sendgrid.addContact(vera.email);
    await choose(vera, true);
    await choose(vera, true, acme.offers);
    await deliverAll();
    await fetch(`${sendgrid.url}/v3/asm/groups/${group.id}/suppressions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sendgrid.credentials['api_key'] ?? ''}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ recipient_emails: [vera.email] }),
    });
    await compare(sendgridId);
    const open = await onlyDifference(sendgridId);
    expect(open).toMatchObject({
      kind: 'opted_out_there',
      change: { in: 'here', type: 'suppression_group', list_ids: [acme.weekly.id] },
    });
    await mend(open, sendgridId);
    expect(await stateHere(vera)).toEqual({ hasLeft: false, weekly: false, offers: true });
    expect(sendgrid.holds(vera.email)?.suppression_groups).toEqual([group.id]);
    expect((await compare(sendgridId)).counts).toMatchObject({ same: 1 });
  });

  it('is not applied to somebody who came back since the difference was found', async () => {
    await tieWeekly();
    const vera = await someone();
    await choose(vera, true);
    await deliverAll();
    mailchimp.addMember(mailchimp.audience, vera.email, { status: 'unsubscribed' });
    await compare();
    const open = await onlyDifference();
    await choose(vera, false);
    await deliverAll();
    await choose(vera, true);
    await deliverAll();
    expect(await mend(open)).toMatchObject({ status: 'gone' });
    expect(await stateHere(vera)).toMatchObject({ hasLeft: false, weekly: true });
  });

  it('is nothing new where our own rule unsubscribed the person there', async () => {
    await act('unsubscribed', { type: 'global_unsubscribe', operation: 'unsubscribe' });
    const vera = await someone();
    await choose(vera, true, acme.offers);
    await choose(vera, false);
    await deliverAll();
    expect(mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
    expect((await compare()).counts).toMatchObject({ same: 1, different: 0 });
  });
});

describe('fixing many differences', () => {
  it('runs in the background with its progress, and applies to what matches', async () => {
    await tieWeekly();
    const people = [await notThere(), await notThere(), await notThere()];
    const out = await someone();
    await choose(out, true);
    await loseDeliveries();
    mailchimp.addMember(mailchimp.audience, out.email, { status: 'unsubscribed' });
    await compare();
    const answer = await product.call(listDifferences, { params: ofSite(mailchimpId) }, acme.owner);
    expect(answer.open).toEqual({ opt_out_missing: 0, not_applied: 3, opted_out_there: 1 });
    const ofList = { in: 'tool', type: 'list', on: true, list_ids: [] };
    const target = expect.objectContaining({ id: mailchimp.audience });
    expect(answer.open_changes).toEqual([
      { kind: 'not_applied', change: { ...ofList, target }, count: 3 },
      { kind: 'opted_out_there', change: expect.objectContaining({ in: 'here' }), count: 1 },
    ]);
    const body = { kind: 'not_applied' as const };
    const job = await product.call(mendDifferences, { params: ofSite(mailchimpId), body }, acme.owner);
    expect(job).toMatchObject({ kind: 'mending', status: 'running', counts: { total: 3, customers: 0 } });
    const again = await product.refuse(mendDifferences, { params: ofSite(mailchimpId), body }, acme.owner);
    expect(again.status).toBe(409);
    mailchimp.trouble({ status: 500 });
    await REPAIRS.runDue(product.services);
    expect(await read(job.id)).toMatchObject({
      status: 'running',
      error: expect.stringMatching(/answered with an error/),
    });
    await timePasses({ minutes: 6 });
    await REPAIRS.runDue(product.services);
    expect(await read(job.id)).toMatchObject({
      status: 'finished',
      counts: { total: 3, customers: 3, mended: 3, failed: 0 },
      error: null,
    });
    for (const one of people) expect(listsThere(one)).toEqual([mailchimp.audience]);
    expect((await onlyDifference()).kind).toBe('opted_out_there');
    const ids = [(await onlyDifference()).id];
    await product.call(mendDifferences, { params: ofSite(mailchimpId), body: { ids } }, acme.owner);
    await REPAIRS.runDue(product.services);
    expect(await stateHere(out)).toMatchObject({ hasLeft: true });
  });
});

describe('the counts', () => {
  it('lead to their customers, of a comparison and of a repair, each with its current state', async () => {
    await tieWeekly();
    await blockLeavers();
    const gone = await someone();
    await leave(gone);
    const [first, second] = [await notThere(), await notThere()];
    await loseDeliveries();
    const done = await compare();
    expect(done.counts).toMatchObject({ different: 2, mended: 2, failed: 0 });
    // Off the list, and unsubscribed from all.
    const off = { customer_id: gone.id, status: 'mended' };
    expect(await behind(done, 'mended')).toEqual([off, off]);
    const both = [first, second].map(({ id }) => ({ customer_id: id, status: 'open' }));
    expect(await behind(done, 'different')).toEqual(both);
    expect(await behind(done, 'failed')).toEqual([]);

    await timePasses({ minutes: 1 });
    mailchimp.trouble({ status: 400 });
    const body = { kind: 'not_applied' as const };
    const job = await product.call(mendDifferences, { params: ofSite(mailchimpId), body }, acme.owner);
    await REPAIRS.runDue(product.services);
    const repair = await read(job.id);
    expect(repair.counts).toMatchObject({ mended: 1, failed: 1 });
    expect(await behind(repair, 'different')).toEqual([]);
    const [fixed] = await behind(repair, 'mended');
    const [refused] = await behind(repair, 'failed');
    expect([fixed?.customer_id, refused?.customer_id].toSorted()).toEqual([first.id, second.id].toSorted());
    expect((await behind(done, 'different')).map(({ status }) => status).toSorted()).toEqual([
      'mended',
      'open',
    ]);
    expect(await behind(done, 'mended')).toHaveLength(2);
  });

  it('of one tool are not found through another', async () => {
    const done = await compare();
    const params = { ...ofSite(await connect('sendgrid')), comparison_id: done.id };
    const answer = await product.refuse(
      listComparisonDifferences,
      { params, query: { count: 'mended' } },
      acme.owner,
    );
    expect(answer.status).toBe(404);
  });
});

describe('a comparison', () => {
  it('runs once at a time for a tool; of two requests at once, one is refused', async () => {
    await tieWeekly();
    const params = { params: ofSite(mailchimpId) };
    const both = await Promise.allSettled([start(), start()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await product.refuse(startComparison, params, acme.owner)).status).toBe(409);
    await Promise.all([turns(), turns()]);
    expect((await product.call(listComparisons, params, acme.owner)).results).toMatchObject([
      { status: 'finished' },
    ]);
  });

  it('whose worker was killed continues where it was', async () => {
    await tieWeekly();
    for (let count = 0; count < 25; count += 1) await notThere();
    const { id } = await start();
    // Dies after the first group: as a process that is gone, it does not even say so.
    const stopping = new AbortController();
    await whenAsked(
      async () => stopping.abort(),
      () => RECONCILIATION.runDue(product.services, stopping.signal),
    );
    expect(await read(id)).toMatchObject({ status: 'running', counts: { total: 25, customers: 10 } });
    await owner('update scheduled_tasks set lease = integration_id, due_at = $1 where integration_id = $2', [
      new Date(product.clock.now().getTime() + 3 * 60_000),
      mailchimpId,
    ]);
    await turns();
    expect(await read(id)).toMatchObject({ counts: { customers: 10 } });
    await timePasses({ minutes: 4 });
    const calls = await sendsThere(turns);
    expect(calls).toBe(15);
    expect(await read(id)).toMatchObject({ status: 'finished', counts: { customers: 25, different: 25 } });
    expect((await differences({ status: 'open' })).length).toBe(25);
  });

  it('that the tool limits continues after the stated seconds', async () => {
    await tieWeekly();
    await notThere();
    const { id } = await start();
    mailchimp.trouble({ status: 429, headers: { 'retry-after': '120' } });
    await turns();
    await timePasses({ seconds: 100 });
    expect(await sendsThere(turns)).toBe(0);
    expect((await read(id)).status).toBe('running');
    await timePasses({ seconds: 30 });
    await turns();
    expect((await read(id)).status).toBe('finished');
  });

  it('retries after five minutes when the tool fails or returns garbage, and gives up after 12 hours', async () => {
    await tieWeekly();
    await notThere();
    const { id } = await start();
    for (const trouble of [{ status: 500 }, 'garbage', 'cut', { status: 200, body: '<html>' }] as const) {
      mailchimp.trouble(trouble);
      await turns();
      expect(await read(id)).toMatchObject({ status: 'running', error: expect.stringMatching(/Mailchimp/) });
      expect(await sendsThere(turns)).toBe(0);
      await timePasses({ minutes: 6 });
    }
    await timePasses({ hours: 12 });
    mailchimp.trouble({ status: 500 });
    await turns();
    const failed = await read(id);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/500/) });
    expect(failed.finished_at).not.toBe(null);
    expect((await compare()).status).toBe('finished');
  });

  it('is not delayed by one person for whom the tool fails', async () => {
    await tieWeekly();
    for (let number = 0; number < 5; number += 1) await notThere();
    const broken = await notThere();
    for (let number = 0; number < 5; number += 1) await notThere();
    gate.broken = encodeURIComponent(broken.email);
    const { id } = await start();
    await turns();
    expect(await read(id)).toMatchObject({ status: 'running', counts: { customers: 5 } });
    await timePasses({ minutes: 6 });
    await turns();
    gate.broken = null;
    expect(await read(id)).toMatchObject({
      status: 'finished',
      counts: { customers: 11, different: 10, unknown: 1 },
    });
  });

  it('ends when the tool rejects the credentials, and its owners are told', async () => {
    await tieWeekly();
    await notThere();
    const { id } = await start();
    mailchimp.trouble({ status: 401 });
    await turns();
    expect(await read(id)).toMatchObject({ status: 'failed' });
    const integration = await product.call(getIntegration, { params: ofSite(mailchimpId) }, acme.owner);
    expect(integration.status).toBe('credentials_refused');
    expect(mailServer.mails).toHaveLength(1);
    const refused = await product.refuse(startComparison, { params: ofSite(mailchimpId) }, acme.owner);
    expect(refused.status).toBe(409);
    const { nightly_at: nightly } = await product.call(
      listComparisons,
      { params: ofSite(mailchimpId) },
      acme.owner,
    );
    expect(nightly).toBe(null);
  });

  it('that is cancelled stops where it is', async () => {
    await tieWeekly();
    for (let count = 0; count < 12; count += 1) await notThere();
    const { id } = await start();
    const params = { params: { ...ofSite(mailchimpId), comparison_id: id } };
    await whenAsked(() => product.call(cancelComparison, params, acme.owner), turns);
    expect((await read(id)).status).toBe('cancelled');
    expect((await product.refuse(cancelComparison, params, acme.owner)).status).toBe(409);
    expect(await sendsThere(turns)).toBe(0);
    expect((await compare()).status).toBe('finished');
  });

  it('with a tool that is disconnected ends, and all that it found is deleted', async () => {
    const action = await blockLeavers();
    await notThere();
    await start();
    await product.call(updateAction, { params: ofSite(action.id), body: { enabled: false } }, acme.owner);
    await owner('update actions set deleted_at = now() where id = $1', [action.id]);
    await product.call(deleteIntegration, { params: ofSite(mailchimpId) }, acme.owner);
    await turns();
    const { rows } = await owner(
      `select id from reconciliations where integration_id = $1 union all
       select id from discrepancies where integration_id = $1 union all
       select integration_id from scheduled_tasks where integration_id = $1`,
      [mailchimpId],
    );
    expect(rows).toEqual([]);
  });

  it('contains nothing about erased people', async () => {
    await tieWeekly();
    const vera = await notThere();
    const mia = await notThere();
    await compare();
    await product.call(deleteCustomer, { params: ofSite(vera.id) }, acme.owner);
    expect((await differences()).map((one) => one.customer_id)).toEqual([mia.id]);
    expect((await compare()).counts).toMatchObject({ total: 1, customers: 1 });
    const { rows } = await owner('select * from discrepancies where customer_id = $1', [vera.id]);
    expect(rows).toEqual([]);
  });

  it('stores no address', async () => {
    await tieWeekly();
    const vera = await notThere();
    await compare();
    const { rows } = await owner('select t::text as row from discrepancies t');
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows as { row: string }[]) expect(row).not.toContain(vera.email);
  });

  it('is deleted 90 days after it ended', async () => {
    await blockLeavers();
    const vera = await someone();
    await leave(vera);
    await loseDeliveries();
    const old = await compare();
    expect(await differences()).toHaveLength(1);
    await timePasses({ days: 91 });
    await compare();
    expect(await differences()).toEqual([]);
    const { results } = await product.call(listComparisons, { params: ofSite(mailchimpId) }, acme.owner);
    expect(results.map(({ id }) => id)).not.toContain(old.id);
  });

  it(
    'of many people makes one call for each who chose, and writes only where something is missing',
    { timeout: 120_000 },
    async () => {
      await tieWeekly();
      await owner(
        `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, person_salt, created_at, updated_at)
       select $1, gen_random_uuid(), 'p' || n || '@people.example', 'p' || n || '@people.example', false, 0, '\\x00', now(), now()
       from generate_series(1, $2::int) n`,
        [acme.params.site_id, PEOPLE],
      );
      await owner(
        `insert into subscriptions (site_id, customer_id, list_id, subscribed, changed_at)
       select site_id, id, $2, email_key not like '%50@people.example', now() from customers
       where site_id = $1 and email_key not like '%9@people.example'`,
        [acme.params.site_id, acme.weekly.id],
      );
      for (let n = 1; n <= PEOPLE; n += 1) mailchimp.addContact(`p${n}@people.example`);
      const before = mailchimp.seen.length;
      const done = await compare();
      expect(done.counts).toMatchObject({
        total: PEOPLE,
        customers: PEOPLE,
        compared: PEOPLE * 0.9,
        skipped: PEOPLE * 0.1,
        same: PEOPLE * 0.9,
        different: 0,
        mended: PEOPLE / 100,
      });
      const seen = mailchimp.seen.slice(before);
      // Audiences, member and tags for each; to mend: the member again, the write, and the state again.
      // Who was begun with when there was no room any more is asked again.
      expect(seen.length).toBeLessThanOrEqual(PEOPLE * 0.9 * 3 + (PEOPLE / 100) * 5 + PEOPLE * 0.3);
      expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(PEOPLE / 100);
    },
  );
});

describe('at night', () => {
  const nights = async (id = mailchimpId, site = acme) =>
    (await product.call(listComparisons, { params: { ...site.params, id } }, site.owner)).results.filter(
      ({ kind }) => kind === 'nightly',
    );

  const until = async (id: string, minutes: number) => {
    const now = product.clock.now().getTime();
    await timePasses({
      seconds: (nextNightlyRun(id, product.clock.now()).getTime() - now) / 1000 + minutes * 60,
    });
  };

  it('every connected tool of every site is compared once, at a time of its own', async () => {
    // At noon all nights of the day are over, whatever time the test begins at.
    const hour = product.clock.now().getUTCHours();
    await timePasses({ hours: (36 - hour) % 24 });
    await tieWeekly();
    const other = await buildSite(product, world.owner, world.params.organization_id);
    const otherId = await connect('mailchimp', other);
    await blockLeavers(other, otherId);
    await notThere();
    await turns();
    expect([await nights(), await nights(otherId, other)]).toEqual([[], []]);
    for (const id of [mailchimpId, otherId]) {
      const at = nextNightlyRun(id, product.clock.now());
      expect(at.getUTCHours()).toBeGreaterThanOrEqual(1);
      expect(at.getUTCHours()).toBeLessThan(5);
    }
    await until(mailchimpId, -2);
    await turns();
    expect(await nights()).toEqual([]);
    await timePasses({ minutes: 3 });
    await turns();
    expect(await nights()).toMatchObject([
      { status: 'finished', started_by: null, counts: { different: 1 } },
    ]);
    await timePasses({ minutes: 30 });
    await turns();
    expect(await nights()).toHaveLength(1);
    await timePasses({ hours: 4 });
    await turns();
    expect([await nights(), await nights(otherId, other)].map(({ length }) => length)).toEqual([1, 1]);
    await until(mailchimpId, 1);
    await turns();
    expect(await nights()).toHaveLength(2);
    await timePasses({ hours: 4 });
    await turns();
    expect(await nights(otherId, other)).toHaveLength(2);
  });

  it('nothing is compared that is off, or that no action acts through; a missed night is made up for', async () => {
    await until(mailchimpId, 1);
    await turns();
    expect(await nights()).toEqual([]);
    await tieWeekly();
    await until(mailchimpId, 1);
    await owner(`update integrations set status = 'switched_off' where id = $1`, [mailchimpId]);
    await turns();
    expect(await nights()).toEqual([]);
    await owner(`update integrations set status = 'connected' where id = $1`, [mailchimpId]);
    await until(mailchimpId, 5 * 60);
    await turns();
    expect(await nights()).toHaveLength(1);
  });

  it('a comparison has a last time and a next one', () => {
    const id = newId();
    const now = new Date('2026-11-21T12:00:00Z');
    expect(nextNightlyRun(id, now).getTime() - lastNightlyRun(id, now).getTime()).toBe(86_400_000);
    expect(lastNightlyRun(id, now) <= now && now < nextNightlyRun(id, now)).toBe(true);
    expect(lastNightlyRun(id, nextNightlyRun(id, now))).toEqual(nextNightlyRun(id, now));
  });
});

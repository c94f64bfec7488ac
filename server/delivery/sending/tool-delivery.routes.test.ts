import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { updateAccount } from '#contract/accounts.ts';
import { createAction, previewAction, updateAction } from '#contract/actions.ts';
import { type ChoiceEvent, listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, deleteCustomer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import {
  createIntegration,
  getIntegration,
  updateIntegration,
  verifyIntegration,
} from '#contract/integrations.ts';
import { lockDelivery } from '#server/delivery/deliveries/deliveries.sql.ts';
import { expediteDeliveriesTo, retryReservationsOf } from '#server/delivery/deliveries/deliveries.ts';
import { recordToolSuccess } from '#server/delivery/deliveries/circuit-breaker.ts';
import { newId } from '#server/platform/ids.ts';
import { reserveSlot } from '#server/tools/clients/reservations.ts';
import { lockIntegration } from '#server/tools/integrations/integrations.sql.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { countLockWaits } from '#test/harness/lock-waits.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  type World,
} from '#test/harness/world.ts';
import { deliverNow } from './deliveries.jobs.ts';

let product: TestProduct;
let mailServer: MailServer;
let brevo: BrevoFake;
let mailchimp: MailchimpFake;
let world: World;
let acme: World;
let integrationId: string;

beforeAll(async () => {
  brevo = await startBrevoFake();
  mailchimp = await startMailchimpFake();
  mailServer = await startMailServer();
  // No worker: the tests make each attempt themselves, when their clock says so.
  product = await startTestProduct({
    env: {
      CONNECTOR_BREVO_URL: brevo.url,
      CONNECTOR_MAILCHIMP_URL: mailchimp.url,
      SMTP_URL: mailServer.url,
    },
  });
  world = await buildWorld(product);
});

async function hoursPass(hours: number): Promise<void> {
  product.clock.advance({ hours });
  await logInAgain(product, world.owner);
}

beforeEach(async () => {
  mailServer.mails.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
  await nobodyHasCalled();
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider: 'brevo', credentials: brevo.credentials };
  integrationId = (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
  await mailchimp.close();
  await mailServer.close();
});

type NewAction = Parameters<typeof product.call<typeof createAction>>[1]['body'];

const act = (event: ChoiceEvent, parts: Partial<NewAction>) =>
  product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type: 'global_unsubscribe',
        name: 'Tell Brevo',
        integration_id: integrationId,
        trigger: { event },
        target: {},
        ...parts,
      },
    },
    acme.owner,
  );

/** The weekly list is one of Brevo's; who leaves it here is taken off there. */
async function tieWeekly(): Promise<{ id: string; name: string }> {
  const [target] = brevo.addResources('lists', 1);
  if (target === undefined) throw new Error('The fake made no list');
  const trigger = (event: ChoiceEvent) => ({ trigger: { event, list_ids: [acme.weekly.id] } });
  await act('subscribed', { ...trigger('subscribed'), type: 'list', target, operation: 'add' });
  await act('unsubscribed', { ...trigger('unsubscribed'), type: 'list', target, operation: 'remove' });
  return target;
}

const choose = (customer: Customer, subscribed: boolean) =>
  product.call(
    setCustomerLists,
    {
      params: { ...acme.params, id: customer.id },
      body: [{ notification_list_id: acme.weekly.id, subscribed }],
    },
    acme.owner,
  );

const change = (customer: Customer, body: { email: string } | { global_unsubscribe: boolean }) =>
  product.call(updateCustomer, { params: { ...acme.params, id: customer.id }, body }, acme.owner);

/** Oldest first. */
async function deliveriesOf(customer: Customer): Promise<DeliveryDetail[]> {
  const query = { customer_id: customer.id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  return Promise.all(
    results
      .toReversed()
      .map(({ id }) => product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner)),
  );
}

/** No delivery of a test has to come again because of another one's calls. */
async function nobodyHasCalled(): Promise<void> {
  await product.testDatabase.owner.query('delete from tool_rate_limits');
}

async function run({ id, attempt_count: round }: DeliveryDetail): Promise<void> {
  await nobodyHasCalled();
  await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
}

async function runAll(customer: Customer): Promise<DeliveryDetail[]> {
  for (const delivery of await deliveriesOf(customer)) if (delivery.status === 'waiting') await run(delivery);
  return deliveriesOf(customer);
}

async function someone(): Promise<Customer> {
  const customer = await buildCustomer(product, acme);
  brevo.addContact(customer.email);
  return customer;
}

async function somebodyWaitsForALock(): Promise<void> {
  await expect.poll(() => countLockWaits(product.testDatabase.owner)).toBeGreaterThan(0);
}

const integration = () =>
  product.call(getIntegration, { params: { ...acme.params, id: integrationId } }, acme.owner);

describe('a choice', () => {
  it('is sent to the tool, read back there and confirmed, due within 48 hours', async () => {
    const target = await tieWeekly();
    const vera = await someone();
    await choose(vera, true);
    const [added] = await runAll(vera);
    expect(brevo.holds(vera.email)?.lists).toEqual([target.id]);
    expect(added).toMatchObject({ status: 'arrived', attempt_count: 1, last_error: null });
    expect(added?.confirmed_at).not.toBeNull();
    const hours = Date.parse(added?.due_at ?? '') - Date.parse(added?.created_at ?? '');
    expect(hours).toBe(48 * 3_600_000);
    await choose(vera, false);
    await runAll(vera);
    expect(brevo.holds(vera.email)?.lists).toEqual([]);
  });

  it('to decline a list removes a contact from it whom only the tool knew, and leaves nothing behind', async () => {
    const [target] = brevo.addResources('lists', 1);
    if (target === undefined) throw new Error('The fake made no list');
    const trigger = { event: 'unsubscribed' as const, list_ids: [acme.offers.id] };
    await act('unsubscribed', { trigger, type: 'list', target, operation: 'remove' });
    await buildWebhook(product, acme, { url: 'http://127.0.0.1:9/', event: 'unsubscribed' });
    const vera = await buildCustomer(product, acme);
    brevo.addPeople('lists', target.id, [{ email: vera.email, state: 'subscribed' }]);
    expect(brevo.holds(vera.email)?.lists).toEqual([target.id]);
    const params = { ...acme.params, id: vera.id };
    const decline = () =>
      product.call(
        setCustomerLists,
        { params, body: [{ notification_list_id: acme.offers.id, subscribed: false }] },
        acme.owner,
      );
    await decline();
    expect(await runAll(vera)).toMatchObject([
      { status: 'arrived', action_type: 'list', lists: [{ name: 'Offers', declined: true }] },
    ]);
    expect(brevo.holds(vera.email)?.lists).toEqual([]);
    const [choice] = (await product.call(listCustomerEvidence, { params }, acme.owner)).results;
    expect(choice).toMatchObject({ events: [], lists: [{ name: 'Offers', declined: true }] });
    await decline();
    expect(await deliveriesOf(vera)).toHaveLength(1);
  });

  it('records in each attempt what it asked of the tool, until the content is deleted', async () => {
    const target = await tieWeekly();
    const vera = await someone();
    await choose(vera, true);
    await runAll(vera);
    await choose(vera, false);
    brevo.trouble({ status: 503, body: '{}' });
    await runAll(vera);
    const [, left] = await runAll(vera);
    const asked = {
      type: 'list',
      operation: 'remove',
      target: { id: target.id, name: target.name },
      email: vera.email,
      previous_email: null,
    };
    expect(left?.attempts).toMatchObject([
      { outcome: 'unavailable', changes: [{ ...asked, shown: null }] },
      { outcome: 'arrived', changes: [{ ...asked, shown: true }] },
    ]);
    expect(Object.keys(left?.attempts[0]?.request ?? {}).toSorted()).toEqual([
      'body',
      'headers',
      'method',
      'url',
    ]);
    await product.call(deleteCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);
    const params = { ...acme.params, id: left?.id ?? '' };
    const { attempts } = await product.call(getDelivery, { params }, acme.owner);
    expect(attempts.map(({ changes }) => changes)).toEqual([[], []]);
  });

  it('waiting for a changed action goes to its new target, or nowhere once the action no longer covers it', async () => {
    const [old, other] = brevo.addResources('lists', 2);
    const action = await act('unsubscribed', {
      trigger: { event: 'unsubscribed', list_ids: [acme.weekly.id] },
      ...{ type: 'list', operation: 'add', target: old as { id: string; name: string } },
    });
    const params = { ...acme.params, id: action.id };
    const leaves = async () => {
      const customer = await someone();
      await choose(customer, true);
      await choose(customer, false);
      return customer;
    };
    const [vera, ada, ines] = [await leaves(), await leaves(), await leaves()];
    const body = { target: other as { id: string; name: string } };
    await product.call(updateAction, { params, body }, acme.owner);
    expect(await runAll(vera)).toMatchObject([{ outcome: 'confirmed' }]);
    expect(brevo.holds(vera.email)?.lists).toEqual([other?.id]);
    const elsewhere = { trigger: { event: 'unsubscribed' as const, list_ids: [acme.offers.id] } };
    await product.call(updateAction, { params, body: elsewhere }, acme.owner);
    expect(await runAll(ada)).toMatchObject([{ outcome: 'overtaken' }]);
    // It holds for everybody, whatever they chose: nobody who left may be added by it.
    const always = { trigger: { event: 'customer_created' as const, list_ids: [] } };
    await product.call(updateAction, { params, body: always }, acme.owner);
    expect(await runAll(ines)).toMatchObject([{ outcome: 'overtaken' }]);
    expect([ada, ines].map(({ email }) => brevo.holds(email)?.lists)).toEqual([[], []]);
  });

  it('about somebody whom the tool does not have needed no change, rather than failed', async () => {
    await tieWeekly();
    const ada = await buildCustomer(product, acme);
    await choose(ada, true);
    expect(await deliveriesOf(ada)).toMatchObject([{ outcome: 'on_its_way', tool_name: 'Brevo' }]);
    await runAll(ada);
    brevo.remove(ada.email);
    await choose(ada, false);
    const [, left] = await runAll(ada);
    expect(left).toMatchObject({
      status: 'arrived',
      outcome: 'not_known',
      cause: null,
      customer_email: ada.email,
      confirmed_at: null,
      attempts: [{ outcome: 'arrived', response: { status: 404 } }],
    });
    // Nothing is looked for again that is not there.
    const { rows } = await product.testDatabase.owner.query(
      'select next_attempt_at from deliveries where id = $1',
      [left?.id],
    );
    expect(rows).toEqual([{ next_attempt_at: null }]);
  });

  it('says why it is retried, and why it was given up', async () => {
    await act('global_unsubscribed', {});
    const [vera, ada] = [await someone(), await someone()];
    await change(vera, { global_unsubscribe: true });
    await change(ada, { global_unsubscribe: true });
    brevo.trouble({ status: 503, body: '{}' });
    expect(await runAll(vera)).toMatchObject([{ outcome: 'retrying', cause: 'unavailable' }]);
    brevo.trouble({ status: 400, body: '{"code":"invalid_parameter","message":"No"}' });
    expect(await runAll(ada)).toMatchObject([{ outcome: 'failed', cause: 'refused' }]);
    expect(await runAll(vera)).toMatchObject([{ outcome: 'confirmed', cause: null }]);
    const [delivery] = await deliveriesOf(vera);
    const query = { choice_id: delivery?.choice_id ?? '' };
    const ofChoice = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
    expect(ofChoice.results.map(({ id }) => id)).toEqual([delivery?.id]);
  });

  it('that was changed since brings the tool to the person’s current state, in whatever order it runs', async () => {
    await tieWeekly();
    const vera = await someone();
    await choose(vera, true);
    await choose(vera, false);
    await choose(vera, true);
    await choose(vera, false);
    for (const delivery of (await deliveriesOf(vera)).toReversed()) await run(delivery);
    expect(brevo.holds(vera.email)?.lists).toEqual([]);
    const done = await deliveriesOf(vera);
    expect(done.map(({ status }) => status)).toEqual(['arrived', 'arrived', 'arrived', 'arrived']);
    // Coming in was no longer true when it ran: nothing was sent for it.
    expect(done.map(({ attempts }) => attempts.length)).toEqual([0, 1, 0, 1]);
    expect(done.map(({ outcome }) => outcome)).toEqual(['overtaken', 'confirmed', 'overtaken', 'confirmed']);
  });

  it('that runs twice ends the same and is recorded once', async () => {
    const target = await tieWeekly();
    const vera = await someone();
    await choose(vera, true);
    const [delivery] = await deliveriesOf(vera);
    if (delivery === undefined) throw new Error('There is no delivery');
    await Promise.all([run(delivery), run(delivery)]);
    expect(brevo.holds(vera.email)?.lists).toEqual([target.id]);
    const [done] = await deliveriesOf(vera);
    expect(done).toMatchObject({ status: 'arrived', attempt_count: 1 });
  });

  it('never runs beside another one of the same person in the same tool', async () => {
    await act('global_unsubscribed', {});
    await act('global_unsubscribed', { name: 'Again' });
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const [first, second] = await deliveriesOf(vera);
    if (first === undefined || second === undefined) throw new Error('There are no two deliveries');
    await product.testDatabase.owner.query(`insert into customer_leases values ($1, $2, $3, $4, $5)`, [
      acme.params.site_id,
      integrationId,
      vera.id,
      first.id,
      new Date(product.clock.now().getTime() + 60_000),
    ]);
    const before = brevo.seen.length;
    await run(second);
    expect(brevo.seen.length).toBe(before);
    const waits = (await deliveriesOf(vera)).find(({ id }) => id === second.id);
    expect(waits).toMatchObject({ status: 'waiting', attempt_count: 0 });
    // Nor beside itself, where it was told twice to run; the job that has the turn may go on after its worker died.
    const job = { site_id: acme.params.site_id, id: first.id, round: 0 };
    await deliverNow(product.services, { ...job, run: newId() });
    expect(brevo.seen.length).toBe(before);
    await deliverNow(product.services, { ...job, run: first.id });
    expect(brevo.seen.length).toBeGreaterThan(before);
    await product.testDatabase.owner.query(`insert into customer_leases values ($1, $2, $3, $4, $5)`, [
      acme.params.site_id,
      integrationId,
      vera.id,
      first.id,
      new Date(product.clock.now().getTime() + 60_000),
    ]);
    // A dead worker's lease ends after this time; longer work renews it.
    product.clock.advance({ seconds: 61 });
    await run(second);
    expect(brevo.holds(vera.email)?.unsubscribed).toBe(true);
  });

  it('unrelated to consent resubscribes nobody who has left everything since', async () => {
    const [target] = brevo.addResources('lists', 1);
    if (target === undefined) throw new Error('The fake made no list');
    await act('customer_created', { type: 'list', target, operation: 'add' });
    await act('email_changed', { type: 'list', target, operation: 'add' });
    const vera = await someone();
    const email = `new-${vera.email}`;
    brevo.addContact(email);
    await change(vera, { email });
    await change(vera, { global_unsubscribe: true });
    const ran = await runAll(vera);
    expect(ran).toMatchObject([
      { event: 'customer_created', status: 'arrived', attempt_count: 0 },
      { event: 'email_changed', status: 'arrived', attempt_count: 0 },
    ]);
    expect(brevo.holds(email)?.lists).toEqual([]);
  });

  it('of a new address moves the person, and blocks them there as here', async () => {
    await act('email_changed', { type: 'switch_email' });
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    await runAll(vera);
    const email = `new.${vera.email}`;
    await change(vera, { email });
    await runAll(vera);
    expect(brevo.holds(email)?.unsubscribed).toBe(true);
    expect(brevo.holds(vera.email)).toBeNull();
  });
});

describe('a tool', () => {
  it('that is away for hours gets everything when it is back, once', async () => {
    await act('global_unsubscribed', {});
    const people = [await someone(), await someone()];
    for (const one of people) await change(one, { global_unsubscribe: true });
    for (let hours = 0; hours < 6; hours += 3) {
      for (const one of people) {
        brevo.trouble({ status: 503, body: '{}' });
        await runAll(one);
      }
      await hoursPass(3);
    }
    expect((await integration()).failing_since).not.toBeNull();
    for (const one of people) {
      const [done] = await runAll(one);
      expect(done).toMatchObject({ status: 'arrived', attempt_count: 3 });
      expect(brevo.holds(one.email)?.unsubscribed).toBe(true);
    }
    expect(await integration()).toMatchObject({ status: 'connected', failing_since: null });
  });

  it('that does not answer is paused: one delivery probes it, and then all that wait go out', async () => {
    await act('global_unsubscribed', {});
    const people: Customer[] = [];
    for (let count = 0; count < 8; count += 1) people.push(await someone());
    for (const one of people) await change(one, { global_unsubscribe: true });
    const [first, second, third, fourth, fifth, ...others] = people;
    for (const one of [first, second, third, fourth, fifth]) {
      if (one === undefined) throw new Error('There are eight people');
      brevo.trouble({ status: 500, body: '{}' });
      await runAll(one);
    }
    const rests = Date.parse((await integration()).rests_until ?? '');
    expect(rests).toBeGreaterThan(product.clock.now().getTime());
    let calls = brevo.seen.length;
    for (const one of others) {
      expect(await runAll(one)).toMatchObject([{ status: 'waiting', attempt_count: 0 }]);
    }
    expect(brevo.seen.length).toBe(calls);
    product.clock.advance({ seconds: 31 });
    brevo.trouble({ status: 500, body: '{}' });
    await Promise.all(others.map((one) => runAll(one)));
    expect(brevo.seen.length).toBe(calls + 1);
    product.clock.advance({ minutes: 6 });
    const [oneWhoTries] = others;
    if (oneWhoTries === undefined) throw new Error('There are eight people');
    await runAll(oneWhoTries);
    calls = brevo.seen.length;
    expect(await integration()).toMatchObject({ rests_until: null, failing_since: null });
    const waiting = (await deliveriesOf(people[7] ?? oneWhoTries)).filter(
      ({ status }) => status === 'waiting',
    );
    for (const { next_attempt_at: next } of waiting) {
      expect(Date.parse(next ?? '')).toBeLessThanOrEqual(product.clock.now().getTime());
    }
    for (const one of people) {
      await runAll(one);
      expect(brevo.holds(one.email)?.unsubscribed).toBe(true);
    }
  });

  it('that rests is tried by a delivery that calls it, and not by one that was overtaken', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    await change(vera, { global_unsubscribe: false });
    const nora = await someone();
    await change(nora, { global_unsubscribe: true });
    const { owner } = product.testDatabase;
    await owner.query('update integrations set consecutive_failures = 5, rests_until = $1', [
      product.clock.now(),
    ]);
    await runAll(vera);
    await runAll(nora);
    expect(brevo.holds(nora.email)?.unsubscribed).toBe(true);
  });

  it('that answers, even with a refusal, is no longer paused', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const { owner } = product.testDatabase;
    await owner.query('update integrations set consecutive_failures = 5, rests_until = $1', [
      product.clock.now(),
    ]);
    brevo.trouble({ status: 400, body: '{"code":"invalid_parameter","message":"No"}' });
    await runAll(vera);
    expect(await integration()).toMatchObject({ rests_until: null, failing_since: null });
  });

  it('that failed days ago and answered since is not switched off by one more failure', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    brevo.trouble({ status: 500, body: '{}' });
    await runAll(vera);
    brevo.trouble({ status: 400, body: '{"code":"invalid_parameter","message":"No"}' });
    expect(await runAll(vera)).toMatchObject([{ status: 'failed' }]);
    await hoursPass(6 * 24);
    const nora = await someone();
    await change(nora, { global_unsubscribe: true });
    brevo.trouble({ status: 500, body: '{}' });
    await runAll(nora);
    expect(await integration()).toMatchObject({ status: 'connected' });
  });

  it('that is found working again by several deliveries at once gets what is waiting once', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const { owner } = product.testDatabase;
    await owner.query('update integrations set consecutive_failures = 5, rests_until = $1 where id = $2', [
      product.clock.now(),
      integrationId,
    ]);
    const { services } = product;
    const siteId = acme.params.site_id;
    const { second } = await services.database.inSite(siteId, async (site) => {
      await recordToolSuccess(services, site, integrationId);
      const alsoWell = services.database.inSite(siteId, (other) =>
        recordToolSuccess(services, other, integrationId),
      );
      await somebodyWaitsForALock();
      return { second: alsoWell };
    });
    await second;
    const { rows } = await owner.query<{ due_at: Date }>(
      'select due_at from sites_with_work where site_id = $1',
      [siteId],
    );
    expect(rows[0]?.due_at.getTime()).toBeLessThanOrEqual(product.clock.now().getTime());
  });

  it('that fails for one delivery while its pause ends blocks neither', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const [delivery] = await deliveriesOf(vera);
    const { services } = product;
    const siteId = acme.params.site_id;
    const { send } = services.outbound;
    const mending: Promise<void>[] = [];
    const sendAndMend: typeof send = async (request, maxBytes) => {
      const answer = await send(request, maxBytes);
      const { promise: isLocked, resolve } = Promise.withResolvers<void>();
      mending.push(
        services.database.inSite(siteId, async (site) => {
          await lockIntegration(site, integrationId);
          resolve();
          await somebodyWaitsForALock();
          await expediteDeliveriesTo(services, site, integrationId);
        }),
      );
      await isLocked;
      return answer;
    };
    const outbound = { ...services.outbound, send: sendAndMend };
    brevo.trouble({ status: 500, body: '{}' });
    const job = { site_id: siteId, id: delivery?.id ?? '', round: 0 };
    await deliverNow({ ...services, outbound }, job);
    await Promise.all(mending);
    expect(await deliveriesOf(vera)).toMatchObject([{ status: 'waiting', attempt_count: 1 }]);
  });

  it('that recovered waits for no delivery that is being recorded, and does not start it again', async () => {
    await act('global_unsubscribed', {});
    const [vera, ben] = [await someone(), await someone()];
    for (const person of [vera, ben]) await change(person, { global_unsubscribe: true });
    const later = new Date(product.clock.now().getTime() + 3_600_000);
    const { owner } = product.testDatabase;
    await owner.query('update deliveries set next_attempt_at = $1 where site_id = $2', [
      later,
      acme.params.site_id,
    ]);
    const [recorded] = await deliveriesOf(vera);
    const { services } = product;
    const siteId = acme.params.site_id;
    await services.database.inSite(siteId, async (recording) => {
      await lockDelivery(recording, recorded?.id ?? '');
      await services.database.inSite(siteId, (site) => expediteDeliveriesTo(services, site, integrationId));
    });
    const dueAt = async (person: Awaited<ReturnType<typeof someone>>) =>
      (await deliveriesOf(person))[0]?.next_attempt_at;
    expect(await dueAt(vera)).toBe(later.toISOString());
    const hurriedTo = new Date((await dueAt(ben)) ?? later).getTime();
    expect(hurriedTo).toBeLessThanOrEqual(product.clock.now().getTime());
  });

  it('that its owner repaired and that is paused again delays nobody behind those who waited before', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const { owner } = product.testDatabase;
    const rest = () =>
      owner.query('update integrations set rests_until = $1 where id = $2', [
        new Date(product.clock.now().getTime() + 30_000),
        integrationId,
      ]);
    await rest();
    for (let count = 0; count < 50; count += 1) {
      await reserveSlot(product.services, retryReservationsOf(integrationId), 60_000, 6 * 3_600_000);
    }
    await product.call(verifyIntegration, { params: { ...acme.params, id: integrationId } }, acme.owner);
    await rest();
    const place = await reserveSlot(product.services, retryReservationsOf(integrationId), 60_000);
    expect(place.getTime() - product.clock.now().getTime()).toBeLessThan(120_000);
  });

  it('that was not updated in time is late, and can be found by that', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const late = async () => {
      const query = { late: 'true' as const, integration_id: integrationId };
      return (await product.call(listDeliveries, { params: acme.params, query }, acme.owner)).results;
    };
    expect(await late()).toEqual([]);
    await hoursPass(49);
    expect(await late()).toMatchObject([{ is_late: true, status: 'waiting' }]);
    expect(await runAll(vera)).toMatchObject([{ is_late: true, status: 'arrived' }]);
    expect(await late()).toEqual([]);
  });

  it('that says when to retry is called no sooner', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    brevo.trouble({ status: 429, headers: { 'retry-after': '900' }, body: '{}' });
    const [waits] = await runAll(vera);
    expect(waits).toMatchObject({ status: 'waiting', attempts: [{ outcome: 'rate_limited' }] });
    const next = Date.parse(waits?.next_attempt_at ?? '') - product.clock.now().getTime();
    expect(next).toBeGreaterThan(850_000);
  });

  it('that always answers with a rate limit is called less and less, and switched off after five days', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const waits: number[] = [];
    onTestFinished(product.clock.stop());
    for (let attempt = 1; attempt <= 65; attempt += 1) {
      brevo.trouble({ status: 429, body: '{}' });
      const [waiting] = await runAll(vera);
      const next = Date.parse(waiting?.next_attempt_at ?? 'given up');
      waits.push(Math.round((next - product.clock.now().getTime()) / 1000));
    }
    expect(waits.slice(0, 3)).toEqual([5, 10, 15]);
    expect(waits.at(-1)).toBe(300);
    await hoursPass(5 * 24 + 1);
    brevo.trouble({ status: 429, body: '{}' });
    await runAll(vera);
    expect((await integration()).status).toBe('switched_off');
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      `“Brevo” needs attention · ${acme.site.name}`,
    ]);
    expect(await runAll(vera)).toMatchObject([{ status: 'failed' }]);
  });

  it('that rejects the credentials is reported to its owners in their language, with its message', async () => {
    const params = { id: world.owner.id };
    await product.call(updateAccount, { params, body: { attrs: { language: 'de' } } }, world.owner);
    await act('global_unsubscribed', {});
    const one = await someone();
    await change(one, { global_unsubscribe: true });
    brevo.trouble({ status: 401, body: '{"code":"unauthorized","message":"Key not found"}' });
    await runAll(one);
    await product.call(updateAccount, { params, body: { attrs: { language: 'en' } } }, world.owner);
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      `Handlungsbedarf bei „Brevo“ · ${acme.site.name}`,
    ]);
    const { text = '', html = '' } = mailServer.mails[0] ?? {};
    for (const words of [text, html]) {
      expect(words).toContain(
        `Änderungen bei ${acme.site.name} kommen in Brevo nicht an, weil Brevo den API-Schlüssel abgelehnt hat.`,
      );
      expect(words).toMatch(/Details \(auf Englisch\): .*API key/);
      expect(words).toContain(`/integrations/${integrationId}?connect=true`);
    }
  });

  it('that rejects the credentials is reported to its owners once, and gets what is waiting with new ones', async () => {
    await act('global_unsubscribed', {});
    const people = [await someone(), await someone()];
    for (const one of people) await change(one, { global_unsubscribe: true });
    for (const one of people) {
      brevo.trouble({ status: 401, body: '{"code":"unauthorized","message":"Key not found"}' });
      await runAll(one);
    }
    expect(await integration()).toMatchObject({ status: 'credentials_refused' });
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      `“Brevo” needs attention · ${acme.site.name}`,
    ]);
    const body = { credentials: brevo.credentials };
    await product.call(
      updateIntegration,
      { params: { ...acme.params, id: integrationId }, body },
      acme.owner,
    );
    for (const one of people) {
      const [hurried] = await deliveriesOf(one);
      expect(Date.parse(hurried?.next_attempt_at ?? '')).toBeLessThanOrEqual(product.clock.now().getTime());
      await runAll(one);
      expect(brevo.holds(one.email)?.unsubscribed).toBe(true);
    }
    expect(await integration()).toMatchObject({ status: 'connected', status_reason: null });
  });

  it('that failed for five days is switched off and reported; nothing more is sent to it', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    brevo.trouble({ status: 500, body: '{}' });
    await runAll(vera);
    await hoursPass(5 * 24 + 1);
    brevo.trouble({ status: 500, body: '{}' });
    await runAll(vera);
    expect((await integration()).status).toBe('switched_off');
    expect(mailServer.mails).toHaveLength(1);
    const before = brevo.seen.length;
    const [given] = await runAll(vera);
    expect(given?.status).toBe('failed');
    expect(brevo.seen.length).toBe(before);
  });

  it('that refuses one change keeps it for a person to look at, and accepts the others', async () => {
    const gone = { id: '999999', name: 'Deleted' };
    const trigger = { event: 'subscribed' as const, list_ids: [acme.weekly.id] };
    await act('subscribed', { trigger, type: 'list', target: gone, operation: 'add' });
    const vera = await someone();
    await choose(vera, true);
    const [failed] = await runAll(vera);
    expect(failed).toMatchObject({ status: 'failed', attempt_count: 1 });
    expect(failed?.last_error).toContain('Brevo');
    expect(await integration()).toMatchObject({ status: 'connected', failing_since: null });
  });

  it('whose good answer to a write breaks off has got it', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    brevo.rule(({ method }) => (method === 'GET' ? null : 'broken'));
    onTestFinished(() => brevo.rule(() => null));
    const [delivery] = await runAll(vera);
    expect(delivery).toMatchObject({ status: 'arrived', outcome: 'checking', attempt_count: 1 });
  });

  it('whose answer to a read breaks off is asked again', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    brevo.rule(({ method }) => (method === 'GET' ? 'broken' : { status: 500, body: '{}' }));
    onTestFinished(() => brevo.rule(() => null));
    const [delivery] = await runAll(vera);
    expect(delivery).toMatchObject({ status: 'waiting', outcome: 'retrying', attempt_count: 1 });
  });

  it('that refuses one person for now is asked again later, and its reason shown', async () => {
    const { id } = await product.call(
      createIntegration,
      { params: acme.params, body: { provider: 'mailchimp', credentials: mailchimp.credentials } },
      acme.owner,
    );
    const target = { id: mailchimp.audience, name: 'Audience' };
    const trigger = { event: 'subscribed' as const, list_ids: [acme.weekly.id] };
    await act('subscribed', { trigger, type: 'list', target, operation: 'add', integration_id: id });
    const vera = await buildCustomer(product, acme);
    await choose(vera, true);
    const detail = `${vera.email} has signed up to a lot of lists very recently; we're not allowing more signups for now`;
    const body = JSON.stringify({ title: 'Invalid Resource', status: 400, detail });
    const rejected = { status: 400, headers: { 'content-type': 'application/problem+json' }, body };
    mailchimp.rule(({ method }) => (method === 'GET' ? null : rejected));
    const [waiting] = await runAll(vera);
    expect(waiting).toMatchObject({ status: 'waiting', outcome: 'retrying', cause: 'refused' });
    expect(waiting?.last_error).toContain('not allowing more signups for now');
    expect(Date.parse(waiting?.next_attempt_at ?? '') - product.clock.now().getTime()).toBeGreaterThan(
      290_000,
    );
    mailchimp.rule(() => null);
    expect(await runAll(vera)).toMatchObject([{ status: 'arrived', outcome: 'confirmed' }]);
  });

  it('that answers with a null character is recorded, and called no more often for it', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    brevo.trouble({ status: 503, body: '{"message":"\0\\u0000\\ud800"}' });
    const [delivery] = await runAll(vera);
    expect(delivery).toMatchObject({ status: 'waiting', attempt_count: 1 });
    expect(delivery?.attempts[0]?.response?.body).toBe('{"message":"\ufffd\\ufffd\\ufffd"}');
  });

  it('never shows its credentials in what is stored of a call', async () => {
    await act('global_unsubscribed', {});
    const vera = await someone();
    await change(vera, { global_unsubscribe: true });
    const deliveries = await runAll(vera);
    const { rows } = await product.testDatabase.owner.query<{ text: string }>(
      'select delivery_attempts::text as text from delivery_attempts',
    );
    const kept = JSON.stringify([deliveries, rows]);
    for (const secret of Object.values(brevo.credentials)) expect(kept).not.toContain(secret);
  });
});

describe('a preview', () => {
  it('shows the calls that would be made, and makes none that writes', async () => {
    const action = await act('global_unsubscribed', {});
    const vera = await someone();
    const before = brevo.seen.length;
    const { calls } = await product.call(
      previewAction,
      { params: { ...acme.params, id: action.id }, body: { customer_id: vera.id } },
      acme.owner,
    );
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(({ method }) => method !== 'GET')).toBe(true);
    expect(brevo.seen.slice(before).every(({ method }) => method === 'GET')).toBe(true);
    expect(brevo.holds(vera.email)?.unsubscribed).toBe(false);
    const shown = JSON.stringify(calls);
    for (const secret of Object.values(brevo.credentials)) expect(shown).not.toContain(secret);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updateAccount } from '#contract/accounts.ts';
import { createAction } from '#contract/actions.ts';
import { type Customer, deleteCustomer, updateCustomer } from '#contract/customers.ts';
import { getDashboard } from '#contract/dashboard.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { SimulatedClock } from '#test/harness/simulated-clock.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { LATE_NOTICES } from './late-notices.ts';

let product: TestProduct;
let mailServer: MailServer;
let brevo: BrevoFake;
let world: World;
let acme: World;
let integrationId: string;
/** Stands still, but for what a test lets pass. */
const clock = new SimulatedClock();

beforeAll(async () => {
  brevo = await startBrevoFake();
  mailServer = await startMailServer();
  product = await startTestProduct({
    clock,
    env: { CONNECTOR_BREVO_URL: brevo.url, SMTP_URL: mailServer.url },
  });
  world = await buildWorld(product);
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  await product.testDatabase.owner.query('delete from scheduled_tasks');
  await nobodyHasCalled();
  brevo.calm();
  // Every test begins in the morning of a day of its own.
  clock.advance({ seconds: (86_400_000 - (clock.now().getTime() % 86_400_000)) / 1000 + 6 * 3600 });
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider: 'brevo', credentials: brevo.credentials };
  integrationId = (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
  await product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type: 'global_unsubscribe',
        name: 'Tell Brevo',
        integration_id: integrationId,
        trigger: { event: 'global_unsubscribed' },
        target: {},
      },
    },
    acme.owner,
  );
  mailServer.mails.length = 0;
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
  await mailServer.close();
});

async function hoursPass(hours: number): Promise<void> {
  clock.advance({ hours });
  await logInAgain(product, world.owner);
  await product.testDatabase.owner.query('update scheduled_tasks set due_at = $1, lease = null', [
    clock.now(),
  ]);
}

const look = () => LATE_NOTICES.runDue(product.services);

const notices = () => mailServer.mails.filter(({ subject }) => subject?.includes('24') === true);

async function nobodyHasCalled(): Promise<void> {
  await product.testDatabase.owner.query('delete from tool_rate_limits');
}

async function deliveriesOf(customer: Customer): Promise<DeliveryDetail[]> {
  const query = { customer_id: customer.id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  return Promise.all(
    results.map(({ id }) => product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner)),
  );
}

async function runAll(customer: Customer): Promise<DeliveryDetail[]> {
  for (const { id, status, attempt_count: round } of await deliveriesOf(customer)) {
    await nobodyHasCalled();
    const job = { site_id: acme.params.site_id, id, round };
    if (status === 'waiting') await clock.work(() => deliverNow(product.services, job));
  }
  return deliveriesOf(customer);
}

const leave = (customer: Customer, global_unsubscribe = true) =>
  product.call(
    updateCustomer,
    { params: { ...acme.params, id: customer.id }, body: { global_unsubscribe } },
    acme.owner,
  );

/** Somebody whom the tool has, who leaves everything; the tool is told, and fails. */
async function someoneWhoLeaves(body: { status: number; body: string } | null): Promise<Customer> {
  const customer = await buildCustomer(product, acme);
  brevo.addContact(customer.email);
  await leave(customer);
  if (body === null) return customer;
  brevo.trouble(body);
  await runAll(customer);
  return customer;
}

const AWAY = { status: 503, body: '{}' };

describe('a late notice', () => {
  it('is sent after 24 hours, once for each tool and day, not for each person', async () => {
    for (let count = 0; count < 3; count += 1) await someoneWhoLeaves(AWAY);
    await hoursPass(22.5);
    await look();
    expect(notices()).toEqual([]);
    await hoursPass(1.6);
    await look();
    expect(notices()).toHaveLength(1);
    for (let count = 0; count < 3; count += 1) {
      await hoursPass(1);
      await look();
    }
    expect(notices()).toHaveLength(1);
    // Nothing new the next day: what was reported is not reported again.
    await hoursPass(24);
    await look();
    expect(notices()).toHaveLength(1);
  });

  it('says how many, since when and why, with a link, in its reader’s language', async () => {
    await someoneWhoLeaves(AWAY);
    await someoneWhoLeaves(null);
    await product.call(
      updateAccount,
      { params: { id: world.owner.id }, body: { attrs: { language: 'de' } } },
      acme.owner,
    );
    await hoursPass(24.1);
    await look();
    await product.call(
      updateAccount,
      { params: { id: world.owner.id }, body: { attrs: { language: 'en' } } },
      acme.owner,
    );
    const [mail] = notices();
    expect(mail?.subject).toBe(`„Brevo“ hat Änderungen nach 24 Stunden nicht bestätigt · ${acme.site.name}`);
    expect(mail?.text).toContain('Unbestätigte Änderungen: 2');
    expect(mail?.text).toMatch(/Seit: \d+\. \S+ \d{4} um 06:00 UTC/);
    expect(mail?.text).toContain(
      'Das Tool antwortet nicht richtig. Wir haben noch nicht versucht, die Änderungen zu senden.',
    );
    const link = new URL(/https?:\S+\/deliveries\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    const query = {
      integration_id: link.searchParams.get('integration_id') ?? '',
      unconfirmed: 'true',
    } as const;
    expect(link.searchParams.get('unconfirmed')).toBe('true');
    expect(link.searchParams.get('site')).toBe(acme.params.site_id);
    const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
    expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['on_its_way', 'retrying']);
    const { integrations } = await product.call(getDashboard, { params: acme.params }, acme.owner);
    expect(integrations).toMatchObject([{ id: integrationId, unconfirmed: 2 }]);
  });

  it('is sent before the 48 hours are over, even about someone who chose right after the last one', async () => {
    const first = await someoneWhoLeaves(AWAY);
    await hoursPass(23.9);
    // 50 minutes too young for the first one, and told along with it.
    await hoursPass(0.2);
    await look();
    expect(notices()).toHaveLength(1);
    const made = clock.now();
    await someoneWhoLeaves(AWAY);
    for (let hours = 0; hours < 47 && notices().length < 2; hours += 0.5) {
      await hoursPass(0.5);
      await look();
    }
    expect(notices()).toHaveLength(2);
    expect(clock.now().getTime() - made.getTime()).toBeLessThan(47 * 3_600_000);
    expect((await deliveriesOf(first))[0]).toMatchObject({ outcome: 'retrying', cause: 'unavailable' });
  });

  it('includes what the tool accepted and never showed', async () => {
    const vera = await someoneWhoLeaves(null);
    // The tool takes the block, and goes on saying that there is none.
    brevo.rule(({ method }) => (method === 'PUT' ? { status: 204 } : null));
    const [taken] = await runAll(vera);
    expect(taken).toMatchObject({ status: 'arrived', outcome: 'checking', confirmed_at: null });
    for (let lookNumber = 0; lookNumber < 4; lookNumber += 1) {
      await nobodyHasCalled();
      const job = { site_id: acme.params.site_id, id: taken?.id ?? '', round: 1, look: lookNumber };
      await clock.work(() => deliverNow(product.services, job));
    }
    brevo.rule(() => null);
    expect((await deliveriesOf(vera))[0]).toMatchObject({ status: 'arrived', outcome: 'unconfirmed' });
    await hoursPass(24.1);
    await look();
    expect(notices()[0]?.text).toContain('The tool accepted changes but doesn’t show them.');
  });

  it('leaves out what needed no change, what was confirmed, and who was erased', async () => {
    const confirmed = await someoneWhoLeaves(null);
    expect(await runAll(confirmed)).toMatchObject([{ outcome: 'confirmed' }]);
    const back = await someoneWhoLeaves(null);
    await leave(back, false);
    expect(await runAll(back)).toMatchObject([{ outcome: 'overtaken' }]);
    const erased = await someoneWhoLeaves(null);
    await product.call(deleteCustomer, { params: { ...acme.params, id: erased.id } }, acme.owner);
    expect(await runAll(erased)).toMatchObject([{ outcome: 'erased' }]);
    await hoursPass(30);
    await look();
    expect(notices()).toEqual([]);
  });

  it('that reached nobody is sent again', async () => {
    await someoneWhoLeaves(AWAY);
    await hoursPass(24.1);
    mailServer.refuse = world.owner.email;
    await look();
    expect(notices()).toEqual([]);
    mailServer.refuse = '';
    await hoursPass(0.25);
    await look();
    expect(notices()).toHaveLength(1);
  });
});

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type EvidenceMessage,
  listActionSamples,
  testAction,
  type WebhookMessage,
} from '#contract/action-tests.ts';
import {
  createAction,
  deleteAction,
  getAction,
  type NothingBecause,
  previewAction,
  updateAction,
} from '#contract/actions.ts';
import { CHOICE_EVENTS } from '#contract/choices.ts';
import { type Customer, deleteCustomer, updateCustomer } from '#contract/customers.ts';
import { createIntegration } from '#contract/integrations.ts';
import { deleteList } from '#contract/lists.ts';
import { updateSite } from '#contract/sites.ts';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { type Answer, startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { agreeToRecords, buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';
import { testAction as testNow } from './test-action.ts';

const ARCHIVE = 'archive@shop.example';

let product: TestProduct;
let receiver: WebhookReceiver;
let mailServer: MailServer;
let brevo: BrevoFake;
let impatient: Outbound;
let world: World;
let acme: World;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  mailServer = await startMailServer();
  brevo = await startBrevoFake();
  impatient = createOutbound({ allowPrivateTargets: true, deadlineMs: 300 });
  product = await startTestProduct({ env: { SMTP_URL: mailServer.url, CONNECTOR_BREVO_URL: brevo.url } });
  world = await buildWorld(product);
});

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answerWith({ status: 204 });
  mailServer.mails.length = 0;
  mailServer.refuse = '';
  acme = await buildSite(product, world.owner, world.params.organization_id);
  await agreeToRecords(product, acme, ARCHIVE);
});

afterAll(async () => {
  impatient.close();
  await product.stop();
  await receiver.close();
  await mailServer.close();
  await brevo.close();
});

async function build(
  type: 'webhook' | 'evidence',
  target: { url: string } | { email: string } = { url: receiver.url },
): Promise<{ id: string; secret: string }> {
  const trigger = { event: 'unsubscribed' as const, list_ids: [acme.offers.id] };
  const body = { type, name: 'Tell the shop', trigger, target };
  const action = await product.call(createAction, { params: acme.params, body }, acme.owner);
  return { id: action.id, secret: action.signing_secret ?? '' };
}

const test = (id: string) => product.call(testAction, { params: { ...acme.params, id } }, acme.owner);

/** Everything but the limits, which count tests. */
async function rows() {
  const { 'public.rate_limits': _, ...others } = await readRows(product.testDatabase.owner);
  return others;
}

describe('a test', () => {
  it('of a webhook sends a made-up choice, signed and marked, and shows the response', async () => {
    const { id, secret } = await build('webhook');
    receiver.answerWith({ status: 200, body: 'x'.repeat(5000) });
    const answer = await test(id);
    const [sent] = receiver.received;
    expect(answer).toMatchObject({
      outcome: 'arrived',
      error: null,
      request: { method: 'POST', url: receiver.url, body: sent?.body },
      response: { status: 200, body: 'x'.repeat(2000) },
    });
    expect(answer.duration_ms).toBeGreaterThanOrEqual(0);
    const message = new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {}) as WebhookMessage;
    expect(message).toMatchObject({
      type: 'unsubscribed',
      data: {
        test: true,
        site: acme.params.site_id,
        customer: { email: 'sample@example.com' },
        lists: [{ id: acme.offers.id, name: 'Offers', subscribed: false }],
      },
    });
    expect(JSON.stringify(answer)).not.toContain(secret.slice(6));
  });

  it('of evidence to a URL carries a made-up record', async () => {
    const { id, secret } = await build('evidence');
    expect(await test(id)).toMatchObject({ outcome: 'arrived', response: { status: 204 } });
    const [sent] = receiver.received;
    const message = new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {}) as EvidenceMessage;
    expect(message).toMatchObject({
      type: 'evidence',
      data: { test: true, email: 'sample@example.com', events: ['unsubscribed'], ip: '203.0.113.0' },
    });
  });

  it('of evidence to a mailbox is an email that says it is a test', async () => {
    const { id, secret } = await build('evidence', { email: ARCHIVE });
    const answer = await test(id);
    expect(answer).toMatchObject({
      outcome: 'arrived',
      request: { method: 'MAIL', url: `mailto:${ARCHIVE}` },
      response: { status: 250 },
    });
    const [mail] = mailServer.mails;
    expect(mail?.subject).toMatch(/^Test: /);
    expect(mail?.text).toContain('This is a test. No customer changed anything.');
    expect(mail?.to).toMatchObject([{ address: ARCHIVE }]);
    expect(JSON.stringify(answer)).not.toContain(secret.slice(6));
    mailServer.refuse = ARCHIVE;
    expect(await test(id)).toMatchObject({
      outcome: 'refused',
      error: 'The mail server rejected the recipient permanently (550).',
      response: { status: 550 },
    });
  });

  it('has an id of its own, is not logged and counts as no failure', async () => {
    const { id } = await build('webhook');
    const before = await rows();
    for (const status of [204, 500, 410]) {
      receiver.answerWith({ status });
      await test(id);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(await rows()).toEqual(before);
  });

  const failures: [string, Answer, string, RegExp][] = [
    ['404', { status: 404, body: 'no such hook' }, 'not_found', /404/],
    ['401', { status: 401 }, 'bad_credentials', /401/],
    ['500', { status: 500 }, 'unavailable', /500/],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/x' } }, 'refused', /302/],
    ['no answer', 'hang', 'unavailable', /0\.3 seconds/],
    ['a line that is cut', 'cut', 'unavailable', /No connection/],
    ['what is no HTTP', 'garbage', 'unavailable', /No connection/],
  ];

  it.each(failures)('that is answered by %s says so', async (_what, answer, outcome, error) => {
    const { id } = await build('webhook');
    receiver.answerWith(answer);
    const services = answer === 'hang' ? { ...product.services, outbound: impatient } : product.services;
    const found = await testNow(services, acme.params.site_id, id);
    expect(found).toMatchObject({ outcome });
    expect(found.error).toMatch(error);
    if (typeof answer === 'string') expect(found.response).toBeNull();
    else expect(found.response).toEqual({ status: answer.status, body: answer.body ?? '' });
  });

  it('that is answered with a good status has arrived, even if the rest of the answer never ends', async () => {
    const { id } = await build('webhook');
    receiver.answerWith('endless');
    const services = { ...product.services, outbound: impatient };
    expect(await testNow(services, acme.params.site_id, id)).toMatchObject({
      outcome: 'arrived',
      error: null,
      response: { status: 200 },
    });
  });

  it('to a private address is not sent where that is not allowed', async () => {
    const { id } = await build('webhook');
    const guarded = createOutbound({ allowPrivateTargets: false });
    const services = { ...product.services, outbound: guarded };
    const found = await testNow(services, acme.params.site_id, id);
    guarded.close();
    expect(found).toMatchObject({
      outcome: 'refused',
      response: null,
      error: 'The address is private. Sayso only calls public addresses.',
    });
    expect(receiver.received).toEqual([]);
  });

  it('works while the action is switched off, and leaves it so', async () => {
    const { id } = await build('webhook');
    const params = { ...acme.params, id };
    await product.call(updateAction, { params, body: { enabled: false } }, acme.owner);
    expect(await test(id)).toMatchObject({ outcome: 'arrived' });
    expect(await product.call(getAction, { params }, acme.owner)).toMatchObject({ enabled: false });
  });

  it('can be sent ten times a minute for an action, then answers 429', async () => {
    const [first, second] = [await build('webhook'), await build('webhook')];
    for (let count = 0; count < 10; count += 1) await test(first.id);
    const refused = await product.refuse(
      testAction,
      { params: { ...acme.params, id: first.id } },
      acme.owner,
    );
    expect(refused).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
    expect(receiver.received).toHaveLength(10);
    expect(await test(second.id)).toMatchObject({ outcome: 'arrived' });
  });

  describe('of an action in a tool', () => {
    let tag: { id: string };
    let vera: Customer;

    beforeEach(async () => {
      const connect = { provider: 'brevo', credentials: brevo.credentials };
      const { id: integration_id } = await product.call(
        createIntegration,
        { params: acme.params, body: connect },
        acme.owner,
      );
      const body = {
        type: 'global_unsubscribe' as const,
        name: 'Tell Brevo',
        integration_id,
        trigger: { event: 'global_unsubscribed' as const },
        target: {},
        enabled: false,
      };
      tag = await product.call(createAction, { params: acme.params, body }, acme.owner);
      vera = await buildCustomer(product, acme);
      brevo.addContact(vera.email);
    });

    const leaveAll = (global_unsubscribe: boolean) =>
      product.call(
        updateCustomer,
        { params: { ...acme.params, id: vera.id }, body: { global_unsubscribe } },
        acme.owner,
      );
    const call = () => ({ params: { ...acme.params, id: tag.id }, query: { customer_id: vera.id } });
    const plan = () =>
      product.call(
        previewAction,
        { params: { ...acme.params, id: tag.id }, body: { customer_id: vera.id, test: true } },
        acme.owner,
      );

    it('repeats what the customer has chosen, for real, and reports what the tool shows', async () => {
      await leaveAll(true);
      const change = { type: 'global_unsubscribe', operation: 'unsubscribe', email: vera.email };
      expect(await plan()).toMatchObject({ changes: [change], nothing_because: null });
      expect(brevo.holds(vera.email)?.unsubscribed).toBe(false);
      const before = await rows();
      expect(await product.call(testAction, call(), acme.owner)).toMatchObject({
        outcome: 'arrived',
        error: null,
        changes: [{ ...change, shown: true }],
      });
      expect(brevo.holds(vera.email)?.unsubscribed).toBe(true);
      const { 'public.tool_rate_limits': _, 'public.customer_leases': __, ...after } = await rows();
      expect(before).toMatchObject(after);
    });

    const setTestEmails = (...test_emails: string[]) =>
      product.call(updateSite, { params: acme.params, body: { test_emails } }, acme.owner);

    async function expectNothing(why: NothingBecause, error: { field?: string; message: RegExp }) {
      expect(await plan()).toMatchObject({ calls: [], changes: [], nothing_because: why });
      const { status, errors } = await product.refuse(testAction, call(), acme.owner);
      expect({ status, field: errors[0]?.field }).toEqual({ status: 409, field: error.field });
      expect(errors[0]?.message).toMatch(error.message);
      expect(brevo.holds(vera.email)?.unsubscribed).toBe(false);
    }

    it('does nothing that the customer has not chosen, or has reverted', async () => {
      const field = 'customer_id';
      await expectNothing('no_choice', {
        field,
        message: /^customer_id: this customer hasn't made a choice/,
      });
      await leaveAll(true);
      await leaveAll(false);
      await expectNothing('overtaken', { field, message: /^customer_id: .* a newer choice since\./ });
    });

    it('does nothing for a test customer', async () => {
      await leaveAll(true);
      await setTestEmails(vera.email);
      await expectNothing('test', { field: 'customer_id', message: /^customer_id: this is a test customer/ });
    });

    it('never repeats a choice that was made as a test, even if the customer is no longer a test customer', async () => {
      await setTestEmails(vera.email);
      await leaveAll(true);
      await setTestEmails();
      await expectNothing('no_choice', { field: 'customer_id', message: /hasn't made a choice/ });
      await leaveAll(false);
      await leaveAll(true);
      expect(await product.call(testAction, call(), acme.owner)).toMatchObject({ outcome: 'arrived' });
    });

    it('does nothing for a customer who is erased meanwhile', async () => {
      await leaveAll(true);
      const { database } = product.services;
      let reads = 0;
      // The action is read first, then the choice.
      const readSite: typeof database.readSite = async (siteId, work) => {
        const answer = await database.readSite(siteId, work);
        reads += 1;
        if (reads === 2) {
          await product.call(deleteCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);
        }
        return answer;
      };
      const services = { ...product.services, database: { ...database, readSite } };
      await expect(testNow(services, acme.params.site_id, tag.id, vera.id)).rejects.toMatchObject({
        code: 'conflict',
        message: 'customer_id: this customer was erased. Choose another customer.',
        fields: [{ field: 'customer_id' }],
      });
      expect(brevo.holds(vera.email)?.unsubscribed).toBe(false);
    });

    it('reports that the tool was disconnected, and blames no customer', async () => {
      await leaveAll(true);
      await product.testDatabase.owner.query(
        'update integrations set deleted_at = now() where site_id = $1',
        [acme.params.site_id],
      );
      await expectNothing('disconnected', { message: /tool was disconnected\. Connect the tool again/ });
    });

    it('works while the site is in test mode', async () => {
      await leaveAll(true);
      await product.call(updateSite, { params: acme.params, body: { test_mode: true } }, acme.owner);
      expect(await product.call(testAction, call(), acme.owner)).toMatchObject({ outcome: 'arrived' });
      expect(brevo.holds(vera.email)?.unsubscribed).toBe(true);
    });

    it('reports what the tool refused, and counts no failure', async () => {
      await leaveAll(true);
      brevo.trouble({ status: 503, body: '{}' });
      expect(await product.call(testAction, call(), acme.owner)).toMatchObject({
        outcome: 'unavailable',
        response: { status: 503 },
      });
    });

    it('needs a customer of the site', async () => {
      expect(await product.refuse(testAction, { params: call().params }, acme.owner)).toMatchObject({
        status: 422,
        errors: [{ code: 'invalid_field', field: 'customer_id' }],
      });
      const query = { customer_id: acme.offers.id };
      const refused = await product.refuse(testAction, { ...call(), query }, acme.owner);
      expect(refused.status).toBe(404);
    });
  });

  it('of an action that was deleted answers 404', async () => {
    const { id } = await build('webhook');
    const params = { ...acme.params, id };
    await product.call(deleteAction, { params }, acme.owner);
    expect((await product.refuse(testAction, { params }, acme.owner)).status).toBe(404);
  });
});

describe('the samples', () => {
  it('include a webhook and evidence for each event, with the lists of the site', async () => {
    const { results } = await product.call(listActionSamples, { params: acme.params }, acme.owner);
    expect(results.map(({ event }) => event)).toEqual([...CHOICE_EVENTS]);
    for (const { event, webhook, evidence } of results) {
      expect(webhook).toMatchObject({ type: event, data: { site: acme.params.site_id } });
      expect(evidence).toMatchObject({ type: 'evidence', data: { email: 'sample@example.com' } });
      expect(evidence.data.events).toContain(event);
      expect(webhook.data).not.toHaveProperty('test');
      expect(webhook.data.sequence).toBe(evidence.data.sequence);
    }
    const left = results.find(({ event }) => event === 'unsubscribed');
    expect(left?.webhook.data.lists).toMatchObject([{ id: acme.weekly.id, subscribed: false }]);
    const made = results.find(({ event }) => event === 'customer_created');
    expect(made?.evidence.data).toMatchObject({ sequence: 1, previous_hash: null });
  });

  it('exist for a site without lists, too', async () => {
    for (const { id } of [acme.weekly, acme.offers]) {
      await product.call(deleteList, { params: { ...acme.params, id } }, acme.owner);
    }
    const { results } = await product.call(listActionSamples, { params: acme.params }, acme.owner);
    expect(results.find(({ event }) => event === 'subscribed')?.webhook.data.lists).toMatchObject([
      { name: 'Weekly news', subscribed: true },
    ]);
  });

  it('have the fields of what is really sent', async () => {
    const { id } = await build('evidence');
    await test(id);
    const sent = JSON.parse(receiver.received[0]?.body ?? '') as EvidenceMessage;
    const { results } = await product.call(listActionSamples, { params: acme.params }, acme.owner);
    const sample = results.find(({ event }) => event === 'unsubscribed')?.evidence;
    expect(Object.keys(sent.data).toSorted()).toEqual(
      [...Object.keys(sample?.data ?? {}), 'test'].toSorted(),
    );
  });
});

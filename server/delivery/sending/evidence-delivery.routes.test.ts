import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EvidenceMessage } from '#contract/action-tests.ts';
import { createAction, getAction, previewAction, updateAction } from '#contract/actions.ts';
import { getEvidence, listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, deleteCustomer, setCustomerLists } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries, replayDelivery } from '#contract/deliveries.ts';
import { giveReason, saveLists } from '#contract/public-preferences.ts';
import { loggedError } from '#server/platform/log.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { freePort } from '#test/harness/ports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  agreeToRecords,
  buildCustomer,
  buildSite,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { deliverNow } from './deliveries.jobs.ts';

const ARCHIVE = 'archive@shop.example';

let product: TestProduct;
let receiver: WebhookReceiver;
let mailServer: MailServer;
let mailPort: number;
let world: World;
let acme: World;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  mailPort = await freePort();
  mailServer = await startMailServer(mailPort);
  // No worker: the tests make each attempt themselves, when their clock says so.
  product = await startTestProduct({
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sayso <hello@sayso.example>' },
  });
  world = await buildWorld(product);
});

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answerWith({ status: 204 });
  mailServer.mails.length = 0;
  mailServer.refuse = '';
  mailServer.refuseWith = 550;
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  await agreeToRecords(product, acme, ARCHIVE);
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
  await mailServer.close();
});

async function sendTo(target: { url: string } | { email: string }): Promise<{ id: string; secret: string }> {
  const action = await product.call(
    createAction,
    {
      params: acme.params,
      body: { type: 'evidence', name: 'Archive', trigger: { event: 'unsubscribed' }, target },
    },
    acme.owner,
  );
  return { id: action.id, secret: action.signing_secret ?? '' };
}

async function leave(): Promise<Customer> {
  const vera = await buildCustomer(product, acme);
  const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...acme.params, id: vera.id }, body }, acme.owner);
  return vera;
}

async function deliveryOf(customer: { id: string }): Promise<DeliveryDetail> {
  const query = { customer_id: customer.id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  const id = results[0]?.id ?? '';
  return product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner);
}

/** What the worker does with the delivery's job, now. */
async function attempt(customer: { id: string }, services = product.services): Promise<DeliveryDetail> {
  const { id, attempt_count: round } = await deliveryOf(customer);
  await deliverNow(services, { site_id: acme.params.site_id, id, round });
  return deliveryOf(customer);
}

/** What the API shows is what is sent, but for the judgement and the mark of tests, which are never sent. */
async function recordOf(delivery: DeliveryDetail) {
  const params = { ...acme.params, id: delivery.choice_id };
  const { test, judgement, ...record } = await product.call(getEvidence, { params }, acme.owner);
  expect([test, judgement]).toEqual([false, null]);
  return record;
}

/** The attached file with the headers that sign it. */
function signedPart(index = 0): { json: string; headers: Record<string, string> } {
  const mail = mailServer.mails[index];
  const content = mail?.attachments[0]?.content ?? '';
  const json = typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)).toString('utf8');
  const headers = Object.fromEntries((mail?.headers ?? []).map(({ key, value }) => [key, value]));
  return { json, headers };
}

const messageOf = (body: string | undefined) => JSON.parse(body ?? '') as EvidenceMessage;

describe('evidence sent to a URL', () => {
  it('is the record as the API shows it, signed like a webhook', async () => {
    const { secret } = await sendTo({ url: receiver.url });
    const delivery = await attempt(await leave());
    expect(delivery).toMatchObject({ status: 'arrived', action_type: 'evidence', event: 'unsubscribed' });
    const [sent] = receiver.received;
    const record = await recordOf(delivery);
    expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {})).toEqual({
      type: 'evidence',
      timestamp: record.occurred_at,
      data: record,
    });
    expect(sent?.headers).toMatchObject({ 'webhook-id': delivery.id, 'content-type': 'application/json' });
    expect(delivery.attempts).toMatchObject([{ request: { method: 'POST', body: sent?.body } }]);
  });

  it('shows the position of the record in the chain', async () => {
    await sendTo({ url: receiver.url });
    const vera = await leave();
    await attempt(vera);
    const params = { ...acme.params, id: vera.id };
    const { results } = await product.call(listCustomerEvidence, { params }, acme.owner);
    const [last, first] = results;
    expect(messageOf(receiver.received[0]?.body).data).toMatchObject({
      hash: last?.hash,
      previous_hash: first?.hash,
    });
  });

  it('includes the reason for leaving if it is given before sending', async () => {
    await sendTo({ url: receiver.url });
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
    const saved = await product.call(saveLists, { params: { customerId }, body }, acme.visitor);
    const reason = { receipt: saved.receipt ?? '', reason: 'too_many' as const };
    await product.call(giveReason, { params: { customerId }, body: reason }, acme.visitor);
    await attempt(vera);
    expect(messageOf(receiver.received[0]?.body).data).toMatchObject({
      reason: 'too_many',
      authority: 'proven',
      shown: { page_id: acme.page.id },
    });
  });

  it('is signed with both secrets for a day after a rotation', async () => {
    const { id, secret } = await sendTo({ url: receiver.url });
    const params = { ...acme.params, id };
    const rotated = await product.call(updateAction, { params, body: { rotate_secret: true } }, acme.owner);
    await attempt(await leave());
    const [during] = receiver.received;
    for (const valid of [secret, rotated.signing_secret ?? '']) {
      expect(() => new Webhook(valid).verify(during?.body ?? '', during?.headers ?? {})).not.toThrow();
    }
    product.clock.advance({ hours: 25 });
    await logInAgain(product, world.owner);
    await attempt(await leave());
    expect(receiver.received[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    product.clock.advance({ hours: -25 });
  });

  it('is retried on the schedule under one id, and follows Retry-After', async () => {
    await sendTo({ url: receiver.url });
    const vera = await leave();
    receiver.answerWith({ status: 503, headers: { 'retry-after': '600' } });
    const failed = await attempt(vera);
    expect(failed).toMatchObject({ status: 'waiting', attempts: [{ outcome: 'unavailable' }] });
    const wait = Date.parse(failed.next_attempt_at ?? '') - product.clock.now().getTime();
    expect(wait / 1000).toBeGreaterThan(590);
    receiver.answerWith({ status: 204 });
    expect(await attempt(vera)).toMatchObject({ status: 'arrived', attempt_count: 2 });
    const [first, second] = receiver.received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
  });

  it.each(['address of the web', 'mailbox'])(
    'is not sent to the %s about a choice that the action no longer covers',
    async (kind) => {
      const { id } = await sendTo(kind === 'mailbox' ? { email: ARCHIVE } : { url: receiver.url });
      const vera = await leave();
      const body = { trigger: { event: 'unsubscribed' as const, list_ids: [acme.offers.id] } };
      await product.call(updateAction, { params: { ...acme.params, id }, body }, acme.owner);
      expect(await attempt(vera)).toMatchObject({ outcome: 'overtaken', attempts: [] });
      expect([receiver.received, mailServer.mails]).toEqual([[], []]);
    },
  );

  it('is switched off at once when the URL is gone', async () => {
    const { id } = await sendTo({ url: receiver.url });
    receiver.answerWith({ status: 410 });
    expect(await attempt(await leave())).toMatchObject({ status: 'failed' });
    const action = await product.call(getAction, { params: { ...acme.params, id } }, acme.owner);
    expect(action).toMatchObject({
      enabled: false,
      disabled_because: 'gone',
    });
  });
});

describe('evidence sent to a mailbox', () => {
  it('is the record in words, plain and HTML, with the signed JSON attached', async () => {
    const { secret } = await sendTo({ email: ARCHIVE });
    const vera = await leave();
    const delivery = await attempt(vera);
    expect(delivery).toMatchObject({ status: 'arrived', attempts: [{ response: { status: 250 } }] });
    const record = await recordOf(delivery);
    const [mail] = mailServer.mails;
    expect(mail).toMatchObject({
      to: [{ address: ARCHIVE }],
      subject: `Evidence at ${acme.site.name}: a customer unsubscribed from a list`,
      messageId: `<${delivery.id}@sayso.example>`,
      attachments: [{ filename: `evidence-${record.id}.json`, mimeType: 'application/json' }],
    });
    const { json, headers } = signedPart();
    expect(new Webhook(secret).verify(json, headers)).toEqual({
      type: 'evidence',
      timestamp: record.occurred_at,
      data: record,
    });
    const words = [
      vera.email,
      'Weekly news: off',
      'unsubscribed from a list',
      'by a team member',
      record.hash,
      record.previous_hash ?? '',
      delivery.id,
      headers['webhook-signature'] ?? '',
    ];
    for (const part of [mail?.text, mail?.html]) {
      for (const word of words) expect(part).toContain(word);
      expect(part).not.toContain(secret.slice(6));
    }
  });

  it('appears in the log as it was sent', async () => {
    await sendTo({ email: ARCHIVE });
    const { attempts } = await attempt(await leave());
    const { json, headers } = signedPart();
    expect(attempts).toMatchObject([
      {
        outcome: 'arrived',
        request: {
          method: 'MAIL',
          url: `mailto:${ARCHIVE}`,
          headers: {
            subject: mailServer.mails[0]?.subject,
            'webhook-signature': headers['webhook-signature'],
          },
        },
      },
    ]);
    expect(attempts[0]?.request.body).toContain(json);
  });

  it('is signed with both secrets after a rotation', async () => {
    const { id, secret } = await sendTo({ email: ARCHIVE });
    const params = { ...acme.params, id };
    const rotated = await product.call(updateAction, { params, body: { rotate_secret: true } }, acme.owner);
    await attempt(await leave());
    const { json, headers } = signedPart();
    for (const valid of [secret, rotated.signing_secret ?? '']) {
      expect(() => new Webhook(valid).verify(json, headers)).not.toThrow();
    }
  });

  it('keeps names with markup and line breaks as plain text', async () => {
    await sendTo({ email: ARCHIVE });
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
    await product.testDatabase.owner.query(`update lists set name = '<b>"News" & more</b>' where id = $1`, [
      acme.weekly.id,
    ]);
    product.services.cache.evict(`site:${acme.params.site_id}`);
    await product.call(saveLists, { params: { customerId }, body }, acme.visitor);
    await attempt(vera);
    const [mail] = mailServer.mails;
    expect(mail?.text).toContain('<b>"News" & more</b>: off');
    expect(mail?.html).not.toContain('<b>');
    expect(messageOf(signedPart().json).data.lists[0]?.name).toBe('<b>"News" & more</b>');
  });

  it('waits for a mail server that is away, under one id', async () => {
    await sendTo({ email: ARCHIVE });
    const vera = await leave();
    await mailServer.close();
    try {
      const away = await attempt(vera);
      expect(away).toMatchObject({
        status: 'waiting',
        attempts: [{ outcome: 'unavailable', response: null }],
      });
      const wait = Date.parse(away.next_attempt_at ?? '') - product.clock.now().getTime();
      expect(wait / 1000).toBeLessThanOrEqual(5.5);
    } finally {
      mailServer = await startMailServer(mailPort);
    }
    const back = await attempt(vera);
    expect(back).toMatchObject({ status: 'arrived', attempt_count: 2 });
    expect(mailServer.mails).toMatchObject([{ messageId: `<${back.id}@sayso.example>` }]);
  });

  it('is retried when the mail server defers it', async () => {
    await sendTo({ email: ARCHIVE });
    Object.assign(mailServer, { refuse: ARCHIVE, refuseWith: 451 });
    expect(await attempt(await leave())).toMatchObject({
      status: 'waiting',
      attempts: [{ outcome: 'unavailable', response: { status: 451 } }],
    });
  });

  it('that is rejected for good is not retried until a person replays it', async () => {
    const { id } = await sendTo({ email: ARCHIVE });
    mailServer.refuse = ARCHIVE;
    const vera = await leave();
    const refused = await attempt(vera);
    expect(refused).toMatchObject({
      status: 'failed',
      next_attempt_at: null,
      last_error: 'The mail server rejected the recipient permanently (550).',
      attempts: [{ outcome: 'refused', response: { status: 550 } }],
    });
    const action = await product.call(getAction, { params: { ...acme.params, id } }, acme.owner);
    expect(action.enabled).toBe(true);
    mailServer.refuse = '';
    const params = { ...acme.params, id: refused.id };
    await product.call(replayDelivery, { params }, acme.owner);
    expect(await attempt(vera)).toMatchObject({ status: 'arrived', attempt_count: 2 });
  });

  it('is switched off after five days without a success, and its owner is told', async () => {
    const { id } = await sendTo({ email: ARCHIVE });
    mailServer.refuse = ARCHIVE;
    await attempt(await leave());
    product.clock.advance({ days: 5, minutes: 1 });
    await logInAgain(product, world.owner);
    await attempt(await leave());
    const action = await product.call(getAction, { params: { ...acme.params, id } }, acme.owner);
    expect(action).toMatchObject({
      enabled: false,
      disabled_reason: 'Every delivery failed for 5 days.',
      disabled_because: 'failing',
    });
    await expect
      .poll(() => mailServer.mails.map(({ subject }) => subject))
      .toEqual([`We turned off “Archive” · ${acme.site.name}`]);
    product.clock.advance({ days: -5, minutes: -1 });
  });
});

describe('evidence about an erased person', () => {
  it.each(['address of the web', 'mailbox'])(
    'is no longer sent to the %s, and what was sent is deleted',
    async (kind) => {
      await sendTo(kind === 'address of the web' ? { url: receiver.url } : { email: ARCHIVE });
      const [vera, walt] = [await leave(), await leave()];
      const sent = await attempt(walt);
      expect(JSON.stringify(sent)).toContain(walt.email);
      for (const { id } of [vera, walt]) {
        await product.call(deleteCustomer, { params: { ...acme.params, id } }, acme.owner);
      }
      const [received, mails] = [receiver.received.length, mailServer.mails.length];
      expect(await attempt(vera)).toMatchObject({ attempt_count: 0, attempts: [], next_attempt_at: null });
      await product.call(replayDelivery, { params: { ...acme.params, id: sent.id } }, acme.owner);
      expect(JSON.stringify(await attempt(walt))).not.toContain(walt.email);
      expect(receiver.received).toHaveLength(received);
      expect(mailServer.mails).toHaveLength(mails);
    },
  );
});

describe('the preview of evidence', () => {
  it('to a URL is the request that would be made', async () => {
    const { id, secret } = await sendTo({ url: receiver.url });
    const vera = await buildCustomer(product, acme);
    const [call] = await preview(id, vera);
    expect(call).toMatchObject({ method: 'POST', url: receiver.url });
    expect(new Webhook(secret).verify(call?.body ?? '', call?.headers ?? {})).toMatchObject({
      type: 'evidence',
      data: { email: vera.email, events: ['unsubscribed'], sequence: 2 },
    });
    const { results } = await product.call(
      listCustomerEvidence,
      { params: { ...acme.params, id: vera.id } },
      acme.owner,
    );
    expect(results).toHaveLength(1);
    expect(messageOf(call?.body ?? '').data.previous_hash).toBe(results[0]?.hash);
    expect(receiver.received).toEqual([]);
  });

  it('to a mailbox is the email that would be sent', async () => {
    const { id } = await sendTo({ email: ARCHIVE });
    const vera = await buildCustomer(product, acme);
    const [call] = await preview(id, vera);
    expect(call).toMatchObject({
      method: 'MAIL',
      url: `mailto:${ARCHIVE}`,
      headers: { subject: `Evidence at ${acme.site.name}: a customer unsubscribed from a list` },
    });
    for (const word of [vera.email, 'Weekly news: off', '"type":"evidence"'])
      expect(call?.body).toContain(word);
    expect(mailServer.mails).toEqual([]);
  });

  async function preview(id: string, customer: Customer) {
    const body = { customer_id: customer.id };
    return (await product.call(previewAction, { params: { ...acme.params, id }, body }, acme.owner)).calls;
  }
});

it('no response and no log contains a secret, and no log an address', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'trace', serializers: { err: loggedError } },
    { write: (line) => lines.push(line) },
  );
  const services = { ...product.services, log };
  const { secret } = await sendTo({ email: ARCHIVE });
  const vera = await leave();
  mailServer.refuse = ARCHIVE;
  const delivery = await attempt(vera, services);
  product.clock.advance({ days: 6 });
  await logInAgain(product, world.owner);
  await product.call(replayDelivery, { params: { ...acme.params, id: delivery.id } }, acme.owner);
  mailServer.refuse = acme.owner.email;
  await mailServer.close();
  try {
    // Neither the business nor its owner can be reached: the trouble of telling is logged.
    await attempt(vera, services);
  } finally {
    mailServer = await startMailServer(mailPort);
    product.clock.advance({ days: -6 });
    await logInAgain(product, world.owner);
  }
  expect(lines.join()).toContain('a notice to a site owner could not be sent');
  for (const hidden of [secret.slice(6), vera.email, ARCHIVE, acme.owner.email]) {
    expect(lines.join()).not.toContain(hidden);
  }
  expect(JSON.stringify(await deliveryOf(vera))).not.toContain(secret.slice(6));
});

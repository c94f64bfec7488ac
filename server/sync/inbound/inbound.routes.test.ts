import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  createCustomer,
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { listInbound } from '#contract/inbound.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  type Integration,
  updateIntegration,
} from '#contract/integrations.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type DripFake, startDripFake } from '#test/fakes/tools/drip.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { type SendlaneFake, startSendlaneFake } from '#test/fakes/tools/sendlane.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import { mailchimpWebhook, sendgridSigner, type Webhook } from '#test/harness/tool-webhooks.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  ON_THE_PAGE,
  type World,
} from '#test/harness/world.ts';
import { handleJob } from './inbound.jobs.ts';

const SECRET = 'a-signing-secret-of-mailchimp';
const signer = sendgridSigner();

let product: TestProduct;
let dripFake: DripFake;
let mailchimpFake: MailchimpFake;
let sendgridFake: SendgridFake;
let sendlaneFake: SendlaneFake;
let world: World;
let acme: World;
let mailchimp: Integration;
let sendgrid: Integration;
let vera: Customer;

beforeAll(async () => {
  dripFake = await startDripFake();
  mailchimpFake = await startMailchimpFake();
  sendgridFake = await startSendgridFake();
  sendlaneFake = await startSendlaneFake();
  // No worker: the tests work off what came in when they want it.
  product = await startTestProduct({
    env: {
      CONNECTOR_DRIP_URL: dripFake.url,
      CONNECTOR_MAILCHIMP_URL: mailchimpFake.url,
      CONNECTOR_SENDGRID_URL: sendgridFake.url,
      CONNECTOR_SENDLANE_URL: sendlaneFake.url,
    },
  });
  world = await buildWorld(product);
});

async function connect(provider: string, fake: { credentials: object }, secret?: string) {
  const body = { provider, credentials: { ...fake.credentials } };
  const made = await product.call(createIntegration, { params: acme.params, body }, acme.owner);
  if (secret === undefined) return made;
  return product.call(
    updateIntegration,
    { params: { ...acme.params, id: made.id }, body: { webhook_secret: secret } },
    acme.owner,
  );
}

beforeEach(async () => {
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  mailchimp = await connect('mailchimp', mailchimpFake, SECRET);
  sendgrid = await connect('sendgrid', sendgridFake, signer.verificationKey);
  vera = await buildCustomer(product, acme);
});

afterAll(async () => {
  await product.stop();
  await Promise.all([dripFake.close(), mailchimpFake.close(), sendgridFake.close(), sendlaneFake.close()]);
});

const now = () => product.clock.now();

/** Into another second, so that what happens next is later for tools, too. */
const secondsPass = (seconds = 2) => product.clock.advance({ seconds });

const AUDIENCE = 'audience01';
const GROUP = 7;

async function tie(
  integration: Integration,
  type: 'list' | 'suppression_group',
  id: string,
  list = acme.weekly,
) {
  const forward = type === 'list' ? 'remove' : 'add';
  await product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type,
        name: 'Keep both the same',
        integration_id: integration.id,
        trigger: { event: 'unsubscribed', list_ids: [list.id] },
        operation: forward,
        target: { id, name: 'Weekly there' },
      },
    },
    acme.owner,
  );
}

const send = async ({ webhook_url: url }: Integration, { body, headers }: Webhook) =>
  (await fetch(url ?? '', { method: 'POST', headers, body })).status;

async function waiting(): Promise<string[]> {
  const { rows } = await product.testDatabase.owner.query<{ id: string }>(
    `select id from inbound_requests where site_id = $1 and state = 'waiting' order by id`,
    [acme.params.site_id],
  );
  return rows.map(({ id }) => id);
}

const run = (id: string) => handleJob(product.services, { site_id: acme.params.site_id, id, round: 0 });

async function runAll(): Promise<void> {
  for (const id of await waiting()) await run(id);
}

/** What Mailchimp tells of Vera. */
const told = (type: Parameters<typeof mailchimpWebhook>[0], data: Record<string, string> = {}, at = now()) =>
  mailchimpWebhook(
    type,
    { id: 'vera', list_id: AUDIENCE, email: vera.email, ...data },
    { at, sentAt: now(), secret: SECRET },
  );

let events = 0;

/** What SendGrid tells of Vera. */
function ofSendgrid(event: string, at = now(), more: object = {}): Webhook {
  events += 1;
  const one = { event, email: vera.email, timestamp: Math.floor(at.getTime() / 1000), ...more };
  return signer.webhook([{ sg_event_id: `event-${events}`, ...one }], now());
}

const inbound = async (integration: Integration, query: object = {}) =>
  (await product.call(listInbound, { params: { ...acme.params, id: integration.id }, query }, acme.owner))
    .results;

const ofVera = () => ({ ...acme.params, id: vera.id });
const customer = () => product.call(getCustomer, { params: ofVera() }, acme.owner);

async function weekly(): Promise<boolean | null | undefined> {
  const { results } = await product.call(getCustomerLists, { params: ofVera() }, acme.owner);
  return results.find((one) => one.notification_list_id === acme.weekly.id)?.subscribed;
}

const choose = (subscribed: boolean, list = acme.weekly) =>
  product.call(
    setCustomerLists,
    { params: ofVera(), body: [{ notification_list_id: list.id, subscribed }] },
    acme.owner,
  );

const leave = (global_unsubscribe: boolean) =>
  product.call(updateCustomer, { params: ofVera(), body: { global_unsubscribe } }, acme.owner);

const evidence = async () =>
  (await product.call(listCustomerEvidence, { params: ofVera() }, acme.owner)).results;

describe('the webhook address of a tool', () => {
  it('is shown with instructions; a tool that is polled has none', async () => {
    expect(mailchimp.webhook_url).toMatch(
      new RegExp(`^${product.url}/hooks/${mailchimp.id}/[A-Za-z0-9_-]{67}$`),
    );
    expect(mailchimp.webhook_setup).toContain('Audience');
    const polled = await connect('sendlane', sendlaneFake);
    expect(polled).toMatchObject({ webhook_url: null, webhook_setup: null, has_webhook_secret: false });
    const refused = await product.refuse(
      updateIntegration,
      { params: { ...acme.params, id: polled.id }, body: { webhook_secret: 'x' } },
      acme.owner,
    );
    expect(refused.errors[0]).toMatchObject({ code: 'invalid_field', field: 'webhook_secret' });
  });

  it('answers GET and HEAD with 200 and changes nothing', async () => {
    const url = mailchimp.webhook_url ?? '';
    const changes = await changesBy(product.testDatabase.owner, async () => {
      for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200);
    });
    expect(changes).toEqual([]);
  });

  it('answers 404 where any part of it is wrong, or the tool is no longer connected', async () => {
    const url = mailchimp.webhook_url ?? '';
    const secret = url.split('/').at(-1) ?? '';
    const flipped = `${secret.slice(0, -2)}${secret.at(-2) === 'A' ? 'B' : 'A'}${secret.at(-1)}`;
    const wrong = [
      url.replace(secret, flipped),
      url.replace(secret, sendgrid.webhook_url?.split('/').at(-1) ?? ''),
      url.replace(secret, 'x'),
      url.replace(mailchimp.id, sendgrid.id),
      url.replace(mailchimp.id, 'nothing'),
    ];
    for (const address of wrong) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        expect((await fetch(address, { method })).status, `${method} ${address}`).toBe(404);
      }
    }
    await product.call(deleteIntegration, { params: { ...acme.params, id: mailchimp.id } }, acme.owner);
    expect(await send(mailchimp, told('unsubscribe'))).toBe(404);
    expect(await waiting()).toEqual([]);
  });

  it('keeps the secret of the webhook sealed and never shows it', async () => {
    const { rows } = await product.testDatabase.owner.query<object>(
      'select * from integrations where id = $1',
      [mailchimp.id],
    );
    const read = await product.call(
      getIntegration,
      { params: { ...acme.params, id: mailchimp.id } },
      acme.owner,
    );
    expect(read.has_webhook_secret).toBe(true);
    expect(JSON.stringify([rows, read, mailchimp])).not.toContain(SECRET);
  });
});

describe('a tool’s webhook', () => {
  it('is stored sealed, with its job, before the response, and processed later', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    expect(await send(mailchimp, told('unsubscribe'))).toBe(200);
    const { owner } = product.testDatabase;
    const [id = ''] = await waiting();
    const jobs = await owner.query(`select 1 from queue.job where name = 'inbound' and data->>'id' = $1`, [
      id,
    ]);
    expect(jobs.rowCount).toBe(1);
    const kept = await owner.query<object>('select * from inbound_requests where id = $1', [id]);
    expect(JSON.stringify(kept.rows)).not.toContain(encodeURIComponent(vera.email));
    await run(id);
    expect(await weekly()).toBe(false);
    const [choice] = await evidence();
    expect(choice).toMatchObject({ source: 'tool', authority: 'system', events: ['unsubscribed'] });
    expect(await inbound(mailchimp)).toMatchObject([
      {
        kind: 'list_unsubscribed',
        email: vera.email,
        outcome: 'applied',
        reason: null,
        choice_id: choice?.id,
      },
    ]);
  });

  it('is rejected when it is forged, altered, or signed too long ago, and leaves nothing', async () => {
    const genuine = told('unsubscribe');
    const old = mailchimpWebhook(
      'unsubscribe',
      { id: 'vera', list_id: AUDIENCE, email: vera.email },
      { at: new Date(now().getTime() - 25 * 3_600_000), secret: SECRET },
    );
    const forged: [Integration, Webhook][] = [
      [mailchimp, { ...genuine, headers: { 'content-type': 'text/plain' } }],
      [mailchimp, { ...genuine, body: genuine.body.replace('unsubscribe', 'cleaned') }],
      [mailchimp, old],
      [sendgrid, sendgridSigner().webhook([], now())],
      [sendgrid, { ...ofSendgrid('unsubscribe'), body: '[]' }],
    ];
    for (const [integration, webhook] of forged) expect(await send(integration, webhook)).toBe(401);
    expect(await waiting()).toEqual([]);
  });

  it('is not accepted from a tool that signs before its key was entered', async () => {
    const fresh = await connect('sendgrid', sendgridFake);
    expect(await send(fresh, ofSendgrid('unsubscribe'))).toBe(401);
  });

  it('may have a megabyte, of any content type, and no more', async () => {
    const padded = (size: number) => `x=${'y'.repeat(size - 2)}`;
    const plain = await connect('mailchimp', mailchimpFake);
    const sized = (size: number) => ({ body: padded(size), headers: { 'content-type': 'odd/thing' } });
    expect(await send(plain, sized(1024 * 1024))).toBe(200);
    const answer = await fetch(plain.webhook_url ?? '', { method: 'POST', ...sized(1024 * 1024 + 1) });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toContain('1 MB');
  });

  it('is stored as failed when it is garbage, and delays nothing', async () => {
    const plain = await connect('mailchimp', mailchimpFake);
    for (const body of ['\u0000\u0001', '{"a":', '', 'type=unsubscribe']) {
      expect(await send(plain, { body, headers: {} })).toBe(200);
    }
    const about = { id: 'v', list_id: AUDIENCE, email: '\u0000@x', reason: 'abuse' };
    expect(await send(plain, mailchimpWebhook('unsubscribe', about, { at: now(), secret: null }))).toBe(200);
    const good = { id: 'vera', list_id: AUDIENCE, email: vera.email, reason: 'abuse' };
    expect(await send(plain, mailchimpWebhook('unsubscribe', good, { at: now(), secret: null }))).toBe(200);
    await runAll();
    expect(await waiting()).toEqual([]);
    const [last, strange, ...failed] = await inbound(plain);
    expect(last).toMatchObject({ kind: 'complained', outcome: 'applied' });
    expect(strange).toMatchObject({ kind: 'complained', outcome: 'ignored' });
    expect(failed.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(failed[0]).toMatchObject({ kind: null, email: null, reason: "This isn't a Mailchimp webhook." });
    expect((await customer()).global_unsubscribe).toBe(true);
  });

  it('is processed once, however often it is sent and its job runs, even at the same time', async () => {
    const webhook = ofSendgrid('unsubscribe');
    for (let times = 0; times < 3; times += 1) expect(await send(sendgrid, webhook)).toBe(200);
    const requests = await waiting();
    await Promise.all([...requests, ...requests].map(run));
    for (const id of requests) await run(id);
    expect((await evidence()).filter(({ source }) => source === 'tool')).toHaveLength(1);
    expect(await inbound(sendgrid)).toHaveLength(1);
  });

  it('is listed newest first, in pages', async () => {
    for (const event of ['unsubscribe', 'spamreport', 'bounce']) {
      await send(sendgrid, ofSendgrid(event));
      await runAll();
    }
    const params = { ...acme.params, id: sendgrid.id };
    const first = await product.call(listInbound, { params, query: { limit: 2 } }, acme.owner);
    expect(first.results.map(({ kind }) => kind)).toEqual(['bounced', 'complained']);
    const query = { limit: 2, cursor: first.next ?? '' };
    const second = await product.call(listInbound, { params, query }, acme.owner);
    expect(second.results.map(({ kind }) => kind)).toEqual(['unsubscribed']);
    expect(second.next).toBeNull();
  });
});

describe('a worker that dies midway', () => {
  it('leaves everything to be started again, and nothing is done twice', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    await tie(mailchimp, 'list', AUDIENCE, acme.offers);
    await send(mailchimp, told('unsubscribe'));
    const [id = ''] = await waiting();
    const { owner } = product.testDatabase;
    // The event cannot be recorded: the choices are made, and the job fails before its end.
    await owner.query('alter table inbound_events add constraint no_events check (false) not valid');
    await expect(run(id)).rejects.toThrow('no_events');
    await owner.query('alter table inbound_events drop constraint no_events');
    const made = await evidence();
    expect(made.filter(({ source }) => source === 'tool')).toHaveLength(2);
    // Meanwhile the person comes back, and stays.
    secondsPass();
    await choose(true);
    await run(id);
    expect(await weekly()).toBe(true);
    expect(await evidence()).toHaveLength(made.length + 1);
    expect(await inbound(mailchimp)).toMatchObject([{ outcome: 'applied' }]);
    expect(await waiting()).toEqual([]);
  });
});

describe('an event', () => {
  it('of leaving everything, or a complaint, leaves everything', async () => {
    await send(sendgrid, ofSendgrid('spamreport'));
    await runAll();
    expect((await customer()).global_unsubscribe).toBe(true);
  });

  it('concerns the customer with its address, however unusual it is and however the tool writes it', async () => {
    const spellings = [
      ['foo..bar@docomo.example', 'FOO..BAR@docomo.example'],
      ['foo.@ezweb.example', '"foo."@ezweb.example'],
      ['"john doe"@example.com', '"John Doe"@example.com'],
      ['c@βόλος.example', 'c@xn--nxasmm1c.example'],
      ['नमस्ते@उदाहरण.example', 'नमस्ते@xn--p1b6ci4b4b3a.example'],
      ['nora.odd@example.com', 'Nora <nora.odd@example.com>'],
    ] as const;
    for (const [email, written] of spellings) {
      const odd = await product.call(createCustomer, { params: acme.params, body: { email } }, acme.owner);
      await send(sendgrid, ofSendgrid('spamreport', now(), { email: written }));
      await runAll();
      const left = await product.call(getCustomer, { params: { ...acme.params, id: odd.id } }, acme.owner);
      expect(left, email).toMatchObject({ email, global_unsubscribe: true });
    }
  });

  it('of a suppression group leaves the lists that an action links to it, and no others', async () => {
    await tie(sendgrid, 'suppression_group', String(GROUP));
    await choose(true, acme.offers);
    await send(sendgrid, ofSendgrid('group_unsubscribe', now(), { asm_group_id: GROUP + 1 }));
    await runAll();
    expect(await weekly()).toBeNull();
    await send(sendgrid, ofSendgrid('group_unsubscribe', now(), { asm_group_id: GROUP }));
    await runAll();
    expect(await weekly()).toBe(false);
    expect((await inbound(sendgrid)).map(({ outcome }) => outcome)).toEqual(['applied', 'ignored']);
    const { results } = await product.call(getCustomerLists, { params: ofVera() }, acme.owner);
    expect(results.filter(({ subscribed }) => subscribed).map(({ name }) => name)).toEqual(['Offers']);
  });

  it('of a list from which an action removes subscribers says nothing about someone who leaves it', async () => {
    await product.call(
      createAction,
      {
        params: acme.params,
        body: {
          type: 'list',
          name: 'No longer a prospect',
          integration_id: mailchimp.id,
          trigger: { event: 'subscribed', list_ids: [acme.weekly.id] },
          operation: 'remove',
          target: { id: AUDIENCE, name: 'Prospects' },
        },
      },
      acme.owner,
    );
    await choose(true);
    secondsPass();
    await send(mailchimp, told('unsubscribe'));
    await runAll();
    expect(await weekly()).toBe(true);
  });

  it('that would raise consent, a bounce, and one about an unknown person change no customer and say why', async () => {
    await choose(false);
    await tie(mailchimp, 'list', AUDIENCE);
    await tie(sendgrid, 'suppression_group', String(GROUP));
    const before = await evidence();
    await send(mailchimp, told('subscribe'));
    await send(mailchimp, told('cleaned', { reason: 'hard' }));
    await send(mailchimp, told('unsubscribe', { email: 'nobody@example.com', reason: 'abuse' }));
    await send(sendgrid, ofSendgrid('group_resubscribe', now(), { asm_group_id: GROUP }));
    await runAll();
    const all = [...(await inbound(mailchimp)), ...(await inbound(sendgrid))];
    expect(all.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['complained', 'kept'],
      ['bounced', 'ignored'],
      ['list_subscribed', 'ignored'],
      ['group_unsuppressed', 'ignored'],
    ]);
    for (const { reason } of all) expect(reason).not.toBeNull();
    expect(await evidence()).toEqual(before);
  });

  it('of a new address changes it where it is free', async () => {
    const taken = await buildCustomer(product, acme);
    const change = (to: string) =>
      told('upemail', { old_email: vera.email, new_email: to, new_id: to, email: '', id: '' });
    secondsPass();
    await send(mailchimp, change(taken.email));
    await send(mailchimp, change('not an address'));
    await runAll();
    expect((await customer()).email).toBe(vera.email);
    await send(mailchimp, change(`new-${vera.email}`));
    await runAll();
    expect((await customer()).email).toBe(`new-${vera.email}`);
    const outcomes = (await inbound(mailchimp)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['applied', 'ignored', 'ignored']);
  });

  it('contains no names once the person is erased', async () => {
    await send(sendgrid, ofSendgrid('unsubscribe'));
    await runAll();
    await product.call(deleteCustomer, { params: ofVera() }, acme.owner);
    expect(await inbound(sendgrid)).toMatchObject([{ email: null, outcome: 'applied' }]);
  });
});

describe('an opt-out of an email that is no customer’s', () => {
  const newAnn = 'new.ann@example.com';
  const ann = 'ann@example.com';
  const ago = (seconds: number) => new Date(now().getTime() - seconds * 1000);

  const changeOfEmail = (from: string, to: string, at: Date) =>
    told('upemail', { old_email: from, new_email: to, new_id: to, email: '', id: '' }, at);

  async function hear(...webhooks: [Integration, Webhook][]): Promise<void> {
    for (const [integration, webhook] of webhooks) {
      await send(integration, webhook);
      await runAll();
    }
  }

  async function listsOf(person: Customer): Promise<Record<string, boolean | null>> {
    const params = { ...acme.params, id: person.id };
    const { results } = await product.call(getCustomerLists, { params }, acme.owner);
    return Object.fromEntries(results.map(({ name, subscribed }) => [name, subscribed]));
  }

  const choicesOf = async (person: Customer) =>
    (await product.call(listCustomerEvidence, { params: { ...acme.params, id: person.id } }, acme.owner))
      .results;

  const kept = async () =>
    (await product.testDatabase.owner.query('select * from kept_opt_outs where site_id = $1', [acme.site.id]))
      .rows;

  it('is kept as a hash, and applied when somebody with this email is added', async () => {
    const complaint = ofSendgrid('spamreport', ago(600), { email: newAnn });
    await hear([sendgrid, complaint]);
    expect(await inbound(sendgrid)).toMatchObject([{ outcome: 'kept', customer_id: null }]);
    const rows = await kept();
    expect(rows).toMatchObject([{ about: 'everything', kind: 'complained' }]);
    expect(JSON.stringify(rows)).not.toContain('ann');
    secondsPass();
    const added = await buildCustomer(product, acme, 'New.Ann@example.com');
    expect(added.global_unsubscribe).toBe(true);
    const [optOut, creation] = await choicesOf(added);
    expect(creation).toMatchObject({ events: ['customer_created'], sequence: 1 });
    expect(optOut).toMatchObject({
      sequence: 2,
      source: 'tool',
      events: ['unsubscribed', 'global_unsubscribed'],
      previous_hash: creation?.hash,
      shown: {
        kept_opt_outs: [
          { kind: 'complained', list_id: null, integration_id: sendgrid.id, at: expect.any(String) },
        ],
      },
    });
    const [{ at } = { at: '' }] = optOut?.shown.kept_opt_outs ?? [];
    expect(Date.parse(at)).toBeLessThan(now().getTime() - 600_000);
    expect(await kept()).toEqual([]);
    // A later yes is the person's own.
    const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
    await product.call(setCustomerLists, { params: { ...acme.params, id: added.id }, body }, acme.owner);
    expect(await listsOf(added)).toMatchObject({ 'Weekly news': true, Offers: null });
  });

  it('is applied when a change of email that it overtook arrives', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    const old = await buildCustomer(product, acme, ann);
    const body = [acme.weekly, acme.offers].map(({ id }) => ({ notification_list_id: id, subscribed: true }));
    await product.call(setCustomerLists, { params: { ...acme.params, id: old.id }, body }, acme.owner);
    secondsPass(300);
    await hear(
      [mailchimp, told('unsubscribe', { email: newAnn, id: 'm1' }, ago(5))],
      [mailchimp, changeOfEmail(ann, newAnn, ago(65))],
    );
    expect((await inbound(mailchimp)).map(({ outcome }) => outcome)).toEqual(['applied', 'kept']);
    expect(await listsOf(old)).toMatchObject({ 'Weekly news': false, Offers: true });
    const [optOut, change] = await choicesOf(old);
    expect(change).toMatchObject({ events: ['email_changed'], source: 'tool' });
    expect(optOut).toMatchObject({
      events: ['unsubscribed'],
      email: newAnn,
      shown: { kept_opt_outs: [{ kind: 'list_unsubscribed', list_id: acme.weekly.id }] },
    });
  });

  it('is applied when a customer takes this email, except to lists that they chose later', async () => {
    const old = await buildCustomer(product, acme, ann);
    const params = { ...acme.params, id: old.id };
    const subscribeTo = ({ id }: { id: string }) =>
      product.call(
        setCustomerLists,
        { params, body: [{ notification_list_id: id, subscribed: true }] },
        acme.owner,
      );
    await subscribeTo(acme.offers);
    secondsPass();
    await hear([sendgrid, ofSendgrid('unsubscribe', now(), { email: newAnn })]);
    secondsPass();
    await subscribeTo(acme.weekly);
    await product.call(updateCustomer, { params, body: { email: newAnn } }, acme.owner);
    expect(await listsOf(old)).toMatchObject({ 'Weekly news': true, Offers: false });
    expect((await product.call(getCustomer, { params }, acme.owner)).global_unsubscribe).toBe(false);
  });

  it('follows somebody who is no customer to their new email', async () => {
    await hear(
      [sendgrid, ofSendgrid('unsubscribe', ago(90), { email: ann })],
      [mailchimp, changeOfEmail(ann, newAnn, ago(65))],
    );
    expect((await inbound(mailchimp)).map(({ outcome }) => outcome)).toEqual(['kept']);
    expect((await buildCustomer(product, acme, newAnn)).global_unsubscribe).toBe(true);
    expect((await buildCustomer(product, acme, ann)).global_unsubscribe).toBe(true);
  });

  it('reaches the customer who had this email when they opted out', async () => {
    const old = await buildCustomer(product, acme, ann);
    const params = { ...acme.params, id: old.id };
    secondsPass(300);
    await product.call(updateCustomer, { params, body: { email: newAnn } }, acme.owner);
    secondsPass();
    await hear([sendgrid, ofSendgrid('unsubscribe', ago(120), { email: ann })]);
    expect(await inbound(sendgrid)).toMatchObject([{ outcome: 'applied', customer_id: old.id }]);
    expect((await product.call(getCustomer, { params }, acme.owner)).global_unsubscribe).toBe(true);
    // The email itself has said no, too, whoever gets it.
    expect((await buildCustomer(product, acme, ann)).global_unsubscribe).toBe(true);
    await product.call(deleteCustomer, { params }, acme.owner);
    const { rows } = await product.testDatabase.owner.query(
      'select * from former_addresses where customer_id = $1',
      [old.id],
    );
    expect(rows).toEqual([]);
  });

  it('isn’t missed by somebody who is added at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const email = `round-${round}@example.com`;
      await send(sendgrid, ofSendgrid('unsubscribe', now(), { email }));
      const [added] = await Promise.all([buildCustomer(product, acme, email), runAll()]);
      const params = { ...acme.params, id: added.id };
      expect((await product.call(getCustomer, { params }, acme.owner)).global_unsubscribe).toBe(true);
    }
    expect(await kept()).toEqual([]);
  });
});

describe('the time of an event', () => {
  it('from before the person came back to everything, or to the list, makes it ineffective', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    await leave(true);
    await choose(false);
    const before = now();
    secondsPass();
    await leave(false);
    await choose(true);
    await send(sendgrid, ofSendgrid('unsubscribe', before));
    await send(mailchimp, told('unsubscribe', {}, before));
    await runAll();
    expect((await customer()).global_unsubscribe).toBe(false);
    expect(await weekly()).toBe(true);
    expect([...(await inbound(mailchimp)), ...(await inbound(sendgrid))]).toMatchObject([
      { outcome: 'ignored' },
      { outcome: 'ignored' },
    ]);
  });

  it('also counts where the person came back from everything by choosing a list that was already on', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    await choose(true);
    await leave(true);
    const before = now();
    secondsPass();
    await choose(true);
    await send(mailchimp, told('unsubscribe', {}, before));
    await runAll();
    expect(await weekly()).toBe(true);
  });

  it('is not beaten by an import that doesn’t say when somebody subscribed', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    const before = now();
    secondsPass();
    const change = { lists: [{ list_id: acme.weekly.id, subscribed: true }] };
    const imported = { ...ON_THE_PAGE, source: 'import', authority: 'owner' } as const;
    await saveChoice(product.services, acme.site.id, vera.id, change, imported);
    expect(await weekly()).toBe(true);
    await send(mailchimp, told('unsubscribe', {}, before));
    await runAll();
    expect(await weekly()).toBe(false);
  });

  it('in the same second as a choice, or after it, lets the opt-out win', async () => {
    await tie(mailchimp, 'list', AUDIENCE);
    await leave(true);
    await leave(false);
    await choose(true);
    await send(sendgrid, ofSendgrid('unsubscribe'));
    await send(mailchimp, told('unsubscribe'));
    await runAll();
    expect((await customer()).global_unsubscribe).toBe(true);
    expect(await weekly()).toBe(false);
  });

  it('from a clock that is ahead undoes nothing that the person chose after it was reported', async () => {
    await leave(true);
    await leave(false);
    await send(sendgrid, ofSendgrid('unsubscribe', new Date(now().getTime() + 3_600_000)));
    secondsPass();
    await leave(true);
    await leave(false);
    await runAll();
    expect((await customer()).global_unsubscribe).toBe(false);
  });

  it('does not end a pause that the tool learned from us and reports back; a complaint ends it for good', async () => {
    await product.call(
      createAction,
      {
        params: acme.params,
        body: {
          type: 'global_unsubscribe',
          name: 'Tell SendGrid',
          integration_id: sendgrid.id,
          trigger: { event: 'global_unsubscribed' },
          target: {},
        },
      },
      acme.owner,
    );
    const until = new Date(now().getTime() + 30 * 86_400_000);
    await saveChoice(product.services, acme.params.site_id, vera.id, { pauseUntil: until }, ON_THE_PAGE);
    await send(sendgrid, ofSendgrid('unsubscribe'));
    await runAll();
    expect((await customer()).paused_until).toBe(until.toISOString());
    await send(sendgrid, ofSendgrid('spamreport'));
    await runAll();
    expect(await customer()).toMatchObject({ global_unsubscribe: true, paused_until: null });
  });
});

describe('an echo', () => {
  describe('from a tool that reports our own writes as though the person had done them', () => {
    let drip: Integration;

    beforeEach(async () => {
      drip = await connect('drip', dripFake);
      for (const [type, event] of [
        ['global_unsubscribe', 'global_unsubscribed'],
        ['switch_email', 'email_changed'],
      ] as const) {
        const body = { type, name: type, integration_id: drip.id, trigger: { event }, target: {} };
        await product.call(createAction, { params: acme.params, body }, acme.owner);
      }
      dripFake.addContact(vera.email);
    });

    async function deliverAll(): Promise<void> {
      const query = { customer_id: vera.id, status: 'waiting' } as const;
      const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
      for (const { id, attempt_count: round } of results) {
        await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
      }
    }

    const ofDrip = (event: string, at: Date, { email = vera.email, properties = {} } = {}): Webhook => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        event,
        data: { account_id: '9999999', subscriber: { id: 'vera', email }, properties },
        occurred_at: at.toISOString(),
      }),
    });

    const lastOf = async () => (await inbound(drip))[0];

    it('is ignored: an opt-out that we wrote there undoes no return', async () => {
      await leave(true);
      await deliverAll();
      const wrote = now();
      await leave(false);
      // Its clock is a little ahead of ours, so that by it the opt-out came last.
      await send(drip, ofDrip('subscriber.unsubscribed_all', new Date(wrote.getTime() + 3000)));
      await runAll();
      expect(await lastOf()).toMatchObject({
        outcome: 'ignored',
        reason: 'Sayso sent this change to the tool itself.',
      });
      expect((await customer()).global_unsubscribe).toBe(false);
    });

    it('is told from an opt-out of the person, also in a tool that we have written to', async () => {
      await leave(true);
      await deliverAll();
      await leave(false);
      secondsPass(60);
      await send(drip, ofDrip('subscriber.unsubscribed_all', now()));
      await runAll();
      expect(await lastOf()).toMatchObject({ outcome: 'applied' });
      expect((await customer()).global_unsubscribe).toBe(true);
    });

    it('is ignored: a new address that we wrote there does not move the person again', async () => {
      const [before, between] = [vera.email, `between-${vera.email}`];
      await product.call(updateCustomer, { params: ofVera(), body: { email: between } }, acme.owner);
      await deliverAll();
      const wrote = now();
      await product.call(updateCustomer, { params: ofVera(), body: { email: before } }, acme.owner);
      const properties = { value: between, previous_value: before, source: 'drip' };
      const moved = ofDrip('subscriber.updated_email_address', new Date(wrote.getTime() + 3000), {
        email: between,
        properties,
      });
      await send(drip, moved);
      await runAll();
      expect(await lastOf()).toMatchObject({
        outcome: 'ignored',
        reason: 'Sayso sent this change to the tool itself.',
      });
      expect((await customer()).email).toBe(before);
    });

    it('is ignored: a reactivation there is reported, and subscribes nobody', async () => {
      await leave(true);
      secondsPass();
      await send(drip, ofDrip('subscriber.reactivated', now()));
      await runAll();
      expect(await lastOf()).toMatchObject({ kind: 'resubscribed', outcome: 'ignored' });
      expect((await customer()).global_unsubscribe).toBe(true);
    });
  });

  it('never goes back to the tool, while all others receive what it reported', async () => {
    for (const integration of [mailchimp, sendgrid]) {
      await product.call(
        createAction,
        {
          params: acme.params,
          body: {
            type: 'global_unsubscribe',
            name: integration.name,
            integration_id: integration.id,
            trigger: { event: 'global_unsubscribed' },
            target: {},
          },
        },
        acme.owner,
      );
    }
    await buildWebhook(product, acme, { url: 'https://shop.example/hook', event: 'global_unsubscribed' });
    await send(sendgrid, ofSendgrid('unsubscribe'));
    await runAll();
    const query = { customer_id: vera.id };
    const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
    expect(results.map(({ action_name }) => action_name).toSorted()).toEqual(['Mailchimp', 'Tell the shop']);
  });
});

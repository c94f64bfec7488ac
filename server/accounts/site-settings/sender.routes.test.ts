import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAuditLog } from '#contract/audit-log.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, deleteCustomer, getCustomer, updateCustomer } from '#contract/customers.ts';
import type { Operator } from '#contract/operator.ts';
import { getPreferencePage, replacePreferencePage } from '#contract/preference-pages.ts';
import { getPublicPage, saveLists } from '#contract/public-preferences.ts';
import { sendTestEmail, updateSite } from '#contract/sites.ts';
import { examineSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { queueCustomerMail } from '#server/visit/customer-mails/customer-mails.ts';
import { personalDataOf } from '#server/visit/personal-data/personal-data.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

const OPERATOR: Operator = {
  legal_name: 'Acme Outdoor GmbH',
  postal_address: 'Bergstraße 7\n6020 Innsbruck',
  privacy_url: 'https://acme.example/privacy?a=1&b=2',
  imprint_url: 'https://acme.example/imprint',
};

let mailServer: MailServer;
let product: TestProduct;
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({
    worker: true,
    env: {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'Sayso <hello@sayso.example>',
      BOUNCE_ADDRESS: 'bounces@sayso.example',
    },
  });
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  mailServer.envelopes.length = 0;
  Object.assign(mailServer, { refuse: '', refuseWith: 550, refusesSender: false, refusesMessage: false });
  world = await buildWorld(product);
});

const change = (body: Parameters<typeof product.call<typeof updateSite>>[1]['body']) =>
  product.call(updateSite, { params: world.params, body }, world.owner);

const refused = (body: Parameters<typeof product.call<typeof updateSite>>[1]['body']) =>
  product.refuse(updateSite, { params: world.params, body }, world.owner);

/** Queues an email to this customer as a feature would. */
const mailTo = ({ id: customerId }: Customer) =>
  product.services.database.inSite(world.site.id, (site) =>
    queueCustomerMail(product.services, site, {
      kind: 'fresh_link',
      customerId,
      pageId: world.page.id,
      language: 'en',
    }),
  );

/** Those to others may belong to the tests before. */
async function mailAt({ email }: { email: string }) {
  const mails = () => mailServer.mails.filter(({ to }) => to?.some(({ address }) => address === email));
  await expect.poll(() => mails().length).toBeGreaterThan(0);
  return mails()[0] ?? expect.fail('no mail');
}

const envelopesTo = (email: string) => mailServer.envelopes.filter(({ to }) => to === email);

const read = ({ id }: Customer) =>
  product.call(getCustomer, { params: { ...world.params, id } }, world.owner);

const bounceOf = async (customer: Customer) => (await read(customer)).email_bounce;

async function chooses(customer: Customer, subscribed: boolean) {
  const customerId = await openAsProven(product, world, customer);
  await product.call(
    saveLists,
    { params: { customerId }, body: [{ notification_list_id: world.offers.id, subscribed }] },
    world.visitor,
  );
}

const evidenceOf = async ({ id }: Customer) =>
  (await product.call(listCustomerEvidence, { params: { ...world.params, id } }, world.owner)).results;

describe('the sender of a site’s emails', () => {
  it('has the site’s name and reply-to address, and the envelope the bounce address', async () => {
    await change({ sender_name: 'Acme "News", Ltd', reply_to: 'help@acme.example' });
    const vera = await buildCustomer(product, world);
    await mailTo(vera);
    const mail = await mailAt(vera);
    expect(mail.from).toMatchObject({ name: 'Acme "News", Ltd', address: 'hello@sayso.example' });
    expect(mail.replyTo).toMatchObject([{ address: 'help@acme.example' }]);
    expect(envelopesTo(vera.email)).toEqual([{ from: 'bounces@sayso.example', to: vera.email }]);
  });

  it('is the page, and replies go to the sending address, where nothing is set', async () => {
    const vera = await buildCustomer(product, world);
    await mailTo(vera);
    const mail = await mailAt(vera);
    expect(mail.from).toMatchObject({ name: 'Acme', address: 'hello@sayso.example' });
    expect(mail.replyTo).toBeUndefined();
  });

  it('keeps its previous value when a new one is invalid, and the error names the field', async () => {
    await change({ sender_name: 'Acme', reply_to: 'help@acme.example' });
    expect(await refused({ sender_name: 'Other', reply_to: 'nowhere' })).toMatchObject({
      status: 422,
      errors: [
        { code: 'invalid_field', field: 'reply_to', message: expect.stringContaining('help@example.com') },
      ],
    });
    expect(await refused({ sender_name: 'a\r\nBcc: x@y.example' })).toMatchObject({
      errors: [{ field: 'sender_name' }],
    });
    expect(await refused({ operator: { ...OPERATOR, privacy_url: 'javascript:alert(1)' } })).toMatchObject({
      errors: [{ field: 'operator.privacy_url', message: expect.stringContaining('https://') }],
    });
    expect(await change({ name: world.site.name })).toMatchObject({
      sender_name: 'Acme',
      reply_to: 'help@acme.example',
      operator: { privacy_url: '' },
    });
  });

  it('gets an audit log entry when it changes, and only then', async () => {
    await change({ sender_name: 'Acme', operator: OPERATOR });
    await change({ sender_name: 'Acme', operator: OPERATOR });
    const { results } = await product.call(
      listAuditLog,
      { params: world.params, query: { noun: 'site' } },
      world.owner,
    );
    expect(results.map(({ event }) => event).toSorted()).toEqual([
      'site.created',
      'site.operator_changed',
      'site.sender_changed',
    ]);
  });
});

describe('the business behind a page', () => {
  it('is shown to its visitors at once, and in emails', async () => {
    const { operator: before } = await product.call(
      getPublicPage,
      { params: { custom_path: 'preferences' } },
      world.visitor,
    );
    expect(before).toBeNull();
    await change({ operator: OPERATOR });
    const { operator } = await product.call(
      getPublicPage,
      { params: { custom_path: 'preferences' } },
      world.visitor,
    );
    expect(operator).toEqual(OPERATOR);
    const vera = await buildCustomer(product, world);
    await mailTo(vera);
    const { html = '', text = '' } = await mailAt(vera);
    for (const line of ['Acme Outdoor GmbH', 'Bergstraße 7', '6020 Innsbruck']) {
      expect(text).toContain(line);
      expect(html).toContain(line);
    }
    expect(text).toContain(`Privacy policy: ${OPERATOR.privacy_url}`);
    expect(html).toContain('href="https://acme.example/privacy?a=1&#38;b=2"');
  });

  it('is part of the evidence and of its hash, and records from before still verify', async () => {
    const vera = await buildCustomer(product, world);
    await chooses(vera, true);
    await change({ operator: OPERATOR });
    await chooses(vera, false);
    const [after, before] = await evidenceOf(vera);
    expect(before?.shown).not.toHaveProperty('operator');
    expect(after?.shown.operator).toEqual(OPERATOR);
    const verify = () => examineSite(product.services, world.site.id, {});
    expect(await verify()).toMatchObject({ broken: 0 });
    const owner = product.testDatabase.owner;
    await owner.query(
      `update choices set shown = jsonb_set(shown::jsonb, '{operator,legal_name}', '"Somebody else"') where id = $1`,
      [after?.id],
    );
    expect(await verify()).toMatchObject({
      broken: 1,
      findings: [{ problem: 'altered', record_id: after?.id }],
    });
  });

  it('is named in the copy of their data that a person gets', async () => {
    await change({ operator: OPERATOR });
    const vera = await buildCustomer(product, world);
    expect(await personalDataOf(product.services, world.site.id, vera.id)).toMatchObject({
      held_by: { legal_name: 'Acme Outdoor GmbH', postal_address: OPERATOR.postal_address },
    });
  });
});

describe('an email that a mail server rejects', () => {
  it('is shown on the customer with the server’s message, until one is accepted', async () => {
    const vera = await buildCustomer(product, world);
    expect(await bounceOf(vera)).toBeNull();
    mailServer.refuse = vera.email;
    await mailTo(vera);
    await expect
      .poll(() => bounceOf(vera))
      .toMatchObject({ status: 550, reply: expect.stringContaining('No such mailbox') });
    mailServer.refuse = '';
    await mailTo(vera);
    await expect.poll(() => bounceOf(vera)).toBeNull();
  });

  it('counts also where only the message is rejected', async () => {
    const vera = await buildCustomer(product, world);
    mailServer.refusesMessage = true;
    await mailTo(vera);
    await expect
      .poll(() => bounceOf(vera))
      .toMatchObject({ status: 554, reply: expect.stringContaining('spam') });
  });

  it('says nothing about a customer where our own address is the one that is rejected', async () => {
    const vera = await buildCustomer(product, world);
    mailServer.refusesSender = true;
    await mailTo(vera);
    await expect.poll(() => failed()).toBe(1);
    expect(await bounceOf(vera)).toBeNull();
  });

  it('concerns only the address that it was sent to, and is erased with the customer', async () => {
    const vera = await buildCustomer(product, world);
    mailServer.refuse = vera.email;
    await mailTo(vera);
    await expect.poll(() => bounceOf(vera)).not.toBeNull();
    const params = { ...world.params, id: vera.id };
    await product.call(
      updateCustomer,
      { params, body: { email: `${randomUUID()}@example.com` } },
      world.owner,
    );
    expect(await bounceOf(vera)).toBeNull();
    await product.call(updateCustomer, { params, body: { email: vera.email } }, world.owner);
    expect(await bounceOf(vera)).not.toBeNull();
    await product.call(deleteCustomer, { params }, world.owner);
    const { rows } = await product.testDatabase.owner.query(
      'select 1 from email_bounces where customer_id = $1',
      [vera.id],
    );
    expect(rows).toEqual([]);
  });

  /** How many emails of this site wait for another try. */
  async function failed(): Promise<number> {
    const { rows } = await product.testDatabase.owner.query(
      `select 1 from queue.job where name = 'customer-mails' and state = 'retry' and data->>'site_id' = $1`,
      [world.site.id],
    );
    return rows.length;
  }
});

describe('a page whose rules need email', () => {
  it('is saved without a warning where a mail server is set, exactly as it was read', async () => {
    const params = { ...world.params, id: world.page.id };
    const read = await product.call(getPreferencePage, { params }, world.owner);
    const attrs = { ...read.attrs, confirm_changes: true, enhanced_security: true };
    const saved = await product.call(
      replacePreferencePage,
      { params, body: { ...read, attrs } },
      world.owner,
    );
    expect(saved.warnings).toEqual([]);
  });
});

describe('a test email', () => {
  const test = () => product.call(sendTestEmail, { params: world.params }, world.owner);

  it('goes to the owner as a customer would get it, and reports what the mail server said', async () => {
    await change({ sender_name: 'Acme News', reply_to: 'help@acme.example', operator: OPERATOR });
    expect(await test()).toMatchObject({
      email: world.owner.email,
      from: 'Acme News <hello@sayso.example>',
      reply_to: 'help@acme.example',
      outcome: 'accepted',
      reply: { status: 250 },
    });
    const mail = await mailAt(world.owner);
    expect(mail).toMatchObject({ from: { name: 'Acme News' }, to: [{ address: world.owner.email }] });
    expect(mail.replyTo).toMatchObject([{ address: 'help@acme.example' }]);
    expect(mail.text).toContain('Acme Outdoor GmbH');
    expect(envelopesTo(world.owner.email)[0]?.from).toBe('bounces@sayso.example');
  });

  it('reports each way in which it can be rejected', async () => {
    mailServer.refuse = world.owner.email;
    expect(await test()).toMatchObject({ outcome: 'address_refused', reply: { status: 550 } });
    mailServer.refuseWith = 451;
    expect(await test()).toMatchObject({ outcome: 'away', reply: { status: 451 } });
    mailServer.refuse = '';
    mailServer.refusesMessage = true;
    expect(await test()).toMatchObject({ outcome: 'refused', reply: { status: 554 } });
    mailServer.refusesSender = true;
    expect(await test()).toMatchObject({
      outcome: 'sender_refused',
      reply: { status: 553 },
      message: expect.stringContaining('BOUNCE_ADDRESS'),
    });
    const { email } = world.owner;
    expect(envelopesTo(email)).toEqual([]);
  });

  it('can be sent ten times an hour at most', async () => {
    for (let sent = 0; sent < 10; sent += 1) await test();
    expect(await product.refuse(sendTestEmail, { params: world.params }, world.owner)).toMatchObject({
      status: 429,
    });
  });
});

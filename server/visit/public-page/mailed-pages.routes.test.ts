import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, deleteCustomer, getCustomer, updateCustomer } from '#contract/customers.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, requestData, saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

let mailServer: MailServer;
let receiver: WebhookReceiver;
let product: TestProduct;
let world: World;
let elsewhere: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  receiver = await startWebhookReceiver();
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  world = await buildWorld(product);
  elsewhere = await buildSite(product, world.owner, world.params.organization_id);
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await logInAgain(product, world.owner);
});

const hostOf = (of: World = world) => `${of.site.domain_name}:${product.services.config.port}`;

const open = (method: 'GET' | 'HEAD', url: string, of = world) =>
  product.http.inject({ method, url, headers: { host: hostOf(of) } });

const get = (url: string, of = world) => open('GET', url, of);

function post(url: string, fields: Record<string, string>, of = world) {
  return product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(of), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

const press = (url: string, of = world) => post(url, { intent: 'confirm' }, of);

/** The path of the link in the mail that an address got last. */
async function mailedPath(email: string): Promise<string> {
  const find = () => mailServer.mails.findLast((mail) => mail.to?.[0]?.address === email);
  await expect.poll(() => find() !== undefined).toBe(true);
  const link = new URL(/https?:\S+/.exec(find()?.text ?? '')?.[0] ?? '');
  expect(link.host).toBe(hostOf());
  return link.pathname;
}

/** What a person reads. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '');

const freshEmail = () => `new-${randomBytes(4).toString('hex')}@example.org`;

const now = ({ id }: Customer, of = world) =>
  product.call(getCustomer, { params: { ...of.params, id } }, of.owner);

/** Changes the address as the page does. */
async function move(customer: Customer, email: string): Promise<void> {
  const customerId = await openAsProven(product, world, customer);
  await product.call(updatePublicCustomer, { params: { customerId }, body: { email } }, world.visitor);
}

async function moved(): Promise<{ vera: Customer; newEmail: string; path: string }> {
  const vera = await buildCustomer(product, world);
  const newEmail = freshEmail();
  await move(vera, newEmail);
  return { vera, newEmail, path: await mailedPath(vera.email) };
}

async function expectNoRowChanged(work: () => Promise<unknown>): Promise<void> {
  expect(await changesBy(product.testDatabase.owner, work)).toEqual([]);
}

describe('a change of address', () => {
  it('is emailed only to the old address, however it was made on the page', async () => {
    const { vera, newEmail } = await moved();
    const plain = await buildCustomer(product, world);
    const customer = await openAsProven(product, world, plain);
    const fields = { intent: 'change_email', customer, save_id: 'save-0001', new_email: freshEmail() };
    await post('/preferences', fields);
    await mailedPath(plain.email);
    expect(mailServer.mails.map((mail) => mail.to?.[0]?.address).toSorted()).toEqual(
      [vera.email, plain.email].toSorted(),
    );
    expect(mailServer.mails.map((mail) => `${mail.text} ${mail.html}`).join(' ')).not.toContain(newEmail);
  });

  it('that is sent twice is emailed once, and a failed one is not', async () => {
    const [vera, taken] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const customerId = await openAsProven(product, world, vera);
    const change = (email: string) => ({
      params: { customerId },
      headers: { 'idempotency-key': 'change-0001' },
      body: { email },
    });
    const refused = await product.refuse(updatePublicCustomer, change(taken.email), world.visitor);
    expect(refused.status).toBe(409);
    const email = freshEmail();
    await product.call(updatePublicCustomer, change(email), world.visitor);
    await product.call(updatePublicCustomer, change(email), world.visitor);
    await mailedPath(vera.email);
    const waiting = async () => {
      const { rows } = await product.testDatabase.owner.query<{ count: number }>(
        `select count(*)::int as count from queue.job where name = 'customer-mails' and state < 'completed'`,
      );
      return rows[0]?.count;
    };
    await expect.poll(waiting).toBe(0);
    expect(mailServer.mails).toHaveLength(1);
  });

  it('is limited so that it fills no mailbox: the eleventh in an hour is refused', async () => {
    const vera = await buildCustomer(product, world);
    for (let turn = 0; turn < 10; turn += 1) await move(vera, freshEmail());
    const customerId = await openAsProven(product, world, vera);
    const once = { params: { customerId }, body: { email: freshEmail() } };
    const refused = await product.refuse(updatePublicCustomer, once, world.visitor);
    expect(refused).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
    const fields = { intent: 'change_email', customer: customerId, save_id: 'save-0002' };
    const page = await post('/preferences', { ...fields, new_email: freshEmail() });
    expect(page.statusCode).toBe(429);
    expect(page.body).toContain('Too many attempts');
  });

  it('is reverted by the button behind the link, without JavaScript, and the same is shown again', async () => {
    const { vera, newEmail, path } = await moved();
    const page = await get(path);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('Change back to your previous email?');
    expect(page.body).toContain('v•••@example.com');
    expect(page.body).not.toContain(vera.email);
    expect(page.body).not.toContain(newEmail);
    expect(page.body).not.toContain('<script');
    const done = await press(path);
    expect(done.statusCode).toBe(200);
    expect(textOf(done.body)).toContain('Your email is v•••@example.com again.');
    expect((await now(vera)).email).toBe(vera.email);
    expect(textOf((await press(path)).body)).toContain('Your email is v•••@example.com again.');
    const evidence = await product.call(
      listCustomerEvidence,
      { params: { ...world.params, id: vera.id } },
      world.owner,
    );
    expect(evidence.results.map(({ source, events }) => [source, ...events]).slice(0, 2)).toEqual([
      ['undo', 'email_changed'],
      ['page', 'email_changed'],
    ]);
    expect(evidence.results[0]).toMatchObject({ authority: 'link', email: vera.email });
  });

  it('is reverted by the link as email apps and people pass it on', async () => {
    const { vera, path } = await moved();
    const passedOn = ['.', '%3E', '/', '%22', '&gt;', '%E2%80%8B', '%20'].map((after) => `${path}${after}`);
    const wrapped = ['=%0D%0A', '%0A'].map((by) => `${path.slice(0, 70)}${by}${path.slice(70)}`);
    for (const url of [...passedOn, ...wrapped, `/${path}`]) {
      const page = await get(url);
      expect([url, page.statusCode]).toEqual([url, 200]);
      expect(page.body).toContain(`action="${path}"`);
    }
    expect((await get(`${path.slice(0, -1)}.`)).statusCode).toBe(404);
    expect((await press(`${path}).`)).statusCode).toBe(200);
    expect((await now(vera)).email).toBe(vera.email);
  });

  it('is not reverted by opening the link, nor by a POST that presses no button', async () => {
    const { vera, newEmail, path } = await moved();
    await expectNoRowChanged(async () => {
      await get(path);
      await open('HEAD', path);
      await post(path, {});
      await post(path, { intent: 'leave' });
    });
    expect((await now(vera)).email).toBe(newEmail);
  });

  it('is reverted by the first owner of the address, however often it was changed on the page since', async () => {
    const { vera, newEmail, path } = await moved();
    await move(vera, freshEmail());
    const later = await mailedPath(newEmail);
    await move(vera, freshEmail());
    expect((await press(later)).statusCode).toBe(200);
    expect((await now(vera)).email).toBe(newEmail);

    expect((await press(path)).statusCode).toBe(200);
    expect((await now(vera)).email).toBe(vera.email);
    // Who got hold of it in between does not get it back.
    const refused = await press(later);
    expect(refused.statusCode).toBe(409);
    expect(refused.body).toContain('Your email has changed again since');
    expect((await get(later)).body).toContain('Your email has changed again since');
    expect((await now(vera)).email).toBe(vera.email);
  });

  it('is not reverted when the business changed the address since, or the old one is taken', async () => {
    const { vera, path } = await moved();
    const third = freshEmail();
    const correction = { params: { ...world.params, id: vera.id }, body: { email: third } };
    await product.call(updateCustomer, correction, world.owner);
    expect((await get(path)).body).toContain('Your email has changed again since');
    const late = await press(path);
    expect(late.statusCode).toBe(409);
    expect(late.body).toContain('Your email has changed again since');
    expect((await now(vera)).email).toBe(third);

    const other = await moved();
    await buildCustomer(product, world, other.vera.email);
    const taken = await press(other.path);
    expect(taken.statusCode).toBe(409);
    expect(taken.body).toContain('Your previous email now has preferences of its own');
    expect((await now(other.vera)).email).toBe(other.newEmail);
  });

  it('of one person is not reverted by the link of another', async () => {
    const [one, two] = [await moved(), await moved()];
    await press(one.path);
    expect((await now(one.vera)).email).toBe(one.vera.email);
    expect((await now(two.vera)).email).toBe(two.newEmail);
  });
});

describe('the links in emails', () => {
  it('that are forged, cut short or of another site answer 404 and change nothing', async () => {
    const { path } = await moved();
    const token = path.slice('/undo/'.length);
    await expectNoRowChanged(async () => {
      for (const bad of [`${token.slice(0, -2)}AA`, token.slice(0, 40), 'A'.repeat(200), 'x']) {
        for (const kind of ['undo', 'data']) {
          expect((await get(`/${kind}/${bad}`)).statusCode).toBe(404);
          expect((await press(`/${kind}/${bad}`)).statusCode).toBe(404);
        }
      }
      expect((await get(path, elsewhere)).statusCode).toBe(404);
      expect((await press(path, elsewhere)).statusCode).toBe(404);
      expect((await press(`/data/${token}`)).statusCode).toBe(404);
    });
  });

  it('end after their time with a page that says so', async () => {
    const { vera, newEmail, path } = await moved();
    const data = await dataPath(vera, 'erasure', newEmail);
    product.clock.advance({ hours: 23 });
    expect((await get(data)).statusCode).toBe(200);
    product.clock.advance({ hours: 2 });
    for (const answer of [await get(data), await press(data)]) {
      expect(answer.statusCode).toBe(410);
      expect(answer.body).toContain('This link no longer works');
    }
    product.clock.advance({ days: 28 });
    expect((await get(path)).statusCode).toBe(200);
    product.clock.advance({ days: 2 });
    for (const answer of [await get(path), await press(path)]) {
      expect(answer.statusCode).toBe(410);
      expect(answer.body).toContain('This link no longer works');
    }
    await logInAgain(product, world.owner);
    expect((await now(vera)).email).toBe(newEmail);
  });

  it('for the longest addresses still open', async () => {
    const local = 'l'.repeat(64);
    const domain = `${'d'.repeat(61)}.${'d'.repeat(61)}.${'d'.repeat(61)}.eu`;
    const vera = await buildCustomer(product, world, `${local}@${domain}`);
    await move(vera, freshEmail());
    expect((await get(await mailedPath(vera.email))).statusCode).toBe(200);
  });

  it('are not cached or framed, and leak into no referrer', async () => {
    const { path } = await moved();
    const { headers } = await get(path);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-robots-tag']).toContain('noindex');
  });
});

async function dataPath(
  customer: Customer,
  kind: 'download' | 'erasure',
  email = customer.email,
): Promise<string> {
  mailServer.mails.length = 0;
  const customerId = await openAsProven(product, world, customer);
  const call = { params: { customerId }, body: { kind } };
  const { masked_email } = await product.call(requestData, call, world.visitor);
  expect(masked_email).toBe(`${email[0]}•••${email.slice(email.indexOf('@'))}`);
  return mailedPath(email);
}

describe('someone who asks for their data', () => {
  it('is emailed a link, and gets everything as a file by its button', async () => {
    await buildWebhook(product, world, { url: `${receiver.url}?secret=of-the-business` });
    const vera = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, vera);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    await receiver.waitFor(1);
    const path = await dataPath(vera, 'download');
    const page = await get(path);
    expect(page.body).toContain('Download your data');
    expect(page.body).not.toContain(vera.email);
    await expectNoRowChanged(() => open('HEAD', path));
    const file = await press(path);
    expect(file.statusCode).toBe(200);
    expect(file.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(file.headers['content-disposition']).toBe('attachment; filename="personal-data.json"');
    expect(file.headers['cache-control']).toBe('private, no-store');
    const data = JSON.parse(file.body) as Record<string, unknown[]>;
    expect(data).toMatchObject({
      held_by: { name: world.site.name },
      customer: { id: vera.id, email: vera.email, unsubscribed_from_everything: false },
      subscriptions: [
        { list: 'Weekly news', subscribed: false },
        { list: 'Offers', subscribed: null },
      ],
      choices: [
        { events: ['unsubscribed'], email: vera.email, lists: [{ name: 'Weekly news', subscribed: false }] },
        { events: ['customer_created'] },
      ],
      deliveries: [
        {
          action: 'Tell the shop',
          because_of: 'unsubscribed',
          sent: [{ to: new URL(receiver.url).host, content: { data: { customer: { email: vera.email } } } }],
        },
      ],
    });
    expect(file.body).not.toContain('of-the-business');
    expect(file.body).not.toContain('sealed');
  });

  it('on a page that was opened by just an address gets nothing but the email', async () => {
    const vera = await buildCustomer(product, world);
    const { id: customerId } = await product.call(
      openCustomer,
      { body: { email: vera.email, custom_path: 'preferences' } },
      world.visitor,
    );
    const call = { params: { customerId }, body: { kind: 'download' as const } };
    expect(await product.call(requestData, call, world.visitor)).toEqual({
      masked_email: 'v•••@example.com',
    });
    await mailedPath(vera.email);
  });

  it('must prove who they are once the page asks for proof', async () => {
    const vera = await buildCustomer(product, world);
    await product.call(
      createPreferencePage,
      { params: world.params, body: { name: 'Later', custom_path: 'later' } },
      world.owner,
    );
    const { id: customerId } = await product.call(
      openCustomer,
      { body: { email: vera.email, custom_path: 'later' } },
      world.visitor,
    );
    await product.testDatabase.owner.query(
      `update preference_pages set attrs = attrs || '{"enhanced_security": true}' where custom_path = 'later'`,
    );
    product.services.cache.evict(`site:${world.site.id}`);
    const call = { params: { customerId }, body: { kind: 'download' as const } };
    expect((await product.refuse(requestData, call, world.visitor)).status).toBe(404);
  });

  it('without JavaScript is told to check their inbox', async () => {
    const vera = await buildCustomer(product, world);
    const customer = await openAsProven(product, world, vera);
    const fields = { intent: 'data_request', customer, save_id: 'save-0003', kind: 'erasure' };
    const page = await post('/preferences', fields);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('sent an email to v•••@example.com');
    expect(page.body).toMatch(/<details[^>]*class="pp-data"[^>]*open/);
    await mailedPath(vera.email);
    expect((await post('/preferences', { ...fields, kind: 'everything' })).statusCode).toBe(400);
  });

  it('four times gets three emails and the same answer', async () => {
    const vera = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, vera);
    const call = { params: { customerId }, body: { kind: 'download' as const } };
    const answers = [];
    for (let turn = 0; turn < 4; turn += 1)
      answers.push(await product.call(requestData, call, world.visitor));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await expect.poll(() => mailServer.mails.length).toBe(3);
    await dataPath(vera, 'erasure');
  });

  it('gets their own data, never that of another', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const file = await press(await dataPath(ben, 'download'));
    expect(file.body).toContain(ben.email);
    expect(file.body).not.toContain(vera.email);
  });
});

describe('someone who asks to be erased', () => {
  it('is asked once more, then erased, and the link stops working', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const path = await dataPath(vera, 'erasure');
    const page = await get(path);
    expect(page.body).toContain('Erase your data?');
    await expectNoRowChanged(async () => {
      await get(path);
      await open('HEAD', path);
      await post(path, {});
    });
    const done = await press(path);
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('We’re erasing your data.');
    const gone = async () =>
      (
        await product.testDatabase.owner.query<{ email: string | null; erased_at: Date | null }>(
          'select email, erased_at from customers where id = $1',
          [vera.id],
        )
      ).rows[0];
    await expect
      .poll(
        async () => {
          // What has to reach the tools first; then a look every five minutes.
          product.clock.advance({ minutes: 6 });
          return (await gone())?.email;
        },
        { interval: 500 },
      )
      .toBeNull();
    for (const answer of [await get(path), await press(path)]) {
      expect(answer.statusCode).toBe(410);
      expect(answer.body).toContain('This link no longer works');
      expect(answer.body).not.toContain('v•••');
    }
    await logInAgain(product, world.owner);
    expect((await now(ben)).email).toBe(ben.email);
  });

  it('finds expired links after the business erased them, also the one to undo', async () => {
    const { vera, newEmail, path } = await moved();
    const data = await dataPath(vera, 'download', newEmail);
    await product.call(deleteCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    for (const url of [path, data]) {
      expect((await get(url)).statusCode).toBe(410);
      expect((await press(url)).statusCode).toBe(410);
    }
  });
});

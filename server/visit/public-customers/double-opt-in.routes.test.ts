import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
  setCustomerLists,
} from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createList, deleteList, updateList } from '#contract/lists.ts';
import { listPendingChanges } from '#contract/pending-changes.ts';
import { getPreferencePage, replacePreferencePage } from '#contract/preference-pages.ts';
import { exportCustomerProof, exportCustomerProofPdf } from '#contract/proof.ts';
import {
  getCustomerPage,
  openCustomer,
  resendConfirmation,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { updateSite } from '#contract/sites.ts';
import type { textOfMail } from '#server/visit/customer-mails/mail-layout.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { pdfText } from '#test/harness/pdf-text.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import {
  buildCustomer,
  buildWebhook,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { verifyPack } from '../../../packages/verify/verify.mjs';

let mailServer: MailServer;
let receiver: WebhookReceiver;
let product: TestProduct;
/** The weekly news have double opt-in, the offers have not. */
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  world = await buildWorld(product);
  await product.call(
    updateList,
    {
      params: { ...world.params, id: world.weekly.id },
      body: { double_opt_in: true, legal_basis: 'consent', subscription_default_state: false },
    },
    world.owner,
  );
  receiver = await startWebhookReceiver();
  await buildWebhook(product, world, { url: receiver.url, event: 'subscribed' });
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

const HEADERS = () => ({ host: `${world.site.domain_name}:${product.services.config.port}` });

const get = (url: string) => product.http.inject({ method: 'GET', url, headers: HEADERS() });

function post(url: string, fields: [string, string][]) {
  return product.http.inject({
    method: 'POST',
    url,
    headers: { ...HEADERS(), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

const press = (url: string) => post(url, [['intent', 'confirm']]);

const mailsTo = (email: string, path = 'confirm') =>
  mailServer.mails.filter((mail) => mail.to?.[0]?.address === email && mail.text?.includes(`/${path}/`));

/** The link of the newest mail to an address, once there are that many. */
async function linkIn(email: string, count = 1, path = 'confirm'): Promise<string> {
  await expect.poll(() => mailsTo(email, path).length).toBe(count);
  return new URL(/https?:\S+/.exec(mailsTo(email, path).at(-1)?.text ?? '')?.[0] ?? '').pathname;
}

async function typeAddress(email: string): Promise<string> {
  const body = { email, custom_path: world.page.custom_path };
  return (await product.call(openCustomer, { body }, world.visitor)).id;
}

interface Switches {
  weekly?: boolean;
  offers?: boolean;
}

interface Headers {
  'x-choice-source'?: 'state_link';
  'x-unsubscribe-all'?: '1';
}

function put(customerId: string, lists: Switches, headers: Headers = {}) {
  const body = (['weekly', 'offers'] as const).flatMap((name) => {
    const subscribed = lists[name];
    return subscribed === undefined ? [] : [{ notification_list_id: world[name].id, subscribed }];
  });
  return product.call(saveLists, { params: { customerId }, headers, body }, world.visitor);
}

const patch = (customerId: string, body: { global_unsubscribe: boolean } | { email: string }) =>
  product.call(updatePublicCustomer, { params: { customerId }, body }, world.visitor);

const resend = (customerId: string) =>
  product.call(resendConfirmation, { params: { customerId }, body: { kind: 'subscribe' } }, world.visitor);

const ofCustomer = ({ id }: Customer) => ({ params: { ...world.params, id } });

async function stateOf(customer: Customer) {
  const { global_unsubscribe: left } = await product.call(getCustomer, ofCustomer(customer), world.owner);
  const { results } = await product.call(getCustomerLists, ofCustomer(customer), world.owner);
  const of = (listId: string) => results.find((one) => one.notification_list_id === listId)?.subscribed;
  return { left, weekly: of(world.weekly.id), offers: of(world.offers.id) };
}

const evidenceOf = async (customer: Customer) =>
  (await product.call(listCustomerEvidence, { ...ofCustomer(customer), query: {} }, world.owner)).results;

const pendingOf = async (customer: Customer) =>
  (await product.call(listPendingChanges, ofCustomer(customer), world.owner)).results;

async function deliveriesOf({ id }: Customer): Promise<number> {
  const query = { customer_id: id };
  return (await product.call(listDeliveries, { params: world.params, query }, world.owner)).results.length;
}

/** Somebody who confirmed the weekly news. */
async function whoConfirmed(): Promise<Customer> {
  const vera = await buildCustomer(product, world);
  await put(await typeAddress(vera.email), { weekly: true });
  await press(await linkIn(vera.email));
  expect(await stateOf(vera)).toMatchObject({ weekly: true });
  return vera;
}

/** What is stored by this hash. */
async function textOf<Content extends object>(hash = ''): Promise<Content | undefined> {
  const { rows } = await product.testDatabase.owner.query<{ content: Content }>(
    `select content from shown_texts where site_id = $1 and encode(hash, 'hex') = $2`,
    [world.site.id, hash],
  );
  return rows[0]?.content;
}

/** Publishes the page under another title. */
async function replaceSubject(tag_subject: string): Promise<void> {
  const params = { ...world.params, id: world.page.id };
  const page = await product.call(getPreferencePage, { params }, world.owner);
  const body = { ...page, attrs: { ...page.attrs, tag_subject } };
  await product.call(replacePreferencePage, { params, body }, world.owner);
}

const WAITS = () => [{ kind: 'subscribe', until: expect.any(String), list_ids: [world.weekly.id] }];

describe('switching on a list with double opt-in', () => {
  it('waits for the button in an email, is sent to no tool before it, and has both steps in the evidence', async () => {
    const vera = await buildCustomer(product, world);
    const typed = await typeAddress(vera.email);
    const answer = await put(typed, { weekly: true, offers: true });
    expect(answer.pending).toEqual(WAITS());
    expect(await stateOf(vera)).toMatchObject({ weekly: null, offers: true });
    // Of the offers only, which are subscribed at once.
    expect(await deliveriesOf(vera)).toBe(1);
    expect((await evidenceOf(vera))[0]?.lists.map(({ name }) => name)).toEqual(['Offers']);
    const shown = await product.call(
      getCustomerPage,
      { params: { customerId: typed, custom_path: world.page.custom_path } },
      world.visitor,
    );
    expect(shown.pending).toEqual(WAITS());
    expect(await pendingOf(vera)).toMatchObject([
      { kind: 'subscribe', everything: false, lists: [{ name: 'Weekly news' }] },
    ]);
    const path = await linkIn(vera.email);
    const [mail] = mailsTo(vera.email);
    expect(mail?.subject).toBe('Confirm your subscription: Acme');
    expect(mail?.text).toContain('Weekly news');
    expect(mail?.text).toContain('The link works for 7 days.');
    product.clock.advance({ minutes: 5 });
    const done = await press(path);
    expect(done.body).toContain('You’re subscribed.');
    expect(await stateOf(vera)).toEqual({ left: false, weekly: true, offers: true });
    expect(await deliveriesOf(vera)).toBe(2);
    expect(await pendingOf(vera)).toEqual([]);
    const [record] = await evidenceOf(vera);
    expect(record).toMatchObject({
      source: 'confirm_link',
      authority: 'link',
      events: ['subscribed'],
      lists: [{ name: 'Weekly news', subscribed: true, previous: null, legal_basis: 'consent' }],
      requested: { source: 'page', ip: '127.0.0.0', user_agent: expect.any(String) },
      ip: '127.0.0.0',
    });
    const asked = record?.requested?.shown.lists.find((one) => one.list_id === world.weekly.id);
    expect(asked).toMatchObject({ double_opt_in: true, legal_basis: 'consent', default_state: false });
    const steps = [record?.requested?.at ?? '', record?.occurred_at ?? ''].map((at) => Date.parse(at));
    expect((steps[1] ?? 0) - (steps[0] ?? 0)).toBeGreaterThanOrEqual(5 * 60_000);
  });

  it('has both steps in its proof with what they and the email said, and the pack reports the text of each if it is missing', async () => {
    const vera = await buildCustomer(product, world);
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email);
    // The second step shows another version of the page.
    await replaceSubject('What may we send?');
    product.clock.advance({ minutes: 5 });
    await press(path);
    const [record] = await evidenceOf(vera);
    const { text_hash: page, email_text_hash: email } = record?.shown ?? {};
    const texts = [record?.requested?.shown.text_hash, page, email];
    expect(new Set(texts.map((hash) => /^[0-9a-f]{64}$/.exec(hash ?? '')?.[0])).size).toBe(3);
    expect(record?.shown).toMatchObject({ link_page: 'resubscribe', page_id: world.page.id, url: null });

    const document = await product.call(exportCustomerProofPdf, ofCustomer(vera), world.owner);
    const text = pdfText(Buffer.from(await document.arrayBuffer()));
    const time = (iso = '') => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
    for (const fact of [
      `Requested ${time(record?.requested?.at)} Request: how Preference page Request: shown ${world.page.url}`,
      'Request: words “Update your preferences”',
      'Request: IP 127.0.0.0 Request: browser',
      'Words of the email “Confirm your subscription: Acme” “Hello,” “Someone entered your email on our preference page to receive these emails from Acme: Weekly news.”',
      `Confirmed ${time(record?.occurred_at)}, by a button behind a link in an email`,
      'Legal basis Weekly news: Consent',
      'Words of the page “Receive these emails?” “This was requested on the preference page. Nothing changes until you confirm.” “Subscribe”',
    ])
      expect(text).toContain(fact);

    const problems = async () => {
      const pack = await product.call(exportCustomerProof, ofCustomer(vera), world.owner);
      return (await verifyPack([Buffer.from(pack, 'utf8')])).problems;
    };
    expect(await problems()).toEqual([]);
    const found: string[] = [];
    for (const hash of texts) {
      const { rows } = await product.testDatabase.owner.query<{ content: unknown }>(
        `update shown_texts set hash = '\\x00' where encode(hash, 'hex') = $1 returning content`,
        [hash],
      );
      expect(rows).toHaveLength(1);
      found.push(...(await problems()));
      await product.testDatabase.owner.query(
        `update shown_texts set hash = decode($1, 'hex') where hash = '\\x00'`,
        [hash],
      );
    }
    const missed = /(?:showed the text|was confirmed from the email) (\w+), which isn't in the pack/;
    expect(found.map((problem) => missed.exec(problem)?.[1])).toEqual(texts);
    await replaceSubject('');
  });

  it('records what the email said whose link was opened, word for word and without its recipient', async () => {
    const vera = await buildCustomer(product, world);
    const typed = await typeAddress(vera.email);
    await put(typed, { weekly: true });
    const first = await linkIn(vera.email);
    const own = { params: { customerId: typed }, body: { kind: 'subscribe' as const } };
    const renamed = { params: world.params, body: { sender_name: 'Acme Ltd' } };
    await product.call(updateSite, renamed, world.owner);
    await product.call(resendConfirmation, own, world.visitor);
    await linkIn(vera.email, 2);
    await product.call(updateSite, { ...renamed, body: { sender_name: '' } }, world.owner);
    await press(first);
    const [record] = await evidenceOf(vera);
    const stored = await textOf<ReturnType<typeof textOfMail>>(record?.shown.email_text_hash);
    if (stored === undefined) throw new Error('What the email said was not stored');
    const [mail, resent] = mailsTo(vera.email);
    expect([mail?.from?.name, resent?.from?.name]).toEqual(['Acme', 'Acme Ltd']);
    expect(stored).toMatchObject({ kind: 'email', asks_for: 'subscribe', language: 'en', from: 'Acme' });
    const { subject, greeting, lines, button, note } = stored;
    expect(subject).toBe(mail?.subject);
    for (const said of [greeting, ...lines, button, note]) expect(mail?.text).toContain(said);
    expect(JSON.stringify(stored)).not.toMatch(/https?:|@|•/);

    // Nor does the email that asks whether to move to this address.
    await patch(typed, { email: `new-${vera.email}` });
    await press(await linkIn(`new-${vera.email}`));
    const [moved] = await evidenceOf(vera);
    const asked = await textOf(moved?.shown.email_text_hash);
    expect(moved?.shown).toMatchObject({ link_page: 'email_change' });
    expect(asked).toMatchObject({ asks_for: 'email_change', button: 'Use this email' });
    expect(JSON.stringify(asked)).toContain('preferences of … at Acme');
    expect(JSON.stringify(asked)).not.toMatch(/https?:|@|•/);
  });

  it('also waits after a personal link, and after a link that switches it on', async () => {
    const vera = await buildCustomer(product, world);
    const proven = await openAsProven(product, world, vera);
    expect((await put(proven, { weekly: true })).pending).toEqual(WAITS());
    expect(await stateOf(vera)).toMatchObject({ weekly: null });
    const ben = await buildCustomer(product, world);
    const typed = await typeAddress(ben.email);
    const byLink = await put(typed, { weekly: true }, { 'x-choice-source': 'state_link' });
    expect(byLink.pending).toEqual(WAITS());
    expect(await stateOf(ben)).toMatchObject({ weekly: null });
  });

  it('waits for somebody who signs up on the page', async () => {
    const email = `new-${randomBytes(4).toString('hex')}@example.org`;
    const typed = await typeAddress(email);
    expect((await put(typed, { weekly: true, offers: false })).pending).toEqual(WAITS());
    const { results } = await product.call(
      listCustomers,
      { params: world.params, query: { search: email } },
      world.owner,
    );
    const [vera] = results;
    if (vera === undefined) throw new Error('nobody signed up');
    expect(await stateOf(vera)).toMatchObject({ weekly: null });
    expect(await deliveriesOf(vera)).toBe(0);
    await press(await linkIn(email));
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
  });

  it('waits again after leaving it, leaving everything, or coming back to everything', async () => {
    const vera = await whoConfirmed();
    const typed = await typeAddress(vera.email);
    await put(typed, { weekly: false });
    expect((await put(typed, { weekly: true })).pending).toEqual(WAITS());
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
    await press(await linkIn(vera.email, 2));
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
    const proven = await openAsProven(product, world, vera);
    await patch(proven, { global_unsubscribe: true });
    const back = await patch(proven, { global_unsubscribe: false });
    expect(back).toMatchObject({ global_unsubscribe: true });
    expect(back.pending).toMatchObject([{ kind: 'subscribe', list_ids: [] }]);
    // With one list, everything that they switch on waits: a single list would bring them back.
    await logInAgain(product, world.owner);
    const { pending } = await put(proven, { weekly: true, offers: true });
    expect(pending).toMatchObject([{ list_ids: [world.weekly.id, world.offers.id] }]);
    expect(await stateOf(vera)).toMatchObject({ left: true });
  });

  it('is reverted by Undo, which restores what was confirmed', async () => {
    const vera = await whoConfirmed();
    const customerId = await typeAddress(vera.email);
    const { receipt } = await put(customerId, { weekly: false });
    await product.call(
      undoChoice,
      { params: { customerId }, body: { receipt: receipt ?? '' } },
      world.visitor,
    );
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
  });

  it('by the business counts as its own claim: at once, and without a second step in the evidence', async () => {
    const vera = await buildCustomer(product, world);
    const body = [{ notification_list_id: world.weekly.id, subscribed: true }];
    await product.call(setCustomerLists, { ...ofCustomer(vera), body }, world.owner);
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
    expect((await evidenceOf(vera))[0]).toMatchObject({ authority: 'owner', requested: null });
  });
});

describe('a pending double opt-in', () => {
  it('survives other saves, which send nothing; another such list joins it in one email', async () => {
    const vera = await buildCustomer(product, world);
    const typed = await typeAddress(vera.email);
    await put(typed, { weekly: true, offers: false });
    await linkIn(vera.email);
    expect((await put(typed, { weekly: true, offers: true })).pending).toEqual(WAITS());
    expect(await stateOf(vera)).toMatchObject({ weekly: null, offers: true });
    const events = await product.call(
      createList,
      { params: world.params, body: { name: 'Events', double_opt_in: true } },
      world.owner,
    );
    await withListOnPage(events.id, async () => {
      const body = [world.weekly.id, events.id].map((id) => ({ notification_list_id: id, subscribed: true }));
      const saved = await product.call(saveLists, { params: { customerId: typed }, body }, world.visitor);
      expect(saved.pending).toMatchObject([{ list_ids: [world.weekly.id, events.id] }]);
      await linkIn(vera.email, 2);
      expect(mailsTo(vera.email).at(-1)?.text).toContain('Weekly news, Events');
    });
  });

  it.each<[string, (typed: string, vera: Customer) => Promise<unknown>]>([
    ['switching it off', (typed) => put(typed, { weekly: false })],
    ['unsubscribing from all', (typed) => put(typed, { weekly: false }, { 'x-unsubscribe-all': '1' })],
    ['one click', (_, vera) => oneClick(vera, { list_id: world.weekly.id })],
    [
      'another email',
      (typed) => patch(typed, { email: `moved-${randomBytes(4).toString('hex')}@example.org` }),
    ],
  ])('is cancelled by %s', async (_how, cancel) => {
    const vera = await buildCustomer(product, world);
    const typed = await typeAddress(vera.email);
    await put(typed, { weekly: true });
    const path = await linkIn(vera.email);
    await cancel(typed, vera);
    expect(await pendingOf(vera)).toEqual([]);
    expect((await press(path)).statusCode).toBe(410);
    expect((await stateOf(vera)).weekly).not.toBe(true);
  });

  it('is cancelled by switching it off again for someone who had left it before, without another choice', async () => {
    const vera = await whoConfirmed();
    const typed = await typeAddress(vera.email);
    await put(typed, { weekly: false });
    await put(typed, { weekly: true });
    const path = await linkIn(vera.email, 2);
    expect((await put(typed, { weekly: false })).pending).toEqual([]);
    expect((await press(path)).statusCode).toBe(410);
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
  });

  it('is cancelled by one click for someone who had left before, without another choice', async () => {
    const vera = await buildCustomer(product, world);
    const typed = await typeAddress(vera.email);
    await patch(typed, { global_unsubscribe: true });
    await put(typed, { weekly: true });
    const path = await linkIn(vera.email);
    const before = (await evidenceOf(vera)).length;
    await oneClick(vera, {});
    expect((await press(path)).statusCode).toBe(410);
    expect(await stateOf(vera)).toMatchObject({ left: true });
    expect(await evidenceOf(vera)).toHaveLength(before);
  });

  it('can be emailed again, three times an hour in all, with the same link', async () => {
    const vera = await buildCustomer(product, world);
    const customerId = await typeAddress(vera.email);
    const none = await product.refuse(
      resendConfirmation,
      { params: { customerId }, body: { kind: 'subscribe' } },
      world.visitor,
    );
    expect(none.status).toBe(404);
    await put(customerId, { weekly: true });
    await linkIn(vera.email);
    expect(await resend(customerId)).toEqual({ masked_email: 'v•••@example.com' });
    await resend(customerId);
    const path = await linkIn(vera.email, 3);
    const refused = await product.refuse(
      resendConfirmation,
      { params: { customerId }, body: { kind: 'subscribe' } },
      world.visitor,
    );
    expect(refused.status).toBe(429);
    await press(path);
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
  });

  it('also confirms a new mailbox of someone who receives such a list', async () => {
    const vera = await whoConfirmed();
    const email = `moved-${randomBytes(4).toString('hex')}@example.org`;
    const proven = await openAsProven(product, world, vera);
    const answer = await patch(proven, { email });
    expect(answer.email).toBe(vera.email);
    expect(answer.pending).toMatchObject([{ kind: 'email_change' }]);
    await press(await linkIn(email));
    expect((await product.call(getCustomer, ofCustomer(vera), world.owner)).email).toBe(email);
  });
});

describe('the link in the email', () => {
  it('confirms nothing by being opened, in any way', async () => {
    const vera = await buildCustomer(product, world);
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email);
    const open = async () => {
      expect((await get(path)).statusCode).toBe(200);
      await product.http.inject({ method: 'HEAD', url: path, headers: HEADERS() });
      await post(path, []);
      await post(path, [['List-Unsubscribe', 'One-Click']]);
    };
    const changed = await changesBy(product.testDatabase.owner, open);
    // Deliveries of before are still recorded meanwhile.
    expect(
      changed.filter((what) => !/^public\.(deliveries|delivery_attempts|sites_with_work)$/.test(what)),
    ).toEqual([]);
    expect(await stateOf(vera)).toMatchObject({ weekly: null });
  });

  it('pressed twice, or twice at once, confirms once', async () => {
    const vera = await buildCustomer(product, world);
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email);
    const answers = await Promise.all([press(path), press(path)]);
    expect([...answers, await press(path)].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await evidenceOf(vera)).filter(({ source }) => source === 'confirm_link')).toHaveLength(1);
    expect(await deliveriesOf(vera)).toBe(1);
  });

  it('expires after seven days, and so do pending changes', async () => {
    const vera = await buildCustomer(product, world);
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email);
    product.clock.advance({ days: 6 });
    expect((await get(path)).statusCode).toBe(200);
    product.clock.advance({ days: 1, minutes: 1 });
    expect((await press(path)).statusCode).toBe(410);
    await runCustomerTimers(product.services);
    expect(await rowsOf(vera)).toBe(0);
    await logInAgain(product, world.owner);
    expect(await stateOf(vera)).toMatchObject({ weekly: null });
  });

  it('ends with the list, unless others are pending, too', async () => {
    const vera = await buildCustomer(product, world);
    const events = await product.call(
      createList,
      { params: world.params, body: { name: 'Soon gone', double_opt_in: true } },
      world.owner,
    );
    const typed = await typeAddress(vera.email);
    await withListOnPage(events.id, async () => {
      const body = [{ notification_list_id: events.id, subscribed: true }];
      await product.call(saveLists, { params: { customerId: typed }, body }, world.visitor);
    });
    const path = await linkIn(vera.email);
    await product.call(deleteList, { params: { ...world.params, id: events.id } }, world.owner);
    expect((await press(path)).statusCode).toBe(410);
    expect(await evidenceOf(vera)).toHaveLength(1);
  });

  it('ends with the person', async () => {
    const vera = await buildCustomer(product, world);
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email);
    await product.call(deleteCustomer, ofCustomer(vera), world.owner);
    expect(await rowsOf(vera)).toBe(0);
    expect((await press(path)).statusCode).toBe(410);
  });
});

async function withListOnPage(listId: string, work: () => Promise<void>): Promise<void> {
  const params = { ...world.params, id: world.page.id };
  const { name, custom_path, allow_customer_create } = world.page;
  const page = { name, custom_path, allow_customer_create };
  const lists = [{ id: world.weekly.id }, { id: world.offers.id }];
  await product.call(
    replacePreferencePage,
    { params, body: { ...page, lists: [...lists, { id: listId }] } },
    world.owner,
  );
  await work();
  await product.call(replacePreferencePage, { params, body: { ...page, lists } }, world.owner);
}

async function oneClick({ id }: Customer, body: { list_id?: string }): Promise<void> {
  const { one_click_url: url } = await product.call(
    mintLinks,
    { params: { ...world.params, id }, body },
    world.owner,
  );
  await post(new URL(url).pathname, [['List-Unsubscribe', 'One-Click']]);
}

async function rowsOf({ id }: Customer): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    'select count(*)::int as count from pending_changes where customer_id = $1',
    [id],
  );
  return rows[0]?.count ?? -1;
}

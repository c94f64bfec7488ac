import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  mintLinks,
} from '#contract/customers.ts';
import { listPendingChanges } from '#contract/pending-changes.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import {
  getCustomerPage,
  openCustomer,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { createLimits } from '#server/platform/request-limits.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { sendCustomerMail } from '#server/visit/customer-mails/customer-mails.jobs.ts';
import { runCustomerTimers } from '#server/visit/customers/customer-timers.jobs.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { changesBy } from '#test/harness/rows.ts';
import {
  buildCustomer,
  buildSite,
  buildWorld,
  logInAgain,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

/** A page on which people who only typed an address confirm by email. */
const PATH = 'confirmed';

let mailServer: MailServer;
let product: TestProduct;
let world: World;
let elsewhere: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  world = await buildWorld(product);
  elsewhere = await buildSite(product, world.owner, world.params.organization_id);
  await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'Acme',
        custom_path: PATH,
        allow_customer_create: true,
        lists: [{ id: world.weekly.id }, { id: world.offers.id }],
        attrs: { confirm_changes: true, offer_pause: true },
      },
    },
    world.owner,
  );
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await logInAgain(product, world.owner);
});

const hostOf = (of: World = world) => `${of.site.domain_name}:${product.services.config.port}`;
const freshEmail = () => `new-${randomBytes(4).toString('hex')}@example.org`;

function get(url: string, of = world) {
  return product.http.inject({ method: 'GET', url, headers: { host: hostOf(of) } });
}

function post(url: string, fields: [string, string][], of = world) {
  return product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(of), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

/** What a person reads of an answer. */
const said = ({ body }: { body: string }) =>
  body
    .replaceAll(/<(script|style)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#x27;', "'");

const press = (url: string, of = world) => post(url, [['intent', 'confirm']], of);

const mailsTo = (email: string, path: string) =>
  mailServer.mails.filter((mail) => mail.to?.[0]?.address === email && mail.text?.includes(`/${path}/`));

/** The link of the newest mail of a kind to an address. */
async function linkIn(email: string, path: string, count = 1): Promise<string> {
  await expect.poll(() => mailsTo(email, path).length).toBe(count);
  return new URL(/https?:\S+/.exec(mailsTo(email, path).at(-1)?.text ?? '')?.[0] ?? '').pathname;
}

/** Emails to customers that the queue still has, by when they are due. */
async function mailJobs(when: string): Promise<Job[]> {
  const { rows } = await product.testDatabase.owner.query<{ data: Job }>(
    `select data from queue.job where name = 'customer-mails' and state < 'completed' and start_after ${when}`,
  );
  return rows.map(({ data }) => data);
}

/** The services of a process for which the day's limit of notices has started again. */
async function onTheNextDay(): Promise<Services> {
  await product.testDatabase.owner.query(`delete from rate_limits where key like 'mails-resubscribed%'`);
  const { database, keyring } = product.services;
  return { ...product.services, limits: createLimits(database, keyring) };
}

/** As a stranger does: with nothing but the address. */
async function typeAddress(email: string, custom_path = PATH): Promise<string> {
  const { id } = await product.call(openCustomer, { body: { email, custom_path } }, world.visitor);
  return id;
}

function put(customerId: string, lists: { weekly?: boolean; offers?: boolean }, saveId?: string) {
  const body = (['weekly', 'offers'] as const).flatMap((name) => {
    const subscribed = lists[name];
    return subscribed === undefined ? [] : [{ notification_list_id: world[name].id, subscribed }];
  });
  const headers = saveId === undefined ? {} : { 'idempotency-key': saveId };
  return product.call(saveLists, { params: { customerId }, headers, body }, world.visitor);
}

function patch(
  customerId: string,
  body: { global_unsubscribe: boolean } | { email: string } | { pause_days: 30 | 60 | 90 },
  saveId?: string,
) {
  const headers = saveId === undefined ? {} : { 'idempotency-key': saveId };
  return product.call(updatePublicCustomer, { params: { customerId }, headers, body }, world.visitor);
}

async function stateOf({ id }: Customer) {
  const params = { ...world.params, id };
  const [customer, { results }] = await Promise.all([
    product.call(getCustomer, { params }, world.owner),
    product.call(getCustomerLists, { params }, world.owner),
  ]);
  const of = (listId: string) => results.find((one) => one.notification_list_id === listId)?.subscribed;
  return {
    email: customer.email,
    left: customer.global_unsubscribe,
    paused: customer.paused_until !== null,
    weekly: of(world.weekly.id),
    offers: of(world.offers.id),
  };
}

const evidenceOf = async ({ id }: Customer) =>
  (await product.call(listCustomerEvidence, { params: { ...world.params, id }, query: {} }, world.owner))
    .results;

const pendingOf = async ({ id }: Customer) =>
  (await product.call(listPendingChanges, { params: { ...world.params, id } }, world.owner)).results;

const shownPending = async (customerId: string) =>
  (await product.call(getCustomerPage, { params: { customerId, custom_path: PATH } }, world.visitor)).pending;

/** Somebody who left the weekly news themselves, in an earlier visit. */
async function whoLeftWeekly(): Promise<Customer> {
  const vera = await buildCustomer(product, world);
  await put(await openAsProven(product, world, vera), { weekly: false });
  return vera;
}

const KINDS = (pending: readonly { kind: string }[]) => pending.map(({ kind }) => kind);

describe('a stranger who only knows an address', () => {
  it('can leave lists and everything at once, and choose what was never chosen', async () => {
    const vera = await buildCustomer(product, world);
    const stranger = await typeAddress(vera.email);
    expect((await put(stranger, { weekly: false, offers: true })).pending).toEqual([]);
    expect(await stateOf(vera)).toMatchObject({ weekly: false, offers: true });
    expect((await patch(stranger, { global_unsubscribe: true })).pending).toEqual([]);
    expect(await stateOf(vera)).toMatchObject({ left: true });
    expect(await pendingOf(vera)).toEqual([]);
  });

  it('cannot resubscribe anybody to a list that they left', async () => {
    const vera = await whoLeftWeekly();
    const stranger = await typeAddress(vera.email);
    const answer = await put(stranger, { weekly: true });
    expect(answer.lists).toContainEqual({ notification_list_id: world.weekly.id, subscribed: false });
    expect(answer).toMatchObject({ choice_id: null, receipt: null, global_unsubscribe: false });
    expect(KINDS(answer.pending)).toEqual(['resubscribe']);
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
    expect(KINDS(await shownPending(stranger))).toEqual(['resubscribe']);
    await linkIn(vera.email, 'confirm');
  });

  it('cannot resubscribe someone who left everything, by any call', async () => {
    const vera = await whoLeftWeekly();
    await patch(await openAsProven(product, world, vera), { global_unsubscribe: true });
    const stranger = await typeAddress(vera.email);
    const back = await patch(stranger, { global_unsubscribe: false });
    expect(back).toMatchObject({ global_unsubscribe: true, receipt: null });
    expect(KINDS(back.pending)).toEqual(['resubscribe']);
    expect(KINDS((await put(stranger, { weekly: true, offers: true })).pending)).toEqual(['resubscribe']);
    await product.call(
      saveLists,
      {
        params: { customerId: stranger },
        headers: { 'x-choice-source': 'state_link' },
        body: [{ notification_list_id: world.offers.id, subscribed: true }],
      },
      world.visitor,
    );
    expect(await stateOf(vera)).toMatchObject({ left: true });
  });

  it('can neither end nor shorten a pause', async () => {
    const vera = await buildCustomer(product, world);
    await patch(await typeAddress(vera.email), { pause_days: 60 });
    const before = await product.call(getCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    const stranger = await typeAddress(vera.email);
    expect((await patch(stranger, { pause_days: 30 })).paused_until).toBe(before.paused_until);
    expect(KINDS((await patch(stranger, { global_unsubscribe: false })).pending)).toEqual(['resubscribe']);
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: true });
    await press(await linkIn(vera.email, 'confirm'));
    expect(await stateOf(vera)).toMatchObject({ left: false, paused: false });
  });

  it('cannot change the address: only the new mailbox can', async () => {
    const vera = await buildCustomer(product, world);
    const email = freshEmail();
    const stranger = await typeAddress(vera.email);
    const answer = await patch(stranger, { email });
    expect(answer).toMatchObject({ email: vera.email, receipt: null });
    expect(KINDS(answer.pending)).toEqual(['email_change']);
    expect(await stateOf(vera)).toMatchObject({ email: vera.email });
    const path = await linkIn(email, 'confirm');
    expect(mailsTo(vera.email, 'confirm')).toEqual([]);
    expect(said(await press(path))).toContain('Your email is now n•••@example.org.');
    expect(await stateOf(vera)).toMatchObject({ email });
    // The mailbox before is told, with a way back.
    const back = await press(await linkIn(vera.email, 'undo'));
    expect(back.statusCode).toBe(200);
    expect(await stateOf(vera)).toMatchObject({ email: vera.email });
  });

  it('who confirms in their own mailbox loses all of it when the former mailbox undoes it', async () => {
    const vera = await whoLeftWeekly();
    const theirs = freshEmail();
    await patch(await typeAddress(vera.email), { email: theirs });
    await press(await linkIn(theirs, 'confirm'));
    await put(await typeAddress(theirs), { weekly: true });
    await press(await linkIn(theirs, 'confirm', 2));
    expect(await stateOf(vera)).toMatchObject({ email: theirs, weekly: true });
    // And moves on, so that the notice would be of an earlier change.
    const next = freshEmail();
    await patch(await typeAddress(theirs), { email: next });
    await press(await linkIn(next, 'confirm'));
    expect((await press(await linkIn(vera.email, 'undo'))).statusCode).toBe(200);
    expect(await stateOf(vera)).toMatchObject({ email: vera.email, weekly: false });
  });

  it('learns nothing of a taken address: only its own mailbox is told', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const stranger = await typeAddress(vera.email);
    const [free, taken] = [
      await patch(stranger, { email: freshEmail() }),
      await patch(stranger, { email: ben.email }),
    ];
    expect(KINDS(taken.pending)).toEqual(['email_change']);
    expect(Object.keys(taken)).toEqual(Object.keys(free));
    const pressed = await press(await linkIn(ben.email, 'confirm'));
    expect(pressed.statusCode).toBe(409);
    expect(await stateOf(vera)).toMatchObject({ email: vera.email });
  });

  it('can combine changes, and those allowed at once are saved at once', async () => {
    const vera = await whoLeftWeekly();
    await put(await openAsProven(product, world, vera), { offers: true });
    const answer = await put(await typeAddress(vera.email), { weekly: true, offers: false });
    expect(answer.choice_id).not.toBeNull();
    expect(KINDS(answer.pending)).toEqual(['resubscribe']);
    expect(await stateOf(vera)).toMatchObject({ weekly: false, offers: false });
  });

  it('can undo in the same visit what they just left', async () => {
    const vera = await buildCustomer(product, world);
    await put(await openAsProven(product, world, vera), { weekly: true });
    const customerId = await typeAddress(vera.email);
    const { receipt } = await put(customerId, { weekly: false });
    const body = { receipt: receipt ?? '' };
    await product.call(undoChoice, { params: { customerId }, body }, world.visitor);
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
  });

  it('causes three emails with four saves in an hour, and the last link works', async () => {
    const vera = await whoLeftWeekly();
    const stranger = await typeAddress(vera.email);
    for (const mails of [1, 2, 3, 3]) {
      expect(KINDS((await put(stranger, { weekly: true })).pending)).toEqual(['resubscribe']);
      // An email whose link was replaced before it could be sent is not sent.
      await linkIn(vera.email, 'confirm', mails);
    }
    expect((await press(await linkIn(vera.email, 'confirm', 3))).statusCode).toBe(200);
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
    // Nothing can be asked for any more, and nothing else was wanted; leaving still works.
    const again = await typeAddress(vera.email);
    await put(again, { weekly: false });
    const refused = await product.refuse(
      saveLists,
      {
        params: { customerId: again },
        body: [{ notification_list_id: world.weekly.id, subscribed: true }],
      },
      world.visitor,
    );
    expect(refused.status).toBe(429);
    await put(again, { weekly: true, offers: false });
    expect(await stateOf(vera)).toMatchObject({ weekly: false, offers: false });
    expect(mailsTo(vera.email, 'confirm')).toHaveLength(3);
  });

  it('who repeats a save causes one email with one link', async () => {
    const vera = await whoLeftWeekly();
    const stranger = await typeAddress(vera.email);
    const saveId = 'save-again-1';
    const first = await put(stranger, { weekly: true, offers: true }, saveId);
    const path = await linkIn(vera.email, 'confirm');
    const again = await put(stranger, { weekly: true, offers: true }, saveId);
    expect(again.pending).toEqual(first.pending);
    expect(again.choice_id).toBe(first.choice_id);
    expect((await press(path)).body).toContain('You’re subscribed.');
    expect(mailsTo(vera.email, 'confirm')).toHaveLength(1);
  });
});

describe('a page without JavaScript', () => {
  it('shows the pending change in place of the confirmation, also when it is reopened', async () => {
    const vera = await whoLeftWeekly();
    const customer = await typeAddress(vera.email);
    const fields: [string, string][] = [
      ['intent', 'save'],
      ['customer', customer],
      ['save_id', 'save-plain-1'],
      ['list', world.weekly.id],
      ['on', world.weekly.id],
    ];
    const saved = await post(`/${PATH}`, fields);
    expect(saved.statusCode).toBe(200);
    expect(said(saved)).toContain('One step left: check your inbox.');
    expect(said(saved)).toContain(`the email we sent to ${vera.email}`);
    expect(said(saved)).not.toContain('Your preferences have been saved');
    expect(said(await get(`/${PATH}?email=${vera.email}`))).toContain(`the email we sent to ${vera.email}`);
    const email = freshEmail();
    const moved = await post(`/${PATH}`, [
      ['intent', 'change_email'],
      ['customer', customer],
      ['save_id', 'save-plain-2'],
      ['new_email', email],
    ]);
    expect(said(moved)).toContain('Check the inbox of your new email');
    expect(said(moved)).not.toContain('Email updated!');
    expect(said(moved)).not.toContain(email);
  });

  it('asked by a state= link to subscribe keeps it pending, and says so', async () => {
    const vera = await whoLeftWeekly();
    const fields: [string, string][] = [
      ['intent', 'state'],
      ['customer', await typeAddress(vera.email)],
      ['save_id', 'save-plain-3'],
      ['state', 'subscribe'],
      ['list', world.weekly.id],
    ];
    const answer = await post(`/${PATH}`, fields);
    expect(said(answer)).toContain('One step left: check your inbox.');
    expect(said(answer)).not.toContain('You’re subscribed to');
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
  });
});

describe('the link in the email', () => {
  it('changes nothing when it is opened, and confirms by its button, once', async () => {
    const vera = await whoLeftWeekly();
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email, 'confirm');
    const opened = async () => {
      const page = await get(path);
      expect(page.body).toContain('Receive these emails?');
      expect(page.body).toContain('Weekly news');
      expect(page.body).not.toContain(vera.email);
      await product.http.inject({ method: 'HEAD', url: path, headers: { host: hostOf() } });
      await post(path, []);
    };
    expect(await changesBy(product.testDatabase.owner, opened)).toEqual([]);
    expect((await press(path)).body).toContain('You’re subscribed.');
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
    expect((await press(path)).body).toContain('You’re subscribed.');
    const [newest, ...earlier] = await evidenceOf(vera);
    expect(newest?.source).toBe('confirm_link');
    expect(earlier.filter(({ source }) => source === 'confirm_link')).toEqual([]);
    // What was chosen since counts: the link is not a switch.
    await put(await openAsProven(product, world, vera), { weekly: false });
    expect((await press(path)).statusCode).toBe(410);
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
  });

  it('leaves evidence of both steps', async () => {
    const vera = await whoLeftWeekly();
    await put(await typeAddress(vera.email), { weekly: true });
    const [waiting] = await pendingOf(vera);
    expect(waiting).toMatchObject({
      kind: 'resubscribe',
      everything: false,
      ip: '127.0.0.0',
      lists: [{ list_id: world.weekly.id, name: 'Weekly news' }],
    });
    await press(await linkIn(vera.email, 'confirm'));
    const [record] = await evidenceOf(vera);
    expect(record).toMatchObject({
      source: 'confirm_link',
      authority: 'link',
      events: ['subscribed'],
      lists: [{ list_id: world.weekly.id, subscribed: true, previous: false }],
      shown: { lists: [{ list_id: world.weekly.id, name: 'Weekly news' }] },
      requested: {
        at: waiting?.requested_at,
        source: 'page',
        ip: '127.0.0.0',
        shown: { lists: [{ list_id: world.weekly.id }, { list_id: world.offers.id }] },
      },
    });
    expect(await pendingOf(vera)).toEqual([]);
  });

  it('works once for two people who press at the same moment', async () => {
    const vera = await whoLeftWeekly();
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email, 'confirm');
    const answers = await Promise.all(Array.from({ length: 6 }, () => press(path)));
    for (const answer of answers) expect(answer.body).toContain('You’re subscribed.');
    const confirmed = (await evidenceOf(vera)).filter(({ source }) => source === 'confirm_link');
    expect(confirmed).toHaveLength(1);
  });

  it('expires after 48 hours, and the pending change is deleted', async () => {
    const vera = await whoLeftWeekly();
    const stranger = await typeAddress(vera.email);
    await put(stranger, { weekly: true });
    const path = await linkIn(vera.email, 'confirm');
    product.clock.advance({ hours: 49 });
    await logInAgain(product, world.owner);
    expect((await get(path)).statusCode).toBe(410);
    expect((await press(path)).statusCode).toBe(410);
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
    expect(await pendingOf(vera)).toEqual([]);
    await runCustomerTimers(product.services);
    expect(await rowsOf(vera)).toBe(0);
  });

  it('expires when another one is requested', async () => {
    const vera = await whoLeftWeekly();
    await put(await openAsProven(product, world, vera), { offers: false });
    const stranger = await typeAddress(vera.email);
    await put(stranger, { weekly: true });
    const first = await linkIn(vera.email, 'confirm');
    await put(stranger, { offers: true });
    const second = await linkIn(vera.email, 'confirm', 2);
    expect((await press(first)).statusCode).toBe(410);
    expect(await stateOf(vera)).toMatchObject({ weekly: false, offers: false });
    await press(second);
    expect(await stateOf(vera)).toMatchObject({ weekly: false, offers: true });
  });

  it('is cancelled by a later opt-out, and not by one from something else', async () => {
    const [vera, ben] = [await whoLeftWeekly(), await whoLeftWeekly()];
    await put(await openAsProven(product, world, vera), { offers: true });
    const stranger = await typeAddress(vera.email);
    await put(stranger, { weekly: true });
    const path = await linkIn(vera.email, 'confirm');
    await put(stranger, { offers: false });
    expect((await get(path)).statusCode).toBe(200);
    const links = { params: { ...world.params, id: vera.id }, body: {} };
    const { one_click_url } = await product.call(mintLinks, links, world.owner);
    await post(new URL(one_click_url).pathname, [['List-Unsubscribe', 'One-Click']]);
    expect(await shownPending(stranger)).toEqual([]);
    expect((await press(path)).statusCode).toBe(410);
    expect(await stateOf(vera)).toMatchObject({ left: true });
    // Also from just the list, where it was on again meanwhile.
    await put(await typeAddress(ben.email), { weekly: true });
    const other = await linkIn(ben.email, 'confirm');
    const proven = await openAsProven(product, world, ben);
    await put(proven, { weekly: true });
    await put(proven, { weekly: false });
    expect((await press(other)).statusCode).toBe(410);
    expect(await stateOf(ben)).toMatchObject({ weekly: false });
  });

  it('of one site is worthless on another, and none can be forged', async () => {
    const vera = await whoLeftWeekly();
    await put(await typeAddress(vera.email), { weekly: true });
    const path = await linkIn(vera.email, 'confirm');
    expect((await get(path, elsewhere)).statusCode).toBe(404);
    expect((await press(path, elsewhere)).statusCode).toBe(404);
    expect((await press(path.replace('/confirm/', '/resubscribed/'))).statusCode).toBe(404);
    expect((await press(path.replace('/confirm/', '/undo/'))).statusCode).toBe(404);
    expect((await press(`${path.slice(0, -4)}AAAA`)).statusCode).toBe(404);
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
  });

  it('to a new address shows that one in full, and never the former one', async () => {
    const vera = await buildCustomer(product, world);
    const email = freshEmail();
    await patch(await typeAddress(vera.email), { email });
    const path = await linkIn(email, 'confirm');
    const opened = await get(path);
    expect(opened.body).toContain(email);
    expect(opened.body).not.toContain(vera.email);
    const done = await press(path);
    expect(said(done)).toContain(`Your email is now ${email[0]}•••@`);
    expect(done.body).not.toContain(vera.email);
  });

  it('to a new address that is taken meanwhile changes nothing', async () => {
    const vera = await buildCustomer(product, world);
    const email = freshEmail();
    await patch(await typeAddress(vera.email), { email });
    const path = await linkIn(email, 'confirm');
    await buildCustomer(product, world, email);
    const answer = await press(path);
    expect(answer.statusCode).toBe(409);
    expect(answer.body).toContain('This email now has preferences of its own');
    expect(await stateOf(vera)).toMatchObject({ email: vera.email });
  });

  it('of an erased person expires, and nothing of the address remains', async () => {
    const vera = await buildCustomer(product, world);
    const email = freshEmail();
    await patch(await typeAddress(vera.email), { email });
    const path = await linkIn(email, 'confirm');
    await product.call(deleteCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    expect(await rowsOf(vera)).toBe(0);
    expect((await press(path)).statusCode).toBe(410);
  });
});

async function rowsOf({ id }: Customer): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    'select count(*)::int as count from pending_changes where customer_id = $1',
    [id],
  );
  return rows[0]?.count ?? -1;
}

describe('someone with a personal link', () => {
  it('resubscribes and changes the address at once, and gets an email about both', async () => {
    const vera = await whoLeftWeekly();
    const proven = await openAsProven(product, world, vera);
    expect((await put(proven, { weekly: true })).pending).toEqual([]);
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
    await linkIn(vera.email, 'resubscribed');
    const email = freshEmail();
    expect(await patch(proven, { email })).toMatchObject({ email, pending: [] });
    await linkIn(vera.email, 'undo');
  });
});

describe('anybody who is resubscribed', () => {
  it('is told on every page, no matter who did it, and can undo it by one button', async () => {
    const vera = await whoLeftWeekly();
    await put(await typeAddress(vera.email, 'preferences'), { weekly: true });
    expect(await stateOf(vera)).toMatchObject({ weekly: true });
    const path = await linkIn(vera.email, 'resubscribed');
    expect(mailsTo(vera.email, 'resubscribed')[0]?.text).toContain('Weekly news');
    expect(await changesBy(product.testDatabase.owner, () => get(path))).toEqual([]);
    expect((await press(path)).body).toContain('You’re unsubscribed again.');
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
    expect((await press(path, elsewhere)).statusCode).toBe(404);
  });

  it.each(['a list', 'everything'])(
    'by a link that subscribes to %s and has nothing but their address is told, and leaves again by one button',
    async (what) => {
      const vera = await whoLeftWeekly();
      const isList = what === 'a list';
      if (!isList) await patch(await openAsProven(product, world, vera), { global_unsubscribe: true });
      const link = `/preferences?email=${vera.email}&state=subscribe`;
      const opened = () => get(isList ? `${link}&listId=${world.weekly.id}` : link);
      expect(await changesBy(product.testDatabase.owner, opened)).toEqual([]);
      const [, customer = ''] = /name="customer" value="([^"]+)"/.exec((await opened()).body) ?? [];
      // What the page's script sends by itself, a scanner's as well as a person's.
      const params = { customerId: customer };
      const headers = { 'x-choice-source': 'state_link' } as const;
      const weekly = [{ notification_list_id: world.weekly.id, subscribed: true }];
      if (isList) await product.call(saveLists, { params, headers, body: weekly }, world.visitor);
      else {
        const body = { global_unsubscribe: false };
        await product.call(updatePublicCustomer, { params, headers, body }, world.visitor);
      }
      expect(await stateOf(vera)).toMatchObject({ left: false, weekly: isList });
      await press(await linkIn(vera.email, 'resubscribed'));
      expect(await stateOf(vera)).toMatchObject({ left: !isList, weekly: false });
    },
  );

  it('after leaving everything is told, and leaves everything again', async () => {
    const vera = await buildCustomer(product, world);
    const stranger = await typeAddress(vera.email, 'preferences');
    await patch(stranger, { global_unsubscribe: true });
    await patch(stranger, { global_unsubscribe: false });
    await press(await linkIn(vera.email, 'resubscribed'));
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: false });
  });

  it('after a pause can resume the rest of it', async () => {
    const vera = await buildCustomer(product, world);
    const stranger = await typeAddress(vera.email);
    await patch(stranger, { pause_days: 30 });
    await patch(await openAsProven(product, world, vera), { global_unsubscribe: false });
    await press(await linkIn(vera.email, 'resubscribed'));
    expect(await stateOf(vera)).toMatchObject({ left: true, paused: true });
  });

  it('gets no delayed notice about a list that they have left again', async () => {
    const vera = await whoLeftWeekly();
    const stranger = await typeAddress(vera.email, 'preferences');
    const before = await mailJobs('> now()');
    for (let turn = 0; turn < 5; turn += 1) {
      await put(stranger, { weekly: true });
      await linkIn(vera.email, 'resubscribed', turn + 1);
      await put(stranger, { weekly: false });
    }
    await put(stranger, { weekly: true });
    await expect.poll(async () => (await mailJobs('> now()')).length).toBe(before.length + 1);
    const [waiting] = (await mailJobs('> now()')).filter(({ id }) => !before.some((one) => one.id === id));
    if (waiting === undefined) throw new Error('A notice waits');
    await put(stranger, { weekly: false });

    await sendCustomerMail(await onTheNextDay(), waiting);
    expect(mailsTo(vera.email, 'resubscribed')).toHaveLength(5);
  });

  it('is told at most five times a day, at first at once, and then of what they have not left again', async () => {
    const vera = await whoLeftWeekly();
    const stranger = await typeAddress(vera.email, 'preferences');
    for (let turn = 0; turn < 7; turn += 1) {
      await put(stranger, { weekly: true });
      await put(stranger, { weekly: false });
    }
    await linkIn(vera.email, 'resubscribed', 5);
    await put(stranger, { weekly: true });
    await expect.poll(() => mailJobs(`<= now() + interval '1 minute'`)).toEqual([]);
    expect(mailsTo(vera.email, 'resubscribed')).toHaveLength(5);
    // The next day: the limit starts again, and those that waited are looked at again.
    const services = await onTheNextDay();
    const waiting = await mailJobs('> now()');
    expect(waiting.length).toBeGreaterThan(0);
    for (const job of waiting) await sendCustomerMail(services, job);
    await press(await linkIn(vera.email, 'resubscribed', 6));
    expect(await stateOf(vera)).toMatchObject({ weekly: false });
  });
});

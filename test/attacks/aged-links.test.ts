import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAuditLog } from '#contract/audit-log.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  endLinks,
  getCustomer,
  getCustomerLists,
  mintLinks,
  setCustomerLists,
} from '#contract/customers.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { getCustomerPage, openCustomer, saveLists } from '#contract/public-preferences.ts';
import { updateSite } from '#contract/sites.ts';
import { type Challenge, dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { sign } from '#server/platform/secrets.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/*
 * A personal link that has aged, or was ended, may only lower consent: everything else answers `link_expired`, and no
 * answer to it holds the full address.
 */

let mailServer: MailServer;
let product: TestProduct;
let world: World;
/** Asks for proof, and offers a pause. */
let closed: PreferencePage;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  world = await buildWorld(product);
  closed = await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'Acme',
        custom_path: 'closed',
        attrs: { enhanced_security: true, offer_pause: true },
        lists: [{ id: world.weekly.id }, { id: world.offers.id }],
      },
    },
    world.owner,
  );
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

/** What was answered to links that no longer prove anybody. */
const answered: string[] = [];
let vera: Customer;

beforeEach(async () => {
  mailServer.mails.length = 0;
  answered.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
  vera = await buildCustomer(product, world);
});

afterEach(() => {
  if (answered.some((text) => text.includes(vera.email))) throw new Error('An answer holds the full address');
});

const ofVera = () => ({ ...world.params, id: vera.id });
const today = () => dayOf(product.clock.now());

function challengeFor(parts: Partial<Challenge> = {}): string {
  return makeChallenge(product.services.keyring, {
    purpose: 'manage',
    siteId: world.params.site_id,
    customerId: vera.id,
    issuedOn: today(),
    generation: 0,
    listId: null,
    ...parts,
  });
}

const openWith = (challenge: string, page = closed) =>
  product.call(openCustomer, { body: { challenge, custom_path: page.custom_path } }, world.visitor);

const end = () => product.call(endLinks, { params: ofVera() }, world.owner);

interface Expired {
  challenge: string;
  /** The sealed id with which its calls are made. */
  sealed: string;
}

const WAYS: Record<string, () => Promise<Expired>> = {
  'a link older than 180 days': async () => {
    const challenge = challengeFor({ issuedOn: today() - 181 });
    return { challenge, sealed: (await openWith(challenge)).id };
  },
  'a link of the first version, which does not say its day': async () => {
    const body = Buffer.from(challengeFor(), 'base64url').subarray(0, 56);
    body.writeUInt8(1, 0);
    const { key } = product.services.keyring.derive(`challenge:${world.params.site_id}`);
    const challenge = Buffer.concat([body, sign(key, body, 16)]).toString('base64url');
    return { challenge, sealed: (await openWith(challenge)).id };
  },
  'a link that an owner ended on the day it was made': async () => {
    const { challenge } = await product.call(mintLinks, { params: ofVera(), body: {} }, world.owner);
    await end();
    return { challenge, sealed: (await openWith(challenge)).id };
  },
  'a page that was opened before its link was ended': async () => {
    const { challenge } = await product.call(mintLinks, { params: ofVera(), body: {} }, world.owner);
    const { id, level } = await openWith(challenge);
    expect(level).toBe('proven');
    await end();
    return { challenge, sealed: id };
  },
};

async function choose(weekly: boolean, offers: boolean): Promise<void> {
  const body = [
    { notification_list_id: world.weekly.id, subscribed: weekly },
    { notification_list_id: world.offers.id, subscribed: offers },
  ];
  await product.call(setCustomerLists, { params: ofVera(), body }, world.owner);
}

async function stateOf() {
  const [customer, lists] = await Promise.all([
    product.call(getCustomer, { params: ofVera() }, world.owner),
    product.call(getCustomerLists, { params: ofVera() }, world.owner),
  ]);
  const { email, global_unsubscribe: left, paused_until } = customer;
  const [weekly, offers] = lists.results.map(({ subscribed }) => subscribed);
  return { email, left, isPaused: paused_until !== null, weekly, offers };
}

const newest = async () =>
  (await product.call(listCustomerEvidence, { params: ofVera() }, world.owner)).results[0];

async function send(method: string, path: string, body?: object) {
  const answer = await rawRequest(
    product,
    method,
    `/api/customer/v1/customers${path === '' ? '' : `/${path}`}`,
    {
      as: world.visitor,
      ...(body === undefined ? {} : { body }),
    },
  );
  answered.push(answer.text);
  return answer;
}

const put = (sealed: string, wanted: Partial<Record<'weekly' | 'offers', boolean>>) =>
  send(
    'PUT',
    `${sealed}/lists`,
    Object.entries(wanted).map(([list, subscribed]) => ({
      notification_list_id: world[list as 'weekly' | 'offers'].id,
      subscribed,
    })),
  );

const hostOf = () => `${world.site.domain_name}:${product.services.config.port}`;

async function get(url: string) {
  const answer = await product.http.inject({ method: 'GET', url, headers: { host: hostOf() } });
  answered.push(answer.body);
  return answer;
}

async function post(url: string, fields: Record<string, string | string[]>) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) body.append(name, one);
  }
  const answer = await product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded' },
    payload: body.toString(),
  });
  answered.push(answer.body);
  return answer;
}

async function sentTo(email: string, count: number) {
  const mails = () => mailServer.mails.filter(({ to }) => to?.some(({ address }) => address === email));
  await expect.poll(() => mails().length).toBe(count);
  return mails();
}

describe.each(Object.entries(WAYS))('%s', (_name, expire) => {
  it('opens every page with a masked address and the state of each list', async () => {
    await choose(true, false);
    const { challenge, sealed } = await expire();
    const masked = `${vera.email[0]}•••@example.com`;
    for (const page of [world.page, closed]) {
      const opened = await send('POST', '', { challenge, custom_path: page.custom_path });
      expect(opened).toMatchObject({ status: 200, json: { level: 'leave', email: masked } });
      const path = `/api/customer/v2/customers/${sealed}/preferences/${closed.custom_path}`;
      const shown = await rawRequest(product, 'GET', path, { as: world.visitor });
      answered.push(shown.text);
      expect(shown).toMatchObject({
        status: 200,
        json: { lists: [{ subscribed: true }, { subscribed: false }] },
      });
      const document = await get(`/${page.custom_path}?challenge=${challenge}`);
      expect(document.statusCode).toBe(200);
      expect(document.body).toContain('This link has expired');
      expect(document.body).toContain(masked);
    }
  });

  it('switches lists off, and says in the evidence that a link did', async () => {
    await choose(true, true);
    const { sealed } = await expire();
    const saved = await put(sealed, { weekly: true, offers: false });
    expect(saved).toMatchObject({ status: 200, json: { receipt: null } });
    expect(await stateOf()).toMatchObject({ weekly: true, offers: false });
    expect(await newest()).toMatchObject({ authority: 'link', events: ['unsubscribed'] });
  });

  it('switches nothing on, and saves nothing of a request that would', async () => {
    await choose(true, false);
    const { sealed } = await expire();
    expect(await put(sealed, { offers: true })).toMatchObject({ status: 403, codes: ['link_expired'] });
    const mixed = await put(sealed, { weekly: false, offers: true });
    expect(mixed).toMatchObject({ status: 403, codes: ['link_expired'] });
    expect(await stateOf()).toMatchObject({ weekly: true, offers: false });
  });

  it('turns no default of a list into consent', async () => {
    const { sealed } = await expire();
    expect(await put(sealed, { weekly: true, offers: false })).toMatchObject({ status: 200 });
    expect(await stateOf()).toMatchObject({ weekly: null, offers: false });
  });

  it('leaves everything, and resubscribes nobody', async () => {
    await choose(true, true);
    const { sealed } = await expire();
    const left = await send('PATCH', sealed, { global_unsubscribe: true });
    expect(left).toMatchObject({
      status: 200,
      json: { level: 'leave', global_unsubscribe: true, receipt: null },
    });
    expect(await stateOf()).toMatchObject({ left: true });
    const back = await send('PATCH', sealed, { global_unsubscribe: false });
    expect(back).toMatchObject({ status: 403, codes: ['link_expired'] });
    expect(await put(sealed, { weekly: true })).toMatchObject({ status: 403, codes: ['link_expired'] });
    expect(await stateOf()).toMatchObject({ left: true });
  });

  it('begins a pause, but cannot shorten or end one', async () => {
    await choose(true, true);
    const { sealed } = await expire();
    expect(await send('PATCH', sealed, { pause_days: 90 })).toMatchObject({ status: 200 });
    for (const body of [{ pause_days: 30 }, { global_unsubscribe: false }]) {
      expect(await send('PATCH', sealed, body)).toMatchObject({ status: 403, codes: ['link_expired'] });
    }
    expect(await stateOf()).toMatchObject({ isPaused: true });
  });

  it('cannot change an address, undo, give reasons, ask for data or end links', async () => {
    await choose(true, true);
    const fresh = challengeFor({ generation: 1 });
    const { sealed } = await expire();
    // Of the same customer, and given to a link that proves them.
    await product.testDatabase.owner.query('update customers set link_generation = 1 where id = $1', [
      vera.id,
    ]);
    const { id } = await openWith(fresh);
    const off = [{ notification_list_id: world.weekly.id, subscribed: false }];
    const { receipt } = await product.call(
      saveLists,
      { params: { customerId: id }, body: off },
      world.visitor,
    );
    const before = await stateOf();
    const refused: [string, string, object?][] = [
      ['PATCH', sealed, { email: 'mallory@example.com' }],
      ['POST', `${sealed}/undo`, { receipt }],
      ['POST', `${sealed}/reason`, { receipt, reason: 'other' }],
      ['POST', `${sealed}/data-requests`, { kind: 'download' }],
      ['POST', `${sealed}/data-requests`, { kind: 'erasure' }],
      ['POST', `${sealed}/complaints`, { text: 'I never agreed to this.' }],
      ['POST', `${sealed}/links/end`],
    ];
    for (const [method, path, body] of refused) {
      const answer = await send(method, path, body);
      expect(answer, `${method} ${path}`).toMatchObject({ status: 403, codes: ['link_expired'] });
    }
    expect(await stateOf()).toEqual(before);
    expect(mailServer.mails).toEqual([]);
  });

  it('is answered the same way in plain forms', async () => {
    await choose(true, false);
    const { sealed } = await expire();
    const identity = { customer: sealed, save_id: 'a-save-of-a-form' };
    const lists = { list: [world.weekly.id, world.offers.id] };
    const refused: (Record<string, string | string[]> & { intent: string })[] = [
      { intent: 'save', ...lists, on: [world.weekly.id, world.offers.id] },
      { intent: 'change_email', new_email: 'mallory@example.com' },
      { intent: 'state', state: 'subscribe', list: world.offers.id },
      { intent: 'state', state: 'subscribe' },
      { intent: 'resume' },
      { intent: 'undo', receipt: 'receipt' },
      { intent: 'reason', receipt: 'receipt', reason: 'other' },
      { intent: 'data_request', kind: 'erasure' },
      { intent: 'complain', text: 'I never agreed to this.' },
      { intent: 'end_links' },
    ];
    for (const fields of refused) {
      const answer = await post(`/${closed.custom_path}`, { ...identity, ...fields });
      expect(answer.statusCode, fields.intent).toBe(403);
      expect(answer.body).toContain('Not saved: this link has expired');
    }
    expect(await stateOf()).toMatchObject({ email: vera.email, weekly: true, offers: false });
    const off = await post(`/${closed.custom_path}`, { ...identity, intent: 'save', ...lists });
    expect(off.statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ weekly: false, offers: false });
    await choose(true, true);
    const all = { ...identity, save_id: 'another-save-id', intent: 'unsubscribe_all', ...lists };
    expect((await post(`/${closed.custom_path}`, all)).statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ weekly: false, offers: false });
  });

  it('shows what is off as locked, with the reason, and offers neither address nor data', async () => {
    await choose(true, false);
    const { challenge } = await expire();
    const { body } = await get(`/${world.page.custom_path}?challenge=${challenge}`);
    const [weekly = '', offers = ''] = body.match(/<input type="checkbox"[^>]*>/g) ?? [];
    expect(weekly).not.toContain('disabled');
    expect(offers).toContain('disabled');
    expect(body).toContain('To switch this on, get a new link.');
    for (const intent of ['change_email', 'data_request', 'complain', 'end_links']) {
      expect(body).not.toContain(`value="${intent}"`);
    }
  });

  it('still unsubscribes by one click, and by the button of its landing page', async () => {
    await choose(true, true);
    const { challenge } = await expire();
    expect((await get(`/u/${challenge}`)).statusCode).toBe(200);
    const pressed = await post(`/u/${challenge}`, { 'List-Unsubscribe': 'One-Click' });
    expect(pressed.statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ left: true });
  });

  it('can have a fresh link emailed to the address on file, which proves the customer', async () => {
    const { sealed } = await expire();
    const answer = await send('POST', `${sealed}/fresh-link`);
    expect(answer).toMatchObject({ status: 202, json: { masked_email: expect.stringContaining('•••@') } });
    const [mail] = await sentTo(vera.email, 1);
    const challenge = /challenge=([\w-]{96})/.exec(mail?.text ?? '')?.[1] ?? '';
    expect(await openWith(challenge)).toMatchObject({ level: 'proven', email: vera.email });
  });
});

describe('asking for fresh links', () => {
  it('answers the same when the address has had enough, and emails no more', async () => {
    const { id } = await openWith(challengeFor({ issuedOn: 1 }));
    const answers = [];
    for (let count = 0; count < 5; count += 1) {
      const { status, text } = await send('POST', `${id}/fresh-link`);
      answers.push(`${status} ${text}`);
    }
    expect(new Set(answers).size).toBe(1);
    await sentTo(vera.email, 3);
  });

  it('works without scripts', async () => {
    const { id } = await openWith(challengeFor({ issuedOn: 1 }));
    const fields = { intent: 'fresh_link', customer: id, save_id: 'a-save-of-a-form' };
    const answer = await post(`/${closed.custom_path}`, fields);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('sent a new link to');
    await sentTo(vera.email, 1);
  });
});

describe('the age of a link', () => {
  it('lets it prove its customer on its last day, and no longer', async () => {
    expect((await openWith(challengeFor({ issuedOn: today() - 180 }))).level).toBe('proven');
    expect((await openWith(challengeFor({ issuedOn: today() - 181 }))).level).toBe('leave');
  });

  it('is stated with each link that is made', async () => {
    const links = await product.call(mintLinks, { params: ofVera(), body: {} }, world.owner);
    expect(links.expires_at).toBe(new Date((today() + 181) * 86_400_000).toISOString());
  });

  it('can be set for each site, from 30 to 730 days, and applies to existing links', async () => {
    const challenge = challengeFor({ issuedOn: today() - 31 });
    const set = (link_lifetime_days: number) => ({ params: world.params, body: { link_lifetime_days } });
    for (const days of [29, 731, 90.5]) {
      const refused = await product.refuse(updateSite, set(days), world.owner);
      expect(refused).toMatchObject({ status: 422, errors: [{ field: 'link_lifetime_days' }] });
    }
    expect((await openWith(challenge)).level).toBe('proven');
    expect((await product.call(updateSite, set(30), world.owner)).link_lifetime_days).toBe(30);
    expect((await openWith(challenge)).level).toBe('leave');
    await product.call(updateSite, set(730), world.owner);
    expect((await openWith(challengeFor({ issuedOn: today() - 730 }))).level).toBe('proven');
    await product.call(updateSite, set(180), world.owner);
    const { results } = await product.call(listAuditLog, { params: world.params, query: {} }, world.owner);
    expect(results[0]).toMatchObject({ event: 'site.link_lifetime_changed', count: 180 });
  });

  it('does not limit unsubscribe links: they neither age nor end', async () => {
    await choose(true, true);
    const link = challengeFor({ purpose: 'leave', listId: world.offers.id, issuedOn: 1 });
    await end();
    expect((await post(`/u/${link}`, { 'List-Unsubscribe': 'One-Click' })).statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ weekly: true, offers: false });
  });
});

describe('ending all links', () => {
  it('can be done by the customer whom a link proves, and not by someone who typed the address', async () => {
    const body = { email: vera.email, custom_path: world.page.custom_path };
    const typed = await product.call(openCustomer, { body }, world.visitor);
    const refused = await rawRequest(product, 'POST', `/api/customer/v1/customers/${typed.id}/links/end`, {
      as: world.visitor,
    });
    expect(refused).toMatchObject({ status: 403, codes: ['proof_needed'] });
    const challenge = challengeFor();
    const { id } = await openWith(challenge);
    const ended = await send('POST', `${id}/links/end`);
    expect(ended).toMatchObject({ status: 200, json: { level: 'leave' } });
    expect((await openWith(challenge)).level).toBe('leave');
    // Nobody of the team did it.
    const { results } = await product.call(
      listAuditLog,
      { params: world.params, query: { noun: 'customer', limit: 1 } },
      world.owner,
    );
    expect(results[0]?.event).toBe('customer.created');
  });

  it('ends links of the same day, spares later ones, and is in the audit log', async () => {
    const mint = () => product.call(mintLinks, { params: ofVera(), body: {} }, world.owner);
    const before = await mint();
    const customer = await end();
    expect(customer.links_ended_at).not.toBeNull();
    const after = await mint();
    expect((await openWith(before.challenge)).level).toBe('leave');
    expect(await openWith(after.challenge)).toMatchObject({ level: 'proven', email: vera.email });
    const { results } = await product.call(listAuditLog, { params: world.params, query: {} }, world.owner);
    expect(results[0]).toMatchObject({ event: 'customer.links_ended', subject_id: vera.id });
    await end();
    expect((await openWith(after.challenge)).level).toBe('leave');
  });

  it('does not affect those who only typed an address: they can do as much as before', async () => {
    const body = { email: vera.email, custom_path: world.page.custom_path };
    const { id } = await product.call(openCustomer, { body }, world.visitor);
    await end();
    const params = { customerId: id, custom_path: world.page.custom_path };
    expect((await product.call(getCustomerPage, { params }, world.visitor)).lists).toHaveLength(2);
  });
});

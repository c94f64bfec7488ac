import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAuditActors, listAuditLog } from '#contract/audit-log.ts';
import { type Customer, getCustomer, mintLinks } from '#contract/customers.ts';
import { LANGUAGES } from '#contract/fields.ts';
import {
  complain,
  getCustomerPage,
  getPublicPage,
  openCustomer,
  requestData,
  saveLists,
  undoChoice,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { listSitesV1_1, updateSite } from '#contract/sites.ts';
import { putBack, takeDown } from '#server/accounts/take-downs/take-downs.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  type World,
} from '#test/harness/world.ts';
import { textsOf } from '#web/page/locales.ts';

const REASON = 'Pretends to be a <b>bank</b>.';

let mailServer: MailServer;
let receiver: WebhookReceiver;
let product: TestProduct;
let other: TestProduct;
let nora: World;
let acme: World;
let vera: Customer;
let links: { challenge: string; preference_url: string; one_click_url: string };
/** Of the page that vera had open before. */
let customerId: string;

beforeAll(async () => {
  mailServer = await startMailServer();
  receiver = await startWebhookReceiver();
  product = await startTestProduct({ worker: true, env: { SMTP_URL: mailServer.url } });
  other = await startTestProduct({ beside: product });
  nora = await buildWorld(product, 'nora');
});

afterAll(async () => {
  await other.stop();
  await product.stop();
  await receiver.close();
  await mailServer.close();
});

const hostOf = ({ site }: World) => `${site.domain_name}:${product.services.config.port}`;

const get = (url: string, { from = product, language = 'en' } = {}) =>
  from.http.inject({ method: 'GET', url, headers: { host: hostOf(acme), 'accept-language': language } });

function post(url: string, fields: Record<string, string>) {
  return product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(acme), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

const now = () => product.call(getCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);

const statusOn = async (from: TestProduct) => (await get('/preferences', { from })).statusCode;

async function isWeekly(): Promise<boolean | undefined> {
  const { rows } = await product.testDatabase.owner.query<{ subscribed: boolean }>(
    'select subscribed from subscriptions where site_id = $1 and customer_id = $2 and list_id = $3',
    [acme.site.id, vera.id, acme.weekly.id],
  );
  return rows[0]?.subscribed;
}

const choose = (subscribed: boolean) => ({
  params: { customerId },
  body: [{ notification_list_id: acme.weekly.id, subscribed }],
});

/** The address in a mail that vera got. */
async function mailedPath(part: string): Promise<string> {
  const find = () => mailServer.mails.findLast(({ text = '' }) => text.includes(part))?.text;
  await expect.poll(find).toBeDefined();
  return new URL(/https?:\S+/.exec(find()?.slice(find()?.indexOf('http')) ?? '')?.[0] ?? '').pathname;
}

async function down(): Promise<void> {
  expect(await takeDown(product.services, acme.site.id, REASON)).toBe(true);
  await expect.poll(() => statusOn(product)).toBe(410);
}

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
  await buildWebhook(product, acme, { url: receiver.url });
  vera = await buildCustomer(product, acme);
  links = await product.call(mintLinks, { params: { ...acme.params, id: vera.id }, body: {} }, acme.owner);
  customerId = await openAsProven(product, acme, vera);
  await product.call(saveLists, choose(true), acme.visitor);
  mailServer.mails.length = 0;
  receiver.received.length = 0;
});

describe('the pages of a site that was taken down', () => {
  it('answer 410 in every process at once, cached or not, and are back as soon as they are put back', async () => {
    for (const from of [product, other]) {
      expect(await statusOn(from)).toBe(200);
      expect(await statusOn(from)).toBe(200);
    }
    await down();
    await expect.poll(() => statusOn(other)).toBe(410);
    for (const url of [
      '/preferences',
      '/404',
      '/anything',
      '/report/preferences',
      `/preferences?email=${vera.email}`,
    ]) {
      expect({ url, status: (await get(url)).statusCode }).toEqual({ url, status: 410 });
    }
    expect(await putBack(product.services, acme.site.id)).toBe(true);
    for (const from of [product, other]) await expect.poll(() => statusOn(from)).toBe(200);
  });

  it.each(LANGUAGES)(
    'say so in the visitor’s language, with nothing of the business: %s',
    async (language) => {
      await down();
      const { body } = await get('/preferences', { language });
      expect(body).toContain(`<html lang="${language}"`);
      expect(body).toContain(textsOf(language)['taken_down.title']);
      expect(body).toContain(textsOf(language)['taken_down.how']);
      expect(body).not.toMatch(/Acme|Weekly news|<script|<form/);
    },
  );

  it('of another site of the same account stay', async () => {
    await down();
    const { statusCode } = await product.http.inject({
      url: '/preferences',
      headers: { host: hostOf(nora) },
    });
    expect(statusCode).toBe(200);
  });

  it('show nothing through the API either', async () => {
    await down();
    const params = { customPath: 'preferences', custom_path: 'preferences', customerId };
    const refused = { status: 404, errors: [{ code: 'not_found' }] };
    expect(await product.refuse(getPublicPage, { params }, acme.visitor)).toMatchObject(refused);
    expect(await product.refuse(getCustomerPage, { params }, acme.visitor)).toMatchObject(refused);
  });
});

describe('while the pages are taken down, a customer can still leave', () => {
  beforeEach(down);

  it('by the button on the page, with a personal link', async () => {
    const { pathname, search } = new URL(links.preference_url);
    const { statusCode, body } = await get(`${pathname}${search}`);
    expect(statusCode).toBe(410);
    const action = /<form[^>]* action="([^"]+)"/.exec(body)?.[1] ?? '';
    expect(action).toMatch(/^\/u\//);
    const answer = await post(action.replaceAll('&amp;', '&'), { intent: 'leave', leaves_all: '1' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).not.toMatch(/Acme|value="undo"/);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
    await receiver.waitFor(1);
  });

  it('not by a link of another site', async () => {
    const stranger = await buildCustomer(product, nora);
    const params = { ...nora.params, id: stranger.id };
    const { challenge } = await product.call(mintLinks, { params, body: {} }, nora.owner);
    expect((await get(`/preferences?challenge=${challenge}`)).body).not.toContain('<form');
  });

  it('by one-click', async () => {
    const { pathname } = new URL(links.one_click_url);
    const answer = await post(pathname, { 'List-Unsubscribe': 'One-Click' });
    expect(answer).toMatchObject({ statusCode: 200, body: "You're unsubscribed.\n" });
    expect(await now()).toMatchObject({ global_unsubscribe: true });
    await receiver.waitFor(1);
    // The notice about an old email would lead to a page that is down.
    expect(mailServer.mails.filter(({ to }) => to?.[0]?.address === vera.email)).toEqual([]);
  });

  it('by the page of the List-Unsubscribe address, which shows nothing of the business', async () => {
    const { pathname } = new URL(links.one_click_url);
    const page = await get(pathname);
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toContain('Acme');
    expect((await post(pathname, { intent: 'leave' })).statusCode).toBe(200);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });

  it('by saying that it is the wrong mailbox', async () => {
    expect(
      (await post(new URL(links.one_click_url).pathname, { intent: 'wrong_recipient' })).statusCode,
    ).toBe(200);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });

  it('on a page that was open before, with a script', async () => {
    await product.call(saveLists, choose(false), acme.visitor);
    expect(await isWeekly()).toBe(false);
    const body = { global_unsubscribe: true };
    await product.call(updatePublicCustomer, { params: { customerId }, body }, acme.visitor);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
    await receiver.waitFor(1);
  });

  it('on a page that was open before, without a script', async () => {
    const fields = { customer: customerId, save_id: 'save-0001', list: acme.weekly.id };
    const { body } = await post('/preferences', { intent: 'save', ...fields });
    expect(body).not.toContain('Acme');
    expect(await isWeekly()).toBe(false);
    await post('/preferences', { intent: 'unsubscribe_all', ...fields });
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });

  it('by the API, with a personal link', async () => {
    const body = { challenge: links.challenge, custom_path: 'preferences' };
    const { id } = await product.call(openCustomer, { body }, acme.visitor);
    const change = { params: { customerId: id }, body: { global_unsubscribe: true } };
    await product.call(updatePublicCustomer, change, acme.visitor);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });

  it('with links that the business makes now', async () => {
    const params = { ...acme.params, id: vera.id };
    const made = await product.call(mintLinks, { params, body: { custom_path: 'preferences' } }, acme.owner);
    expect((await post(new URL(made.one_click_url).pathname, {})).statusCode).toBe(200);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });
});

describe('while the pages are taken down, nothing subscribes anyone', () => {
  async function leave(): Promise<void> {
    await post(new URL(links.one_click_url).pathname, { intent: 'leave' });
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  }

  it('a page that was open before saves nothing that is switched on', async () => {
    await product.call(saveLists, choose(false), acme.visitor);
    await down();
    const saved = await product.call(saveLists, choose(true), acme.visitor);
    expect(saved.ignored).toEqual([acme.weekly.id]);
    await post('/preferences', {
      intent: 'save',
      customer: customerId,
      save_id: 'save-0002',
      list: acme.weekly.id,
      on: acme.weekly.id,
    });
    expect(await isWeekly()).toBe(false);
  });

  it('the API takes no new customer, no other address, no undo, and no return', async () => {
    const saved = await product.call(saveLists, choose(false), acme.visitor);
    const receipt = saved.receipt ?? '';
    expect(receipt).not.toBe('');
    await down();
    const params = { customerId };
    const refusals = [
      product.refuse(openCustomer, { body: { email: vera.email, custom_path: 'preferences' } }, acme.visitor),
      product.refuse(
        openCustomer,
        { body: { email: 'new@example.org', custom_path: 'preferences' } },
        acme.visitor,
      ),
      product.refuse(updatePublicCustomer, { params, body: { email: 'new@example.org' } }, acme.visitor),
      product.refuse(updatePublicCustomer, { params, body: { global_unsubscribe: false } }, acme.visitor),
      product.refuse(undoChoice, { params, body: { receipt } }, acme.visitor),
      product.refuse(requestData, { params, body: { kind: 'download' } }, acme.visitor),
      product.refuse(complain, { params, body: { text: 'Why?' } }, acme.visitor),
    ];
    for (const refusal of refusals) expect(await refusal).toMatchObject({ status: 404 });
    expect(await isWeekly()).toBe(false);
    expect((await now()).email).toBe(vera.email);
  });

  it('the page of an unsubscribe link neither offers nor takes an undo', async () => {
    const { pathname } = new URL(links.one_click_url);
    const { body } = await post(pathname, { intent: 'leave' });
    const receipt = / name="receipt" value="([^"]+)"/.exec(body)?.[1] ?? '';
    expect(receipt).not.toBe('');
    await down();
    expect((await get(pathname)).body).not.toContain('value="undo"');
    await post(pathname, { intent: 'undo', receipt });
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });

  it('the link of an email that offers to come back answers 410, opened or pressed', async () => {
    await leave();
    const path = await mailedPath('/restore/');
    expect((await get(path)).statusCode).toBe(200);
    await down();
    expect((await get(path)).statusCode).toBe(410);
    expect((await post(path, { intent: 'confirm' })).statusCode).toBe(410);
    expect(await now()).toMatchObject({ global_unsubscribe: true });
  });

  it('the link that takes a change of address back answers 410', async () => {
    await product.call(
      updatePublicCustomer,
      { params: { customerId }, body: { email: `moved-${vera.email}` } },
      acme.visitor,
    );
    const path = await mailedPath('/undo/');
    await down();
    expect((await post(path, { intent: 'confirm' })).statusCode).toBe(410);
    expect((await now()).email).toBe(`moved-${vera.email}`);
  });
});

describe('the owners of a site that was taken down', () => {
  it('get one email with the reason, see it with the site, and one more when it is back', async () => {
    await down();
    expect(await takeDown(product.services, acme.site.id, 'Again.')).toBeNull();
    const sites = () => product.call(listSitesV1_1, { params: acme.params }, acme.owner);
    const found = async () => (await sites()).results.find(({ id }) => id === acme.site.id)?.taken_down;
    expect(await found()).toMatchObject({ reason: REASON });
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([
      `Your preference pages were taken down · ${acme.site.name}`,
    ]);
    expect(mailServer.mails[0]?.text).toContain(`Reason: ${REASON}`);
    expect(mailServer.mails[0]?.html).not.toContain('<b>bank');
    expect(await putBack(product.services, acme.site.id)).toBe(true);
    expect(await putBack(product.services, acme.site.id)).toBeNull();
    expect(await found()).toBeNull();
    expect(mailServer.mails.map(({ subject }) => subject).at(-1)).toBe(
      `Your preference pages are back · ${acme.site.name}`,
    );
  });

  it('can’t put it back themselves', async () => {
    await down();
    const body = { taken_down: null } as object;
    expect(await product.refuse(updateSite, { params: acme.params, body }, acme.owner)).toMatchObject({
      errors: [{ code: 'unknown_field' }],
    });
    await product.call(updateSite, { params: acme.params, body: { name: 'Other' } }, acme.owner);
    expect(await statusOn(product)).toBe(410);
  });

  it('read in the audit log who did it and why', async () => {
    await down();
    await putBack(product.services, acme.site.id);
    const { results } = await product.call(
      listAuditLog,
      { params: acme.params, query: { noun: 'site', limit: 2 } },
      acme.owner,
    );
    const actor = { kind: 'operator', id: null, name: null };
    expect(results).toMatchObject([
      { event: 'site.put_back', actor, reason: null },
      { event: 'site.taken_down', actor, reason: REASON },
    ]);
    const actors = await product.call(listAuditActors, { params: acme.params }, acme.owner);
    expect(actors.results).toContainEqual(actor);
  });
});

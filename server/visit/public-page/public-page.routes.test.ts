import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
} from '#contract/customers.ts';
import { createList, deleteList } from '#contract/lists.ts';
import { createPreferencePage, deletePreferencePage } from '#contract/preference-pages.ts';
import { updateSite } from '#contract/sites.ts';
import { createLog } from '#server/platform/log.ts';
import { eraseCustomer } from '#server/visit/customers/erasure.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';
import { brandOfHost } from './page-views.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

const hostOf = () => `${world.site.domain_name}:${product.services.config.port}`;

function get(url: string, headers: Record<string, string> = {}) {
  return product.http.inject({ method: 'GET', url, headers: { host: hostOf(), ...headers } });
}

type Fields = Record<string, string | string[]>;

function post(url: string, fields: Fields, headers: Record<string, string> = {}) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  return product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: body.toString(),
  });
}

/** The value of a hidden field of a document. */
function fieldOf(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? '';
}

const isChecked = (html: string, listId: string) =>
  new RegExp(`<input[^>]*type="checkbox"[^>]*>`, 'g').test(html) &&
  [...html.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].some(
    ([tag]) => tag.includes(listId) && tag.includes('checked'),
  );

const listsOf = async ({ id }: Customer) => {
  const { results } = await product.call(getCustomerLists, { params: { ...world.params, id } }, world.owner);
  return new Map(results.map((list) => [list.notification_list_id, list.subscribed]));
};

const evidenceOf = async ({ id }: Customer) =>
  (await product.call(listCustomerEvidence, { params: { ...world.params, id } }, world.owner)).results;

const linksOf = ({ id }: Customer, listId?: string) =>
  product.call(
    mintLinks,
    { params: { ...world.params, id }, body: listId === undefined ? {} : { list_id: listId } },
    world.owner,
  );

const customersWith = async (search: string) =>
  (await product.call(listCustomers, { params: world.params, query: { search } }, world.owner)).results;

describe('opening a page', () => {
  it('shows the form, with a fresh nonce each time, and is never cached', async () => {
    const [one, two] = [await get('/preferences'), await get('/preferences')];
    expect(one.statusCode).toBe(200);
    expect(one.body).toContain('value="find"');
    expect(one.headers['cache-control']).toBe('private, no-store');
    const nonces = [one, two].map(
      ({ headers }) => /nonce-([^']+)/.exec(String(headers['content-security-policy']))?.[1],
    );
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(one.body).toContain(`nonce="${nonces[0]}"`);
    expect(one.body).not.toContain('nonce-of-this-answer');
  });

  it('is compressed for browsers that support it, to less than 15 kB', async () => {
    const answer = await get('/preferences', { 'accept-encoding': 'gzip, br' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.rawPayload.length).toBeLessThan(15_000);
    expect(gunzipSync(answer.rawPayload).toString()).toContain('value="find"');
  });

  it('with a personal link shows the preferences of its customer (spec 6, 29)', async () => {
    const vera = await buildCustomer(product, world);
    const { challenge } = await linksOf(vera);
    const page = await get(`/preferences?challenge=${challenge}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('Save</button>');
    expect(isChecked(page.body, world.weekly.id)).toBe(true);
    expect(isChecked(page.body, world.offers.id)).toBe(false);
  });

  it('with a personal link shows its customer, however the link was passed on', async () => {
    const vera = await buildCustomer(product, world);
    const { challenge } = await linksOf(vera);
    const [start, end] = [challenge.slice(0, 50), challenge.slice(50)];
    const path = '/preferences?challenge=';
    for (const url of [
      `${path}${challenge}.`,
      `${path}${challenge}%3E`,
      `${path}${challenge}%22`,
      `${path}3D${challenge}`,
      `${path}${start}=%0D%0A${end}`,
      `${path}${start}%250A${end}%20`,
      `/preferences?utm=1&amp;challenge=${challenge}`,
      `//preferences?challenge=${challenge}`,
      `/preferences/?challenge=${challenge}`,
      `/preferences.?challenge=${challenge}`,
      `/user/notification/?challenge=${challenge}`,
    ]) {
      const answer = await get(url);
      const page = answer.statusCode === 302 ? await get(String(answer.headers.location)) : answer;
      expect([url, page.statusCode, page.body.includes(vera.email)]).toEqual([url, 200, true]);
    }
    const byDot = await get(`${path}${challenge}`, { host: `${world.site.domain_name}.` });
    expect([byDot.statusCode, byDot.body.includes(vera.email)]).toEqual([200, true]);
    for (const wrong of [`${challenge}x`, challenge.slice(1), `${challenge.slice(0, -1)}%2E`]) {
      expect((await get(`${path}${wrong}`)).statusCode).toBe(404);
    }
  });

  it('with an address that was passed on shows whose it is', async () => {
    const vera = await buildCustomer(product, world);
    for (const text of [`${vera.email}%E2%80%8B`, `%20mailto:${vera.email}`, `%3C${vera.email}%3E.`]) {
      expect((await get(`/preferences?email=${text}`)).body).toContain('value="save"');
    }
    expect(await customersWith('mailto')).toEqual([]);
  });

  it('with a list that was passed on asks about this list, and not about everything', async () => {
    const vera = await buildCustomer(product, world);
    const { challenge } = await linksOf(vera);
    const link = `/preferences?challenge=${challenge}&amp;state=3Dunsubscribe.`;
    const page = await get(`${link}&amp;listId=${world.weekly.id}%3E`);
    expect(page.body).toContain('Unsubscribe from Weekly news');
  });

  it('on the app’s own host leaves the app’s paths alone', async () => {
    const host = `${new URL(product.url).hostname}.:${new URL(product.url).port}`;
    expect((await get('/login', { host })).statusCode).toBe(200);
    expect((await get('/login/', { host })).statusCode).toBe(404);
  });

  it('with a known address shows the preferences, with an unknown one the filled-in form (spec 7, 29)', async () => {
    const vera = await buildCustomer(product, world);
    expect((await get(`/preferences?email=${vera.email}`)).body).toContain('value="save"');
    const stranger = await get('/preferences?email=stranger@example.com');
    expect(stranger.body).toContain('value="stranger@example.com"');
    expect(await customersWith('stranger@')).toEqual([]);
  });

  it('with somebody else’s or a forged link answers the neutral 404 (spec 65)', async () => {
    const page = await get(`/preferences?challenge=${'A'.repeat(96)}`);
    expect(page.statusCode).toBe(404);
    expect(page.body).toContain('Page not found');
  });

  it('of an unknown path or host answers the neutral 404 in the browser’s language (spec 1, 63)', async () => {
    const page = await get('/nothing-here', { 'accept-language': 'fr;q=0.3, de-AT, en;q=0.5' });
    expect(page.statusCode).toBe(404);
    expect(page.body).toContain('<html lang="de"');
    expect((await get('/a/b/c')).statusCode).toBe(404);
    expect((await get('/404')).body).toContain('Page not found');
    expect((await get('/preferences', { host: 'nobody.example' })).statusCode).toBe(404);
  });

  it('that does not exist says why in the name and colors of the site, and shows nobody’s address', async () => {
    const imprint_url = 'https://acme.example/imprint';
    const operator = { legal_name: '', postal_address: '', privacy_url: '', imprint_url };
    await product.call(updateSite, { params: world.params, body: { operator } }, world.owner);
    const vera = await buildCustomer(product, world);
    const page = await get(`/404?email=${vera.email}`, { 'accept-language': 'de' });
    expect(page.statusCode).toBe(404);
    expect(page.headers['cache-control']).toBe('private, no-store');
    expect(page.body).toContain('<html lang="de"');
    expect(page.body).toContain('Acme</p>');
    expect(page.body).toContain('Der Link ist unvollständig oder veraltet.');
    expect(page.body).toContain(`href="${imprint_url}"`);
    expect(page.body).not.toContain(vera.email.split('@')[0]);
    expect(page.body).not.toContain('<script');
    const elsewhere = await get('/404', { host: 'nobody.example' });
    expect(elsewhere.body).not.toContain('Acme');
  });

  it('of an unknown path is shown without a brand if the site can’t be read, and the cause is logged', async () => {
    const lines: string[] = [];
    const services = {
      ...product.services,
      cache: { ...product.services.cache, get: () => Promise.reject(new TypeError('a programming error')) },
      log: createLog('error', { write: (line) => void lines.push(line) }),
    };
    expect(await brandOfHost(services, world.site.domain_name)).toBeNull();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('a programming error');
  });

  it('that asks for proof shows nobody by an address (spec 47)', async () => {
    const vera = await buildCustomer(product, world);
    const page = await product.call(
      createPreferencePage,
      {
        params: world.params,
        body: {
          name: 'Proof',
          custom_path: 'proof',
          attrs: { enhanced_security: true },
          lists: [{ id: world.weekly.id }],
        },
      },
      world.owner,
    );
    const answer = await get(`/proof?email=${vera.email}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('Email me my link');
    expect(answer.body).not.toContain('value="save"');
    expect((await get('/proof')).body).toContain('http-equiv="refresh" content="0;url=/404"');
    const { challenge } = await linksOf(vera);
    expect((await get(`/proof?challenge=${challenge}`)).body).toContain('value="save"');
    await product.call(deletePreferencePage, { params: { ...world.params, id: page.id } }, world.owner);
  });

  it('by the old address redirects to the page, query and all (spec 3)', async () => {
    const answer = await get('/user/notification?email=a@example.com');
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe('/preferences?email=a@example.com');
  });

  it('of the owner app redirects to the app host (spec 2)', async () => {
    const answer = await get('/dashboard');
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe(`${product.url}/dashboard`);
  });

  it('on the app host is left to the app (spec 2)', async () => {
    const answer = await get('/preferences', { host: new URL(product.url).host });
    expect(answer.body).not.toContain('value="find"');
  });
});

describe('forms without JavaScript', () => {
  it('find or create a customer', async () => {
    const answer = await post('/preferences', { intent: 'find', email: 'New.Person@example.com' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('value="save"');
    expect(await customersWith('new.person@')).toHaveLength(1);
  });

  it('return an invalid address with its error (spec 48)', async () => {
    const answer = await post('/preferences', { intent: 'find', email: 'nora@nowhere' });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain('Enter an email like');
    expect(answer.body).toContain('value="nora@nowhere"');
  });

  it('save the switches once, however often they are sent', async () => {
    const vera = await buildCustomer(product, world);
    const customer = await openAsProven(product, world, vera);
    const form = {
      intent: 'save',
      customer,
      save_id: 'save-0001',
      list: [world.weekly.id, world.offers.id],
      on: world.offers.id,
    };
    const answer = await post('/preferences', form);
    await post('/preferences', form);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('Your preferences have been saved');
    expect(isChecked(answer.body, world.weekly.id)).toBe(false);
    expect(isChecked(answer.body, world.offers.id)).toBe(true);
    expect(fieldOf(answer.body, 'save_id')).not.toBe('save-0001');
    expect(await listsOf(vera)).toEqual(
      new Map([
        [world.weekly.id, false],
        [world.offers.id, true],
      ]),
    );
    const made = (await evidenceOf(vera)).filter(({ source }) => source === 'page');
    expect(made).toHaveLength(1);
    expect(made[0]?.shown.lists).toHaveLength(2);
  });

  it('unsubscribe from all at once', async () => {
    const vera = await buildCustomer(product, world);
    const customer = await openAsProven(product, world, vera);
    const list = [world.weekly.id, world.offers.id];
    await post('/preferences', { intent: 'unsubscribe_all', customer, save_id: 'save-0002', list });
    expect([...(await listsOf(vera)).values()]).toEqual([false, false]);
  });

  it('change the address, or say what is wrong with it (spec 49)', async () => {
    const vera = await buildCustomer(product, world);
    const taken = await buildCustomer(product, world);
    const customer = await openAsProven(product, world, vera);
    const change = (new_email: string) =>
      post('/preferences', {
        intent: 'change_email',
        customer,
        save_id: `save-${new_email.length}-x`,
        new_email,
      });
    expect((await change('')).body).toContain('This field can&#x27;t be empty');
    expect((await change(vera.email.toUpperCase())).body).toContain('Please enter a new email');
    expect((await change(taken.email)).body).toContain('Another customer in the list');
    const done = await change(`changed-${vera.email}`);
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('Email updated!');
    const now = await product.call(getCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    expect(now.email).toBe(`changed-${vera.email}`);
  });

  it('apply a state link on a click, and undo it', async () => {
    const vera = await buildCustomer(product, world);
    const { challenge } = await linksOf(vera);
    const opened = await get(
      `/preferences?challenge=${challenge}&state=unsubscribe&listId=${world.weekly.id}`,
    );
    expect((await listsOf(vera)).get(world.weekly.id)).toBeNull();
    const form = { intent: 'state', customer: fieldOf(opened.body, 'customer'), list: world.weekly.id };
    const left = await post('/preferences', { ...form, save_id: 'save-0003', state: 'unsubscribe' });
    expect(left.body).toContain('You’re unsubscribed from Weekly news.');
    expect(left.body).toContain('Undo');
    expect((await listsOf(vera)).get(world.weekly.id)).toBe(false);
    await post('/preferences', { ...form, save_id: 'save-0004', state: 'subscribe' });
    expect((await listsOf(vera)).get(world.weekly.id)).toBe(true);
  });

  it('with a forged or expired capability change nothing and ask for the email', async () => {
    const answer = await post('/preferences', {
      intent: 'save',
      customer: 'forged',
      save_id: 'save-0005',
      list: world.weekly.id,
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain('This page was open too long. Enter your email to start again.');
  });

  it('that are not the page’s answer 400', async () => {
    expect((await post('/preferences', { intent: 'drop' })).statusCode).toBe(400);
    expect((await post('/preferences', { intent: 'leave' })).statusCode).toBe(400);
  });
});

describe('personal unsubscribe links', () => {
  const pathOf = (url: string) => new URL(url).pathname;

  it('name the business, show the masked address and one button, and change nothing by being opened', async () => {
    const vera = await buildCustomer(product, world);
    const path = pathOf((await linksOf(vera, world.weekly.id)).one_click_url);
    const before = await evidenceOf(vera);
    const page = await get(path);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('Unsubscribe from Weekly news');
    expect(page.body).toContain(`${world.page.name}, for v•••@example.com`);
    expect(page.body).not.toContain(vera.email);
    expect(await evidenceOf(vera)).toEqual(before);
  });

  it('open and unsubscribe, however they were passed on', async () => {
    const passedOn = ['.', ')', '%3E', ',', '/', '//', '%22', "'", '%E2%80%8B', '%20', '%20now'];
    const changed: ((path: string) => string)[] = [
      ...passedOn.map((after) => (path: string) => `${path}${after}`),
      (path) => `${path.slice(0, 60)}=%0D%0A${path.slice(60)}`,
      (path) => `${path.slice(0, 60)}%0A${path.slice(60)}`,
      (path) => `${path.slice(0, 60)}%253D%250D%250A${path.slice(60)}`,
      (path) => `/${path}`,
    ];
    for (const change of changed) {
      const vera = await buildCustomer(product, world);
      const path = change(pathOf((await linksOf(vera)).one_click_url));
      const page = await get(path);
      expect([path, page.statusCode]).toEqual([path, 200]);
      expect(page.body).toMatch(/action="\/u\/[\w-]{96}["?]/);
      expect((await post(path, { 'List-Unsubscribe': 'One-Click' })).statusCode).toBe(200);
      expect((await evidenceOf(vera))[0]?.events).toContain('global_unsubscribed');
    }
  });

  it('unsubscribe on a click, say so, and can undo it', async () => {
    const vera = await buildCustomer(product, world);
    const path = pathOf((await linksOf(vera, world.weekly.id)).one_click_url);
    const left = await post(path, { intent: 'leave' });
    expect(left.statusCode).toBe(200);
    expect(left.body).toContain('You won’t receive Weekly news anymore.');
    expect((await listsOf(vera)).get(world.weekly.id)).toBe(false);
    const undone = await post(path, { intent: 'undo', receipt: fieldOf(left.body, 'receipt') });
    expect(undone.body).toContain('Your preferences are back to how they were.');
    expect((await listsOf(vera)).get(world.weekly.id)).toBe(true);
  });

  it('subscribe nobody without the proof from the answer to unsubscribing', async () => {
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const path = pathOf((await linksOf(vera)).one_click_url);
    const other = await post(pathOf((await linksOf(ben)).one_click_url), { intent: 'leave' });
    await post(path, { intent: 'leave' });
    for (const receipt of ['forged', fieldOf(other.body, 'receipt')]) {
      const answer = await post(path, { intent: 'undo', receipt });
      expect(answer.body).toContain('We couldn’t undo this');
    }
    const now = await product.call(getCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    expect(now.global_unsubscribe).toBe(true);
  });

  const boundary = 'b-1';
  const multipart = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`;

  it.each([
    ['urlencoded', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'urlencoded with a charset',
      'application/x-www-form-urlencoded; charset=ISO-8859-1',
      'List-Unsubscribe=One-Click',
    ],
    ['multipart', `multipart/form-data; boundary=${boundary}`, multipart],
    [
      'multipart with bare line feeds',
      `multipart/form-data; boundary=${boundary}`,
      multipart.replaceAll('\r', ''),
    ],
  ])(
    'unsubscribe by one click, %s, with nothing but the link, as often as it is sent',
    async (_, type, payload) => {
      const vera = await buildCustomer(product, world);
      const url = pathOf((await linksOf(vera)).one_click_url);
      const send = () =>
        product.http.inject({
          method: 'POST',
          url,
          headers: { host: hostOf(), 'content-type': type, 'user-agent': '' },
          payload,
        });
      const answers = [await send(), await send()];
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
      const leaves = (await evidenceOf(vera)).filter(({ events }) => events.includes('global_unsubscribed'));
      expect(leaves).toHaveLength(1);
      expect(leaves[0]?.source).toBe('one_click');
    },
  );

  it('answer 404 to one click on links that we never made, and on unknown hosts', async () => {
    const oneClick = { 'List-Unsubscribe': 'One-Click' };
    expect((await post(`/u/${'A'.repeat(96)}`, oneClick)).statusCode).toBe(404);
    expect((await post('/u/x', oneClick, { host: 'nobody.example' })).statusCode).toBe(404);
    expect((await get(`/u/${'A'.repeat(96)}`)).statusCode).toBe(404);
  });

  it('answer 200 for an erased customer who had left everything, and 404 for any other erased customer', async () => {
    const oneClick = { 'List-Unsubscribe': 'One-Click' };
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const [left, gone] = [
      pathOf((await linksOf(vera)).one_click_url),
      pathOf((await linksOf(ben)).one_click_url),
    ];
    await post(left, oneClick);
    for (const { id } of [vera, ben]) await eraseCustomer(product.services, world.params.site_id, id);
    expect((await post(left, oneClick)).statusCode).toBe(200);
    expect((await post(gone, oneClick)).statusCode).toBe(404);
    expect((await post(gone, { 'Wrong-Recipient': 'One-Click' })).statusCode).toBe(404);
  });

  it.each(['PUT', 'PATCH', 'DELETE'] as const)(
    'answer %s with 405 and the allowed methods',
    async (method) => {
      const vera = await buildCustomer(product, world);
      const url = pathOf((await linksOf(vera)).one_click_url);
      const headers = { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded' };
      const payload = 'List-Unsubscribe=One-Click';
      const answer = await product.http.inject({ method, url, headers, payload });
      expect(answer.statusCode).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD, POST');
      expect(answer.json()).toMatchObject({ meta: { errors: [{ code: 'method_not_allowed' }] } });
      expect(
        (await product.http.inject({ method: 'HEAD', url, headers: { host: hostOf() } })).statusCode,
      ).toBe(200);
      expect(await evidenceOf(vera)).toHaveLength(1);
    },
  );

  it('reject a button that isn’t theirs or is no longer valid: nothing is answered 200 without effect', async () => {
    const vera = await buildCustomer(product, world);
    const path = pathOf((await linksOf(vera)).one_click_url);
    const before = await evidenceOf(vera);
    const refused: Record<string, string>[] = [
      { intent: 'drop' },
      { intent: '' },
      { intent: 'undo' },
      { intent: 'find', email: vera.email },
      { intent: 'pause', days: '30' },
      { intent: 'reason', receipt: 'forged', reason: 'other' },
    ];
    for (const fields of refused) {
      const answer = await post(path, fields);
      expect([fields, answer.statusCode]).toEqual([fields, 400]);
      expect(answer.body).toContain('Unsubscribe from all');
    }
    expect((await post(path, { intent: 'undo', receipt: 'forged' })).statusCode).toBe(422);
    expect(await evidenceOf(vera)).toEqual(before);
  });

  it('for a deleted list say so, record who asked to leave it, and offer everything', async () => {
    const events = await product.call(
      createList,
      { params: world.params, body: { name: 'Events' } },
      world.owner,
    );
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const paths = [vera, ben].map(async (one) => pathOf((await linksOf(one, events.id)).one_click_url));
    const [path = '', path2 = ''] = await Promise.all(paths);
    await product.call(deleteList, { params: { ...world.params, id: events.id } }, world.owner);

    const page = await get(path);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('This list no longer exists');
    expect(page.body).toContain('Unsubscribe from all</button>');
    expect(page.body).toContain(`href="/${world.page.custom_path}"`);
    expect(await evidenceOf(vera)).toHaveLength(1);

    // A mail program, again and again; then the button of a page from before the list was deleted.
    const asking: Fields[] = [{ 'List-Unsubscribe': 'One-Click' }, {}, { intent: 'leave' }];
    for (const fields of asking) {
      expect((await post(path, fields)).statusCode).toBe(200);
    }
    const [asked, ...others] = await evidenceOf(vera);
    expect(others).toHaveLength(1);
    const lists = [{ list_id: events.id, name: 'Events', deleted: true }];
    expect(asked).toMatchObject({
      source: 'one_click',
      events: [],
      shown: { already_off: { everything: false, lists } },
    });
    const stale = await post(path2, { intent: 'leave' });
    expect(stale.body).toContain('This list no longer exists');
    expect((await evidenceOf(ben))[0]).toMatchObject({
      source: 'leave_link',
      global_unsubscribe: false,
      shown: { link_page: 'leave', already_off: { lists } },
    });

    const fields = { intent: 'leave', leaves_all: fieldOf(page.body, 'leaves_all') };
    const left = await post(path, fields);
    expect(left.body).toContain('You won’t receive any more emails from us.');
    expect((await evidenceOf(vera))[0]?.events).toContain('global_unsubscribed');
    const undone = await post(path, { intent: 'undo', receipt: fieldOf(left.body, 'receipt') });
    expect(undone.body).toContain('Your preferences are back to how they were.');
  });
});

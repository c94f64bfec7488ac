import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence, listEvidence } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import {
  createCustomer,
  type Customer,
  deleteCustomer,
  getCustomer,
  getCustomerLists,
  listCustomers,
  mintLinks,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { rawRequest } from '#test/harness/http.ts';
import { countLockWaits } from '#test/harness/lock-waits.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let acme: World;
let bolt: World;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  receiver = await startWebhookReceiver();
  acme = await buildWorld(product);
  bolt = await buildWorld(product, 'bolt');
});

afterAll(async () => {
  await receiver.close();
  await product.stop();
});

function item(customer: Customer, world = acme) {
  return { params: { ...world.params, id: customer.id } };
}

function search(query: { search?: string; cursor?: string; limit?: number }, world = acme) {
  return product.call(listCustomers, { params: world.params, query }, world.owner);
}

async function evidenceOf(customer: Customer) {
  return (await product.call(listCustomerEvidence, item(customer), acme.owner)).results;
}

describe('a customer', () => {
  it('is created once for an address, whatever its case: 201, then 409', async () => {
    const vera = await buildCustomer(product, acme, 'Vera.Case@Example.com');
    expect(vera).toMatchObject({ email: 'Vera.Case@Example.com', global_unsubscribe: false });
    expect(await product.call(getCustomer, item(vera), acme.owner)).toEqual({
      ...vera,
      receives: [],
      email_bounce: null,
    });
    const refused = await product.refuse(
      createCustomer,
      { params: acme.params, body: { email: 'vera.case@example.COM' } },
      acme.owner,
    );
    expect(refused).toMatchObject({
      status: 409,
      message: 'email: a customer already has this email. See data.customer_id.',
      data: { customer_id: vera.id },
      errors: [{ code: 'error_exists', field: 'email' }],
    });
    expect((await buildCustomer(product, bolt, 'vera.case@example.com')).id).not.toBe(vera.id);
  });

  it('is the same for every spelling of a mailbox, and shown as it was typed', async () => {
    const mailboxes = [
      ['foo..bar@docomo.example', '"foo..bar"@docomo.example'],
      ['"john doe"@example.com', ' "John Doe"@example.com.'],
      ['c@βόλος.com', 'c@xn--nxasmm1c.com'],
      ['हिन्दी@उदाहरण.भारत', '<mailto:हिन्दी@xn--p1b6ci4b4b3a.xn--h2brj9c>'],
      ['user@[192.0.2.1]', 'USER@[192.0.2.1]'],
      ["o'brien@example.com", 'Pat O’Brien <o’brien@example.com>'],
    ] as const;
    for (const [typed, other] of mailboxes) {
      const made = await buildCustomer(product, acme, typed);
      expect(made.email).toBe(typed);
      const refused = await product.refuse(
        createCustomer,
        { params: acme.params, body: { email: other } },
        acme.owner,
      );
      expect(refused, other).toMatchObject({ status: 409, data: { customer_id: made.id } });
      const { results } = await search({ search: emailKey(typed) });
      expect(results.map(({ id }) => id)).toEqual([made.id]);
    }
  });

  it('created in parallel is created once, with one record of evidence', async () => {
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/customers`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        rawRequest(product, 'POST', path, { as: acme.owner, body: { email: 'race@example.com' } }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    const [race] = (await search({ search: 'race@' })).results;
    expect(race === undefined ? [] : await evidenceOf(race)).toMatchObject([
      { sequence: 1, events: ['customer_created'], source: 'owner', previous_hash: null },
    ]);
  });

  it.each([
    '',
    'vera',
    'vera@example',
    'a b@example.com',
    `${'a'.repeat(65)}@example.com`,
    'v@ex..com',
    7,
    null,
  ])('with the address %j answers 422', async (email) => {
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/customers`;
    const answer = await rawRequest(product, 'POST', path, { as: acme.owner, body: { email } });
    expect(answer).toMatchObject({ status: 422, fields: ['email'] });
  });

  it('moves to another address with its opt-outs; a taken one answers 409', async () => {
    const [vera, otto] = [await buildCustomer(product, acme), await buildCustomer(product, acme)];
    const body = [{ notification_list_id: acme.weekly.id, subscribed: false }];
    await product.call(setCustomerLists, { ...item(vera), body }, acme.owner);
    const refused = await product.refuse(
      updateCustomer,
      { ...item(vera), body: { email: otto.email.toUpperCase() } },
      acme.owner,
    );
    expect(refused).toMatchObject({
      status: 409,
      message: 'another customer in the list already exists with the new email',
      errors: [{ code: 'error_exists' }],
    });
    const email = `moved-${vera.email}`;
    expect(await product.call(updateCustomer, { ...item(vera), body: { email } }, acme.owner)).toMatchObject({
      id: vera.id,
      email,
    });
    const { results } = await product.call(getCustomerLists, item(vera), acme.owner);
    expect(results).toMatchObject([{ subscribed: false }, { subscribed: null, changed_at: null }]);
    expect((await evidenceOf(vera)).map((record) => [record.sequence, record.email, record.events])).toEqual([
      [3, email, ['email_changed']],
      [2, vera.email, ['unsubscribed']],
      [1, vera.email, ['customer_created']],
    ]);
  });

  it('is unsubscribed from everything and resubscribed by the owner, and recorded as such', async () => {
    const vera = await buildCustomer(product, acme);
    const left = await product.call(
      updateCustomer,
      { ...item(vera), body: { global_unsubscribe: true } },
      acme.owner,
    );
    expect(left.global_unsubscribe).toBe(true);
    await product.call(updateCustomer, { ...item(vera), body: { global_unsubscribe: false } }, acme.owner);
    expect(await evidenceOf(vera)).toMatchObject([
      { source: 'owner', authority: 'owner', ip: null, global_unsubscribe: false },
      { events: ['unsubscribed', 'global_unsubscribed'], global_unsubscribe: true },
      {},
    ]);
  });

  it('is shown, alone and in a list, with what they receive: nothing after leaving everything', async () => {
    const vera = await buildCustomer(product, acme, 'vera+shop@receives.example');
    await buildCustomer(product, acme, 'vera+shop@receives.example.com');
    const receives = async () => {
      // Whose email it is comes first, before those that only start like it.
      const [found] = (await search({ search: 'vera+shop@receives.example' })).results;
      const alone = await product.call(getCustomer, item(vera), acme.owner);
      expect(found).toMatchObject({ id: vera.id, receives: alone.receives });
      return alone.receives;
    };
    const leave = (global_unsubscribe: boolean) =>
      product.call(updateCustomer, { ...item(vera), body: { global_unsubscribe } }, acme.owner);
    expect(await receives()).toEqual([]);
    const body = [
      { notification_list_id: acme.weekly.id, subscribed: true },
      { notification_list_id: acme.offers.id, subscribed: false },
    ];
    await product.call(setCustomerLists, { ...item(vera), body }, acme.owner);
    expect(await receives()).toEqual([acme.weekly.id]);
    await leave(true);
    expect(await receives()).toEqual([]);
    await leave(false);
    expect(await receives()).toEqual([acme.weekly.id]);
  });
});

describe('lists set by the owner', () => {
  it.each([
    ['none', [], 'body'],
    ['a list twice', 'twice', 'body'],
    [
      'an unknown list',
      [{ notification_list_id: '01900000-0000-7000-8000-000000000000', subscribed: true }],
      '0.notification_list_id',
    ],
    ['no id', [{ notification_list_id: 'x', subscribed: true }], '0.notification_list_id'],
    ['an unknown field', [{ notification_list_id: 'x', subscribed: true, name: 'x' }], undefined],
  ])('with %s answer 422', async (_what, body, field) => {
    const vera = await buildCustomer(product, acme);
    const one = { notification_list_id: acme.weekly.id, subscribed: true };
    const { organization_id, site_id } = acme.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/customers/${vera.id}/lists`;
    const answer = await rawRequest(product, 'PUT', path, {
      as: acme.owner,
      body: body === 'twice' ? [one, one] : body,
    });
    expect(answer.status).toBe(422);
    if (field !== undefined) expect(answer.fields).toEqual([field]);
    expect(await evidenceOf(vera)).toHaveLength(1);
  });
});

describe('the search', () => {
  it('finds by the start of the address, whatever its case, and takes % and _ literally', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    for (const email of ['anna@example.com', 'Annabel@example.com', 'a_b@example.com', 'a%b@example.com']) {
      await buildCustomer(product, world, email);
    }
    const found = async (text: string) =>
      (await search({ search: text }, world)).results.map((customer) => customer.email).toSorted();
    expect(await found('ANNA')).toEqual(['Annabel@example.com', 'anna@example.com']);
    expect(await found(' anna@ ')).toEqual(['anna@example.com']);
    expect(await found('a_')).toEqual(['a_b@example.com']);
    expect(await found('a%')).toEqual(['a%b@example.com']);
    expect(await found('\\')).toEqual([]);
    expect(await found('nabel')).toEqual([]);
  });

  async function pagesOf(query: { search?: string }, world: World): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await search({ ...query, limit: 2, cursor }, world);
      pages.push(page.results.map(({ email }) => email.replace('@example.com', '')));
      cursor = page.next;
    }
    return pages;
  }

  it('returns pages, newest first, each customer once', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    for (let count = 0; count < 5; count += 1) await buildCustomer(product, world, `p${count}@example.com`);
    expect(await pagesOf({}, world)).toEqual([['p4', 'p3'], ['p2', 'p1'], ['p0']]);
    expect((await search({ limit: 5 }, world)).next).toBeNull();
  });

  it('returns matches in the order of the addresses, each customer once', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    for (const name of ['pz', 'other', 'pä', 'Pb', 'p', 'p-a']) {
      await buildCustomer(product, world, `${name}@example.com`);
    }
    expect(await pagesOf({ search: 'p' }, world)).toEqual([['p-a', 'p'], ['Pb', 'pz'], ['pä']]);
    expect((await search({ search: 'p', limit: 5 }, world)).next).toBeNull();
  });

  it('continues after the last address of a page even when that customer was erased', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    for (const name of ['q1', 'q2', 'q3']) await buildCustomer(product, world, `${name}@example.com`);
    const first = await search({ search: 'q', limit: 2 }, world);
    const last = first.results.at(-1);
    if (last === undefined) throw new Error('Two were to be found');
    await product.call(deleteCustomer, item(last, world), world.owner);
    const second = await search({ search: 'q', limit: 2, cursor: first.next ?? '' }, world);
    expect(second.results.map(({ email }) => email)).toEqual(['q3@example.com']);
  });

  it('rejects a cursor that did not come from a search on this site', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    for (const name of ['r1', 'r2']) {
      for (const where of [world, bolt]) await buildCustomer(product, where, `${name}@example.com`);
    }
    const { next } = await search({ search: 'r', limit: 1 }, bolt);
    const byId = (await search({ limit: 1 }, world)).next;
    for (const cursor of [next, byId]) {
      const query = { search: 'r', cursor: cursor ?? '' };
      const refused = await product.refuse(listCustomers, { params: world.params, query }, world.owner);
      expect(refused).toMatchObject({ status: 422, errors: [{ field: 'cursor' }] });
    }
    // It names nobody.
    expect(Buffer.from(next ?? '', 'base64url').toString('latin1')).not.toContain('r1');
  });

  it.each([
    'cursor=x',
    'limit=0',
    'limit=101',
    'limit=x',
    'sort=email',
    `search=${'x'.repeat(255)}`,
    'search=%00',
  ])('with %s answers 422', async (query) => {
    const { organization_id, site_id } = acme.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/customers?${query}`;
    expect((await rawRequest(product, 'GET', path, { as: acme.owner })).status).toBe(422);
  });
});

describe('an erased customer', () => {
  it('is nowhere in clear any more; the evidence, the log and their chain stay', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    await buildWebhook(product, world, { url: receiver.url });
    const email = 'erase.me@example.com';
    const vera = await buildCustomer(product, world, email);
    const customerId = await openAsProven(product, world, vera);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await product.call(saveLists, { params: { customerId }, body }, world.visitor);
    const deliveries = async () =>
      (await product.call(listDeliveries, { params: world.params }, world.owner)).results;
    await expect.poll(async () => (await deliveries())[0]?.status).toBe('arrived');
    // As tools do that say what they do not like.
    const { owner } = product.testDatabase;
    await owner.query('update delivery_attempts set error = $1 where site_id = $2', [
      email,
      world.params.site_id,
    ]);
    await owner.query('update deliveries set last_error = $1 where site_id = $2', [
      email,
      world.params.site_id,
    ]);
    expect(await rowsWith(email)).not.toEqual([]);

    await product.call(deleteCustomer, { params: { ...world.params, id: vera.id } }, world.owner);

    expect(await rowsWith(email)).toEqual([]);
    const { results } = await product.call(listEvidence, { params: world.params }, world.owner);
    expect(results).toMatchObject([
      { email: null, user_agent: null, events: ['unsubscribed'], sequence: 2 },
      { email: null, sequence: 1 },
    ]);
    expect(results[0]?.previous_hash).toBe(results[1]?.hash);
    const [delivery] = await deliveries();
    expect(delivery?.customer_email).toBeNull();
    const detail = await product.call(
      getDelivery,
      { params: { ...world.params, id: delivery?.id ?? '' } },
      world.owner,
    );
    expect(detail.attempts).toMatchObject([
      {
        outcome: 'arrived',
        request: { body: '' },
        response: null,
        content_deleted_at: expect.any(String),
      },
    ]);
  });

  it('who left everything at the same moment comes back as unsubscribed', async () => {
    const vera = await buildCustomer(product, acme);
    const leaving = await product.testDatabase.owner.connect();
    await leaving.query('begin');
    await leaving.query('update customers set global_unsubscribe = true where id = $1', [vera.id]);
    const erased = product.call(deleteCustomer, item(vera), acme.owner);
    await expect.poll(() => countLockWaits(product.testDatabase.owner)).toBeGreaterThan(0);
    await leaving.query('commit');
    leaving.release();
    await erased;
    expect(await buildCustomer(product, acme, vera.email)).toMatchObject({ global_unsubscribe: true });
  });

  it('answers 404 to every later call, also to the person’s own', async () => {
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const { challenge } = await product.call(mintLinks, { ...item(vera), body: {} }, acme.owner);
    await product.call(deleteCustomer, item(vera), acme.owner);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
    const refusals = await Promise.all([
      product.refuse(getCustomer, item(vera), acme.owner),
      product.refuse(deleteCustomer, item(vera), acme.owner),
      product.refuse(setCustomerLists, { ...item(vera), body }, acme.owner),
      product.refuse(mintLinks, { ...item(vera), body: {} }, acme.owner),
      product.refuse(saveLists, { params: { customerId }, body }, acme.visitor),
      product.refuse(openCustomer, { body: { challenge, custom_path: 'preferences' } }, acme.visitor),
    ]);
    expect(refusals.map((refusal) => refusal.status)).toEqual(Array(6).fill(404));
    expect((await search({ search: vera.email })).results).toEqual([]);
  });

  it('may come back as somebody new, without the old choices', async () => {
    const vera = await buildCustomer(product, acme);
    const body = [{ notification_list_id: acme.weekly.id, subscribed: true }];
    await product.call(setCustomerLists, { ...item(vera), body }, acme.owner);
    await product.call(deleteCustomer, item(vera), acme.owner);
    const again = await buildCustomer(product, acme, vera.email);
    expect(again.id).not.toBe(vera.id);
    const { results } = await product.call(getCustomerLists, item(again), acme.owner);
    expect(results.map((list) => list.subscribed)).toEqual([null, null]);
  });
});

/** Tables in which some row holds the text. */
async function rowsWith(text: string): Promise<string[]> {
  const { owner } = product.testDatabase;
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'queue')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await owner.query(`select 1 from ${name} t where t::text ilike $1 limit 1`, [
      `%${text}%`,
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('personal links', () => {
  function mint(customer: Customer, body: { custom_path?: string; list_id?: string }) {
    return product.call(mintLinks, { ...item(customer), body }, acme.owner);
  }

  it('are a page address, a one-click address and exactly the two headers of RFC 8058', async () => {
    const vera = await buildCustomer(product, acme);
    const links = await mint(vera, {});
    expect(links.challenge).toMatch(/^[\w-]{1,100}$/);
    expect(links.preference_url).toBe(`${acme.site.url}/preferences?challenge=${links.challenge}`);
    expect(links.one_click_url).toMatch(/\/u\/[\w-]{1,100}$/);
    expect(links.one_click_url.startsWith(`${acme.site.url}/u/`)).toBe(true);
    expect(links.headers).toEqual({
      'List-Unsubscribe': `<${links.one_click_url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(JSON.stringify(links)).not.toContain('vera');
    expect(Buffer.from(links.challenge, 'base64url').toString('latin1')).not.toContain('example');
  });

  it('lead to the named page, or else to the oldest', async () => {
    const vera = await buildCustomer(product, acme);
    await product.call(
      createPreferencePage,
      { params: acme.params, body: { name: 'Second', custom_path: 'second' } },
      acme.owner,
    );
    expect((await mint(vera, { custom_path: 'Second' })).preference_url).toContain('/second?challenge=');
    expect((await mint(vera, {})).preference_url).toContain('/preferences?challenge=');
  });

  it('differ for one list and for everything', async () => {
    const vera = await buildCustomer(product, acme);
    const all = await mint(vera, {});
    const one = await mint(vera, { list_id: acme.weekly.id });
    expect(one.one_click_url).not.toBe(all.one_click_url);
    expect(one.challenge).toBe(all.challenge);
  });

  it('for a missing list or page answer 404', async () => {
    const vera = await buildCustomer(product, acme);
    for (const body of [{ list_id: bolt.weekly.id }, { custom_path: 'nowhere' }]) {
      expect((await product.refuse(mintLinks, { ...item(vera), body }, acme.owner)).status).toBe(404);
    }
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, mintLinks, setCustomerLists } from '#contract/customers.ts';
import { createList, deleteList } from '#contract/lists.ts';
import { createPreferencePage, replacePreferencePage } from '#contract/preference-pages.ts';
import {
  getCustomerPage,
  openCustomer,
  type PublicCustomer,
  saveLists,
  updatePublicCustomer,
} from '#contract/public-preferences.ts';
import { evidenceHash } from '#server/audience/evidence/evidence.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let acme: World;
let bolt: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
  bolt = await buildWorld(product, 'bolt');
});

afterAll(() => product.stop());

function open(email: string, world = acme, custom_path = 'preferences') {
  return product.call(openCustomer, { body: { email, custom_path } }, world.visitor);
}

function read(customerId: string, world = acme, custom_path = 'preferences') {
  return product.call(getCustomerPage, { params: { customerId, custom_path } }, world.visitor);
}

function choose(weekly: boolean, offers: boolean, world = acme) {
  return [
    { notification_list_id: world.weekly.id, subscribed: weekly },
    { notification_list_id: world.offers.id, subscribed: offers },
  ];
}

function rawSave(customerId: string, body: string | object, headers: Record<string, string> = {}) {
  return rawRequest(product, 'PUT', `/api/customer/v1/customers/${customerId}/lists`, {
    as: acme.visitor,
    body,
    headers,
  });
}

async function challengeOf(customer: Customer, world = acme): Promise<string> {
  const params = { ...world.params, id: customer.id };
  return (await product.call(mintLinks, { params, body: {} }, world.owner)).challenge;
}

async function evidenceOf(customer: { id: string }) {
  const call = { params: { ...acme.params, id: customer.id }, query: { limit: 100 } };
  return (await product.call(listCustomerEvidence, call, acme.owner)).results;
}

/** Every way in which a sealed id is used. */
async function statusesOf(customerId: string, world = acme): Promise<number[]> {
  const path = `/api/customer`;
  const as = world.visitor;
  const answers = await Promise.all([
    rawRequest(product, 'GET', `${path}/v2/customers/${customerId}/preferences/preferences`, { as }),
    rawRequest(product, 'PUT', `${path}/v1/customers/${customerId}/lists`, { as, body: choose(true, true) }),
    rawRequest(product, 'PATCH', `${path}/v1/customers/${customerId}`, {
      as,
      body: { global_unsubscribe: true },
    }),
  ]);
  return answers.map((answer) => answer.status);
}

describe('opening a customer', () => {
  it('by an address creates them where the page allows it, and finds them the next time (spec 28, 57)', async () => {
    const first = await open('Wanda@example.com');
    expect(first).toEqual({
      id: first.id,
      level: 'open',
      email: 'Wanda@example.com',
      global_unsubscribe: false,
      paused_until: null,
    });
    expect((await open('wanda@EXAMPLE.com')).email).toBe('Wanda@example.com');
    const page = await read(first.id);
    expect(page.lists).toMatchObject([
      { id: acme.weekly.id, subscribed: null, subscription_default_state: true },
      { id: acme.offers.id, subscribed: null, subscription_default_state: false },
    ]);
  });

  it('ten times at once creates one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => open('ten@example.com')));
    expect(new Set(answers.map((answer) => answer.email))).toEqual(new Set(['ten@example.com']));
    const { rows } = await product.testDatabase.owner.query(
      `select id from customers where email_key = 'ten@example.com'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('returns an id that is neither the row’s nor readable (spec 26)', async () => {
    const vera = await buildCustomer(product, acme);
    const opened = await open(vera.email);
    expect(opened.id).toMatch(/^[\w-]{60,200}$/);
    expect(opened.id).not.toContain(vera.id);
    expect(await statusesOf(vera.id)).toEqual([404, 404, 404]);
  });

  it('where the page lets nobody new in answers 404 customer_not_found (spec 64)', async () => {
    await product.call(
      createPreferencePage,
      {
        params: acme.params,
        body: { name: 'Closed', custom_path: 'closed', lists: [{ id: acme.weekly.id }] },
      },
      acme.owner,
    );
    const refused = await product.refuse(
      openCustomer,
      { body: { email: 'new@example.com', custom_path: 'closed' } },
      acme.visitor,
    );
    expect(refused).toMatchObject({ status: 404, errors: [{ code: 'customer_not_found' }] });
    const vera = await buildCustomer(product, acme);
    expect((await open(vera.email, acme, 'closed')).email).toBe(vera.email);
  });

  it('by a challenge needs no address (spec 58)', async () => {
    const vera = await buildCustomer(product, acme);
    const opened = await product.call(
      openCustomer,
      { body: { challenge: await challengeOf(vera), custom_path: 'closed' } },
      acme.visitor,
    );
    expect(opened.email).toBe(vera.email);
  });

  it("by another site's, a leave link's or a forged challenge answers 404 alike (spec 55)", async () => {
    const foreign = await challengeOf(await buildCustomer(product, bolt), bolt);
    const vera = await buildCustomer(product, acme);
    const own = await challengeOf(vera);
    const links = await product.call(
      mintLinks,
      { params: { ...acme.params, id: vera.id }, body: {} },
      acme.owner,
    );
    const leave = links.one_click_url.split('/u/')[1] ?? '';
    const flipped = `${own.slice(0, 60)}${own[60] === 'A' ? 'B' : 'A'}${own.slice(61)}`;
    for (const challenge of [foreign, leave, flipped, own.slice(1), `${own}A`, 'x', '%00']) {
      const refused = await product.refuse(
        openCustomer,
        { body: { challenge, custom_path: 'preferences' } },
        acme.visitor,
      );
      expect(refused).toMatchObject({ status: 404, errors: [{ code: 'customer_not_found' }] });
    }
  });

  it.each([
    {},
    { email: 'vera@example.com' },
    { custom_path: 'preferences' },
    { email: 'no address', custom_path: 'preferences' },
    { email: 'vera@example.com', challenge: 'x', custom_path: 'preferences' },
    { email: ['vera@example.com'], custom_path: 'preferences' },
    { email: 'vera@example.com', custom_path: '../x' },
  ])('with %j answers 422', async (body) => {
    const answer = await rawRequest(product, 'POST', '/api/customer/v1/customers', {
      as: acme.visitor,
      body,
    });
    expect(answer.status).toBe(422);
  });

  it('on an unknown host or path answers 404', async () => {
    const body = { email: 'vera@example.com', custom_path: 'preferences' };
    const refusals = await Promise.all([
      product.refuse(openCustomer, { body }, { host: 'nobody.localhost' }),
      product.refuse(openCustomer, { body }),
      product.refuse(openCustomer, { body: { ...body, custom_path: 'nowhere' } }, acme.visitor),
    ]);
    expect(refusals.map((refusal) => refusal.status)).toEqual([404, 404, 404]);
  });

  it('repeatedly for one address answers 429', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    for (let count = 0; count < 20; count += 1) await open('often@example.com', world);
    const refused = await product.refuse(
      openCustomer,
      { body: { email: 'OFTEN@example.com', custom_path: 'preferences' } },
      world.visitor,
    );
    expect(refused).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
  });
});

describe('a sealed id', () => {
  it('that was forged, changed or cut answers 404 (spec 54)', async () => {
    const { id } = await open('sealed@example.com');
    for (const position of [0, 2, 10, 40, id.length - 2]) {
      const flipped = `${id.slice(0, position)}${id[position] === 'A' ? 'B' : 'A'}${id.slice(position + 1)}`;
      expect(await statusesOf(flipped)).toEqual([404, 404, 404]);
    }
    for (const wrong of [id.slice(0, 20), 'x', '%00', 'A'.repeat(300), 'A'.repeat(500)]) {
      expect(await statusesOf(wrong)).toEqual([404, 404, 404]);
    }
    expect((await read(id)).lists.map((list) => list.subscribed)).toEqual([null, null]);
  });

  it('of one site is worth nothing on another', async () => {
    const { id } = await open('sealed@example.com');
    expect(await statusesOf(id, bolt)).toEqual([404, 404, 404]);
  });

  it('expires within a day', async () => {
    const { id } = await open('late@example.com');
    product.clock.advance({ hours: 19 });
    expect((await read(id)).name).toBe('Acme');
    product.clock.advance({ hours: 2 });
    expect(await statusesOf(id)).toEqual([404, 404, 404]);
    product.clock.advance({ hours: -21 });
  });

  it('of an address that was only typed can only switch off once the page asks for proof', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    const vera = await buildCustomer(product, world);
    const typed = await open(vera.email, world);
    const proven = await openAsProven(product, world, vera);
    const { id, name, custom_path } = world.page;
    await product.call(
      replacePreferencePage,
      {
        params: { ...world.params, id },
        body: {
          name,
          custom_path,
          attrs: { enhanced_security: true },
          allow_customer_create: true,
          lists: [{ id: world.weekly.id }, { id: world.offers.id }],
        },
      },
      world.owner,
    );
    const raising = { params: { customerId: typed.id }, body: { global_unsubscribe: false } };
    expect((await product.refuse(updatePublicCustomer, raising, world.visitor)).status).toBe(404);
    expect(await statusesOf(typed.id, world)).toEqual([404, 200, 200]);
    expect((await read(proven, world)).customer.global_unsubscribe).toBe(true);
    const save = { params: { customerId: proven }, body: choose(false, false, world) };
    await product.call(saveLists, save, world.visitor);
    // Neither a known nor a new address is told apart.
    for (const email of [vera.email, 'new@example.com']) {
      const refused = await product.refuse(openCustomer, { body: { email, custom_path } }, world.visitor);
      expect(refused).toMatchObject({ status: 403, errors: [{ code: 'proof_needed' }] });
    }
  });
});

/** Each answer seals the customer again. */
const withNewId = ({ customer }: { customer: PublicCustomer }) => ({
  customer: { ...customer, id: expect.any(String) as string },
});

describe('a save', () => {
  it('of lists returns the current choices, and null when nothing was different (spec 60)', async () => {
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const save = () =>
      product.call(saveLists, { params: { customerId }, body: choose(true, false) }, acme.visitor);
    const first = await save();
    expect(first).toMatchObject({ global_unsubscribe: false, lists: choose(true, false) });
    expect(await save()).toEqual({ ...first, ...withNewId(first), choice_id: null, receipt: null });
    expect(await evidenceOf(vera)).toHaveLength(2);
  });

  it('repeated with its save id returns the first choice, before and after others', async () => {
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const save = (weekly: boolean, key: string) =>
      product.call(
        saveLists,
        { params: { customerId }, headers: { 'idempotency-key': key }, body: choose(weekly, false) },
        acme.visitor,
      );
    const first = await save(true, 'save-one');
    expect(await save(true, 'save-one')).toEqual({ ...first, ...withNewId(first), receipt: null });
    await save(false, 'save-two');
    expect((await save(true, 'save-one')).choice_id).toBe(first.choice_id);
    expect((await read(customerId)).lists[0]?.subscribed).toBe(false);
    const parallel = await Promise.all(Array.from({ length: 8 }, () => save(true, 'save-three')));
    expect(new Set(parallel.map((one) => one.choice_id)).size).toBe(1);
    expect(await evidenceOf(vera)).toHaveLength(4);
  });

  it('records in the evidence what was on the page, in its language, without the last part of the IP', async () => {
    const { id: customerId } = await open('shown@example.com');
    await product.call(
      saveLists,
      {
        params: { customerId },
        headers: { 'x-page-language': 'de', 'x-choice-source': 'state_link' },
        body: choose(true, false),
      },
      acme.visitor,
    );
    const { rows } = await product.testDatabase.owner.query<{ id: string }>(
      `select id from customers where email_key = 'shown@example.com'`,
    );
    const [record] = await evidenceOf({ id: rows[0]?.id ?? '' });
    expect(record).toMatchObject({
      source: 'state_link',
      authority: 'open',
      language: 'de',
      ip: '127.0.0.0',
      shown: {
        page_id: acme.page.id,
        page_version: 1,
        template_id: 'default_preference_page',
        url: acme.page.url,
        lists: [
          { list_id: acme.weekly.id, name: 'Weekly news', description: 'Every Monday', default_state: true },
          { list_id: acme.offers.id, name: 'Offers', description: '', default_state: false },
        ],
      },
    });
  });

  it.each([
    ['a list twice', () => [...choose(true, true), ...choose(false, false)]],
    ['no list', () => []],
    ['an object', () => ({ notification_list_id: acme.weekly.id, subscribed: true })],
    ['a text for subscribed', () => [{ notification_list_id: acme.weekly.id, subscribed: 'true' }]],
    ['an unknown field', () => [{ ...choose(true, true)[0], name: 'x' }]],
  ])('of %s answers 422 and changes nothing', async (_what, body) => {
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    expect((await rawSave(customerId, body())).status).toBe(422);
    expect(await evidenceOf(vera)).toHaveLength(1);
    expect((await read(customerId)).lists.map((list) => list.subscribed)).toEqual([null, null]);
  });

  it('with a list that the page does not offer, or another site’s, saves the rest', async () => {
    const body = { name: 'Hidden' };
    const hidden = await product.call(createList, { params: acme.params, body }, acme.owner);
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const foreign = [hidden.id, bolt.offers.id];
    const saved = await product.call(
      saveLists,
      {
        params: { customerId },
        body: [
          ...choose(true, true),
          ...foreign.map((id) => ({ notification_list_id: id, subscribed: true })),
        ],
      },
      acme.visitor,
    );
    expect(saved).toMatchObject({ ignored: foreign, lists: choose(true, true) });
    const [record] = await evidenceOf(vera);
    expect(record?.lists.map((list) => list.list_id)).toEqual([acme.weekly.id, acme.offers.id]);
    await product.call(deleteList, { params: { ...acme.params, id: hidden.id } }, acme.owner);
  });

  it.each([
    ['broken JSON', '[{"notification_list_id":', 'application/json', 400, 'bad_json'],
    ['an empty body', '', 'application/json', 400, 'bad_json'],
    ['a poisoned prototype', '{"__proto__":{"a":1}}', 'application/json', 400, 'bad_json'],
    ['plain text', '[]', 'text/plain', 415, 'unsupported_media_type'],
    ['XML', '<a/>', 'application/xml', 415, 'unsupported_media_type'],
    ['300 kB', `["${'x'.repeat(300_000)}"]`, 'application/json', 413, 'body_too_large'],
  ])('with %s answers 4xx', async (_what, body, type, status, code) => {
    const { id } = await open('bad-body@example.com');
    expect(await rawSave(id, body, { 'content-type': type })).toMatchObject({ status, codes: [code] });
  });

  it.each([
    ['idempotency-key', 'short'],
    ['idempotency-key', 'has space in it'],
    ['idempotency-key', 'x'.repeat(65)],
    ['x-page-language', 'tlh'],
    ['x-choice-source', 'owner'],
  ])('with the header %s: %s answers 422', async (name, value) => {
    const { id } = await open('bad-header@example.com');
    expect(await rawSave(id, choose(true, true), { [name]: value })).toMatchObject({
      status: 422,
      fields: [name],
    });
  });

  it('a hundred times at once leaves an unbroken chain: no gap, no duplicate, every hash right', async () => {
    const world = await buildSite(product, acme.owner, acme.params.organization_id);
    const vera = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, vera);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        rawRequest(product, 'PUT', `/api/customer/v1/customers/${customerId}/lists`, {
          as: world.visitor,
          body: choose(n % 2 === 0, n % 3 === 0, world),
        }),
      ),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    const saved = answers.filter((answer) => (answer.json as { choice_id?: string }).choice_id !== null);
    const rows = await recordsOf(vera.id);
    expect(rows).toHaveLength(1 + saved.length);
    expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1));
    expectUnbroken(rows);
  });
});

interface Recorded {
  sequence: number;
  hash: Buffer;
  previous_hash: Buffer | null;
  person_hash: Buffer;
  occurred_at: Date;
  [column: string]: unknown;
}

async function recordsOf(customerId: string): Promise<Recorded[]> {
  const { rows } = await product.testDatabase.owner.query<Recorded>(
    'select * from choices where customer_id = $1 order by sequence',
    [customerId],
  );
  return rows;
}

/** Computes every hash again from what is stored. */
function expectUnbroken(rows: Recorded[]): void {
  let previous: Buffer | null = null;
  for (const row of rows) {
    // Which change of the address an undo takes back is told by the link, not by the person; a save id by their browser.
    const {
      hash,
      previous_hash,
      person_hash,
      person_sealed,
      is_test: test,
      undoes_sequence: _,
      save_hash: __,
      replaced: ___,
      visit_id: ____,
      ...rest
    } = row;
    expect(person_sealed).toEqual(expect.any(String));
    expect(previous_hash?.toString('hex')).toBe(previous?.toString('hex'));
    const record = { ...rest, test, person: person_hash.toString('hex') };
    expect(evidenceHash(previous, record).toString('hex')).toBe(hash.toString('hex'));
    previous = hash;
  }
}

describe('the chain of evidence', () => {
  it('can be recomputed from the rows, whatever kind of choice it contains', async () => {
    const vera = await buildCustomer(product, acme);
    const customerId = await openAsProven(product, acme, vera);
    const call = { params: { customerId } };
    await product.call(saveLists, { ...call, body: choose(true, true) }, acme.visitor);
    await product.call(updatePublicCustomer, { ...call, body: { global_unsubscribe: true } }, acme.visitor);
    await product.call(
      updatePublicCustomer,
      { ...call, body: { email: `chained-${vera.email}` } },
      acme.visitor,
    );
    await product.call(
      setCustomerLists,
      { params: { ...acme.params, id: vera.id }, body: choose(true, false) },
      acme.owner,
    );
    const rows = await recordsOf(vera.id);
    expect(rows).toHaveLength(5);
    expectUnbroken(rows);
  });

  it('cannot be rewritten by the server’s own role', async () => {
    const server = new pg.Client({ connectionString: product.testDatabase.appUrl });
    await server.connect();
    for (const statement of [`update choices set ip = null`, 'delete from choices', 'truncate choices']) {
      await expect(server.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
    await server.end();
  });
});

describe('a change of address', () => {
  async function changeTo(customerId: string, email: string) {
    return product.call(updatePublicCustomer, { params: { customerId }, body: { email } }, acme.visitor);
  }

  it('keeps every opt-out, and leaves the old address free (spec 62)', async () => {
    const opened = await open('before@example.com');
    await product.call(
      saveLists,
      { params: { customerId: opened.id }, body: choose(false, true) },
      acme.visitor,
    );
    const moved = await changeTo(opened.id, 'after@example.com');
    expect(moved).toMatchObject({ email: 'after@example.com', global_unsubscribe: false });
    for (const id of [opened.id, moved.id]) {
      expect((await read(id)).lists.map((list) => list.subscribed)).toEqual([false, true]);
    }
    expect((await open('after@example.com')).email).toBe('after@example.com');
    const fresh = await open('before@example.com');
    expect((await read(fresh.id)).lists.map((list) => list.subscribed)).toEqual([null, null]);
  });

  it('to one that somebody has answers 409 error_exists with the sentence of the spec (spec 66)', async () => {
    const otto = await buildCustomer(product, acme);
    const opened = await open('taker@example.com');
    const refused = await product.refuse(
      updatePublicCustomer,
      { params: { customerId: opened.id }, body: { email: otto.email.toUpperCase() } },
      acme.visitor,
    );
    expect(refused).toMatchObject({
      status: 409,
      message: 'another customer in the list already exists with the new email',
      errors: [{ code: 'error_exists', field: 'email' }],
    });
    expect((await open('taker@example.com')).email).toBe('taker@example.com');
  });

  it('of two people to the same address at once succeeds for one', async () => {
    const [one, other] = [await open('one@example.com'), await open('other@example.com')];
    const statuses = await Promise.all(
      [one.id, other.id].map((id) =>
        changeTo(id, 'wanted@example.com').then(
          () => 200,
          (error: { status: number }) => error.status,
        ),
      ),
    );
    expect(statuses.toSorted()).toEqual([200, 409]);
  });

  it('to the same address does nothing; to other capitals it is recorded', async () => {
    const vera = await buildCustomer(product, acme, 'same@example.com');
    const customerId = await openAsProven(product, acme, vera);
    await changeTo(customerId, 'same@example.com');
    expect(await evidenceOf(vera)).toHaveLength(1);
    expect((await changeTo(customerId, 'Same@example.com')).email).toBe('Same@example.com');
    expect((await evidenceOf(vera))[0]?.events).toEqual(['email_changed']);
  });

  it('answers 422 where the page does not allow it', async () => {
    await product.call(
      createPreferencePage,
      {
        params: acme.params,
        body: { name: 'Fixed', custom_path: 'fixed', attrs: { allow_email_change: false } },
      },
      acme.owner,
    );
    const vera = await buildCustomer(product, acme);
    const opened = await open(vera.email, acme, 'fixed');
    const refused = await product.refuse(
      updatePublicCustomer,
      { params: { customerId: opened.id }, body: { email: 'else@example.com' } },
      acme.visitor,
    );
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field', field: 'email' }] });
  });

  it.each([
    {},
    { email: '' },
    { email: 'x@y' },
    { global_unsubscribe: 'yes' },
    { email: 'a@b.co', global_unsubscribe: true },
    { attrs: {} },
  ])('with %j answers 422', async (body) => {
    const { id } = await open('patch@example.com');
    const path = `/api/customer/v1/customers/${id}`;
    expect((await rawRequest(product, 'PATCH', path, { as: acme.visitor, body })).status).toBe(422);
  });
});

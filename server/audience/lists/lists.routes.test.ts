import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createList,
  deleteList,
  getList,
  type List,
  listLists,
  orderLists,
  updateList,
} from '#contract/lists.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

const NOWHERE = '01900000-0000-7000-8000-000000000000';

let product: TestProduct;
let acme: World;
let bolt: World;
let nora: World;

beforeAll(async () => {
  product = await startTestProduct();
  bolt = await buildWorld(product, 'bolt');
  nora = await buildWorld(product, 'nora');
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(() => product.stop());

function path(world = acme) {
  return `/api/core/v1/organizations/${world.params.organization_id}/sites/${world.params.site_id}/lists`;
}

function add(name: string) {
  return product.call(createList, { params: acme.params, body: { name } }, acme.owner);
}

async function all(): Promise<List[]> {
  return (await product.call(listLists, { params: acme.params }, acme.owner)).results;
}

async function shownOnPage() {
  const page = await product.call(getPublicPage, { params: { custom_path: 'preferences' } }, acme.visitor);
  return page.lists;
}

describe('a list', () => {
  it('is created at the end of the order with the defaults: 201 (spec 23)', async () => {
    const list = await add('  Third  ');
    expect(list).toEqual({
      id: list.id,
      name: 'Third',
      description: '',
      show_order: 2,
      subscription_default_state: false,
      double_opt_in: false,
      legal_basis: null,
      translations: [],
      updated_at: list.updated_at,
    });
    expect(await all()).toEqual([acme.weekly, acme.offers, list]);
    expect(await product.call(getList, { params: { ...acme.params, id: list.id } }, acme.owner)).toEqual(
      list,
    );
  });

  it('accepts its limits exactly: 100 for the name, 255 for the description, 8 languages (spec 51)', async () => {
    const languages = ['en', 'es', 'de', 'fr', 'it', 'sl', 'ro', 'pl'] as const;
    const body = {
      name: 'n'.repeat(100),
      description: `${'d'.repeat(253)}\nd`,
      subscription_default_state: true,
      double_opt_in: false,
      legal_basis: 'soft_opt_in' as const,
      translations: languages.map((language) => ({
        language,
        name: 'ñ'.repeat(100),
        description: 'd'.repeat(255),
      })),
    };
    const list = await product.call(createList, { params: acme.params, body }, acme.owner);
    expect(list).toMatchObject(body);
  });

  it.each([
    [{ name: '' }, 'invalid_field', 'name'],
    [{ name: 'n'.repeat(101) }, 'invalid_field', 'name'],
    [{ name: 'a\nb' }, 'invalid_field', 'name'],
    [{ name: 'a\u202eb' }, 'invalid_field', 'name'],
    [{ name: 'a', description: 'd'.repeat(256) }, 'invalid_field', 'description'],
    [
      { name: 'a', translations: [{ language: 'xx', name: 'x' }] },
      'invalid_field',
      'translations.0.language',
    ],
    [{ name: 'a', translations: [{ language: 'de' }] }, 'invalid_field', 'translations.0.name'],
    [
      { name: 'a', translations: [{ language: 'de', name: '\udc00' }] },
      'invalid_field',
      'translations.0.name',
    ],
    [
      { name: 'a', translations: [{ language: 'de', name: 'x', extra: 1 }] },
      'unknown_field',
      'translations.0.extra',
    ],
    [
      {
        name: 'a',
        translations: [
          { language: 'de', name: 'x' },
          { language: 'de', name: 'y' },
        ],
      },
      'invalid_field',
      'translations',
    ],
    [{ name: 'a', subscription_default_state: 'yes' }, 'invalid_field', 'subscription_default_state'],
    [{ name: 'a', legal_basis: 'because' }, 'invalid_field', 'legal_basis'],
    [{ name: 'a', show_order: 7 }, 'unknown_field', 'show_order'],
    [[], 'invalid_field', 'body'],
  ])('from %j answers 422 and changes nothing', async (body, code, field) => {
    const answer = await rawRequest(product, 'POST', path(), { as: acme.owner, body });
    expect(answer).toMatchObject({ status: 422, codes: [code], fields: [field] });
    expect(await all()).toHaveLength(2);
  });

  it('with several wrong fields reports all of them at once', async () => {
    const body = { name: '', description: 'd'.repeat(256), colour: 'red' };
    const answer = await rawRequest(product, 'POST', path(), { as: acme.owner, body });
    expect(answer.fields.toSorted()).toEqual(['colour', 'description', 'name']);
  });

  it('can be changed field by field, and the page shows it right after', async () => {
    expect(await shownOnPage()).toMatchObject([{ name: 'Weekly news' }, { name: 'Offers' }]);
    const params = { ...acme.params, id: acme.weekly.id };
    const translations = [{ language: 'de' as const, name: 'Neues', description: 'Jeden Montag' }];
    const changed = await product.call(
      updateList,
      { params, body: { name: 'News', translations } },
      acme.owner,
    );
    const { updated_at } = changed;
    expect(changed).toEqual({ ...acme.weekly, name: 'News', translations, updated_at });
    expect((await shownOnPage())[0]).toMatchObject({ name: 'News', translations });
    const cleared = await product.call(
      updateList,
      { params, body: { description: '', translations: [] } },
      acme.owner,
    );
    expect(cleared).toMatchObject({ name: 'News', description: '', translations: [] });
  });

  it('cannot take back a change by somebody else: 409, and nothing is lost', async () => {
    const { id, updated_at } = await add('Weekly');
    const params = { ...acme.params, id };
    product.clock.advance({ seconds: 1 });
    const first = await product.call(updateList, { params, body: { name: 'First', updated_at } }, acme.owner);
    const late = { description: 'Late', updated_at };
    const refused = await product.refuse(updateList, { params, body: late }, acme.owner);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'conflict', field: 'updated_at' }] });
    expect(await product.call(getList, { params }, acme.owner)).toEqual(first);
    const body = { ...late, updated_at: first.updated_at };
    expect(await product.call(updateList, { params, body }, acme.owner)).toMatchObject({
      name: 'First',
      description: 'Late',
    });
  });

  it('cannot be both on by default and confirmed by email, neither when created nor when changed', async () => {
    const both = { subscription_default_state: true, double_opt_in: true };
    const field = 'subscription_default_state';
    const made = await rawRequest(product, 'POST', path(), {
      as: acme.owner,
      body: { name: 'Both', ...both },
    });
    expect(made).toMatchObject({ status: 422, codes: ['invalid_field'], fields: [field] });
    for (const [list, body] of [
      [acme.weekly, { double_opt_in: true }],
      [acme.offers, both],
    ] as const) {
      const params = { ...acme.params, id: list.id };
      const refused = await product.refuse(updateList, { params, body }, acme.owner);
      expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field', field }] });
      expect(refused.message).toContain('Turn one of them off');
    }
    expect(await all()).toEqual([acme.weekly, acme.offers]);
    const params = { ...acme.params, id: acme.weekly.id };
    const body = { double_opt_in: true, subscription_default_state: false };
    expect(await product.call(updateList, { params, body }, acme.owner)).toMatchObject(body);
  });

  it('is removed from the site and from its pages when it is deleted', async () => {
    const params = { ...acme.params, id: acme.weekly.id };
    await product.call(deleteList, { params }, acme.owner);
    expect((await all()).map((list) => list.id)).toEqual([acme.offers.id]);
    expect((await shownOnPage()).map((list) => list.id)).toEqual([acme.offers.id]);
    expect((await product.refuse(deleteList, { params }, acme.owner)).status).toBe(404);
  });

  it('of another site answers 404 to reading, changing and deleting', async () => {
    for (const id of [bolt.weekly.id, NOWHERE, 'x', bolt.weekly.id.toUpperCase()]) {
      const params = { ...acme.params, id };
      const refusals = await Promise.all([
        product.refuse(getList, { params }, acme.owner),
        product.refuse(updateList, { params, body: { name: 'Mine' } }, acme.owner),
        product.refuse(deleteList, { params }, acme.owner),
      ]);
      expect(refusals.map((refusal) => refusal.status)).toEqual([404, 404, 404]);
    }
    const mine = { ...bolt.params, organization_id: acme.params.organization_id };
    expect((await product.refuse(listLists, { params: mine }, acme.owner)).status).toBe(404);
    expect((await product.refuse(listLists, { params: bolt.params }, acme.owner)).status).toBe(404);
    expect((await product.refuse(listLists, { params: acme.params })).status).toBe(401);
  });

  it('is one of at most 200', async () => {
    await product.testDatabase.owner.query(
      `insert into lists (site_id, id, name, description, show_order, default_state, translations, created_at, updated_at)
       select $1, gen_random_uuid(), 'List ' || n, '', n, false, '[]', now(), now() from generate_series(2, 198) n`,
      [acme.params.site_id],
    );
    await add('The last');
    const refused = await product.refuse(
      createList,
      { params: acme.params, body: { name: 'Too many' } },
      acme.owner,
    );
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'limit_reached' }] });
  });

  it('has a position of its own even when ten people create lists at once', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(`Parallel ${index}`)));
    expect((await all()).map((list) => list.show_order)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });

  it('has a position even as the first of its site', async () => {
    for (const { id } of [acme.weekly, acme.offers]) {
      await product.call(deleteList, { params: { ...acme.params, id } }, acme.owner);
    }
    await Promise.all(Array.from({ length: 6 }, (_, index) => add(`Parallel ${index}`)));
    expect((await all()).map((list) => list.show_order)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('the order', () => {
  function order(ids: string[]) {
    return product.call(orderLists, { params: acme.params, body: { ids } }, acme.owner);
  }

  it('becomes what was sent: each list has its position (spec 24)', async () => {
    const third = await add('Third');
    const { results } = await order([third.id, acme.weekly.id, acme.offers.id]);
    expect(results.map((list) => [list.name, list.show_order])).toEqual([
      ['Third', 0],
      ['Weekly news', 1],
      ['Offers', 2],
    ]);
    expect(await all()).toEqual(results);
  });

  it('must name every list of the site once: else 409, and nothing moves', async () => {
    const { weekly, offers } = acme;
    for (const ids of [
      [],
      [weekly.id],
      [weekly.id, weekly.id],
      [weekly.id, offers.id, NOWHERE],
      [weekly.id, bolt.offers.id],
    ]) {
      const refused = await product.refuse(orderLists, { params: acme.params, body: { ids } }, acme.owner);
      expect(refused).toMatchObject({ status: 409, errors: [{ code: 'conflict', field: 'ids' }] });
    }
    expect(await all()).toEqual([weekly, offers]);
  });

  it('sent by two people at once is one or the other', async () => {
    const third = await add('Third');
    const one = [third.id, acme.offers.id, acme.weekly.id];
    const other = [acme.offers.id, acme.weekly.id, third.id];
    await Promise.all([order(one), order(other), order(one), order(other)]);
    const lists = await all();
    expect([one, other]).toContainEqual(lists.map((list) => list.id));
    expect(lists.map((list) => list.show_order)).toEqual([0, 1, 2]);
  });
});

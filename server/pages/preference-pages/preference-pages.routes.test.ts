import { listAuditLog } from '#contract/audit-log.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uploadImage } from '#contract/images.ts';
import { deleteList, listLists, updateList } from '#contract/lists.ts';
import {
  createPreferencePage,
  deletePreferencePage,
  getPreferencePage,
  listPreferencePages,
  type PreferencePage,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

/** Spec section 3. */
const SPEC_DEFAULTS = {
  primary_color: '#009AD0',
  text_color: '#2C3D20',
  background_color: '#F8F8F8',
  template_id: 'default_preference_page',
  language: 'en',
  allow_email_change: true,
  unsubscribe_all: true,
  enhanced_security: false,
  remove_badge: false,
};

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

function path() {
  return `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/preference-pages`;
}

function create(body: Parameters<typeof product.call<typeof createPreferencePage>>[1]['body']) {
  return product.call(createPreferencePage, { params: acme.params, body }, acme.owner);
}

type PageBody = Parameters<typeof product.call<typeof replacePreferencePage>>[1]['body'];

function replace(page: PreferencePage, changes: Partial<PageBody>) {
  const body = { name: page.name, custom_path: page.custom_path, ...changes };
  return product.call(replacePreferencePage, { params: { ...acme.params, id: page.id }, body }, acme.owner);
}

function read(id: string) {
  return product.call(getPreferencePage, { params: { ...acme.params, id } }, acme.owner);
}

function publicPage(customPath = 'preferences') {
  return product.call(getPublicPage, { params: { custom_path: customPath } }, acme.visitor);
}

function names(page: { lists: { name: string }[] }) {
  return page.lists.map((list) => list.name);
}

describe('a new page', () => {
  it('has the defaults of the spec: 201 (spec 19, 20)', async () => {
    const page = await create({ name: 'Bare', custom_path: 'bare' });
    expect(page).toEqual({
      id: page.id,
      name: 'Bare',
      url: `${acme.site.url}/bare`,
      custom_path: 'bare',
      allow_customer_create: false,
      favicon: '',
      logo: '',
      active_languages: ['en'],
      embed_origins: [],
      attrs: {
        ...SPEC_DEFAULTS,
        confirm_links: false,
        confirm_changes: false,
        offer_pause: false,
        tag_subject: '',
        tag_pre_name: '',
        saved_preferences_msg: '',
      },
      lists: [],
      version: 1,
      updated_at: page.updated_at,
      warnings: [],
    });
    expect(await read(page.id)).toEqual(page);
  });

  it('creates, changes and orders lists in the same call', async () => {
    const page = await create({
      name: 'All at once',
      custom_path: 'all',
      lists: [
        { createId: 'new-1', name: 'Events', subscription_default_state: true },
        { id: acme.offers.id, name: 'Better offers' },
        { createId: 'new-2', name: 'Jobs', translations: [{ language: 'de', name: 'Stellen' }] },
        { id: acme.weekly.id },
      ],
    });
    expect(page.lists).toMatchObject([
      { createId: 'new-1', name: 'Events', show_order: 0, subscription_default_state: true },
      { id: acme.offers.id, name: 'Better offers', show_order: 1 },
      { createId: 'new-2', name: 'Jobs', show_order: 2, translations: [{ name: 'Stellen' }] },
      { id: acme.weekly.id, name: 'Weekly news', show_order: 3 },
    ]);
    const { results } = await product.call(listLists, { params: acme.params }, acme.owner);
    expect(names({ lists: results })).toEqual(['Weekly news', 'Better offers', 'Events', 'Jobs']);
    expect(names(await publicPage('all'))).toEqual(['Events', 'Better offers', 'Jobs', 'Weekly news']);
    expect((await read(page.id)).lists.every((list) => !('createId' in list))).toBe(true);
  });

  it('that fails leaves no lists behind', async () => {
    const answer = await rawRequest(product, 'POST', path(), {
      as: acme.owner,
      body: {
        name: 'Half',
        custom_path: 'half',
        lists: [
          { createId: 'new', name: 'Half a list' },
          { id: bolt.weekly.id, name: 'Stolen' },
        ],
      },
    });
    expect(answer.status).toBe(404);
    const { results } = await product.call(listLists, { params: acme.params }, acme.owner);
    expect(results).toHaveLength(2);
    expect(
      (await product.call(listPreferencePages, { params: acme.params }, acme.owner)).results,
    ).toHaveLength(1);
  });

  it.each([
    ['no name', { name: '' }, 'invalid_field', 'name'],
    ['no path', { custom_path: '' }, 'invalid_field', 'custom_path'],
    ['a slash in the path', { custom_path: 'a/b' }, 'invalid_field', 'custom_path'],
    ['a path of 64', { custom_path: 'p'.repeat(64) }, 'invalid_field', 'custom_path'],
    ['a hyphen at the end', { custom_path: 'p-' }, 'invalid_field', 'custom_path'],
    ['dots', { custom_path: '..' }, 'invalid_field', 'custom_path'],
    ['a reserved path', { custom_path: 'API' }, 'reserved_name', 'custom_path'],
    ['the path of one-click links', { custom_path: 'u' }, 'reserved_name', 'custom_path'],
    ['the path of links that undo', { custom_path: 'undo' }, 'reserved_name', 'custom_path'],
    ['the path of links that restore', { custom_path: 'restore' }, 'reserved_name', 'custom_path'],
    ['the path of notices', { custom_path: 'resubscribed' }, 'reserved_name', 'custom_path'],
    ['the path of personal data', { custom_path: 'data' }, 'reserved_name', 'custom_path'],
    ['a colour by name', { attrs: { primary_color: 'red' } }, 'invalid_field', 'attrs.primary_color'],
    ['a short colour', { attrs: { text_color: '#fff' } }, 'invalid_field', 'attrs.text_color'],
    [
      'a colour with more behind it',
      { attrs: { background_color: '#ffffff;x' } },
      'invalid_field',
      'attrs.background_color',
    ],
    ['an unknown template', { attrs: { template_id: 'x' } }, 'invalid_field', 'attrs.template_id'],
    ['an unknown language', { attrs: { language: 'xx' } }, 'invalid_field', 'attrs.language'],
    ['an unknown attribute', { attrs: { font: 'Inter' } }, 'unknown_field', 'attrs.font'],
    ['an unknown field', { colour: 'red' }, 'unknown_field', 'colour'],
    ['a script as logo', { logo: 'javascript:alert(1)' }, 'invalid_field', 'logo'],
    ['a logo that is not https', { logo: 'http://example.com/x.png' }, 'invalid_field', 'logo'],
    [
      'a path to be framed by',
      { embed_origins: ['https://a.example/shop'] },
      'invalid_field',
      'embed_origins.0',
    ],
    [
      'a wildcard to be framed by',
      { embed_origins: ['https://*.example'] },
      'invalid_field',
      'embed_origins.0',
    ],
    [
      'a site without TLS to be framed by',
      { embed_origins: ['https://a.example', 'http://a.example'] },
      'invalid_field',
      'embed_origins.1',
    ],
    [
      'another directive in an origin',
      { embed_origins: ['https://a.example;script-src'] },
      'invalid_field',
      'embed_origins.0',
    ],
    [
      'too many sites to be framed by',
      { embed_origins: Array.from({ length: 21 }, (_, n) => `https://${n}.example`) },
      'invalid_field',
      'embed_origins',
    ],
    ['an unknown active language', { active_languages: ['tlh'] }, 'invalid_field', 'active_languages.0'],
    ['a list that is not there', { lists: [{ name: 'x' }] }, 'invalid_field', 'lists.0.id'],
    [
      'a list with an unknown field',
      { lists: [{ createId: 'a', name: 'x', subscribed: true }] },
      'unknown_field',
      'lists.0.subscribed',
    ],
    [
      'a list with too long a description',
      { lists: [{ createId: 'a', name: 'x', description: 'd'.repeat(256) }] },
      'invalid_field',
      'lists.0.description',
    ],
    [
      'one mark for two new lists',
      {
        lists: [
          { createId: 'a', name: 'x' },
          { createId: 'a', name: 'y' },
        ],
      },
      'invalid_field',
      'lists.1',
    ],
  ])('with %s answers 422', async (_what, wish, code, field) => {
    const body = { name: 'Page', custom_path: 'page', ...wish };
    const answer = await rawRequest(product, 'POST', path(), { as: acme.owner, body });
    expect(answer).toMatchObject({ status: 422, codes: [code], fields: [field] });
  });

  it('that names one list twice answers 422, whatever the case of the id', async () => {
    const { id } = acme.weekly;
    for (const twice of [id, id.toUpperCase()]) {
      const body = { name: 'Page', custom_path: 'page', lists: [{ id }, { id: twice }] };
      const answer = await rawRequest(product, 'POST', path(), { as: acme.owner, body });
      expect(answer.status).toBe(422);
    }
  });

  it('with a path that another page has answers 409, whatever its case', async () => {
    const body = { name: 'Second', custom_path: 'Preferences' };
    const refused = await product.refuse(createPreferencePage, { params: acme.params, body }, acme.owner);
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'path_taken', field: 'custom_path' }] });
  });

  it('may have the path of a page of another site', async () => {
    expect(bolt.page.custom_path).toBe(acme.page.custom_path);
  });

  it('is created once by two requests at the same moment', async () => {
    const body = { name: 'Race', custom_path: 'race' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => rawRequest(product, 'POST', path(), { as: acme.owner, body })),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });

  it('is one of at most 100', async () => {
    await product.testDatabase.owner.query(
      `insert into preference_pages select site_id, gen_random_uuid(), name, 'path-' || n, allow_customer_create, favicon,
         logo, active_languages, attrs, version, created_at, updated_at
       from preference_pages, generate_series(1, 99) n where site_id = $1`,
      [acme.params.site_id],
    );
    const body = { name: 'Too many', custom_path: 'too-many' };
    const refused = await product.refuse(createPreferencePage, { params: acme.params, body }, acme.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'limit_reached' }] });
  });
});

describe('a page', () => {
  it('is replaced as a whole, and visitors see it right after (spec 56)', async () => {
    expect(names(await publicPage())).toEqual(['Weekly news', 'Offers']);
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const file = new Blob([drawing], { type: 'image/svg+xml' });
    const query = { kind: 'logo' as const };
    const logo = await product.call(uploadImage, { params: acme.params, query, file }, acme.owner);
    const page = await replace(acme.page, {
      name: 'Acme news',
      allow_customer_create: false,
      logo: logo.url,
      active_languages: ['de', 'fr'],
      attrs: { language: 'de', primary_color: '#112233', tag_subject: 'Deine Wahl' },
      lists: [
        { id: acme.offers.id, description: 'Rarely' },
        { createId: 'x', name: 'Events' },
      ],
      override: { reason: 'The translations follow.' },
    });
    expect(page).toMatchObject({ version: 2, active_languages: ['de', 'fr'] });
    expect(await publicPage()).toMatchObject({
      name: 'Acme news',
      logo: new URL(logo.url).pathname,
      languages: { default: 'de', active_languages: ['de', 'fr'] },
      attrs: { ...SPEC_DEFAULTS, language: 'de', primary_color: '#112233', tag_subject: 'Deine Wahl' },
      lists: [
        { id: acme.offers.id, description: 'Rarely', show_order: 0 },
        { name: 'Events', show_order: 1 },
      ],
    });
  });

  it('moves to another path: the old one answers 404 at once', async () => {
    await publicPage();
    await replace(acme.page, { custom_path: 'moved' });
    expect((await publicPage('moved')).name).toBe('Acme');
    const params = { custom_path: 'preferences' };
    expect((await product.refuse(getPublicPage, { params }, acme.visitor)).status).toBe(404);
  });

  it('accepts what it returned (spec 19)', async () => {
    expect(await replace(acme.page, acme.page)).toEqual(acme.page);
  });

  it('that is saved unchanged gets no version and no entry in the audit log, and a change gets both', async () => {
    const entries = async () =>
      (await product.call(listAuditLog, { params: acme.params, query: {} }, acme.owner)).results.map(
        ({ event, subject_name }) => `${event} ${subject_name}`,
      );
    const before = await entries();
    expect(await replace(acme.page, acme.page)).toEqual(acme.page);
    expect(await entries()).toEqual(before);
    const [first, ...others] = acme.page.lists;
    if (first === undefined) throw new Error('The page has lists');
    const reworded = await replace(acme.page, {
      ...acme.page,
      lists: [{ ...first, description: 'Once a week' }, ...others],
    });
    expect(reworded.version).toBe(acme.page.version + 1);
    // Of the lists only the one that changed.
    expect(await entries()).toEqual([
      `list.changed ${first.name}`,
      `page.changed ${acme.page.name}`,
      ...before,
    ]);
    const reordered = await replace(reworded, { ...reworded, lists: reworded.lists.toReversed() });
    expect(reordered.version).toBe(reworded.version + 1);
    expect((await entries()).slice(0, -before.length)).toEqual([
      `page.changed ${acme.page.name}`,
      `list.changed ${first.name}`,
      `page.changed ${acme.page.name}`,
    ]);
  });

  it('saved with an old version answers 409 with the new one, and keeps what the other person saved', async () => {
    await replace(acme.page, { name: 'By the other', version: 1 });
    const refused = await product.refuse(
      replacePreferencePage,
      {
        params: { ...acme.params, id: acme.page.id },
        body: { name: 'Mine', custom_path: 'preferences', version: 1 },
      },
      acme.owner,
    );
    expect(refused).toMatchObject({
      status: 409,
      data: { version: 2 },
      errors: [{ code: 'conflict', field: 'version' }],
    });
    expect((await read(acme.page.id)).name).toBe('By the other');
  });

  it('saved by two people at once is saved by one, and the other is told', async () => {
    const saves = await Promise.allSettled(
      ['One', 'Other', 'Third'].map((name) => replace(acme.page, { name, version: 1 })),
    );
    expect(saves.filter((save) => save.status === 'fulfilled')).toHaveLength(1);
    expect(saves.filter((save) => save.status === 'rejected').map((save) => save.reason.status)).toEqual([
      409, 409,
    ]);
  });

  it('shares lists with another page: saves of both at once, with lists deleted meanwhile, never break', async () => {
    const second = await create({ name: 'Second', custom_path: 'second' });
    const [a, b] = [acme.weekly.id, acme.offers.id];
    const doomed = await create({
      name: 'Third',
      custom_path: 'third',
      lists: Array.from({ length: 8 }, (_, n) => ({ createId: `${n}`, name: `List ${n}` })),
    });
    const statuses = await Promise.all(
      doomed.lists.flatMap(({ id }, n) => {
        const body = (page: PreferencePage, ids: string[]) => ({
          name: page.name,
          custom_path: page.custom_path,
          lists: ids.map((one) => ({ id: one, description: `Round ${n}` })),
        });
        const put = (page: PreferencePage, ids: string[]) =>
          rawRequest(product, 'PUT', `${path()}/${page.id}`, { as: acme.owner, body: body(page, ids) });
        return [
          put(acme.page, [a, id, b]),
          put(second, [b, id, a]),
          product
            .call(deleteList, { params: { ...acme.params, id } }, acme.owner)
            .then(() => ({ status: 204 })),
          product
            .call(updateList, { params: { ...acme.params, id: a }, body: { name: `N${n}` } }, acme.owner)
            .then(() => ({ status: 200 })),
        ];
      }),
    );
    const unexpected = statuses
      .map(({ status }) => status)
      .filter((status) => ![200, 204, 404].includes(status));
    expect(unexpected).toEqual([]);
  });

  it('can be deleted, and its lists stay', async () => {
    await publicPage();
    const params = { ...acme.params, id: acme.page.id };
    await product.call(deletePreferencePage, { params }, acme.owner);
    expect((await product.refuse(deletePreferencePage, { params }, acme.owner)).status).toBe(404);
    expect(
      (await product.refuse(getPublicPage, { params: { custom_path: 'preferences' } }, acme.visitor)).status,
    ).toBe(404);
    expect((await product.call(listLists, { params: acme.params }, acme.owner)).results).toHaveLength(2);
  });
});

describe('the public page', () => {
  it('is found whatever the case of its path and of its host (spec 5)', async () => {
    const page = await product.call(
      getPublicPage,
      { params: { custom_path: 'PREFERENCES' } },
      { host: `${acme.site.domain_name.toUpperCase()}:3000` },
    );
    expect(page).toEqual(await publicPage());
  });

  it('reveals no id and no version of the page, and of the owner only who is behind it (spec 25)', async () => {
    expect(Object.keys(await publicPage()).toSorted()).toEqual([
      'attrs',
      'favicon',
      'languages',
      'lists',
      'logo',
      'logo_size',
      'name',
      'operator',
    ]);
  });

  it.each(['nothing', '%00', '%ED%A0%80', '..%2f', "'", 'x'.repeat(101), 'x'.repeat(1000), '%'])(
    'at the path %s answers 404 or 400, in the common shape of errors',
    async (custom) => {
      const answer = await rawRequest(product, 'GET', `/api/customer/v1/preferences/${custom}`, {
        as: acme.visitor,
      });
      expect([400, 404]).toContain(answer.status);
      expect(answer.json).toMatchObject({ message: expect.any(String) as string, meta: { errors: [{}] } });
    },
  );
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { getList, type ListChanges, updateList } from '#contract/lists.ts';
import {
  createPreferencePage,
  getPreferencePage,
  type PreferencePage,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

type PageBody = Parameters<typeof product.call<typeof replacePreferencePage>>[1]['body'];

let product: TestProduct;
let nora: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildWorld(product);
});

beforeEach(async () => {
  acme = await buildSite(product, nora.owner, nora.params.organization_id);
});

afterAll(() => product.stop());

const NO_WAY_OUT = { attrs: { unsubscribe_all: false } };
const REASON = { reason: 'Our law firm has looked at it.' };

function bodyOf(changes: Partial<PageBody>): PageBody {
  const lists = [{ id: acme.weekly.id }, { id: acme.offers.id }];
  return { name: 'Acme', custom_path: 'preferences', lists, ...changes };
}

const item = () => ({ params: { ...acme.params, id: acme.page.id } });

const publish = (changes: Partial<PageBody>): Promise<PreferencePage> =>
  product.call(replacePreferencePage, { ...item(), body: bodyOf(changes) }, acme.owner);

/** The checks that a refusal names. */
async function refusedChecks(changes: Partial<PageBody>) {
  const refused = await product.refuse(
    replacePreferencePage,
    { ...item(), body: bodyOf(changes) },
    acme.owner,
  );
  expect(refused.status).toBe(422);
  expect(new Set(refused.errors.map(({ code }) => code))).toEqual(new Set(['checks_failed']));
  const { errors, message, data } = refused;
  return { errors, message, checks: data?.['checks'] };
}

async function overrides() {
  const { results } = await product.call(
    listAuditLog,
    { params: acme.params, query: { noun: 'page' } },
    acme.owner,
  );
  return results.filter(({ event }) => event === 'page.checks_overridden');
}

describe('a page is not published', () => {
  it('without a way to leave everything, and nothing changes', async () => {
    const { checks, errors } = await refusedChecks({ ...NO_WAY_OUT, name: 'Changed' });
    expect(checks).toEqual([
      {
        check: 'no_unsubscribe_all',
        field: 'attrs.unsubscribe_all',
        lists: [],
        pages: ['Changed'],
        language: null,
        ratio: null,
      },
    ]);
    expect(errors).toMatchObject([{ field: 'attrs.unsubscribe_all' }]);
    expect(await product.call(getPreferencePage, item(), acme.owner)).toMatchObject({
      name: 'Acme',
      version: 1,
      attrs: { unsubscribe_all: true },
    });
    expect(await overrides()).toEqual([]);
  });

  it.each([
    ['text', { text_color: '#AAAAAA' }, 'attrs.text_color'],
    ['an accent', { primary_color: '#FFEE99' }, 'attrs.primary_color'],
  ])('with %s below 3:1 on the background', async (_, attrs, field) => {
    const { checks } = await refusedChecks({ attrs });
    expect(checks).toMatchObject([{ check: 'low_contrast', field }]);
  });

  it('with lists that lack a language of the page, all named at once', async () => {
    const translations = [{ language: 'de' as const, name: 'Woche', description: '' }];
    const lists = [
      { id: acme.weekly.id, translations },
      { createId: 'x', name: 'Events' },
    ];
    const { checks, message } = await refusedChecks({ active_languages: ['en', 'de', 'fr'], lists });
    expect(checks).toMatchObject([
      { check: 'untranslated', language: 'de', lists: ['Events'] },
      { check: 'untranslated', language: 'fr', lists: ['Weekly news', 'Events'] },
    ]);
    expect(message).toContain('"Events"');
    expect(message).toContain('override');
  });

  it('and not created with problems either', async () => {
    const body = { name: 'Other', custom_path: 'other', ...NO_WAY_OUT };
    const refused = await product.refuse(createPreferencePage, { params: acme.params, body }, acme.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'checks_failed' }] });
    const made = await product.call(
      createPreferencePage,
      { params: acme.params, body: { ...body, override: REASON } },
      acme.owner,
    );
    expect(made.attrs.unsubscribe_all).toBe(false);
    expect(await overrides()).toMatchObject([{ subject_id: made.id, ...REASON }]);
  });
});

describe('with a reason, a page with problems is published', () => {
  it('and the audit log says who, why, and what failed', async () => {
    await publish({ ...NO_WAY_OUT, active_languages: ['de'], override: REASON });
    expect(await overrides()).toMatchObject([
      {
        actor: { kind: 'user', id: acme.owner.id },
        subject_id: acme.page.id,
        subject_name: 'Acme',
        checks: ['no_unsubscribe_all', 'untranslated'],
        ...REASON,
      },
    ]);
  });

  it('by a program, too, whose key is named', async () => {
    const body = { name: 'Deploys', scopes: ['read' as const, 'write' as const] };
    const key = await product.call(createApiKey, { params: acme.params, body }, acme.owner);
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/preference-pages/${acme.page.id}`;
    const answer = await rawRequest(product, 'PUT', path, {
      headers: { authorization: `Bearer ${key.key}` },
      body: bodyOf({ ...NO_WAY_OUT, override: REASON }),
    });
    expect(answer.status).toBe(200);
    expect(await overrides()).toMatchObject([{ actor: { kind: 'api_key', name: 'Deploys' }, ...REASON }]);
  });

  it.each([{ reason: ' ' }, {}, { reason: 'x'.repeat(501) }])(
    'but not for the reason %j',
    async (override) => {
      const body = bodyOf({ ...NO_WAY_OUT, override: override as typeof REASON });
      const refused = await product.refuse(replacePreferencePage, { ...item(), body }, acme.owner);
      expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field' }] });
    },
  );

  it('and an unneeded reason is not recorded', async () => {
    await publish({ name: 'Fine', override: REASON });
    expect(await overrides()).toEqual([]);
  });
});

describe('a problem that was already published', () => {
  it('is not asked about again, until there is another', async () => {
    await publish({ ...NO_WAY_OUT, override: REASON });
    expect(await publish({ ...NO_WAY_OUT, name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    const faint = { attrs: { ...NO_WAY_OUT.attrs, text_color: '#AAAAAA' } };
    expect((await refusedChecks(faint)).checks).toMatchObject([{ check: 'low_contrast' }]);
    await publish({ ...faint, override: REASON });
    const fainter = { attrs: { ...faint.attrs, text_color: '#BBBBBB' } };
    expect((await refusedChecks(fainter)).checks).toMatchObject([{ check: 'low_contrast' }]);
    expect(await overrides()).toHaveLength(2);
  });

  it('is asked about again once it was fixed', async () => {
    await publish({ ...NO_WAY_OUT, override: REASON });
    await publish({});
    expect((await refusedChecks(NO_WAY_OUT)).checks).toMatchObject([{ check: 'no_unsubscribe_all' }]);
  });
});

describe('a list of published pages', () => {
  const GERMAN = [{ language: 'de' as const, name: 'Woche', description: '' }];
  const call = () => ({ params: { ...acme.params, id: acme.weekly.id } });
  const change = (body: ListChanges & { override?: typeof REASON }) =>
    product.call(updateList, { ...call(), body }, acme.owner);

  async function inGerman() {
    const lists = [{ id: acme.weekly.id, translations: GERMAN }];
    await publish({ active_languages: ['de'], lists });
  }

  it.each<[string, ListChanges, ListChanges, string, string]>([
    [
      'on by default where it needs consent',
      { subscription_default_state: false, legal_basis: 'consent' },
      { subscription_default_state: true },
      'on_by_default',
      'subscription_default_state',
    ],
    [
      'in need of consent where it is on by default',
      { subscription_default_state: true, legal_basis: null },
      { legal_basis: 'consent' },
      'on_by_default',
      'subscription_default_state',
    ],
    [
      'without a translation that a page needs',
      { description: 'Every Monday' },
      { translations: [] },
      'untranslated',
      'translations',
    ],
  ])('does not become one %s without a reason, and nothing changes', async (_, first, then, check, field) => {
    await inGerman();
    await change(first);
    const before = await product.call(getList, call(), acme.owner);
    const refused = await product.refuse(updateList, { ...call(), body: then }, acme.owner);
    expect(refused).toMatchObject({
      status: 422,
      errors: [{ code: 'checks_failed', field }],
      data: { checks: [{ check, lists: ['Weekly news'], pages: ['Acme'] }] },
    });
    expect(await product.call(getList, call(), acme.owner)).toEqual(before);
    expect(await overrides()).toEqual([]);
    expect(await change({ ...then, override: REASON })).toMatchObject(then);
    expect(await overrides()).toMatchObject([
      { actor: { id: acme.owner.id }, subject_id: acme.page.id, checks: [check], ...REASON },
    ]);
    expect(await change({ name: 'Asked about once' })).toMatchObject(then);
  });

  it('is not checked where no page shows it', async () => {
    await publish({ lists: [{ id: acme.offers.id }] });
    expect(await change({ legal_basis: 'consent' })).toMatchObject({ legal_basis: 'consent' });
    expect((await refusedChecks({})).checks).toMatchObject([{ check: 'on_by_default' }]);
  });

  it('is checked on all of its pages, also when one of them is published', async () => {
    await inGerman();
    const body = {
      name: 'English',
      custom_path: 'english',
      lists: [{ id: acme.weekly.id, translations: [] }],
    };
    const refused = await product.refuse(createPreferencePage, { params: acme.params, body }, acme.owner);
    expect(refused.data?.['checks']).toMatchObject([
      { check: 'untranslated', language: 'de', lists: ['Weekly news'], pages: ['Acme'] },
    ]);
    await product.call(
      createPreferencePage,
      { params: acme.params, body: { ...body, override: REASON } },
      acme.owner,
    );
    expect(await overrides()).toMatchObject([{ subject_id: acme.page.id, checks: ['untranslated'] }]);
  });

  it('cannot be published both on by default and confirmed by email at once', async () => {
    const lists = [{ id: acme.offers.id }, { id: acme.weekly.id, double_opt_in: true }];
    const refused = await product.refuse(
      replacePreferencePage,
      { ...item(), body: bodyOf({ lists }) },
      acme.owner,
    );
    const field = 'lists.1.subscription_default_state';
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field', field }] });
  });
});

it('the defaults of the spec pass, in the default language only', async () => {
  for (const language of LANGUAGES) {
    await publish({ attrs: { language }, active_languages: [language] });
  }
  expect(await overrides()).toEqual([]);
});

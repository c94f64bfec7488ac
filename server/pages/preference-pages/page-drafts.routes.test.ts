import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { createCustomer, getCustomerLists, listCustomers } from '#contract/customers.ts';
import { uploadImage } from '#contract/images.ts';
import { deleteList, LIST_DEFAULTS } from '#contract/lists.ts';
import {
  discardPageDraft,
  type DraftContent,
  getPageDraft,
  getPageVersion,
  KEPT_VERSIONS,
  listPageVersions,
  mintOwnLink,
  savePageDraft,
  sendOwnLink,
} from '#contract/page-drafts.ts';
import {
  getPreferencePage,
  listPreferencePages,
  pageAttrs,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { buildOwner, buildSite, buildWorld, type Owner, type World } from '#test/harness/world.ts';

let mailServer: MailServer;
let product: TestProduct;
let first: World;
let acme: World;
let colleague: Owner;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({
    worker: true,
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sayso <hello@sayso.example>' },
  });
  first = await buildWorld(product);
  colleague = await buildOwner(product, 'colleague');
  await product.testDatabase.owner.query(`insert into members values ($1, $2, 'owner', now())`, [
    first.params.organization_id,
    colleague.id,
  ]);
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  acme = await buildSite(product, first.owner, first.params.organization_id);
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

const at = () => ({ ...acme.params, id: acme.page.id });

function content(changes: Partial<DraftContent> = {}): DraftContent {
  return {
    name: 'Acme',
    custom_path: 'preferences',
    allow_customer_create: true,
    favicon: '',
    logo: '',
    active_languages: ['en'],
    embed_origins: [],
    attrs: pageAttrs.parse({}),
    lists: [{ id: acme.weekly.id }, { id: acme.offers.id }],
    ...changes,
  };
}

type Save = {
  content: DraftContent;
  base_version: number;
  revision: number | null;
  editor_id?: string;
};

function save(changes: Partial<Save>, as = acme.owner) {
  const body = { content: content(), base_version: 1, revision: null, ...changes };
  return product.call(savePageDraft, { params: at(), body }, as);
}

function refusedSave(changes: Partial<Save>, as = acme.owner) {
  const body = { content: content(), base_version: 1, revision: null, ...changes };
  return product.refuse(savePageDraft, { params: at(), body }, as);
}

const draft = async () => (await product.call(getPageDraft, { params: at() }, acme.owner)).draft;

function publish(changes: object = {}, as = acme.owner) {
  const { name, custom_path, lists } = acme.page;
  const body = { name, custom_path, lists: lists.map(({ id }) => ({ id })), ...changes };
  return product.call(replacePreferencePage, { params: at(), body }, as);
}

const publicPage = () =>
  product.call(getPublicPage, { params: { custom_path: 'preferences' } }, acme.visitor);

const versions = async () => (await product.call(listPageVersions, { params: at() }, acme.owner)).results;

const version = (number: number) =>
  product.call(getPageVersion, { params: { ...at(), version: number } }, acme.owner);

describe('a draft', () => {
  it('does not exist before anybody typed', async () => {
    expect(await draft()).toBeNull();
  });

  it('is stored as it was typed, half a color included, and visitors see nothing of it', async () => {
    const attrs = { ...pageAttrs.parse({}), primary_color: '#12' };
    const saved = await save({ content: content({ name: '', custom_path: 'Not yet!', attrs }) });
    expect(saved).toMatchObject({
      base_version: 1,
      revision: 1,
      saved_by: { id: acme.owner.id, name: acme.owner.username },
      content: { name: '', custom_path: 'Not yet!', attrs: { primary_color: '#12' } },
    });
    expect(saved.content.lists.map(({ name, show_order }) => [name, show_order])).toEqual([
      ['Weekly news', 0],
      ['Offers', 1],
    ]);
    expect(await draft()).toEqual(saved);
    expect((await publicPage()).name).toBe('Acme');
    expect((await product.call(getPreferencePage, { params: at() }, acme.owner)).version).toBe(1);
  });

  it('is listed with the pages of its site until it is published, and the listed page may be sent back', async () => {
    const listed = async () =>
      (await product.call(listPreferencePages, { params: acme.params }, acme.owner)).results[0];
    expect((await listed())?.draft_saved_at).toBeNull();
    const saved = await save({ content: content({ name: 'Soon' }) });
    const page = await listed();
    expect(page).toMatchObject({ name: 'Acme', draft_saved_at: saved.saved_at });
    await publish({ ...page, lists: [], draft_revision: saved.revision });
    expect((await listed())?.draft_saved_at).toBeNull();
  });

  it('shows lists with their current texts or the draft’s own, and leaves deleted ones out', async () => {
    await save({
      content: content({
        lists: [
          { id: acme.offers.id },
          { id: acme.weekly.id, name: 'Weekly letter' },
          {
            ...LIST_DEFAULTS,
            createId: 'new-1',
            name: '',
            subscription_default_state: true,
          },
        ],
      }),
    });
    await product.call(deleteList, { params: { ...acme.params, id: acme.offers.id } }, acme.owner);
    expect((await draft())?.content.lists).toMatchObject([
      { id: acme.weekly.id, name: 'Weekly letter', description: 'Every Monday', show_order: 0 },
      { createId: 'new-1', name: '', subscription_default_state: true, show_order: 1 },
    ]);
  });

  it('grows by one revision with each save', async () => {
    await save({});
    expect(await save({ revision: 1, content: content({ name: 'Two' }) })).toMatchObject({ revision: 2 });
  });

  it('of somebody else is not overwritten, and the second editor is told whose it is: 409', async () => {
    await save({ content: content({ name: 'Mine' }) });
    const refused = await refusedSave({ content: content({ name: 'Theirs' }) }, colleague);
    expect(refused).toMatchObject({
      status: 409,
      errors: [{ code: 'conflict' }],
      data: { version: 1, draft: { revision: 1, saved_by: { name: acme.owner.username } } },
    });
    expect((await draft())?.content.name).toBe('Mine');
    expect(await save({ revision: 1, content: content({ name: 'Theirs' }) }, colleague)).toMatchObject({
      revision: 2,
      saved_by: { id: colleague.id },
    });
  });

  it('says which editor saved it, so that one’s own save is recognized after a lost answer', async () => {
    await save({ editor_id: 'a-window' });
    expect(await refusedSave({ editor_id: 'a-window' })).toMatchObject({
      status: 409,
      data: { draft: { revision: 1, editor_id: 'a-window' } },
    });
    await save({ revision: 1 }, colleague);
    expect(await draft()).toMatchObject({ revision: 2, editor_id: null });
  });

  it('saved by two at once is saved by one', async () => {
    const saves = await Promise.allSettled(
      ['A', 'B', 'C'].map((name) => save({ content: content({ name }) })),
    );
    expect(saves.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('based on a version that is no longer published is not saved: 409 with who published', async () => {
    await publish({ name: 'By the other' }, colleague);
    expect(await refusedSave({})).toMatchObject({
      status: 409,
      data: { version: 2, published_by: { id: colleague.id }, draft: null },
    });
  });

  it('that was published or discarded meanwhile can no longer be saved: 409', async () => {
    await save({});
    await product.call(discardPageDraft, { params: at(), query: { revision: 1 } }, acme.owner);
    expect(await refusedSave({ revision: 1 })).toMatchObject({ status: 409, data: { draft: null } });
  });

  it.each([
    ['a name without end', { name: 'x'.repeat(401) }],
    ['half a character', { name: '\ud800' }],
    ['a NUL', { name: 'a\u0000b' }],
    ['a field that is none', { colour: 'red' }],
    ['a list without an id', { lists: [{ name: 'Weekly' }] }],
  ])('with %s answers 422 and stores nothing', async (_, changes) => {
    const refused = await refusedSave({ content: { ...content(), ...changes } as DraftContent });
    expect(refused.status).toBe(422);
    expect(await draft()).toBeNull();
  });

  it('of a page that does not exist answers 404', async () => {
    const params = { ...acme.params, id: first.page.id };
    const body = { content: content(), base_version: 1, revision: null };
    expect(await product.refuse(getPageDraft, { params }, acme.owner)).toMatchObject({ status: 404 });
    expect(await product.refuse(savePageDraft, { params, body }, acme.owner)).toMatchObject({ status: 404 });
    const query = { revision: 1 };
    expect(await product.refuse(discardPageDraft, { params, query }, acme.owner)).toMatchObject({
      status: 404,
    });
  });

  it('that somebody has saved since is not discarded: 409', async () => {
    await save({});
    await save({ revision: 1 }, colleague);
    const refused = await product.refuse(
      discardPageDraft,
      { params: at(), query: { revision: 1 } },
      acme.owner,
    );
    expect(refused).toMatchObject({ status: 409, data: { draft: { revision: 2 } } });
    expect(await draft()).not.toBeNull();
  });

  it('keeps its picture, which no page shows yet', async () => {
    const file = new Blob(
      ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'],
      {
        type: 'image/svg+xml',
      },
    );
    const upload = (kind: 'logo' | 'favicon') =>
      product.call(uploadImage, { params: acme.params, query: { kind }, file }, acme.owner);
    const { url } = await upload('logo');
    await save({ content: content({ logo: url }) });
    await product.testDatabase.owner.query(`update images set created_at = now() - interval '9 days'`);
    await upload('favicon');
    expect((await publish({ logo: url })).logo).toBe(url);
  });
});

describe('publishing', () => {
  it('with the revision of the draft ends it', async () => {
    await save({ content: content({ name: 'New' }) });
    await publish({ name: 'New', version: 1, draft_revision: 1 });
    expect(await draft()).toBeNull();
    expect((await publicPage()).name).toBe('New');
  });

  it('with the revision of an outdated draft is refused, and changes nothing: 409', async () => {
    await save({});
    await save({ revision: 1, content: content({ name: 'Theirs' }) }, colleague);
    const before = await readRows(product.testDatabase.owner);
    for (const draft_revision of [1, null]) {
      const body = { name: 'Mine', custom_path: 'preferences', version: 1, draft_revision };
      const refused = await product.refuse(replacePreferencePage, { params: at(), body }, acme.owner);
      expect(refused).toMatchObject({
        status: 409,
        data: { draft: { revision: 2, saved_by: { id: colleague.id } } },
      });
    }
    expect(await readRows(product.testDatabase.owner)).toEqual(before);
  });

  it('without mentioning the draft leaves it, and the next person to edit it is told', async () => {
    await save({ content: content({ name: 'Draft' }) });
    await publish({ name: 'By API' });
    expect((await draft())?.content.name).toBe('Draft');
    expect(await refusedSave({ revision: 1 })).toMatchObject({ status: 409, data: { version: 2 } });
    expect(await save({ revision: 1, base_version: 2 })).toMatchObject({ revision: 2, base_version: 2 });
  });
});

describe('the history', () => {
  it('begins with the creation of the page, and names who and what changed, newest first', async () => {
    await publish({ name: 'Two', lists: [{ id: acme.offers.id, name: 'Deals' }] }, colleague);
    await publish({
      name: 'Two',
      lists: [{ createId: 'n', name: 'Events' }, { id: acme.offers.id }],
      attrs: { primary_color: '#112233' },
    });
    const all = await versions();
    expect(all.map((one) => [one.version, one.saved_by?.id])).toEqual([
      [3, acme.owner.id],
      [2, colleague.id],
      [1, acme.owner.id],
    ]);
    expect(all.map(({ changes }) => changes)).toEqual([
      [
        { what: 'primary_color', lists: [] },
        { what: 'lists_added', lists: ['Events'] },
      ],
      [
        { what: 'name', lists: [] },
        { what: 'allow_customer_create', lists: [] },
        { what: 'lists_removed', lists: ['Weekly news'] },
        { what: 'lists_words', lists: ['Deals'] },
      ],
      [],
    ]);
  });

  it('tells a new order from new lists, and leaves out a save that changes nothing', async () => {
    const lists = acme.page.lists.map(({ id }) => ({ id }));
    const same = { allow_customer_create: true };
    await publish({ ...same, lists: lists.toReversed() });
    await publish({ ...same, lists: lists.toReversed() });
    expect((await versions()).map(({ changes }) => changes)).toEqual([
      [{ what: 'lists_order', lists: [] }],
      [],
    ]);
  });

  it('keeps the texts of a version as they were then', async () => {
    await publish({ name: 'Two', lists: [{ id: acme.weekly.id, name: 'Monthly' }] });
    expect((await version(1)).content).toMatchObject({
      name: 'Acme',
      custom_path: 'preferences',
      lists: [
        { id: acme.weekly.id, name: 'Weekly news', show_order: 0 },
        { id: acme.offers.id, name: 'Offers', show_order: 1 },
      ],
    });
    expect((await version(2)).content).toMatchObject({ name: 'Two', lists: [{ name: 'Monthly' }] });
  });

  it('includes what was published before there was a history', async () => {
    await product.testDatabase.owner.query('delete from page_versions where site_id = $1', [acme.site.id]);
    expect(await versions()).toEqual([]);
    await publish({ name: 'Two', allow_customer_create: true });
    expect(await versions()).toMatchObject([
      { version: 2, changes: [{ what: 'name' }] },
      { version: 1, saved_by: null, changes: [] },
    ]);
    expect((await version(1)).content.name).toBe('Acme');
  });

  it(`keeps the last ${KEPT_VERSIONS} versions`, async () => {
    await product.testDatabase.owner.query(`update preference_pages set version = 60 where id = $1`, [
      acme.page.id,
    ]);
    await product.testDatabase.owner.query(
      `insert into page_versions select site_id, page_id, number, content, changes, saved_by, saved_at
       from page_versions, generate_series(2, 60) as number where page_id = $1`,
      [acme.page.id],
    );
    await publish({ name: 'Newest' });
    const kept = (await versions()).map((one) => one.version);
    expect(kept).toHaveLength(KEPT_VERSIONS);
    expect([kept[0], kept.at(-1)]).toEqual([61, 12]);
  });

  it('answers 404 for a version that is not stored, and for the page of another site', async () => {
    const other = { ...acme.params, id: first.page.id };
    expect(await product.refuse(listPageVersions, { params: other }, acme.owner)).toMatchObject({
      status: 404,
    });
    for (const number of [7, 2_147_483_647]) {
      const refused = await product.refuse(
        getPageVersion,
        { params: { ...at(), version: number } },
        acme.owner,
      );
      expect(refused.status).toBe(404);
    }
  });
});

describe('a preview link for an owner', () => {
  const send = (id = acme.page.id) =>
    product.call(sendOwnLink, { params: { ...acme.params, id } }, acme.owner);

  /** Mails of the tests before, with links to other sites, may arrive late. */
  const mails = () => mailServer.mails.filter(({ text }) => text?.includes(acme.site.url));

  it('comes by email, opens the page, and makes the owner a customer, created by an owner', async () => {
    expect(await send()).toEqual({ email: acme.owner.email });
    await expect.poll(() => mails().length, { timeout: 10_000 }).toBe(1);
    const [mail] = mails();
    expect(mail?.to).toMatchObject([{ address: acme.owner.email }]);
    expect(mail?.text).toMatch(new RegExp(`${acme.site.url}/preferences\\?challenge=`));
    const { results } = await product.call(
      listCustomers,
      { params: acme.params, query: { search: acme.owner.email } },
      acme.owner,
    );
    const [customer] = results;
    const evidence = await product.call(
      listCustomerEvidence,
      { params: { ...acme.params, id: customer?.id ?? '' } },
      acme.owner,
    );
    expect(evidence.results).toMatchObject([{ source: 'owner' }]);
  });

  it('creates no customer twice', async () => {
    await product.call(
      createCustomer,
      { params: acme.params, body: { email: acme.owner.email } },
      acme.owner,
    );
    await send();
    const { results } = await product.call(listCustomers, { params: acme.params }, acme.owner);
    expect(results).toHaveLength(1);
  });

  it('is sent five times an hour at most, on all sites together: 429', async () => {
    for (let sent = 0; sent < 5; sent += 1) await send();
    const other = await buildSite(product, first.owner, first.params.organization_id);
    const params = { ...other.params, id: other.page.id };
    expect(await product.refuse(sendOwnLink, { params }, other.owner)).toMatchObject({ status: 429 });
    const { results } = await product.call(listCustomers, { params: other.params }, other.owner);
    expect(results).toEqual([]);
  });

  it('to a page that does not exist answers 404', async () => {
    const params = { ...acme.params, id: first.page.id };
    expect(await product.refuse(sendOwnLink, { params }, acme.owner)).toMatchObject({ status: 404 });
    expect(await product.refuse(mintOwnLink, { params }, acme.owner)).toMatchObject({ status: 404 });
  });

  it('also works without an email, for one customer however often, and subscribes to nothing', async () => {
    const params = { ...acme.params, id: acme.page.id };
    const [{ preference_url: link }] = await Promise.all([
      product.call(mintOwnLink, { params }, acme.owner),
      product.call(mintOwnLink, { params }, acme.owner),
    ]);
    expect(link).toMatch(new RegExp(`^${acme.site.url}/preferences\\?challenge=`));
    const { results } = await product.call(listCustomers, { params: acme.params }, acme.owner);
    expect(results).toMatchObject([{ email: acme.owner.email, global_unsubscribe: false }]);
    const ofMine = { ...acme.params, id: results[0]?.id ?? '' };
    const lists = await product.call(getCustomerLists, { params: ofMine }, acme.owner);
    expect(lists.results.filter(({ subscribed }) => subscribed !== null)).toEqual([]);
    expect(mails()).toEqual([]);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction, listActions } from '#contract/actions.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { createCustomer } from '#contract/customers.ts';
import { createIntegration } from '#contract/integrations.ts';
import { createList, deleteList, listLists } from '#contract/lists.ts';
import { listPageVersions } from '#contract/page-drafts.ts';
import {
  createPreferencePage,
  deletePreferencePage,
  listPreferencePages,
} from '#contract/preference-pages.ts';
import { applyProposals, getProposals, type Proposals } from '#contract/proposals.ts';
import type { RouteCall } from '#contract/route.ts';
import { getCustomerPage, openCustomer, saveLists } from '#contract/public-preferences.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { type FakeTools, startFakeTools } from '#test/fakes/tools/all.ts';
import { createDeliveryWorkers, untilDone } from '#test/harness/delivery-workers.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';

let tools: FakeTools;
let product: TestProduct;
let first: World;
let site: World;

const workers = createDeliveryWorkers();

beforeAll(async () => {
  tools = await startFakeTools();
  const env = Object.fromEntries(tools.accounts.map(({ setting, url }) => [setting, url]));
  product = await startTestProduct({ env });
  first = await buildWorld(product);
});

/** Ours and those of the tools. */
async function freshLimits(): Promise<void> {
  await product.testDatabase.owner.query('delete from rate_limits');
  await product.testDatabase.owner.query('delete from tool_rate_limits');
}

/** A site without lists and pages. */
beforeEach(async () => {
  await freshLimits();
  const { owner, params } = first;
  site = await buildSite(product, owner, params.organization_id);
  for (const { id } of [site.weekly, site.offers]) {
    await product.call(deleteList, { params: { ...site.params, id } }, owner);
  }
  await product.call(deletePreferencePage, { params: { ...site.params, id: site.page.id } }, owner);
});

afterEach(() => workers.stopAll());

afterAll(async () => {
  await product.stop();
  await tools.close();
});

async function connect(provider: string): Promise<string> {
  const credentials = tools.fakes[provider]?.credentials ?? {};
  const body = { provider, credentials };
  return (await product.call(createIntegration, { params: site.params, body }, site.owner)).id;
}

const read = (id: string) => product.call(getProposals, { params: { ...site.params, id } }, site.owner);

type Applied = RouteCall<typeof applyProposals>['body'];

const apply = (id: string, create: Applied['create'], links: Applied['links'] = []) =>
  product.call(applyProposals, { params: { ...site.params, id }, body: { create, links } }, site.owner);

const linesOf = ({ lists, page, languages, actions }: Proposals) =>
  [...lists.flatMap((list) => [list, ...list.actions]), page, languages, ...actions].flatMap(
    (one) => one ?? [],
  );

/** What an owner creates who leaves nothing certain out. */
const chosen = (proposals: Proposals) =>
  linesOf(proposals).flatMap(({ key, exists, doubt }) =>
    !exists && (doubt === null || doubt === 'shown' || doubt === 'deletes') ? [{ key }] : [],
  );

const listsOfSite = async () => (await product.call(listLists, { params: site.params }, site.owner)).results;
const actionsOfSite = async () =>
  (await product.call(listActions, { params: site.params }, site.owner)).results;
const pagesOfSite = async () =>
  (await product.call(listPreferencePages, { params: site.params }, site.owner)).results;

/** A customer chooses one list on the page that was created, and nothing of it is left to be sent. */
async function choose(email: string, listName: string, subscribed: boolean): Promise<void> {
  const [page] = await pagesOfSite();
  const list = page?.lists.find(({ name }) => name === listName);
  const custom_path = page?.custom_path ?? '';
  const opened = await product.call(openCustomer, { body: { email, custom_path } }, site.visitor);
  await product.call(
    saveLists,
    { params: { customerId: opened.id }, body: [{ notification_list_id: list?.id ?? '', subscribed }] },
    site.visitor,
  );
  const worker = workers.answering(product);
  await untilDone(product, site.params.site_id);
  await worker.stop();
}

interface Journey {
  provider: string;
  kind: 'lists' | 'suppression_groups';
  /** Whether to be held by the tool is to get its mail. */
  holdsSubscribers: boolean;
  prepare: (fake: FakeTool) => { id: string };
}

const named = (fake: FakeTool, kind: Journey['kind'], name: string, at = 0) => {
  const made = fake.addResources(kind, at + 1)[at];
  if (made === undefined) throw new Error('The fake made none');
  fake.rename?.(kind, made.id, name);
  return made;
};

const JOURNEYS: Journey[] = [
  // Every second list that the stand-in makes is a group of its first audience.
  {
    provider: 'mailchimp',
    kind: 'lists',
    holdsSubscribers: true,
    prepare: (fake) => named(fake, 'lists', 'Trail news', 1),
  },
  {
    provider: 'sendgrid',
    kind: 'suppression_groups',
    holdsSubscribers: false,
    prepare: (fake) => named(fake, 'suppression_groups', 'Trail news'),
  },
  {
    provider: 'hubspot',
    kind: 'suppression_groups',
    holdsSubscribers: false,
    prepare: (fake) => named(fake, 'suppression_groups', 'Trail news'),
  },
  {
    provider: 'brevo',
    kind: 'lists',
    holdsSubscribers: true,
    prepare: (fake) => fake.addResources('lists', 1)[0] ?? { id: '' },
  },
];

describe.each(JOURNEYS)('proposals from $provider', ({ provider, kind, holdsSubscribers, prepare }) => {
  it('that are chosen are created at once, and a choice on the page then arrives in the right place', async () => {
    const fake = tools.fakes[provider];
    if (fake === undefined) throw new Error(`There is no ${provider}`);
    const { id: resource } = prepare(fake);
    const id = await connect(provider);
    const proposals = await read(id);
    const row = proposals.lists.find((list) => list.resources.some((one) => one.id === resource));
    expect(row).toMatchObject({ id: null, ticked: true, exists: false });

    const created = await apply(id, chosen(proposals));
    expect(created.skipped).toBe(0);
    expect(created.lists.map(({ name }) => name)).toContain(row?.name);
    expect(created.page).toMatchObject({ name: site.site.name });

    const email = `vera-${provider}@example.com`;
    fake.addContact(email);
    await product.call(createCustomer, { params: site.params, body: { email } }, site.owner);
    await choose(email, row?.name ?? '', true);
    expect(fake.holds(email)?.[kind]?.includes(resource)).toBe(holdsSubscribers);
    await choose(email, row?.name ?? '', false);
    expect(fake.holds(email)?.[kind]?.includes(resource) ?? false).toBe(!holdsSubscribers);

    const again = await read(id);
    expect(chosen(again)).toEqual([]);
    expect(again.lists.find((list) => list.resources.some((one) => one.id === resource))).toMatchObject({
      exists: true,
      name: row?.name,
    });
  });
});

describe('creating proposals', () => {
  it('twice at the same time, or again, creates them once', async () => {
    const id = await connect('sendgrid');
    const keys = chosen(await read(id));
    const [one, other] = await Promise.all([apply(id, keys), apply(id, keys)]);
    const third = await apply(id, keys);
    expect([one.skipped, other.skipped].toSorted((a, b) => a - b)).toEqual([0, keys.length]);
    expect(third).toEqual({ lists: [], page: null, extended_pages: [], actions: [], skipped: keys.length });
    const names = (await listsOfSite()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(await actionsOfSite()).toHaveLength(one.actions.length + other.actions.length);
    expect(await pagesOfSite()).toHaveLength(1);
  });

  it('while someone else adds one of the actions creates no second one', async () => {
    const id = await connect('sendgrid');
    const keys = chosen(await read(id));
    const [action] = (await apply(id, keys)).actions;
    const setGone = (at: string) =>
      `update actions set deleted_at = ${at} where site_id = '${site.params.site_id}' and id = '${action?.id ?? ''}'`;
    await product.testDatabase.owner.query(setGone('now()'));
    const adding = await product.testDatabase.owner.connect();
    const waiting = `select from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and not granted and datname = current_database()`;
    let applying: ReturnType<typeof apply>;
    try {
      await adding.query('begin');
      await adding.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `actions:${site.params.site_id}`,
      ]);
      await adding.query(setGone('null'));
      applying = apply(id, keys);
      await expect.poll(async () => (await product.testDatabase.owner.query(waiting)).rowCount).toBe(1);
      await adding.query('commit');
    } finally {
      adding.release(true);
    }
    expect(await applying).toMatchObject({ actions: [], skipped: keys.length });
  });

  it('creates only what was requested, and no action without its list', async () => {
    const id = await connect('sendgrid');
    const { lists } = await read(id);
    const [offers, other] = lists.filter((list) => list.ticked);
    const create = [offers?.key, offers?.actions[1]?.key, other?.actions[0]?.key, 'list:lists:gone'];
    const created = await apply(
      id,
      create.flatMap((key) => (key === undefined ? [] : [{ key }])),
    );
    expect(created).toMatchObject({ lists: [{ name: offers?.name }], page: null, skipped: 2 });
    expect(created.actions).toHaveLength(1);
    const [action] = await actionsOfSite();
    expect(action).toMatchObject({
      type: 'suppression_group',
      operation: 'add',
      integration_id: id,
      enabled: true,
      trigger: { event: 'unsubscribed', list_ids: [created.lists[0]?.id] },
    });
  });

  it('links a list of the tool to the list that the owner chose, and finds it there again', async () => {
    const jobs = await product.call(createList, { params: site.params, body: { name: 'Jobs' } }, site.owner);
    const id = await connect('sendgrid');
    const before = await read(id);
    expect(before.site_lists).toEqual([{ id: jobs.id, name: 'Jobs', linked: false }]);
    const offers = before.lists.find(({ ticked }) => ticked);
    const keys = [offers, ...(offers?.actions ?? [])].flatMap((one) => (one ? [{ key: one.key }] : []));
    const links = [{ key: offers?.key ?? '', list_id: jobs.id }];
    expect(await apply(id, keys, links)).toMatchObject({ lists: [], actions: [{}, {}], skipped: 1 });
    const triggers = (await actionsOfSite()).map(({ trigger }) => trigger.list_ids);
    expect(triggers).toEqual([[jobs.id], [jobs.id]]);
    const after = await read(id);
    expect(after.site_lists).toMatchObject([{ linked: true }]);
    expect(after.lists.find(({ key }) => key === offers?.key)).toMatchObject({ id: jobs.id, exists: true });
    expect(await apply(id, keys, links)).toMatchObject({ lists: [], actions: [], skipped: 3 });
  });

  it('creates a new list instead of one whose name is taken, once, and only with an action', async () => {
    const id = await connect('sendgrid');
    const [offers] = (await read(id)).lists.filter(({ ticked }) => ticked);
    const name = offers?.name ?? '';
    const ours = await product.call(createList, { params: site.params, body: { name } }, site.owner);
    const links = [{ key: offers?.key ?? '', list_id: null }];
    const [list, action] = [{ key: offers?.key ?? '' }, { key: offers?.actions[0]?.key ?? '' }];
    expect(await apply(id, [list], links)).toMatchObject({ lists: [], skipped: 1 });
    const created = await apply(id, [list, action], links);
    expect(created).toMatchObject({ lists: [{ name }], actions: [{}], skipped: 0 });
    expect(await apply(id, [list, action], links)).toMatchObject({ lists: [], actions: [], skipped: 2 });
    expect((await listsOfSite()).map((one) => one.id)).toEqual([ours.id, created.lists[0]?.id]);
    const [only] = await actionsOfSite();
    expect(only?.trigger.list_ids).toEqual([created.lists[0]?.id]);
  });

  it('names a new list as the owner says, creates it once, and only with an action', async () => {
    const id = await connect('sendgrid');
    const [offers] = (await read(id)).lists.filter(({ ticked }) => ticked);
    const [list, action] = [
      { key: offers?.key ?? '', name: 'Named here' },
      { key: offers?.actions[0]?.key ?? '' },
    ];
    expect(await apply(id, [list])).toMatchObject({ lists: [], skipped: 1 });
    const created = await apply(id, [list, action]);
    expect(created).toMatchObject({ lists: [{ name: 'Named here' }], actions: [{}], skipped: 0 });
    expect(await apply(id, [list, action])).toMatchObject({ lists: [], actions: [], skipped: 2 });
    expect((await listsOfSite()).map(({ name }) => name)).toEqual(['Named here']);
  });

  it('skips what would be linked to a deleted list', async () => {
    const gone = await product.call(createList, { params: site.params, body: { name: 'Gone' } }, site.owner);
    await product.call(deleteList, { params: { ...site.params, id: gone.id } }, site.owner);
    const id = await connect('sendgrid');
    const [offers] = (await read(id)).lists.filter(({ ticked }) => ticked);
    const keys = [offers, ...(offers?.actions ?? [])].flatMap((one) => (one ? [{ key: one.key }] : []));
    const links = [{ key: offers?.key ?? '', list_id: gone.id }];
    expect(await apply(id, keys, links)).toMatchObject({ lists: [], actions: [], skipped: keys.length });
  });

  it('names actions as the caller says, and records everything in the audit log and the history', async () => {
    const id = await connect('hubspot');
    const proposals = await read(id);
    const action = proposals.lists.find((list) => list.ticked)?.actions[0];
    const create = chosen(proposals).map(({ key }) =>
      key === action?.key ? { key, name: 'Vom Newsletter ab' } : { key },
    );
    const { page, lists, actions } = await apply(id, create);
    expect(actions.map(({ name }) => name)).toContain('Vom Newsletter ab');
    const versions = await product.call(
      listPageVersions,
      { params: { ...site.params, id: page?.id ?? '' } },
      site.owner,
    );
    expect(versions.results).toMatchObject([{ version: 1, saved_by: { id: site.owner.id } }]);
    const log = await product.call(listAuditLog, { params: site.params, query: { limit: 100 } }, site.owner);
    const of = (event: string, ids: string[]) =>
      log.results.filter((entry) => entry.event === event && ids.includes(entry.subject_id ?? ''));
    expect(
      of(
        'list.created',
        lists.map((one) => one.id),
      ),
    ).toHaveLength(lists.length);
    expect(
      of(
        'action.created',
        actions.map((one) => one.id),
      ),
    ).toHaveLength(actions.length);
  });

  it('creates all or nothing: with one too many of anything, nothing is created', async () => {
    const id = await connect('sendgrid');
    const keys = chosen(await read(id));
    const trigger = { event: 'customer_created' as const };
    const target = { url: 'https://shop.example/hook' };
    const body = { type: 'webhook' as const, name: 'Filler', trigger, target, enabled: false };
    const filler = await product.call(createAction, { params: site.params, body }, site.owner);
    await product.testDatabase.owner.query(
      `insert into actions (site_id, id, type, name, enabled, event, list_ids, target, created_at, updated_at)
       select site_id, gen_random_uuid(), type, name, enabled, event, list_ids, target, created_at, updated_at
       from actions, generate_series(1, 198) where id = $1 and site_id = $2`,
      [filler.id, site.params.site_id],
    );
    const error = await product.refuse(
      applyProposals,
      { params: { ...site.params, id }, body: { create: keys } },
      site.owner,
    );
    expect(error).toMatchObject({ errors: [{ code: 'limit_reached' }] });
    expect(await listsOfSite()).toEqual([]);
    expect(await pagesOfSite()).toEqual([]);
  });

  it('creates no page with a list that is on by default though it needs consent', async () => {
    const body = { name: 'Jobs', subscription_default_state: true, legal_basis: 'consent' as const };
    await product.call(createList, { params: site.params, body }, site.owner);
    const id = await connect('sendgrid');
    const create = chosen(await read(id));
    const error = await product.refuse(
      applyProposals,
      { params: { ...site.params, id }, body: { create } },
      site.owner,
    );
    expect(error).toMatchObject({ status: 422, errors: [{ code: 'checks_failed' }] });
    expect(error.data?.['checks']).toMatchObject([{ check: 'on_by_default', lists: ['Jobs'] }]);
    expect(await pagesOfSite()).toEqual([]);
    expect(await listsOfSite()).toHaveLength(1);
  });

  it('leaves a site’s own page and lists unchanged', async () => {
    const world = await buildSite(product, site.owner, site.params.organization_id);
    await product.call(createList, { params: world.params, body: { name: 'Events' } }, world.owner);
    site = world;
    const id = await connect('sendgrid');
    const proposals = await read(id);
    expect(proposals.page).toMatchObject({ exists: true });
    expect(proposals.languages).toBeNull();
    expect(proposals.lists.find(({ name }) => name === 'Events')).toMatchObject({ exists: true });
    await apply(
      id,
      linesOf(proposals).map(({ key }) => ({ key })),
    );
    const names = (await listsOfSite()).map(({ name }) => name);
    expect(names.filter((name) => name === 'Events')).toHaveLength(1);
    const [page, ...others] = await pagesOfSite();
    expect(others).toEqual([]);
    expect(page?.lists).toHaveLength(2);
  });
});

describe('an existing page', () => {
  const newPage = async (name: string, lists: { id: string }[] = []) =>
    product.call(
      createPreferencePage,
      { params: site.params, body: { name, custom_path: name.toLowerCase(), lists } },
      site.owner,
    );
  const shownOn = async (id: string) =>
    (await pagesOfSite()).find((page) => page.id === id)?.lists.map(({ name }) => name);

  it('shows new lists below its own, in a version of its own, once', async () => {
    const jobs = await product.call(createList, { params: site.params, body: { name: 'Jobs' } }, site.owner);
    const page = await newPage('Acme', [{ id: jobs.id }]);
    const id = await connect('sendgrid');
    const proposals = await read(id);
    expect(proposals.pages).toEqual([{ key: `page:${page.id}`, id: page.id, name: 'Acme' }]);
    const keys = [...chosen(proposals), { key: `page:${page.id}` }];
    const created = await apply(id, keys);
    expect(created).toMatchObject({ page: null, skipped: 0 });
    expect(created.extended_pages).toEqual([{ id: page.id, name: 'Acme', url: page.url }]);
    const shown = ['Jobs', ...created.lists.map(({ name }) => name)];
    expect(shown.length).toBeGreaterThan(1);
    expect(await shownOn(page.id)).toEqual(shown);
    const opened = await product.call(
      openCustomer,
      { body: { email: (await buildCustomer(product, site)).email, custom_path: 'acme' } },
      site.visitor,
    );
    const params = { customerId: opened.id, custom_path: 'acme' };
    const { lists } = await product.call(getCustomerPage, { params }, site.visitor);
    expect(lists.map(({ name }) => name)).toEqual(shown);

    const ofPage = { params: { ...site.params, id: page.id } };
    const versions = await product.call(listPageVersions, ofPage, site.owner);
    expect(versions.results).toMatchObject([
      { version: 2, saved_by: { id: site.owner.id }, changes: [{ what: 'lists_added' }] },
      { version: 1 },
    ]);
    const log = await product.call(listAuditLog, { params: site.params, query: { limit: 100 } }, site.owner);
    const changes = log.results.filter(({ event }) => event === 'page.changed');
    expect(changes).toMatchObject([{ subject_id: page.id }]);

    expect(await apply(id, keys)).toMatchObject({ extended_pages: [], skipped: keys.length });
    expect(await shownOn(page.id)).toEqual(shown);
  });

  it('stays unchanged where that isn’t requested, or no list is created', async () => {
    const page = await newPage('Acme');
    const id = await connect('sendgrid');
    const proposals = await read(id);
    expect(await apply(id, [{ key: `page:${page.id}` }])).toMatchObject({ extended_pages: [], skipped: 1 });
    expect(await apply(id, chosen(proposals))).toMatchObject({ extended_pages: [], skipped: 0 });
    expect(await shownOn(page.id)).toEqual([]);
  });

  it('out of several is offered only if it shows lists', async () => {
    const jobs = await product.call(createList, { params: site.params, body: { name: 'Jobs' } }, site.owner);
    const [main, dealers] = [
      await newPage('Acme', [{ id: jobs.id }]),
      await newPage('Dealers', [{ id: jobs.id }]),
    ];
    await newPage('Thanks');
    const { pages } = await read(await connect('sendgrid'));
    expect(pages.map((page) => page.id)).toEqual([main.id, dealers.id]);
  });

  it('in a language that the new lists lack is extended only with a reason, which the audit log keeps', async () => {
    const translations = [{ language: 'de' as const, name: 'Stellen' }];
    const jobs = await product.call(
      createList,
      { params: site.params, body: { name: 'Jobs', translations } },
      site.owner,
    );
    const body = {
      name: 'Acme',
      custom_path: 'acme',
      active_languages: ['de' as const],
      lists: [{ id: jobs.id }],
    };
    const page = await product.call(createPreferencePage, { params: site.params, body }, site.owner);
    const id = await connect('sendgrid');
    const create = [...chosen(await read(id)), { key: `page:${page.id}` }];
    const params = { ...site.params, id };
    const error = await product.refuse(applyProposals, { params, body: { create } }, site.owner);
    expect(error).toMatchObject({ status: 422, errors: [{ code: 'checks_failed' }] });
    expect(error.data?.['checks']).toMatchObject([
      { check: 'untranslated', language: 'de', pages: ['Acme'] },
    ]);
    expect(await listsOfSite()).toHaveLength(1);
    expect(await shownOn(page.id)).toEqual(['Jobs']);

    const override = { reason: 'The translations follow.' };
    const created = await product.call(applyProposals, { params, body: { create, override } }, site.owner);
    expect(created.extended_pages).toMatchObject([{ id: page.id }]);
    const log = await product.call(listAuditLog, { params: site.params, query: { limit: 100 } }, site.owner);
    expect(log.results.filter(({ event }) => event === 'page.checks_overridden')).toMatchObject([
      { subject_id: page.id, checks: ['untranslated'], ...override },
    ]);
  });

  it('that is full is named, and nothing is created', async () => {
    const lists = await Promise.all(
      Array.from({ length: 50 }, async (_, at) =>
        product.call(createList, { params: site.params, body: { name: `Topic ${at}` } }, site.owner),
      ),
    );
    const page = await newPage(
      'Full',
      lists.map(({ id }) => ({ id })),
    );
    const id = await connect('sendgrid');
    const create = [...chosen(await read(id)), { key: `page:${page.id}` }];
    const params = { ...site.params, id };
    const error = await product.refuse(applyProposals, { params, body: { create } }, site.owner);
    expect(error).toMatchObject({ errors: [{ code: 'limit_reached' }] });
    expect(error.errors[0]?.message).toContain('"Full"');
    expect(await listsOfSite()).toHaveLength(50);
    expect(await actionsOfSite()).toEqual([]);
  });
});

describe('a tool', () => {
  it.each([
    ['that is away', { status: 503, body: '{}' }, 'unavailable'],
    [
      'that allows no more calls',
      { status: 429, headers: { 'retry-after': '30' }, body: '{}' },
      'unavailable',
    ],
    ['that talks nonsense', { status: 200, body: '<html>' }, 'unavailable'],
    ['that refuses the key', { status: 401, body: '{}' }, 'credentials_refused'],
  ] as const)('%s is reported as such, and nothing is created', async (_what, trouble, code) => {
    const id = await connect('sendgrid');
    const keys = chosen(await read(id));
    tools.sendgrid.trouble(trouble, 2);
    const params = { ...site.params, id };
    expect(await product.refuse(getProposals, { params }, site.owner)).toMatchObject({ errors: [{ code }] });
    await freshLimits();
    tools.sendgrid.calm();
    tools.sendgrid.trouble(trouble, 2);
    const refused = await product.refuse(applyProposals, { params, body: { create: keys } }, site.owner);
    expect(refused).toMatchObject({ errors: [{ code }] });
    tools.sendgrid.calm();
    await freshLimits();
    expect(await listsOfSite()).toEqual([]);
  });
});

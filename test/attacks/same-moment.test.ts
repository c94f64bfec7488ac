import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { ApiError } from '#contract/client.ts';
import { uploadImport } from '#contract/imports.ts';
import { createList, listLists } from '#contract/lists.ts';
import { inviteMember } from '#contract/members.ts';
import { createOrganization } from '#contract/organizations.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { createSite, listSites } from '#contract/sites.ts';
import { findConnector } from '#server/connectors/index.ts';
import { AppError } from '#server/platform/errors.ts';
import { saveNewIntegration } from '#server/sync/tool-setup/tool-setup.ts';
import { csv } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildOwner,
  buildSite,
  buildWebhook,
  buildWorld,
  openAsProven,
  type World,
} from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

const some = () => randomBytes(5).toString('hex');

/** What became of calls made at the same moment: how many were done, and with which codes the others were refused. */
async function outcomesOf(calls: readonly Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const codes = refused.map((error) => {
    if (error instanceof AppError) return error.code;
    if (error instanceof ApiError) return error.errors[0]?.code ?? String(error.status);
    throw error;
  });
  return { done: settled.length - refused.length, codes: [...new Set(codes)] };
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('simultaneous calls', () => {
  it('create forty different sites by forty requests, each answered with its own', async () => {
    const { organization_id } = world.params;
    const before = await product.call(listSites, { params: { organization_id } }, world.owner);
    const names = times(40, (n) => `many-${n}-${some()}`);
    const made = await Promise.all(
      names.map((name) =>
        product.call(
          createSite,
          { params: { organization_id }, body: { domain_name: name, name } },
          world.owner,
        ),
      ),
    );
    expect(made.map(({ name }) => name)).toEqual(names);
    const after = await product.call(listSites, { params: { organization_id } }, world.owner);
    expect(after.results).toHaveLength(before.results.length + 40);
  });

  it('create sixty lists one after the other, and none is refused', async () => {
    const { params } = await buildSite(product, world.owner, world.params.organization_id);
    const calls = times(60, (n) =>
      product.call(createList, { params, body: { name: `List ${n}` } }, world.owner),
    );
    expect(await outcomesOf(calls)).toEqual({ done: 60, codes: [] });
    const { results } = await product.call(listLists, { params }, world.owner);
    expect(new Set(results.map((list) => list.show_order)).size).toBe(62);
  });

  it('with the same name create one site, and one organization', async () => {
    const { organization_id } = world.params;
    const name = `same-${some()}`;
    const site = () =>
      product.call(
        createSite,
        { params: { organization_id }, body: { domain_name: name, name } },
        world.owner,
      );
    expect(await outcomesOf(times(8, site))).toEqual({ done: 1, codes: ['domain_taken'] });
    const owner = await buildOwner(product);
    const organization = () => product.call(createOrganization, { body: { name } }, owner);
    expect(await outcomesOf(times(8, organization))).toEqual({ done: 1, codes: ['name_taken'] });
  });
});

describe('a limit holds for simultaneous calls', () => {
  const LIMITED = { done: 3, codes: ['limit_reached'] };
  const owner = () => product.testDatabase.owner;

  /** Rows like a known one, in place of as many calls. */
  async function fill(table: string, id: string, count: number, changes: string): Promise<void> {
    await owner().query(
      `insert into ${table}
       select (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), ${changes}))).*
       from ${table} one, generate_series(1, $2) as n where one.id = $1`,
      [id, count],
    );
  }

  it('for 50 keys of a site', async () => {
    const { params } = await buildSite(product, world.owner, world.params.organization_id);
    const body = { name: 'Key', scopes: ['read' as const] };
    const make = () => product.call(createApiKey, { params, body }, world.owner);
    const { id } = await make();
    await fill('api_keys', id, 46, `'key_hash', '\\x' || md5(n::text)`);
    expect(await outcomesOf(times(10, make))).toEqual(LIMITED);
    expect((await product.call(listApiKeys, { params }, world.owner)).results).toHaveLength(50);
  });

  it('for 20 organizations of an account', async () => {
    const user = await buildOwner(product);
    const make = () => product.call(createOrganization, { body: { name: `Org ${some()}` } }, user);
    for (let n = 0; n < 17; n += 1) await make();
    expect(await outcomesOf(times(10, make))).toEqual(LIMITED);
  });

  it('for 200 sites of an organization', async () => {
    const other = await buildWorld(product, 'many');
    const { organization_id } = other.params;
    await fill('sites', other.site.id, 196, `'name', 'Site ' || n`);
    await owner().query(
      `insert into host_names (host, site_id, kind, created_at)
       select 'site-' || id || '.localhost', id, 'subdomain', created_at from sites
       where organization_id = $1 and id <> $2`,
      [organization_id, other.site.id],
    );
    const make = () => {
      const name = `one-${some()}`;
      return product.call(
        createSite,
        { params: { organization_id }, body: { domain_name: name, name } },
        other.owner,
      );
    };
    expect(await outcomesOf(times(10, make))).toEqual(LIMITED);
  });

  it('for 200 members and invitations of an organization', async () => {
    const other = await buildWorld(product, 'crowd');
    const make = () => {
      const body = { email: `${some()}@example.com`, role: 'viewer' as const };
      return product.call(inviteMember, { params: other.params, body }, other.owner);
    };
    const { id } = await make();
    await fill('invitations', id, 195, `'email_key', n || '@x.example', 'token_hash', '\\x' || md5(n::text)`);
    expect(await outcomesOf(times(10, make))).toEqual(LIMITED);
  });

  it('for 200 lists, 100 pages, 200 actions, 50 integrations and 10 open imports of a site', async () => {
    const { params, weekly, page } = await buildSite(product, world.owner, world.params.organization_id);
    await fill('lists', weekly.id, 195, `'show_order', 10 + n`);
    const list = () => product.call(createList, { params, body: { name: 'List' } }, world.owner);
    expect(await outcomesOf(times(10, list))).toEqual(LIMITED);

    await fill('preference_pages', page.id, 96, `'custom_path', 'page-' || n`);
    const newPage = () => {
      const body = { name: 'Page', custom_path: `path-${some()}`, lists: [] };
      return product.call(createPreferencePage, { params, body }, world.owner);
    };
    expect(await outcomesOf(times(10, newPage))).toEqual(LIMITED);

    const newAction = () => buildWebhook(product, { ...world, params }, { url: 'http://127.0.0.1:9/hook' });
    const { id } = await newAction();
    await fill('actions', id, 196, `'name', 'Action ' || n`);
    expect(await outcomesOf(times(10, newAction))).toEqual(LIMITED);

    const connector = findConnector('brevo') ?? expect.unreachable();
    const accepted = {
      connector,
      account: { id: 'acme', name: 'Acme' },
      auth: { kind: 'credentials', credentials: { api_key: 'made up' } },
    } as const;
    const connect = () => saveNewIntegration(product.services, params.site_id, accepted, null);
    const integration = await connect();
    await fill('integrations', integration.id, 46, `'name', 'Tool ' || n`);
    expect(await outcomesOf(times(10, connect))).toEqual(LIMITED);

    const upload = () => {
      const file = csv('email', 'a@example.com');
      return product.call(uploadImport, { params, query: { file_name: 'a.csv' }, file }, world.owner);
    };
    for (let n = 0; n < 7; n += 1) await upload();
    expect(await outcomesOf(times(10, upload))).toEqual(LIMITED);
  });
});

describe('a save id', () => {
  const choose = (weekly: boolean) => [{ notification_list_id: world.weekly.id, subscribed: weekly }];

  it('that is repeated with the same body gets the first save, and with another one 409', async () => {
    const params = { customerId: await openAsProven(product, world, await buildCustomer(product, world)) };
    const headers = { 'idempotency-key': `save-${some()}` };
    const save = (body: ReturnType<typeof choose>) =>
      product.call(saveLists, { params, body, headers }, world.visitor);
    const first = await save(choose(false));
    expect((await save(choose(false))).choice_id).toBe(first.choice_id);
    await expect(save(choose(true))).rejects.toMatchObject({
      status: 409,
      errors: [{ code: 'conflict', field: 'idempotency-key' }],
    });
    const other = { params, headers, body: { global_unsubscribe: true } };
    await expect(product.call(updatePublicCustomer, other, world.visitor)).rejects.toMatchObject({
      status: 409,
    });
    const { rows } = await product.testDatabase.owner.query(`select 1 from choices where save_id = $1`, [
      headers['idempotency-key'],
    ]);
    expect(rows).toHaveLength(1);
  });

  it('with two bodies at the same moment is one save and one 409', async () => {
    const params = { customerId: await openAsProven(product, world, await buildCustomer(product, world)) };
    const headers = { 'idempotency-key': `save-${some()}` };
    const leaving = product.call(saveLists, { params, body: choose(false), headers }, world.visitor);
    const everything = product.call(
      updatePublicCustomer,
      { params, body: { global_unsubscribe: true }, headers },
      world.visitor,
    );
    expect(await outcomesOf([leaving, everything])).toEqual({ done: 1, codes: ['conflict'] });
  });
});

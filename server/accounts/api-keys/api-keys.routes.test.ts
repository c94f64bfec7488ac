import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey, listApiKeys, revokeApiKey } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { listCustomerEvidence } from '#contract/choices.ts';
import { createCustomer, listCustomers, mintLinks, updateCustomer } from '#contract/customers.ts';
import { createList, listLists } from '#contract/lists.ts';
import type { KeyScope } from '#contract/roles.ts';
import { rawRequest } from '#test/harness/http.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { recordKeyUse } from './api-keys.sql.ts';
import { saveKeyUses } from './key-uses.ts';
import { buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';

let product: TestProduct;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  acme = await buildWorld(product);
});

const HOUR_MS = 3_600_000;

async function make(scopes: KeyScope[], expires_at?: string) {
  const body = { name: 'Shop', scopes, ...(expires_at === undefined ? {} : { expires_at }) };
  return product.call(createApiKey, { params: acme.params, body }, acme.owner);
}

const keys = async () => (await product.call(listApiKeys, { params: acme.params }, acme.owner)).results;

const REFUSED = { status: 401, errors: [{ code: 'token_not_valid' }] };

describe('an API key', () => {
  it('lets a developer find, create and link customers', async () => {
    const { key } = await make(['customers']);
    expect(key).toMatch(/^sk_[\w-]{43}$/);
    const as = { token: key };
    const body = { email: 'vera@example.com' };
    const vera = await product.call(createCustomer, { params: acme.params, body }, as);
    const params = { ...acme.params, id: vera.id };
    const links = await product.call(mintLinks, { params, body: {} }, as);
    expect(links.headers['List-Unsubscribe']).toContain('/u/');
    const { organization_id, site_id } = acme.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/customers/${vera.id}/links`;
    expect(await rawRequest(product, 'POST', path, { as })).toMatchObject({ status: 201 });
    const found = await product.call(listCustomers, { params: acme.params, query: { search: 'vera' } }, as);
    expect(found.results.map(({ id }) => id)).toEqual([vera.id]);
  });

  it('is named in the evidence as the one that created and changed a customer', async () => {
    const as = { token: (await make(['customers'])).key };
    const created = await product.call(
      createCustomer,
      { params: acme.params, body: { email: 'keyed@example.com' } },
      as,
    );
    const params = { ...acme.params, id: created.id };
    await product.call(updateCustomer, { params, body: { global_unsubscribe: true } }, as);
    const { results } = await product.call(listCustomerEvidence, { params, query: {} }, acme.owner);
    expect(results).toMatchObject([
      { source: 'api', authority: 'api_key', global_unsubscribe: true },
      { source: 'api', authority: 'api_key', events: ['customer_created'] },
    ]);
  });

  it('that is missing gets an answer that explains how to send one', async () => {
    const { organization_id, site_id } = acme.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/lists`;
    const answer = await rawRequest(product, 'GET', path);
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({
      message: 'No access token or API key was sent. Send the header "Authorization: Bearer …".',
    });
  });

  it('is shown once and stored as a hash', async () => {
    const { key, ...shown } = await make(['read', 'write']);
    expect(shown).toMatchObject({
      name: 'Shop',
      scopes: ['read', 'write'],
      created_by: acme.owner.username,
      expires_at: null,
      last_changed_at: null,
      last_used_at: null,
    });
    expect(await keys()).toEqual([shown]);
    const rows = JSON.stringify(await readRows(product.testDatabase.owner));
    expect(rows).not.toContain(key);
    expect(rows).not.toContain(Buffer.from(key).toString('hex'));
  });

  it('appears by name in the audit log: created, what it changed, revoked', async () => {
    const { id, key } = await make(['write']);
    await product.call(createList, { params: acme.params, body: { name: 'By a key' } }, { token: key });
    await product.call(revokeApiKey, { params: { ...acme.params, id } }, acme.owner);
    const { results } = await product.call(listAuditLog, { params: acme.params }, acme.owner);
    expect(results.slice(0, 3)).toMatchObject([
      { event: 'api_key.revoked', subject_name: 'Shop', actor: { kind: 'user', id: acme.owner.id } },
      { event: 'list.created', subject_name: 'By a key', actor: { kind: 'api_key', id, name: 'Shop' } },
      { event: 'api_key.created', subject_name: 'Shop', actor: { kind: 'user', id: acme.owner.id } },
    ]);
    expect(JSON.stringify(results)).not.toContain(key);
  });

  it('without the scope answers 403 and names it', async () => {
    const as = { token: (await make(['read'])).key };
    await product.call(listLists, { params: acme.params }, as);
    const refused = await product.refuse(createList, { params: acme.params, body: { name: 'X' } }, as);
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'forbidden' }] });
    expect(refused.message).toBe('This API key needs the scope write. Create a key that has it.');
  });

  it('that calls too often gets its limit and the time to wait: 429', async () => {
    const { key } = await make(['write']);
    const body = { name: 'Weekly' };
    await product.call(createList, { params: acme.params, body }, { token: key });
    // As after 1,200 changes in this minute.
    const { rowCount } = await product.testDatabase.owner.query(
      `update rate_limits set points = 1200 where key like 'api-key:%'`,
    );
    expect(rowCount).toBe(1);
    const refused = await product.refuse(createList, { params: acme.params, body }, { token: key });
    expect(refused).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
    expect(refused.message).toMatch(
      /^This API key made more than 1,200 calls this minute\. Wait \d+ seconds? and try again\.$/,
    );
  });

  it('with all scopes cannot manage keys or members', async () => {
    const as = { token: (await make(['read', 'customers', 'write'])).key };
    const refused = await product.refuse(listApiKeys, { params: acme.params }, as);
    expect(refused).toMatchObject({
      status: 403,
      message: expect.stringContaining("API keys can't use this route"),
      data: { needs: [] },
    });
  });

  it('that was copied incompletely is rejected, and the answer suggests checking that first: 401', async () => {
    const { key } = await make(['read']);
    const refused = await product.refuse(listLists, { params: acme.params }, { token: key.slice(0, -1) });
    expect(refused).toMatchObject(REFUSED);
    expect(refused.message).toBe(
      "This API key isn't valid here. Check that it's complete, not expired or revoked, and belongs to this site.",
    );
  });

  it('is rejected at once after it was revoked: 401', async () => {
    const { key, id } = await make(['read']);
    await product.call(listLists, { params: acme.params }, { token: key });
    await product.call(revokeApiKey, { params: { ...acme.params, id } }, acme.owner);
    expect(await product.refuse(listLists, { params: acme.params }, { token: key })).toMatchObject(REFUSED);
    expect(await keys()).toEqual([]);
    const again = product.refuse(revokeApiKey, { params: { ...acme.params, id } }, acme.owner);
    expect((await again).status).toBe(404);
  });

  it('is rejected after it has expired: 401', async () => {
    const { key } = await make(['read'], new Date(product.clock.now().getTime() + HOUR_MS).toISOString());
    await product.call(listLists, { params: acme.params }, { token: key });
    product.clock.advance({ hours: 1 });
    expect(await product.refuse(listLists, { params: acme.params }, { token: key })).toMatchObject(REFUSED);
  });

  it('opens neither a sister site nor its own site under another organization: 401', async () => {
    const as = { token: (await make(['read'])).key };
    const sister = await buildSite(product, acme.owner, acme.params.organization_id);
    const globex = await buildWorld(product, 'globex');
    const { organization_id } = globex.params;
    for (const params of [sister.params, globex.params, { ...acme.params, organization_id }]) {
      expect(await product.refuse(listLists, { params }, as)).toMatchObject(REFUSED);
    }
  });

  it.each(['sk_', 'sk_x', `sk_${'a'.repeat(43)}`, `sk_${'a'.repeat(5000)}`])(
    'is not accepted in the form %s: 401',
    async (token) => {
      expect(await product.refuse(listLists, { params: acme.params }, { token })).toMatchObject(REFUSED);
    },
  );

  it('leaves a trace of what it changed, to the hour, and none of what it read', async () => {
    const { key } = await make(['read', 'write']);
    const as = { token: key };
    const before = await readRows(product.testDatabase.owner);
    await product.call(listLists, { params: acme.params }, as);
    expect(await readRows(product.testDatabase.owner)).toEqual(before);

    const lastChange = async () => {
      await logInAgain(product, acme.owner);
      return (await keys())[0]?.last_changed_at ?? '';
    };
    const add = (name: string) => product.call(createList, { params: acme.params, body: { name } }, as);
    await add('One');
    const first = await lastChange();
    expect(first).not.toBe('');
    product.clock.advance({ minutes: 30 });
    await add('Two');
    expect(await lastChange()).toBe(first);
    product.clock.advance({ minutes: 31 });
    await add('Three');
    expect(Date.parse(await lastChange()) - Date.parse(first)).toBeGreaterThan(HOUR_MS);
  });

  it('shows its last use to the hour, written later by a task and not by reading calls', async () => {
    const { key } = await make(['read']);
    const as = { token: key };
    const lastUse = async () => {
      await saveKeyUses(product.services);
      await logInAgain(product, acme.owner);
      return (await keys())[0]?.last_used_at ?? null;
    };
    expect(await lastUse()).toBeNull();
    const before = await readRows(product.testDatabase.owner);
    const at = product.clock.now().toISOString();
    await product.call(listLists, { params: acme.params }, as);
    await product.refuse(createList, { params: acme.params, body: { name: 'No' } }, as);
    expect(await readRows(product.testDatabase.owner)).toEqual(before);
    const first = (await lastUse()) ?? '';
    expect(Date.parse(first)).toBeGreaterThanOrEqual(Date.parse(at));
    product.clock.advance({ minutes: 30 });
    await product.call(listLists, { params: acme.params }, as);
    expect(await lastUse()).toBe(first);
    product.clock.advance({ minutes: 31 });
    await product.call(listLists, { params: acme.params }, as);
    expect(Date.parse((await lastUse()) ?? '') - Date.parse(first)).toBeGreaterThan(HOUR_MS);
    // An earlier use, noted by another process, takes nothing back.
    const latest = await lastUse();
    const [row] = await keys();
    await product.services.database.inSite(acme.params.site_id, (site) =>
      recordKeyUse(site, row?.id ?? '', new Date(first)),
    );
    expect(await lastUse()).toBe(latest);
  });

  it.each([
    [{ scopes: ['read'] }, 'name'],
    [{ name: '', scopes: ['read'] }, 'name'],
    [{ name: 'X', scopes: [] }, 'scopes'],
    [{ name: 'X', scopes: ['everything'] }, 'scopes.0'],
    [{ name: 'X', scopes: ['read', 'read'] }, 'scopes'],
    [{ name: 'X', scopes: ['read'], expires_at: 'soon' }, 'expires_at'],
    [{ name: 'X', scopes: ['read'], expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
  ])('from %j answers 422', async (body, field) => {
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/api-keys`;
    const answer = await rawRequest(product, 'POST', path, { as: acme.owner, body });
    expect(answer).toMatchObject({ status: 422, fields: [field] });
  });

  it('is one of at most fifty per site', async () => {
    for (let count = 0; count < 50; count += 1) await make(['read']);
    const body = { name: 'One more', scopes: ['read' as const] };
    const refused = await product.refuse(createApiKey, { params: acme.params, body }, acme.owner);
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'limit_reached' }] });
  });

  it('outlives the membership of its creator, until it is revoked', async () => {
    const admin = await buildMember(product, acme, 'admin');
    const body = { name: 'Shop', scopes: ['read' as const] };
    const { key } = await product.call(createApiKey, { params: acme.params, body }, admin);
    await product.testDatabase.owner.query('delete from members where user_id = $1', [admin.id]);
    await product.call(listLists, { params: acme.params }, { token: key });
  });
});

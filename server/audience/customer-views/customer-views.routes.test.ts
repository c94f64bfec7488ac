import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createCustomerView,
  deleteCustomerView,
  listCustomerViews,
  MAX_VIEWS_OF_SITE,
  updateCustomerView,
} from '#contract/customer-views.ts';
import type { CustomerFilter } from '#contract/customers.ts';
import { buildMember } from '#test/harness/members.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let acme: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

beforeEach(async () => {
  world = await buildSite(product, acme.owner, acme.params.organization_id);
});

const create = (name: string, filter: CustomerFilter = { state: 'bounced' }) =>
  product.call(createCustomerView, { params: world.params, body: { name, filter } }, world.owner);

const refuseCreate = (name: string, filter: CustomerFilter = { state: 'bounced' }) =>
  product.refuse(createCustomerView, { params: world.params, body: { name, filter } }, world.owner);

async function names(): Promise<string[]> {
  const { results } = await product.call(listCustomerViews, { params: world.params }, world.owner);
  return results.map(({ name }) => name);
}

const item = (id: string) => ({ params: { ...world.params, id } });

describe('a saved view', () => {
  it('can be created, read by name, renamed, given other filters and deleted', async () => {
    const filter: CustomerFilter = {
      receives_list_id: world.weekly.id,
      left_list_id: world.offers.id,
      state: 'active',
      added_since: '2026-01-01T00:00:00Z',
    };
    const readers = await create('Readers', filter);
    expect(readers).toMatchObject({ name: 'Readers', filter });
    await create('bounced');
    expect(await names()).toEqual(['bounced', 'Readers']);
    const renamed = await product.call(
      updateCustomerView,
      { ...item(readers.id), body: { name: 'A few' } },
      world.owner,
    );
    expect(renamed).toMatchObject({ name: 'A few', filter });
    const body = { filter: { state: 'paused' as const } };
    expect(await product.call(updateCustomerView, { ...item(readers.id), body }, world.owner)).toMatchObject({
      name: 'A few',
      filter: { state: 'paused' },
    });
    expect(await names()).toEqual(['A few', 'bounced']);
    await product.call(deleteCustomerView, item(readers.id), world.owner);
    expect(await names()).toEqual(['bounced']);
    expect((await product.refuse(deleteCustomerView, item(readers.id), world.owner)).status).toBe(404);
  });

  it('can be read by everyone in the team, and changed by editors only', async () => {
    const { id } = await create('Readers');
    const viewer = await buildMember(product, world, 'viewer');
    const { results } = await product.call(listCustomerViews, { params: world.params }, viewer);
    expect(results).toHaveLength(1);
    expect((await product.refuse(deleteCustomerView, item(id), viewer)).status).toBe(403);
    const editor = await buildMember(product, world, 'editor');
    await product.call(deleteCustomerView, item(id), editor);
  });

  it('has a name that is unique on the site, whatever its case: 409', async () => {
    const { id } = await create('Readers');
    expect(await refuseCreate(' READERS ')).toMatchObject({
      status: 409,
      errors: [{ code: 'name_taken', field: 'name' }],
    });
    const other = await create('Others');
    const taken = await product.refuse(
      updateCustomerView,
      { ...item(other.id), body: { name: 'readers' } },
      world.owner,
    );
    expect(taken.status).toBe(409);
    await product.call(updateCustomerView, { ...item(id), body: { name: 'readers' } }, world.owner);
    expect(await names()).toEqual(['Others', 'readers']);
  });

  it('is created once by parallel requests with one name', async () => {
    const { organization_id, site_id } = world.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/customer-views`;
    const body = { name: 'Readers', filter: { state: 'active' } };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => rawRequest(product, 'POST', path, { as: world.owner, body })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  it(`is one of ${MAX_VIEWS_OF_SITE} at most: 422`, async () => {
    for (let count = 0; count < MAX_VIEWS_OF_SITE; count += 1) await create(`View ${count}`);
    expect(await refuseCreate('One more')).toMatchObject({
      status: 422,
      message: 'A site can have up to 50 saved views. Delete one you no longer use.',
      errors: [{ code: 'limit_reached' }],
    });
    expect(await names()).toHaveLength(MAX_VIEWS_OF_SITE);
  });

  it.each<[object, string]>([
    [{ name: '', filter: { state: 'active' } }, 'name'],
    [{ name: 'x'.repeat(61), filter: { state: 'active' } }, 'name'],
    [{ name: 'Readers', filter: {} }, 'filter'],
    [{ name: 'Readers' }, 'filter'],
    [{ name: 'Readers', filter: { state: 'gone' } }, 'filter.state'],
    [{ name: 'Readers', filter: { added_since: 'yesterday' } }, 'filter.added_since'],
    // An address must not outlive its erasure here.
    [{ name: 'Readers', filter: { search: 'vera@example.com' } }, 'filter.search'],
  ])('with %j answers 422', async (body, field) => {
    const { organization_id, site_id } = world.params;
    const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/customer-views`;
    const answer = await rawRequest(product, 'POST', path, { as: world.owner, body });
    expect(answer.status).toBe(422);
    expect(answer.fields).toContain(field);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check } from '#contract/checkers.ts';
import { createOrganization, getOrganization } from '#contract/organizations.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, buildWorld, type Owner, type World } from '#test/harness/world.ts';

let product: TestProduct;
let nora: Owner;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildOwner(product);
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

function create(name: string, owner = nora) {
  return product.call(createOrganization, { body: { name } }, owner);
}

describe('an organization', () => {
  it('is created by its first member: 201 (spec 90)', async () => {
    const organization = await create('  Nora & Söhne  ');
    expect(organization).toEqual({
      id: organization.id,
      name: 'Nora & Söhne',
      sites: [],
      subscription: null,
      valid_until: null,
      is_valid: true,
      requires_second_factor: false,
    });
    expect(await product.call(getOrganization, { params: { id: organization.id } }, nora)).toEqual(
      organization,
    );
  });

  it('shows its sites (spec 90)', async () => {
    const organization = await product.call(
      getOrganization,
      { params: { id: acme.params.organization_id } },
      acme.owner,
    );
    expect(organization.sites).toEqual([acme.site]);
  });

  it('is no longer valid after its last day', async () => {
    const organization = await create('Expiring');
    await product.testDatabase.owner.query(
      `update organizations set valid_until = now() - interval '1 hour', subscription = 'Titan' where id = $1`,
      [organization.id],
    );
    const read = await product.call(getOrganization, { params: { id: organization.id } }, nora);
    expect(read).toMatchObject({ subscription: 'Titan', is_valid: false });
  });

  it('of others answers 404, like one that does not exist', async () => {
    for (const id of [acme.params.organization_id, '01900000-0000-7000-8000-000000000000', 'x']) {
      expect((await product.refuse(getOrganization, { params: { id } }, nora)).status).toBe(404);
    }
  });

  it('requires a session: 401', async () => {
    expect((await product.refuse(createOrganization, { body: { name: 'x' } })).status).toBe(401);
  });

  it.each(['Taken', 'TAKEN', '  taken ', 'T\u0061ken'])(
    'cannot be named %j, which is taken',
    async (name) => {
      await create('Taken').catch(() => null);
      expect(await product.refuse(createOrganization, { body: { name } }, nora)).toMatchObject({
        status: 409,
        message: 'This name is already taken',
        errors: [{ code: 'name_taken', field: 'name' }],
      });
    },
  );

  it('left without a site by its creator is handed back only to them, and its name is free for them', async () => {
    const { id } = await create('Left behind');
    const again = await product.refuse(createOrganization, { body: { name: ' left BEHIND ' } }, nora);
    expect(again).toMatchObject({ status: 409, data: { organization_id: id } });
    const theirs = await product.refuse(createOrganization, { body: { name: 'Left behind' } }, acme.owner);
    expect(theirs).toMatchObject({ status: 409, data: null });
    const query = { organization_name: 'Left behind' };
    expect((await product.call(check, { query }, nora))[0]?.error).toBe(false);
    expect((await product.call(check, { query }, acme.owner))[0]?.error).toBe(true);
    const finished = { body: { name: acme.site.name } };
    expect(await product.refuse(createOrganization, finished, acme.owner)).toMatchObject({
      status: 409,
      data: null,
    });
  });

  it('is created exactly once by several parallel requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        rawRequest(product, 'POST', '/api/core/v1/organizations', { as: nora, body: { name: 'Race' } }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it.each([
    [{ name: '' }, 'invalid_field', 'name'],
    [{ name: ' ' }, 'invalid_field', 'name'],
    [{ name: 'x'.repeat(101) }, 'invalid_field', 'name'],
    [{}, 'invalid_field', 'name'],
    [{ name: 'Fine', subscription: 'Titan' }, 'unknown_field', 'subscription'],
  ])('from %j answers 422', async (body, code, field) => {
    const answer = await rawRequest(product, 'POST', '/api/core/v1/organizations', { as: nora, body });
    expect(answer).toMatchObject({ status: 422, codes: [code], fields: [field] });
  });

  it('accepts a name of 100 characters', async () => {
    expect((await create('y'.repeat(100))).name).toHaveLength(100);
  });

  it('is one of at most twenty per account', async () => {
    const many = await buildOwner(product);
    for (let count = 0; count < 20; count += 1) await create(`${many.username} ${count}`, many);
    const refused = await product.refuse(createOrganization, { body: { name: 'One more' } }, many);
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'limit_reached' }] });
  });
});

describe('the name checker', () => {
  async function checked(query: string) {
    const answer = await rawRequest(product, 'GET', `/api/core/v1/checkers?${query}`, { as: nora });
    expect(answer.status).toBe(200);
    return answer.json as unknown;
  }

  it.each([
    ['organization_name=', true, 'This empty name is already taken'],
    ['organization_name=%20%20', true, 'This empty name is already taken'],
    ['organization_name=Free%20name', false, 'This name is available'],
    ['site_domain=free-name', false, 'This domain is available'],
    ['site_domain=Free-Name.localhost', false, 'This domain is available'],
    [
      'site_domain=',
      true,
      "'' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words",
    ],
    [
      'site_domain=-Nora',
      true,
      "'-Nora' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words",
    ],
    [
      'site_domain=a.b',
      true,
      "'a.b' is an invalid domain. The domain should only contain letters, numbers, and may contain dashes between words",
    ],
  ])('answers %s with the words of the spec', async (query, error, message) => {
    expect(await checked(query)).toEqual([{ error, message }]);
  });

  it('says that a name is reserved, beside the words of the spec', async () => {
    for (const name of ['admin', 'sayso-help', 'xn--cme-5ya']) {
      expect(await checked(`site_domain=${name}`)).toEqual([
        { error: true, message: 'This domain is already taken', reserved: true },
      ]);
    }
  });

  it('finds taken names, whatever their case (spec 92, 102)', async () => {
    const name = encodeURIComponent(acme.site.name.toUpperCase());
    expect(await checked(`organization_name=${name}`)).toEqual([
      { error: true, message: 'This name is already taken' },
    ]);
    for (const domain of [acme.site.domain_name, acme.site.name.toUpperCase()]) {
      expect(await checked(`site_domain=${domain}`)).toEqual([
        { error: true, message: 'This domain is already taken' },
      ]);
    }
  });

  it.each(['', 'organization_name=a&site_domain=b', 'name=x', `site_domain=${'x'.repeat(301)}`])(
    'answers 422 to "%s"',
    async (query) => {
      const answer = await rawRequest(product, 'GET', `/api/core/v1/checkers?${query}`, { as: nora });
      expect(answer.status).toBe(422);
    },
  );

  it.each(['organization_name=%00', 'site_domain=%00', 'organization_name=%ED%A0%80'])(
    'survives bytes that are not text (%s)',
    async (query) => {
      const answer = await rawRequest(product, 'GET', `/api/core/v1/checkers?${query}`, { as: nora });
      expect(answer.status).toBeLessThan(500);
    },
  );

  it('requires a session: 401', async () => {
    expect((await product.refuse(check, { query: { site_domain: 'x' } })).status).toBe(401);
  });

  it('answers 429 when somebody enumerates names', async () => {
    const walker = await buildOwner(product);
    const ask = () => rawRequest(product, 'GET', '/api/core/v1/checkers?site_domain=walk', { as: walker });
    for (let count = 0; count < 120; count += 1) await ask();
    expect(await ask()).toMatchObject({ status: 429, codes: ['rate_limited'] });
  });
});

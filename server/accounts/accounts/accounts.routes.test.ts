import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAccount, logIn, logOut, refreshTokens, signUp, updateAccount } from '#contract/accounts.ts';
import { createOrganization } from '#contract/organizations.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, type Owner, PASSWORD } from '#test/harness/world.ts';

let product: TestProduct;
let nora: Owner;

beforeAll(async () => {
  product = await startTestProduct();
  nora = await buildOwner(product);
});

afterAll(() => product.stop());

function read(owner: { id: string; token: string }) {
  return product.call(getAccount, { params: { id: owner.id } }, owner);
}

function refusedRead(owner: { id: string; token: string }) {
  return product.refuse(getAccount, { params: { id: owner.id } }, owner);
}

function refresh(refreshToken: string) {
  return product.call(refreshTokens, { body: { refresh_token: refreshToken } });
}

function refusedRefresh(refreshToken: string) {
  return product.refuse(refreshTokens, { body: { refresh_token: refreshToken } });
}

describe('signing up: 201', () => {
  it('answers with the account and its tokens (spec 88, 89)', async () => {
    const account = await product.call(signUp, {
      body: {
        username: 'Otto',
        email: 'Otto@example.com',
        password: PASSWORD,
        first_name: ' Otto ',
        last_name: 'Öz',
      },
    });
    expect(account).toEqual({
      id: account.user_id,
      user_id: account.id,
      username: 'Otto',
      email: 'Otto@example.com',
      organization: 'None',
      organization_id: 'None',
      role: null,
      avatar: null,
      first_name: 'Otto',
      last_name: 'Öz',
      has_usable_password: true,
      pending_email: null,
      google_email: null,
      permissions: [],
      groups: [],
      attrs: {},
      access_token: expect.stringMatching(/^ey/) as string,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
  });

  it('stores only hashes of the password and of the refresh token', async () => {
    const { rows } = await product.testDatabase.owner.query<{ dump: string }>(
      `select row_to_json(u)::text as dump from users u union all select row_to_json(t)::text from refresh_tokens t`,
    );
    const dump = rows.map((row) => row.dump).join();
    expect(dump).toContain('$argon2id$');
    expect(dump).not.toContain(PASSWORD);
    expect(dump).not.toContain(nora.refreshToken);
  });
});

describe('signing up: 409', () => {
  it.each([
    ['username', () => ({ username: nora.username, email: 'a1@example.com' }), 'username_taken', 'username'],
    [
      'username in capitals',
      () => ({ username: nora.username.toUpperCase(), email: 'a2@example.com' }),
      'username_taken',
      'username',
    ],
    ['email', () => ({ username: 'a3', email: nora.email }), 'email_taken', 'email'],
    [
      'email in capitals',
      () => ({ username: 'a4', email: nora.email.toUpperCase() }),
      'email_taken',
      'email',
    ],
  ])('is the answer to a taken %s', async (_what, input, code, field) => {
    const refused = await product.refuse(signUp, { body: { ...input(), password: PASSWORD } });
    expect(refused).toMatchObject({ status: 409, errors: [{ code, field }] });
  });

  it('is the answer to all but one of several parallel duplicates', async () => {
    const body = { username: 'paula', email: 'paula@example.com', password: PASSWORD };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => rawRequest(product, 'POST', '/api/core/v1/users', { body })),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409, 409]);
  });
});

describe('signing up: 422 and 400', () => {
  it.each([
    ['a short password', { password: 'short' }, 'invalid_field', 'password'],
    ['an @ in the username', { username: 'a@b' }, 'invalid_field', 'username'],
    ['an empty username', { username: '   ' }, 'invalid_field', 'username'],
    ['an address without a dot', { email: 'nora@example' }, 'invalid_field', 'email'],
    ['an address with a space', { email: 'no ra@example.com' }, 'invalid_field', 'email'],
    ['a control character', { first_name: 'a\u0000b' }, 'invalid_field', 'first_name'],
    ['half a surrogate pair', { first_name: 'a\ud800' }, 'invalid_field', 'first_name'],
    ['groups', { groups: ['appsumo_tier5'] }, 'unknown_field', 'groups'],
    ['a number as password', { password: 12_345_678_901 }, 'invalid_field', 'password'],
  ])('rejects %s, naming the field', async (_what, input, code, field) => {
    const body = { username: 'zoe', email: 'zoe@example.com', password: PASSWORD, ...input };
    const answer = await rawRequest(product, 'POST', '/api/core/v1/users', { body });
    expect(answer).toMatchObject({ status: 422, codes: [code], fields: [field] });
    expect(answer.json.message).toMatch(/[.!]$/);
  });

  it('rejects a body that is not JSON', async () => {
    const answer = await rawRequest(product, 'POST', '/api/core/v1/users', {
      body: '{"username":',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 400, codes: ['bad_json'], json: { data: null } });
  });
});

describe('logging in', () => {
  it.each(['username', 'email'] as const)('works by %s, whatever its case (spec 78)', async (by) => {
    const tokens = await product.call(logIn, {
      body: { username: nora[by].toUpperCase(), password: PASSWORD },
    });
    expect(tokens).toMatchObject({ user_id: nora.id, organization_id: 'None' });
    expect((await read({ id: nora.id, token: tokens.access_token })).id).toBe(nora.id);
  });

  it('answers 401 alike for an unknown name and a wrong password', async () => {
    const unknown = await product.refuse(logIn, { body: { username: 'nobody', password: PASSWORD } });
    const wrong = await product.refuse(logIn, { body: { username: nora.username, password: 'wrong' } });
    expect(unknown).toMatchObject({ status: 401, errors: [{ code: 'invalid_credentials' }] });
    expect({ ...wrong, requestId: null }).toEqual({ ...unknown, requestId: null });
  });

  it('answers 4xx for a name that no database can store', async () => {
    const body = { username: 'a\u0000b', password: PASSWORD };
    expect((await rawRequest(product, 'POST', '/api/core/v1/users/token', { body })).status).toBe(422);
  });

  it('works any number of times: only failed attempts are counted', async () => {
    const body = { username: nora.username, password: PASSWORD };
    for (let count = 0; count < 12; count += 1) await product.call(logIn, { body });
    expect((await product.call(logIn, { body })).user_id).toBe(nora.id);
  });

  it('answers 429 with the time to wait after ten failed attempts for one name, and lets others in', async () => {
    const body = { username: 'guessed', password: 'wrong' };
    const statuses = [];
    for (let count = 0; count < 10; count += 1) statuses.push((await product.refuse(logIn, { body })).status);
    expect(new Set(statuses)).toEqual(new Set([401]));
    const answer = await rawRequest(product, 'POST', '/api/core/v1/users/token', { body });
    expect(answer).toMatchObject({ status: 429, codes: ['rate_limited'] });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const tokens = await product.call(logIn, { body: { username: nora.username, password: PASSWORD } });
    expect(tokens.user_id).toBe(nora.id);
  });
});

describe('a session', () => {
  it('is renewed by a refresh token, which is valid once', async () => {
    const owner = await buildOwner(product);
    const first = await refresh(owner.refreshToken);
    expect(first.refresh_token).not.toBe(owner.refreshToken);
    const second = await refresh(first.refresh_token);
    expect((await read({ id: owner.id, token: second.access_token })).id).toBe(owner.id);
  });

  it('survives two tabs that refresh at once', async () => {
    const owner = await buildOwner(product);
    const tabs = await Promise.all([refresh(owner.refreshToken), refresh(owner.refreshToken)]);
    for (const tab of tabs) {
      await expect(read({ id: owner.id, token: tab.access_token })).resolves.toBeDefined();
      await expect(refresh(tab.refresh_token)).resolves.toBeDefined();
    }
  });

  it('ends, with all its tokens, when a used refresh token is used again 11 seconds later', async () => {
    const owner = await buildOwner(product);
    const next = await refresh(owner.refreshToken);
    product.clock.advance({ seconds: 11 });
    expect(await refusedRefresh(owner.refreshToken)).toMatchObject({
      status: 401,
      errors: [{ code: 'token_not_valid' }],
    });
    expect((await refusedRefresh(next.refresh_token)).status).toBe(401);
    expect((await refusedRead({ id: owner.id, token: next.access_token })).status).toBe(401);
  });

  it('is renewed without an Authorization header, and also with an expired one (spec 103)', async () => {
    const owner = await buildOwner(product);
    product.clock.advance({ minutes: 11 });
    const tokens = await product.call(
      refreshTokens,
      { body: { refresh_token: owner.refreshToken } },
      { token: owner.token },
    );
    expect(tokens.user_id).toBe(owner.id);
  });

  it('has an access token that lasts ten minutes', async () => {
    const owner = await buildOwner(product);
    product.clock.advance({ minutes: 9 });
    await expect(read(owner)).resolves.toBeDefined();
    product.clock.advance({ minutes: 2 });
    expect(await refusedRead(owner)).toMatchObject({ status: 401, errors: [{ code: 'token_not_valid' }] });
  });

  it('ends after sixty days', async () => {
    const owner = await buildOwner(product);
    product.clock.advance({ days: 60 });
    expect((await refusedRefresh(owner.refreshToken)).status).toBe(401);
  });

  it('ends at once at logout; logging out twice does no harm', async () => {
    const owner = await buildOwner(product);
    const other = await product.call(logIn, { body: { username: owner.username, password: PASSWORD } });
    await product.call(logOut, { body: { refresh_token: owner.refreshToken } });
    await product.call(logOut, { body: { refresh_token: owner.refreshToken } });
    expect((await refusedRead(owner)).status).toBe(401);
    expect((await refusedRefresh(owner.refreshToken)).status).toBe(401);
    await expect(read({ id: owner.id, token: other.access_token })).resolves.toBeDefined();
  });

  it.each(['', 'Bearer', 'Bearer x.y.z', 'Basic abc', `Bearer ${'e'.repeat(3000)}`])(
    'is not opened by the header "%s"',
    async (authorization) => {
      const answer = await rawRequest(product, 'GET', `/api/core/v1/users/${nora.id}`, {
        headers: { authorization },
      });
      expect(answer).toMatchObject({ status: 401, codes: ['token_not_valid'] });
    },
  );

  it('is not opened by a token with "alg none" or a foreign signature', async () => {
    const owner = await buildOwner(product);
    const [header = '', payload = '', signature = ''] = owner.token.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    for (const token of [`${none}.${payload}.`, `${header}.${payload}.${signature.toLowerCase()}`]) {
      expect((await refusedRead({ id: owner.id, token })).status).toBe(401);
    }
  });
});

describe('an account', () => {
  it('can be read and changed by its owner', async () => {
    const owner = await buildOwner(product);
    const changed = await product.call(
      updateAccount,
      {
        params: { id: owner.id },
        body: {
          username: `${owner.username}-2`,
          first_name: 'Nora',
          last_name: 'Noon',
          avatar: 'https://example.com/nora.png',
          attrs: { language: 'de', theme: 'dark' },
        },
      },
      owner,
    );
    expect(changed).toMatchObject({
      username: `${owner.username}-2`,
      first_name: 'Nora',
      email: owner.email,
    });
    expect(await read(owner)).toEqual(changed);
    await product.call(
      updateAccount,
      { params: { id: owner.id }, body: { attrs: { theme: 'light' } } },
      owner,
    );
    expect((await read(owner)).attrs).toEqual({ language: 'de', theme: 'light' });
  });

  it('of somebody else answers 404 to reading and changing, like an id that does not exist (spec 104)', async () => {
    const stranger = await buildOwner(product);
    const owner = await buildOwner(product);
    for (const id of [stranger.id, '01900000-0000-7000-8000-000000000000', 'undefined', `${owner.id}0`]) {
      const answers = await Promise.all([
        rawRequest(product, 'GET', `/api/core/v1/users/${id}`, { as: owner }),
        rawRequest(product, 'PATCH', `/api/core/v1/users/${id}`, { as: owner, body: { first_name: 'x' } }),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual([404, 404]);
    }
    expect((await read(stranger)).first_name).toBe('');
  });

  it.each(['groups', 'permissions', 'plan_groups', 'email', 'id', 'has_usable_password', 'password'])(
    'rejects %s from its owner: 422',
    async (field) => {
      const owner = await logInAgain(nora);
      const answer = await rawRequest(product, 'PATCH', `/api/core/v1/users/${nora.id}`, {
        as: owner,
        body: { first_name: 'Changed', [field]: ['appsumo_tier5'] },
      });
      expect(answer).toMatchObject({ status: 422, codes: ['unknown_field'], fields: [field] });
      expect((await read(owner)).first_name).toBe('');
    },
  );

  it('accepts only an organization that its owner created', async () => {
    const [owner, stranger] = [await buildOwner(product), await buildOwner(product)];
    const own = await product.call(createOrganization, { body: { name: `Own ${owner.username}` } }, owner);
    const foreign = await product.call(
      createOrganization,
      { body: { name: `Foreign ${owner.username}` } },
      stranger,
    );
    const refused = await product.refuse(
      updateAccount,
      { params: { id: owner.id }, body: { organization: foreign.id } },
      owner,
    );
    expect(refused).toMatchObject({
      status: 422,
      errors: [{ code: 'invalid_field', field: 'organization' }],
    });
    await product.call(updateAccount, { params: { id: owner.id }, body: { organization: own.id } }, owner);
    expect((await read(owner)).organization).toBe(own.id);
    expect((await refresh(owner.refreshToken)).organization_id).toBe(own.id);
  });

  it('answers 409 to a username that is taken', async () => {
    const owner = await buildOwner(product);
    const refused = await product.refuse(
      updateAccount,
      { params: { id: owner.id }, body: { username: nora.username.toUpperCase() } },
      owner,
    );
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'username_taken' }] });
  });

  it('answers 400 with the spec’s sentence to a change without an id (spec 106)', async () => {
    const answer = await rawRequest(product, 'PATCH', '/api/core/v1/users', {
      as: await logInAgain(nora),
      body: { organization: nora.id },
    });
    expect(answer).toMatchObject({
      status: 400,
      codes: ['no_id'],
      json: { message: 'Unable to update account: No ID provided' },
    });
  });
});

/** Other tests moved the clock past the first access token. */
async function logInAgain(owner: Owner): Promise<Owner> {
  const tokens = await product.testDatabase.owner
    .query('delete from rate_limits')
    .then(() => product.call(logIn, { body: { username: owner.email, password: PASSWORD } }));
  return { ...owner, token: tokens.access_token };
}

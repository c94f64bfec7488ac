import { Events, type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getAccount, logInWithGoogle } from '#contract/accounts.ts';
import { getAppSettings } from '#contract/app-settings.ts';
import { startSignIn } from '#contract/google-sign-in.ts';
import { rawRequest } from '#test/harness/http.ts';
import { freePort } from '#test/harness/ports.ts';
import { startAsGoogle } from '#test/harness/google-issuer.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';

let google: OAuth2Server;
let product: TestProduct;
/** What the issuer says about the next person who signs in. */
let claims: Record<string, unknown>;
let tokenRequests: Record<string, unknown>[];

beforeAll(async () => {
  google = new OAuth2Server();
  await google.issuer.keys.generate('RS256');
  await startAsGoogle(google);
  google.service.on(Events.BeforeTokenSigning, (token: MutableToken) => {
    Object.assign(token.payload, claims);
  });
  google.service.on(Events.BeforeResponse, (_response, request) => {
    tokenRequests.push({ ...(request.body as object) });
  });
  product = await startTestProduct({
    env: {
      GOOGLE_CLIENT_ID: 'sayso-client',
      GOOGLE_CLIENT_SECRET: 'sayso-secret',
    },
  });
});

afterAll(async () => {
  await product.stop();
  if (google.listening) await google.stop();
  vi.restoreAllMocks();
});

beforeEach(() => {
  tokenRequests = [];
  claims = {
    sub: 'google-1',
    email: 'gina@example.com',
    email_verified: true,
    given_name: 'Gina',
    family_name: 'Grün',
    picture: 'https://example.com/gina.png',
  };
});

function signIn(code = 'the-code') {
  return product.call(logInWithGoogle, { body: { code } });
}

describe('signing in with Google', () => {
  it('exchanges the code for an account, which is the same one the next time (spec 78)', async () => {
    const tokens = await signIn('code-from-popup');
    expect(tokenRequests).toMatchObject([
      { grant_type: 'authorization_code', code: 'code-from-popup', redirect_uri: 'postmessage' },
    ]);
    expect(tokens.organization_id).toBe('None');
    const account = await product.call(
      getAccount,
      { params: { id: tokens.user_id } },
      { token: tokens.access_token },
    );
    expect(account).toMatchObject({
      username: 'gina',
      email: 'gina@example.com',
      first_name: 'Gina',
      last_name: 'Grün',
      avatar: 'https://example.com/gina.png',
      has_usable_password: false,
    });
    expect((await signIn()).user_id).toBe(tokens.user_id);
  });

  it('recognizes a person by the subject, also with a changed address', async () => {
    const first = await signIn();
    claims['email'] = 'gina.new@example.com';
    expect((await signIn()).user_id).toBe(first.user_id);
  });

  it('assigns a second username when the first is taken', async () => {
    Object.assign(claims, { sub: 'google-2', email: 'gina@elsewhere.example' });
    const tokens = await signIn();
    const account = await product.call(
      getAccount,
      { params: { id: tokens.user_id } },
      { token: tokens.access_token },
    );
    expect(account.username).toBe('gina2');
  });

  it('for the first time in four tabs at once creates one account', async () => {
    Object.assign(claims, { sub: 'google-3', email: 'hugo@example.com' });
    const answers = await Promise.all([signIn('1'), signIn('2'), signIn('3'), signIn('4')]);
    expect(new Set(answers.map((tokens) => tokens.user_id)).size).toBe(1);
  });

  it.each([
    ['an address that Google has not verified', { email_verified: false }],
    ['no word about verification', { email_verified: undefined }],
    ['no address', { email: undefined }],
    ['a token for another client', { aud: 'somebody-else' }],
    ['a token of another issuer', { iss: 'https://evil.example' }],
    ['an expired token', { exp: 1_000_000 }],
  ])('is refused for %s: 401, and no account is created', async (_what, wrong) => {
    Object.assign(claims, { sub: 'google-9', email: 'eve@example.com', ...wrong });
    const refused = await product.refuse(logInWithGoogle, { body: { code: 'code' } });
    expect(refused).toMatchObject({ status: 401, errors: [{ code: 'invalid_credentials' }] });
    const { rows } = await product.testDatabase.owner.query(
      `select id from users where google_subject = 'google-9'`,
    );
    expect(rows).toEqual([]);
  });

  it('is refused for a code that the issuer rejects: 401', async () => {
    google.service.once(Events.BeforeResponse, (response) => {
      response.body = { error: 'invalid_grant' };
      response.statusCode = 400;
    });
    const refused = await product.refuse(logInWithGoogle, { body: { code: 'old' } });
    expect(refused).toMatchObject({ status: 401, errors: [{ code: 'invalid_credentials' }] });
  });

  it.each([{}, { code: '' }, { code: 5 }, { token: 'x' }])(
    'requires a code: %j answers 422',
    async (body) => {
      expect((await rawRequest(product, 'POST', '/api/core/v1/users/google', { body })).status).toBe(422);
    },
  );

  it('answers 503 when the issuer breaks, or goes away after it was known', async () => {
    google.service.once(Events.BeforeResponse, (response) => {
      response.body = { error: 'server_error' };
      response.statusCode = 500;
    });
    expect((await product.refuse(logInWithGoogle, { body: { code: 'x' } })).status).toBe(503);
    await google.stop();
    const refused = await product.refuse(logInWithGoogle, { body: { code: 'x' } });
    expect(refused).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
  });
});

describe('an issuer that was never reachable', () => {
  it('answers 503', async () => {
    const lonely = await startTestProduct({
      env: {
        GOOGLE_CLIENT_ID: 'sayso-client',
        GOOGLE_CLIENT_SECRET: 'sayso-secret',
        GOOGLE_ISSUER: `http://localhost:${await freePort()}`,
      },
    });
    try {
      const refused = await lonely.refuse(startSignIn, { body: {} });
      expect(refused).toMatchObject({ status: 503, errors: [{ code: 'unavailable' }] });
    } finally {
      await lonely.stop();
    }
  });
});

describe('without settings for Google', () => {
  it('answers the call with 404, and tells the owner app that it is not available', async () => {
    const plain = await startTestProduct();
    try {
      const refused = await plain.refuse(logInWithGoogle, { body: { code: 'x' } });
      expect(refused).toMatchObject({ status: 404, errors: [{ code: 'not_found' }] });
      expect((await plain.call(getAppSettings, {})).google_client_id).toBeNull();
      expect((await product.call(getAppSettings, {})).google_client_id).toBe('sayso-client');
    } finally {
      await plain.stop();
    }
  });
});

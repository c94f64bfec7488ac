import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Events, type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { confirmAccountLink, readAccountLink } from '#contract/account-links.ts';
import { getAccount, logIn, logInWithGoogle, resetPassword } from '#contract/accounts.ts';
import {
  finishSignIn,
  linkGoogle,
  mailGoogleLink,
  startSignIn,
  unlinkGoogle,
} from '#contract/google-sign-in.ts';
import { finishLogIn } from '#contract/second-factors.ts';
import { addAppTo, stepOf } from '#test/harness/second-factors.ts';
import { startAsGoogle } from '#test/harness/google-issuer.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { freePort } from '#test/harness/ports.ts';
import { buildOwner, type Owner, PASSWORD } from '#test/harness/world.ts';

const CLIENT = 'sayso-client';

let google: OAuth2Server;
let product: TestProduct;
/** What the issuer says about the person who signs in next. */
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
      GOOGLE_CLIENT_ID: CLIENT,
      GOOGLE_CLIENT_SECRET: 'sayso-secret',
    },
  });
});

afterAll(async () => {
  await product.stop();
  await google.stop();
  vi.restoreAllMocks();
});

beforeEach(async () => {
  tokenRequests = [];
  await product.testDatabase.owner.query('delete from rate_limits');
});

/** The next person at Google. */
function isAtGoogle(sub: string, email: string): void {
  claims = { sub, email, email_verified: true };
}

const signIn = () => product.call(logInWithGoogle, { body: { code: 'a-code' } });
const refusedSignIn = () => product.refuse(logInWithGoogle, { body: { code: 'a-code' } });
const read = (owner: { id: string; token: string }) =>
  product.call(getAccount, { params: { id: owner.id } }, owner);
const logInWith = (owner: Owner, password: string) =>
  product.call(logIn, { body: { username: owner.username, password } });

async function mailsTo(address: string): Promise<{ subject: string; plain: string }[]> {
  const { rows } = await product.testDatabase.owner.query<{ subject: string; plain: string }>(
    'select subject, plain from outbox_emails where recipient = $1 order by id',
    [address],
  );
  return rows;
}

/** A password account, and a Google account with its address that has just signed in. */
async function askToLink(sub: string): Promise<{ nora: Owner; linkToken: string }> {
  const nora = await buildOwner(product);
  isAtGoogle(sub, nora.email.toUpperCase());
  const refused = await refusedSignIn();
  expect(refused).toMatchObject({
    status: 409,
    errors: [{ code: 'link_required' }],
    data: { email: nora.email, has_password: true },
  });
  return { nora, linkToken: String(refused.data?.['link_token']) };
}

describe('a Google account', () => {
  it('opens the account of its subject, whatever its address; another one with the same address does not', async () => {
    isAtGoogle('first-person', 'shared@example.com');
    const first = await signIn();
    isAtGoogle('second-person', 'shared@example.com');
    const refused = await refusedSignIn();
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'other_google_account' }], data: null });
    isAtGoogle('first-person', 'renamed@example.com');
    expect((await signIn()).user_id).toBe(first.user_id);
  });

  it('with the subject of somebody at another issuer is somebody else', async () => {
    isAtGoogle('same-subject', 'here@example.com');
    const here = await signIn();
    await product.testDatabase.owner.query(
      `update users set google_issuer = 'https://elsewhere.example' where id = $1`,
      [here.user_id],
    );
    isAtGoogle('same-subject', 'there@example.com');
    expect((await signIn()).user_id).not.toBe(here.user_id);
  });

  it('does not open a password account of the same address, and changes nothing in it', async () => {
    const { nora } = await askToLink('stranger');
    expect(await read(nora)).toMatchObject({ google_email: null, has_usable_password: true });
    expect((await logInWith(nora, PASSWORD)).user_id).toBe(nora.id);
    expect((await refusedSignIn()).status).toBe(409);
  });

  it('is linked with the account’s password, once, and opens the account from then on', async () => {
    const { nora, linkToken } = await askToLink('linked-by-password');
    const wrong = { link_token: linkToken, password: 'not the password' };
    expect(await product.refuse(linkGoogle, { body: wrong })).toMatchObject({
      status: 401,
      errors: [{ code: 'invalid_credentials' }],
    });
    expect((await refusedSignIn()).status).toBe(409);
    const tokens = await product.call(linkGoogle, { body: { ...wrong, password: PASSWORD } });
    expect(tokens.user_id).toBe(nora.id);
    expect((await signIn()).user_id).toBe(nora.id);
    expect((await read(nora)).google_email).toBe(nora.email.toUpperCase());
    expect((await logInWith(nora, PASSWORD)).user_id).toBe(nora.id);
    await expect
      .poll(async () => (await mailsTo(nora.email)).map(({ subject }) => subject))
      .toContain('Google was linked to your account');
    const again = await product.refuse(linkGoogle, { body: { ...wrong, password: PASSWORD } });
    expect(again).toMatchObject({ status: 409, errors: [{ code: 'other_google_account' }] });
  });

  it('has no more attempts at the password than a login', async () => {
    const { nora, linkToken } = await askToLink('guesser');
    const body = { link_token: linkToken, password: 'wrong' };
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await product.refuse(linkGoogle, { body })).status);
    }
    expect(statuses.slice(9)).toEqual([401, 429]);
    const login = { body: { username: nora.email, password: PASSWORD } };
    expect((await product.refuse(logIn, login)).status).toBe(429);
  });

  it('is linked by an emailed link, which ends the password that nobody proved', async () => {
    const { nora, linkToken } = await askToLink('linked-by-mailbox');
    const answer = await product.call(mailGoogleLink, { body: { link_token: linkToken } });
    expect(answer).toEqual({ email: nora.email });
    const [mail] = await mailsTo(nora.email);
    const token = /\/confirm\?token=([\w-]+)/.exec(mail?.plain ?? '')?.[1] ?? '';
    expect(await product.call(readAccountLink, { body: { token } })).toMatchObject({ kind: 'link_google' });
    expect((await refusedSignIn()).status).toBe(409);
    await product.call(confirmAccountLink, { body: { token } });
    expect((await signIn()).user_id).toBe(nora.id);
    // Somebody who signed up with an address that is not theirs must not stay in.
    expect((await product.refuse(getAccount, { params: { id: nora.id } }, nora)).status).toBe(401);
    await expect(logInWith(nora, PASSWORD)).rejects.toMatchObject({ status: 401 });
    expect((await product.refuse(confirmAccountLink, { body: { token } })).status).toBe(409);
  });

  it('cannot be linked after its token has expired, nor with a forged one', async () => {
    const { linkToken } = await askToLink('too-late');
    product.clock.advance({ minutes: 11 });
    for (const link_token of [linkToken, 'made-up', linkToken.slice(0, -4)]) {
      const refused = await product.refuse(linkGoogle, { body: { link_token, password: PASSWORD } });
      expect(refused).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
    }
  });

  it('can be unlinked where there is a password, but not by others', async () => {
    const { nora, linkToken } = await askToLink('unlinked');
    const { access_token: token } = await product.call(linkGoogle, {
      body: { link_token: linkToken, password: PASSWORD },
    });
    const owner = { id: nora.id, token };
    const eve = await buildOwner(product, 'eve');
    expect((await product.refuse(unlinkGoogle, { params: { id: nora.id } }, eve)).status).toBe(404);
    const account = await product.call(unlinkGoogle, { params: { id: nora.id } }, owner);
    expect(account.google_email).toBeNull();
    expect((await refusedSignIn()).errors[0]?.code).toBe('link_required');

    isAtGoogle('google-only', 'google-only@example.com');
    const only = await signIn();
    const refused = await product.refuse(
      unlinkGoogle,
      { params: { id: only.user_id } },
      { token: only.access_token },
    );
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'password_required' }] });
    // With a password of its own it is.
    await product.call(resetPassword, { body: { email: 'google-only@example.com' } });
    await expect.poll(async () => mailsTo('google-only@example.com')).toHaveLength(1);
    const [mail] = await mailsTo('google-only@example.com');
    const reset = /token=([\w-]+)/.exec(mail?.plain ?? '')?.[1] ?? '';
    await product.call(resetPassword, { body: { token: reset, password: PASSWORD } });
    const again = await product.call(logIn, {
      body: { username: 'google-only@example.com', password: PASSWORD },
    });
    const unlinked = await product.call(
      unlinkGoogle,
      { params: { id: only.user_id } },
      { token: again.access_token },
    );
    expect(unlinked.google_email).toBeNull();
  });
});

describe('an account with a second factor', () => {
  it('is not opened by Google alone, nor by a redirect', async () => {
    isAtGoogle('with-a-factor', `factor-${Date.now()}@example.com`);
    const tokens = await signIn();
    const owner = { id: tokens.user_id, token: tokens.access_token };
    const { app } = await addAppTo(product, owner);
    const refused = await refusedSignIn();
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'second_factor_required' }] });
    const { ticket } = stepOf(refused);
    const finished = await product.call(finishLogIn, { body: { ticket, way: 'totp', code: app.code() } });
    expect(finished.user_id).toBe(owner.id);
  });

  it('is linked by its password and its second factor together, not by the password', async () => {
    const { nora, linkToken } = await askToLink('linked-by-both');
    const { app } = await addAppTo(product, nora);
    const body = { link_token: linkToken, password: PASSWORD };
    const refused = await product.refuse(linkGoogle, { body });
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'second_factor_required' }] });
    expect((await read(nora)).google_email).toBeNull();
    expect((await refusedSignIn()).status).toBe(409);
    const { ticket } = stepOf(refused);
    await product.call(finishLogIn, { body: { ticket, way: 'totp', code: app.code() } });
    expect((await read(nora)).google_email).toBe(nora.email.toUpperCase());
    expect(await refusedSignIn()).toMatchObject({ errors: [{ code: 'second_factor_required' }] });
  });

  it('that is unlinked meanwhile ends the login that was waiting', async () => {
    const { nora, linkToken } = await askToLink('unlinked-meanwhile');
    await product.call(linkGoogle, { body: { link_token: linkToken, password: PASSWORD } });
    const { app } = await addAppTo(product, nora);
    const { ticket } = stepOf(await refusedSignIn());
    await product.call(unlinkGoogle, { params: { id: nora.id } }, nora);
    const late = { body: { ticket, way: 'totp' as const, code: app.code() } };
    expect(await product.refuse(finishLogIn, late)).toMatchObject({ errors: [{ code: 'link_used' }] });
  });
});

describe('an ID token', () => {
  const valid = () => ({
    iss: google.issuer.url ?? '',
    aud: CLIENT,
    sub: 'forged',
    email: 'forged@example.com',
    email_verified: true,
  });

  it('signed by another key is rejected, also under the name of the right one', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    expect(await exportJWK(publicKey)).toBeDefined();
    const kid = google.issuer.keys.toJSON()[0]?.kid ?? '';
    for (const header of [{ kid }, { kid: 'unknown' }, {}]) {
      const forged = await new SignJWT(valid())
        .setProtectedHeader({ alg: 'RS256', ...header })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey);
      await refusedWith(forged);
    }
  });

  it('without a signature, or signed with the client secret, is rejected', async () => {
    const now = Math.floor(Date.now() / 1000);
    const [head, body] = [{ alg: 'none' }, { ...valid(), iat: now, exp: now + 300 }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    await refusedWith(`${head}.${body}.`);
    const symmetric = await new SignJWT(valid())
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode('sayso-secret'));
    await refusedWith(symmetric);
  });

  it.each([
    ['issuer', { iss: 'https://evil.example' }],
    ['audience', { aud: 'somebody-else' }],
    ['time', { exp: 1_000_000 }],
  ])('of another %s is rejected', async (_what, wrong) => {
    isAtGoogle('forged', 'forged@example.com');
    Object.assign(claims, wrong);
    expect(await refusedSignIn()).toMatchObject({ status: 401, errors: [{ code: 'invalid_credentials' }] });
  });

  async function refusedWith(token: string): Promise<void> {
    google.service.once(Events.BeforeResponse, (response) => {
      Object.assign(response.body as object, { id_token: token });
    });
    const refused = await refusedSignIn();
    expect(refused).toMatchObject({ status: 401, errors: [{ code: 'invalid_credentials' }] });
    const { rowCount } = await product.testDatabase.owner.query(
      `select 1 from users where email = 'forged@example.com'`,
    );
    expect(rowCount).toBe(0);
  }
});

describe('a sign-in by redirect', () => {
  interface Back {
    code: string;
    state: string;
    flow: string;
  }

  /** To the issuer and back, as a browser goes. */
  async function goThere(): Promise<Back> {
    const { url, flow } = await product.call(startSignIn, { body: {} });
    const response = await fetch(url, { redirect: 'manual' });
    const back = new URL(response.headers.get('location') ?? '');
    expect(`${back.origin}${back.pathname}`).toBe(`${product.url}/login/callback`);
    return { code: back.searchParams.get('code') ?? '', state: back.searchParams.get('state') ?? '', flow };
  }

  it('uses a new state, nonce and PKCE challenge each time, and logs in', async () => {
    isAtGoogle('redirected', 'redirected@example.com');
    const asked = [
      await product.call(startSignIn, { body: {} }),
      await product.call(startSignIn, { body: {} }),
    ];
    const [first, second] = asked.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
    expect(first).toMatchObject({
      client_id: CLIENT,
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'email profile openid',
      redirect_uri: `${product.url}/login/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first?.[name]?.length).toBeGreaterThanOrEqual(43);
      expect(first?.[name]).not.toBe(second?.[name]);
    }
    const tokens = await product.call(finishSignIn, { body: await goThere() });
    expect(tokens.organization_id).toBe('None');
    expect(tokenRequests.at(-1)).toMatchObject({ redirect_uri: `${product.url}/login/callback` });
    expect(String(tokenRequests.at(-1)?.['code_verifier']).length).toBeGreaterThanOrEqual(43);
  });

  it('is rejected with the state or the code of another browser', async () => {
    isAtGoogle('redirected', 'redirected@example.com');
    const [own, foreign] = [await goThere(), await goThere()];
    const mixed = [
      { ...own, state: foreign.state },
      { ...foreign, flow: own.flow },
      { ...own, flow: 'made-up' },
      // The PKCE verifier of this browser does not fit the code of the other one.
      { ...own, code: foreign.code },
    ];
    for (const body of mixed) {
      expect(await product.refuse(finishSignIn, { body })).toMatchObject({
        status: 401,
        errors: [{ code: 'invalid_credentials' }],
      });
    }
  });

  it('is rejected with a token for another nonce', async () => {
    isAtGoogle('redirected', 'redirected@example.com');
    const body = await goThere();
    claims['nonce'] = 'of-another-sign-in';
    expect((await product.refuse(finishSignIn, { body })).status).toBe(401);
  });

  it('expires after ten minutes', async () => {
    isAtGoogle('redirected', 'redirected@example.com');
    const body = await goThere();
    product.clock.advance({ minutes: 11 });
    expect((await product.refuse(finishSignIn, { body })).status).toBe(401);
  });

  it('requires the same proof for a password account', async () => {
    const nora = await buildOwner(product);
    isAtGoogle('redirected-stranger', nora.email);
    const refused = await product.refuse(finishSignIn, { body: await goThere() });
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'link_required' }] });
  });
});

describe('an issuer that is asked by redirect', () => {
  it('takes no bare code at the route of Google’s popup', async () => {
    const other = new OAuth2Server();
    await other.issuer.keys.generate('RS256');
    await other.start(0, 'localhost');
    other.service.on(Events.BeforeTokenSigning, (token: MutableToken) => {
      Object.assign(token.payload, claims);
    });
    const company = await startTestProduct({
      env: {
        GOOGLE_CLIENT_ID: CLIENT,
        GOOGLE_CLIENT_SECRET: 'sayso-secret',
        GOOGLE_ISSUER: other.issuer.url ?? '',
      },
    });
    try {
      isAtGoogle('at-work', 'at-work@example.com');
      const refused = await company.refuse(logInWithGoogle, { body: { code: 'of-somebody' } });
      expect(refused).toMatchObject({ status: 404, errors: [{ code: 'not_found' }] });
      expect((await company.call(startSignIn, { body: {} })).url).toContain(other.issuer.url);
    } finally {
      await company.stop();
      await other.stop();
    }
  });
});

describe('the policy for popup windows', () => {
  const policyOf = async ({ url }: TestProduct, path: string) =>
    (await fetch(`${url}${path}`)).headers.get('cross-origin-opener-policy');

  it('lets a popup reach the app where Google is set up, and nothing otherwise', async () => {
    expect(await policyOf(product, '/login')).toBe('same-origin-allow-popups');
    expect(await policyOf(product, '/docs')).toBe('same-origin');
    const plain = await startTestProduct({ env: { PORT: String(await freePort()) } });
    try {
      expect(await policyOf(plain, '/login')).toBe('same-origin');
    } finally {
      await plain.stop();
    }
  });
});

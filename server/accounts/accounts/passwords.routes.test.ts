import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getAccount, logIn, refreshTokens, resetPassword, updateAccount } from '#contract/accounts.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, type Owner, PASSWORD } from '#test/harness/world.ts';

const NEW_PASSWORD = 'a new and longer one';

let mailServer: MailServer;
let product: TestProduct;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sayso <hello@sayso.example>' },
  });
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
});

function ask(email: string) {
  return product.call(resetPassword, { body: { email } });
}

async function askForToken(owner: Owner): Promise<string> {
  const links = () => mailServer.mails.flatMap(({ text }) => /token=([\w-]+)/.exec(text ?? '')?.[1] ?? []);
  const before = links().length;
  await ask(owner.email);
  await expect.poll(() => links().length).toBe(before + 1);
  return links().at(-1) ?? '';
}

function logInWith(owner: Owner, password: string) {
  return product.call(logIn, { body: { username: owner.username, password } });
}

describe('a reset link', () => {
  it('comes by email, in plain text and in HTML, with the same link in both', async () => {
    const nora = await buildOwner(product);
    await askForToken(nora);
    const [mail] = mailServer.mails;
    expect(mail?.from).toMatchObject({ address: 'hello@sayso.example', name: 'Sayso' });
    expect(mail?.to).toMatchObject([{ address: nora.email }]);
    expect(mail?.subject).toBe('Set a new password');
    const link = /https?:\S+/.exec(mail?.text ?? '')?.[0] ?? 'none';
    expect(link).toMatch(new RegExp(`^${product.url}/reset-password\\?token=[\\w-]{43}$`));
    expect(mail?.html).toContain(`href="${link}"`);
    expect(mail?.text).toContain(nora.username);
  });

  it("speaks the account's language", async () => {
    const nora = await buildOwner(product);
    await product.call(updateAccount, { params: { id: nora.id }, body: { attrs: { language: 'de' } } }, nora);
    await askForToken(nora);
    expect(mailServer.mails[0]?.subject).toBe('Neues Passwort festlegen');
  });

  it('sets a new password once, ends every session and every other link (spec 107)', async () => {
    const nora = await buildOwner(product);
    const other = await logInWith(nora, PASSWORD);
    const [unused, token] = [await askForToken(nora), await askForToken(nora)];
    await product.call(resetPassword, { body: { token, password: NEW_PASSWORD } });

    for (const one of [token, unused]) {
      const refused = await product.refuse(resetPassword, {
        body: { token: one, password: 'yet another one' },
      });
      expect(refused).toMatchObject({ status: 409, errors: [{ code: 'link_used', field: 'token' }] });
    }
    for (const access of [nora.token, other.access_token]) {
      const refused = await product.refuse(getAccount, { params: { id: nora.id } }, { token: access });
      expect(refused.status).toBe(401);
    }
    const refused = await product.refuse(refreshTokens, { body: { refresh_token: other.refresh_token } });
    expect(refused.status).toBe(401);
    await expect(logInWith(nora, PASSWORD)).rejects.toMatchObject({ status: 401 });
    expect((await logInWith(nora, NEW_PASSWORD)).user_id).toBe(nora.id);
  });

  it('works once when it is pressed twice at the same moment', async () => {
    const nora = await buildOwner(product);
    const token = await askForToken(nora);
    const answers = await Promise.all(
      ['first password', 'second password'].map((password) =>
        rawRequest(product, 'PATCH', '/api/core/v1/user/reset-password', { body: { token, password } }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409]);
  });

  it('lasts 30 minutes', async () => {
    const nora = await buildOwner(product);
    const token = await askForToken(nora);
    product.clock.advance({ minutes: 29 });
    const short = await product.refuse(resetPassword, { body: { token, password: 'short' } });
    expect(short.status).toBe(422);
    const kept = await product.refuse(resetPassword, { body: { token, password: nora.username } });
    expect(kept).toMatchObject({ status: 422, errors: [{ code: 'password_is_name', field: 'password' }] });
    product.clock.advance({ minutes: 2 });
    const refused = await product.refuse(resetPassword, { body: { token, password: NEW_PASSWORD } });
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
  });

  it('gets the same answer for an unknown address, which is sent no email', async () => {
    const nora = await buildOwner(product);
    const unknown = await ask('nobody@example.com');
    expect(await ask(nora.email.toUpperCase())).toEqual(unknown);
    await expect.poll(() => mailServer.mails.length).toBe(1);
    expect(mailServer.mails[0]?.to).toMatchObject([{ address: nora.email }]);
  });

  it('can be requested at most five times an hour for one address', async () => {
    for (let count = 0; count < 5; count += 1) await ask('many@example.com');
    const refused = await product.refuse(resetPassword, { body: { email: 'MANY@example.com' } });
    expect(refused).toMatchObject({ status: 429, errors: [{ code: 'rate_limited' }] });
  });

  it('leaves the old password in place when the new one is too short', async () => {
    const nora = await buildOwner(product);
    const token = await askForToken(nora);
    const refused = await product.refuse(resetPassword, { body: { token, password: 'short' } });
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'password' }] });
    expect((await logInWith(nora, PASSWORD)).user_id).toBe(nora.id);
  });
});

describe('a change of password', () => {
  it('requires the current one, and ends every session', async () => {
    const nora = await buildOwner(product);
    const body = { current_password: 'not mine at all', password: NEW_PASSWORD };
    expect(await product.refuse(resetPassword, { body }, nora)).toMatchObject({
      status: 422,
      errors: [{ code: 'invalid_field', field: 'current_password' }],
    });
    await product.call(resetPassword, { body: { ...body, current_password: PASSWORD } }, nora);
    expect((await product.refuse(getAccount, { params: { id: nora.id } }, nora)).status).toBe(401);
    expect((await logInWith(nora, NEW_PASSWORD)).user_id).toBe(nora.id);
  });

  it('requires a session: 401', async () => {
    const refused = await product.refuse(resetPassword, {
      body: { current_password: PASSWORD, password: NEW_PASSWORD },
    });
    expect(refused).toMatchObject({ status: 401, errors: [{ code: 'token_not_valid' }] });
  });
});

describe('with a mail server', () => {
  it('there is no outbox', async () => {
    expect((await rawRequest(product, 'GET', '/dev/outbox')).text).not.toContain('<h1>Outbox</h1>');
  });
});

describe('while the mail server is away', () => {
  it('the answer is the same', async () => {
    const lonely = await startTestProduct({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    try {
      const nora = await buildOwner(lonely);
      const known = await lonely.call(resetPassword, { body: { email: nora.email } });
      const unknown = await lonely.call(resetPassword, { body: { email: 'nobody@example.com' } });
      expect(known).toEqual(unknown);
    } finally {
      await lonely.stop();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAccount, logIn, refreshTokens, resetPassword } from '#contract/accounts.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { listLists } from '#contract/lists.ts';
import { finishLogIn, listSecondFactors } from '#contract/second-factors.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { addAppTo, addPasskeyTo, stepOf } from '#test/harness/second-factors.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

const PASSWORDS = ['the first one of my own', 'another one of my own'] as const;

let product: TestProduct;
let mailServer: MailServer;
/** Registered with an address whose mailbox is somebody else's. */
let squatted: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ env: { SMTP_URL: mailServer.url } });
  squatted = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

async function setPasswordByMail(email: string, password: string): Promise<void> {
  const before = mailServer.mails.length;
  await product.call(resetPassword, { body: { email } });
  const found = () =>
    mailServer.mails.slice(before).find(({ text }) => text?.includes('/reset-password?token='));
  await expect.poll(found).toBeDefined();
  const token = /token=([\w-]+)/.exec(found()?.text ?? '')?.[1] ?? '';
  await product.call(resetPassword, { body: { token, password } });
}

describe('the owner of a mailbox that a stranger registered with', () => {
  it('gets the account, and nothing that the other one collected opens it', async () => {
    const { owner, params } = squatted;
    const { codes } = await addAppTo(product, owner);
    await addPasskeyTo(product, owner);
    const body = { name: 'Shop', scopes: ['read' as const] };
    const { key } = await product.call(createApiKey, { params, body }, owner);

    await setPasswordByMail(owner.email, PASSWORDS[0]);

    const opened = await product.call(logIn, { body: { username: owner.email, password: PASSWORDS[0] } });
    const mine = { token: opened.access_token };
    const id = { id: owner.id };
    expect(await product.call(listSecondFactors, { params: id }, mine)).toMatchObject({
      passkeys: [],
      totp: null,
      recovery_codes: null,
    });
    const session = await product.refuse(refreshTokens, { body: { refresh_token: owner.refreshToken } });
    expect(session.status).toBe(401);
    expect((await product.refuse(getAccount, { params: id }, owner)).status).toBe(401);
    expect((await product.refuse(listLists, { params }, { token: key })).status).toBe(401);
    expect(codes).toHaveLength(10);
  });

  it('keeps their own second factor when they forget the password again', async () => {
    const { owner } = squatted;
    const { access_token: token } = await product.call(logIn, {
      body: { username: owner.email, password: PASSWORDS[0] },
    });
    const { app } = await addAppTo(product, { id: owner.id, token });
    await setPasswordByMail(owner.email, PASSWORDS[1]);
    const refused = await product.refuse(logIn, {
      body: { username: owner.email, password: PASSWORDS[1] },
    });
    const { ticket } = stepOf(refused);
    await product.call(finishLogIn, { body: { ticket, way: 'totp', code: app.code() } });
  });
});

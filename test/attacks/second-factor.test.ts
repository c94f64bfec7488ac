import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportAccount } from '#contract/account-data.ts';
import { changeEmail, confirmAccountLink } from '#contract/account-links.ts';
import { getAccount, logIn, refreshTokens, resetPassword, updateAccount } from '#contract/accounts.ts';
import { createApiKey } from '#contract/api-keys.ts';
import { listAuditLog } from '#contract/audit-log.ts';
import { listConnectors } from '#contract/integrations.ts';
import { listLists } from '#contract/lists.ts';
import { acceptInvitation, inviteMember } from '#contract/members.ts';
import { getOrganization } from '#contract/organizations.ts';
import { requireSecondFactor } from '#contract/second-factor-rule.ts';
import {
  addPasskey,
  addTotp,
  createRecoveryCodes,
  finishLogIn,
  listSecondFactors,
  MAX_PASSKEYS,
  reauthenticate,
  removePasskey,
  removeTotp,
  renamePasskey,
  startPasskey,
  startReauthentication,
  startTotp,
} from '#contract/second-factors.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { reencryptAll } from '#server/shell/keys/re-encrypt.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { newAuthenticator } from '#test/harness/authenticator.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  addAppTo,
  addPasskeyTo,
  authenticatorApp,
  type AuthenticatorApp,
  beginLogIn,
  logInByApp,
  stepOf,
} from '#test/harness/second-factors.ts';
import {
  buildOwner,
  buildWorld,
  knownBrowser,
  type Owner,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

const NEW_PASSWORD = 'a new and longer one';

let mailServer: MailServer;
let product: TestProduct;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ env: { SMTP_URL: mailServer.url, TRUST_PROXY: '127.0.0.1,::1' } });
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
});

const self = ({ id }: Owner) => ({ params: { id } });
const codeOf = (refused: { errors: { code: string }[] }) => refused.errors[0]?.code;

const subjectsTo = ({ email }: Owner) =>
  mailServer.mails.filter(({ to }) => to?.some((one) => one.address === email)).map(({ subject }) => subject);

async function sessionsOf({ id }: Owner): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    'select count(*)::int as count from sessions where user_id = $1 and revoked_at is null',
    [id],
  );
  return rows[0]?.count ?? -1;
}

/** Codes are by half minutes: what is about the steps beside this one has all of it ahead. */
function toStepStart(): void {
  const into = (product.clock.now().getTime() / 1000) % 30;
  product.clock.advance({ seconds: 31 - into });
}

const byCode = (ticket: string, code: string) => ({ body: { ticket, way: 'totp' as const, code } });
const byRecovery = (ticket: string, code: string) => ({
  body: { ticket, way: 'recovery_code' as const, code },
});

/** Six digits that the app shows neither now nor in the steps beside. */
function wrongCode(app: AuthenticatorApp): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => app.code(steps));
  return (
    ['111111', '222222', '333333', '444444', '555555', '666666'].find((one) => !right.includes(one)) ?? ''
  );
}

describe('an account without a second factor', () => {
  it('logs in by one call, with the four fields of the specification and nothing else', async () => {
    const nora = await buildOwner(product);
    const tokens = await product.call(logIn, { body: { username: nora.username, password: PASSWORD } });
    expect(Object.keys(tokens).toSorted()).toEqual([
      'access_token',
      'organization_id',
      'refresh_token',
      'user_id',
    ]);
  });
});

describe('the first step alone', () => {
  it('opens no session: it returns a ticket, the available methods, and no token', async () => {
    const nora = await buildOwner(product);
    await addAppTo(product, nora);
    const before = await sessionsOf(nora);
    const refused = await product.refuse(logIn, { body: { username: nora.username, password: PASSWORD } });
    expect([refused.status, codeOf(refused)]).toEqual([403, 'second_factor_required']);
    expect(stepOf(refused)).toMatchObject({ ways: ['totp', 'recovery_code'], passkey: null });
    expect(JSON.stringify(refused.data)).not.toContain('access_token');
    expect(await sessionsOf(nora)).toBe(before);
  });

  it('with a wrong password reveals nothing about a second factor', async () => {
    const nora = await buildOwner(product);
    await addAppTo(product, nora);
    const refused = await product.refuse(logIn, { body: { username: nora.username, password: 'wrong' } });
    expect([refused.status, codeOf(refused), refused.data]).toEqual([401, 'invalid_credentials', null]);
  });

  it('does not remember the device, sends no new-device mail', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const first = await fetch(`${product.url}/api/core/v1/users/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: nora.username, password: PASSWORD }),
    });
    expect(first.headers.get('set-cookie')).toBeNull();
    await logInByApp(product, nora, app);
    await expect.poll(() => subjectsTo(nora)).toContain('New login to your account');
    expect(subjectsTo(nora).filter((one) => one?.startsWith('New login'))).toHaveLength(1);
  });
});

describe('a ticket', () => {
  it('is valid once', async () => {
    const nora = await buildOwner(product);
    const { app, codes } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    await product.call(finishLogIn, byCode(ticket, app.code()));
    const again = await product.refuse(finishLogIn, byRecovery(ticket, codes[0] ?? ''));
    expect([again.status, codeOf(again)]).toEqual([409, 'link_used']);
    // What was refused cost no recovery code.
    expect((await product.call(listSecondFactors, self(nora), nora)).recovery_codes?.left).toBe(10);
  });

  it('is valid once even for two who send it at the same moment', async () => {
    const nora = await buildOwner(product);
    const { codes } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    const before = await sessionsOf(nora);
    const tries = codes.slice(0, 5).map((code) => product.call(finishLogIn, byRecovery(ticket, code)));
    const done = await Promise.allSettled(tries);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await sessionsOf(nora)).toBe(before + 1);
  });

  it('ends after ten minutes', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    product.clock.advance({ minutes: 10 });
    const refused = await product.refuse(finishLogIn, byCode(ticket, app.code()));
    expect([refused.status, codeOf(refused)]).toEqual([409, 'link_used']);
  });

  it('ends with the password that it was issued for', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    await product.call(resetPassword, { body: { current_password: PASSWORD, password: NEW_PASSWORD } }, nora);
    expect(codeOf(await product.refuse(finishLogIn, byCode(ticket, app.code())))).toBe('link_used');
    const fresh = await beginLogIn(product, nora, NEW_PASSWORD);
    await product.call(finishLogIn, byCode(fresh.ticket, app.code()));
  });

  it('opens only its own account', async () => {
    const [nora, eve] = [await buildOwner(product), await buildOwner(product, 'eve')];
    await addAppTo(product, nora);
    const { app, codes } = await addAppTo(product, eve);
    const { ticket } = await beginLogIn(product, nora);
    expect(codeOf(await product.refuse(finishLogIn, byCode(ticket, app.code())))).toBe('second_factor_wrong');
    expect(codeOf(await product.refuse(finishLogIn, byRecovery(ticket, codes[0] ?? '')))).toBe(
      'second_factor_wrong',
    );
  });

  it('accepts the methods that it offered and no other', async () => {
    const nora = await buildOwner(product);
    await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    // Added meanwhile, by somebody in another session.
    const { authenticator } = await addPasskeyTo(product, nora);
    const step = await beginLogIn(product, nora);
    if (step.passkey === null) throw new Error('no passkey was offered');
    const assertion = authenticator.get(step.passkey);
    const refused = await product.refuse(finishLogIn, { body: { ticket, way: 'passkey', assertion } });
    expect([refused.status, codeOf(refused)]).toEqual([401, 'second_factor_wrong']);
  });

  it('that is forged, altered, or for another purpose is rejected', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    const flipped = `${ticket.slice(0, 40)}${ticket[40] === 'A' ? 'B' : 'A'}${ticket.slice(41)}`;
    const { ticket: other } = await product.call(startReauthentication, self(nora), nora);
    const { setup } = await product.call(startPasskey, self(nora), nora);
    for (const forged of ['x', 'A'.repeat(300), flipped, other, setup]) {
      const refused = await product.refuse(finishLogIn, byCode(forged, app.code()));
      expect([refused.status, codeOf(refused)]).toEqual([409, 'link_used']);
    }
    await product.call(finishLogIn, byCode(ticket, app.code()));
  });

  it('contains nothing readable', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    const text = Buffer.from(ticket, 'base64url').toString('latin1');
    for (const secret of [nora.id, nora.username, app.secret]) expect(text).not.toContain(secret);
  });
});

describe('a code of the authenticator app', () => {
  it('is accepted one step before and after its time, and no further', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const finish = async (steps: number) => {
      await product.testDatabase.owner.query('update totp_factors set last_step = 0 where user_id = $1', [
        nora.id,
      ]);
      toStepStart();
      const { ticket } = await beginLogIn(product, nora);
      return product.call(finishLogIn, byCode(ticket, app.code(steps))).then(
        () => 'in',
        () => 'refused',
      );
    };
    const seen: string[] = [];
    for (const steps of [-2, -1, 0, 1, 2]) seen.push(await finish(steps));
    expect(seen).toEqual(['refused', 'in', 'in', 'in', 'refused']);
  });

  it('is accepted once, and no earlier one afterwards', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    toStepStart();
    const [before, code] = [app.code(-1), app.code()];
    const first = await beginLogIn(product, nora);
    await product.call(finishLogIn, byCode(first.ticket, code));
    for (const used of [code, before]) {
      const { ticket } = await beginLogIn(product, nora);
      const refused = await product.refuse(finishLogIn, byCode(ticket, used));
      expect([refused.status, codeOf(refused)]).toEqual([401, 'second_factor_wrong']);
    }
  });

  it('is accepted once even in two logins at the same moment, and also where it proved presence', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const tickets = [await beginLogIn(product, nora), await beginLogIn(product, nora)];
    const code = app.code();
    const done = await Promise.allSettled(
      tickets.map(({ ticket }) => product.call(finishLogIn, byCode(ticket, code))),
    );
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { ticket } = await product.call(startReauthentication, self(nora), nora);
    const again = { ...self(nora), body: { ticket, way: 'totp' as const, code } };
    expect((await product.refuse(reauthenticate, again, nora)).status).toBe(422);
  });

  it('from the set-up does not log in', async () => {
    const nora = await buildOwner(product);
    toStepStart();
    const { secret, setup } = await product.call(startTotp, self(nora), nora);
    const code = authenticatorApp(product, secret).code();
    await product.call(addTotp, { ...self(nora), body: { setup, code } }, nora);
    const { ticket } = await beginLogIn(product, nora);
    expect((await product.refuse(finishLogIn, byCode(ticket, code))).status).toBe(401);
  });

  it('is accepted as the app shows it, in two groups', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    const code = app.code();
    await product.call(finishLogIn, byCode(ticket, `${code.slice(0, 3)} ${code.slice(3)}`));
  });
});

describe('guessing', () => {
  it('ends after ten wrong codes in a quarter of an hour, over all tickets, and the owner is emailed once', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const tickets = [await beginLogIn(product, nora), await beginLogIn(product, nora)];
    const statuses: number[] = [];
    for (let count = 0; count < 13; count += 1) {
      const ticket = tickets[count % 2]?.ticket ?? '';
      statuses.push((await product.refuse(finishLogIn, byCode(ticket, wrongCode(app)))).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.slice(10)).toEqual([429, 429, 429]);
    const { ticket } = await beginLogIn(product, nora);
    expect((await product.refuse(finishLogIn, byCode(ticket, app.code()))).status).toBe(429);
    await expect.poll(() => subjectsTo(nora)).toContain('Someone knows your password');
    expect(subjectsTo(nora).filter((one) => one === 'Someone knows your password')).toHaveLength(1);
  });

  it('of recovery codes and passkeys is counted with it', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { authenticator } = await addPasskeyTo(product, nora);
    const statuses: number[] = [];
    const { ticket, passkey } = await beginLogIn(product, nora);
    if (passkey === null) throw new Error('no passkey was offered');
    for (let count = 0; count < 12; count += 1) {
      const given = [
        byCode(ticket, wrongCode(app)),
        byRecovery(ticket, 'AAAAA-AAAAA'),
        {
          body: { ticket, way: 'passkey' as const, assertion: authenticator.get(passkey, { forged: true }) },
        },
      ][count % 3];
      if (given === undefined) throw new Error('out of range');
      statuses.push((await product.refuse(finishLogIn, given)).status);
    }
    expect(statuses.slice(9)).toEqual([401, 429, 429]);
  });

  it('does not lock the owner out on a device that the account knows', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    for (let count = 0; count < 11; count += 1) {
      await product.refuse(finishLogIn, byCode(ticket, wrongCode(app)));
    }
    expect((await product.refuse(finishLogIn, byCode(ticket, app.code()))).status).toBe(429);
    await product.call(finishLogIn, byCode(ticket, app.code()), knownBrowser(product, nora));
  });

  it('has a daily limit, too', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { ticket } = await beginLogIn(product, nora);
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) {
      // As if each quarter of an hour were over after nine tries: their limits are not reached.
      if (count % 9 === 0) {
        await product.testDatabase.owner.query(
          `delete from rate_limits where key not like 'second-factor-day%'`,
        );
      }
      statuses.push((await product.refuse(finishLogIn, byCode(ticket, wrongCode(app)))).status);
    }
    expect(statuses.slice(28)).toEqual([401, 401, 429, 429]);
  });
});

describe('a recovery code', () => {
  it('works once, however it is typed, and the owner is emailed how many are left', async () => {
    const nora = await buildOwner(product);
    const { codes } = await addAppTo(product, nora);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    const typed = ` ${(codes[3] ?? '').toLowerCase().replace('-', ' ')} `;
    const first = await beginLogIn(product, nora);
    await product.call(finishLogIn, byRecovery(first.ticket, typed));
    const second = await beginLogIn(product, nora);
    const refused = await product.refuse(finishLogIn, byRecovery(second.ticket, codes[3] ?? ''));
    expect([refused.status, codeOf(refused)]).toEqual([401, 'second_factor_wrong']);
    const { recovery_codes: left } = await product.call(listSecondFactors, self(nora), nora);
    expect(left?.left).toBe(9);
    const mail = () => mailServer.mails.find(({ subject }) => subject === 'A recovery code was used');
    await expect.poll(mail).toBeDefined();
    expect(mail()?.text).toContain('Codes left: 9.');
  });

  it('is no longer offered once all are used, and new ones replace the previous ones', async () => {
    const nora = await buildOwner(product);
    const { codes } = await addAppTo(product, nora);
    const before = codes[0] ?? '';
    const fresh = await product.call(createRecoveryCodes, self(nora), nora);
    const { ticket } = await beginLogIn(product, nora);
    expect((await product.refuse(finishLogIn, byRecovery(ticket, before))).status).toBe(401);
    for (const code of fresh.recovery_codes) {
      const step = await beginLogIn(product, nora);
      await product.call(finishLogIn, byRecovery(step.ticket, code));
    }
    expect((await beginLogIn(product, nora)).ways).toEqual(['totp']);
  });

  it('is not stored readably, like the secret of the app, and is not in the export', async () => {
    const nora = await buildOwner(product);
    const { app, codes } = await addAppTo(product, nora);
    const { rows } = await product.testDatabase.owner.query<{ row: string }>(
      `select totp_factors::text as row from totp_factors union all select recovery_codes::text from recovery_codes`,
    );
    const kept = rows.map(({ row }) => row).join('\n');
    const data = JSON.stringify(await product.call(exportAccount, self(nora), nora));
    for (const secret of [app.secret, ...codes, ...codes.map((code) => code.replace('-', ''))]) {
      expect(kept).not.toContain(secret);
      expect(kept).not.toContain(Buffer.from(secret).toString('hex'));
      expect(data).not.toContain(secret);
    }
    expect(data).toContain('"second_factors"');
  });
});

describe('a passkey', () => {
  it('logs in, and is listed with its name, its day and its last use', async () => {
    const nora = await buildOwner(product);
    const { authenticator, id, codes } = await addPasskeyTo(product, nora, 'Nora’s phone');
    expect(codes).toHaveLength(10);
    const { ticket, passkey, ways } = await beginLogIn(product, nora);
    expect(ways).toEqual(['passkey', 'recovery_code']);
    if (passkey === null) throw new Error('no passkey was offered');
    expect(passkey).toMatchObject({ rpId: 'localhost', userVerification: 'preferred' });
    await product.call(finishLogIn, {
      body: { ticket, way: 'passkey', assertion: authenticator.get(passkey) },
    });
    const { passkeys } = await product.call(listSecondFactors, self(nora), nora);
    expect(passkeys).toMatchObject([{ id, name: 'Nora’s phone', is_blocked: false }]);
    expect(passkeys[0]?.last_used_at).not.toBeNull();
  });

  it.each([
    ['for another host', { rpId: 'evil.example' }],
    ['on another page', { origin: 'https://evil.example' }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['as if one was made', { type: 'webauthn.create' }],
    ['by another key', { forged: true }],
    ['that the account does not have', { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('used %s is rejected: 401', async (_what, lies) => {
    const nora = await buildOwner(product);
    const { authenticator } = await addPasskeyTo(product, nora);
    const { ticket, passkey } = await beginLogIn(product, nora);
    if (passkey === null) throw new Error('no passkey was offered');
    const assertion = authenticator.get(passkey, lies);
    const refused = await product.refuse(finishLogIn, { body: { ticket, way: 'passkey', assertion } });
    expect([refused.status, codeOf(refused)]).toEqual([401, 'second_factor_wrong']);
    const right = authenticator.get(passkey);
    await product.call(finishLogIn, { body: { ticket, way: 'passkey', assertion: right } });
  });

  it('of one login does not open the next one', async () => {
    const nora = await buildOwner(product);
    const { authenticator } = await addPasskeyTo(product, nora);
    const first = await beginLogIn(product, nora);
    const second = await beginLogIn(product, nora);
    if (first.passkey === null) throw new Error('no passkey was offered');
    const body = {
      ticket: second.ticket,
      way: 'passkey' as const,
      assertion: authenticator.get(first.passkey),
    };
    expect((await product.refuse(finishLogIn, { body })).status).toBe(401);
  });

  it('whose counter goes backwards is blocked and reported; the password alone still opens nothing', async () => {
    const nora = await buildOwner(product);
    const { authenticator, codes } = await addPasskeyTo(product, nora, 'Copied key');
    const lately = await beginLogIn(product, nora);
    if (lately.passkey === null) throw new Error('no passkey was offered');
    const ahead = authenticator.get(lately.passkey, { counter: 50 });
    await product.call(finishLogIn, { body: { ticket: lately.ticket, way: 'passkey', assertion: ahead } });
    const step = await beginLogIn(product, nora);
    if (step.passkey === null) throw new Error('no passkey was offered');
    const copy = authenticator.get(step.passkey, { counter: 50 });
    const refused = await product.refuse(finishLogIn, {
      body: { ticket: step.ticket, way: 'passkey', assertion: copy },
    });
    expect(refused.status).toBe(401);
    await expect.poll(() => subjectsTo(nora)).toContain('We blocked one of your passkeys');
    const after = await beginLogIn(product, nora);
    expect(after).toMatchObject({ ways: ['recovery_code'], passkey: null });
    await product.call(finishLogIn, byRecovery(after.ticket, codes[0] ?? ''));
    const { passkeys } = await product.call(listSecondFactors, self(nora), nora);
    expect(passkeys).toMatchObject([{ name: 'Copied key', is_blocked: true }]);
  });

  it('is not blocked by somebody who makes up a counter', async () => {
    const nora = await buildOwner(product);
    const { authenticator } = await addPasskeyTo(product, nora);
    const { ticket, passkey } = await beginLogIn(product, nora);
    if (passkey === null) throw new Error('no passkey was offered');
    const lie = authenticator.get(passkey, { counter: 0, forged: true });
    await product.refuse(finishLogIn, { body: { ticket, way: 'passkey', assertion: lie } });
    const assertion = authenticator.get(passkey);
    await product.call(finishLogIn, { body: { ticket, way: 'passkey', assertion } });
  });

  it('without a counter, like synced ones, works again and again', async () => {
    const nora = await buildOwner(product);
    const authenticator = newAuthenticator(product.url);
    const { options, setup } = await product.call(startPasskey, self(nora), nora);
    const attestation = authenticator.create(options, { counter: 0 });
    await product.call(addPasskey, { ...self(nora), body: { setup, name: 'Synced', attestation } }, nora);
    for (let count = 0; count < 2; count += 1) {
      const { ticket, passkey } = await beginLogIn(product, nora);
      if (passkey === null) throw new Error('no passkey was offered');
      const assertion = authenticator.get(passkey, { counter: 0 });
      await product.call(finishLogIn, { body: { ticket, way: 'passkey', assertion } });
    }
  });

  it('can be added only with what was begun for this account, here, and once', async () => {
    const [nora, eve] = [await buildOwner(product), await buildOwner(product, 'eve')];
    const authenticator = newAuthenticator(product.url);
    const { options, setup } = await product.call(startPasskey, self(nora), nora);
    const add = (owner: Owner, attestation = authenticator.create(options)) =>
      product.refuse(addPasskey, { ...self(owner), body: { setup, name: 'Key', attestation } }, owner);
    expect((await add(eve)).status).toBe(409);
    for (const lies of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { challenge: 'AAAA' },
    ]) {
      expect((await add(nora, authenticator.create(options, lies))).errors[0]?.field).toBe('attestation');
    }
    const body = { setup, name: 'Key', attestation: authenticator.create(options) };
    await product.call(addPasskey, { ...self(nora), body }, nora);
    expect(codeOf(await add(nora))).toBe('link_used');
    const again = await product.call(startPasskey, self(eve), eve);
    const taken = { setup: again.setup, name: 'Hers', attestation: authenticator.create(again.options) };
    expect(codeOf(await product.refuse(addPasskey, { ...self(eve), body: taken }, eve))).toBe('conflict');
  });

  it('of somebody else cannot be renamed or removed: 404', async () => {
    const [nora, eve] = [await buildOwner(product), await buildOwner(product, 'eve')];
    const { id } = await addPasskeyTo(product, nora);
    const params = { id: eve.id, passkey_id: id };
    expect((await product.refuse(removePasskey, { params }, eve)).status).toBe(404);
    expect((await product.refuse(renamePasskey, { params, body: { name: 'Mine' } }, eve)).status).toBe(404);
    expect((await product.refuse(listSecondFactors, self(nora), eve)).status).toBe(404);
  });

  it(`is one of ${MAX_PASSKEYS} at most`, async () => {
    const nora = await buildOwner(product);
    for (let count = 0; count < MAX_PASSKEYS; count += 1) await addPasskeyTo(product, nora, `Key ${count}`);
    expect(codeOf(await product.refuse(startPasskey, self(nora), nora))).toBe('limit_reached');
  });
});

describe('adding and removing a factor', () => {
  it('requires a login, a password or a factor of the last ten minutes', async () => {
    const nora = await buildOwner(product);
    const { app, codes } = await addAppTo(product, nora);
    const { id } = await addPasskeyTo(product, nora);
    const changes = () => [
      product.refuse(startTotp, self(nora), nora),
      product.refuse(removeTotp, self(nora), nora),
      product.refuse(startPasskey, self(nora), nora),
      product.refuse(removePasskey, { params: { id: nora.id, passkey_id: id } }, nora),
      product.refuse(createRecoveryCodes, self(nora), nora),
    ];
    const lateBy = async (minutes: number) => {
      product.clock.advance({ minutes });
      const { access_token } = await product.call(refreshTokens, {
        body: { refresh_token: nora.refreshToken },
      });
      nora.token = access_token;
    };
    await lateBy(11);
    for (const refused of await Promise.all(changes())) {
      expect([refused.status, codeOf(refused)]).toEqual([403, 'reauthentication_required']);
    }
    expect((await product.call(startReauthentication, self(nora), nora)).is_recent).toBe(false);
    const wrong = { ...self(nora), body: { way: 'password' as const, password: 'wrong' } };
    expect((await product.refuse(reauthenticate, wrong, nora)).errors[0]).toMatchObject({
      code: 'invalid_field',
      field: 'password',
    });
    await product.call(
      reauthenticate,
      { ...self(nora), body: { way: 'password', password: PASSWORD } },
      nora,
    );
    await product.call(createRecoveryCodes, self(nora), nora);
    product.clock.advance({ minutes: 11 });
    nora.token = (await logInByApp(product, nora, app)).access_token;
    await product.call(removePasskey, { params: { id: nora.id, passkey_id: id } }, nora);
    expect(codes).toHaveLength(10);
  });

  it('accepts what somebody has proved in their own session only', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const other = await logInByApp(product, nora, app);
    product.clock.advance({ minutes: 11 });
    const trade = async (refresh_token: string) => ({
      token: (await product.call(refreshTokens, { body: { refresh_token } })).access_token,
    });
    const [here, there] = [await trade(nora.refreshToken), await trade(other.refresh_token)];
    const { ticket } = await product.call(startReauthentication, self(nora), here);
    const body = { ticket, way: 'totp' as const, code: app.code() };
    expect(codeOf(await product.refuse(reauthenticate, { ...self(nora), body }, there))).toBe('link_used');
    await product.call(reauthenticate, { ...self(nora), body }, here);
    expect((await product.refuse(removeTotp, self(nora), there)).status).toBe(403);
    await product.call(removeTotp, self(nora), here);
  });

  it('allows ten wrong attempts at most', async () => {
    const nora = await buildOwner(product);
    const guess = () => {
      const body = { way: 'password' as const, password: 'wrong' };
      return product.refuse(reauthenticate, { ...self(nora), body }, nora);
    };
    for (let count = 0; count < 10; count += 1) expect((await guess()).status).toBe(422);
    expect((await guess()).status).toBe(429);
  });

  it('is emailed to the owner, and in the audit log of every site', async () => {
    const world = await buildWorld(product);
    const { owner, params } = world;
    // Each email is awaited: two under way together may arrive in either order.
    const told = async (count: number) => {
      await expect.poll(() => subjectsTo(owner)).toHaveLength(count);
    };
    const { id } = await addPasskeyTo(product, owner, 'Blue key');
    await told(1);
    await addAppTo(product, owner);
    await told(2);
    await product.call(createRecoveryCodes, self(owner), owner);
    await told(3);
    await product.call(removePasskey, { params: { id: owner.id, passkey_id: id } }, owner);
    await told(4);
    await product.call(removeTotp, self(owner), owner);
    await told(5);
    expect(subjectsTo(owner)).toEqual([
      'A second factor was added to your account',
      'A second factor was added to your account',
      'New recovery codes for your account',
      'A second factor was removed from your account',
      'A second factor was removed from your account',
    ]);
    const { results } = await product.call(listAuditLog, { params, query: { noun: 'account' } }, owner);
    expect(results.map(({ event, subject_name: name }) => [event, name])).toEqual([
      ['account.second_factor_removed', 'TOTP'],
      ['account.second_factor_removed', 'Blue key'],
      ['account.recovery_codes_created', null],
      ['account.second_factor_added', 'TOTP'],
      ['account.second_factor_added', 'Blue key'],
    ]);
    expect(results[0]).toMatchObject({ actor: { kind: 'user', id: owner.id }, subject_id: owner.id });
  });

  it('is refused in somebody else’s set-up, in one that took too long, and without the right code', async () => {
    const [nora, eve] = [await buildOwner(product), await buildOwner(product, 'eve')];
    const { secret, setup } = await product.call(startTotp, self(nora), nora);
    const app = authenticatorApp(product, secret);
    const add = (owner: Owner, code: string) =>
      product.refuse(addTotp, { ...self(owner), body: { setup, code } }, owner);
    expect(codeOf(await add(eve, app.code()))).toBe('link_used');
    expect((await add(nora, wrongCode(app))).errors[0]).toMatchObject({ field: 'code' });
    product.clock.advance({ minutes: 10 });
    const { access_token } = await product.call(refreshTokens, {
      body: { refresh_token: nora.refreshToken },
    });
    nora.token = access_token;
    expect(codeOf(await add(nora, app.code()))).toBe('link_used');
    expect((await product.call(listSecondFactors, self(nora), nora)).totp).toBeNull();
  });

  it('deletes the recovery codes with the last factor, and the password logs in again', async () => {
    const nora = await buildOwner(product);
    await addAppTo(product, nora);
    const left = await product.call(removeTotp, self(nora), nora);
    expect(left).toMatchObject({ totp: null, passkeys: [], recovery_codes: null });
    await product.call(logIn, { body: { username: nora.username, password: PASSWORD } });
  });
});

/** As an emailed link did once. */
const proveMailboxOf = ({ id }: Owner) =>
  product.testDatabase.owner.query('update users set email_proven_at = created_at where id = $1', [id]);

describe('a new password', () => {
  it('by an emailed link leaves the second factor as it is', async () => {
    const nora = await buildOwner(product);
    await proveMailboxOf(nora);
    const { app } = await addAppTo(product, nora);
    await product.call(resetPassword, { body: { email: nora.email } });
    const found = () => mailServer.mails.find(({ text }) => text?.includes('/reset-password?token='));
    await expect.poll(found).toBeDefined();
    const token = /token=([\w-]+)/.exec(found()?.text ?? '')?.[1] ?? '';
    await product.call(resetPassword, { body: { token, password: NEW_PASSWORD } });
    const { ticket } = await beginLogIn(product, nora, NEW_PASSWORD);
    await product.call(finishLogIn, byCode(ticket, app.code()));
  });
});

describe('a restored email address', () => {
  it('removes the thief’s factor, and leaves one from long before', async () => {
    const nora = await buildOwner(product);
    await proveMailboxOf(nora);
    const { app } = await addAppTo(product, nora);
    product.clock.advance({ days: 30 });
    nora.token = (await logInByApp(product, nora, app)).access_token;
    await addPasskeyTo(product, nora, 'Of the thief');
    const thief = `thief-${nora.username}@example.com`;
    const body = { email: thief, current_password: PASSWORD };
    await product.call(changeEmail, { ...self(nora), body }, nora);
    const token = async (subject: string) => {
      const found = () => mailServer.mails.find((mail) => mail.subject === subject);
      await expect.poll(found).toBeDefined();
      return /token=([\w-]+)/.exec(found()?.text ?? '')?.[1] ?? '';
    };
    await product.call(confirmAccountLink, { body: { token: await token('Confirm your new email') } });
    const back = await token('Your account email was changed');
    const { reset_token } = await product.call(confirmAccountLink, { body: { token: back } });
    await product.call(resetPassword, { body: { token: reset_token ?? '', password: NEW_PASSWORD } });
    const step = await beginLogIn(product, nora, NEW_PASSWORD);
    expect(step.ways).toEqual(['totp', 'recovery_code']);
    product.clock.advance({ seconds: 30 });
    await product.call(finishLogIn, byCode(step.ticket, app.code()));
  });
});

describe('an organization that requires a second factor', () => {
  const rule = (world: World, required: boolean) => ({
    params: { id: world.params.organization_id },
    body: { required },
  });

  /** Somebody who was invited, and accepted. */
  async function join({ owner, params }: World, role: 'editor' | 'admin'): Promise<Owner> {
    const colleague = await buildOwner(product, role);
    const body = { email: colleague.email, role };
    await product.call(inviteMember, { params, body }, owner);
    const mail = () => mailServer.mails.find(({ to }) => to?.some((one) => one.address === colleague.email));
    await expect.poll(mail).toBeDefined();
    const token = /token=([\w-]+)/.exec(mail()?.text ?? '')?.[1] ?? '';
    await product.call(acceptInvitation, { body: { token } }, colleague);
    return colleague;
  }

  it('is led by somebody who has one', async () => {
    const world = await buildWorld(product);
    const refused = await product.refuse(requireSecondFactor, rule(world, true), world.owner);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'second_factor_setup_required']);
    const id = world.params.organization_id;
    const read = () => product.call(getOrganization, { params: { id } }, world.owner);
    expect((await read()).requires_second_factor).toBe(false);
    await addPasskeyTo(product, world.owner);
    await product.call(requireSecondFactor, rule(world, true), world.owner);
    expect((await read()).requires_second_factor).toBe(true);
  });

  it('can be set up only by owners, and the audit log says so', async () => {
    const world = await buildWorld(product);
    const admin = await join(world, 'admin');
    await addPasskeyTo(product, admin);
    expect((await product.refuse(requireSecondFactor, rule(world, true), admin)).status).toBe(403);
    await addPasskeyTo(product, world.owner);
    for (const required of [true, true, false]) {
      await product.call(requireSecondFactor, rule(world, required), world.owner);
    }
    const query = { noun: 'organization' as const };
    const { results } = await product.call(listAuditLog, { params: world.params, query }, world.owner);
    expect(results.map(({ event }) => event)).toEqual([
      'organization.second_factor_optional',
      'organization.second_factor_required',
    ]);
  });

  it('touches neither open sessions nor API keys', async () => {
    const world = await buildWorld(product);
    const { params, owner } = world;
    const editor = await join(world, 'editor');
    const { key } = await product.call(
      createApiKey,
      { params, body: { name: 'Shop', scopes: ['read'] } },
      owner,
    );
    await addPasskeyTo(product, owner);
    await product.call(requireSecondFactor, rule(world, true), owner);
    await product.call(listLists, { params }, editor);
    const renewed = await product.call(refreshTokens, { body: { refresh_token: editor.refreshToken } });
    await product.call(listLists, { params }, { token: renewed.access_token });
    await product.call(listLists, { params }, { token: key });
  });

  it('lets members without one only set one up at their next login', async () => {
    const world = await buildWorld(product);
    const { params } = world;
    const editor = await join(world, 'editor');
    await addPasskeyTo(product, world.owner);
    await product.call(requireSecondFactor, rule(world, true), world.owner);
    const body = { username: editor.username, password: PASSWORD };
    const tokens = await product.call(logIn, { body });
    const fresh = { ...editor, token: tokens.access_token, refreshToken: tokens.refresh_token };
    const refusals = [
      await product.refuse(listLists, { params }, fresh),
      await product.refuse(getOrganization, { params: { id: params.organization_id } }, fresh),
      await product.refuse(listConnectors, {}, fresh),
      await product.refuse(exportAccount, self(fresh), fresh),
    ];
    for (const refused of refusals) {
      expect([refused.status, codeOf(refused)]).toEqual([403, 'second_factor_setup_required']);
    }
    // Renewing the session is no way around it.
    const { access_token } = await product.call(refreshTokens, {
      body: { refresh_token: fresh.refreshToken },
    });
    fresh.token = access_token;
    expect((await product.refuse(listLists, { params }, fresh)).status).toBe(403);
    await product.call(getAccount, self(fresh), fresh);
    await product.call(updateAccount, { ...self(fresh), body: { attrs: { language: 'de' } } }, fresh);
    expect((await product.call(listSecondFactors, self(fresh), fresh)).is_required).toBe(true);
    await addAppTo(product, fresh);
    await product.call(listLists, { params }, fresh);
  });

  it('does not let a member remove the last factor: 409', async () => {
    const world = await buildWorld(product);
    const { owner } = world;
    const { id } = await addPasskeyTo(product, owner);
    await product.call(requireSecondFactor, rule(world, true), owner);
    const remove = { params: { id: owner.id, passkey_id: id } };
    const refused = await product.refuse(removePasskey, remove, owner);
    expect([refused.status, codeOf(refused)]).toEqual([409, 'last_second_factor']);
    expect((await product.call(listSecondFactors, self(owner), owner)).passkeys).toHaveLength(1);
    await addAppTo(product, owner);
    await product.call(removePasskey, remove, owner);
    expect((await product.refuse(removeTotp, self(owner), owner)).status).toBe(409);
    await product.call(requireSecondFactor, rule(world, false), owner);
    await product.call(removeTotp, self(owner), owner);
  });

  it('requires it at once from those who join', async () => {
    const world = await buildWorld(product);
    const { owner, params } = world;
    await addPasskeyTo(product, owner);
    await product.call(requireSecondFactor, rule(world, true), owner);
    const nina = await join(world, 'editor');
    expect(codeOf(await product.refuse(listLists, { params }, nina))).toBe('second_factor_setup_required');
    await addPasskeyTo(product, nina);
    await product.call(listLists, { params }, nina);
  });

  it('requires nothing any more once it stops requiring one', async () => {
    const world = await buildWorld(product);
    const { owner, params } = world;
    const editor = await join(world, 'editor');
    await addPasskeyTo(product, owner);
    await product.call(requireSecondFactor, rule(world, true), owner);
    const body = { username: editor.username, password: PASSWORD };
    const token = (await product.call(logIn, { body })).access_token;
    expect((await product.refuse(listLists, { params }, { token })).status).toBe(403);
    await product.call(requireSecondFactor, rule(world, false), owner);
    await product.call(listLists, { params }, { token });
  });
});

describe('a new SECRET_KEY', () => {
  it('re-encrypts the secrets of authenticator apps, which still work without the old key', async () => {
    const nora = await buildOwner(product);
    const { app } = await addAppTo(product, nora);
    const { keyring } = product.services;
    const [old, fresh] = ['o'.repeat(40), 'f'.repeat(40)];
    try {
      Object.assign(product.services, { keyring: createKeyring([old]) });
      await product.testDatabase.owner.query('delete from totp_factors where user_id <> $1', [nora.id]);
      const owner = Buffer.from(nora.id.replaceAll('-', ''), 'hex');
      const sealed = product.services.keyring.seal('totp-secret', Buffer.from(app.secret), owner);
      await product.testDatabase.owner.query('update totp_factors set secret_sealed = $1', [sealed]);
      Object.assign(product.services, { keyring: createKeyring([fresh, old]) });
      expect((await reencryptAll(product.services)).reencrypted).toBe(1);
      Object.assign(product.services, { keyring: createKeyring([fresh]) });
      await logInByApp(product, nora, app);
    } finally {
      Object.assign(product.services, { keyring });
    }
  });
});

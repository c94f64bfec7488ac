import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelEmailChange,
  changeEmail,
  confirmAccountLink,
  readAccountLink,
} from '#contract/account-links.ts';
import { getAccount, resetPassword, signUp } from '#contract/accounts.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner, knownBrowser, type Owner, PASSWORD } from '#test/harness/world.ts';

const NEW_PASSWORD = 'a new and longer one';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

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

interface Tried {
  status: number;
  cookie: string;
}

/** A log-in as a browser makes it. */
async function tryLogIn(
  username: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Tried> {
  const response = await fetch(`${product.url}/api/core/v1/users/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ username, password }),
  });
  await response.arrayBuffer();
  const [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? [];
  return { status: response.status, cookie };
}

async function statusesOf(count: number, attempt: (index: number) => Promise<Tried>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await attempt(index)).status);
  return statuses;
}

const mailsTo = (address: string) =>
  mailServer.mails.filter(({ to }) => to?.some((one) => one.address === address));

/** The link in the next mail with this subject. */
async function tokenMailedTo(address: string, subject: string): Promise<string> {
  const found = () => mailsTo(address).find((mail) => mail.subject === subject);
  await expect.poll(found).toBeDefined();
  return /token=([\w-]+)/.exec(found()?.text ?? '')?.[1] ?? '';
}

const read = (owner: Owner) => product.call(getAccount, { params: { id: owner.id } }, owner);

describe('wrong passwords', () => {
  it('of one account are counted together, however its name is written', async () => {
    const acme = await buildOwner(product, 'acme');
    const fullWidth = [...acme.username].map((one) =>
      /[a-z0-9]/.test(one) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one,
    );
    const spellings = [
      ` ${acme.username} `,
      acme.username.toUpperCase(),
      fullWidth.join(''),
      acme.email,
      `\u00a0${acme.email.toUpperCase()}`,
    ];
    const statuses = await statusesOf(60, (index) =>
      tryLogIn(spellings[index % spellings.length] ?? '', `wrong ${index}`),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  });

  it('for an unknown name are counted the same', async () => {
    const spellings = ['nobody', ' nobody ', 'NOBODY', 'ｎｏｂｏｄｙ'];
    const statuses = await statusesOf(12, (index) => tryLogIn(spellings[index % 4] ?? '', 'wrong'));
    expect(statuses.slice(9)).toEqual([401, 429, 429]);
  });

  it('from one IPv6 network are counted together, whichever of its addresses they come from', async () => {
    const from = (network: string) => (index: number) =>
      tryLogIn(`unknown-${index}`, 'wrong', {
        'x-forwarded-for': `2001:db8:1:${network}::${(index + 1).toString(16)}`,
      });
    const statuses = await statusesOf(102, from('a'));
    expect(statuses.slice(0, 100).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(100)).toEqual([429, 429]);
    expect((await from('b')(1)).status).toBe(401);
  });

  it('from others do not lock the owner out on a device that the account knows', async () => {
    const nora = await buildOwner(product);
    const { cookie } = await tryLogIn(nora.username, PASSWORD);
    const stranger = await statusesOf(20, () => tryLogIn(nora.email, 'wrong'));
    expect(stranger.at(-1)).toBe(429);
    // Somebody else's device is no known one.
    const eve = knownBrowser(product, await buildOwner(product, 'eve'));
    expect((await tryLogIn(nora.username, PASSWORD, eve)).status).toBe(429);
    expect((await tryLogIn(nora.username, PASSWORD)).status).toBe(429);
    expect((await tryLogIn(nora.username, PASSWORD, { cookie })).status).toBe(200);
  });

  it('on a known device have a limit, too, which others do not use up', async () => {
    const nora = await buildOwner(product);
    const { cookie } = await tryLogIn(nora.username, PASSWORD);
    const statuses = await statusesOf(11, () => tryLogIn(nora.username, 'wrong', { cookie }));
    expect(statuses.slice(9)).toEqual([401, 429]);
    expect((await tryLogIn(nora.username, PASSWORD)).status).toBe(200);
  });

  it('are counted despite a forged cookie', async () => {
    const nora = await buildOwner(product);
    await statusesOf(10, () => tryLogIn(nora.username, 'wrong'));
    for (const cookie of ['sayso_device=x', 'sayso_device=', `sayso_device=${'A'.repeat(300)}`]) {
      expect((await tryLogIn(nora.username, PASSWORD, { cookie })).status).toBe(429);
    }
  });
});

describe('a password', () => {
  const guessable = ({ username, email }: { username: string; email: string }) => [
    ['too short', 'short', 'invalid_field'],
    ['the username', username, 'password_is_name'],
    ['the username in capitals', username.toUpperCase(), 'password_is_name'],
    ['the email', email, 'password_is_name'],
    ['what stands before the @', email.split('@')[0], 'password_is_name'],
    ['common', 'password123', 'common_password'],
    ['common, with a capital', 'Password123', 'common_password'],
    ['a row of digits', '1234567890', 'common_password'],
    ['one character again and again', 'aaaaaaaaaa', 'common_password'],
    ['a row of keys', 'qwertyuiop', 'common_password'],
  ];

  it('that is easily guessed is rejected at sign-up, naming the field, and no account is created', async () => {
    const wish = { username: 'wanda-weaver', email: 'wanda.weaver@example.com' };
    for (const [what, password = '', code] of guessable(wish)) {
      const refused = await product.refuse(signUp, { body: { ...wish, password } });
      expect({ what, status: refused.status, ...refused.errors[0] }).toMatchObject({
        what,
        status: 422,
        code,
        field: 'password',
      });
    }
    const made = await product.call(signUp, { body: { ...wish, password: PASSWORD } });
    expect(made.username).toBe('wanda-weaver');
  });

  it('that is easily guessed is rejected as the new one, and the link stays valid', async () => {
    const nora = await buildOwner(product);
    await product.call(resetPassword, { body: { email: nora.email } });
    const token = await tokenMailedTo(nora.email, 'Set a new password');
    for (const password of [nora.username, nora.email, 'password123']) {
      const byLink = await product.refuse(resetPassword, { body: { token, password } });
      expect(byLink).toMatchObject({ status: 422, errors: [{ field: 'password' }] });
      const body = { current_password: PASSWORD, password };
      const changed = await product.refuse(resetPassword, { body }, nora);
      expect(changed).toMatchObject({ status: 422, errors: [{ field: 'password' }] });
    }
    expect((await tryLogIn(nora.username, PASSWORD)).status).toBe(200);
    await product.call(resetPassword, { body: { token, password: NEW_PASSWORD } });
    expect((await tryLogIn(nora.username, NEW_PASSWORD)).status).toBe(200);
  });
});

describe('the owner of an account is notified', () => {
  it('of a new password, however it was set', async () => {
    const nora = await buildOwner(product);
    await product.call(resetPassword, { body: { current_password: PASSWORD, password: NEW_PASSWORD } }, nora);
    const told = () => mailsTo(nora.email).map(({ subject }) => subject);
    await expect.poll(told).toEqual(['Your password was changed']);
    await product.call(resetPassword, { body: { email: nora.email } });
    const token = await tokenMailedTo(nora.email, 'Set a new password');
    await product.call(resetPassword, { body: { token, password: 'yet another longer one' } });
    await expect
      .poll(() => told().filter((subject) => subject === 'Your password was changed'))
      .toHaveLength(2);
  });

  it('of a login on a new device, and not of the next one there', async () => {
    const nora = await buildOwner(product);
    const { cookie } = await tryLogIn(nora.username, PASSWORD, { 'user-agent': FIREFOX });
    await expect.poll(() => mailsTo(nora.email)).toHaveLength(1);
    const [mail] = mailsTo(nora.email);
    expect(mail?.subject).toBe('New login to your account');
    expect(mail?.text).toContain('Device: Firefox, Linux');
    await tryLogIn(nora.username, PASSWORD, { 'user-agent': FIREFOX, cookie });
    await tryLogIn(nora.username, 'wrong', { 'user-agent': FIREFOX });
    await tryLogIn(nora.username, PASSWORD, { 'user-agent': FIREFOX });
    await expect.poll(() => mailsTo(nora.email)).toHaveLength(2);
  });
});

describe('a reset link', () => {
  it('works once, and for 30 minutes', async () => {
    const nora = await buildOwner(product);
    await product.call(resetPassword, { body: { email: nora.email } });
    const late = await tokenMailedTo(nora.email, 'Set a new password');
    product.clock.advance({ minutes: 31 });
    const refused = await product.refuse(resetPassword, { body: { token: late, password: NEW_PASSWORD } });
    expect(refused).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
    mailServer.mails.length = 0;
    await product.call(resetPassword, { body: { email: nora.email } });
    const token = await tokenMailedTo(nora.email, 'Set a new password');
    await product.call(resetPassword, { body: { token, password: NEW_PASSWORD } });
    const again = await product.refuse(resetPassword, { body: { token, password: 'somebody else chose' } });
    expect(again).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
  });
});

describe('the email of an account', () => {
  const change = (owner: Owner, email: string, password: string | undefined = PASSWORD) => ({
    params: { id: owner.id },
    body: { email, ...(password === '' ? {} : { current_password: password }) },
  });

  it('stays until the new mailbox confirms, and the former one is notified then', async () => {
    const nora = await buildOwner(product);
    const email = `moved-${nora.email}`;
    const asked = await product.call(changeEmail, change(nora, email), nora);
    expect(asked).toMatchObject({ email: nora.email, pending_email: email });
    const token = await tokenMailedTo(email, 'Confirm your new email');
    expect(mailsTo(nora.email)).toEqual([]);
    // Opening the link is reading: mail scanners open them all.
    expect((await fetch(`${product.url}/confirm?token=${token}`)).status).toBe(200);
    expect(await product.call(readAccountLink, { body: { token } })).toEqual({
      ...{ kind: 'change_email', email, site_name: null },
    });
    expect((await read(nora)).email).toBe(nora.email);

    await product.call(confirmAccountLink, { body: { token } });
    expect(await read(nora)).toMatchObject({ email, pending_email: null });
    await tokenMailedTo(nora.email, 'Your account email was changed');
    const again = await product.refuse(confirmAccountLink, { body: { token } });
    expect(again).toMatchObject({ status: 409, errors: [{ code: 'link_used' }] });
    expect((await tryLogIn(email, PASSWORD)).status).toBe(200);
    expect((await tryLogIn(nora.email, PASSWORD)).status).toBe(401);
  });

  it('cannot be changed without the current password, nor by somebody else', async () => {
    const nora = await buildOwner(product);
    const eve = await buildOwner(product, 'eve');
    for (const password of ['not the password', '']) {
      const refused = await product.refuse(changeEmail, change(nora, 'n@example.com', password), nora);
      expect(refused).toMatchObject({ status: 422, errors: [{ field: 'current_password' }] });
    }
    expect((await product.refuse(changeEmail, change(nora, 'n@example.com'), eve)).status).toBe(404);
    const taken = await product.refuse(changeEmail, change(nora, ` ${eve.email.toUpperCase()}`), nora);
    expect(taken).toMatchObject({ status: 409, errors: [{ code: 'email_taken', field: 'email' }] });
    expect(mailServer.mails.filter(({ subject }) => subject === 'Confirm your new email')).toEqual([]);
    expect(await read(nora)).toMatchObject({ email: nora.email, pending_email: null });
  });

  it('cannot be changed by a link that was withdrawn, has expired, or was replaced', async () => {
    const nora = await buildOwner(product);
    const tokens: string[] = [];
    for (const name of ['first', 'second']) {
      await product.call(changeEmail, change(nora, `${name}-${nora.email}`), nora);
      tokens.push(await tokenMailedTo(`${name}-${nora.email}`, 'Confirm your new email'));
    }
    const [first = '', second = ''] = tokens;
    expect((await product.refuse(confirmAccountLink, { body: { token: first } })).status).toBe(409);
    await product.call(cancelEmailChange, { params: { id: nora.id } }, nora);
    expect((await product.refuse(confirmAccountLink, { body: { token: second } })).status).toBe(409);
    await product.call(changeEmail, change(nora, `third-${nora.email}`), nora);
    const third = await tokenMailedTo(`third-${nora.email}`, 'Confirm your new email');
    product.clock.advance({ minutes: 61 });
    expect((await product.refuse(confirmAccountLink, { body: { token: third } })).status).toBe(409);
  });

  it('goes to one of two accounts that ask for the same address', async () => {
    const owners = [await buildOwner(product), await buildOwner(product)];
    const email = 'wanted@example.com';
    const tokens: string[] = [];
    for (const owner of owners) {
      mailServer.mails.length = 0;
      await product.call(changeEmail, change(owner, email), owner);
      tokens.push(await tokenMailedTo(email, 'Confirm your new email'));
    }
    const answers = await Promise.all(
      tokens.map((token) =>
        product.call(confirmAccountLink, { body: { token } }).then(
          () => 200,
          (error: { status: number }) => error.status,
        ),
      ),
    );
    expect(answers.toSorted()).toEqual([200, 409]);
  });

  it('can be reverted from the former mailbox, which removes everything that a thief had added', async () => {
    const nora = await buildOwner(product);
    await product.call(resetPassword, { body: { email: nora.email } });
    const oldReset = await tokenMailedTo(nora.email, 'Set a new password');
    // Somebody with the password and a session moves the account away, twice.
    const [first, second] = [`thief-${nora.email}`, `thief2-${nora.email}`];
    const restores: string[] = [];
    for (const [from, to] of [
      [nora.email, first],
      [first, second],
    ]) {
      await product.call(changeEmail, change(nora, to ?? ''), nora);
      const token = await tokenMailedTo(to ?? '', 'Confirm your new email');
      await product.call(confirmAccountLink, { body: { token } });
      restores.push(await tokenMailedTo(from ?? '', 'Your account email was changed'));
    }
    const stale = await product.refuse(resetPassword, { body: { token: oldReset, password: NEW_PASSWORD } });
    expect(stale.status).toBe(409);

    const [own = '', thiefs = ''] = restores;
    const { kind, reset_token: token } = await product.call(confirmAccountLink, { body: { token: own } });
    expect(kind).toBe('restore_email');
    expect((await product.refuse(getAccount, { params: { id: nora.id } }, nora)).status).toBe(401);
    expect((await tryLogIn(nora.username, PASSWORD)).status).toBe(401);
    expect((await product.refuse(confirmAccountLink, { body: { token: thiefs } })).status).toBe(409);
    await product.call(resetPassword, { body: { token: token ?? '', password: NEW_PASSWORD } });
    expect((await tryLogIn(nora.email, NEW_PASSWORD)).status).toBe(200);
  });

  it('of an account without a password requires a session of the last ten minutes', async () => {
    const nora = await buildOwner(product);
    await product.testDatabase.owner.query('update users set password_hash = null where id = $1', [nora.id]);
    const email = `moved-${nora.email}`;
    product.clock.advance({ minutes: 9 });
    const asked = await product.call(changeEmail, change(nora, email, ''), nora);
    expect(asked.pending_email).toBe(email);
    await product.testDatabase.owner.query(
      `update sessions set created_at = created_at - interval '5 minutes' where user_id = $1`,
      [nora.id],
    );
    const refused = await product.refuse(changeEmail, change(nora, email, ''), nora);
    expect(refused).toMatchObject({ status: 403, errors: [{ code: 'reauthentication_required' }] });
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { logInOnScreen } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type Owner, PASSWORD } from '#test/harness/world.ts';

const NEW_PASSWORD = 'seven lamps over a quiet harbour';

let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function mailTo(address: string, subject: string): Promise<string> {
  const find = async () => {
    const { rows } = await product.testDatabase.owner.query<{ plain: string }>(
      'select plain from outbox_emails where recipient = $1 and subject = $2 order by id desc limit 1',
      [address, subject],
    );
    return rows[0]?.plain;
  };
  await expect.poll(find).toBeDefined();
  return (await find()) ?? '';
}

const linkIn = (mail: string) => /https?:\S+\/confirm\S+/.exec(mail)?.[0] ?? '';

async function openAccount(owner: Owner, section: string): Promise<Page> {
  const page = await browser.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${product.url}/login`);
  await logInOnScreen(page, owner);
  await page.waitForURL('**/dashboard');
  await page.goto(`${product.url}/account-settings?section=${section}`);
  return page;
}

it('an owner changes their email from the new mailbox, and reverts it from the former one', async () => {
  const { owner } = await buildWorld(product);
  const email = `moved-${owner.email}`;
  const page = await openAccount(owner, 'profile');

  await browser.step('asking for it, first with a wrong password', async () => {
    await page.getByLabel('New email').fill(email);
    await page.getByLabel('Current password').fill('not the password');
    await page.getByRole('button', { name: 'Change email' }).click();
    await page.getByText('That isn’t your current password.').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change email' }).click();
    const pending = page
      .getByRole('status')
      .filter({ hasText: `Your email changes to ${email} once you open` });
    await pending.getByRole('link', { name: 'Open the outbox' }).waitFor();
    expect(await page.getByText('We sent a link').count()).toBe(0);
    expect(await page.getByLabel('Current email').inputValue()).toBe(owner.email);
  });

  await browser.step('the link changes nothing until its button is pressed', async () => {
    await page.goto(linkIn(await mailTo(email, 'Confirm your new email')));
    await page.getByRole('heading', { name: 'Confirm your new email' }).waitFor();
    const { rows } = await product.testDatabase.owner.query('select email from users where id = $1', [
      owner.id,
    ]);
    expect(rows).toEqual([{ email: owner.email }]);
    await page.getByRole('button', { name: 'Use this email' }).click();
    await page.getByRole('heading', { name: 'Email changed' }).waitFor();
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await expect.poll(() => page.getByLabel('Current email').inputValue()).toBe(email);
  });

  await browser.step('the former mailbox takes it back and sets a new password', async () => {
    const told = await mailTo(owner.email, 'Your account email was changed');
    expect(told).toContain(email);
    const former = await browser.open();
    await former.goto(linkIn(told));
    await former.getByRole('button', { name: 'Take it back' }).click();
    await former.waitForURL('**/reset-password?token=*');
    await former.getByLabel('New password').fill(NEW_PASSWORD);
    await former.getByText('A strong password.').waitFor();
    await former.getByRole('button', { name: 'Set password' }).click();
    await former.waitForURL('**/login');
    await former.getByLabel('Username or email').fill(owner.email);
    await former.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await former.getByRole('button', { name: 'Log in', exact: true }).click();
    await former.waitForURL('**/dashboard');
    // The session that moved the account away has ended.
    await page.reload();
    await page.waitForURL('**/login?*');
  });
});

it('an owner is advised on a new password, refused a guessable one, and emailed about the change', async () => {
  const { owner } = await buildWorld(product);
  const page = await openAccount(owner, 'security');
  await page.getByLabel('Current password').fill(PASSWORD);
  const field = page.getByLabel('New password');
  await field.fill('password123');
  await page.getByText('Easy to guess.').waitFor();
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('This password is too common.').waitFor();
  await field.fill(owner.username);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password can’t be your username or email.').waitFor();
  await field.fill(NEW_PASSWORD);
  await page.getByText('A strong password.').waitFor();
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();
  await mailTo(owner.email, 'Your password was changed');
  const { rows } = await product.testDatabase.owner.query<{ subject: string }>(
    'select subject from outbox_emails where recipient = $1 order by id',
    [owner.email],
  );
  // The window itself is known from its first log-in: logging in again with the new password is no news.
  expect(rows.map(({ subject }) => subject)).toEqual([
    'New login to your account',
    'Your password was changed',
  ]);
});

it('twenty wrong attempts by somebody else do not lock the owner out of the browser that they use', async () => {
  const { owner } = await buildWorld(product);
  const page = await openAccount(owner, 'security');
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  const stranger = await browser.open();
  await stranger.goto(`${product.url}/login`);
  for (let count = 0; count < 20; count += 1) {
    const body = JSON.stringify({ username: owner.username, password: `guess ${count}` });
    await fetch(`${product.url}/api/core/v1/users/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }
  await logInOnScreen(stranger, owner);
  await stranger.getByText(/Too many/).waitFor();
  await logInOnScreen(page, owner);
  await page.waitForURL('**/dashboard');
});

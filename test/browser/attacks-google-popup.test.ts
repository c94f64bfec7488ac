import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { getAccount } from '#contract/accounts.ts';
import { type FakeGoogle, startFakeGoogle } from '#test/fakes/google.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { askInsteadOfGoogle } from '#test/harness/google-issuer.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, logInAgain, PASSWORD } from '#test/harness/world.ts';

const GOOGLE = 'https://accounts.google.com';

let google: FakeGoogle;
let product: TestProduct;
let browser: TestBrowser;

beforeAll(async () => {
  google = await startFakeGoogle(GOOGLE);
  askInsteadOfGoogle(google.url);
  product = await startTestProduct({
    env: { GOOGLE_CLIENT_ID: google.clientId, GOOGLE_CLIENT_SECRET: google.clientSecret },
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await google.close();
  vi.restoreAllMocks();
});

beforeEach(() => {
  google.answersForeignState = false;
});

async function openLogin(): Promise<Page> {
  const page = await browser.open({ viewport: { width: 1280, height: 900 } });
  await page.route(`${GOOGLE}/gsi/client`, async (route) => {
    const script = await fetch(`${GOOGLE}/gsi/client`);
    await route.fulfill({ contentType: 'text/javascript', body: await script.text() });
  });
  await page.goto(`${product.url}/login`);
  return page;
}

/** Presses the button of ours, then the one in the popup, which stands on another origin. */
async function goThroughPopup(page: Page): Promise<void> {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Continue with Google' }).click(),
  ]);
  await popup.waitForURL(`${google.url}/popup?*`);
  expect(new URL(popup.url()).origin).not.toBe(product.url);
  const closed = popup.waitForEvent('close');
  // The window may be gone before the click that closes it has ended.
  await popup
    .getByRole('button', { name: 'Continue' })
    .click()
    .catch((error: Error) => {
      if (!popup.isClosed()) throw error;
    });
  await closed;
}

it('the popup leads from the button to the dashboard, through the proof that an account with its address requires', async () => {
  const { owner } = await buildWorld(product);
  google.person = { sub: 'nora-at-google', email: owner.email };
  const page = await openLogin();

  await browser.step('a password account asks for its password, once', async () => {
    await goThroughPopup(page);
    const dialog = page.getByRole('dialog', { name: 'Link Google to your account' });
    await dialog.getByText(owner.email).waitFor();
    await dialog.getByLabel('Your account’s password').fill('not the password');
    await dialog.getByRole('button', { name: 'Link and log in' }).click();
    await dialog.getByText('That isn’t this account’s password.').waitFor();
    await dialog.getByLabel('Your account’s password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Link and log in' }).click();
    await page.waitForURL('**/dashboard');
  });

  await browser.step('then Google opens it on its own', async () => {
    const next = await openLogin();
    await goThroughPopup(next);
    await next.waitForURL('**/dashboard');
    await next.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await next.goto(`${product.url}/account-settings?section=security`);
    await next.getByText(`You can log in with the Google account ${owner.email}.`).waitFor();
    await next.getByRole('button', { name: 'Unlink Google' }).click();
    await next.getByText('Google unlinked').waitFor();
    await logInAgain(product, owner);
    const account = await product.call(getAccount, { params: { id: owner.id } }, owner);
    expect(account.google_email).toBeNull();
  });
});

it('the popup of another sign-in opens nothing', async () => {
  google.person = { sub: 'somebody', email: 'somebody@example.com' };
  google.answersForeignState = true;
  const page = await openLogin();
  await goThroughPopup(page);
  await page.getByText('Google’s answer doesn’t match this login.').waitFor();
  expect(await page.evaluate(() => localStorage.getItem('auth'))).toBeNull();
  const { rowCount } = await product.testDatabase.owner.query(
    `select 1 from users where email = 'somebody@example.com'`,
  );
  expect(rowCount).toBe(0);
});

it('another Google account with the same address is told so, and not let in', async () => {
  google.person = { sub: 'first', email: 'shared@example.com' };
  const first = await openLogin();
  await goThroughPopup(first);
  await first.waitForURL('**/signup-survey');
  google.person = { sub: 'second', email: 'shared@example.com' };
  const second = await openLogin();
  await goThroughPopup(second);
  await second.getByText('is linked to another Google account').waitFor();
  expect(new URL(second.url()).pathname).toBe('/login');
});

it('another issuer is visited by redirect, and the person returns to where they wanted to go', async () => {
  const other = await startFakeGoogle();
  const redirected = await startTestProduct({
    env: {
      GOOGLE_CLIENT_ID: other.clientId,
      GOOGLE_CLIENT_SECRET: other.clientSecret,
      GOOGLE_ISSUER: other.url,
    },
  });
  try {
    const { owner } = await buildWorld(redirected);
    other.person = { sub: 'nora-elsewhere', email: owner.email };
    const page = await browser.open();
    const goThere = async () => {
      await page.goto(`${redirected.url}/lists`);
      await page.waitForURL('**/login?next=*');
      await page.getByRole('button', { name: `Continue with ${new URL(other.url).host}` }).click();
      await page.waitForURL(`${other.url}/authorize?*`);
      await page.getByRole('button', { name: 'Continue' }).click();
    };
    await goThere();
    await page.getByLabel('Your account’s password').fill(PASSWORD);
    expect(page.url()).toBe(`${redirected.url}/login/callback`);
    await page.getByRole('button', { name: 'Link and log in' }).click();
    await page.waitForURL('**/dashboard');
    await page.evaluate(() => localStorage.clear());
    await goThere();
    await page.waitForURL('**/lists');
    // An answer that was not asked for from this window is none.
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${redirected.url}/login/callback?code=stolen&state=stolen`);
    await page.getByText('The login was canceled or started in another window.').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('auth'))).toBeNull();
  } finally {
    await redirected.stop();
    await other.close();
  }
});

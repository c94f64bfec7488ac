import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SECOND_FACTOR_MINUTES } from '#contract/second-factors.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { logInOnScreen } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { addAppTo, authenticatorApp, type AuthenticatorApp } from '#test/harness/second-factors.ts';
import { addVirtualAuthenticator } from '#test/harness/virtual-authenticator.ts';
import { buildWorld, type Owner, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await startBrowser();
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  world = await buildWorld(product);
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** As if the session had begun, and its owner had been seen last, an hour ago. */
async function makeSessionsOld({ id }: Owner): Promise<void> {
  await product.testDatabase.owner.query(
    `update sessions set created_at = created_at - interval '1 hour', authenticated_at = null where user_id = $1`,
    [id],
  );
}

const security = (page: Page) => page.goto(`${product.url}/account-settings?section=security`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.locator('[role=dialog]:visible, [role=alertdialog]:visible').last();

async function logIn(page: Page, owner: Owner): Promise<void> {
  await page.goto(`${product.url}/login`);
  await logInOnScreen(page, owner);
}

async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear());
}

const atSecondStep = (page: Page) => page.getByRole('heading', { name: 'One more step' }).waitFor();

/** What the dialog shows once; it is closed. */
async function codesShown(page: Page): Promise<string[]> {
  await dialog(page).getByText('Save your recovery codes').waitFor();
  const codes = await dialog(page).getByRole('listitem').allTextContents();
  await button(page, 'I’ve saved them').click();
  return codes;
}

it('a passkey whose counter goes backwards is blocked, and says so', async () => {
  const { owner } = world;
  const page = await browser.open();
  const authenticator = await addVirtualAuthenticator(page);
  await logIn(page, owner);
  await page.waitForURL(/\/dashboard$/);
  await security(page);
  await button(page, 'Add a passkey').click();
  await dialog(page).getByLabel('Name').fill('Copied key');
  await button(page, 'Create passkey').click();
  const codes = await codesShown(page);
  await signOut(page);
  await logIn(page, owner);
  await button(page, 'Use a passkey').click();
  await page.waitForURL(/\/dashboard$/);
  await authenticator.turnBack();
  await signOut(page);
  await logIn(page, owner);
  await button(page, 'Use a passkey').click();
  await page.getByText('This passkey didn’t work.').waitFor();
  await button(page, 'A recovery code').click();
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await button(page, 'Log in').click();
  await page.waitForURL(/\/dashboard$/);
  await security(page);
  await page.getByText('It looks like a copy. Remove it.').waitFor();
  await page.getByText('Blocked', { exact: true }).waitFor();
});

it('an owner adds an authenticator app on a phone, by keyboard, and changes the password with it', async () => {
  const { owner } = world;
  const page = await browser.open({ viewport: { width: 360, height: 740 } });
  let app: AuthenticatorApp;

  await browser.step('adding it: the key by hand, a wrong code, then the right one', async () => {
    await logIn(page, owner);
    await page.waitForURL(/\/dashboard$/);
    await security(page);
    await makeSessionsOld(owner);
    await button(page, 'Add an authenticator app').click();
    await dialog(page).getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('That isn’t your password.').waitFor();
    await dialog(page).getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const key = (await dialog(page).locator('code').textContent()) ?? '';
    app = authenticatorApp(product, key.replaceAll(' ', ''));
    await dialog(page).getByRole('textbox', { name: 'Code' }).fill('12345');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Enter the 6 digits.').waitFor();
    await dialog(page).getByRole('textbox', { name: 'Code' }).fill(app.code(20));
    await page.keyboard.press('Enter');
    await dialog(page).getByText('That isn’t the app’s current code.').waitFor();
    await dialog(page).getByRole('textbox', { name: 'Code' }).fill(app.code());
    await page.keyboard.press('Enter');
    expect(await codesShown(page)).toHaveLength(10);
    await page.getByText('Authenticator app', { exact: true }).waitFor();
    product.clock.advance({ seconds: 30 });
  });

  await browser.step('logging in without the mouse', async () => {
    await signOut(page);
    await logIn(page, owner);
    await atSecondStep(page);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('autocomplete')))
      .toBe('one-time-code');
    await page.keyboard.type(app.code(20));
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong or already used. Wait for the next one').waitFor();
    await page.getByLabel('Code').fill(app.code());
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboard$/);
    product.clock.advance({ seconds: 30 });
  });

  await browser.step(
    'a new password ends every session, and this one comes back by the second step',
    async () => {
      // Another call is refused while the answer is on its way, and its refresh ends after the step is shown.
      const isChanged = Promise.withResolvers<void>();
      const isRefused = Promise.withResolvers<void>();
      const isShown = Promise.withResolvers<void>();
      await page.route('**/sessions', async (route) => {
        await isChanged.promise;
        await route.continue();
      });
      await page.route('**/token/refresh', async (route) => {
        isRefused.resolve();
        await isShown.promise;
        await route.continue();
      });
      await page.route('**/reset-password', async (route) => {
        const response = await route.fetch();
        isChanged.resolve();
        await isRefused.promise;
        await route.fulfill({ response });
      });
      await security(page);
      await page.getByLabel('Current password').fill('correct horse battery');
      await page.getByLabel('New password').fill('a new and longer one');
      await button(page, 'Change password').click();
      await atSecondStep(page);
      const refreshed = page.waitForResponse('**/token/refresh');
      isShown.resolve();
      await refreshed;
      await page.unrouteAll();
      await page.getByLabel('Code').fill(app.code());
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/account-settings\?section=security$/);
      await page.getByText('Where you’re logged in').waitFor();
    },
  );
});

it('a second step that took too long leads back to the login, which works', async () => {
  const { owner } = world;
  const { code } = (await addAppTo(product, owner)).app;
  const page = await browser.open();
  await logIn(page, owner);
  await atSecondStep(page);
  product.clock.advance({ minutes: SECOND_FACTOR_MINUTES + 1 });
  await page.getByLabel('Code').fill(code());
  await page.keyboard.press('Enter');
  await page.getByText('This took too long. Log in again.').waitFor();
  expect(await button(page, 'Log in').count()).toBe(0);
  const back = page.getByRole('link', { name: 'Back to login' });
  await untilFocusIn(back);
  await back.press('Enter');
  await logInOnScreen(page, owner);
  await atSecondStep(page);
  await page.getByLabel('Code').fill(code());
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard$/);
});

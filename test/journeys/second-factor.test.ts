import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listSecondFactors } from '#contract/second-factors.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { buildMember } from '#test/harness/members.ts';
import { logInOnScreen } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { addAppTo } from '#test/harness/second-factors.ts';
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

it('an owner adds a passkey, logs in with it, renames and removes it', async () => {
  const { owner } = world;
  const page = await browser.open();
  const authenticator = await addVirtualAuthenticator(page);
  let codes: string[] = [];

  await browser.step('adding it, with recovery codes to download', async () => {
    await logIn(page, owner);
    await page.waitForURL(/\/dashboard$/);
    await security(page);
    await page.getByText('No second factor yet.').waitFor();
    await button(page, 'Add a passkey').click();
    await button(page, 'Create passkey').click();
    await dialog(page).getByText('Enter a name.').waitFor();
    await dialog(page).getByLabel('Name').fill('Nora’s laptop');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Save your recovery codes').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
    expect(download.suggestedFilename()).toBe('sayso-recovery-codes.txt');
    const file = await readFile(await download.path(), 'utf8');
    codes = await codesShown(page);
    expect(codes).toHaveLength(10);
    expect(file).toBe(`${codes.join('\n')}\n`);
    await page.getByText('Nora’s laptop').waitFor();
    await page.getByText('10 of 10 left').waitFor();
    expect(await authenticator.count()).toBe(1);
  });

  await browser.step('the same device again', async () => {
    await button(page, 'Add a passkey').click();
    await dialog(page).getByLabel('Name').fill('Again');
    await button(page, 'Create passkey').click();
    await dialog(page).getByText('This device already has a passkey for your account.').waitFor();
    await button(page, 'Cancel').click();
  });

  await browser.step(
    'logging in: the password alone leads to the second step, back to where one was',
    async () => {
      await signOut(page);
      await page.goto(`${product.url}/lists`);
      await page.waitForURL(/\/login\?next=/);
      await logInOnScreen(page, owner);
      await atSecondStep(page);
      expect(await page.evaluate(() => localStorage.getItem('auth'))).toBeNull();
      await button(page, 'Use a passkey').click();
      await page.waitForURL(/\/lists$/);
      await page.getByText('Weekly news').first().waitFor();
    },
  );

  await browser.step('a reload of the second step begins the log-in again', async () => {
    await signOut(page);
    await logIn(page, owner);
    await atSecondStep(page);
    await page.reload();
    await page.waitForURL(/\/login$/);
  });

  await browser.step(
    'without the person, the browser’s question goes nowhere, and a recovery code helps',
    async () => {
      await logInOnScreen(page, owner);
      await atSecondStep(page);
      await button(page, 'A recovery code').click();
      await page.getByLabel('Recovery code').fill('WRONG-WRONG');
      await page.keyboard.press('Enter');
      await page.getByText('This code is wrong or already used. Try another one.').waitFor();
      await page.getByLabel('Recovery code').fill(codes[0]?.toLowerCase() ?? '');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/dashboard$/);
      await security(page);
      await page.getByText('9 of 10 left').waitFor();
    },
  );

  await browser.step('renaming it', async () => {
    await button(page, 'Rename Nora’s laptop').click();
    await dialog(page).getByLabel('Name').fill('Old laptop');
    await button(page, 'Rename passkey').click();
    await page.getByText('Old laptop').waitFor();
  });

  await browser.step('removing it asks for a recent proof, here the passkey itself', async () => {
    await makeSessionsOld(owner);
    await button(page, 'Remove Old laptop').click();
    await button(page, 'Remove').click();
    await dialog(page).getByText('Confirm it’s you').waitFor();
    await dialog(page).getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No second factor yet.').waitFor();
    const { passkeys, recovery_codes: left } = await product.call(
      listSecondFactors,
      { params: { id: owner.id } },
      owner,
    );
    expect([passkeys, left]).toEqual([[], null]);
  });
  expect(browser.problems.filter((one) => !/40[139]/.test(one))).toEqual([]);
});

it('an organization requires a second factor: from its owner first, and from members at their next login', async () => {
  const { owner } = world;
  const member = await buildMember(product, world, 'editor');
  const page = await browser.open();

  await browser.step('an owner without one is sent to their own account first', async () => {
    await logIn(page, owner);
    await page.waitForURL(/\/dashboard$/);
    await page.goto(`${product.url}/account-settings?section=organization`);
    await page.getByRole('switch', { name: 'Require a second factor' }).click({ force: true });
    await button(page, 'Require it').click();
    await page.getByText('Set up your own second factor first.').waitFor();
    await addAppTo(product, owner);
    await page.getByRole('switch', { name: 'Require a second factor' }).click({ force: true });
    await button(page, 'Require it').click();
    await page.getByText('Every member now needs a second factor').waitFor();
    expect(await page.getByRole('switch', { name: 'Require a second factor' }).isChecked()).toBe(true);
  });

  await browser.step('the owner cannot remove their only one', async () => {
    await security(page);
    await button(page, 'Remove the authenticator app').click();
    await button(page, 'Remove').click();
    await dialog(page)
      .getByText('Your organization requires a second factor, and this is your only one.')
      .waitFor();
    await button(page, 'Cancel').click();
  });

  await browser.step('a member sets one up, and goes where they wanted to', async () => {
    const theirs = await browser.open({ viewport: { width: 360, height: 740 } });
    const authenticator = await addVirtualAuthenticator(theirs);
    await theirs.goto(`${product.url}/lists`);
    await theirs.waitForURL(/\/login\?next=/);
    await logInOnScreen(theirs, member);
    await theirs.waitForURL(/\/set-up-second-factor/);
    // No way around it.
    await theirs.goto(`${product.url}/customers`);
    await theirs.waitForURL(/\/set-up-second-factor\?next=%2Fcustomers/);
    await button(theirs, 'Add a passkey').click();
    await dialog(theirs).getByLabel('Name').fill('Phone');
    await button(theirs, 'Create passkey').click();
    expect(await codesShown(theirs)).toHaveLength(10);
    await theirs.waitForURL(/\/customers$/);
    await theirs.getByRole('heading', { name: 'Customers' }).first().waitFor();
    expect(await authenticator.count()).toBe(1);
  });
});

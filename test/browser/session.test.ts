import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilIdle } from '#test/harness/idle.ts';
import { logInOnScreen, openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { endSessionAt, expireTokenAt } from '#test/harness/session-ends.ts';
import { buildWorld, logInAgain, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let page: Page;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

beforeEach(async () => {
  await logInAgain(product, world.owner);
  page = await openOwnerWindow(browser, product, world);
  return () => page.context().close();
});

const field = (label: string) => page.getByLabel(label, { exact: true }).first();
const isBack = () => page.getByText('We restored what you typed here').waitFor();

async function logInAndComeBack(path: string): Promise<void> {
  await page.waitForURL('**/login?next=*');
  await logInOnScreen(page, world.owner);
  await page.waitForURL(`**${path}`);
  await isBack();
}

it('a session that ends while a page is edited loses nothing that was typed (spec 127)', async () => {
  const path = `/edit-preference-page/${world.params.site_id}/${world.page.id}`;
  await page.goto(`${product.url}${path}`);
  await field('Name').waitFor();
  // The draft is saved a moment after the last key.
  await endSessionAt(product, page, `**/preference-pages/${world.page.id}/draft`);
  await field('Name').fill('Acme choices');
  await page.waitForURL('**/login?next=*');
  await logInOnScreen(page, world.owner);
  await page.waitForURL(`**${path}`);
  await page.getByText('These are your unsaved changes from last time.').waitFor();
  expect(await field('Name').inputValue()).toBe('Acme choices');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Discard draft' }).click();
  await expect.poll(() => field('Name').inputValue()).toBe('Acme');
});

it('a session that ends while an action is created loses nothing that was typed (spec 127)', async () => {
  await page.goto(`${product.url}/actions?edit=new`);
  const url = page.getByRole('dialog').getByLabel('Webhook URL');
  await url.fill('https://example.com/typed');
  await endSessionAt(product, page, '**/actions');
  await page.getByRole('button', { name: 'Create action' }).click();
  await logInAndComeBack('/actions?edit=new');
  expect(await url.inputValue()).toBe('https://example.com/typed');
});

it('a token that only needs renewal reloads, and what was typed is back', async () => {
  await page.goto(`${product.url}/create-list/new`);
  await field('Name').fill('Half a list');
  await expireTokenAt(product, page, '**/lists');
  await page.getByRole('button', { name: 'Create list' }).click();
  await isBack();
  expect(await field('Name').inputValue()).toBe('Half a list');
  await page.getByRole('button', { name: 'Create list' }).click();
  await page.getByText('“Half a list” created').waitFor();
});

it('two windows renew at once and stay logged in; signing out in one signs out the other (spec 128)', async () => {
  const second = await page.context().newPage();
  for (const one of [page, second]) {
    await one.goto(`${product.url}/dashboard`);
    await one.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    // A window on the product could renew its token, and reload, at any moment from here on.
    await one.goto('about:blank');
  }
  product.clock.advance({ minutes: 11 });
  await Promise.all([page, second].map((one) => one.goto(`${product.url}/dashboard`)));
  await browser.step('both are still there', async () => {
    for (const one of [page, second]) {
      await one.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
      await one.getByRole('button', { name: `Account menu: ${world.owner.username}` }).waitFor();
    }
  });
  await second.goto(`${product.url}/create-list/new`);
  await second.getByLabel('Name', { exact: true }).first().fill('Not lost');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login');
  await second.waitForURL('**/login?next=*create-list*');
});

it('signing out asks before it discards unsaved changes, and then keeps nothing', async () => {
  await page.goto(`${product.url}/create-list/new`);
  await field('Name').fill('Unsaved');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await field('Name').inputValue()).toBe('Unsaved');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL('**/login');
  expect(
    await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft'))),
  ).toEqual([]);
});

it('a lost connection is reported quietly, and work continues automatically when it is back', async () => {
  await page.goto(`${product.url}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await untilIdle(page);
  const code = page.waitForResponse(/\/ListsScreen-[^/]*\.js/);
  await page.getByRole('navigation').getByRole('link', { name: 'Lists', exact: true }).hover();
  await code;
  await untilIdle(page);
  await page.context().setOffline(true);
  const notice = page.getByText('No connection.');
  await notice.waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Lists', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Lists' }).waitFor();
  await page.context().setOffline(false);
  await notice.waitFor({ state: 'detached' });
  await page.getByText('Offers').first().waitFor();
});

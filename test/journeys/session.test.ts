import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { logInOnScreen, openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { endSessionAt } from '#test/harness/session-ends.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

it('a session that ends while a list is edited loses nothing that was typed (spec 127)', async () => {
  const page = await openOwnerWindow(browser, product, world);
  const field = (label: string) => page.getByLabel(label, { exact: true }).first();
  const path = `/create-list/${world.weekly.id}`;
  await page.goto(`${product.url}${path}`);
  await field('Name').fill('Weekly letter');
  await endSessionAt(product, page, `**/lists/${world.weekly.id}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL('**/login?next=*');
  await logInOnScreen(page, world.owner);
  await page.waitForURL(`**${path}`);
  await page.getByText('We restored what you typed here').waitFor();
  expect(await field('Name').inputValue()).toBe('Weekly letter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Weekly letter” saved').waitFor();
  await page.goto(`${product.url}${path}`);
  await expect.poll(() => field('Name').inputValue()).toBe('Weekly letter');
  expect(await page.getByText('We restored what you typed here').count()).toBe(0);
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, PASSWORD, type World } from '#test/harness/world.ts';
import { entryOf, MAIN_SCREEN_NAMES } from '#test/page/main-screens.ts';
import { translatePage } from '#test/page/translator.ts';

let product: TestProduct;
let world: World;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  for (const email of ['vera@example.com', 'lea@example.com']) await buildCustomer(product, world, email);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

it('the main screens work while a browser translates them', async () => {
  const { step } = browser;
  const page = await browser.open();

  await step('logs in, after a refusal', async () => {
    await page.goto(`${product.url}/login`);
    await page.getByLabel('Password', { exact: true }).waitFor();
    await translatePage(page);
    await page.getByLabel('Username or email').fill(world.owner.email);
    await page.getByLabel('Password', { exact: true }).fill('a wrong password');
    await button(page, 'Log in').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await button(page, 'Log in').click();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  });

  await step('goes through all main screens and back', async () => {
    for (const name of [...MAIN_SCREEN_NAMES, ...MAIN_SCREEN_NAMES.toReversed()]) {
      await entryOf(page, name).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
  });

  await step('creates a list', async () => {
    await entryOf(page, 'Lists').click();
    await page.getByRole('link', { name: 'New list' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await button(page, 'Create list').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Events');
    await button(page, 'Create list').click();
    await page.getByRole('row', { name: /Events/ }).waitFor();
  });

  await step('creates an action', async () => {
    await entryOf(page, 'Actions').click();
    await page.getByRole('button', { name: 'New action' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Event/ }).click();
    await page.getByRole('option', { name: 'unsubscribes from', exact: true }).click();
    await dialog.getByLabel('Webhook URL').fill('https://hooks.example.com/sayso');
    await button(page, 'Create action').click();
    await button(page, 'Done').click();
    await dialog.waitFor({ state: 'detached' });
  });

  await step('counts the customers that a search finds, and only those', async () => {
    await entryOf(page, 'Customers').click();
    await page.getByText('2 customers', { exact: true }).waitFor();
    await page.getByLabel('Search by email').fill('vera');
    await page.getByText('1 customer', { exact: true }).waitFor();
    expect(await page.getByText('2 customers', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: /vera@example\.com/ }).click();
    await page.getByRole('heading', { level: 1, name: /vera@example\.com/ }).waitFor();
  });

  await step('edits and publishes a page', async () => {
    await page.goto(`${product.url}/edit-preference-page/${world.site.id}/${world.page.id}`);
    await page.getByRole('tab', { selected: true }).waitFor();
    await translatePage(page);
    const path = page.getByLabel('Path', { exact: true });
    await path.fill('');
    await button(page, 'Publish').click();
    await page.getByText(/Check the marked fields/).waitFor();
    await path.fill('news-and-offers');
    await page.getByRole('tab', { name: /^Look/ }).click();
    await page.getByRole('tab', { name: /^Content/ }).click();
    await button(page, 'Publish').click();
    await page.getByText('Page published').first().waitFor();
  });

  await step('previews an import', async () => {
    await page.goto(`${product.url}/imports/new`);
    await button(page, 'Choose file').waitFor();
    await translatePage(page);
    const chooser = page.waitForEvent('filechooser');
    await button(page, 'Choose file').click();
    const buffer = Buffer.from('email,Weekly news\nida@example.com,yes\n');
    await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await button(page, 'Preview import').click();
    await button(page, 'Start import').waitFor();
  });

  await step('filters deliveries', async () => {
    await entryOf(page, 'Deliveries').click();
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  });

  const isOfTranslation = (problem: string) => /removeChild|insertBefore/.test(problem);
  expect(browser.problems.filter(isOfTranslation)).toEqual([]);
});

it('the login works with a name and a password that the browser filled in silently', async () => {
  const page = await browser.open();
  await page.goto(`${product.url}/login`);
  const fillSilently = (name: string, value: string) =>
    page.locator(`input[name=${name}]`).evaluate((field: HTMLInputElement, text) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
    }, value);
  await fillSilently('username', world.owner.email);
  await fillSilently('password', PASSWORD);
  await button(page, 'Log in').click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';
import type { Customer } from '#contract/customers.ts';

/* What an owner prints for a file, a court or a customer: only the content, all of it. */

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await startBrowser();
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'https://shop.example/hook', list_ids: [] });
  vera = await buildCustomer(product, world, 'vera@example.com');
  for (const subscribed of [true, false]) {
    const body = [{ notification_list_id: world.offers.id, subscribed }];
    await product.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
  }
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function printed(path: string): Promise<Page> {
  const page = await signIn(await browser.open({ viewport: { width: 794, height: 1123 } }), world);
  await page.goto(`${product.url}${path}`);
  return page;
}

/** Elements whose content is cut off. */
const clipped = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((one) => one.checkVisibility() && /auto|scroll|hidden/.test(getComputedStyle(one).overflowY))
      .filter((one) => one.clientHeight > 1 && one.scrollHeight > one.clientHeight + 1)
      .map((one) => one.outerHTML.slice(0, 80)),
  );

it('a customer prints without navigation and buttons', async () => {
  const page = await printed(`/customers/${vera.id}`);
  await page.getByRole('heading', { name: 'vera@example.com' }).waitFor();
  await page.getByText('Offers').first().waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.getByRole('navigation').count()).toBe(0);
  // What unfolds stays: its words are content.
  expect(await page.locator('button:not([aria-expanded])').filter({ visible: true }).count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'vera@example.com' }).isVisible()).toBe(true);
  for (const name of ['All customers', 'Deliveries', 'Personal link', 'Erase']) {
    expect(await page.getByText(name, { exact: true }).filter({ visible: true }).count(), name).toBe(0);
  }
  const times = page.getByRole('main').locator('time');
  expect(await times.filter({ visible: true }).count()).toBeGreaterThan(0);
  const relative = await times.evaluateAll((all) =>
    all
      .filter((one) => one.hasAttribute('title') && getComputedStyle(one).fontSize !== '0px')
      .map((one) => one.textContent),
  );
  expect(relative, 'on paper, the exact time stands for "5 minutes ago"').toEqual([]);
  expect(await clipped(page)).toEqual([]);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(ground).toMatch(/rgb\(2[45]\d, 2[45]\d, 2[45]\d\)|rgba\(0, 0, 0, 0\)/);
});

it('a delivery prints on its own and whole, with what its attempt sent', async () => {
  const query = { customer_id: vera.id };
  const { results } = await product.call(listDeliveries, { params: world.params, query }, world.owner);
  const page = await printed(`/deliveries?delivery=${results[0]?.id}`);
  const panel = page.getByRole('dialog');
  await panel.getByText('Evidence').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0);
  expect(await panel.getByText('vera@example.com').first().isVisible()).toBe(true);
  expect(await panel.getByRole('button', { name: 'Close' }).count()).toBe(0);
  expect(await clipped(page)).toEqual([]);
});

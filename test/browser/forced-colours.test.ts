import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPreferencePage, TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld } from '#test/harness/world.ts';

/* In a high-contrast theme, what is on or chosen differs from what isn't by more than a line's thickness. */

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

const backgroundOf = (locator: Locator) =>
  locator.evaluate((element) => getComputedStyle(element).backgroundColor);

it('a switch, a segment and a range show which one is on, and a main button shows its text', async () => {
  const world = await buildWorld(product);
  await buildCustomer(product, world);
  await buildWebhook(product, world, { url: 'https://shop.example/hook', list_ids: [] });
  const page = await signIn(await browser.open({ forcedColors: 'active' }), world);

  await page.goto(`${product.url}/dashboard`);
  const view = page.getByRole('radiogroup', { name: 'Show Changes over time as' });
  const chart = view.getByRole('radio', { name: 'Chart' });
  const table = view.getByRole('radio', { name: 'Table' });
  await chart.waitFor();
  const chosen = await backgroundOf(chart);
  expect(await backgroundOf(table)).not.toBe(chosen);
  await table.click();
  await expect.poll(() => backgroundOf(table)).toBe(chosen);
  expect(await backgroundOf(chart)).not.toBe(chosen);
  expect(await backgroundOf(page.getByRole('link', { name: '30 days', exact: true }))).toBe(chosen);
  expect(await backgroundOf(page.getByRole('link', { name: '7 days', exact: true }))).not.toBe(chosen);

  // The name beside the logo leads to the current screen, on which it is highlighted.
  const home = page.getByRole('link', { name: 'Sayso' });
  const colorOf = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).color);
  expect(await colorOf(home.locator('span').last())).toBe(await colorOf(home));

  await page.goto(`${product.url}/actions`);
  const primary = page.getByRole('button', { name: 'New action' });
  expect(await backgroundOf(primary)).toBe(chosen);
  // Otherwise its words lie on a box of their own colour.
  expect(await primary.evaluate((one) => getComputedStyle(one).getPropertyValue('forced-color-adjust'))).toBe(
    'none',
  );
  const toggle = page.getByRole('switch');
  await toggle.waitFor();
  const track = page.locator('label', { has: toggle }).locator('span[aria-hidden]').first();
  const on = await backgroundOf(track);
  expect(on).toBe(chosen);
  await toggle.focus();
  await page.keyboard.press('Space');
  await expect.poll(() => backgroundOf(track)).not.toBe(on);
});

it('a weak password shows on its meter', async () => {
  const page = await browser.open({ forcedColors: 'active' });
  await page.goto(`${product.url}/signup`);
  await page.getByLabel('Password', { exact: true }).fill('password');
  const reached = page.locator('form span.rounded-full.h-1').first();
  const ink = await page.locator('h1').evaluate((title) => getComputedStyle(title).color);
  await expect.poll(() => backgroundOf(reached)).toBe(ink);
});

it.each(TEMPLATE_IDS)(
  'the public page shows what is on, what is unsaved, and errors: %s',
  async (template_id) => {
    const world = await buildWorld(product, `acme-${TEMPLATE_IDS.indexOf(template_id)}`);
    const body = {
      name: 'Acme',
      custom_path: 'contrast',
      allow_customer_create: true,
      attrs: { template_id },
      lists: [{ id: world.weekly.id }, { id: world.offers.id }],
    };
    const { url } = await product.call(createPreferencePage, { params: world.params, body }, world.owner);
    const page = await browser.open({ forcedColors: 'active' });
    await page.goto(`${url}?email=vera@example.com`);
    await page.locator('.pp-bar[data-idle]').waitFor();
    const weekly = page.getByRole('switch', { name: /Weekly news/ });
    const offers = page.getByRole('switch', { name: /Offers/ });
    const pixelsOf = async (one: Locator) => (await one.screenshot()).toString('base64');
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([true, false]);
    const [on, off] = [await pixelsOf(weekly), await pixelsOf(offers)];
    expect(on).not.toBe(off);

    const save = page.getByRole('button', { name: 'Save' });
    const idle = await backgroundOf(save);
    await weekly.click();
    await expect.poll(() => backgroundOf(save)).not.toBe(idle);
    const styleOf = (one: Locator) =>
      one.evaluate((element) => {
        const { color, backgroundColor, borderLeftWidth, forcedColorAdjust } = getComputedStyle(element);
        return { color, backgroundColor, borderLeftWidth, forcedColorAdjust };
      });
    const active = await styleOf(save);
    expect(active.color).not.toBe(active.backgroundColor);
    // Otherwise its words lie on a box of their own colour.
    expect(active.forcedColorAdjust).toBe('none');

    await page.route('**/api/**', (route) => route.abort('internetdisconnected'));
    await save.click();
    const error = page.getByRole('alert');
    await error.getByText('Not saved: you seem to be offline').waitFor();
    const shown = await styleOf(error);
    expect(shown.color).not.toBe(await backgroundOf(page.locator('.pp-bar')));
    expect(shown.borderLeftWidth).toBe('4px');
  },
);

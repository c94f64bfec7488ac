import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { overflowOf, violationsOf } from '#test/page/look-at.ts';

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

const WINDOWS = [
  { name: 'a phone, light', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
] as const;

describe.each(WINDOWS)('on $name', ({ viewport, colorScheme }) => {
  it.each(['/docs', '/docs/webhooks', '/docs/integrations', '/docs/nothing'])(
    '%s has no violation and fits',
    async (path) => {
      const page = await browser.open({ viewport, colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${product.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    },
  );
});

it('a reader searches with only the keyboard, and arrives at the part that was found', async () => {
  const page = await browser.open();
  await page.goto(`${product.url}/docs`);
  await page.keyboard.press('/');
  await page.keyboard.type('rotate secret');
  const results = page.getByRole('listbox', { name: 'Search results' }).getByRole('option');
  await expect.poll(() => results.count()).toBeGreaterThan(2);
  expect(await violationsOf(page)).toEqual([]);
  const first = results.first();
  expect(await first.getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowDown');
  const second = await results.nth(1).getAttribute('href');
  const input = page.getByRole('combobox', { name: 'Search the handbook' });
  expect(await input.getAttribute('aria-activedescendant')).toBe(await results.nth(1).getAttribute('id'));
  await page.keyboard.press('Enter');
  await page.waitForURL(`${product.url}${second}`);

  await page.keyboard.press('/');
  await page.keyboard.type('zzzzzz');
  await page.getByText('Nothing found for “zzzzzz”.').waitFor();
  await page.keyboard.press('Escape');
  expect(await input.inputValue()).toBe('');
});

it.each(WINDOWS)('the API reference shows whole paths on $name', async (window) => {
  const page = await browser.open(window);
  await page.goto(`${product.url}/docs/api/`);
  const path = page.locator('.endpoint-path', { hasText: '/sites/{site_id}/lists/figures' });
  await path.scrollIntoViewIfNeeded();
  const titles = page.locator('.request-card .scalar-card-header-title');
  await titles.first().waitFor();
  for (const boxes of [page.locator('.endpoints'), titles]) {
    const cut = await boxes.evaluateAll((all) =>
      all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent),
    );
    expect(cut).toEqual([]);
  }
  await path.click({ trial: true });
});

it('code is copied by its button', async () => {
  const page = await browser.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${product.url}/docs/webhooks`);
  await page.locator('.code', { hasText: 'verify.py' }).getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^import base64\n[^]*loads\(body\)$/,
  );
});

it('the theme is the one that was chosen in the app', async () => {
  const page = await browser.open({ colorScheme: 'light' });
  await page.goto(`${product.url}/docs`);
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await page.evaluate(() => localStorage.setItem('theme', 'dark'));
  await page.reload();
  expect(await ground()).not.toBe(light);
});

it('without JavaScript everything can be read and reached, on a phone too', async () => {
  const page = await browser.open({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  await page.goto(`${product.url}/docs`);
  expect(await page.getByRole('combobox').count()).toBe(0);
  await page.getByText('Contents', { exact: true }).first().click();
  await page.locator('.menu').getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

it('no window reported an error', () => {
  // The page that is not there is asked for on purpose.
  expect(browser.problems.filter((problem) => !problem.includes('/docs/nothing'))).toEqual([]);
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilIdle } from '#test/harness/idle.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

/* What we serve lives within the policies that it is served with. */

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  vera = await buildCustomer(product, world);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** What the policy had to stop, in all windows since the test began. */
let refused: string[];

beforeEach(() => {
  refused = [];
});

async function watch(page: Page): Promise<Page> {
  await page.exposeBinding('tellRefused', ({ page: where }, what: string) => {
    refused.push(`${where.url()}: ${what}`);
  });
  await page.addInitScript(() => {
    const { tellRefused } = globalThis as unknown as { tellRefused: (what: string) => void };
    document.addEventListener('securitypolicyviolation', (event) =>
      tellRefused(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  return page;
}

const settled = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await untilIdle(page);
};

describe('the policy of the owner app blocks nothing of its own', () => {
  it('when things are pressed, and open over the screens', async () => {
    const page = await watch(await openOwnerWindow(browser, product, world));
    await page.goto(`${product.url}/lists`);
    await settled(page);
    await page.getByRole('button', { name: 'Account menu' }).click();
    await untilFocusIn(page.getByRole('menu'));
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').first().waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${product.url}/preference-pages`);
    await settled(page);
    const styles = await page.evaluate(() =>
      [...document.querySelectorAll('style')].map(({ id, sheet }) => ({ id, isApplied: sheet !== null })),
    );
    // Ours make one at the first press; it carries the nonce.
    expect(styles.filter(({ isApplied }) => !isApplied)).toEqual([]);
    expect(styles.map(({ id }) => id)).toContain('react-aria-pressable-style');
    expect(refused).toEqual([]);
  });

  it('before somebody is logged in', async () => {
    const page = await watch(await browser.open());
    for (const path of ['/login', '/signup', '/reset-password']) {
      await page.goto(`${product.url}${path}`);
      await settled(page);
    }
    expect(refused).toEqual([]);
  });
});

it('an injected style, script and image are blocked', async () => {
  const page = await watch(await openOwnerWindow(browser, product, world));
  await page.goto(`${product.url}/dashboard`);
  await settled(page);
  await page.evaluate(() => {
    const slipped = document.createElement('div');
    slipped.innerHTML =
      '<p style="position:fixed">x</p><img src="https://elsewhere.example/pixel.png" onerror="document.title = 1">';
    document.body.append(slipped);
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.head.append(style);
    const script = document.createElement('script');
    script.textContent = 'document.title = "ran"';
    document.head.append(script);
  });
  const kinds = () => new Set(refused.map((one) => one.split(' ')[1]));
  await expect
    .poll(kinds)
    .toEqual(new Set(['style-src-attr', 'img-src', 'style-src-elem', 'script-src-elem', 'script-src-attr']));
  expect(await page.evaluate(() => getComputedStyle(document.body).display)).not.toBe('none');
});

it('the policies of the handbook and the API reference block nothing of their own', async () => {
  const page = await watch(await browser.open({ viewport: { width: 1280, height: 900 } }));
  await page.goto(`${product.url}/docs`);
  await settled(page);
  await page.goto(`${product.url}/docs/api`);
  await page.getByRole('heading', { name: 'Sayso API' }).first().waitFor();
  await page.getByText('Create a list').first().waitFor();
  // The reference loads its parts one after the other.
  let loaded = -1;
  const nothingMoreLoads = async () => {
    const before = loaded;
    loaded = await page.evaluate(() => performance.getEntriesByType('resource').length);
    return loaded === before;
  };
  await expect.poll(nothingMoreLoads, { interval: 1000, timeout: 60_000 }).toBe(true);
  expect(refused).toEqual([]);
});

it('the policy of the public page blocks nothing of its own, with a linked and with a stored person', async () => {
  const params = { ...world.params, id: vera.id };
  const { challenge } = await product.call(mintLinks, { params, body: {} }, world.owner);
  const page = await watch(await browser.open());
  await page.goto(`${world.page.url}?challenge=${challenge}`);
  await page.getByRole('switch').first().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your preferences have been saved').waitFor();
  // The stored person is drawn only by the script.
  await page.goto(`${world.page.url}?email=somebody.else@example.com`);
  await page.getByRole('button', { name: 'Continue as somebody.else@example.com' }).waitFor();
  expect(refused).toEqual([]);
});

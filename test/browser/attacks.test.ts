import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, mintLinks } from '#contract/customers.ts';
import type { List } from '#contract/lists.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { buildHostilePages, PAYLOADS } from '#test/public-page/hostile-texts.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;
let pages: PreferencePage[];
let lists: List[];
let vera: Customer;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  ({ pages, lists } = await buildHostilePages(product, world));
  vera = await buildCustomer(product, world);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

interface Watched {
  page: Page;
  /** Everything that a payload could have done, and everything the policy had to stop. */
  alarms: string[];
  requests: Request[];
}

async function watch(): Promise<Watched> {
  const page = await browser.open({ viewport: { width: 412, height: 823 } });
  const alarms: string[] = [];
  const requests: Request[] = [];
  await page.exposeFunction('pwned', (which: number) => alarms.push(`payload ${which} ran at ${page.url()}`));
  await page.exposeFunction('policyStopped', (what: string) => alarms.push(`the policy stopped ${what}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      const { policyStopped } = globalThis as unknown as { policyStopped: (what: string) => void };
      policyStopped(`${violatedDirective} ${blockedURI}`);
    });
  });
  page.on('dialog', (dialog) => {
    alarms.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => alarms.push(error.message));
  page.on('request', (request) => requests.push(request));
  return { page, alarms, requests };
}

const linksOf = (body: { list_id?: string; custom_path?: string }) =>
  product.call(mintLinks, { params: { ...world.params, id: vera.id }, body }, world.owner);

it('the alarm goes off when a payload runs', async () => {
  const { page, alarms } = await watch();
  await page.goto(world.page.url);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'pwned(0)';
    document.body.append(script);
  });
  await expect.poll(() => alarms).toContain('the policy stopped script-src-elem inline');
  await page.evaluate(() => (globalThis as unknown as { pwned: (which: number) => void }).pwned(0));
  await expect.poll(() => alarms.join()).toContain('payload 0 ran');
});

it('no text of a page, its lists or their translations is ever run, in either template', async () => {
  const { page, alarms, requests } = await watch();
  for (const { url, custom_path } of pages) {
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { preference_url } = await linksOf({ custom_path });
    await page.goto(preference_url);
    await page.getByRole('switch').first().click();
    await page.locator('.pp-bar .pp-primary').click();
    await page.locator('.pp-reasons, .pp-saved:not(:empty)').first().waitFor();
    expect(await page.getByRole('switch').count()).toBe(PAYLOADS.length);
    await page.goto(`${url}?lang=de`);
  }
  for (const list of lists) {
    const { one_click_url, preference_url } = await linksOf({ list_id: list.id });
    await page.goto(one_click_url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goto(`${preference_url}&state=unsubscribe&listId=${list.id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  expect(alarms).toEqual([]);
  expect(new Set(requests.map((request) => new URL(request.url()).host))).toEqual(
    new Set([new URL(world.page.url).host]),
  );
});

it('nothing in an address is ever run', async () => {
  const { page, alarms } = await watch();
  for (const payload of PAYLOADS) {
    const asked = Object.fromEntries(
      ['email', 'listId', 'state', 'challenge', 'lang'].map((name) => [name, payload]),
    );
    await page.goto(`${world.page.url}?${new URLSearchParams(asked).toString()}#${payload}`);
    await page.goto(`${new URL(world.page.url).origin}/${encodeURIComponent(payload)}`);
  }
  expect(alarms).toEqual([]);
});

it('no request that a page makes reveals its address: the link stays with its person', async () => {
  const { page, requests } = await watch();
  const { preference_url, challenge } = await linksOf({});
  await page.goto(preference_url);
  await page.getByRole('switch').first().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your preferences have been saved').waitFor();
  // Also where somebody follows a link, or a form, from the page.
  await page.route('https://elsewhere.example/**', (route) => route.fulfill({ body: 'elsewhere' }));
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = 'https://elsewhere.example/followed';
    document.body.append(link);
    link.click();
  });
  await page.waitForURL('https://elsewhere.example/followed');
  const kinds = new Set(requests.map((request) => request.resourceType()));
  for (const kind of ['document', 'script', 'fetch']) expect(kinds).toContain(kind);
  for (const request of requests) {
    const headers = await request.allHeaders();
    expect(headers['referer'], request.url()).toBeUndefined();
    if (request.url() !== preference_url) expect(request.url()).not.toContain(challenge);
  }
  expect(await page.evaluate(() => document.referrer)).toBe('');
});

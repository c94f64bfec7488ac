import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { buildWorld } from '#test/harness/world.ts';
import { buildAccountLinks, buildScannedLinks } from '#test/public-page/scanned-links.ts';

/** As long as the patient ones of the mail scanners that run scripts. */
const SCAN_MS = 15_000;

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

/** Opens all of them, at once and then by hints of another site, and stays. */
async function scan(links: Record<string, string>): Promise<void> {
  const pages = await Promise.all(
    Object.values(links).map(async (url) => {
      const page = await browser.open();
      const answer = await page.goto(url);
      return { page, status: answer?.status() };
    }),
  );
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  // Hints with which pages are fetched before anybody asks for them.
  const page = await browser.open();
  await page.route('https://search.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: Object.values(links)
        .map((url) => `<link rel="prefetch" href="${url}"><link rel="prerender" href="${url}">`)
        .join(''),
    }),
  );
  await page.goto('https://search.example/');
  await sleep(SCAN_MS);
  for (const one of [page, ...pages.map((opened) => opened.page)]) await one.close();
}

it('a scanner that opens every created link in a browser, scripts and all, for 15 s changes nothing', async () => {
  const links = await buildScannedLinks(product, await buildWorld(product));
  const before = await readRows(product.testDatabase.owner);
  await scan(links);
  expect(await readRows(product.testDatabase.owner)).toEqual(before);
});

it('a scanner that opens what owners and members are emailed changes nothing, except the limit that counts it', async () => {
  const links = await buildAccountLinks(product, await buildWorld(product));
  const rows = async () => {
    // The app reads what such a link is for by POST, so that its token is in no log; that has a limit.
    const { 'public.rate_limits': _, ...others } = await readRows(product.testDatabase.owner);
    return others;
  };
  const before = await rows();
  await scan(links);
  expect(await rows()).toEqual(before);
});

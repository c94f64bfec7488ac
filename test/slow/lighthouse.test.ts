import { gunzipSync } from 'node:zlib';
import type { Flags } from 'lighthouse';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { CHROMIUM_FLAGS } from '#test/harness/browser.ts';
import { type Measured, measure, phoneFlags } from '#test/harness/lighthouse.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { freePort } from '#test/harness/ports.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { ensureChromium } from '../../scripts/chromium.mjs';

/*
 * Lighthouse's own mobile profile (a slow phone on a slow network), on pages of a running product. Sites below
 * `localhost` count as secure, as they do in browsers; search engines are kept out on purpose, so SEO is not asked.
 */

const DOCUMENT_BYTES = 15_000;
const SCRIPT_BYTES = 80_000;

let product: TestProduct;
let world: World;
let browser: Browser;
let port: number;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  port = await freePort();
  const flags = [...CHROMIUM_FLAGS, `--remote-debugging-port=${port}`];
  browser = await chromium.launch({ executablePath: await ensureChromium(), args: flags });
});

afterAll(async () => {
  await browser.close();
  await product.stop();
});

const measurePage = (url: string, flags: Flags = {}) =>
  measure(url, {
    ...flags,
    port,
    // Every visit is somebody's first.
    clearStorageTypes: ['local_storage', 'cache_storage', 'service_workers'],
    onlyCategories: ['performance', 'accessibility', 'best-practices'],
  });

/** One measurement where it is perfect; the middle one of three, by the speed of the machine, where it was slow or busy. */
async function measureFairly(url: string): Promise<Measured> {
  const runs = [await measurePage(url)];
  const [first] = runs;
  if (first !== undefined && first.scores['performance'] !== 100) {
    const flags = phoneFlags(first);
    runs.push(await measurePage(url, flags), await measurePage(url, flags));
  }
  const [middle] = runs
    .toSorted((a, b) => (a.scores['performance'] ?? 0) - (b.scores['performance'] ?? 0))
    .slice(Math.floor(runs.length / 2));
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

async function secondPage(): Promise<string> {
  const { url } = await product.call(
    createPreferencePage,
    {
      params: world.params,
      body: {
        name: 'The Acme Letter',
        custom_path: 'letter',
        allow_customer_create: true,
        lists: [{ id: world.weekly.id }, { id: world.offers.id }],
        attrs: { template_id: 'stacked_marketer_template' },
      },
    },
    world.owner,
  );
  return url;
}

async function personalLink(): Promise<string> {
  const { id } = await buildCustomer(product, world);
  const params = { ...world.params, id };
  return (await product.call(mintLinks, { params, body: {} }, world.owner)).preference_url;
}

describe('on a slow phone, Lighthouse finds nothing to improve', () => {
  it.each([
    ['the form', () => world.page.url],
    ['the preferences behind a personal link', personalLink],
    ['the stacked template', secondPage],
  ] as const)('on %s', async (_, urlOf) => {
    const url = await urlOf();
    const { scores, refused, layoutShift, requests } = await measureFairly(url);
    expect({ scores, refused }).toEqual({
      scores: { performance: 100, accessibility: 100, 'best-practices': 100 },
      refused: [],
    });
    expect(layoutShift).toBe(0);

    expect(requests.length).toBeGreaterThan(1);
    expect(new Set(requests.map((request) => new URL(request.url).host))).toEqual(
      new Set([new URL(url).host]),
    );
    const bytesOf = (type: string) =>
      requests
        .filter(({ resourceType }) => resourceType === type)
        .reduce((sum, { transferSize }) => sum + transferSize, 0);
    expect(bytesOf('Stylesheet')).toBe(0);
    expect(bytesOf('Document')).toBeLessThanOrEqual(DOCUMENT_BYTES);
    expect(bytesOf('Document')).toBeGreaterThan(1000);
    expect(bytesOf('Script')).toBeLessThanOrEqual(SCRIPT_BYTES);
    expect(bytesOf('Script')).toBeGreaterThan(1000);
  });
});

it('the first view is complete in one compressed response, and its script waits for it', async () => {
  const { host, pathname } = new URL(world.page.url);
  const answer = await product.http.inject({ url: pathname, headers: { host, 'accept-encoding': 'gzip' } });
  const html = gunzipSync(answer.rawPayload).toString();
  expect(answer.rawPayload.length).toBeLessThanOrEqual(DOCUMENT_BYTES);
  expect(html).toContain('.pp-button');
  expect(html).not.toContain('rel="stylesheet"');
  const scripts = [...html.matchAll(/<script[^>]* src=[^>]*>/g)].map(([tag]) => tag);
  expect(scripts).toHaveLength(1);
  expect(scripts[0]).toContain('type="module"');
});

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilStill } from '#test/harness/still.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let browser: TestBrowser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/hook' });
  await buildCustomer(product, world, 'vera@example.com');
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

async function violationsOf(page: Page): Promise<string[]> {
  // React Aria announces through an element of role img without a text, made for a moment and hidden from sight.
  // The editor's preview is a document of its own; it is looked at as the public page.
  await untilStill(page);
  const { violations } = await new AxeBuilder({ page })
    .exclude('iframe')
    .disableRules(['role-img-alt'])
    .analyze();
  return violations.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' | ')}`,
  );
}

/** Nothing may be wider than the window. */
async function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

describe.each(WINDOWS)('on $name', ({ viewport, colorScheme }) => {
  it('the public page has no violation and fits, in either step', async () => {
    const page = await browser.open({ viewport, colorScheme });
    await page.goto(world.page.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${world.page.url}?email=vera@example.com`);
    await page.getByRole('switch').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  it.each(['/login', '/signup', '/reset-password', '/accept-invitation'])(
    '%s has no violation and fits',
    async (path) => {
      const page = await browser.open({ viewport, colorScheme });
      await page.goto(`${product.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    },
  );

  it('every screen of the owner app has no violation and fits', async () => {
    const page = await browser.open({ viewport, colorScheme });
    const { params } = world;
    await signIn(page, world);
    const paths = [
      '/dashboard',
      '/dashboard?range=12m',
      '/evidence',
      '/lists',
      `/create-list/${world.weekly.id}`,
      '/preference-pages',
      `/edit-preference-page/${params.site_id}/${world.page.id}`,
      '/actions',
      '/deliveries',
      '/customers',
      '/imports',
      '/imports/new',
      '/integrations',
      '/integrations/connected',
      '/account-settings',
      ...['security', 'appearance', 'organization', 'api-keys', 'audit-log', 'data'].map(
        (section) => `/account-settings?section=${section}`,
      ),
      '/site-settings',
    ];
    const found: Record<string, unknown> = {};
    for (const path of paths) {
      await page.goto(`${product.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const violations = await violationsOf(page);
      const overflow = await overflowOf(page);
      if (violations.length > 0 || overflow > 0) found[path] = { violations, overflow };
    }
    expect(found).toEqual({});
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, PASSWORD, type World } from '#test/harness/world.ts';

const LOGO = {
  name: 'logo.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 48" onload="document.title = \'taken over\'"><script>alert(1)</script><rect width="200" height="48" fill="#a12"/></svg>',
  ),
};

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

/** Hosts that the window asks for anything. */
function hostsOf(page: Page): Set<string> {
  const hosts = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).hostname);
  });
  return hosts;
}

async function openEditor(): Promise<Page> {
  const page = await browser.open({ viewport: { width: 1280, height: 900 } });
  page.on('filechooser', (chooser) => void chooser.setFiles(LOGO));
  await page.goto(`${product.url}/login`);
  await page.getByLabel('Username or email').fill(world.owner.username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/dashboard');
  await page.goto(`${product.url}/edit-preference-page/${world.site.id}/${world.page.id}?tab=look`);
  await page.getByRole('group', { name: 'Logo' }).waitFor();
  return page;
}

it('a logo is chosen by keyboard, seen in the preview, saved, shown to visitors, removed and brought back', async () => {
  const { step } = browser;
  const owner = await openEditor();
  const field = owner.getByRole('group', { name: 'Logo' });
  const preview = owner.frameLocator('iframe[title="Page preview"]');

  await step('choose by keyboard', async () => {
    const choose = field.getByRole('button', { name: 'Choose image' });
    await choose.focus();
    await owner.keyboard.press('Enter');
    await field.getByRole('button', { name: 'Replace' }).waitFor();
    expect(await field.getByRole('img', { name: 'Logo' }).count()).toBe(2);
    await preview.locator('.pp-logo').waitFor();
    const drawn = () =>
      preview.locator('.pp-logo').evaluate((logo) => (logo as HTMLImageElement).naturalWidth);
    await expect.poll(drawn).toBe(800);
  });

  await step('save', async () => {
    await owner.getByRole('button', { name: 'Publish', exact: true }).click();
    await owner.getByText('Page published').waitFor();
  });

  await step('a visitor sees it, from this host only, and nothing moves', async () => {
    const visitor = await browser.open({ viewport: { width: 360, height: 740 } });
    const hosts = hostsOf(visitor);
    await visitor.goto(world.page.url);
    const logo = visitor.locator('.pp-logo');
    await expect.poll(() => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(800);
    expect(await logo.boundingBox()).toMatchObject({ width: 200, height: 48 });
    expect(await logo.getAttribute('width')).toBe('200');
    expect([...hosts]).toEqual([world.site.domain_name]);
    expect(await visitor.title()).not.toBe('taken over');
    const shift = await visitor.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        }),
    );
    expect(shift).toBe(0);
  });

  await step('remove and undo', async () => {
    await field.getByRole('button', { name: 'Remove' }).click();
    await field.getByRole('button', { name: 'Choose image' }).waitFor();
    await owner.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
    await field.getByRole('button', { name: 'Replace' }).waitFor();
  });

  await step('what is no picture is refused in words', async () => {
    await field.locator('input[type=file]').setInputFiles({ ...LOGO, buffer: Buffer.from('<html>') });
    await field.getByRole('alert').getByText('This isn’t a PNG').waitFor();
    expect(await field.getByRole('img', { name: 'Logo' }).count()).toBe(2);
  });

  await step('an upload that fails once its tab was left still says so', async () => {
    const tab = (name: string) => owner.getByRole('tab', { name });
    const { promise: hasLeft, resolve: leave } = Promise.withResolvers<void>();
    await owner.route('**/images?*', async (route) => {
      await hasLeft;
      await route.abort();
    });
    await field.locator('input[type=file]').setInputFiles(LOGO);
    await field.getByText('Uploading').waitFor();
    await tab('Content').click();
    await field.waitFor({ state: 'detached' });
    leave();
    await owner.getByText(/^Logo: We can’t reach the server/).waitFor();
  });
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { untilStill } from '#test/harness/still.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { violationsOf } from '#test/page/look-at.ts';
import { verifyPack } from '../../packages/verify/verify.mjs';

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

it('an owner downloads proof of a customer and of the site, which verifies, and has signed evidence sent elsewhere', async () => {
  const vera = await buildCustomer(product, world, 'vera@example.com');
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...world.params, id: vera.id }, body }, world.owner);
  await signHeads(product.services, world.site.id, { settlesAfterMs: 0 });
  const page = await openOwnerWindow(browser, product, world);

  async function download(item: string): Promise<{ name: string; content: Buffer }> {
    await page.getByRole('button', { name: 'Proof', exact: true }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item }).click();
    const file = await waiting;
    return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
  }

  await page.goto(`${product.url}/customers/${vera.id}`);
  const ofVera = await download('Proof pack (JSON)');
  expect(ofVera.name).toBe(`proof-${vera.id}.json`);
  expect(await verifyPack([ofVera.content])).toMatchObject({ problems: [], records: 2, customers: 1 });
  await page.getByText('node verify.mjs pack.json').waitFor();
  const document = await download('Printable copy (PDF)');
  expect(document.content.subarray(0, 5).toString()).toBe('%PDF-');
  expect((await download('Verifier (verify.mjs)')).name).toBe('verify.mjs');

  await page.goto(`${product.url}/evidence`);
  await page.getByText('Last signed:').waitFor();
  const ofSite = await download('Proof pack (JSON)');
  expect(await verifyPack([ofSite.content])).toMatchObject({ problems: [], records: 2, heads: 1 });
  await untilStill(page);
  expect(await violationsOf(page)).toEqual([]);

  await page.goto(`${product.url}/site-settings`);
  const target = page.getByLabel('Email or URL');
  await target.fill('nowhere');
  const card = page.locator('form', { has: target });
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter an email or a URL that starts with https://').waitFor();
  await target.fill('archive@shop.example');
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('We’ll send the first one tonight.').waitFor();
  await untilStill(page);
  expect(await violationsOf(page)).toEqual([]);
  await page.close();
});

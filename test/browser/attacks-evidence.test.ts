import { afterAll, beforeAll, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { checkSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { openOwnerWindow } from '#test/harness/owner-window.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { untilStill } from '#test/harness/still.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { violationsOf } from '#test/page/look-at.ts';

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

it('an owner sees on the dashboard and beside the choices that evidence was tampered with, and whose', async () => {
  const vera = await buildCustomer(product, world, 'vera@example.com');
  await product.call(
    setCustomerLists,
    {
      params: { ...world.params, id: vera.id },
      body: [{ notification_list_id: world.weekly.id, subscribed: false }],
    },
    world.owner,
  );
  await checkSite(product.services, world.site.id);
  const page = await openOwnerWindow(browser, product, world);
  const alert = page.getByRole('alert').filter({ hasText: 'This site’s evidence was altered' });
  await page.goto(`${product.url}/evidence`);
  await page.getByText('All 2 records are unaltered.').waitFor();
  expect(await alert.count()).toBe(0);

  await product.testDatabase.owner.query(`update choices set source = 'page' where sequence = 2`);
  await checkSite(product.services, world.site.id);
  for (const path of ['/evidence', '/dashboard']) {
    await page.goto(`${product.url}${path}`);
    await alert.waitFor();
    expect(await alert.textContent()).toContain('Record 2 was altered.');
    await untilStill(page);
    expect(await violationsOf(page)).toEqual([]);
  }
  await alert.getByRole('link', { name: 'View customer' }).click();
  await page.getByRole('heading', { level: 1, name: 'vera@example.com' }).waitFor();
  await page.close();
});

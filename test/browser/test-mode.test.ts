import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, mintLinks } from '#contract/customers.ts';
import { updateSite } from '#contract/sites.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let browser: TestBrowser;
let shop: WebhookReceiver;
let world: World;

beforeAll(async () => {
  shop = await startWebhookReceiver();
  product = await startTestProduct({ worker: true });
  browser = await startBrowser();
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: shop.url, event: 'global_unsubscribed' });
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await shop.close();
});

/** Leaves everything on the page that their personal link opens, which says nothing of test mode. */
async function leave(page: Page, customer: Customer): Promise<void> {
  const params = { ...world.params, id: customer.id };
  const { preference_url } = await product.call(mintLinks, { params, body: {} }, world.owner);
  await page.goto(preference_url);
  await page.getByRole('button', { name: 'Unsubscribe from all' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your preferences have been saved').first().waitFor();
  expect(await page.getByText(/test mode/i).count()).toBe(0);
}

it('an owner tests with an address and a whole site, sees what was held back, and goes live', async () => {
  const { step } = browser;
  const page = await browser.open({ reducedMotion: 'reduce' });
  const visitor = await browser.open({ reducedMotion: 'reduce' });
  await signIn(page, world);
  const bar = page.getByText('Test mode: changes aren’t sent to your tools.');
  const tester = await buildCustomer(product, world, 'qa@acme.example');
  const vera = await buildCustomer(product, world, 'vera@example.com');

  await step('names a test address, one that is none is refused in its line', async () => {
    await page.goto(`${product.url}/site-settings`);
    const addresses = page.getByRole('textbox', { name: 'Test addresses' });
    const save = page.getByRole('button', { name: 'Save test addresses' });
    await addresses.fill('qa@acme.example\nqa');
    await save.click();
    await page.getByText('Line 2: enter an email like').waitFor();
    await addresses.fill('QA@acme.example\n@test.acme.example');
    await save.click();
    await page.getByText('Test addresses saved').waitFor();
    expect(await addresses.inputValue()).toBe('qa@acme.example\n@test.acme.example');
    expect(await bar.count()).toBe(0);
  });

  await step('turns test mode on, and every screen says so', async () => {
    await page.getByText('Test mode for the whole site').click();
    await page
      .getByRole('alertdialog', { name: 'Turn on test mode?' })
      .getByText('unsubscribes included')
      .waitFor();
    await page.getByRole('button', { name: 'Turn on test mode' }).click();
    await bar.waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await page.goto(`${product.url}/customers`);
    await bar.waitFor();
  });

  await step('sees what both customers left behind, and that nothing was sent', async () => {
    await leave(visitor, tester);
    await leave(visitor, vera);
    const row = (email: string) => page.getByRole('listitem').filter({ hasText: email });
    await row(tester.email).getByText('Test', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: /Test data/ }).click();
    await page.getByRole('option', { name: 'Exclude test' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('Test data: Exclude test').waitFor();
    await row(tester.email).waitFor({ state: 'detached' });
    await row(vera.email).waitFor();
    await page.getByRole('link', { name: '1 change waits until you go live.' }).click();
    await row(vera.email).getByText('Waiting for go-live', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Send now/ }).count()).toBe(0);
    expect(await row(tester.email).count()).toBe(0);
    await page.goto(`${product.url}/deliveries?test=true`);
    await row(tester.email).getByText('Test – not sent').click();
    await page.getByText('Test – not sent: qa@acme.example is a test customer.').waitFor();
    expect(await page.getByText('Due by').count()).toBe(0);
    await page.getByText('Made by a test customer, never sent').waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(shop.received).toEqual([]);
  });

  await step('reads beside the switch how many changes wait', async () => {
    await page.goto(`${product.url}/site-settings`);
    const held = page.locator('main').getByText('1 change waits until you go live.');
    await held.waitFor();
    expect(await page.getByText('Email isn’t set up on this server').count()).toBe(1);
  });

  await step('goes live: what waited is sent, and what the test address chose is not', async () => {
    await page.goto(`${product.url}/deliveries?status=waiting`);
    await page.getByRole('listitem').filter({ hasText: vera.email }).click();
    const panel = page.getByRole('dialog');
    await panel.getByText('Waiting: the site is in test mode.').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Go live' }).click();
    await page
      .getByRole('alertdialog', { name: 'Go live?' })
      .getByText('We’ll send the 1 change that waited during test mode.')
      .waitFor();
    await page
      .getByRole('alertdialog', { name: 'Go live?' })
      .getByRole('button', { name: 'Go live and send 1 change' })
      .click();
    await bar.waitFor({ state: 'detached' });
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
    const [sent] = await shop.waitFor(1);
    expect(sent?.body).toContain(vera.email);
    // Without a reload: nothing is waiting any more.
    await page.getByText(vera.email).waitFor({ state: 'detached' });
    await page.goto(`${product.url}/customers/${tester.id}`);
    await page.getByRole('heading', { name: tester.email }).waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    expect(shop.received).toHaveLength(1);
  });

  await step('keeps the focus on the screen when somebody else goes live', async () => {
    const setTestMode = (test_mode: boolean) =>
      product.call(updateSite, { params: world.params, body: { test_mode } }, world.owner);
    await setTestMode(true);
    await page.goto(`${product.url}/deliveries`);
    await page.getByRole('button', { name: 'Go live' }).focus();
    await setTestMode(false);
    // An owner who comes back after a minute sees what changed meanwhile.
    await page.clock.setSystemTime(Date.now() + 61_000);
    await page.evaluate(() => globalThis.dispatchEvent(new Event('visibilitychange')));
    await bar.waitFor({ state: 'detached' });
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
  });
});

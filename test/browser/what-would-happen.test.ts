import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listAuditLog } from '#contract/audit-log.ts';
import { getCustomer, setCustomerLists } from '#contract/customers.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let browser: TestBrowser;
let world: World;
let page: Page;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  product = await startTestProduct({ worker: true });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await receiver.close();
});

beforeEach(async () => {
  world = await buildWorld(product);
  page = await browser.open();
  await signIn(page, world);
});

const publishedPage = () =>
  product.call(getPublicPage, { params: { custom_path: 'preferences' } }, world.visitor);

it('a page that the law forbids is published with a reason only, which the audit log shows', async () => {
  await page.goto(`${product.url}/edit-preference-page/${world.site.id}/${world.page.id}?tab=rules`);
  await page.getByRole('switch', { name: 'Offer “Unsubscribe from all”' }).press('Space');
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  const dialog = page.getByRole('alertdialog');
  const anyway = dialog.getByRole('button', { name: 'Publish anyway' });
  await browser.step('it is held back, and stays a draft when nobody says why', async () => {
    await publish.click();
    await dialog.getByText('CAN-SPAM').waitFor();
    expect(await anyway.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await publishedPage()).attrs.unsubscribe_all).toBe(true);
  });
  await browser.step('with a reason it is published', async () => {
    await publish.click();
    await dialog.getByLabel('Reason').fill('Members can leave by letter.');
    await anyway.click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => (await publishedPage()).attrs.unsubscribe_all).toBe(false);
  });
  await browser.step('the audit log says why', async () => {
    await page.goto(`${product.url}/account-settings?section=audit-log`);
    await page.getByText('Members can leave by letter.').waitFor();
  });
  const query = { noun: 'page' as const };
  const { results } = await product.call(listAuditLog, { params: world.params, query }, world.owner);
  expect(results.map(({ event }) => event)).toContain('page.checks_overridden');
  // The refusal that the browser notes is the point of it.
  expect(browser.problems.filter((problem) => !problem.includes('422'))).toEqual([]);
  browser.problems.length = 0;
});

it('what a customer’s choice would send is shown from their screen, and nothing is sent', async () => {
  await buildWebhook(product, world, { url: receiver.url, event: 'global_unsubscribed' });
  const vera = await buildCustomer(product, world);
  await page.goto(`${product.url}/customers/${vera.id}`);
  await page.getByRole('link', { name: 'What would happen' }).click();
  expect(await page.getByRole('combobox', { name: 'Customer' }).inputValue()).toBe(vera.email);
  const show = page.getByRole('button', { name: 'Show what would happen' });
  await browser.step('the lists, as they stand, would reach nobody', async () => {
    await page.getByRole('switch', { name: world.weekly.name }).waitFor();
    await show.click();
    await page.getByText('No action sends anything.').waitFor();
    await page.getByText('For another event.').waitFor();
  });
  await browser.step('unsubscribing from all tells the business, with this call', async () => {
    await page.getByRole('button', { name: /What they choose/ }).click();
    await page.getByRole('option', { name: 'Unsubscribe from all' }).click();
    await show.click();
    await page.getByRole('button', { name: /Tell the shop/ }).click();
    await page.getByText(receiver.url).waitFor();
    await page.getByText('[hidden]').waitFor();
    await page.getByText(`"email": "${vera.email}"`).waitFor();
  });
  const choose = async (kind: string) => {
    await page.getByRole('button', { name: /What they choose/ }).click();
    await page.getByRole('option', { name: kind }).click();
  };
  await browser.step('a wrong recipient stops everything, too', async () => {
    await choose('Report a wrong recipient');
    await show.click();
    await page.getByText('Wrong recipient: everything stopped').waitFor();
    await page.getByRole('button', { name: /Tell the shop/ }).waitFor();
  });
  await browser.step('a pause until a day needs one that is far enough', async () => {
    await choose('Pause all emails');
    await page.getByRole('button', { name: /For how long/ }).click();
    await page.getByRole('option', { name: 'Until a date' }).click();
    await show.click();
    await page.getByText('Choose a date 7 to 365 days from today.').waitFor();
    const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Until', { exact: true }).fill(day);
    await show.click();
    await page.getByText(/^Paused until/).waitFor();
  });
  await browser.step('on a page that asks to confirm changes, nothing is sent until then', async () => {
    await product.call(
      setCustomerLists,
      {
        params: { ...world.params, id: vera.id },
        body: [{ notification_list_id: world.weekly.id, subscribed: false }],
      },
      world.owner,
    );
    await page.goto(`${product.url}/actions?what_if=${vera.id}`);
    await page.getByRole('switch', { name: world.weekly.name }).press('Space');
    await page.getByRole('switch', { name: 'Page asks to confirm changes' }).press('Space');
    await show.click();
    await page.getByText('None of this is sent until the customer confirms by email.').waitFor();
  });
  await browser.step('of somebody new, becoming a customer comes first', async () => {
    await page.getByRole('radio', { name: 'New customer' }).click();
    await show.click();
    await page.getByText('Enter a valid email.').waitFor();
    await page.getByLabel('Their email').fill('new@example.com');
    await show.click();
    await choose('Unsubscribe from all');
    await show.click();
    await page.getByRole('heading', { name: 'New customer' }).waitFor();
    await page.getByRole('heading', { name: /Unsubscribed from all/ }).waitFor();
  });
  expect(receiver.received).toEqual([]);
  const now = await product.call(getCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
  expect(now.global_unsubscribe).toBe(false);
  expect(browser.problems).toEqual([]);
});

import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  receiver = await startWebhookReceiver();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await receiver.close();
  await product.stop();
});

it('a customer’s choice arrives as a signed webhook after a sign-up from scratch (spec 77)', async () => {
  const { step } = browser;
  const owner = await browser.open({ loadsAhead: true });

  await step('sign up', async () => {
    await owner.goto(`${product.url}/signup`);
    await owner.getByLabel('Username').fill('nora');
    await owner.getByLabel('Email').fill('nora@example.com');
    await owner.getByLabel('Password', { exact: true }).fill('a long enough password');
    await owner.getByRole('button', { name: 'Create account' }).click();
    await owner.waitForURL('**/signup-survey');
  });

  await step('survey', async () => {
    expect(await owner.title()).toContain('Survey');
    await answer(owner, 'Preference center');
    await answer(owner, '1,001 to 5,000');
    await owner.getByLabel('Business name').fill('Acme Outdoor');
    await owner.getByText('This name is available').waitFor();
    await owner.getByRole('button', { name: 'Continue' }).click();
    await owner.getByLabel('Domain').fill('acme');
    await owner.getByText('This domain is available').waitFor();
    await owner.getByRole('button', { name: 'Continue' }).click();
    await owner.waitForURL('**/dashboard');
  });

  await step('two lists', async () => {
    await createList(owner, { name: 'Weekly news', description: 'Every Monday.', on: true });
    await createList(owner, { name: 'Offers', description: 'Now and then.', on: false });
  });

  const pageUrl = await step('a page that lets new people in', async () => {
    await navigate(owner, 'Preference Pages');
    await owner.getByRole('link', { name: 'New page' }).first().click();
    // The first page begins with what there is.
    const name = owner.getByLabel('Name', { exact: true });
    await name.waitFor();
    expect(await name.inputValue()).toBe('Acme Outdoor');
    const lists = owner.getByRole('grid', { name: 'Lists' }).getByRole('row');
    await expect.poll(() => lists.count()).toBe(2);
    await owner.getByLabel('Path', { exact: true }).fill('choices');
    const question = owner.getByRole('radiogroup', { name: 'Let new people sign up?' });
    expect(await question.getByRole('radio', { checked: true }).count()).toBe(0);
    await question.getByText('Let new people sign up', { exact: true }).click();
    await owner.getByText('Change right away').click();
    await owner.getByRole('button', { name: 'Create page' }).click();
    await owner.waitForURL('**/edit-preference-page/**');
    return (await owner.getByRole('link', { name: 'Open page' }).getAttribute('href')) ?? '';
  });
  const { port } = new URL(product.url);
  expect(pageUrl).toBe(`http://acme.localhost:${port}/choices`);

  const secret = await step('a webhook', async () => {
    await navigate(owner, 'Actions');
    await owner.getByRole('button', { name: 'New action' }).first().click();
    const dialog = owner.getByRole('dialog');
    await dialog.getByRole('button', { name: /Event/ }).click();
    await owner.getByRole('option', { name: 'unsubscribes from', exact: true }).click();
    await dialog.getByLabel('Webhook URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Create action' }).click();
    const shown = owner.getByText(/^whsec_/);
    await shown.waitFor();
    const value = (await shown.textContent()) ?? '';
    await owner.getByRole('button', { name: 'Done' }).click();
    return value;
  });

  await step("a visitor chooses on the site's own host", async () => {
    const visitor = await browser.open();
    await visitor.goto(pageUrl);
    await visitor.getByLabel('Email', { exact: true }).fill('vera@example.com');
    await visitor.getByRole('button', { name: 'Continue' }).click();
    const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
    const offers = visitor.getByRole('switch', { name: /Offers/ });
    await weekly.waitFor();
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([true, false]);
    await weekly.click();
    await offers.click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
    await visitor.reload();
    await weekly.waitFor();
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([false, true]);
  });

  const deliveryId = await step('the webhook arrives, signed', async () => {
    const [webhook] = await receiver.waitFor(1);
    const message = new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers ?? {});
    expect(message).toMatchObject({
      type: 'unsubscribed',
      data: { customer: { email: 'vera@example.com' }, source: 'page', global_unsubscribe: false },
    });
    return webhook?.headers['webhook-id'] ?? '';
  });

  await step('delivery and evidence are on screen', async () => {
    await navigate(owner, 'Actions');
    await owner.getByRole('main').getByRole('link', { name: 'Deliveries', exact: true }).click();
    await owner.getByRole('link', { name: /vera@example\.com/ }).click();
    const panel = owner.getByRole('dialog');
    await panel.getByText('Attempt 1').waitFor();
    await panel.getByText(deliveryId).first().waitFor();
    await panel.getByText('Delivered: the receiver accepted the delivery.').waitFor();
    await panel.getByText('Evidence of this choice').waitFor();
    await panel.getByText('On the preference page').waitFor();
    const text = (await panel.textContent()) ?? '';
    expect(text).toContain('Unsubscribed from Weekly news');
    expect(text).toContain('Subscribed to Offers');
    expect(text).toContain(pageUrl);
  });

  expect(browser.problems).toEqual([]);
});

async function answer(owner: Page, option: string): Promise<void> {
  await owner.getByText(option, { exact: true }).click();
  await owner.getByRole('button', { name: 'Continue' }).click();
}

async function navigate(owner: Page, screen: string): Promise<void> {
  await owner.getByRole('navigation').getByRole('link', { name: screen }).click();
  await owner.getByRole('heading', { level: 1, name: screen }).waitFor();
}

async function createList(
  owner: Page,
  list: { name: string; description: string; on: boolean },
): Promise<void> {
  await navigate(owner, 'Lists');
  await owner.getByRole('link', { name: 'New list' }).first().click();
  await owner.getByLabel('Name', { exact: true }).first().fill(list.name);
  await owner.getByLabel('Description').first().fill(list.description);
  if (list.on) await owner.getByText('On by default').click();
  await owner.getByRole('button', { name: 'Create list' }).click();
  await owner.getByText(list.name).first().waitFor();
}

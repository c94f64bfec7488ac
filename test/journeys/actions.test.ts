import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { startWebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { connectOnScreen } from '#test/harness/tool-actions.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let brevo: BrevoFake;
let mailchimp: MailchimpFake;
let browser: TestBrowser;
let world: World;
let page: Page;

beforeAll(async () => {
  [brevo, mailchimp] = await Promise.all([startBrevoFake(), startMailchimpFake()]);
  product = await startTestProduct({
    worker: true,
    env: { CONNECTOR_BREVO_URL: brevo.url, CONNECTOR_MAILCHIMP_URL: mailchimp.url },
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await Promise.all([brevo.close(), mailchimp.close()]);
});

beforeEach(async () => {
  world = await buildWorld(product);
  page = await browser.open();
  await signIn(page, world);
  await page.goto(`${product.url}/integrations`);
});

const connect = (provider: string, name: string, fake: FakeTool) =>
  connectOnScreen(product, world, page, { provider, name, fake });

async function choose(label: RegExp, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function newAction(): Promise<void> {
  await page.goto(`${product.url}/actions`);
  await page.getByRole('button', { name: 'New action' }).first().click();
}

async function create(): Promise<void> {
  await page.getByRole('button', { name: 'Create action' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

it('an owner connects two tools, and a customer who leaves on the page is gone from both', async () => {
  const { step } = browser;
  const vera = await buildCustomer(product, world);
  brevo.addContact(vera.email);
  mailchimp.addMember(mailchimp.audience, vera.email, { status: 'subscribed' });

  await step('two tools are connected', async () => {
    await connect('brevo', 'Brevo', brevo);
    await connect('mailchimp', 'Mailchimp', mailchimp);
  });

  await step('an action for each, as a sentence', async () => {
    for (const tool of ['Brevo', 'Mailchimp']) {
      await newAction();
      await choose(/Event/, 'unsubscribes from all');
      await choose(/Receiver/, `in ${tool}`);
      await create();
      await page
        .getByText(`When a customer unsubscribes from all, unsubscribe from all in ${tool}`)
        .waitFor();
    }
  });

  await step('the exact calls for Vera, before anything is sent', async () => {
    await page.getByRole('button', { name: /^More for Brevo/ }).click();
    await page.getByRole('menuitem', { name: 'Preview request' }).click();
    await page.getByRole('combobox', { name: 'Customer' }).fill(vera.email.slice(0, 6));
    await page.getByRole('option', { name: vera.email }).click();
    await page.getByRole('dialog').getByText('/contacts/').first().waitFor();
    expect(brevo.holds(vera.email)?.unsubscribed).toBe(false);
  });

  await step('a test is for a choice that Vera has made, and says that she has made none', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^More for Brevo/ }).click();
    await page.getByRole('menuitem', { name: 'Test action' }).click();
    await page.getByRole('combobox', { name: 'Customer' }).fill(vera.email.slice(0, 6));
    await page.getByRole('option', { name: vera.email }).click();
    await page.getByText('This customer hasn’t made a choice that this action is for.').waitFor();
    expect(await page.getByRole('button', { name: 'Run test' }).isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  await step('Vera leaves on the page, and both tools know', async () => {
    const visitor = await browser.open();
    await visitor.goto(`${world.page.url}?email=${encodeURIComponent(vera.email)}&state=unsubscribe`);
    await visitor.getByText('You’re unsubscribed from all').waitFor();
    await expect.poll(() => brevo.holds(vera.email)?.unsubscribed).toBe(true);
    await expect.poll(() => mailchimp.holds(vera.email)?.unsubscribed).toBe(true);
  });

  await step('a test now says what it changes, does it for real, and shows what came back', async () => {
    brevo.remove(vera.email);
    brevo.addContact(vera.email);
    await page.getByRole('button', { name: /^More for Brevo/ }).click();
    await page.getByRole('menuitem', { name: 'Test action' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Customer' }).fill(vera.email.slice(0, 6));
    await page.getByRole('option', { name: vera.email }).click();
    await dialog.getByText(`In Brevo, this changes for ${vera.email}:`).waitFor();
    await dialog.getByText('All emails: unsubscribed').waitFor();
    expect(brevo.holds(vera.email)?.unsubscribed).toBe(false);
    await dialog.getByRole('button', { name: 'Run test' }).click();
    await dialog.getByText('Test passed: Brevo confirmed the change.').waitFor();
    await dialog.getByRole('heading', { name: 'Response' }).waitFor();
    expect(brevo.holds(vera.email)?.unsubscribed).toBe(true);
  });
});

it('a changed webhook says how many deliveries wait, and sends them now to its new URL', async () => {
  const paths: string[] = [];
  const receiver = await startWebhookReceiver(({ path }) => paths.push(path));
  receiver.answerWith({ status: 503, headers: { 'retry-after': '3600' } });
  const { id } = await buildWebhook(product, world, { url: `${receiver.url}/old` });
  const vera = await buildCustomer(product, world);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  const params = { ...world.params, id: vera.id };
  await product.call(setCustomerLists, { params, body }, world.owner);
  const deliveries = async () =>
    (await product.call(listDeliveries, { params: world.params, query: { action_id: id } }, world.owner))
      .results;
  await expect.poll(deliveries).toMatchObject([{ outcome: 'retrying' }]);
  receiver.answerWith({ status: 204 });
  await page.goto(`${product.url}/actions?edit=${id}`);
  const dialog = page.getByRole('dialog', { name: 'Edit action' });
  await dialog.getByRole('textbox', { name: 'Webhook URL' }).fill(`${receiver.url}/new`);
  await dialog.getByText('use the new settings at their next attempt').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Tell the shop” saved. 1 delivery is waiting.').waitFor();
  await page.getByRole('button', { name: 'Send now (1)' }).click();
  await page.getByText('Sending 1 delivery now').waitFor();
  await expect.poll(deliveries).toMatchObject([{ outcome: 'received' }]);
  expect(paths).toEqual(['/hook/old', '/hook/new']);
  await receiver.close();
});

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAction, deleteAction } from '#contract/actions.ts';
import { type Customer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { RETENTION } from '#server/delivery/retention/retention.jobs.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startWebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { untilFocusIn, untilSettled } from '#test/harness/keyboard.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { signIn } from '#test/harness/signed-in.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';
import { problemsByWindow } from '#test/page/look-at.ts';

let product: TestProduct;
let brevo: BrevoFake;
let browser: TestBrowser;
let world: World;
let integrationId: string;

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  browser = await startBrowser();
  world = await buildWorld(product);
  const body = { provider: 'brevo' as const, credentials: { ...brevo.credentials } };
  integrationId = (await product.call(createIntegration, { params: world.params, body }, world.owner)).id;
});

/** All of them are one owner's, on one world. */
beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
});

afterAll(async () => {
  await browser.close();
  await product.stop();
  await brevo.close();
});

/** Who comes back is told to Brevo, which does not have her. */
async function adaComesBack(): Promise<{ ada: Customer; deliveryId: string }> {
  const { params, owner } = world;
  await product.call(
    createAction,
    {
      params,
      body: {
        type: 'global_unsubscribe',
        name: 'Back in Brevo',
        integration_id: integrationId,
        trigger: { event: 'global_resubscribed' },
        target: {},
        operation: 'resubscribe',
      },
    },
    owner,
  );
  const ada = await buildCustomer(product, world, 'ada@example.com');
  for (const global_unsubscribe of [true, false]) {
    await product.call(
      updateCustomer,
      { params: { ...params, id: ada.id }, body: { global_unsubscribe } },
      owner,
    );
  }
  const query = { customer_id: ada.id };
  const { results } = await product.call(listDeliveries, { params, query }, owner);
  const [delivery] = results;
  if (delivery === undefined) throw new Error('There is no delivery');
  await deliverNow(product.services, { site_id: params.site_id, id: delivery.id, round: 0 });
  return { ada, deliveryId: delivery.id };
}

it('the log, the panel and the timeline say in one sentence that nothing had to be done', async () => {
  const { ada, deliveryId } = await adaComesBack();
  const sentence = 'No change needed: ada@example.com isn’t in Brevo.';
  const page = await browser.open();
  await signIn(page, world);
  await page.goto(`${product.url}/deliveries`);
  await page.getByText('No change needed', { exact: true }).waitFor();
  await page.goto(`${product.url}/deliveries?delivery=${deliveryId}`);
  const panel = page.getByRole('dialog');
  await panel.getByText(sentence).waitFor();
  // The tool's "not found" is an answer that was expected, and looks like one.
  await panel.getByText('This isn’t an error. The response means no change was needed.').waitFor();
  for (const words of ['Delivered', 'Not seen there yet', 'Not found']) {
    expect(await panel.getByText(words, { exact: true }).count()).toBe(0);
  }
  expect(await problemsByWindow(page)).toEqual({});
  await page.goto(`${product.url}/customers/${ada.id}`);
  await page.getByRole('button', { name: /Resubscribed/ }).click();
  await page.getByText(sentence).waitFor();
  await page.getByRole('link', { name: 'Back in Brevo' }).waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await page.getByRole('link', { name: 'Back in Brevo' }).click();
  await page.getByRole('dialog').getByText(sentence).waitFor();
});

it('a delivery shows what it asked of the tool, what to do about a failure, and how many would be sent again', async () => {
  const { params, owner } = world;
  const body = {
    type: 'global_unsubscribe' as const,
    name: 'Out of Brevo',
    integration_id: integrationId,
    trigger: { event: 'global_unsubscribed' as const },
    target: {},
  };
  await product.call(createAction, { params, body }, owner);
  const page = await browser.open();
  await signIn(page, world);
  for (const name of ['bea', 'cleo']) {
    const customer = await buildCustomer(product, world, `${name}@example.com`);
    brevo.addContact(customer.email);
    const change = { global_unsubscribe: true };
    await product.call(updateCustomer, { params: { ...params, id: customer.id }, body: change }, owner);
    const query = { customer_id: customer.id };
    const [delivery] = (await product.call(listDeliveries, { params, query }, owner)).results;
    brevo.trouble({ status: 400, body: '{"code":"invalid_parameter","message":"No"}' });
    await deliverNow(product.services, { site_id: params.site_id, id: delivery?.id ?? '', round: 0 });
  }
  await page.goto(`${product.url}/deliveries`);
  await page.getByText('bea@example.com').click();
  const panel = page.getByRole('dialog');
  await panel.getByText('Failed: Brevo rejected the change.').waitFor();
  await panel.getByText('Fix the cause shown in the response below, then send this again.').waitFor();
  await panel.getByRole('heading', { name: 'Requested in Brevo' }).waitFor();
  await panel.getByText('All emails: unsubscribed').waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Send again (2)' }).click();
  await page.getByRole('alertdialog', { name: 'Send 2 failed deliveries again?' }).waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send again (2)' }).click();
  await page.getByText('Sending 2 deliveries again').waitFor();
  await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
  await page.getByRole('button', { name: 'Send again (2)' }).waitFor({ state: 'detached' });
  // They fail again: the open log says so without a reload, and the button with it.
  const query = { status: 'waiting' as const };
  for (const { id, attempt_count } of (await product.call(listDeliveries, { params, query }, owner))
    .results) {
    brevo.trouble({ status: 400, body: '{"code":"invalid_parameter","message":"No"}' });
    await deliverNow(product.services, { site_id: params.site_id, id, round: attempt_count });
  }
  await page.getByRole('button', { name: 'Send again (2)' }).waitFor();
});

it('a webhook that answered 410 is shown as off, in the panel, among the actions and on the dashboard', async () => {
  const { params, owner } = world;
  const receiver = await startWebhookReceiver();
  receiver.answerWith({ status: 410 });
  await buildWebhook(product, world, { url: receiver.url });
  const { id: customerId } = await buildCustomer(product, world);
  const left = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...params, id: customerId }, body: left }, owner);
  const query = { customer_id: customerId };
  const [delivery] = (await product.call(listDeliveries, { params, query }, owner)).results;
  const job = { site_id: params.site_id, id: delivery?.id ?? '' };
  await deliverNow(product.services, { ...job, round: 0 });
  await receiver.close();
  const page = await browser.open();
  await signIn(page, world);
  await page.goto(`${product.url}/deliveries?delivery=${job.id}`);
  const panel = page.getByRole('dialog');
  await panel.getByText('Failed: the receiver answered 410 Gone, so we turned the action off.').waitFor();
  await panel.getByText('Fix the URL, turn the action on, then send this again.').waitFor();
  await panel.getByRole('link', { name: 'Edit action' }).waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  // What is said of sending it again goes once the result is there, not only after its 8 seconds.
  const sent = page.getByText('Sending the delivery again');
  await panel.getByRole('button', { name: 'Send again' }).click();
  await sent.waitFor();
  await deliverNow(product.services, { ...job, round: 1 });
  await panel.getByText('Failed: the action was turned off or deleted before we could send this.').waitFor();
  await sent.waitFor({ state: 'detached', timeout: 4000 });
  await page.goto(`${product.url}/actions`);
  await page
    .getByText('We turned this action off because the receiver answered 410 Gone. Fix the URL')
    .waitFor();
  expect(await problemsByWindow(page)).toEqual({});
  await page.goto(`${product.url}/dashboard`);
  await page.getByText('“Tell the shop” is off because its receiver answered 410 Gone.').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'The receiver answered 410 Gone.' });
  await row.getByRole('link', { name: 'Tell the shop' }).waitFor();
  expect(await problemsByWindow(page)).toEqual({});
});

it('a delivery with a rejected key says why it waits, with the way to a new key', async () => {
  const { params, owner } = world;
  const action = await product.call(
    createAction,
    {
      params,
      body: {
        type: 'global_unsubscribe',
        name: 'Out of Brevo, too',
        integration_id: integrationId,
        trigger: { event: 'global_unsubscribed' },
        target: {},
      },
    },
    owner,
  );
  const { id } = await buildCustomer(product, world, 'finn@example.com');
  await product.call(
    updateCustomer,
    { params: { ...params, id }, body: { global_unsubscribe: true } },
    owner,
  );
  const query = { customer_id: id, action_id: action.id };
  const [delivery] = (await product.call(listDeliveries, { params, query }, owner)).results;
  brevo.rule(() => ({ status: 401, body: '{}' }));
  try {
    await deliverNow(product.services, { site_id: params.site_id, id: delivery?.id ?? '', round: 0 });
    const page = await browser.open();
    await signIn(page, world);
    await page.goto(`${product.url}/deliveries?action_id=${action.id}`);
    await page.getByText('Brevo rejected the API key', { exact: true }).waitFor();
    await page.getByText('finn@example.com').click();
    const panel = page.getByRole('dialog');
    await panel
      .getByText('Waiting: Brevo rejected the API key. Enter a new one and we’ll send this.')
      .waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await page.goto(`${product.url}/actions`);
    const group = page.getByRole('region', { name: 'Brevo' });
    await group.getByText(/^Started failing/).waitFor();
    expect(await group.getByText(/^Started failing/).count()).toBe(1);
    expect(await group.getByText('100% delivered').count()).toBe(0);
    expect(await group.getByText('Delivered', { exact: true }).count()).toBe(0);
    await page.goto(`${product.url}/deliveries?delivery=${delivery?.id ?? ''}`);
    await panel.getByRole('link', { name: 'Enter a new API key' }).click();
    await page.getByRole('dialog', { name: 'New API key for Brevo' }).waitFor();
    await page.close();
  } finally {
    brevo.rule(() => null);
    await product.call(deleteAction, { params: { ...params, id: action.id } }, owner);
  }
});

it('what is waiting for its next attempt can be sent now, and what is due by when is explained', async () => {
  const { params, owner } = world;
  const receiver = await startWebhookReceiver();
  receiver.answerWith({ status: 500 });
  try {
    const action = await buildWebhook(product, world, { url: receiver.url, event: 'global_unsubscribed' });
    const { id } = await buildCustomer(product, world, 'dora@example.com');
    const change = { global_unsubscribe: true };
    await product.call(updateCustomer, { params: { ...params, id }, body: change }, owner);
    const find = async () => {
      const query = { customer_id: id, status: 'waiting' as const };
      const { results } = await product.call(listDeliveries, { params, query }, owner);
      return results.find((one) => one.action_type === 'webhook');
    };
    const delivery = await find();
    for (const round of [0, 1]) {
      await deliverNow(product.services, { site_id: params.site_id, id: delivery?.id ?? '', round });
    }
    const page = await browser.open();
    await signIn(page, world);
    await page.goto(`${product.url}/deliveries?status=waiting`);
    await page.getByRole('button', { name: 'Send now (1)' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Send 1 waiting delivery now?' });
    await dialog.getByText('instead of at their next attempt').waitFor();
    await dialog.getByRole('button', { name: 'Send now (1)' }).click();
    await page.getByText('Sending 1 delivery now').waitFor();
    await page.getByRole('button', { name: 'Send now (1)' }).waitFor({ state: 'detached' });
    expect(Date.parse((await find())?.next_attempt_at ?? '')).toBeLessThanOrEqual(
      product.clock.now().getTime(),
    );

    await page.goto(`${product.url}/deliveries?delivery=${delivery?.id ?? ''}`);
    await untilSettled(page.getByRole('dialog'));
    const help = page.getByRole('button', { name: 'What “Due by” means' });
    await help.focus();
    await page.keyboard.press('Enter');
    const text = page.getByText('Mailbox providers require unsubscribes to take effect within 48 hours');
    await text.waitFor();
    await page.keyboard.press('Escape');
    await text.waitFor({ state: 'detached' });
    await untilFocusIn(help);
    await help.click();
    await text.waitFor();
    expect(await problemsByWindow(page)).toEqual({});
    await product.call(deleteAction, { params: { ...params, id: action.id } }, owner);
    // It would go on asking for pending changes.
    await page.close();
  } finally {
    await receiver.close();
  }
});

it('the keyboard focus stays in a filtered list when its row disappears', async () => {
  const { params, owner } = world;
  const receiver = await startWebhookReceiver();
  receiver.answerWith({ status: 500 });
  const action = await buildWebhook(product, world, { url: receiver.url, event: 'global_unsubscribed' });
  const deliver = async (name: string, round: number) => {
    const query = { action_id: action.id, status: 'waiting' as const };
    const { results } = await product.call(listDeliveries, { params, query }, owner);
    const delivery = results.find((one) => one.customer_email === `${name}@example.com`);
    await deliverNow(product.services, { site_id: params.site_id, id: delivery?.id ?? '', round });
  };
  try {
    for (const name of ['ines', 'jana', 'kira']) {
      const { id } = await buildCustomer(product, world, `${name}@example.com`);
      const change = { global_unsubscribe: true };
      await product.call(updateCustomer, { params: { ...params, id }, body: change }, owner);
      await deliver(name, 0);
    }
    receiver.answerWith({ status: 200 });
    const page = await browser.open();
    await signIn(page, world);
    await page.goto(`${product.url}/deliveries?status=waiting&action_id=${action.id}`);
    const row = (name: string) => page.getByRole('link', { name: `${name}@example.com` });
    await row('jana').focus();
    await deliver('jana', 1);
    await row('jana').waitFor({ state: 'detached' });
    // The newest is on top: the row below gets it.
    await untilFocusIn(row('ines'));
    await deliver('ines', 1);
    await row('ines').waitFor({ state: 'detached' });
    await untilFocusIn(row('kira'));
    await deliver('kira', 1);
    await page.getByText('No deliveries match', { exact: true }).waitFor();
    await untilFocusIn(page.getByRole('heading', { level: 1, name: 'Deliveries' }));
    await page.close();
  } finally {
    await product.call(deleteAction, { params: { ...params, id: action.id } }, owner);
    await receiver.close();
  }
});

/** A webhook that arrived 35 days ago, and whose content has been deleted since. */
async function anOldDelivery(): Promise<string> {
  const { params, owner } = world;
  const receiver = await startWebhookReceiver();
  try {
    await buildWebhook(product, world, { url: receiver.url, event: 'global_unsubscribed' });
    const { id } = await buildCustomer(product, world);
    const body = { global_unsubscribe: true };
    await product.call(updateCustomer, { params: { ...params, id }, body }, owner);
    const query = { customer_id: id };
    const { results } = await product.call(listDeliveries, { params, query }, owner);
    const deliveryId = results[0]?.id ?? '';
    await deliverNow(product.services, { site_id: params.site_id, id: deliveryId, round: 0 });
    const { owner: database } = product.testDatabase;
    await database.query(
      `update deliveries set created_at = created_at - interval '40 days', finished_at = finished_at - interval '35 days' where id = $1`,
      [deliveryId],
    );
    await database.query(
      `update delivery_attempts set started_at = started_at - interval '35 days' where delivery_id = $1`,
      [deliveryId],
    );
    await RETENTION.runDue(product.services);
    await database.query('update retention_tasks set due_at = now()');
    await RETENTION.runDue(product.services);
    return deliveryId;
  } finally {
    await receiver.close();
  }
}

it('an old delivery says that its content was deleted, instead of showing an empty one', async () => {
  const deliveryId = await anOldDelivery();
  const page = await browser.open();
  await signIn(page, world);
  await page.goto(`${product.url}/deliveries?delivery=${deliveryId}`);
  const panel = page.getByRole('dialog');
  await panel.getByText(/We deleted the contents of this request and its response on /).waitFor();
  await panel.getByText(/^POST http:\/\/127\.0\.0\.1:\d+$/).waitFor();
  await panel.getByText('204', { exact: true }).waitFor();
  for (const words of ['Empty', 'Request', 'Response', 'No response.']) {
    expect(await panel.getByText(words, { exact: true }).count()).toBe(0);
  }
  expect(await problemsByWindow(page)).toEqual({});
});

it('an owner sets after how many days the content of deliveries is deleted', async () => {
  const page = await browser.open();
  await signIn(page, world);
  await page.goto(`${product.url}/site-settings`);
  const field = page.getByRole('textbox', { name: 'Delete content after (days)' });
  await field.fill('366');
  const card = page.locator('section').filter({ has: field });
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a whole number from 1 to 365.').waitFor();
  await field.fill('1');
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. We delete content after 1 day.').waitFor();
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe('1');
  expect(await problemsByWindow(page)).toEqual({});
});

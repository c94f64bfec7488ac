import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { listCustomers, mintLinks } from '#contract/customers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let receiver: WebhookReceiver;
let browser: TestBrowser;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  receiver = await startWebhookReceiver();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await receiver.close();
  await product.stop();
});

const withoutScripts = () => browser.open({ javaScriptEnabled: false });

async function statesOf(customerId: string) {
  const { rows } = await product.testDatabase.owner.query<{ list_id: string; subscribed: boolean }>(
    'select list_id, subscribed from subscriptions where customer_id = $1',
    [customerId],
  );
  return new Map(rows.map((row) => [row.list_id, row.subscribed]));
}

it('an address is entered, lists are switched and saved, and the webhook arrives', async () => {
  const { secret } = await buildWebhook(product, world, { url: receiver.url });
  const visitor = await withoutScripts();
  await browser.step('enter an address', async () => {
    await visitor.goto(world.page.url);
    await visitor.getByLabel('Email address').fill('nojs@example.com');
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByRole('switch', { name: /Weekly news/ }).waitFor();
  });
  const weekly = visitor.getByRole('switch', { name: /Weekly news/ });
  const offers = visitor.getByRole('switch', { name: /Offers/ });
  await browser.step('switch and save', async () => {
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([true, false]);
    await weekly.click();
    await offers.click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([false, true]);
  });
  const [webhook] = await receiver.waitFor(1);
  const message = new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers ?? {});
  expect(message).toMatchObject({ type: 'unsubscribed', data: { customer: { email: 'nojs@example.com' } } });

  const query = { search: 'nojs@example.com' };
  const found = await product.call(listCustomers, { params: world.params, query }, world.owner);
  const id = found.results[0]?.id ?? '';
  expect(await statesOf(id)).toEqual(
    new Map([
      [world.weekly.id, false],
      [world.offers.id, true],
    ]),
  );
  const evidence = await product.call(listCustomerEvidence, { params: { ...world.params, id } }, world.owner);
  expect(evidence.results[0]).toMatchObject({
    source: 'page',
    authority: 'open',
    events: ['subscribed', 'unsubscribed'],
  });

  await browser.step('leave everything', async () => {
    await visitor.getByRole('button', { name: 'Unsubscribe from all' }).click();
    await weekly.waitFor();
    expect([await weekly.isChecked(), await offers.isChecked()]).toEqual([false, false]);
    // Without scripts this button cannot wait for "Save": either it has saved, or "Save" is the next press.
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
  });
  expect([...(await statesOf(id)).values()]).toEqual([false, false]);
});

it('a personal link opens the own choices, and a leave link leaves with one press', async () => {
  const vera = await buildCustomer(product, world);
  const links = await product.call(
    mintLinks,
    { params: { ...world.params, id: vera.id }, body: { list_id: world.weekly.id } },
    world.owner,
  );
  const visitor = await withoutScripts();
  await browser.step('personal link', async () => {
    await visitor.goto(links.preference_url);
    await visitor.getByText(vera.email).first().waitFor();
    await visitor.getByRole('switch', { name: /Offers/ }).click();
    await visitor.getByRole('button', { name: 'Save' }).click();
    await visitor.getByText('Your preferences have been saved').waitFor();
  });
  expect((await statesOf(vera.id)).get(world.offers.id)).toBe(true);

  await browser.step('leave link', async () => {
    await visitor.goto(links.one_click_url);
    expect((await statesOf(vera.id)).get(world.weekly.id)).not.toBe(false);
    await visitor.getByRole('button', { name: 'Unsubscribe' }).click();
    await visitor.getByText('You will no longer receive Weekly news.').waitFor();
  });
  expect((await statesOf(vera.id)).get(world.weekly.id)).toBe(false);
});

it('a mistyped address is answered beside the field, and nothing is kept', async () => {
  const visitor = await withoutScripts();
  await browser.step('mistyped', async () => {
    await visitor.goto(world.page.url);
    const field = visitor.getByLabel('Email address');
    await field.evaluate((input) => input.closest('form')?.setAttribute('novalidate', ''));
    await field.fill('nobody@');
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByRole('alert').waitFor();
  });
});

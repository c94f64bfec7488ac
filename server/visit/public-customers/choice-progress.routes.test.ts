import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { endLinks, updateCustomer } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import { updateSite } from '#contract/sites.ts';
import { getChoiceProgress, openCustomer, saveLists } from '#contract/public-preferences.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let brevo: BrevoFake;
let world: World;

beforeAll(async () => {
  // No worker: the tests make each attempt themselves.
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  receiver = await startWebhookReceiver();
});

beforeEach(async () => {
  receiver.answerWith({ status: 204 });
  world = await buildWorld(product);
});

afterAll(async () => {
  await receiver.close();
  await product.stop();
  await brevo.close();
});

const paramsOf = (customerId: string) => ({ params: { customerId } });
const stateOf = async (customerId: string, visitor = world.visitor) =>
  (await product.call(getChoiceProgress, paramsOf(customerId), visitor)).state;
const statusOf = async (customerId: string, visitor = world.visitor) =>
  (await product.refuse(getChoiceProgress, paramsOf(customerId), visitor)).status;

async function leaveWeekly(customerId: string): Promise<void> {
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(saveLists, { ...paramsOf(customerId), body }, world.visitor);
}

/** Makes one attempt of the only delivery there is. */
async function deliver(): Promise<void> {
  const { results } = await product.call(listDeliveries, { params: world.params }, world.owner);
  const { id, attempt_count } = results[0] ?? { id: '', attempt_count: 0 };
  await deliverNow(product.services, { site_id: world.params.site_id, id, round: attempt_count });
}

it('the progress is empty for a choice that no action was about', async () => {
  const id = await openAsProven(product, world, await buildCustomer(product, world));
  expect(await stateOf(id)).toBe('none');
  await leaveWeekly(id);
  expect(await stateOf(id)).toBe('none');
});

it('the progress waits until everything has arrived, and says when something is late', async () => {
  await buildWebhook(product, world, { url: receiver.url });
  const id = await openAsProven(product, world, await buildCustomer(product, world));
  await leaveWeekly(id);
  expect(await stateOf(id)).toBe('waiting');
  receiver.answerWith({ status: 503 });
  await deliver();
  expect(await stateOf(id)).toBe('delayed');
});

it('the progress of a webhook ends when it was received, since it cannot be read back', async () => {
  await buildWebhook(product, world, { url: receiver.url });
  const id = await openAsProven(product, world, await buildCustomer(product, world));
  await leaveWeekly(id);
  await deliver();
  expect(await stateOf(id)).toBe('received');
});

it('the progress confirms what the tool shows', async () => {
  const { params, owner } = world;
  const credentials = { ...brevo.credentials };
  const brevoHere = { params, body: { provider: 'brevo' as const, credentials } };
  const { id: integration_id } = await product.call(createIntegration, brevoHere, owner);
  const body = {
    type: 'global_unsubscribe' as const,
    name: 'Out of Brevo',
    integration_id,
    trigger: { event: 'global_unsubscribed' as const },
    target: {},
    operation: 'unsubscribe',
  };
  await product.call(createAction, { params, body }, owner);
  const vera = await buildCustomer(product, world);
  brevo.addContact(vera.email);
  const id = await openAsProven(product, world, vera);
  const change = { params: { ...params, id: vera.id }, body: { global_unsubscribe: true } };
  await product.call(updateCustomer, change, owner);
  await deliver();
  expect(await stateOf(id)).toBe('confirmed');
});

it.each([
  ['of a test customer', { test_emails: ['@test.example'] }],
  ['on a site in test mode', { test_mode: true }],
])('the progress is empty for a choice %s, which is not sent', async (_, body) => {
  await product.call(updateSite, { params: world.params, body }, world.owner);
  await buildWebhook(product, world, { url: receiver.url });
  const id = await openAsProven(product, world, await buildCustomer(product, world, 'qa@test.example'));
  await leaveWeekly(id);
  await deliver();
  expect(await stateOf(id)).toBe('none');
});

it('the progress is not shown to a typed address, a forged id, another site or an expired link', async () => {
  const vera = await buildCustomer(product, world);
  const body = { email: vera.email, custom_path: world.page.custom_path };
  const open = await product.call(openCustomer, { body }, world.visitor);
  const proven = await openAsProven(product, world, vera);
  const elsewhere = await buildWorld(product);
  expect(await statusOf(open.id)).toBe(404);
  expect(await statusOf(`${proven.slice(0, -4)}AAAA`)).toBe(404);
  expect(await statusOf(proven, elsewhere.visitor)).toBe(404);
  await product.call(endLinks, { params: { ...world.params, id: vera.id } }, world.owner);
  expect(await statusOf(proven)).toBe(404);
});

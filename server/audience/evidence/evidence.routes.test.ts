import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { getCustomerPage, saveLists, updatePublicCustomer } from '#contract/public-preferences.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;
let receiver: WebhookReceiver;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  world = await buildWorld(product);
  receiver = await startWebhookReceiver();
});

afterAll(async () => {
  await receiver.close();
  await product.stop();
});

function preferences(weekly: boolean, offers: boolean) {
  return [
    { notification_list_id: world.weekly.id, subscribed: weekly },
    { notification_list_id: world.offers.id, subscribed: offers },
  ];
}

describe('a saved choice', () => {
  it('leaves state, evidence and a signed webhook that the standard library verifies', async () => {
    const { secret } = await buildWebhook(product, world, { url: receiver.url, list_ids: [world.weekly.id] });
    const vera = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, vera);

    const saved = await product.call(
      saveLists,
      { params: { customerId }, headers: { 'x-page-language': 'de' }, body: preferences(false, true) },
      world.visitor,
    );
    expect(saved.lists).toEqual(preferences(false, true));

    const [webhook] = await receiver.waitFor(1);
    const message = new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers ?? {});
    expect(message).toMatchObject({
      type: 'unsubscribed',
      data: {
        site: world.site.id,
        customer: { id: vera.id, email: vera.email },
        sequence: 2,
        source: 'page',
      },
    });

    const evidence = await product.call(
      listCustomerEvidence,
      { params: { ...world.params, id: vera.id } },
      world.owner,
    );
    expect(evidence.results[0]).toMatchObject({
      sequence: 2,
      authority: 'proven',
      language: 'de',
      email: vera.email,
      events: ['subscribed', 'unsubscribed'],
    });
    expect(evidence.results[0]?.previous_hash).toBe(evidence.results[1]?.hash);

    await expect.poll(async () => (await deliveriesOf(vera.id))[0]?.status).toBe('arrived');
    const [delivery] = await deliveriesOf(vera.id);
    const detail = await product.call(
      getDelivery,
      { params: { ...world.params, id: delivery?.id ?? '' } },
      world.owner,
    );
    expect(detail.attempts).toHaveLength(1);
    expect(webhook?.headers['webhook-id']).toBe(delivery?.id);
  });

  it('can be read again, and a repeated save id changes nothing', async () => {
    const vera = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, vera);
    const headers = { 'idempotency-key': 'save-0001' };
    const first = await product.call(
      saveLists,
      { params: { customerId }, headers, body: preferences(true, true) },
      world.visitor,
    );
    await product.call(saveLists, { params: { customerId }, body: preferences(true, false) }, world.visitor);
    const repeated = await product.call(
      saveLists,
      { params: { customerId }, headers, body: preferences(true, true) },
      world.visitor,
    );
    expect(repeated.choice_id).toBe(first.choice_id);
    const page = await product.call(
      getCustomerPage,
      { params: { customerId, custom_path: 'preferences' } },
      world.visitor,
    );
    expect(page.lists.map((list) => list.subscribed)).toEqual([true, false]);
  });

  it('to leave everything leaves each list, and coming back restores what was chosen (spec 61)', async () => {
    const vera = await buildCustomer(product, world);
    const customerId = await openAsProven(product, world, vera);
    await product.call(saveLists, { params: { customerId }, body: preferences(true, false) }, world.visitor);
    await product.call(
      updatePublicCustomer,
      { params: { customerId }, body: { global_unsubscribe: true } },
      world.visitor,
    );
    const evidence = await product.call(
      listCustomerEvidence,
      { params: { ...world.params, id: vera.id } },
      world.owner,
    );
    expect(evidence.results[0]?.events).toEqual(['unsubscribed', 'global_unsubscribed']);
    await product.call(
      updatePublicCustomer,
      { params: { customerId }, body: { global_unsubscribe: false } },
      world.visitor,
    );
    const page = await product.call(
      getCustomerPage,
      { params: { customerId, custom_path: 'preferences' } },
      world.visitor,
    );
    expect(page.lists.map((list) => list.subscribed)).toEqual([true, false]);
  });
});

async function deliveriesOf(customerId: string) {
  const { results } = await product.call(
    listDeliveries,
    { params: world.params, query: { customer_id: customerId } },
    world.owner,
  );
  return results;
}

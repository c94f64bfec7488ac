import { afterAll, beforeAll, expect, it } from 'vitest';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { createDeliveryWorkers } from '#test/harness/delivery-workers.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, ON_THE_PAGE } from '#test/harness/world.ts';

let here: TestProduct;
let there: TestProduct;
let receiver: WebhookReceiver;
const workers = createDeliveryWorkers();

beforeAll(async () => {
  here = await startTestProduct();
  there = await startTestProduct({ beside: here });
  receiver = await startWebhookReceiver();
});

afterAll(async () => {
  await workers.stopAll();
  await there.stop();
  await here.stop();
  await receiver.close();
});

it('a process without a worker wakes that of another one within half a second', async () => {
  const world = await buildWorld(here);
  await buildWebhook(here, world, { url: receiver.url });
  workers.answering(there);
  const wish = { lists: [{ list_id: world.weekly.id, subscribed: false }] };
  for (const count of [1, 2, 3]) {
    const { id } = await buildCustomer(here, world);
    const began = performance.now();
    await saveChoice(here.services, world.site.id, id, wish, ON_THE_PAGE);
    await receiver.waitFor(count);
    expect(performance.now() - began).toBeLessThan(500);
  }
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { createDeliveryWorkers } from '#test/harness/delivery-workers.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWebhook, buildWorld, type World } from '#test/harness/world.ts';
import { RETENTION } from './retention.jobs.ts';

let product: TestProduct;
let receiver: WebhookReceiver;
let acme: World;
const workers = createDeliveryWorkers();

beforeAll(async () => {
  product = await startTestProduct();
  receiver = await startWebhookReceiver();
  acme = await buildWorld(product);
});

afterAll(async () => {
  await workers.stopAll();
  await receiver.close();
  await product.stop();
});

const rows = async <T extends object>(text: string, values: unknown[]): Promise<T[]> =>
  (await product.testDatabase.owner.query<T>(text, values)).rows;

const inDays = (days: number) => new Date(product.clock.now().getTime() + days * 86_400_000);

async function night(): Promise<void> {
  await RETENTION.runDue(product.services);
  await rows('update retention_tasks set due_at = $1, lease = null', [product.clock.now()]);
  await RETENTION.runDue(product.services);
}

const slotsAfter = (time: Date) =>
  rows('select account from tool_rate_limits where next_slot_at > $1', [time]);

const setTimes = (time: Date) =>
  rows(
    `with deliveries as (update deliveries set next_attempt_at = $2 where site_id = $1),
       marks as (insert into sites_with_work values ($1, $2, $2) on conflict (site_id) do update set due_at = $2, hold_until = $2)
     insert into tool_rate_limits values ('mailchimp:acme', $2, 1) on conflict (account) do update set next_slot_at = $2`,
    [acme.params.site_id, time],
  );

it('a delivery that a clock in the future put off for years is sent after the next night', async () => {
  await buildWebhook(product, acme, { url: receiver.url });
  const vera = await buildCustomer(product, acme);
  const leave = [{ notification_list_id: acme.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...acme.params, id: vera.id }, body: leave }, acme.owner);
  await setTimes(inDays(700));

  await night();
  expect(await slotsAfter(inDays(2))).toEqual([]);
  workers.answering(product);
  expect(await receiver.waitFor(1)).toHaveLength(1);
  await workers.stopAll();
});

it('a wait of a day stays as it is', async () => {
  const tomorrow = inDays(1);
  await setTimes(tomorrow);
  await night();
  expect(
    await rows(`select next_slot_at from tool_rate_limits where account = 'mailchimp:acme'`, []),
  ).toEqual([{ next_slot_at: tomorrow }]);
  expect(await rows('select due_at from sites_with_work where site_id = $1', [acme.params.site_id])).toEqual([
    { due_at: tomorrow },
  ]);
});

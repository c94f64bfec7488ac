import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setCustomerLists } from '#contract/customers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { createDeliveryWorkers } from '#test/harness/delivery-workers.ts';
import { csv, upload } from '#test/harness/imports.ts';
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

describe('every other time that someone waits for', () => {
  const column = async (table: string, name: string): Promise<Date | undefined> => {
    const [row] = await rows<{ at: Date }>(`select ${name} as at from ${table} where site_id = $1`, [
      acme.params.site_id,
    ]);
    return row?.at;
  };

  /** A row of each table, with all of its times at `at`. */
  async function writeTimes(at: Date): Promise<void> {
    const { id: customerId } = await buildCustomer(product, acme);
    const siteId = acme.params.site_id;
    await rows(`delete from site_domains where site_id = $1`, [siteId]);
    for (const table of ['customer_leases', 'token_renewals', 'pending_changes', 'complaints', 'link_fields'])
      await rows(`delete from ${table} where site_id = $1`, [siteId]);
    await rows('delete from integrations where site_id = $1', [siteId]);
    await rows('delete from customer_timers where site_id = $1', [siteId]);
    await rows(
      `with leases as (insert into customer_leases values ($1, $1, $2, $1, $3)),
         renewals as (insert into token_renewals (site_id, integration_id, renew_at, locked_until) values ($1, $1, $3, $3)),
         domains as (insert into site_domains (site_id, host, created_at, next_check_at, proof_missing_since)
           values ($1, 'www.acme.example', now(), $3, $3)),
         timers as (insert into customer_timers values ($1, $2, 'erase', $3, $3)),
         pending as (insert into pending_changes (site_id, customer_id, kind, id, sequence, change_sealed, requested, expires_at)
           values ($1, $2, 'subscribe', $1, 1, '', '{}', $3)),
         complaints as (insert into complaints (site_id, id, customer_id, language, received_at, due_at)
           values ($1, $1, $2, 'en', now(), $3)),
         fields as (insert into link_fields (site_id, id, integration_id, field_id, field_name, full_sync_due_at, created_at)
           values ($1, $1, $1, '', '', $3, now()))
       insert into integrations (site_id, id, provider, name, credentials_sealed, status, created_at, updated_at, rests_until, late_notice_at)
         values ($1, $1, 'drip', '', '', 'connected', now(), now(), $3, $3)`,
      [siteId, customerId, at],
    );
  }

  const WAITS = [
    ['customer_leases', 'expires_at', 0],
    ['token_renewals', 'renew_at', 0],
    ['token_renewals', 'locked_until', 0],
    ['site_domains', 'next_check_at', 0],
    ['site_domains', 'proof_missing_since', 0],
    ['customer_timers', 'due_at', 0],
    ['customer_timers', 'created_at', 0],
    ['integrations', 'rests_until', 0],
    ['integrations', 'late_notice_at', 0],
    ['link_fields', 'full_sync_due_at', 0],
    ['pending_changes', 'expires_at', 8],
    ['complaints', 'due_at', 31],
  ] as const;

  it('is now after a night if a clock in the future wrote it, or the furthest day that was ever promised', async () => {
    await writeTimes(inDays(700));
    await night();
    for (const [table, name, days] of WAITS) {
      const at = await column(table, name);
      expect(at?.getTime(), `${table}.${name}`).toBeLessThanOrEqual(inDays(days).getTime());
      expect(at?.getTime(), `${table}.${name}`).toBeGreaterThan(inDays(days - 1).getTime());
    }
  });

  it('stays as it is when it is a day away', async () => {
    const tomorrow = inDays(1);
    await writeTimes(tomorrow);
    await night();
    for (const [table, name] of WAITS)
      expect(await column(table, name), `${table}.${name}`).toEqual(tomorrow);
  });

  it('of limits and of released names, which belong to no site, too', async () => {
    const later = inDays(700);
    const tomorrow = inDays(1);
    await rows(
      `with limits as (insert into rate_limits values ('far', 9, $1), ('near', 9, $2))
       insert into host_name_owners values ('far.example', $3, $4, $4), ('near.example', $3, $5, $5)`,
      [later.getTime(), tomorrow.getTime(), acme.params.organization_id, later, tomorrow],
    );
    await RETENTION.runDue(product.services);
    expect(await rows(`select key from rate_limits where key in ('far', 'near')`, [])).toEqual([
      { key: 'near' },
    ]);
    const released = await rows<{ host: string; released_at: Date }>(
      `select host, released_at from host_name_owners where host in ('far.example', 'near.example') order by host`,
      [],
    );
    expect(released[0]?.released_at.getTime()).toBeLessThanOrEqual(product.clock.now().getTime());
    expect(released[1]?.released_at).toEqual(tomorrow);
  });

  it('of jobs, which wait for 30 days at most', async () => {
    const later = inDays(700);
    const inAMonth = inDays(30);
    const ids: string[] = [];
    for (const at of [later, inAMonth]) {
      const { id } = await upload(product, acme, csv('email', 'nora@example.com'));
      await rows(`update queue.job set start_after = $1 where data ->> 'id' = $2`, [at, id]);
      ids.push(id);
    }
    await RETENTION.runDue(product.services);
    const startOf = async (id: string | undefined) =>
      (await rows<{ at: Date }>(`select start_after as at from queue.job where data ->> 'id' = $1`, [id]))[0]
        ?.at;
    expect((await startOf(ids[0]))?.getTime()).toBeLessThanOrEqual(product.clock.now().getTime());
    expect(await startOf(ids[1])).toEqual(inAMonth);
  });
});

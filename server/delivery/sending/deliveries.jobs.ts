import type { DeliveryStatus } from '#contract/deliveries.ts';
import { testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { type ActionRow, findAction } from '#server/delivery/actions/actions.sql.ts';
import { actionsOf } from '#server/delivery/actions/actions.ts';
import { contactOf, type Work } from '#server/delivery/deliveries/attempt-result.ts';
import {
  deliveriesWithChoices,
  type DeliveryWithChoice,
  updateDelivery,
} from '#server/delivery/deliveries/deliveries.sql.ts';
import {
  type LeasedDelivery,
  receiverOf,
  startDeliveryWorker,
} from '#server/delivery/deliveries/delivery-queue.ts';
import type { Contact } from '#server/delivery/deliveries/dispatcher.ts';
import { attempt, recordSkipped } from '#server/delivery/deliveries/recording.ts';
import { settle } from '#server/delivery/deliveries/settle.ts';
import type { BackgroundTask } from '#server/platform/background-task.ts';
import { batcherOf, createBatcher } from '#server/platform/batcher.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import { dispatch } from './dispatch.ts';
import { confirmDelivery } from './confirmation-read.ts';
import { deliverBatch } from './tool-batch.ts';
import { recordCalls } from './call-estimates.ts';

/** Deliveries of a site read with one statement. */
const MAX_BATCH = 64;

/** A delivery held in memory for longer is read again: the customer may have been erased meanwhile. */
const FRESH_FOR_MS = 1000;

export const DELIVERIES = {
  name: 'deliveries',
  start: (services) =>
    startDeliveryWorker(services, {
      deliver: (leased) => deliverLeased(services, leased),
      receiversOf: async (siteId) =>
        new Map((await actionsOf(services, siteId)).map((action) => [action.id, receiverOf(action)])),
    }),
} satisfies BackgroundTask;

/** Attempts the deliveries that this process has leased for one receiver. */
export async function deliverLeased(services: Services, leased: readonly LeasedDelivery[]): Promise<Contact> {
  const rows = (await Promise.all(leased.map((one) => currentRow(services, one)))).filter(
    (row) => row !== null,
  );
  const [first, ...others] = rows;
  if (first === undefined) return 'not_called';
  if (others.length === 0) return deliver(services, first);
  const attempts = rows.filter(({ status }) => status === 'waiting');
  for (const row of rows) if (row.status !== 'waiting') await deliver(services, row);
  const works = await Promise.all(attempts.map((row) => workOf(services, row, row.delivery_id)));
  return deliverBatch(
    services,
    works.filter((work) => work !== null),
  );
}

/** The current row of a delivery held in memory; null if another worker has recorded an attempt, or it is gone. */
async function currentRow(
  services: Services,
  { row, leasedAt }: LeasedDelivery,
): Promise<DeliveryWithChoice | null> {
  if (performance.now() - leasedAt < FRESH_FOR_MS) return row;
  const current = await readDelivery(services)(row.site_id, row.delivery_id);
  return current?.attempt_count === row.attempt_count ? current : null;
}

/** A delivery with its choice, in a batched query per site; null if it is gone. */
const readDelivery = batcherOf(({ database }: Services) =>
  createBatcher<string, DeliveryWithChoice | null>(
    async (siteId, ids) => {
      const rows = await detached(() =>
        database.readOnce(siteId, (db) => deliveriesWithChoices(db, siteId, ids)),
      );
      const rowOf = new Map(rows.map((row) => [row.delivery_id, row]));
      return ids.map((id) => ({ status: 'fulfilled', value: rowOf.get(id) ?? null }));
    },
    { maxSize: MAX_BATCH, concurrency: 2 },
  ),
);

/** The attempt to make; null if the action no longer runs, or nothing may be sent. */
async function workOf(services: Services, row: DeliveryWithChoice, run: string): Promise<Work | null> {
  const {
    delivery_id: id,
    action_id,
    event,
    status,
    attempt_count,
    try_count,
    confirmation_reads: _,
    tool_effect,
    ...choice
  } = row;
  if (row.next_attempt_at === null) return null;
  const action = await findRunning(services, row.site_id, action_id);
  if (action !== null) {
    const work = { delivery: { id, event, attempt_count, try_count, tool_effect }, action, choice, run };
    return (await isWithheld(services, work, status)) ? null : work;
  }
  const givenUp = {
    status: 'failed',
    outcome: 'action_off',
    last_error: 'The action was turned off or deleted before we could send this.',
    finished_at: services.clock.now(),
  } as const;
  await services.database.inSite(row.site_id, (site) =>
    updateDelivery(site, id, { next_attempt_at: null, ...(status === 'arrived' ? {} : givenUp) }),
  );
  return null;
}

/** The last guard before anything is sent: test mode holds a delivery back, and a test choice ends it. */
async function isWithheld(services: Services, work: Work, status: DeliveryStatus): Promise<boolean> {
  if (work.choice.is_test !== null) {
    await recordSkipped(services, work, 'test');
    return true;
  }
  // A confirmation read writes nothing.
  if (status !== 'waiting') return false;
  const { isOn } = await testRulesOf(services, work.choice.site_id);
  if (isOn) await settle(services, work, { outcome: 'held' });
  return isOn;
}

function isRunning(action: ActionRow | undefined): action is ActionRow {
  return action !== undefined && action.enabled && action.deleted_at === null;
}

async function findRunning(services: Services, siteId: string, id: string): Promise<ActionRow | null> {
  const kept = (await actionsOf(services, siteId)).find((one) => one.id === id);
  if (isRunning(kept)) return kept;
  // The cache may be stale, and giving up a delivery is final.
  const current = await services.database.readSite(siteId, (site) => findAction(site, id));
  return isRunning(current) ? current : null;
}

/**
 * Makes one attempt of a delivery and records it, or reads back the result of an earlier one. It may run twice (a
 * killed worker, a lost database connection); the receiver then gets the same message id again.
 * @param named.round number of attempts so far; a delivery with another number has moved on
 */
export async function deliverNow(
  services: Services,
  named: { site_id: string; id: string; round: number; run?: string },
): Promise<void> {
  const row = await readDelivery(services)(named.site_id, named.id);
  if (row !== null && row.attempt_count === named.round) await deliver(services, row, named.run);
}

async function deliver(services: Services, row: DeliveryWithChoice, run = row.delivery_id): Promise<Contact> {
  const work = await workOf(services, row, run);
  if (work === null) return 'not_called';
  if (row.status === 'arrived') {
    await confirmDelivery(services, work, row.confirmation_reads);
    return 'not_called';
  }
  const result = await attempt(services, work, () => dispatch(services, work));
  if (result.kind === 'attempted' && result.calls !== undefined) {
    recordCalls(work.action.integration_id ?? '', result.calls);
  }
  return contactOf(result);
}

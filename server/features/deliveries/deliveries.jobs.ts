import type { Attempt } from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import { actionsOf } from '#server/features/actions/actions.ts';
import { type ActionRow, findAction } from '#server/features/actions/actions.sql.ts';
import { lockIntegration } from '#server/features/integrations/integrations.sql.ts';
import { batcherOf, createBatcher } from '#server/platform/batcher.ts';
import { isDatabaseUnable, isUniqueViolation } from '#server/platform/database-errors.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import { type Attempted, type Carried, NO_CALL, type Seen, type Why, type Work } from './carried.ts';
import { carry } from './carry.ts';
import type { OwnersNews } from './deliveries.mails.ts';
import {
  type Arrival,
  deliveriesWithChoices,
  type DeliveryWithChoice,
  insertAttempt,
  lockDelivery,
  recordArrivals,
  updateDelivery,
  updateDeliveryInRound,
} from './deliveries.sql.ts';
import {
  announceWork,
  type DeliveryWorker,
  type LeasedDelivery,
  receiverOf,
  startDeliveryWorker,
} from './delivery-queue.ts';
import type { Contact } from './dispatcher.ts';
import { noteEndpointFailure, noteEndpointWell } from './endpoint-health.ts';
import { lookAgain } from './look-again.ts';
import { nextLookSeconds } from './looks.ts';
import { outcomeSeen } from './outcomes.ts';
import { busyDelaySeconds, retryDelaySeconds } from './retries.ts';
import { reschedule, settle } from './settle.ts';
import { tellOwners } from './tell-owners.ts';
import { noteToolFailure, noteToolWell } from './tool-health.ts';
import { noteCalls } from './usual-calls.ts';

/** Deliveries of a site that are read, or recorded, with one statement. */
const MAX_TOGETHER = 64;

/** What waited for longer in memory is read again: the person may have been erased meanwhile. */
const FRESH_FOR_MS = 1000;

const OUR_FAULT: Attempted = {
  kind: 'attempted',
  request: NO_CALL,
  outcome: 'unavailable',
  response: null,
  error: 'A fault of ours kept this from being made. It is in our log.',
  retryAfterSeconds: null,
  isFinal: false,
  isOurFault: true,
  seen: 'not_asked',
};

export function startDeliveries(services: Services): DeliveryWorker {
  return startDeliveryWorker(services, {
    deliver: (delivery) => deliverLeased(services, delivery),
    receiversOf: async (siteId) =>
      new Map((await actionsOf(services, siteId)).map((action) => [action.id, receiverOf(action)])),
  });
}

async function deliverLeased(services: Services, { row, leasedAt }: LeasedDelivery): Promise<Contact> {
  const isFresh = performance.now() - leasedAt < FRESH_FOR_MS;
  const current = isFresh ? row : await readDelivery(services)(row.site_id, row.delivery_id);
  if (current === null || current.attempt_count !== row.attempt_count) return 'not_called';
  return deliver(services, current);
}

/** A delivery with its choice, read together with others of its site; null where it is gone. */
const readDelivery = batcherOf(({ database }: Services) =>
  createBatcher<string, DeliveryWithChoice | null>(
    async (siteId, ids) => {
      const rows = await detached(() =>
        database.readOnce(siteId, (db) => deliveriesWithChoices(db, siteId, ids)),
      );
      const rowOf = new Map(rows.map((row) => [row.delivery_id, row]));
      return ids.map((id) => ({ status: 'fulfilled', value: rowOf.get(id) ?? null }));
    },
    { maxSize: MAX_TOGETHER, concurrency: 2 },
  ),
);

/** Records attempts at receivers that are well, together with others of their site. */
const recordTogether = batcherOf(({ database }: Services) =>
  createBatcher<Arrival, null>(
    async (siteId, arrivals) => {
      await detached(() =>
        database.inSite(siteId, (site) => site.commitWith(recordArrivals(siteId, arrivals))),
      );
      return arrivals.map(() => ({ status: 'fulfilled', value: null }));
    },
    { maxSize: MAX_TOGETHER, concurrency: 2, exclusiveBy: ({ deliveryId }) => deliveryId },
  ),
);

/** What there is to do; null when it is no longer wanted. */
async function workOf(services: Services, row: DeliveryWithChoice, run: string): Promise<Work | null> {
  const { delivery_id: id, action_id, event, status, attempt_count, try_count, looks: _, ...choice } = row;
  if (row.next_attempt_at === null) return null;
  const action = await findRunning(services, row.site_id, action_id);
  if (action !== null) return { delivery: { id, event, attempt_count, try_count }, action, choice, run };
  const givenUp = {
    status: 'failed',
    outcome: 'action_off',
    last_error: 'The action was switched off or deleted before this could be sent.',
    finished_at: services.clock.now(),
  } as const;
  await services.database.inSite(row.site_id, (site) =>
    updateDelivery(site, id, { next_attempt_at: null, ...(status === 'arrived' ? {} : givenUp) }),
  );
  return null;
}

function isRunning(action: ActionRow | undefined): action is ActionRow {
  return action !== undefined && action.enabled && action.deleted_at === null;
}

async function findRunning(services: Services, siteId: string, id: string): Promise<ActionRow | null> {
  const kept = (await actionsOf(services, siteId)).find((one) => one.id === id);
  if (isRunning(kept)) return kept;
  // What is kept may be a moment old, and a delivery is given up only for certain.
  const current = await services.database.readSite(siteId, (site) => findAction(site, id));
  return isRunning(current) ? current : null;
}

/**
 * Makes one attempt of a delivery and records it, or looks what came of it. It may run twice (a worker that was killed,
 * a database that went away): the receiver then sees the same message id again.
 * @param named.round how many attempts there were: others are over
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
    await lookAgain(services, work, row.looks);
    return 'not_called';
  }
  const carried = await attemptNow(services, work);
  if (carried.kind !== 'attempted' || carried.isOurFault === true) return 'not_called';
  if (carried.calls !== undefined) noteCalls(work.action.integration_id ?? '', carried.calls);
  return carried.outcome === 'unavailable' && carried.response === null ? 'silent' : 'answered';
}

async function attemptNow(services: Services, work: Work): Promise<Carried> {
  const startedAt = services.clock.now();
  const clockStart = performance.now();
  const carried = await carryOrSay(services, work);
  await record(services, work, carried, {
    startedAt,
    durationMs: Math.round(performance.now() - clockStart),
  });
  return carried;
}

/** A fault of ours is an attempt like others, so that it is seen in the log and ends where the schedule ends. */
async function carryOrSay(services: Services, work: Work): Promise<Carried> {
  try {
    return await carry(services, work);
  } catch (error) {
    if (isDatabaseUnable(error)) throw error;
    services.log.error({ err: error, delivery: work.delivery.id }, 'A delivery could not be made');
    return OUR_FAULT;
  }
}

async function record(
  services: Services,
  work: Work,
  carried: Carried,
  { startedAt, durationMs }: { startedAt: Date; durationMs: number },
): Promise<void> {
  if (carried.kind === 'postponed') return reschedule(services, work, carried.seconds);
  if (carried.kind === 'nothing') return recordNothing(services, work, carried.why);
  const attempt: Attempt = {
    number: work.delivery.attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    outcome: carried.outcome,
    request: carried.request,
    response: carried.response,
    error: carried.error,
  };
  const { type } = work.action;
  services.figures.attempts.inc({ type, outcome: carried.outcome });
  if (carried.outcome === 'arrived') return recordArrival(services, work, attempt, carried.seen);
  const news = await recordFailure(services, work, attempt, carried);
  if (news !== null) await tellOwners(services, work.choice.site_id, news);
}

/** Done without a call. */
function recordNothing(services: Services, work: Work, why: Why): Promise<void> {
  const finished_at = services.clock.now();
  return settle(services, work, { status: 'arrived', outcome: why, last_error: null, finished_at });
}

async function recordArrival(
  services: Services,
  { delivery, action, choice }: Work,
  attempt: Attempt,
  seen: Seen,
): Promise<void> {
  const siteId = choice.site_id;
  const now = services.clock.now();
  if (action.integration_id === null && action.failing_since === null) {
    await recordTogether(services)(siteId, {
      deliveryId: delivery.id,
      attempt,
      tries: delivery.try_count + 1,
      at: now,
      isConfirmed: seen === 'there',
      outcome: outcomeSeen(seen, 0),
      lookAt: null,
    });
    services.figures.deliveries.inc({ type: action.type, outcome: 'arrived' });
    return;
  }
  const seconds = nextLookSeconds(seen, 0);
  const lookAt = seconds === null ? null : new Date(now.getTime() + seconds * 1000);
  try {
    await services.database.inSite(siteId, async (site) => {
      if (action.integration_id === null) await noteEndpointWell(services, site, action);
      else await noteToolWell(services, site, action.integration_id);
      await site.commitWith([
        insertAttempt(site, delivery.id, attempt),
        updateDeliveryInRound(site, delivery.id, delivery.attempt_count, {
          attempt_count: attempt.number,
          try_count: delivery.try_count + 1,
          status: 'arrived',
          next_attempt_at: lookAt,
          last_error: null,
          finished_at: now,
          confirmed_at: seen === 'there' ? now : null,
          outcome: outcomeSeen(seen, 0),
          looks: 0,
        }),
        ...(lookAt === null ? [] : [announceWork(services, site, lookAt)]),
      ]);
    });
    services.figures.deliveries.inc({ type: action.type, outcome: 'arrived' });
  } catch (error) {
    // Another worker had the same job and has recorded it.
    if (!isUniqueViolation(error)) throw error;
  }
}

function keptOutcome({ outcome, isToolOff }: Attempted): KeptOutcome | null {
  if (isToolOff === true) return 'tool_off';
  return outcome === 'arrived' ? null : outcome;
}

/** @returns what the owners have to be told because of this attempt, if anything */
async function recordFailure(
  services: Services,
  { delivery: { id, attempt_count: round }, action, choice }: Work,
  attempt: Attempt,
  carried: Attempted,
): Promise<OwnersNews | null> {
  return services.database.inSite(choice.site_id, async (site) => {
    // The tool before its deliveries, as where it is found well: else each would wait for the other.
    if (action.integration_id !== null) await lockIntegration(site, action.integration_id);
    const delivery = await lockDelivery(site, id);
    if (delivery === undefined || delivery.attempt_count !== round) return null;
    const now = services.clock.now();
    const recorded = insertAttempt(site, delivery.id, attempt);
    await site.query(recorded.sql, [...recorded.parameters]);
    const isBusy = action.integration_id !== null && carried.outcome === 'rate_limited';
    const counts = { attempt_count: attempt.number, try_count: delivery.try_count + (isBusy ? 0 : 1) };
    const delay = carried.isFinal
      ? null
      : isBusy
        ? busyDelaySeconds(attempt.number, carried.retryAfterSeconds)
        : retryDelaySeconds(counts.try_count, carried.retryAfterSeconds, Math.random());
    const nextAttemptAt = delay === null ? null : new Date(now.getTime() + delay * 1000);
    await updateDelivery(site, delivery.id, {
      ...counts,
      status: nextAttemptAt === null ? 'failed' : 'waiting',
      outcome: keptOutcome(carried),
      next_attempt_at: nextAttemptAt,
      last_error: carried.error,
      finished_at: nextAttemptAt === null ? now : null,
    });
    if (nextAttemptAt === null) {
      site.afterCommit(() => services.figures.deliveries.inc({ type: action.type, outcome: 'failed' }));
    } else {
      const mark = announceWork(services, site, nextAttemptAt);
      await site.query(mark.sql, [...mark.parameters]);
    }
    if (carried.isOurFault === true) return null;
    return action.integration_id === null
      ? noteEndpointFailure(services, site, action, carried, now)
      : noteToolFailure(services, site, action.integration_id, carried, now);
  });
}

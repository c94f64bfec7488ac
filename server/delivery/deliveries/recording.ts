import type { Attempt } from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import { batcherOf, createBatcher, type Outcome } from '#server/platform/batcher.ts';
import { isDatabaseUnable } from '#server/platform/database-errors.ts';
import { busyDelaySeconds, retryDelaySeconds } from '#server/platform/retries.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import { markTargetGone } from '#server/delivery/actions/gone-targets.ts';
import type { OwnerNotice } from '#server/tools/health/owner-notices.mails.ts';
import { notifyOwners } from '#server/tools/health/notify-owners.ts';
import { lockIntegration } from '#server/tools/integrations/integrations.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { ATTEMPTS, ENDED_DELIVERIES, UNRECORDED } from './deliveries.metrics.ts';
import {
  type CompletedAttempt,
  type AttemptResult,
  NO_CALL,
  type SkipReason,
  type Work,
} from './attempt-result.ts';
import {
  type Arrival,
  insertAttempt,
  lockDelivery,
  recordArrivals,
  storedEffect,
  updateDelivery,
} from './deliveries.sql.ts';
import { announceWork } from './delivery-queue.ts';
import { recordEndpointFailure, recordEndpointSuccess } from './endpoint-health.ts';
import { nextConfirmationSeconds } from './confirmation-schedule.ts';
import { outcomeOfConfirmation } from './outcomes.ts';
import { type Round, reschedule, settle } from './settle.ts';
import { recordFailedToolAttempt, recordToolSuccess } from './circuit-breaker.ts';

/** Attempts of a site recorded with one statement. */
const MAX_BATCH = 64;

const INTERNAL_FAULT: CompletedAttempt = {
  kind: 'attempted',
  request: NO_CALL,
  outcome: 'unavailable',
  response: null,
  error: 'Something went wrong on our side, so this was not sent. The details are in the server log.',
  retryAfterSeconds: null,
  isFinal: false,
  isInternalFault: true,
  confirmation: 'not_asked',
};

const UNRECORDED_ERROR =
  'The result of this attempt could not be recorded on our side. The details are in the server log.';

/** Records attempts at healthy receivers in batches per site. */
const recordBatched = batcherOf(({ database }: Services) =>
  createBatcher<Arrival, null>(
    (siteId, arrivals) =>
      recordEach(arrivals, (some) =>
        detached(() => database.inSite(siteId, (site) => site.commitWith(recordArrivals(siteId, some)))),
      ),
    { maxSize: MAX_BATCH, concurrency: 2, exclusiveBy: ({ deliveryId }) => deliveryId },
  ),
);

/** Records all at once. Where the database refuses one of them, the others are recorded without it. */
async function recordEach(
  arrivals: readonly Arrival[],
  write: (some: readonly Arrival[]) => Promise<void>,
): Promise<Outcome<null>[]> {
  try {
    await write(arrivals);
    return arrivals.map(() => ({ status: 'fulfilled', value: null }));
  } catch (reason) {
    if (arrivals.length <= 1 || isDatabaseUnable(reason)) {
      return arrivals.map(() => ({ status: 'rejected', reason }));
    }
    const half = Math.ceil(arrivals.length / 2);
    return [
      ...(await recordEach(arrivals.slice(0, half), write)),
      ...(await recordEach(arrivals.slice(half), write)),
    ];
  }
}

/** Makes one attempt and records it. */
export async function attempt(
  services: Services,
  work: Work,
  carry: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const begun = startTimer(services);
  const result = await dispatchOrFault(services, work, carry);
  await record(services, work, result, begun());
  return result;
}

export interface Timing {
  startedAt: Date;
  durationMs: number;
}

/** @returns a function that says how long it took until now */
export function startTimer({ clock }: Services): () => Timing {
  const startedAt = clock.now();
  const clockStart = performance.now();
  return () => ({ startedAt, durationMs: Math.round(performance.now() - clockStart) });
}

/** A fault of this server counts as an attempt, so that the log shows it and the retries end. */
async function dispatchOrFault(
  { log }: Services,
  { delivery }: Work,
  carry: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  try {
    return await carry();
  } catch (error) {
    if (isDatabaseUnable(error)) throw error;
    log.error({ err: error, delivery: delivery.id }, 'a delivery failed with an unexpected error');
    return INTERNAL_FAULT;
  }
}

/** Records the result of an attempt. */
export async function record(
  services: Services,
  work: Work,
  result: AttemptResult,
  timing: Timing,
): Promise<void> {
  if (result.kind === 'postponed') return reschedule(services, work, result.seconds);
  if (result.kind === 'nothing') return recordSkipped(services, work, result.why);
  const { type } = work.action;
  services.metrics.counter(ATTEMPTS).inc({ type, outcome: result.outcome });
  if (result.outcome === 'arrived')
    return recordArrived(services, work, [arrivalOf(services, work, result, timing)]);
  const made = attemptOf(work, result, timing);
  const notice = await recordFailure(services, work, made, result).catch((error: unknown) =>
    recordUnrecorded(services, { ...work, tries: work.delivery.try_count + 1 }, error),
  );
  if (notice !== null) await notifyOwners(services, work.choice.site_id, notice);
}

/** Closes a delivery that needed no call. */
export function recordSkipped(services: Services, work: Work, why: SkipReason): Promise<void> {
  const finished_at = services.clock.now();
  return settle(services, work, { status: 'arrived', outcome: why, last_error: null, finished_at });
}

function attemptOf(work: Work, result: CompletedAttempt, { startedAt, durationMs }: Timing): Attempt {
  return {
    number: work.delivery.attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    outcome: result.outcome,
    request: result.request,
    response: result.response,
    error: result.error,
    changes: result.changes ?? [],
  };
}

/** The row changes for an attempt that arrived. */
export function arrivalOf(
  { clock }: Services,
  work: Work,
  result: CompletedAttempt,
  timing: Timing,
): Arrival {
  const { confirmation } = result;
  const at = clock.now();
  const seconds = nextConfirmationSeconds(confirmation, 0);
  return {
    deliveryId: work.delivery.id,
    attempt: attemptOf(work, result, timing),
    tries: work.delivery.try_count + 1,
    at,
    isConfirmed: confirmation === 'there',
    outcome: outcomeOfConfirmation(confirmation, 0),
    confirmAt: seconds === null ? null : new Date(at.getTime() + seconds * 1000),
    effect: work.delivery.tool_effect ?? result.effect ?? null,
  };
}

/**
 * Records what arrived at one receiver, which is healthy then.
 * @param work one of the arrived deliveries
 */
export async function recordArrived(
  services: Services,
  { action, choice: { site_id: siteId } }: Pick<Work, 'action' | 'choice'>,
  arrivals: readonly Arrival[],
): Promise<void> {
  const isWell = action.integration_id === null && action.failing_since === null;
  const outcomes = isWell
    ? await Promise.allSettled(arrivals.map((arrival) => recordBatched(services)(siteId, arrival)))
    : await recordEach(arrivals, (some) => recordRecovery(services, siteId, action, some));
  const refused = outcomes.flatMap((one, index) => {
    const arrival = arrivals[index];
    return one.status === 'rejected' && arrival !== undefined
      ? [{ arrival, error: one.reason as unknown }]
      : [];
  });
  const count = arrivals.length - refused.length;
  services.metrics.counter(ENDED_DELIVERIES).inc({ type: action.type, outcome: 'arrived' }, count);
  for (const { arrival, error } of refused) {
    const { deliveryId: id, attempt: made, tries } = arrival;
    const delivery = { id, attempt_count: made.number - 1 };
    await recordUnrecorded(services, { action, choice: { site_id: siteId }, delivery, tries }, error);
  }
}

/** Records what arrived at a tool, or at an endpoint that failed before. */
async function recordRecovery(
  services: Services,
  siteId: string,
  action: ActionRow,
  arrivals: readonly Arrival[],
): Promise<void> {
  const looks = arrivals
    .flatMap(({ confirmAt: lookAt }) => lookAt ?? [])
    .toSorted((one, other) => Number(one) - Number(other));
  await services.database.inSite(siteId, async (site) => {
    if (action.integration_id === null) await recordEndpointSuccess(services, site, action);
    else await recordToolSuccess(services, site, action.integration_id);
    const marks = looks.slice(0, 1).map((lookAt) => announceWork(services, site, lookAt));
    await site.commitWith([...recordArrivals(siteId, arrivals), ...marks]);
  });
}

/**
 * Tries again by the usual schedule what can't be recorded, and tells so: otherwise it would be sent whenever its lease
 * ends.
 * @throws what the database failed with, if it may record it later
 */
async function recordUnrecorded(
  services: Services,
  { action, tries, ...round }: Round & { action: Pick<ActionRow, 'type'>; tries: number },
  error: unknown,
): Promise<null> {
  if (isDatabaseUnable(error)) throw error;
  services.log.error(
    { err: error, delivery: round.delivery.id },
    'the result of a delivery was not recorded',
  );
  services.metrics.counter(UNRECORDED).inc({ type: action.type });
  const seconds = retryDelaySeconds(tries, null, Math.random());
  const told = {
    attempt_count: round.delivery.attempt_count + 1,
    try_count: tries,
    outcome: 'unavailable',
    last_error: UNRECORDED_ERROR,
  } as const;
  if (seconds !== null) await reschedule(services, round, seconds, { ...told, status: 'waiting' });
  else {
    await settle(services, round, { ...told, status: 'failed', finished_at: services.clock.now() });
    services.metrics.counter(ENDED_DELIVERIES).inc({ type: action.type, outcome: 'failed' });
  }
  return null;
}

function storedOutcome({ outcome, isToolOff }: CompletedAttempt): KeptOutcome | null {
  if (isToolOff === true) return 'tool_off';
  return outcome === 'arrived' ? null : outcome;
}

/** @returns the notice to send to the owners, if any */
async function recordFailure(
  services: Services,
  { delivery: { id, attempt_count: round }, action, choice }: Work,
  attempt: Attempt,
  result: CompletedAttempt,
): Promise<OwnerNotice | null> {
  return services.database.inSite(choice.site_id, async (site) => {
    // Locks the tool before its deliveries, in the same order as `recordToolSuccess`, to avoid a deadlock.
    if (action.integration_id !== null) await lockIntegration(site, action.integration_id);
    const delivery = await lockDelivery(site, id);
    if (delivery === undefined || delivery.attempt_count !== round) return null;
    const now = services.clock.now();
    const recorded = insertAttempt(site, delivery.id, attempt);
    await site.query(recorded.sql, [...recorded.parameters]);
    const isBusy = action.integration_id !== null && result.outcome === 'rate_limited';
    const counts = { attempt_count: attempt.number, try_count: delivery.try_count + (isBusy ? 0 : 1) };
    const delay = result.isFinal
      ? null
      : isBusy
        ? busyDelaySeconds(attempt.number, result.retryAfterSeconds)
        : retryDelaySeconds(counts.try_count, result.retryAfterSeconds, Math.random());
    const nextAttemptAt = delay === null ? null : new Date(now.getTime() + delay * 1000);
    await updateDelivery(site, delivery.id, {
      ...counts,
      status: nextAttemptAt === null ? 'failed' : 'waiting',
      outcome: storedOutcome(result),
      tool_effect: storedEffect(delivery.tool_effect ?? result.effect ?? null),
      next_attempt_at: nextAttemptAt,
      last_error: result.error,
      finished_at: nextAttemptAt === null ? now : null,
    });
    if (nextAttemptAt === null) {
      site.afterCommit(() =>
        services.metrics.counter(ENDED_DELIVERIES).inc({ type: action.type, outcome: 'failed' }),
      );
    } else {
      const mark = announceWork(services, site, nextAttemptAt);
      await site.query(mark.sql, [...mark.parameters]);
    }
    if (result.isInternalFault === true) return null;
    const goneNotice = result.isTargetGone === true ? await markTargetGone(services, site, action) : null;
    return action.integration_id === null
      ? recordEndpointFailure(services, site, action, result, now)
      : ((await recordFailedToolAttempt(services, site, action.integration_id, result, now)) ?? goneNotice);
  });
}

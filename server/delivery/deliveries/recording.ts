import type { Attempt } from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import { batcherOf, createBatcher } from '#server/platform/batcher.ts';
import { isDatabaseUnable } from '#server/platform/database-errors.ts';
import { busyDelaySeconds, retryDelaySeconds } from '#server/platform/retries.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import type { OwnerNotice } from '#server/tools/health/owner-notices.mails.ts';
import { notifyOwners } from '#server/tools/health/notify-owners.ts';
import { lockIntegration } from '#server/tools/integrations/integrations.ts';
import { ATTEMPTS, ENDED_DELIVERIES } from './deliveries.figures.ts';
import { type Attempted, type Carried, NO_CALL, type Why, type Work } from './carried.ts';
import {
  type Arrival,
  insertAttempt,
  lockDelivery,
  recordArrivals,
  updateDelivery,
} from './deliveries.sql.ts';
import { announceWork } from './delivery-queue.ts';
import { noteEndpointFailure, noteEndpointWell } from './endpoint-health.ts';
import { nextLookSeconds } from './looks.ts';
import { outcomeSeen } from './outcomes.ts';
import { reschedule, settle } from './settle.ts';
import { noteToolFailure, noteToolWell } from './tool-health.ts';

/** Attempts of a site that are recorded with one statement. */
const MAX_TOGETHER = 64;

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

/** Makes one attempt and records it. */
export async function attempt(
  services: Services,
  work: Work,
  carry: () => Promise<Carried>,
): Promise<Carried> {
  const begun = begin(services);
  const carried = await carryOrSay(services, work, carry);
  await record(services, work, carried, begun());
  return carried;
}

export interface Timing {
  startedAt: Date;
  durationMs: number;
}

/** @returns how long it took until now */
export function begin({ clock }: Services): () => Timing {
  const startedAt = clock.now();
  const clockStart = performance.now();
  return () => ({ startedAt, durationMs: Math.round(performance.now() - clockStart) });
}

/** A fault of ours is an attempt like others, so that it is seen in the log and ends where the schedule ends. */
async function carryOrSay(
  { log }: Services,
  { delivery }: Work,
  carry: () => Promise<Carried>,
): Promise<Carried> {
  try {
    return await carry();
  } catch (error) {
    if (isDatabaseUnable(error)) throw error;
    log.error({ err: error, delivery: delivery.id }, 'A delivery could not be made');
    return OUR_FAULT;
  }
}

/** Keeps what came of an attempt. */
export async function record(
  services: Services,
  work: Work,
  carried: Carried,
  timing: Timing,
): Promise<void> {
  if (carried.kind === 'postponed') return reschedule(services, work, carried.seconds);
  if (carried.kind === 'nothing') return recordNothing(services, work, carried.why);
  const { type } = work.action;
  services.figures.counter(ATTEMPTS).inc({ type, outcome: carried.outcome });
  if (carried.outcome === 'arrived')
    return recordArrived(services, work, [arrivalOf(services, work, carried, timing)]);
  const news = await recordFailure(services, work, attemptOf(work, carried, timing), carried);
  if (news !== null) await notifyOwners(services, work.choice.site_id, news);
}

/** Done without a call. */
function recordNothing(services: Services, work: Work, why: Why): Promise<void> {
  const finished_at = services.clock.now();
  return settle(services, work, { status: 'arrived', outcome: why, last_error: null, finished_at });
}

function attemptOf(work: Work, carried: Attempted, { startedAt, durationMs }: Timing): Attempt {
  return {
    number: work.delivery.attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    outcome: carried.outcome,
    request: carried.request,
    response: carried.response,
    error: carried.error,
  };
}

/** What is kept of an attempt that arrived. */
export function arrivalOf({ clock }: Services, work: Work, carried: Attempted, timing: Timing): Arrival {
  const { seen } = carried;
  const at = clock.now();
  const seconds = nextLookSeconds(seen, 0);
  return {
    deliveryId: work.delivery.id,
    attempt: attemptOf(work, carried, timing),
    tries: work.delivery.try_count + 1,
    at,
    isConfirmed: seen === 'there',
    outcome: outcomeSeen(seen, 0),
    lookAt: seconds === null ? null : new Date(at.getTime() + seconds * 1000),
  };
}

/**
 * Keeps what arrived at one receiver, which is well then.
 * @param work one of what arrived
 */
export async function recordArrived(
  services: Services,
  { action, choice: { site_id: siteId } }: Pick<Work, 'action' | 'choice'>,
  arrivals: readonly Arrival[],
): Promise<void> {
  if (action.integration_id === null && action.failing_since === null) {
    await Promise.all(arrivals.map((arrival) => recordTogether(services)(siteId, arrival)));
  } else {
    const looks = arrivals
      .flatMap(({ lookAt }) => lookAt ?? [])
      .toSorted((one, other) => Number(one) - Number(other));
    await services.database.inSite(siteId, async (site) => {
      if (action.integration_id === null) await noteEndpointWell(services, site, action);
      else await noteToolWell(services, site, action.integration_id);
      const marks = looks.slice(0, 1).map((lookAt) => announceWork(services, site, lookAt));
      await site.commitWith([...recordArrivals(siteId, arrivals), ...marks]);
    });
  }
  services.figures.counter(ENDED_DELIVERIES).inc({ type: action.type, outcome: 'arrived' }, arrivals.length);
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
): Promise<OwnerNotice | null> {
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
      site.afterCommit(() =>
        services.figures.counter(ENDED_DELIVERIES).inc({ type: action.type, outcome: 'failed' }),
      );
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

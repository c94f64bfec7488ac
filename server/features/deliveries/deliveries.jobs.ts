import type { Attempt } from '#contract/deliveries.ts';
import type { KeptOutcome } from '#db/tables.ts';
import { actionsOf } from '#server/features/actions/actions.ts';
import { type ActionRow, findAction } from '#server/features/actions/actions.sql.ts';
import { lockIntegration } from '#server/features/integrations/integrations.sql.ts';
import { lineUp } from '#server/features/integrations/waiting-line.ts';
import { batcherOf, createBatcher } from '#server/platform/batcher.ts';
import { isDatabaseUnable, isUniqueViolation } from '#server/platform/database-errors.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import { type Attempted, type Carried, NO_CALL, type Seen, type Why, type Work } from './carried.ts';
import { carry } from './carry.ts';
import { enter, usualOf } from './crowd.ts';
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
import { noteEndpointFailure, noteEndpointWell } from './endpoint-health.ts';
import { lookAgain } from './look-again.ts';
import { nextLookSeconds } from './looks.ts';
import { outcomeSeen } from './outcomes.ts';
import { busyDelaySeconds, retryDelaySeconds } from './retries.ts';
import { tellOwners } from './tell-owners.ts';
import { noteToolFailure, noteToolWell } from './tool-health.ts';

/** Slow receivers hold a place for up to 15 seconds; this many can be in hand in one process. */
const CONCURRENCY = 24;

/** Deliveries of a site that are read, or recorded, with one statement. */
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

export async function startDeliveries(services: Services): Promise<void> {
  await services.queue.work('deliveries', CONCURRENCY, (job) => deliverNow(services, job));
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

/** What there is to do for a job; null when somebody did it already or it is no longer wanted. */
async function claim(services: Services, job: Job): Promise<Work | null> {
  const row = await readDelivery(services)(job.site_id, job.id);
  const isLook = job.look !== undefined;
  const status = isLook ? 'arrived' : 'waiting';
  if (row === null || row.status !== status || row.attempt_count !== job.round) return null;
  const { delivery_id, action_id, event, status: _, attempt_count, try_count, ...choice } = row;
  const action = await findRunning(services, job.site_id, action_id);
  if (action === null && isLook) return null;
  if (action === null) {
    await services.database.inSite(job.site_id, (site) =>
      updateDelivery(site, delivery_id, {
        status: 'failed',
        next_attempt_at: null,
        outcome: 'action_off',
        last_error: 'The action was switched off or deleted before this could be sent.',
        finished_at: services.clock.now(),
      }),
    );
    return null;
  }
  const run = job.run ?? delivery_id;
  return { delivery: { id: delivery_id, event, attempt_count, try_count }, action, choice, run };
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
 * Makes one attempt and records it. The job may run twice (a worker that was killed, a database that went away):
 * the receiver then sees the same message id again.
 */
export async function deliverNow(services: Services, job: Job): Promise<void> {
  const work = await claim(services, job);
  if (work === null) return;
  const receiver = work.action.integration_id ?? work.action.id;
  const place = enter(receiver);
  if (place === null) {
    const line = await lineUp(services, `places:${receiver}`, usualOf(receiver).spacingMs);
    return postpone(services, job, secondsUntil(services, line));
  }
  const clockStart = performance.now();
  let carried: Carried | null = null;
  try {
    if (job.look === undefined) carried = await attemptNow(services, job, work);
    else await lookAgain(services, job, work);
  } finally {
    const calls = carried?.kind === 'attempted' ? (carried.calls ?? null) : null;
    place.leave(performance.now() - clockStart, calls);
  }
}

async function attemptNow(services: Services, job: Job, work: Work): Promise<Carried> {
  const startedAt = services.clock.now();
  const clockStart = performance.now();
  const carried = await carryOrSay(services, job, work);
  await record(services, job, work, carried, {
    startedAt,
    durationMs: Math.round(performance.now() - clockStart),
  });
  return carried;
}

/** A fault of ours is an attempt like others, so that it is seen in the log and ends where the schedule ends. */
async function carryOrSay(services: Services, { site_id, id }: Job, work: Work): Promise<Carried> {
  try {
    return await carry(services, site_id, work);
  } catch (error) {
    if (isDatabaseUnable(error)) throw error;
    services.log.error({ err: error, delivery: id }, 'A delivery could not be made');
    return OUR_FAULT;
  }
}

async function record(
  services: Services,
  job: Job,
  work: Work,
  carried: Carried,
  { startedAt, durationMs }: { startedAt: Date; durationMs: number },
): Promise<void> {
  if (carried.kind === 'postponed') return postpone(services, job, carried.seconds);
  if (carried.kind === 'nothing') return recordNothing(services, job, carried.why);
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
  const news = await recordFailure(services, job, work.action, attempt, carried);
  if (news !== null) await tellOwners(services, job.site_id, news);
}

function secondsUntil({ clock }: Services, at: Date): number {
  return Math.max(0, (at.getTime() - clock.now().getTime()) / 1000);
}

/** The same again, a little later: no try was used. */
async function postpone(
  services: Services,
  { site_id, id, round, look }: Job,
  seconds: number,
): Promise<void> {
  const startAfter = new Date(services.clock.now().getTime() + seconds * 1000);
  const again = { id, round, startAfter, ...(look === undefined ? {} : { look }) };
  await services.database.inSite(site_id, (site) => services.queue.enqueue(site, 'deliveries', [again]));
}

/** Done without a call. */
async function recordNothing(services: Services, job: Job, why: Why): Promise<void> {
  const finished = { status: 'arrived', outcome: why, next_attempt_at: null, last_error: null } as const;
  await services.database.inSite(job.site_id, (site) =>
    site.commitWith([
      updateDeliveryInRound(site, job.id, job.round, { ...finished, finished_at: services.clock.now() }),
    ]),
  );
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
    });
    services.figures.deliveries.inc({ type: action.type, outcome: 'arrived' });
    return;
  }
  const seconds = nextLookSeconds(seen, 0);
  const startAfter = new Date(now.getTime() + (seconds ?? 0) * 1000);
  const look = seconds === null ? null : { id: delivery.id, round: attempt.number, look: 0, startAfter };
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
          next_attempt_at: null,
          last_error: null,
          finished_at: now,
          confirmed_at: seen === 'there' ? now : null,
          outcome: outcomeSeen(seen, 0),
        }),
        ...(look === null ? [] : [await services.queue.enqueueStatement(site, 'deliveries', [look])]),
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
  job: Job,
  action: ActionRow,
  attempt: Attempt,
  carried: Attempted,
): Promise<OwnersNews | null> {
  return services.database.inSite(job.site_id, async (site) => {
    // The tool before its deliveries, as where it is found well: else each would wait for the other.
    if (action.integration_id !== null) await lockIntegration(site, action.integration_id);
    const delivery = await lockDelivery(site, job.id);
    if (delivery === undefined || delivery.attempt_count !== job.round) return null;
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
      await services.queue.enqueue(site, 'deliveries', [
        { id: delivery.id, round: attempt.number, startAfter: nextAttemptAt },
      ]);
    }
    if (carried.isOurFault === true) return null;
    return action.integration_id === null
      ? noteEndpointFailure(services, site, action, carried, now)
      : noteToolFailure(services, site, action.integration_id, carried, now);
  });
}

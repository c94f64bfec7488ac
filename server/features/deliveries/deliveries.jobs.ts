import type { Attempt } from '#contract/deliveries.ts';
import { actionsOf } from '#server/features/actions/actions.ts';
import { type ActionRow, findAction, updateAction } from '#server/features/actions/actions.sql.ts';
import { webhookBody, webhookRequest } from '#server/features/actions/webhook.ts';
import type { ChoiceRow } from '#server/features/choices/choices.sql.ts';
import { membersOfSite } from '#server/features/organizations/members.ts';
import { siteTag } from '#server/features/sites/change-site.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import { OutboundError, type OutboundRequest } from '#server/platform/outbound.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { switchedOffMail } from './deliveries.mails.ts';
import {
  type DeliveryRow,
  deliveryWithChoice,
  insertAttempt,
  lockDelivery,
  updateDelivery,
  updateDeliveryInRound,
} from './deliveries.sql.ts';
import { GIVE_UP_AFTER_DAYS, retryAfterSeconds, retryDelaySeconds } from './retries.ts';

const MAX_KEPT_BODY = 2000;

/** Slow receivers hold a place for up to 15 seconds; this many can be in hand in one process. */
const CONCURRENCY = 20;

interface Work {
  delivery: Pick<DeliveryRow, 'id' | 'event' | 'attempt_count' | 'try_count'>;
  action: ActionRow;
  choice: ChoiceRow;
}

interface Outcome {
  outcome: Attempt['outcome'];
  response: Attempt['response'];
  error: string | null;
  retryAfterSeconds: number | null;
  /** The receiver said that it is gone for good (410). */
  gone: boolean;
}

export async function startDeliveries(services: Services): Promise<void> {
  await services.queue.work('deliveries', CONCURRENCY, (job) => deliverNow(services, job));
}

/** What there is to do for a job; null when somebody did it already or it is no longer wanted. */
async function claim(services: Services, job: Job): Promise<Work | null> {
  const [row] = await services.database.readOnce(job.site_id, (db) =>
    deliveryWithChoice(db, job.site_id, job.id),
  );
  if (row === undefined || row.status !== 'waiting' || row.attempt_count !== job.round) return null;
  const { delivery_id, action_id, event, status: _, attempt_count, try_count, ...choice } = row;
  const action = await findRunning(services, job.site_id, action_id);
  if (action === null) {
    await services.database.inSite(job.site_id, (site) =>
      updateDelivery(site, delivery_id, {
        status: 'failed',
        next_attempt_at: null,
        last_error: 'The action was switched off or deleted before this could be sent.',
        finished_at: services.clock.now(),
      }),
    );
    return null;
  }
  return { delivery: { id: delivery_id, event, attempt_count, try_count }, action, choice };
}

function isRunning(action: ActionRow | undefined): action is ActionRow {
  return action !== undefined && action.enabled && action.secrets_sealed !== null;
}

async function findRunning(services: Services, siteId: string, id: string): Promise<ActionRow | null> {
  const kept = (await actionsOf(services, siteId)).find((one) => one.id === id);
  if (isRunning(kept)) return kept;
  // What is kept may be a moment old, and a delivery is given up only for certain.
  const current = await services.database.readSite(siteId, (site) => findAction(site, id));
  return isRunning(current) ? current : null;
}

function outcomeOf(status: number): Attempt['outcome'] {
  if (status >= 200 && status < 300) return 'arrived';
  if (status === 401 || status === 403) return 'bad_credentials';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'refused';
}

async function send(services: Services, request: OutboundRequest): Promise<Outcome> {
  try {
    const response = await services.outbound.send(request);
    const outcome = outcomeOf(response.status);
    return {
      outcome,
      response: { status: response.status, body: response.body.slice(0, MAX_KEPT_BODY) },
      error: outcome === 'arrived' ? null : `The receiver answered ${response.status}.`,
      retryAfterSeconds: retryAfterSeconds(response.headers['retry-after'], services.clock.now()),
      gone: response.status === 410,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return {
      outcome: error.kind === 'blocked' ? 'refused' : 'unavailable',
      response: null,
      error: error.message,
      retryAfterSeconds: null,
      gone: false,
    };
  }
}

/**
 * Makes one attempt and records it. The job may run twice (a worker that was killed, a database that went away):
 * the receiver then sees the same message id again.
 */
export async function deliverNow(services: Services, job: Job): Promise<void> {
  const work = await claim(services, job);
  if (work === null) return;
  const { delivery, action, choice } = work;
  const request = webhookRequest(services, {
    url: String(action.target['url']),
    secretsSealed: action.secrets_sealed ?? '',
    messageId: delivery.id,
    body: webhookBody(services, job.site_id, delivery.event, choice),
  });
  const startedAt = services.clock.now();
  const clockStart = performance.now();
  const outcome = await send(services, request);
  const attempt: Attempt = {
    number: delivery.attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - clockStart),
    outcome: outcome.outcome,
    request,
    response: outcome.response,
    error: outcome.error,
  };
  if (outcome.outcome === 'arrived') return recordArrival(services, work, attempt);
  const switchedOff = await recordFailure(services, job, action, attempt, outcome);
  if (switchedOff !== null) await tellOwners(services, job.site_id, action, switchedOff);
}

async function recordArrival(
  services: Services,
  { delivery, action, choice }: Work,
  attempt: Attempt,
): Promise<void> {
  const siteId = choice.site_id;
  try {
    await services.database.inSite(siteId, async (site) => {
      if (action.failing_since !== null) {
        await updateAction(site, action.id, { failing_since: null });
        await services.cache.announce(site, siteTag(siteId));
      }
      await site.commitWith([
        insertAttempt(site, delivery.id, attempt),
        updateDeliveryInRound(site, delivery.id, delivery.attempt_count, {
          attempt_count: attempt.number,
          try_count: delivery.try_count + 1,
          status: 'arrived',
          next_attempt_at: null,
          last_error: null,
          finished_at: services.clock.now(),
        }),
      ]);
    });
  } catch (error) {
    // Another worker had the same job and has recorded it.
    if (!isUniqueViolation(error)) throw error;
  }
}

/** @returns why the action was switched off by this attempt, if it was */
async function recordFailure(
  services: Services,
  job: Job,
  action: ActionRow,
  attempt: Attempt,
  outcome: Outcome,
): Promise<string | null> {
  return services.database.inSite(job.site_id, async (site) => {
    const delivery = await lockDelivery(site, job.id);
    if (delivery === undefined || delivery.attempt_count !== job.round) return null;
    const now = services.clock.now();
    const recorded = insertAttempt(site, delivery.id, attempt);
    await site.query(recorded.sql, [...recorded.parameters]);
    const counts = { attempt_count: attempt.number, try_count: delivery.try_count + 1 };
    const delay = outcome.gone
      ? null
      : retryDelaySeconds(counts.try_count, outcome.retryAfterSeconds, Math.random());
    const nextAttemptAt = delay === null ? null : new Date(now.getTime() + delay * 1000);
    await updateDelivery(site, delivery.id, {
      ...counts,
      status: nextAttemptAt === null ? 'failed' : 'waiting',
      next_attempt_at: nextAttemptAt,
      last_error: outcome.error,
      finished_at: nextAttemptAt === null ? now : null,
    });
    if (nextAttemptAt !== null) {
      await services.queue.enqueue(site, 'deliveries', [
        { id: delivery.id, round: attempt.number, startAfter: nextAttemptAt },
      ]);
    }
    const failingSince = action.failing_since ?? now;
    const reason = reasonToSwitchOff(outcome, failingSince, now);
    if (action.failing_since === null || reason !== null) {
      await updateAction(site, action.id, {
        failing_since: failingSince,
        ...(reason === null ? {} : { enabled: false, disabled_reason: reason }),
      });
      await services.cache.announce(site, siteTag(site.id));
    }
    return reason;
  });
}

function reasonToSwitchOff(outcome: Outcome, failingSince: Date, now: Date): string | null {
  if (outcome.gone) return 'The receiver answered 410: it is gone for good.';
  const days = (now.getTime() - failingSince.getTime()) / 86_400_000;
  return days >= GIVE_UP_AFTER_DAYS ? `It failed for ${GIVE_UP_AFTER_DAYS} days without one success.` : null;
}

async function tellOwners(
  services: Services,
  siteId: string,
  action: ActionRow,
  reason: string,
): Promise<void> {
  const members = await membersOfSite(services.database.global, siteId);
  const link = `${services.config.appUrl}/actions`;
  for (const member of members) {
    await services.mailer
      .send({ to: member.email, ...switchedOffMail({ action: action.name, reason, link }) })
      .catch((error: unknown) =>
        services.log.warn({ err: error }, 'an owner could not be told about a switched-off action'),
      );
  }
}

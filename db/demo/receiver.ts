import type { Attempt, DeliveryStatus } from '#contract/deliveries.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.sql.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { signedRequest } from '#server/delivery/actions/signing.ts';
import { webhookMessage } from '#server/delivery/actions/webhook.ts';
import { newId } from '#server/platform/ids.ts';
import { retryDelaySeconds } from '#server/platform/retries.ts';
import type { Services } from '#server/platform/services.ts';
import type { Random } from './random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The receiver of the demo is away since this time: the newest deliveries wait, and may be watched waiting. */
export const AWAY_FOR_MS = 5 * HOUR_MS;

/** One evening of maintenance, which every delivery of that evening outlived. */
const MAINTENANCE = { beganAgoMs: 23 * DAY_MS, lastedMs: 2.5 * HOUR_MS };

/** A batch that the receiver refused for good, as one does after a careless release. */
const CARELESS_RELEASE = { beganAgoMs: 41 * DAY_MS, lastedMs: 9 * HOUR_MS };

type Answer = Pick<Attempt, 'outcome' | 'response' | 'error'>;

const ARRIVED: Answer = { outcome: 'arrived', response: { status: 204, body: '' }, error: null };

function failed(outcome: Attempt['outcome'], status: number, body: string): Answer {
  return { outcome, response: { status, body }, error: `The receiver answered ${status}.` };
}

function within(agoMs: number, period: { beganAgoMs: number; lastedMs: number }): boolean {
  return agoMs <= period.beganAgoMs && agoMs >= period.beganAgoMs - period.lastedMs;
}

function answerAt(atMs: number, made: { atMs: number; nowMs: number }, random: Random): Answer {
  const agoMs = made.nowMs - atMs;
  if (agoMs < AWAY_FOR_MS)
    return { outcome: 'unavailable', response: null, error: 'No connection (ECONNREFUSED).' };
  if (within(agoMs, MAINTENANCE)) return failed('unavailable', 503, 'Back at 18:00 UTC');
  if (within(made.nowMs - made.atMs, CARELESS_RELEASE)) {
    return failed('refused', 422, '{"error":"unknown property \\"global_unsubscribe\\""}');
  }
  if (random.chance(0.015)) return failed('unavailable', 502, '<h1>502 Bad Gateway</h1>');
  if (random.chance(0.005)) {
    return { outcome: 'unavailable', response: null, error: 'No complete response within 15 seconds.' };
  }
  return ARRIVED;
}

/** One delivery with all its attempts, as the worker would have made them by the schedule of retries. */
export function deliver(
  services: Pick<Services, 'keyring' | 'clock'>,
  action: ActionRow,
  choice: ChoiceRow,
  context: {
    random: Random;
    nowMs: number;
    /** Whether its attempts are told; without it they always are. */
    isTold?: (delivery: { status: DeliveryStatus; created_at: Date }) => boolean;
  },
) {
  const { random, nowMs, isTold = () => true } = context;
  const made = { atMs: choice.occurred_at.getTime(), nowMs };
  const id = newId(choice.occurred_at);
  const attempts: Omit<Attempt, 'request' | 'changes'>[] = [];
  let atMs = made.atMs + 60 + random.below(400);
  let answer: Answer | null = null;
  while (answer?.outcome !== 'arrived' && atMs < nowMs) {
    const startedAt = new Date(atMs);
    answer = answerAt(atMs, made, random);
    attempts.push({
      ...answer,
      number: attempts.length + 1,
      started_at: startedAt.toISOString(),
      duration_ms: answer.response === null ? 3 + random.below(9) : 35 + random.below(240),
    });
    const delay = retryDelaySeconds(attempts.length, null, random.next());
    if (answer.outcome === 'arrived' || delay === null) break;
    atMs += delay * 1000;
  }
  const last = attempts.at(-1);
  const isOver = answer?.outcome === 'arrived' || retryDelaySeconds(attempts.length, null, 0) === null;
  const status =
    answer?.outcome === 'arrived'
      ? ('arrived' as const)
      : isOver
        ? ('failed' as const)
        : ('waiting' as const);
  const finishedMs = last === undefined ? 0 : Date.parse(last.started_at) + last.duration_ms;
  const isWhole = isTold({ status, created_at: choice.occurred_at });
  return {
    attempts: isWhole ? withRequests(services, { id, action, choice }, attempts) : [],
    delivery: {
      id,
      action_id: action.id,
      customer_id: choice.customer_id,
      choice_id: choice.id,
      event: action.event,
      status,
      attempt_count: attempts.length,
      try_count: attempts.length,
      next_attempt_at: status === 'waiting' ? new Date(atMs) : null,
      last_error: answer?.error ?? null,
      outcome: answer === null || answer.outcome === 'arrived' ? null : answer.outcome,
      created_at: choice.occurred_at,
      finished_at: status === 'waiting' ? null : new Date(finishedMs),
    },
  };
}

/** Each as it was signed then. */
function withRequests(
  services: Pick<Services, 'keyring' | 'clock'>,
  { id, action, choice }: { id: string; action: ActionRow; choice: ChoiceRow },
  attempts: readonly Omit<Attempt, 'request' | 'changes'>[],
): Attempt[] {
  const body = JSON.stringify(webhookMessage(services, action.event, choice));
  const message = { url: String(action.target['url']), signer: action, messageId: id, body };
  return attempts.map((attempt) => {
    const clock = {
      now: () => new Date(attempt.started_at),
      wait: (ms: number) => services.clock.wait(ms),
    };
    return { ...attempt, changes: [], request: signedRequest({ ...services, clock }, message) };
  });
}

import type { Delivery, DeliveryDetail, FailureCause } from '#contract/deliveries.ts';
import type deliveries from '../../locales/en/deliveries.json';

export type OutcomeKey = keyof typeof deliveries.outcomes;

export type OutcomeTone = 'success' | 'neutral' | 'warning' | 'danger';

type DeliveryOutcome = Pick<Delivery, 'outcome' | 'cause' | 'tool_name'>;

const OF_TOOL: Partial<Record<FailureCause, OutcomeKey>> = {
  bad_credentials: 'retrying_bad_credentials',
  rate_limited: 'retrying_rate_limited',
  unavailable: 'retrying_unavailable',
};

function retrying({ cause, tool_name }: DeliveryOutcome): OutcomeKey {
  if (tool_name !== null) return (cause === null ? undefined : OF_TOOL[cause]) ?? 'retrying';
  return cause === 'unavailable' ? 'endpoint_retrying_unavailable' : 'endpoint_retrying';
}

function failed({ cause, tool_name }: DeliveryOutcome): OutcomeKey {
  if (cause === null) return 'failed';
  return tool_name === null ? `endpoint_failed_${cause}` : `failed_${cause}`;
}

/**
 * The key, in `outcomes`, of the sentence that describes a delivery's outcome.
 * @param isByKey what the tool accepts or rejects is an API key
 */
export function outcomeKey(delivery: DeliveryOutcome, isByKey = false): OutcomeKey {
  const { outcome, cause, tool_name } = delivery;
  const isKeyRejected = isByKey && tool_name !== null && cause === 'bad_credentials';
  switch (outcome) {
    case 'on_its_way':
      return tool_name === null ? 'endpoint_on_its_way' : 'on_its_way';
    case 'received':
      return 'endpoint_received';
    case 'retrying':
      return isKeyRejected ? 'retrying_bad_key' : retrying(delivery);
    case 'failed':
      return isKeyRejected ? 'failed_bad_key' : failed(delivery);
    case 'confirmed':
    case 'accepted':
    case 'checking':
    case 'unconfirmed':
    case 'awaits_person':
    case 'blocked':
    case 'not_known':
    case 'overtaken':
    case 'untouched':
    case 'erased':
    case 'disconnected':
    case 'test':
    case 'held':
    case 'action_off':
      return outcome;
    case 'tool_off':
      return isByKey ? 'tool_off_key' : outcome;
  }
}

/** The receiver of a webhook or evidence answered 410, so the action was turned off. */
export function isReceiverGone({
  outcome,
  tool_name,
  attempts,
}: Pick<DeliveryDetail, 'outcome' | 'tool_name' | 'attempts'>): boolean {
  return outcome === 'failed' && tool_name === null && attempts.at(-1)?.response?.status === 410;
}

export function outcomeTone(outcome: Delivery['outcome']): OutcomeTone {
  switch (outcome) {
    case 'confirmed':
    case 'accepted':
    case 'received':
      return 'success';
    case 'not_known':
    case 'overtaken':
    case 'untouched':
    case 'erased':
    case 'disconnected':
    case 'test':
      return 'neutral';
    case 'on_its_way':
    case 'retrying':
    case 'held':
    case 'checking':
    case 'unconfirmed':
    case 'awaits_person':
    case 'blocked':
      return 'warning';
    case 'failed':
    case 'tool_off':
    case 'action_off':
      return 'danger';
  }
}

/** The key, in `row.reason`, of why a delivery to a tool waits for its next attempt; null: nothing known. */
export function reasonKey({ cause, tool_name }: DeliveryOutcome, isByKey: boolean) {
  if (tool_name === null) return null;
  if (cause === 'bad_credentials') return isByKey ? 'bad_key' : cause;
  return cause === 'rate_limited' || cause === 'unavailable' ? cause : null;
}

/** Test mode or a test address holds it back: not even an owner can send it. */
export const isWithheld = ({ outcome }: Pick<Delivery, 'outcome'>): boolean =>
  outcome === 'test' || outcome === 'held';

export const wasAlreadyInSync = (outcome: Delivery['outcome']): boolean => outcomeTone(outcome) === 'neutral';

type Progress = Pick<Delivery, 'attempt_count' | 'finished_at'>;

/** Has something come of it since it was sent again? Without an attempt, where its action is off. */
export const hasResultSince = (before: Progress, { attempt_count, finished_at }: Progress): boolean =>
  attempt_count !== before.attempt_count || (finished_at !== null && finished_at !== before.finished_at);

/** What is next for a delivery: it goes on automatically, or an owner does something. */
export type NextStepKey =
  | 'automatic'
  | 'new_credentials'
  | 'tool_off'
  | 'credentials'
  | 'fix'
  | 'target'
  | 'again'
  | 'blocked'
  | 'endpoint'
  | 'gone'
  | 'action_off';

const OF_FAILURE: Record<FailureCause, NextStepKey> = {
  bad_credentials: 'credentials',
  refused: 'fix',
  not_found: 'target',
  rate_limited: 'again',
  unavailable: 'again',
};

/**
 * @param isGone the receiver is, and its action is still off
 * @returns null where nothing is left to do, or the outcome itself says it
 */
export function nextStepOf(
  delivery: DeliveryOutcome & Pick<Delivery, 'status' | 'attempt_count' | 'action_id'>,
  isGone = false,
): NextStepKey | null {
  if (isWithheld(delivery)) return null;
  if (delivery.status === 'waiting') {
    if (delivery.attempt_count === 0) return null;
    return delivery.tool_name !== null && delivery.cause === 'bad_credentials'
      ? 'new_credentials'
      : 'automatic';
  }
  if (delivery.action_id === null) return null;
  switch (delivery.outcome) {
    case 'tool_off':
    case 'action_off':
      return delivery.outcome;
    case 'blocked':
      return delivery.outcome;
    case 'failed':
      if (delivery.tool_name === null) return isGone ? 'gone' : 'endpoint';
      return delivery.cause === null ? 'again' : OF_FAILURE[delivery.cause];
    default:
      return null;
  }
}

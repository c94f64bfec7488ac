import type { Attempt } from '#contract/deliveries.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import type { Contact } from './dispatcher.ts';

/** A delivery that is to be made. */
export interface Work {
  delivery: Pick<DeliveryRow, 'id' | 'event' | 'attempt_count' | 'try_count'>;
  action: ActionRow;
  choice: ChoiceRow;
  /** Who makes it: the same when it runs again because its worker died. */
  run: string;
}

/**
 * Where the other side was seen after an attempt. there: where it was brought. absent: the tool does not have the
 * person, and there was nothing to do. elsewhere: not (yet). unsaid: it does not say. not_asked: the question failed.
 */
export type Seen = 'there' | 'absent' | 'elsewhere' | 'unsaid' | 'not_asked';

/** What one attempt came to. */
export interface Attempted {
  kind: 'attempted';
  request: Attempt['request'];
  outcome: Attempt['outcome'];
  response: Attempt['response'];
  error: string | null;
  retryAfterSeconds: number | null;
  /** Trying again cannot help. */
  isFinal: boolean;
  /** It says nothing about the other side. */
  isOurFault?: true;
  seen: Seen;
  /** Nothing was asked of the tool, which is switched off. */
  isToolOff?: true;
  /** Of a tool: how many calls it took. */
  calls?: number;
}

/** Why there is nothing to do any more: they have chosen otherwise since, are erased, or the tool is disconnected. */
export type Why = 'overtaken' | 'erased' | 'disconnected';

export type Carried =
  | Attempted
  | { kind: 'nothing'; why: Why }
  /** Somebody else has the turn, the tool's limit is used up, or it rests: no attempt was made. */
  | { kind: 'postponed'; seconds: number };

export const NO_CALL: Attempted['request'] = { method: '', url: '', headers: {}, body: '' };

const MAX_KEPT_BODY = 2000;

export function keptResponse(status: number, body: string): NonNullable<Attempt['response']> {
  return { status, body: body.slice(0, MAX_KEPT_BODY) };
}

/** How the receiver took an attempt, which its share of slots depends on. */
export function contactOf(carried: Carried): Contact {
  if (carried.kind !== 'attempted' || carried.isOurFault === true) return 'not_called';
  return carried.outcome === 'unavailable' && carried.response === null ? 'silent' : 'answered';
}

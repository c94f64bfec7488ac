import type { Attempt } from '#contract/deliveries.ts';
import type { ToolEffect } from '#db/tables.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import type { Contact } from './dispatcher.ts';

/** A delivery about to be attempted. */
export interface Work {
  delivery: Pick<DeliveryRow, 'id' | 'event' | 'attempt_count' | 'try_count' | 'tool_effect'>;
  action: ActionRow;
  choice: ChoiceRow;
  /** Owner of the customer lease; stays the same when a delivery is retried after its worker died. */
  run: string;
}

/**
 * What a read-back showed after an attempt. there: the change is visible. absent: the tool does not know the person,
 * and nothing had to be done. awaited: the tool waits for the person to confirm. blocked: the change is visible, and the
 * tool sends the person nothing all the same. elsewhere: not visible (yet). unsaid: the tool does not say. not_asked: the
 * read failed.
 */
export type Confirmation = 'there' | 'absent' | 'awaited' | 'blocked' | 'elsewhere' | 'unsaid' | 'not_asked';

/** An attempt that was made, with its result. */
export interface CompletedAttempt {
  kind: 'attempted';
  request: Attempt['request'];
  outcome: Attempt['outcome'];
  response: Attempt['response'];
  error: string | null;
  retryAfterSeconds: number | null;
  /** Retrying cannot help. */
  isFinal: boolean;
  /** A fault of this server, so it says nothing about the receiver. */
  isInternalFault?: true;
  confirmation: Confirmation;
  /** What a tool was asked for; missing where none was. */
  changes?: Attempt['changes'];
  /** What it changed in a tool, where an undo may ask; null: nothing was written, or nobody will. */
  effect?: ToolEffect | null;
  /** No call was made because the integration is switched off. */
  isToolOff?: true;
  /** The tool doesn't have what the action is about. */
  isTargetGone?: true;
  /** Number of calls to the tool. */
  calls?: number;
}

/**
 * Why a delivery became unnecessary: the customer chose otherwise since, an undo finds nothing in the tool that the undone
 * change did there, the customer was erased, the tool was disconnected, or it is a test customer's.
 */
export const SKIP_REASONS = ['overtaken', 'untouched', 'erased', 'disconnected', 'test'] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

export type AttemptResult =
  | CompletedAttempt
  | { kind: 'nothing'; why: SkipReason }
  /** Somebody else has the turn, the tool's limit is used up, or it rests: no attempt was made. */
  | { kind: 'postponed'; seconds: number };

export const NO_CALL: CompletedAttempt['request'] = { method: '', url: '', headers: {}, body: '' };

const MAX_BODY_CHARS = 2000;

export function truncatedResponse(status: number, body: string): NonNullable<Attempt['response']> {
  return { status, body: body.slice(0, MAX_BODY_CHARS).toWellFormed() };
}

/** How the receiver responded; its share of worker slots depends on it. */
export function contactOf(result: AttemptResult): Contact {
  if (result.kind !== 'attempted' || result.isInternalFault === true) return 'not_called';
  return result.outcome === 'unavailable' && result.response === null ? 'silent' : 'answered';
}

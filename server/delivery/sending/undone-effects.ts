import type { ToolEffect } from '#db/tables.ts';
import type { Change, Connector } from '#server/connectors/connector.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import {
  deliveriesOfSequences,
  isMadeByTool,
  type UndoneDelivery,
} from '#server/delivery/deliveries/undone.sql.ts';
import type { Services } from '#server/platform/services.ts';
import { askedBy } from './tool-changes.ts';
import { effectOf } from './tool-effects.ts';

/*
 * An undo changes in a tool only what the undone change changed there: whoever was in a list before stays in it, and whoever
 * had left stays out. See decision 065.
 */

/**
 * What an undo does with a change in a tool. takes_back: the undone change did the opposite. stays: it changed nothing of
 * that there. unknown: the tool doesn't say whether it did, so it stays. unsent: it has not reached the tool.
 */
export type UndoEffect = 'takes_back' | 'stays' | 'unknown' | 'unsent';

/** What is asked of a tool, whoever it is about. */
type Kind = Pick<ToolEffect, 'type' | 'target' | 'on'>;

const isBlock = ({ type }: Kind) => type === 'global_unsubscribe' || type === 'suppression_group';
const isRaise = (one: Kind) => one.type !== 'switch_email' && one.on !== isBlock(one);

function isAbout(wanted: Kind, asked: Kind): boolean {
  if (wanted.type === asked.type && wanted.target === asked.target) return true;
  return leavesAll(wanted) && isRaise(asked);
}

/** Leaving everything takes back whatever was given. */
const leavesAll = ({ type, on }: Kind) => type === 'global_unsubscribe' && on;

const wasRefused = ({ status, outcome }: UndoneDelivery) =>
  status === 'failed' && (outcome === 'refused' || outcome === 'not_found');

/**
 * @param wanted what the undo would ask the tool for
 * @param undone deliveries of the undone choices to the same tool, the oldest first
 */
export function undoEffectOf(
  connector: Connector,
  wanted: Kind,
  undone: readonly UndoneDelivery[],
): UndoEffect {
  const concerned = undone.filter((one) => {
    const asked = one.tool_effect ?? askedBy(connector, one);
    return asked !== null && isAbout(wanted, asked);
  });
  if (concerned.length === 0) return 'stays';
  const sent = concerned.filter((one) => one.tool_effect !== null || one.attempt_count > 0);
  const written = sent.filter((one) => !wasRefused(one));
  if (written.length === 0) return sent.length === 0 ? 'unsent' : 'stays';
  const effects = written.flatMap(({ tool_effect: effect }) => effect ?? []);
  const [first] = effects;
  if (first === undefined) return written.some(({ status }) => status === 'arrived') ? 'unknown' : 'unsent';
  const changed = effects.filter(({ already }) => already === false);
  if (leavesAll(wanted) || wanted.type === 'switch_email') {
    const isRaised = changed.some((one) => !leavesAll(one));
    return isRaised ? 'takes_back' : effects.some(({ already }) => already === null) ? 'unknown' : 'stays';
  }
  if (first.already === null) return 'unknown';
  const wasOn = first.already === first.on;
  return changed.length > 0 && wasOn === wanted.on ? 'takes_back' : 'stays';
}

/** The choices that a choice undoes; null: it is no undo, or undoes only what was on a page. */
export function undoneBy({
  shown,
  sequence: own,
  undoes_sequence: first,
}: Pick<ChoiceRow, 'shown' | 'sequence' | 'undoes_sequence'>) {
  if (shown.undone !== undefined) return { sequences: shown.undone.sequences, kind: shown.undone.kind };
  if (first === null) return null;
  // An address may have been changed again since.
  const sequences = Array.from({ length: own - first }, (_, index) => first + index);
  return { sequences, kind: 'email_change' as const };
}

/** Some seconds longer than a delivery that is being sent may take to be recorded. */
const RECORDED_WITHIN_SECONDS = 5;

/**
 * Leaves out what an undo has no business with in this tool. Requires the customer's lease.
 * @returns a number: an undone delivery may be on its way; look again after so many seconds
 */
export async function withoutUntouched(
  { database, clock }: Services,
  { action, choice }: { action: ActionRow; choice: ChoiceRow },
  { connector, changes }: { connector: Connector; changes: readonly Change[] },
): Promise<readonly Change[] | number> {
  const undone = undoneBy(choice);
  const [change] = changes;
  if (undone === null || change === undefined || action.integration_id === null) return changes;
  // The undo of an address change says nothing of lists that it didn't raise or lower itself.
  if (undone.kind === 'email_change' && change.type !== 'switch_email') return changes;
  const asked = { ...undone, customerIds: [choice.customer_id], integrationId: action.integration_id };
  const deliveries = await database.readSite(choice.site_id, async (site) => {
    const isOrigin = undone.kind === 'incoming' && (await isMadeByTool(site, asked));
    return isOrigin ? null : deliveriesOfSequences(site, asked);
  });
  if (deliveries === null) return changes;
  const seconds = secondsUntilRecorded(deliveries, clock.now());
  if (seconds !== null) return seconds;
  return undoEffectOf(connector, effectOf(change, null), deliveries) === 'takes_back' ? changes : [];
}

/** null: none of them is being sent for the first time. */
function secondsUntilRecorded(deliveries: readonly UndoneDelivery[], now: Date): number | null {
  const leaseEnds = deliveries.flatMap(({ status, attempt_count: attempts, next_attempt_at: at }) =>
    status === 'waiting' && attempts === 0 && at !== null && at > now ? [at.getTime()] : [],
  );
  if (leaseEnds.length === 0) return null;
  return (Math.max(...leaseEnds) - now.getTime()) / 1000 + RECORDED_WITHIN_SECONDS;
}

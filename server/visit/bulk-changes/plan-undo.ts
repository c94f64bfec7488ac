import type { UndoReason, UndoSubject, UndoVerdict } from '#contract/bulk-changes.ts';
import type { ChoiceEvent, ChoiceSource, Evidence } from '#contract/choices.ts';
import type { Replaced } from '#db/tables.ts';
import type { CustomerState, RestoredList } from '#server/audience/evidence/transitions.ts';
import { BY_PEOPLE } from '#server/choices/choices/already-off.ts';

/** A choice as far as an undo is concerned. */
export interface PastChoice {
  sequence: number;
  source: ChoiceSource;
  events: readonly ChoiceEvent[];
  lists: readonly Pick<Evidence['lists'][number], 'list_id'>[];
  shown: Pick<Evidence['shown'], 'lists' | 'undone' | 'already_off'>;
  paused_until: Date | null;
  replaced: Replaced | null;
  /** It belongs to the bulk change. */
  isOurs: boolean;
}

export interface UndoPlan {
  verdict: UndoVerdict;
  /** The customer's state after the undo; null if nothing is to be restored. */
  restore: Omit<CustomerState, 'subscriptions'> & { lists: RestoredList[] };
  /** The choice whose predecessor has the address to restore; null: the address stays. */
  emailBefore: number | null;
  restored: { about: UndoSubject; list_id: string | null; subscribed: boolean | null }[];
  kept: { about: UndoSubject; list_id: string | null; reason: UndoReason }[];
  /** The choices that are undone. */
  sequences: number[];
  /** The bulk change created the customer, and nobody else has done anything with them. */
  isNew: boolean;
}

/** Choices with these sources are about everything, even if everything had been stopped before. */
const STOPS_ALL: ReadonlySet<ChoiceSource> = new Set(['wrong_recipient', 'erasure']);

/** These save all lists as they were shown. */
const ON_PAGES: ReadonlySet<ChoiceSource> = new Set(['page', 'state_link']);

const EVERYTHING = 'everything';
const EMAIL = 'email';

/** A list's id, `everything` or `email`. */
type Target = string;

const isByPerson = ({ source, shown }: PastChoice) =>
  BY_PEOPLE.has(source) || (source === 'undo' && shown.undone === undefined);

/** What a choice changed, exactly where that was recorded; else all that its evidence names, also what was off already. */
function targetsOf(choice: PastChoice, previous: PastChoice | undefined): Set<Target> {
  const { replaced, events } = choice;
  const asked = choice.shown.already_off;
  const askedLists = (asked?.lists ?? []).map(({ list_id: id }) => id);
  if (replaced !== null) {
    const isAboutAll = replaced.everything !== undefined || asked?.everything === true;
    return new Set([
      ...replaced.lists.map(({ list_id: id }) => id),
      ...askedLists,
      ...(isAboutAll ? [EVERYTHING] : []),
      ...(replaced.email === true ? [EMAIL] : []),
    ]);
  }
  const isOtherPause =
    previous !== undefined && previous.paused_until?.getTime() !== choice.paused_until?.getTime();
  const isAboutAll =
    isOtherPause ||
    asked?.everything === true ||
    STOPS_ALL.has(choice.source) ||
    events.includes('global_unsubscribed') ||
    events.includes('global_resubscribed');
  return new Set([
    // A pause that ends is not a choice of a list.
    ...(choice.source === 'pause_end' ? [] : choice.lists.map(({ list_id: id }) => id)),
    ...askedLists,
    ...(isAboutAll ? [EVERYTHING] : []),
    ...(events.includes('email_changed') ? [EMAIL] : []),
  ]);
}

/** What was undone since counts no more, nor does the undo. */
function neutralOf(choices: readonly PastChoice[]): (sequence: number, target: Target) => boolean {
  const neutral = new Set<string>();
  for (const choice of choices) {
    const { undone } = choice.shown;
    if (undone === undefined) continue;
    for (const target of targetsOf(choice, undefined)) {
      for (const sequence of [choice.sequence, ...undone.sequences]) neutral.add(`${sequence} ${target}`);
    }
  }
  return (sequence, target) => neutral.has(`${sequence} ${target}`);
}

interface Touch {
  choice: PastChoice;
  isOurs: boolean;
}

function touchesOf(choices: readonly PastChoice[]): Map<Target, Touch[]> {
  const isNeutral = neutralOf(choices);
  const touches = new Map<Target, Touch[]>();
  for (const [index, choice] of choices.entries()) {
    for (const target of targetsOf(choice, choices[index - 1])) {
      if (isNeutral(choice.sequence, target)) continue;
      touches.set(target, [...(touches.get(target) ?? []), { choice, isOurs: choice.isOurs }]);
    }
  }
  return touches;
}

/** The choices of the bulk change that are in force, and why they stay, if they do. */
function decide(touches: readonly Touch[]): { undoes: PastChoice[]; reason: UndoReason | null } {
  const lastOfOthers = touches.findLastIndex(({ isOurs }) => !isOurs);
  const undoes = touches.slice(lastOfOthers + 1).map(({ choice }) => choice);
  if (undoes.length > 0) return { undoes, reason: null };
  const last = touches[lastOfOthers]?.choice;
  const isLater = touches.some(({ isOurs }) => isOurs) && last !== undefined;
  if (!isLater) return { undoes, reason: null };
  return { undoes, reason: isByPerson(last) ? 'chosen_since' : 'changed_since' };
}

/** They saw the list switched off and saved: it stays off. A list that is merely left on is not chosen by that. */
function hasSavedAsOff(choices: readonly PastChoice[], listId: string, after: number): boolean {
  return choices.some(
    ({ sequence, source, shown }) =>
      sequence > after && ON_PAGES.has(source) && shown.lists.some((list) => list.list_id === listId),
  );
}

/** @param now a pause whose end has come meanwhile is over */
function stateBefore(
  { global_unsubscribe, paused_until, wrong_recipient_at }: NonNullable<Replaced['everything']>,
  now: Date,
) {
  const pausedUntil = paused_until === null ? null : new Date(paused_until);
  const isOver = pausedUntil !== null && pausedUntil <= now;
  return {
    globalUnsubscribe: global_unsubscribe && !isOver,
    pausedUntil: isOver ? null : pausedUntil,
    wrongRecipientAt: wrong_recipient_at === null ? null : new Date(wrong_recipient_at),
  };
}

/**
 * What an undo does to a customer: of each list, of everything, and of the address, what the bulk change replaced comes
 * back, unless somebody changed it later.
 * @param choices the customer's, in their order, from the first one of the bulk change on at the latest
 * @param site.listIds lists that are still there
 */
export function planUndo(
  current: CustomerState & { changedAt: ReadonlyMap<string, Date> },
  choices: readonly PastChoice[],
  { listIds, now }: { listIds: ReadonlySet<string>; now: Date },
): UndoPlan {
  const plan: UndoPlan = {
    verdict: 'unchanged',
    restore: {
      globalUnsubscribe: current.globalUnsubscribe,
      pausedUntil: current.pausedUntil,
      wrongRecipientAt: current.wrongRecipientAt ?? null,
      lists: [],
    },
    emailBefore: null,
    restored: [],
    kept: [],
    sequences: [],
    isNew: false,
  };
  const undone = new Set<number>();
  for (const [target, touches] of touchesOf(choices)) {
    const about = target === EVERYTHING || target === EMAIL ? target : 'list';
    const listId = about === 'list' ? target : null;
    if (listId !== null && !listIds.has(listId)) continue;
    const { undoes, reason } = decide(touches);
    const [first] = undoes;
    const last = undoes.at(-1);
    const keep = (why: UndoReason) => plan.kept.push({ about, list_id: listId, reason: why });
    if (reason !== null) {
      keep(reason);
      continue;
    }
    if (first === undefined || last === undefined || first.replaced === null) continue;
    if (about === 'everything' && first.replaced.everything !== undefined) {
      const before = stateBefore(first.replaced.everything, now);
      Object.assign(plan.restore, before);
      plan.restored.push({ about, list_id: null, subscribed: !before.globalUnsubscribe });
    } else if (about === 'email') {
      plan.emailBefore = first.sequence;
      plan.restored.push({ about, list_id: null, subscribed: null });
    } else {
      const before = first.replaced.lists.find(({ list_id: id }) => id === target);
      if (before === undefined) continue;
      // Never chosen counts, too: then a page may show it as on.
      const isRaise = before.subscribed !== false && current.subscriptions.get(target) !== true;
      if (isRaise && hasSavedAsOff(choices, target, last.sequence)) {
        keep('saved_since');
        continue;
      }
      const changedAt = before.changed_at === null ? undefined : new Date(before.changed_at);
      plan.restore.lists.push({
        list_id: target,
        subscribed: before.subscribed,
        ...(changedAt === undefined ? {} : { changedAt }),
      });
      plan.restored.push({ about, list_id: target, subscribed: before.subscribed });
    }
    for (const { sequence } of undoes) undone.add(sequence);
  }
  plan.sequences = [...undone].toSorted((one, other) => one - other);
  const isCreated = choices.some(({ isOurs, events }) => isOurs && events.includes('customer_created'));
  // Undone already, and not touched since: the undo's own choice is no reason to stay.
  plan.isNew = isCreated && choices.every(({ isOurs, shown }) => isOurs || shown.undone !== undefined);
  plan.verdict = verdictOf(plan);
  return plan;
}

function verdictOf({ restored, kept, isNew }: UndoPlan): UndoVerdict {
  if (restored.length === 0 && kept.length === 0) return isNew ? 'restored' : 'unchanged';
  if (kept.length === 0) return 'restored';
  return restored.length > 0 ? 'partly' : 'kept';
}

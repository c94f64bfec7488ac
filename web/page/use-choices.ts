import { useRef, useState } from 'react';
import type { ListPreference } from '#contract/customers.ts';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import {
  choicesToConfirm,
  hasLeft,
  isHeld,
  isReceived,
  isShownOn,
  type PublicList,
  type ViewCustomer,
} from './view.ts';

export type SaveState =
  | { kind: 'idle' }
  | { kind: 'saving' }
  /**
   * `left`: it ended a subscription. `held`: some of it awaits confirmation by email. `ignored`: some of it is no longer
   * offered.
   */
  | { kind: 'saved'; count: number; receipt: string | null; left: boolean; held: boolean; ignored?: boolean }
  | { kind: 'undone' }
  /** `undoing`: the receipt of a failed undo; null if a save failed. */
  | { kind: 'failed'; failure: Failure; undoing: string | null };

type Edits = Readonly<Record<string, boolean>>;
type Attempt = { saveId: string; lists: ListPreference[]; leavesAll: boolean };

export type Choices = ReturnType<typeof useChoices>;

/** The unsaved switches, and saving them. */
export function useChoices(customer: ViewCustomer, onCustomer: (customer: ViewCustomer) => void) {
  const { view, service } = usePage();
  const lists = view.page.lists.filter(({ id }) => !customer.gone?.includes(id));
  const edited = useEdits(lists, customer);
  const [state, setState] = useState<SaveState>({ kind: 'idle' });
  const repeatable = useRepeatableAttempt();
  const saves = useRef(0);

  function change(apply: () => void) {
    apply();
    if (state.kind !== 'saving') setState({ kind: 'idle' });
  }

  async function send(wanted: ListPreference[], person: ViewCustomer) {
    if (state.kind === 'saving' || wanted.length === 0) return;
    const attempt = repeatable.begin(wanted, edited.leavesAll);
    setState({ kind: 'saving' });
    try {
      const left = leavesSomething(attempt, lists, person);
      const { saveId, leavesAll } = attempt;
      const saved = await service.saveLists(person, attempt.lists, { saveId, source: 'page', leavesAll });
      repeatable.end();
      saves.current += 1;
      onCustomer(saved.customer);
      edited.clearSaved(attempt);
      const held = isHeld(attempt.lists, saved.customer);
      setState({ kind: 'saved', count: saves.current, ...saved, left, held });
    } catch (error) {
      setState({ kind: 'failed', failure: failureOf(error), undoing: null });
    }
  }

  /** Undoes the last save. */
  async function undo(receipt: string) {
    if (state.kind === 'saving') return;
    setState({ kind: 'saving' });
    try {
      onCustomer(await service.undo(customer, receipt, service.newSaveId()));
      edited.clear();
      setState({ kind: 'undone' });
    } catch (error) {
      setState({ kind: 'failed', failure: failureOf(error), undoing: receipt });
    }
  }

  const save = () => send(edited.asPreferences(), customer);
  const { values, isDirty, leavesAll } = edited;
  return {
    values,
    state,
    isDirty,
    leavesAll,
    isAllOff: values.every(({ on }) => !on),
    toggle: (listId: string, on: boolean) => change(() => edited.toggle(listId, on)),
    unsubscribeAll: () => change(() => edited.switchAllOff()),
    save,
    undo,
    /** There was another choice, so the former save can no longer be undone. */
    settle: () => setState({ kind: 'idle' }),
    retry: () => (state.kind === 'failed' && state.undoing !== null ? undo(state.undoing) : save()),
    saveAlong: (person: ViewCustomer) => send(choicesToConfirm(lists, person, edited.edits), person),
  };
}

/** The switches, with unsaved changes. */
function useEdits(lists: readonly PublicList[], customer: ViewCustomer) {
  const { view } = usePage();
  const [edits, setEdits] = useState<Edits>(view.edits);
  // Unsubscribe from all was pressed, and no list was switched on since: more than every list being off.
  const [leavesAll, setLeavesAll] = useState(view.leaves_all);
  const values = lists.map((list) => ({ list, on: edits[list.id] ?? isShownOn(list, customer) }));
  return {
    edits,
    leavesAll,
    values,
    isDirty:
      (leavesAll && !hasLeft(customer)) || values.some(({ list, on }) => on !== isShownOn(list, customer)),
    asPreferences: () => values.map(({ list, on }) => ({ notification_list_id: list.id, subscribed: on })),
    toggle(listId: string, on: boolean) {
      if (on) setLeavesAll(false);
      setEdits((before) => ({ ...before, [listId]: on }));
    },
    switchAllOff() {
      setLeavesAll(true);
      setEdits((before) => ({ ...before, ...Object.fromEntries(lists.map(({ id }) => [id, false])) }));
    },
    /** Switches changed again during the save stay unsaved. */
    clearSaved(saved: Attempt) {
      setEdits((now) => withoutSaved(now, saved.lists));
      if (saved.leavesAll) setLeavesAll(false);
    },
    clear() {
      setEdits({});
      setLeavesAll(false);
    },
  };
}

/** Reuses the save id for the same choices, so that a retry after a lost response does not save twice. */
function useRepeatableAttempt() {
  const { service } = usePage();
  const unanswered = useRef<Attempt | null>(null);
  return {
    begin(lists: ListPreference[], leavesAll: boolean): Attempt {
      const before = unanswered.current;
      const now = { lists, leavesAll };
      const attempt = before && isSame(before, now) ? before : { saveId: service.newSaveId(), ...now };
      unanswered.current = attempt;
      return attempt;
    },
    end() {
      unanswered.current = null;
    },
  };
}

const isSame = (one: Omit<Attempt, 'saveId'>, other: Omit<Attempt, 'saveId'>) =>
  one.leavesAll === other.leavesAll && JSON.stringify(one.lists) === JSON.stringify(other.lists);

function leavesSomething(attempt: Attempt, lists: readonly PublicList[], person: ViewCustomer): boolean {
  if (attempt.leavesAll && !hasLeft(person)) return true;
  return lists.some((list) => isReceived(list, person) && attempt.lists.some((one) => isOff(one, list.id)));
}

const isOff = (one: ListPreference, listId: string) => one.notification_list_id === listId && !one.subscribed;

function withoutSaved(edits: Edits, saved: ListPreference[]): Edits {
  const done = new Map(saved.map((one) => [one.notification_list_id, one.subscribed]));
  return Object.fromEntries(Object.entries(edits).filter(([id, on]) => done.get(id) !== on));
}

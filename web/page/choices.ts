import { useRef, useState } from 'react';
import type { ListPreference } from '#contract/customers.ts';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { choicesToConfirm, isShownOn, type ViewCustomer } from './view.ts';

export type SaveState =
  | { kind: 'idle' }
  | { kind: 'saving' }
  | { kind: 'saved'; count: number }
  | { kind: 'failed'; failure: Failure };

type Edits = Readonly<Record<string, boolean>>;
type Attempt = { saveId: string; lists: ListPreference[] };

const isSame = (one: ListPreference[], other: ListPreference[]) =>
  JSON.stringify(one) === JSON.stringify(other);

/** What the person switched and has not saved yet, and the saving of it. */
export function useChoices(customer: ViewCustomer, onCustomer: (customer: ViewCustomer) => void) {
  const { view, service } = usePage();
  const { lists } = view.page;
  const [edits, setEdits] = useState<Edits>({});
  const [state, setState] = useState<SaveState>({ kind: 'idle' });
  const unanswered = useRef<Attempt | null>(null);
  const saves = useRef(0);

  const values = lists.map((list) => ({ list, on: edits[list.id] ?? isShownOn(list, customer) }));
  const isDirty = values.some(({ list, on }) => on !== isShownOn(list, customer));

  function change(wanted: Edits) {
    setEdits((before) => ({ ...before, ...wanted }));
    if (state.kind !== 'saving') setState({ kind: 'idle' });
  }

  async function send(wanted: ListPreference[], person: ViewCustomer) {
    if (state.kind === 'saving' || wanted.length === 0) return;
    // The same choices again are the same save: an answer that got lost must not make a second one.
    const before = unanswered.current;
    const attempt =
      before && isSame(before.lists, wanted) ? before : { saveId: service.newSaveId(), lists: wanted };
    unanswered.current = attempt;
    setState({ kind: 'saving' });
    try {
      const saved = await service.saveLists(person, attempt.lists, {
        saveId: attempt.saveId,
        source: 'page',
      });
      unanswered.current = null;
      saves.current += 1;
      onCustomer(saved);
      setEdits((now) => withoutSaved(now, attempt.lists));
      setState({ kind: 'saved', count: saves.current });
    } catch (error) {
      setState({ kind: 'failed', failure: failureOf(error) });
    }
  }

  return {
    values,
    state,
    isDirty,
    isAllOff: values.every(({ on }) => !on),
    toggle: (listId: string, on: boolean) => change({ [listId]: on }),
    unsubscribeAll: () => change(Object.fromEntries(lists.map(({ id }) => [id, false]))),
    save: () =>
      send(
        values.map(({ list, on }) => ({ notification_list_id: list.id, subscribed: on })),
        customer,
      ),
    saveAlong: (person: ViewCustomer) => send(choicesToConfirm(lists, person, edits), person),
  };
}

/** Switches that were moved again while the save was on its way stay unsaved. */
function withoutSaved(edits: Edits, saved: ListPreference[]): Edits {
  const done = new Map(saved.map((one) => [one.notification_list_id, one.subscribed]));
  return Object.fromEntries(Object.entries(edits).filter(([id, on]) => done.get(id) !== on));
}

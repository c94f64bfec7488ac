import { useEffect, useRef, type SubmitEvent } from 'react';
import type { Choices } from './use-choices.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { ListSwitch } from './ListSwitch.tsx';
import { usePage } from './page-context.tsx';
import {
  actionOf,
  CHOICES_FORM,
  FIELD,
  isShownOn,
  isWaiting,
  mayOnlyLeave,
  type ViewCustomer,
} from './view.ts';

type Props = { customer: ViewCustomer; choices: Choices };

/** The lists with their switches. The button that submits it is in the save bar. */
export function ChoicesForm({ customer, choices }: Props) {
  const { view, t } = usePage();
  const form = useRef<HTMLFormElement>(null);

  // The server's HTML has switches that may have been moved before this script ran.
  useEffect(() => {
    const boxes = form.current?.querySelectorAll<HTMLInputElement>('input[type=checkbox]') ?? [];
    for (const box of boxes) {
      const shown = choices.values.find(({ list }) => list.id === box.value);
      if (shown && shown.on !== box.checked) choices.toggle(box.value, box.checked);
    }
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  function submit(event: SubmitEvent<HTMLFormElement>) {
    // The server changes the language, and returns the switches as they stand.
    const { submitter } = event.nativeEvent as globalThis.SubmitEvent;
    if (submitter?.getAttribute('name') === FIELD.instead) return;
    event.preventDefault();
    void choices.save();
  }

  return (
    <form
      ref={form}
      id={CHOICES_FORM}
      method="post"
      action={actionOf(view)}
      autoComplete="off"
      onSubmit={submit}
    >
      <FormIdentity intent="save" customer={customer} />
      {choices.leavesAll && <input type="hidden" name={FIELD.leavesAll} value="1" />}
      {choices.values.length === 0 ? (
        <p className="pp-hint">{t('pref_template.no_lists')}</p>
      ) : (
        <fieldset className="pp-lists">
          <legend>{t('pref_template.lists_label')}</legend>
          {choices.values.map(({ list, on }) => (
            <ListSwitch
              key={list.id}
              list={list}
              on={on}
              isLocked={!on && mayOnlyLeave(customer) && !isShownOn(list, customer)}
              isWaiting={on && isWaiting(list, customer)}
              onToggle={(next) => choices.toggle(list.id, next)}
            />
          ))}
        </fieldset>
      )}
    </form>
  );
}

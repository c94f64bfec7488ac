import { useEffect, useId, useRef } from 'react';
import { useChoices } from './choices.ts';
import { EmailRow } from './EmailRow.tsx';
import { FormIdentity } from './FormIdentity.tsx';
import { LinkChoice } from './LinkChoice.tsx';
import { ListSwitch } from './ListSwitch.tsx';
import { usePage } from './page-context.tsx';
import { SaveBar } from './SaveBar.tsx';
import { FIELD, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

/** The second step: what would you like to receive? */
export function PreferencesStep({ customer, onCustomer }: Props) {
  const { view, t } = usePage();
  const { attrs, lists } = view.page;
  const choices = useChoices(customer, onCustomer);
  const form = useRef<HTMLFormElement>(null);
  const formId = useId();
  const action = `/${view.custom_path}`;
  const isAboutLink = view.query.state !== null || view.notice?.kind === 'state_saved';

  // Whoever was faster than the script has already moved switches in the server's HTML.
  useEffect(() => {
    const boxes = form.current?.querySelectorAll<HTMLInputElement>('input[type=checkbox]') ?? [];
    for (const box of boxes) {
      const shown = choices.values.find(({ list }) => list.id === box.value);
      if (shown && shown.on !== box.checked) choices.toggle(box.value, box.checked);
    }
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  return (
    <>
      <LinkChoice customer={customer} onCustomer={onCustomer} />
      {view.notice?.kind === 'saved' && choices.state.kind === 'idle' && !choices.isDirty && (
        <p className="pp-note" role="status">
          {attrs.saved_preferences_msg || t('pref_template.saved')}
        </p>
      )}
      {view.notice?.kind === 'error' && view.notice.field === null && (
        <p className="pp-note pp-error" role="alert">
          {t(view.notice.key)}
        </p>
      )}
      {customer.global_unsubscribe && !choices.isDirty && !isAboutLink && (
        <p className="pp-note pp-quiet">{t('pref_template.globally_off')}</p>
      )}
      <EmailRow
        customer={customer}
        onChanged={(changed) => {
          onCustomer(changed);
          void choices.saveAlong(changed);
        }}
      />
      <form
        ref={form}
        id={formId}
        method="post"
        action={action}
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          void choices.save();
        }}
      >
        <FormIdentity intent="save" customer={customer} />
        {lists.length === 0 ? (
          <p className="pp-hint">{t('pref_template.no_lists')}</p>
        ) : (
          <fieldset className="pp-lists">
            <legend>{t('pref_template.lists_label')}</legend>
            {choices.values.map(({ list, on }) => (
              <ListSwitch
                key={list.id}
                list={list}
                on={on}
                onToggle={(next) => choices.toggle(list.id, next)}
              />
            ))}
          </fieldset>
        )}
      </form>
      {attrs.unsubscribe_all && lists.length > 0 && (
        <form
          className="pp-leave-all"
          method="post"
          action={action}
          onSubmit={(event) => {
            event.preventDefault();
            choices.unsubscribeAll();
          }}
        >
          <FormIdentity intent="unsubscribe_all" customer={customer} />
          {lists.map(({ id }) => (
            <input key={id} type="hidden" name={FIELD.list} value={id} />
          ))}
          <button type="submit" className="pp-button pp-plain">
            {t('pref_template.unsubscribe_all')}
          </button>
        </form>
      )}
      {lists.length > 0 && (
        <SaveBar
          formId={formId}
          state={choices.state}
          isDirty={choices.isDirty}
          isAllOff={choices.isAllOff}
          onRetry={() => void choices.save()}
        />
      )}
    </>
  );
}

import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { AgedLink } from './AgedLink.tsx';
import { useChoices } from './choices.ts';
import { DataSection } from './DataSection.tsx';
import { EmailRow } from './EmailRow.tsx';
import { FormIdentity } from './FormIdentity.tsx';
import { LinkChoice } from './LinkChoice.tsx';
import { LeaveReasons } from './LeaveReasons.tsx';
import { ListSwitch } from './ListSwitch.tsx';
import { Notice } from './Notice.tsx';
import { PausedNote, PauseOffer } from './Pause.tsx';
import { PendingNote } from './PendingNote.tsx';
import { usePage } from './page-context.tsx';
import { isSameAddress } from '#contract/email-key.ts';
import { SaveBar } from './SaveBar.tsx';
import type { TextKey } from './texts.ts';
import {
  actionOf,
  CHOICES_FORM,
  FIELD,
  hasLeft,
  isShownOn,
  mayOnlyLeave,
  type ViewCustomer,
  withEndedLink,
} from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

/** The second step: what would you like to receive? */
export function PreferencesStep({ customer, onCustomer }: Props) {
  const { view, service, t } = usePage();
  const { attrs, lists } = view.page;
  const choices = useChoices(customer, onCustomer);
  const form = useRef<HTMLFormElement>(null);
  const action = actionOf(view);
  const [news, setNews] = useState<TextKey | null>(null);
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

  const hasLinkExpired = choices.state.kind === 'failed' && choices.state.failure === 'link_expired';

  useEffect(() => {
    // It was ended while the page was open: from now on the page says what is still possible.
    if (hasLinkExpired) onCustomer(withEndedLink(customer));
    // oxlint-disable-next-line react/exhaustive-deps
  }, [hasLinkExpired]);

  function hear(next: ViewCustomer, text: TextKey | null) {
    setNews(text);
    choices.settle();
    onCustomer(next);
    window.scrollTo({ top: 0 });
    service.show(document.querySelector('.pp-main'));
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    // The language is changed by the server, which gives the switches back as they stand.
    const { submitter } = event.nativeEvent as globalThis.SubmitEvent;
    if (submitter?.getAttribute('name') === FIELD.instead) return;
    event.preventDefault();
    void choices.save();
  }

  return (
    <>
      <LinkChoice customer={customer} onCustomer={onCustomer} />
      {choices.state.kind === 'idle' && !choices.isDirty && <Notice customer={customer} />}
      <p className={news === null || news === 'pause.done' ? 'pp-unseen' : 'pp-note'} role="status">
        {news && t(news)}
      </p>
      <AgedLink customer={customer} />
      <PendingNote customer={customer} />
      <PausedNote
        customer={customer}
        onCustomer={(next) => hear(next, next.global_unsubscribe ? null : 'pause.ended')}
      />
      {hasLeft(customer) && !choices.isDirty && !isAboutLink && (
        <p className="pp-note pp-quiet">
          {t(mayOnlyLeave(customer) ? 'state.left_all' : 'pref_template.globally_off', {
            name: view.page.name,
          })}
        </p>
      )}
      <EmailRow
        customer={customer}
        onChanged={(changed) => {
          onCustomer(changed);
          if (isSameAddress(changed.email, customer.email)) return;
          void choices.saveAlong(changed);
        }}
      />
      <form ref={form} id={CHOICES_FORM} method="post" action={action} autoComplete="off" onSubmit={submit}>
        <FormIdentity intent="save" customer={customer} />
        {choices.leavesAll && <input type="hidden" name={FIELD.leavesAll} value="1" />}
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
                isLocked={!on && mayOnlyLeave(customer) && !isShownOn(list, customer)}
                onToggle={(next) => choices.toggle(list.id, next)}
              />
            ))}
          </fieldset>
        )}
      </form>
      {choices.state.kind === 'saved' && choices.state.left && choices.state.receipt !== null && (
        <LeaveReasons
          key={choices.state.count}
          action={action}
          receipt={choices.state.receipt}
          customer={customer}
        />
      )}
      {attrs.offer_pause && !customer.global_unsubscribe && lists.length > 0 && (
        <PauseOffer customer={customer} onCustomer={(next) => hear(next, 'pause.done')} />
      )}
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
          formId={CHOICES_FORM}
          state={choices.state}
          isDirty={choices.isDirty}
          isAllOff={choices.isAllOff}
          leavesAll={choices.leavesAll}
          onRetry={() => void choices.retry()}
          onUndo={(receipt) => void choices.undo(receipt)}
        />
      )}
      <DataSection customer={customer} onLinksEnded={(next) => hear(next, 'links.ended')} />
    </>
  );
}

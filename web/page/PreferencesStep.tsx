import { useEffect, useState } from 'react';
import { isSameAddress } from '#contract/email-key.ts';
import { useChoices } from './use-choices.ts';
import { ChoicesForm } from './ChoicesForm.tsx';
import { PersonalDataSection } from './PersonalDataSection.tsx';
import { EmailRow } from './EmailRow.tsx';
import { usePage } from './page-context.tsx';
import { SaveBar } from './SaveBar.tsx';
import type { TextKey } from './texts.ts';
import { actionOf, CHOICES_FORM, hasLeft, mayOnlyLeave, type ViewCustomer, withEndedLink } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

/** The second step: what would you like to receive? */
export function PreferencesStep({ customer, onCustomer }: Props) {
  const { view, service, t, parts } = usePage();
  const { attrs } = view.page;
  const choices = useChoices(customer, onCustomer);
  const hasLists = choices.values.length > 0;
  const [news, setNews] = useState<TextKey | null>(null);
  const hasLinkExpired = choices.state.kind === 'failed' && choices.state.failure === 'link_expired';

  useEffect(() => {
    // The link was revoked while the page was open: show what is still possible.
    if (hasLinkExpired) onCustomer(withEndedLink(customer));
    // oxlint-disable-next-line react/exhaustive-deps
  }, [hasLinkExpired]);

  function announce(next: ViewCustomer, text: TextKey | null) {
    setNews(text);
    choices.settle();
    onCustomer(next);
    window.scrollTo({ top: 0 });
    service.show(document.querySelector('.pp-main'));
  }

  return (
    <>
      {parts && <parts.LinkChoice customer={customer} onCustomer={onCustomer} />}
      {parts && choices.state.kind === 'idle' && !choices.isDirty && <parts.FormNotice customer={customer} />}
      <p className={news === null || news === 'pause.done' ? 'pp-unseen' : 'pp-note'} role="status">
        {news && t(news)}
      </p>
      {parts && <parts.AgedLink customer={customer} />}
      {parts && <parts.PendingNote customer={customer} />}
      {parts && (
        <parts.PausedNote
          customer={customer}
          onCustomer={(next) => announce(next, next.global_unsubscribe ? null : 'pause.ended')}
        />
      )}
      {!choices.isDirty && !(parts && choices.state.kind === 'saved') && <LeftNote customer={customer} />}
      <EmailRow
        customer={customer}
        onChanged={(changed) => {
          onCustomer(changed);
          if (isSameAddress(changed.email, customer.email)) return;
          void choices.saveAlong(changed);
        }}
      />
      <ChoicesForm customer={customer} choices={choices} />
      {parts && <parts.Meanwhile customer={customer} onCustomer={onCustomer} state={choices.state} />}
      {parts && choices.state.kind === 'saved' && choices.state.left && choices.state.receipt !== null && (
        <parts.LeaveReasons
          key={choices.state.count}
          action={actionOf(view)}
          receipt={choices.state.receipt}
          customer={customer}
        />
      )}
      {parts && attrs.offer_pause && !customer.global_unsubscribe && hasLists && (
        <parts.PauseOffer customer={customer} onCustomer={(next) => announce(next, 'pause.done')} />
      )}
      {(hasLists || choices.state.kind === 'saved') && (
        <SaveBar
          customer={customer}
          formId={CHOICES_FORM}
          state={choices.state}
          isDirty={choices.isDirty}
          isAllOff={choices.isAllOff}
          leavesAll={choices.leavesAll}
          onLeaveAll={attrs.unsubscribe_all && !hasLeft(customer) ? choices.unsubscribeAll : null}
          onRetry={() => void choices.retry()}
          onUndo={(receipt) => void choices.undo(receipt)}
        />
      )}
      <PersonalDataSection customer={customer} onLinksEnded={(next) => announce(next, 'links.ended')} />
    </>
  );
}

/**
 * Says that they have left everything, unless a link's own note says it, or another one that they asked to come back.
 * Right after a save, the result beside the button says it.
 */
function LeftNote({ customer }: { customer: ViewCustomer }) {
  const { view, t } = usePage();
  const isAboutLink = view.query.state !== null || view.notice?.kind === 'state_saved';
  const asksToComeBack = customer.pending.some(({ kind }) => kind !== 'email_change');
  if (!hasLeft(customer) || isAboutLink || asksToComeBack) return null;
  return (
    <p className="pp-note pp-quiet">
      {mayOnlyLeave(customer)
        ? t('state.left_all')
        : `${t('pref_template.globally_off', { name: view.page.name })} ${t('pref_template.get_again')}`}
    </p>
  );
}

import { useState, type SubmitEvent } from 'react';
import type { LeaveReason } from '#contract/choices.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { FIELD, LEAVE_REASONS, type ViewCustomer } from './view.ts';

type Props = {
  /** The action of the plain form. */
  action: string;
  receipt: string;
  /** null on the landing page of a link, which carries the identity itself. */
  customer: ViewCustomer | null;
  isGiven?: boolean;
};

/** Asks why somebody unsubscribed; answering is one tap, and optional. */
export function LeaveReasons({ action, receipt, customer, isGiven = false }: Props) {
  const { service, t } = usePage();
  const [given, setGiven] = useState(isGiven);

  function submit(event: SubmitEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent as globalThis.SubmitEvent;
    const reason = LEAVE_REASONS.find((one) => one === submitter?.getAttribute('value'));
    if (!customer || !reason) return;
    event.preventDefault();
    void give(customer, reason);
  }

  async function give(person: ViewCustomer, reason: LeaveReason) {
    setGiven(true);
    try {
      await service.giveReason(person, receipt, reason);
    } catch {
      // A reason that could not be saved needs no error: the choice itself was saved.
      setGiven(false);
    }
  }

  return (
    <form className="pp-reasons pp-panel" method="post" action={action} onSubmit={submit}>
      {customer ? (
        <FormIdentity intent="reason" customer={customer} />
      ) : (
        <input type="hidden" name={FIELD.intent} value="reason" />
      )}
      <input type="hidden" name={FIELD.receipt} value={receipt} />
      <fieldset hidden={given}>
        <legend>{t('reason.question')}</legend>
        <div className="pp-chips">
          {LEAVE_REASONS.map((reason) => (
            <button key={reason} type="submit" className="pp-button" name={FIELD.reason} value={reason}>
              {t(`reason.${reason}`)}
            </button>
          ))}
        </div>
      </fieldset>
      <p role="status">{given && t('reason.thanks')}</p>
    </form>
  );
}

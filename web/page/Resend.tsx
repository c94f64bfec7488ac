import { useState, type SubmitEvent } from 'react';
import type { PendingKind } from '#contract/pending-changes.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import type { TextKey } from './texts.ts';
import { actionOf, FIELD, type ViewCustomer } from './view.ts';

type Status = 'idle' | 'sending' | 'sent' | Failure;

const SAID: Partial<Record<Status, TextKey>> = {
  sent: 'pending.resent',
  offline: 'modal_mail.error_offline',
  busy: 'pending.busy',
  expired: 'data.expired',
};

/** Asks for the email with the link of a pending change again. */
export function Resend({ customer, kind }: { customer: ViewCustomer; kind: PendingKind }) {
  const { view, service, t } = usePage();
  const { notice } = view;
  const [status, setStatus] = useState<Status>(
    notice?.kind === 'resent' && notice.pending === kind ? 'sent' : 'idle',
  );

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (status === 'sending') return;
    setStatus('sending');
    try {
      await service.resend(customer, kind);
      setStatus('sent');
    } catch (error) {
      setStatus(failureOf(error));
    }
  }

  return (
    <div className="pp-resend">
      {status !== 'sent' && (
        <form method="post" action={actionOf(view)} onSubmit={(event) => void submit(event)}>
          <FormIdentity intent="resend" customer={customer} />
          <input type="hidden" name={FIELD.kind} value={kind} />
          <button type="submit" className="pp-button pp-plain" aria-busy={status === 'sending'}>
            {t('pending.resend')}
          </button>
        </form>
      )}
      <p role="status">
        {status !== 'idle' && status !== 'sending' && t(SAID[status] ?? 'unavailable.text')}
      </p>
    </div>
  );
}

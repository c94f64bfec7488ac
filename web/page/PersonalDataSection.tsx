import { useState, type SubmitEvent } from 'react';
import { Complaint } from './Complaint.tsx';
import { EndOwnLinks } from './EndOwnLinks.tsx';
import { DATA_FAILURE_KEYS } from './failure-keys.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { actionOf, FIELD, mayOnlyLeave, type ViewCustomer } from './view.ts';

type Status =
  | { kind: 'idle' }
  | { kind: 'sending' }
  | { kind: 'sent'; email: string }
  | { kind: 'failed'; failure: Failure };

type Props = { customer: ViewCustomer; onLinksEnded: (customer: ViewCustomer) => void };

/** What people can ask for about their data: a copy or its erasure, each confirmed by email; a complaint; ended links. */
export function PersonalDataSection({ customer, onLinksEnded }: Props) {
  const { view, service, t } = usePage();
  const { notice } = view;
  const [status, setStatus] = useState<Status>(
    notice?.kind === 'data_requested' ? { kind: 'sent', email: notice.masked_email } : { kind: 'idle' },
  );

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (status.kind === 'sending') return;
    const { submitter } = event.nativeEvent as globalThis.SubmitEvent;
    const kind = submitter?.getAttribute('value') === 'erasure' ? 'erasure' : 'download';
    setStatus({ kind: 'sending' });
    try {
      setStatus({ kind: 'sent', email: await service.requestData(customer, kind) });
    } catch (error) {
      setStatus({ kind: 'failed', failure: failureOf(error) });
    }
  }

  if (mayOnlyLeave(customer)) return null;
  return (
    <details className="pp-data" open={notice?.kind === 'data_requested' || notice?.kind === 'complained'}>
      <summary>{t('data.title')}</summary>
      <p>{t('data.text')}</p>
      <form method="post" action={actionOf(view)} onSubmit={(event) => void submit(event)}>
        <FormIdentity intent="data_request" customer={customer} />
        <button type="submit" className="pp-button" name={FIELD.kind} value="download">
          {t('data.download')}
        </button>
        <button type="submit" className="pp-button" name={FIELD.kind} value="erasure">
          {t('data.erase')}
        </button>
      </form>
      <p className={status.kind === 'failed' ? 'pp-error' : 'pp-data-answer'} role="status">
        {status.kind === 'sent'
          ? t('data.sent', { email: status.email })
          : status.kind === 'failed' && t(DATA_FAILURE_KEYS[status.failure])}
      </p>
      <Complaint customer={customer} />
      <EndOwnLinks customer={customer} onEnded={onLinksEnded} />
    </details>
  );
}

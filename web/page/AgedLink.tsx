import { useState, type SubmitEvent } from 'react';
import { FAILURE_KEYS } from './failure-keys.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import type { TextKey } from './texts.ts';
import { actionOf, mayOnlyLeave, type ViewCustomer } from './view.ts';

type Status =
  | { kind: 'idle' }
  | { kind: 'sending' }
  | { kind: 'sent'; email: string }
  | { kind: 'failed'; failure: Failure };

const ERROR_KEYS: Partial<Record<Failure, TextKey>> = {
  ...FAILURE_KEYS,
  expired: 'data.expired',
};

/** What an expired or revoked link can still do, and how to get a new one. */
export function AgedLink({ customer }: { customer: ViewCustomer }) {
  const { view, service, t } = usePage();
  const { notice } = view;
  const [status, setStatus] = useState<Status>(
    notice?.kind === 'fresh_link_sent' ? { kind: 'sent', email: notice.masked_email } : { kind: 'idle' },
  );

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (status.kind === 'sending') return;
    setStatus({ kind: 'sending' });
    try {
      setStatus({ kind: 'sent', email: await service.mailFreshLink(customer) });
    } catch (error) {
      setStatus({ kind: 'failed', failure: failureOf(error) });
    }
  }

  if (!mayOnlyLeave(customer)) return null;
  return (
    <div className="pp-note pp-link-choice pp-aged">
      <div>
        <p>{t('aged.text')}</p>
        <p className={`pp-aged-answer${status.kind === 'failed' ? ' pp-error' : ''}`} role="status">
          {status.kind === 'sent'
            ? t('aged.sent', { email: status.email })
            : status.kind === 'failed' && t(ERROR_KEYS[status.failure] ?? 'unavailable.text')}
        </p>
      </div>
      {status.kind !== 'sent' && (
        <form method="post" action={actionOf(view)} onSubmit={(event) => void submit(event)}>
          <FormIdentity intent="fresh_link" customer={customer} />
          <button type="submit" className="pp-button pp-primary" aria-busy={status.kind === 'sending'}>
            {t('aged.button')}
          </button>
        </form>
      )}
    </div>
  );
}

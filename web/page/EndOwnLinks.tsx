import { useState, type SubmitEvent } from 'react';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { actionOf, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onEnded: (customer: ViewCustomer) => void };

/** Revokes all personal links; only for customers who came by a valid one. */
export function EndOwnLinks({ customer, onEnded }: Props) {
  const { view, service, t } = usePage();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFailure(null);
    try {
      onEnded(await service.endLinks(customer));
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  }

  if (customer.level !== 'proven') return null;
  return (
    <>
      <p>{t('links.text')}</p>
      <form method="post" action={actionOf(view)} onSubmit={(event) => void submit(event)}>
        <FormIdentity intent="end_links" customer={customer} />
        <button type="submit" className="pp-button" aria-busy={busy}>
          {t('links.end')}
        </button>
      </form>
      {failure && (
        <p className="pp-error" role="alert">
          {t(failure === 'busy' ? 'rate_limited.text' : 'unavailable.text')}
        </p>
      )}
    </>
  );
}

import { useState } from 'react';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { actionOf, dayText, mayOnlyLeave, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

/** The end of the pause, and the button to end it earlier. */
export function PausedNote({ customer, onCustomer }: Props) {
  const { view, service, t } = usePage();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const until = customer.paused_until;

  async function resume() {
    setBusy(true);
    try {
      const options = { saveId: service.newSaveId(), source: 'page' as const };
      onCustomer((await service.setGlobal(customer, false, options)).customer);
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  }

  if (until === null) return null;
  return (
    <div className="pp-note pp-link-choice">
      <p>
        {failure
          ? t(`save_error.${failure}`)
          : `${t('pause.until', { date: dayText(view.language, until) })} ${t('pause.after')}`}
      </p>
      {!mayOnlyLeave(customer) && (
        <form
          method="post"
          action={actionOf(view)}
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) void resume();
          }}
        >
          <FormIdentity intent="resume" customer={customer} />
          <button type="submit" className="pp-button" aria-busy={busy}>
            {t('pause.end')}
          </button>
        </form>
      )}
    </div>
  );
}

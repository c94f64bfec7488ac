import { useRef, useState, type SubmitEvent } from 'react';
import type { PauseDays } from '#contract/public-preferences.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { actionOf, FIELD, PAUSE_DAYS, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

/** The three pauses, as buttons of the form around them. */
export function PauseButtons({ busy = false }: { busy?: boolean }) {
  const { t } = usePage();
  return (
    <div className="pp-chips">
      {PAUSE_DAYS.map((days) => (
        <button
          key={days}
          type="submit"
          className="pp-button"
          name={FIELD.days}
          value={days}
          aria-disabled={busy || undefined}
        >
          {t('pause.days', { days: String(days) })}
        </button>
      ))}
    </div>
  );
}

/** Offers a pause as an alternative to unsubscribing. */
export function PauseOffer({ customer, onCustomer }: Props) {
  const { view, service, t } = usePage();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const saveIds = useRef(new Map<PauseDays, string>());

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as globalThis.SubmitEvent;
    const days = PAUSE_DAYS.find((one) => String(one) === submitter?.getAttribute('value'));
    if (days !== undefined && !busy) void pause(days);
  }

  async function pause(days: PauseDays) {
    // Reuse the save id for the same pause, so that a retry after a lost response does not prolong it.
    const saveId = saveIds.current.get(days) ?? service.newSaveId();
    saveIds.current.set(days, saveId);
    setBusy(true);
    setFailure(null);
    try {
      onCustomer(await service.pause(customer, days, saveId));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form className="pp-pause pp-panel" method="post" action={actionOf(view)} onSubmit={submit}>
      <FormIdentity intent="pause" customer={customer} />
      <fieldset>
        <legend>{t('pause.title')}</legend>
        <p className="pp-hint">{t('pause.text')}</p>
        <PauseButtons busy={busy} />
      </fieldset>
      {failure && (
        <p className="pp-error" role="alert">
          {t(`save_error.${failure}`)}
        </p>
      )}
    </form>
  );
}

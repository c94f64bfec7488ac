import { type ReactNode, useEffect, useId, useRef, useState, type SubmitEvent } from 'react';
import type { PauseLength } from '#contract/public-preferences.ts';
import { failureKeyOf } from './failure-keys.ts';
import { FormIdentity } from './FormIdentity.tsx';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import { actionOf, FIELD, PAUSE_DAYS, PAUSE_UNTIL, type ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

type FormsProps = {
  action: string;
  busy?: boolean;
  /** Not given: the browser sends the forms. */
  onPause?: (length: PauseLength) => void;
  /** What both forms send along. */
  children: ReactNode;
};

/** Offers the three suggested pauses as buttons, and one until a date. Two forms: Enter in the date sends the date. */
export function PauseForms({ action, busy = false, onPause, children }: FormsProps) {
  const { t } = usePage();
  const id = useId();
  const days = useSelectableDays();

  function submit(event: SubmitEvent<HTMLFormElement>) {
    if (onPause === undefined) return;
    event.preventDefault();
    const { submitter } = event.nativeEvent as globalThis.SubmitEvent;
    const until = new FormData(event.currentTarget).get(FIELD.until);
    const suggested = PAUSE_DAYS.find((one) => String(one) === submitter?.getAttribute('value'));
    if (busy) return;
    if (typeof until === 'string') onPause({ pause_until: until });
    else if (suggested !== undefined) onPause({ pause_days: suggested });
  }

  return (
    <fieldset className="pp-pause pp-panel">
      <legend>{t('pause.title')}</legend>
      <p className="pp-hint">{t('pause.text')}</p>
      <form method="post" action={action} onSubmit={submit}>
        {children}
        <div className="pp-chips">
          {PAUSE_DAYS.map((one) => (
            <button
              key={one}
              type="submit"
              className="pp-button"
              name={FIELD.days}
              value={one}
              aria-disabled={busy || undefined}
            >
              {t('pause.days', { days: String(one) })}
            </button>
          ))}
        </div>
      </form>
      <form className="pp-until" method="post" action={action} onSubmit={submit}>
        {children}
        <label htmlFor={id}>{t('pause.custom')}</label>
        <input id={id} type="date" name={FIELD.until} required aria-describedby={`${id}-range`} {...days} />
        <button type="submit" className="pp-button" aria-disabled={busy || undefined}>
          {t('pause.start')}
        </button>
        <p id={`${id}-range`} className="pp-hint">
          {t('pause.range')}
        </p>
      </form>
    </fieldset>
  );
}

/** Only in the browser: the server's document may be older than a day. */
function useSelectableDays(): { min?: string; max?: string } {
  const [days, setDays] = useState({});
  useEffect(() => {
    const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
    setDays({ min: day(PAUSE_UNTIL.minDays), max: day(PAUSE_UNTIL.maxDays) });
  }, []);
  return days;
}

/** Offers a pause as an alternative to unsubscribing. */
export function PauseOffer({ customer, onCustomer }: Props) {
  const { view, service, t } = usePage();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const saveIds = useRef(new Map<string, string>());

  async function pause(length: PauseLength) {
    // Reuse the save id for the same pause, so that a retry after a lost response does not prolong it.
    const same = JSON.stringify(length);
    const saveId = saveIds.current.get(same) ?? service.newSaveId();
    saveIds.current.set(same, saveId);
    setBusy(true);
    setFailure(null);
    try {
      onCustomer(await service.pause(customer, length, saveId));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <PauseForms action={actionOf(view)} busy={busy} onPause={(length) => void pause(length)}>
        <FormIdentity intent="pause" customer={customer} />
      </PauseForms>
      {failure && (
        <p className="pp-error" role="alert">
          {t(failureKeyOf(failure))}
        </p>
      )}
    </>
  );
}

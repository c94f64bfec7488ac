import { useEffect, useId, useRef, useState, type SubmitEvent } from 'react';
import { isSameAddress } from '#contract/email-key.ts';
import { emailErrorKey } from './email.ts';
import { FAILURE_KEYS } from './failure-keys.ts';
import { usePage } from './page-context.tsx';
import { failureOf, type Failure } from './service.ts';
import type { TextKey } from './texts.ts';
import type { ViewCustomer } from './view.ts';

const CLOSE_DELAY_MS = 1000;

/** Any other failure shows the message of spec section 8. */
const ERROR_KEYS: Partial<Record<Failure, TextKey>> = {
  ...FAILURE_KEYS,
  link_expired: 'aged.text',
};

type Props = {
  customer: ViewCustomer;
  isOpen: boolean;
  onClose: () => void;
  onChanged: (customer: ViewCustomer) => void;
};

/** Changes the address; closes a second after it succeeded. */
export function EmailDialog({ customer, isOpen, onClose, onChanged }: Props) {
  const { t } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { value, setValue, errorKey, changed, isBusy, reset, clearChanged, submit } =
    useEmailChange(customer);

  useEffect(() => {
    if (!isOpen || dialog.current?.open) return;
    reset();
    dialog.current?.showModal();
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isOpen]);

  useEffect(() => {
    if (!changed) return;
    const timer = setTimeout(() => dialog.current?.close(), CLOSE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [changed]);

  function close() {
    onClose();
    if (changed) onChanged(changed);
    clearChanged();
  }

  return (
    <dialog ref={dialog} className="pp-dialog" aria-labelledby={`${id}-title`} onClose={close}>
      <form method="dialog" noValidate onSubmit={submit}>
        <h2 id={`${id}-title`}>{t('modal_mail.title')}</h2>
        <p className="pp-hint" id={`${id}-message`}>
          {t('modal_mail.message', { email: customer.email })}
        </p>
        <label htmlFor={id}>{t('modal_mail.label')}</label>
        {errorKey && (
          <p className="pp-error" id={`${id}-error`} role="alert">
            {t(errorKey)}
          </p>
        )}
        <input
          id={id}
          type="email"
          value={value}
          onChange={(event) => setValue(event.target.value)}
          maxLength={254}
          autoComplete="email"
          inputMode="email"
          spellCheck={false}
          aria-invalid={errorKey !== null && !Object.values(ERROR_KEYS).includes(errorKey)}
          aria-describedby={errorKey ? `${id}-error` : `${id}-message`}
        />
        <p className="pp-tick" role="status">
          {changed &&
            t(isSameAddress(changed.email, customer.email) ? 'pending.short' : 'pref_template.email_updated')}
        </p>
        <div className="pp-dialog-buttons">
          <button type="button" className="pp-button" onClick={() => dialog.current?.close()}>
            {t('modal_mail.cancel')}
          </button>
          <button type="submit" className="pp-button pp-primary" aria-busy={isBusy}>
            {t('modal_mail.update')}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The typed address, and saving it. Submitting the same address again is the same save. */
function useEmailChange(customer: ViewCustomer) {
  const { service } = usePage();
  const [value, setValue] = useState('');
  const [errorKey, setErrorKey] = useState<TextKey | null>(null);
  const [changed, setChanged] = useState<ViewCustomer | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const saveId = useRef({ email: '', id: '' });

  async function save(email: string) {
    if (saveId.current.email !== email) saveId.current = { email, id: service.newSaveId() };
    setIsBusy(true);
    try {
      setChanged(await service.changeEmail(customer, email, saveId.current.id));
    } catch (error) {
      setErrorKey(ERROR_KEYS[failureOf(error)] ?? 'modal_mail.error_exists');
    } finally {
      setIsBusy(false);
    }
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy || changed) return;
    const wrong = emailErrorKey(value, customer.email);
    setErrorKey(wrong);
    if (wrong) event.currentTarget.querySelector('input')?.focus();
    else void save(value.trim());
  }

  function reset() {
    setValue('');
    setErrorKey(null);
    setChanged(null);
  }

  return { value, setValue, errorKey, changed, isBusy, reset, clearChanged: () => setChanged(null), submit };
}

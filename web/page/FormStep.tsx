import { useId, useState, type SubmitEvent } from 'react';
import { SIMPLE_EMAIL } from '#contract/email-address.ts';
import type { PublicCustomer } from '#contract/public-preferences.ts';
import { Loader } from './MessageStep.tsx';
import { usePage } from './page-context.tsx';
import { type Identity, ServiceError } from './service.ts';
import type { TextKey } from './texts.ts';
import { actionOf, FIELD } from './view.ts';

function errorKeyOf(error: ServiceError): TextKey {
  if (error.isInvalid) return 'pref_template.error_invalid';
  return error.failure === 'busy' ? 'rate_limited.text' : 'unavailable.text';
}

type Props = {
  /** The address stored in this browser, still unproven. */
  email: string | null;
  onFound: (customer: PublicCustomer, who: Identity) => void;
  /** The address is unknown. */
  onLost: () => void;
  /** Does not reveal whether the address is known. */
  onLinkSent: () => void;
};

/** The first step asks for the address. A page that asks for proof mails a link. */
export function FormStep(props: Props) {
  const { view, t } = usePage();
  const id = useId();
  const { email, errorKey, isBusy, submit } = useLookup(props);
  const needsProof = view.page.attrs.enhanced_security;

  return (
    <div className="pp-start">
      <form className="pp-form pp-panel" method="post" action={actionOf(view)} noValidate onSubmit={submit}>
        <input type="hidden" name={FIELD.intent} value="find" />
        {view.notice?.kind === 'saved' && <p role="status">{t('pref_template.saved')}</p>}
        <label htmlFor={id}>{t('pref_template.email_label')}</label>
        <p className="pp-hint" id={`${id}-hint`}>
          {t(needsProof ? 'pref_template.proof_hint' : 'pref_template.email_hint')}
        </p>
        {errorKey && (
          <p className="pp-error" id={`${id}-error`} role="alert">
            {t(errorKey)}
          </p>
        )}
        <input
          id={id}
          type="email"
          name={FIELD.email}
          // Left to the browser, which may have filled it in before this script ran.
          defaultValue={email}
          required
          maxLength={254}
          autoComplete="email"
          inputMode="email"
          spellCheck={false}
          aria-invalid={errorKey === 'pref_template.error_invalid'}
          aria-describedby={errorKey ? `${id}-error ${id}-hint` : `${id}-hint`}
        />
        <button type="submit" className="pp-button pp-primary" aria-busy={isBusy}>
          {t(needsProof ? 'pref_template.email_me' : 'pref_template.continue')}
        </button>
      </form>
      <div className="pp-boot">
        <Loader />
      </div>
    </div>
  );
}

/** State of the typed address and its look-up. */
function useLookup({ email: known, onFound, onLost, onLinkSent }: Props) {
  const { view, service } = usePage();
  const sent = view.notice?.kind === 'error' ? view.notice : null;
  const [errorKey, setErrorKey] = useState<TextKey | null>(sent?.key ?? null);
  const [isBusy, setIsBusy] = useState(false);

  async function find(email: string) {
    setIsBusy(true);
    try {
      const who = { email };
      onFound(await service.find(who), who);
    } catch (error) {
      if (error instanceof ServiceError && error.needsProof) onLinkSent();
      else if (error instanceof ServiceError && (error.isInvalid || !error.isFatal))
        setErrorKey(errorKeyOf(error));
      else onLost();
    } finally {
      setIsBusy(false);
    }
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const field = event.currentTarget.querySelector<HTMLInputElement>('input[type=email]');
    const email = field?.value.trim() ?? '';
    const isValid = SIMPLE_EMAIL.test(email);
    setErrorKey(isValid ? null : 'pref_template.error_invalid');
    if (isValid) void find(email);
    else field?.focus();
  }

  const email = sent?.value ?? known ?? view.query.email ?? '';
  return { email, errorKey, isBusy, submit };
}

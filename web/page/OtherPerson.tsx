import { useState, type SubmitEvent } from 'react';
import type { PublicCustomer } from '#contract/public-preferences.ts';
import { breakable } from '#web/ui/breakable.tsx';
import { useAddressQuery, usePage } from './page-context.tsx';
import { type Identity, ServiceError } from './service.ts';
import type { TextKey } from './texts.ts';
import { offeredLanguages, type ViewCustomer } from './view.ts';

type Props = {
  customer: ViewCustomer;
  onFound: (person: PublicCustomer, who: Identity) => void;
  /** The page asks for proof of the other address. */
  onLinkSent: () => void;
};

function errorKeyOf(error: unknown): TextKey {
  if (!(error instanceof ServiceError)) return 'unavailable.text';
  if (error.failure === 'busy') return 'rate_limited.text';
  return error.isFatal ? 'other.unknown' : 'unavailable.text';
}

/** The link names another person than the one stored in this browser: says whose page this is, and offers the other. */
export function OtherPerson({ customer, onFound, onLinkSent }: Props) {
  const { view, service, t, other } = usePage();
  const { challenge: _, ...query } = useAddressQuery();
  const [busy, setBusy] = useState(false);
  const [errorKey, setErrorKey] = useState<TextKey | null>(null);
  if (other === null) return null;
  const who = { email: other };

  async function continueAs() {
    setBusy(true);
    setErrorKey(null);
    try {
      onFound(await service.find(who), who);
    } catch (error) {
      if (error instanceof ServiceError && error.needsProof) onLinkSent();
      else setErrorKey(errorKeyOf(error));
    } finally {
      setBusy(false);
    }
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!busy) void continueAs();
  }

  const inAddress = Object.entries(query).filter(([, value]) => value !== null);
  return (
    <form
      className="pp-note pp-quiet pp-link-choice"
      method="get"
      action={`/${view.custom_path}`}
      onSubmit={submit}
    >
      {inAddress.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value ?? ''} />
      ))}
      {offeredLanguages(view.page).length > 1 && <input type="hidden" name="lang" value={view.language} />}
      <p role="status">{breakable(t(errorKey ?? 'other.text', { email: customer.email, other }))}</p>
      <button type="submit" className="pp-button" aria-busy={busy}>
        <span>{breakable(t('other.continue', { other }))}</span>
      </button>
    </form>
  );
}

import { useLayoutEffect } from 'react';
import { usePage } from './page-context.tsx';
import type { SaveState } from './use-choices.ts';
import type { ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void; state: SaveState };

/**
 * What happens while the page is open. It reads the customer again when it comes back into view, because they may have
 * chosen elsewhere; switches that were moved stay as they are, and where it can't be read, the page does. After a save it
 * says that some of it is no longer offered.
 */
export function Meanwhile({ customer, onCustomer, state }: Props) {
  const { service, t } = usePage();

  // A passive effect would leave the last customer's listener in place for a moment, and what that reads is dropped.
  useLayoutEffect(() => {
    // A save that ends first knows better.
    let isLatest = true;
    let isReading = false;
    const read = () => {
      if (document.visibilityState !== 'visible' || isReading) return;
      isReading = true;
      service
        .load(customer)
        .then((now) => isLatest && onCustomer(now))
        .catch(() => {})
        .finally(() => (isReading = false));
    };
    const readRestored = ({ persisted }: PageTransitionEvent) => persisted && read();
    document.addEventListener('visibilitychange', read);
    window.addEventListener('pageshow', readRestored);
    return () => {
      isLatest = false;
      document.removeEventListener('visibilitychange', read);
      window.removeEventListener('pageshow', readRestored);
    };
    // oxlint-disable-next-line react/exhaustive-deps
  }, [customer]);

  if (state.kind !== 'saved' || !state.ignored) return null;
  return (
    <p className="pp-note" role="status">
      {t('result.ignored')}
    </p>
  );
}

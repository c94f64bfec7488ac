import { useEffect } from 'react';
import { usePage } from './page-context.tsx';
import type { ViewCustomer } from './view.ts';

type Props = { customer: ViewCustomer; onCustomer: (customer: ViewCustomer) => void };

/**
 * Reads the customer again when the page comes back into view, because they may have chosen elsewhere meanwhile. Switches
 * that were moved stay as they are. Where it can't be read, the page stays as it is.
 */
export function KeepCurrent({ customer, onCustomer }: Props) {
  const { service } = usePage();

  useEffect(() => {
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

  return null;
}

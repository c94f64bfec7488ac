import { useEffect, useState } from 'react';

/** Spec section 9: checks wait until typing has paused this long. */
export const DEBOUNCE_MS = 500;

/** The value, once it has not changed for `ms`. */
export function useDebounced(value: string, ms = DEBOUNCE_MS): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

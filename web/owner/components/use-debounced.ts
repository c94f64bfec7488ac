import { useEffect, useState } from 'react';

/** Spec section 9: checks wait until typing has stopped this long. */
export const DEBOUNCE_MS = 500;

/** The value once it has stayed the same for a while, by default 500 ms. */
export function useDebounced(value: string, ms = DEBOUNCE_MS): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

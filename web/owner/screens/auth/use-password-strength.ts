import { useEffect, useState } from 'react';
import type { Strength } from './password-strength.ts';

/** How hard a password is to guess; null until something is typed and the dictionaries, which load on first use, are here. */
export function usePasswordStrength(password: string, own: readonly string[]): Strength | null {
  const [strength, setStrength] = useState<Strength | null>(null);
  const names = own.join('\n');
  useEffect(() => {
    if (password === '') return setStrength(null);
    let isCurrent = true;
    import('./password-strength.ts').then(
      ({ strengthOf }) => {
        if (isCurrent) setStrength(strengthOf(password, names.split('\n')));
      },
      // Without the dictionaries there is no advice, and nothing else is missing.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [password, names]);
  return strength;
}

import type { QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queryClient } from './query.ts';

/**
 * Gives a function that says what exists no more. It is taken out of the cache once the screen is left, and not before:
 * what is still on the screen would be asked for again.
 */
export function useForgetOnLeaving(): (queryKey: QueryKey) => void {
  const gone = useRef<QueryKey[]>([]);
  useEffect(() => {
    const keys = gone.current;
    return () => {
      for (const queryKey of keys) queryClient.removeQueries({ queryKey });
    };
  }, []);
  return (queryKey) => void gone.current.push(queryKey);
}

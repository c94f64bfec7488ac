import type { QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queryClient } from './query-client.ts';

/**
 * Returns a function that marks what was deleted for eviction from the cache. It is evicted when the screen is left,
 * because a query that is still shown would be fetched again.
 */
export function useEvictOnLeave(): (queryKey: QueryKey) => void {
  const deleted = useRef<QueryKey[]>([]);
  useEffect(() => {
    const keys = deleted.current;
    return () => {
      for (const queryKey of keys) queryClient.removeQueries({ queryKey });
    };
  }, []);
  return (queryKey) => void deleted.current.push(queryKey);
}

import { queryOptions } from '@tanstack/react-query';
import { finishOAuth, OAUTH_RETURN_PATH } from '#contract/oauth.ts';
import type { RouteResponse } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { arrivalOf } from './arrival.logic.ts';

// Read before the router does, which takes a code of digits for a number.
const arrival = arrivalOf(window.location);

/** Connects the tool that the owner comes from, once; null where they come from none. */
export const arrivalQuery = queryOptions({
  queryKey: ['oauth-arrival'],
  queryFn: finish,
  // It is told, not asked: never again by itself.
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: false,
});

async function finish(): Promise<RouteResponse<typeof finishOAuth> | null> {
  if (arrival === null) return null;
  try {
    const answer = await call(finishOAuth, { body: arrival });
    await queryClient.invalidateQueries({ queryKey: ['site'] });
    return answer;
  } finally {
    // A code is nothing to keep in the history of a browser.
    window.history.replaceState(window.history.state, '', OAUTH_RETURN_PATH);
  }
}

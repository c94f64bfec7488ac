import { queryOptions } from '@tanstack/react-query';
import { OAUTH_RETURN_PATH } from '#contract/app-paths.ts';
import { finishOAuth } from '#contract/oauth.ts';
import type { RouteResponse } from '#contract/route.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { arrivedFromTool } from './arrived-from-tool.ts';

/** Connects the tool that sent the owner back, once; null on any other visit. */
export const oauthReturnQuery = queryOptions({
  queryKey: ['oauth-return'],
  queryFn: finish,
  // Never refetched, not even when a lost connection is back: the code can be redeemed once.
  staleTime: 'static',
  gcTime: Infinity,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: false,
});

async function finish(): Promise<RouteResponse<typeof finishOAuth> | null> {
  if (arrivedFromTool === null) return null;
  try {
    const answer = await call(finishOAuth, { body: arrivedFromTool });
    await queryClient.invalidateQueries({ queryKey: ['site'] });
    return answer;
  } finally {
    // The code does not belong in the browser's history.
    window.history.replaceState(window.history.state, '', OAUTH_RETURN_PATH);
  }
}

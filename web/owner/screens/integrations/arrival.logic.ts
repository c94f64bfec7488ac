import { OAUTH_RETURN_PATH } from '#contract/oauth.ts';

/** What a tool sent its owner back with. */
export interface Arrival {
  state: string;
  code?: string;
  error?: string;
}

/** null: nobody came from a tool. */
export function arrivalOf({ pathname, search }: { pathname: string; search: string }): Arrival | null {
  if (pathname !== OAUTH_RETURN_PATH) return null;
  const given = new URLSearchParams(search);
  const [state, code, error] = [given.get('state'), given.get('code'), given.get('error')];
  if (!state || (!code && !error)) return null;
  return code ? { state, code } : { state, error: (error ?? '').slice(0, 200) };
}

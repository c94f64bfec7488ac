import { OAUTH_RETURN_PATH } from '#contract/app-paths.ts';

/** The parameters of a tool's redirect. */
export interface OAuthReturn {
  state: string;
  code?: string;
  error?: string;
}

/** Null on any other page. */
export function oauthReturnOf({
  pathname,
  search,
}: {
  pathname: string;
  search: string;
}): OAuthReturn | null {
  if (pathname !== OAUTH_RETURN_PATH) return null;
  const given = new URLSearchParams(search);
  const [state, code, error] = [given.get('state'), given.get('code'), given.get('error')];
  if (!state || (!code && !error)) return null;
  return code ? { state, code } : { state, error: (error ?? '').slice(0, 200) };
}

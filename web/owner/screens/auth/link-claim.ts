import { ApiError } from '#contract/client.ts';

/** A signed-in Google account, and the account with the same address that it is not linked with yet. */
export interface LinkClaim {
  linkToken: string;
  email: string;
  hasPassword: boolean;
}

/** null for any other error. */
export function linkClaimOf(error: unknown): LinkClaim | null {
  if (!(error instanceof ApiError) || error.errors[0]?.code !== 'link_required') return null;
  const { link_token: linkToken, email, has_password: hasPassword } = error.data ?? {};
  if (typeof linkToken !== 'string' || typeof email !== 'string') return null;
  return { linkToken, email, hasPassword: hasPassword === true };
}

import { ApiError } from '#contract/client.ts';

/** A Google account that has signed in, and the account with its address that it is not linked with yet. */
export interface LinkClaim {
  linkToken: string;
  email: string;
  hasPassword: boolean;
}

/** null: the error is another one. */
export function linkClaimOf(error: unknown): LinkClaim | null {
  if (!(error instanceof ApiError) || error.errors[0]?.code !== 'link_required') return null;
  const { link_token: linkToken, email, has_password: hasPassword } = error.data ?? {};
  if (typeof linkToken !== 'string' || typeof email !== 'string') return null;
  return { linkToken, email, hasPassword: hasPassword === true };
}

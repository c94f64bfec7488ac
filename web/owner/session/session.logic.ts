/** Spec section 3. `organization` is an id, or `None` until the survey is done. */
export interface Auth {
  id: string;
  organization: string;
  token: string;
  refresh: string;
}

/** The spec's token response, in either spelling. */
export interface TokenAnswer {
  user_id?: string;
  organization_id?: string;
  access_token?: string;
  access?: string;
  refresh_token?: string;
  refresh?: string;
}

/** Null if the response has no token. */
export function tokensFrom(answer: TokenAnswer): Auth | null {
  const token = answer.access_token ?? answer.access;
  const refresh = answer.refresh_token ?? answer.refresh;
  if (!token || !refresh || !answer.user_id) return null;
  return { id: answer.user_id, organization: answer.organization_id ?? 'None', token, refresh };
}

/** Reads the stored entry; a malformed one counts as logged out. */
export function parseAuth(raw: string | null): Auth | null {
  if (raw === null) return null;
  try {
    const value: unknown = JSON.parse(raw);
    return isAuth(value) ? value : null;
  } catch {
    return null;
  }
}

function isAuth(value: unknown): value is Auth {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Record<string, unknown>;
  return (
    ['id', 'organization', 'token', 'refresh'].every((field) => typeof entry[field] === 'string') &&
    entry['token'] !== ''
  );
}

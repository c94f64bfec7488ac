import { SIGN_IN_RETURN_PATH } from '#contract/google-sign-in.ts';
import { finishRedirect, startRedirect } from './auth.api.ts';
import { signInArrival } from './redirect-arrival.ts';

/** Of this tab alone: a sign-in that somebody else began cannot be finished here. */
const FLOW_KEY = 'sign_in_flow';

interface Kept {
  flow: string;
  next: string;
}

/** Leaves for the issuer. @param next where to go once it has sent the person back */
export async function leaveForIssuer(next: string): Promise<never> {
  const { url, flow } = await startRedirect();
  sessionStorage.setItem(FLOW_KEY, JSON.stringify({ flow, next } satisfies Kept));
  window.location.assign(url);
  return new Promise<never>(() => {});
}

function takeKept(): Kept | null {
  const kept = sessionStorage.getItem(FLOW_KEY);
  sessionStorage.removeItem(FLOW_KEY);
  return kept === null ? null : (JSON.parse(kept) as Kept);
}

let next: string | undefined;

/** Where the sign-in that was finished here leads. */
export function nextOfSignIn(): string | undefined {
  return next;
}

let finished: Promise<string | null> | null = null;

async function finish(): Promise<string | null> {
  const kept = takeKept();
  next = kept?.next;
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => signInArrival.get(name));
  // A code is nothing to keep in the history of a browser.
  window.history.replaceState(window.history.state, '', SIGN_IN_RETURN_PATH);
  if (!kept || !code || !state) return null;
  await finishRedirect({ code, state, flow: kept.flow, ...(iss ? { iss } : {}) });
  return kept.next;
}

/** Finishes the sign-in that the issuer sent the browser back from, once. Gives where to go; null: none was under way. */
export function finishSignInHere(): Promise<string | null> {
  finished ??= finish();
  return finished;
}

import { SIGN_IN_RETURN_PATH } from '#contract/app-paths.ts';
import { keptInTab } from '#web/ui/browser-storage.ts';
import { finishRedirect, startRedirect } from './auth.api.ts';
import { signInReturn } from './sign-in-return.ts';

/** In this tab only: a sign-in that was started elsewhere cannot be finished here. */
const FLOW_KEY = 'sign_in_flow';

interface PendingFlow {
  flow: string;
  next: string;
}

/** Redirects to the issuer. @param next where to go afterwards */
export async function leaveForIssuer(next: string): Promise<never> {
  const { url, flow } = await startRedirect();
  keptInTab.setItem(FLOW_KEY, JSON.stringify({ flow, next } satisfies PendingFlow));
  window.location.assign(url);
  return new Promise<never>(() => {});
}

function takeFlow(): PendingFlow | null {
  const pending = keptInTab.getItem(FLOW_KEY);
  keptInTab.removeItem(FLOW_KEY);
  return pending === null ? null : (JSON.parse(pending) as PendingFlow);
}

let next: string | undefined;

/** Where to go after a sign-in finished here. */
export function nextOfSignIn(): string | undefined {
  return next;
}

let finished: Promise<string | null> | null = null;

async function finish(): Promise<string | null> {
  const pending = takeFlow();
  next = pending?.next;
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => signInReturn.get(name));
  // The code does not belong in the browser's history.
  window.history.replaceState(window.history.state, '', SIGN_IN_RETURN_PATH);
  if (!pending || !code || !state) return null;
  await finishRedirect({ code, state, flow: pending.flow, ...(iss ? { iss } : {}) });
  return pending.next;
}

/** Finishes a redirected sign-in, once. Returns where to go, or null if none was under way. */
export function finishSignInHere(): Promise<string | null> {
  finished ??= finish();
  return finished;
}

import { SIGN_IN_RETURN_PATH } from '#contract/google-sign-in.ts';

/** What the issuer sent the browser back with. Read before the router does, which takes a code of digits for a number. */
export const signInArrival = new URLSearchParams(
  window.location.pathname === SIGN_IN_RETURN_PATH ? window.location.search : '',
);

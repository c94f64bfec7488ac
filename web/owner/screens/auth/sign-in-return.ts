import { SIGN_IN_RETURN_PATH } from '#contract/app-paths.ts';

/** What the issuer sent the browser back with. Read before the router, which would parse a code of digits as a number. */
export const signInReturn = new URLSearchParams(
  window.location.pathname === SIGN_IN_RETURN_PATH ? window.location.search : '',
);

import { SIGN_IN_RETURN_PATH } from '#contract/app-paths.ts';

/** The parameters of the issuer's redirect. Read before the router, which would parse a numeric code as a number. */
export const signInReturn = new URLSearchParams(
  window.location.pathname === SIGN_IN_RETURN_PATH ? window.location.search : '',
);

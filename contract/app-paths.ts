/* Screens of the owner app that emails, tools and sign-in providers lead to. */

/** The link of an email that confirms a change to an account. Opening it changes nothing. */
export const ACCOUNT_LINK_PATH = '/confirm';

/** Where the sign-in provider sends the browser back to. */
export const SIGN_IN_RETURN_PATH = '/login/callback';

/** The link of an invitation, with `?token=`. */
export const INVITATION_PATH = '/accept-invitation';

/** Where a tool sends an owner back to after they connected it. */
export const OAUTH_RETURN_PATH = '/integrations/connected';

/** Asks for the second factor at log-in. */
export const SECOND_STEP_PATH = '/login/second-factor';

/** Sets a second factor up. */
export const SET_UP_PATH = '/set-up-second-factor';

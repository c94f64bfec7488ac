import { oauthReturnOf } from './oauth-return.logic.ts';

/** What a tool sent along with the owner; null on any other visit. Read before the router, which would parse a code of digits as a number. */
export const arrivedFromTool = oauthReturnOf(window.location);

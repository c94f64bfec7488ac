import { SIGN_IN_RETURN_PATH } from '#contract/app-paths.ts';
import * as oidc from 'openid-client';
import { openSignInFlow, sealSignInFlow } from '#server/accounts/sessions/sign-in-flow.ts';
import type { Config } from '#server/platform/config.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

type Google = NonNullable<Config['google']>;

export interface GoogleIdentity {
  /** Together with the subject, identifies an account. */
  issuer: string;
  subject: string;
  email: string;
  firstName: string;
  lastName: string;
  picture: string | null;
}

const SCOPES = 'email profile openid';

/** Google uses its popup, any other issuer a redirect. */
export function isGoogle({ issuer }: Google): boolean {
  return new URL(issuer).origin === 'https://accounts.google.com';
}

const discovered = new WeakMap<Google, Promise<oidc.Configuration>>();

function discover(google: Google): Promise<oidc.Configuration> {
  const known = discovered.get(google);
  if (known !== undefined) return known;
  const insecure = new URL(google.issuer).protocol === 'http:';
  const configuration = oidc.discovery(
    new URL(google.issuer),
    google.clientId,
    google.clientSecret,
    undefined,
    {
      // ID tokens are verified by their signature as well: by default, the library trusts the TLS connection instead.
      execute: [
        oidc.enableNonRepudiationChecks,
        // Only tests have an issuer on plain http.
        ...(insecure ? [oidc.allowInsecureRequests] : []),
      ],
      timeout: 10,
    },
  );
  discovered.set(google, configuration);
  configuration.catch(() => discovered.delete(google));
  return configuration;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function noAnswer(cause: unknown): AppError {
  return new AppError('unavailable', "Google isn't responding. Try again, or log in with your password.", {
    cause,
  });
}

function refused(cause?: unknown): AppError {
  return new AppError('invalid_credentials', "Google didn't accept the login. Try again.", { cause });
}

/** Whether the issuer did not answer or is broken, as opposed to rejecting the code. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500;
  const isNetwork = error instanceof TypeError && error.message === 'fetch failed';
  const isTimeout = 'code' in error && error.code === 'OAUTH_TIMEOUT';
  const isBroken = error.cause instanceof Response && error.cause.status >= 500;
  return isNetwork || isTimeout || isBroken;
}

/** @throws AppError `not_found` when Google sign-in is not set up, `unavailable` when the issuer does not answer */
async function requireIssuer({ config }: Services): Promise<[Google, oidc.Configuration]> {
  const { google } = config;
  if (google === null) throw new AppError('not_found', "Google sign-in isn't set up here.");
  try {
    return [google, await discover(google)];
  } catch (cause) {
    throw noAnswer(cause);
  }
}

type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** @throws AppError `invalid_credentials`, `unavailable` */
async function identityOf({ issuer }: Google, trade: () => Promise<Tokens>): Promise<GoogleIdentity> {
  let claims: oidc.IDToken | undefined;
  try {
    claims = (await trade()).claims();
  } catch (cause) {
    throw isAway(cause) ? noAnswer(cause) : refused(cause);
  }
  if (claims === undefined || claims['email_verified'] !== true || text(claims['email']) === '') {
    throw new AppError('invalid_credentials', "Google hasn't verified this email. Log in with a password.");
  }
  return {
    issuer,
    subject: claims.sub,
    email: text(claims['email']),
    firstName: text(claims['given_name']).slice(0, 60),
    lastName: text(claims['family_name']).slice(0, 60),
    picture: text(claims['picture']) || null,
  };
}

/**
 * Exchanges the code of Google's popup for the identity.
 * @throws AppError `not_found` if Google sign-in is not set up, `invalid_credentials` if the code is rejected or the
 * address is not verified, `unavailable` if the issuer does not answer
 */
export async function identifyByPopup(services: Services, code: string): Promise<GoogleIdentity> {
  // A bare code has no state, nonce or PKCE: only Google's own popup vouches for whose it is.
  if (services.config.google !== null && !isGoogle(services.config.google)) {
    throw new AppError(
      'not_found',
      'This sign-in uses a redirect. Start it with POST /api/core/v1/users/google/authorization.',
    );
  }
  const [google, configuration] = await requireIssuer(services);
  return identityOf(google, () =>
    oidc.genericGrantRequest(configuration, 'authorization_code', {
      code,
      // Google's popup flow uses this instead of a redirect URI.
      redirect_uri: 'postmessage',
    }),
  );
}

/**
 * The URL to redirect to, and the state that the browser must send back. @throws AppError `not_found`, `unavailable`
 */
export async function startRedirect(services: Services): Promise<{ url: string; flow: string }> {
  const [, configuration] = await requireIssuer(services);
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: `${services.config.appUrl}${SIGN_IN_RETURN_PATH}`,
    scope: SCOPES,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, flow: sealSignInFlow(services, { state, nonce, verifier }) };
}

/**
 * Exchanges the parameters of the issuer's redirect for the identity. `flow` ties them to the browser that started.
 * @throws AppError as `identifyByPopup`
 */
export async function identifyByRedirect(
  services: Services,
  back: { code: string; state: string; iss?: string | undefined; flow: string },
): Promise<GoogleIdentity> {
  const [google, configuration] = await requireIssuer(services);
  const flow = openSignInFlow(services, back.flow);
  if (flow === null) throw refused();
  const address = new URL(`${services.config.appUrl}${SIGN_IN_RETURN_PATH}`);
  address.searchParams.set('code', back.code);
  address.searchParams.set('state', back.state);
  if (back.iss !== undefined) address.searchParams.set('iss', back.iss);
  return identityOf(google, () =>
    oidc.authorizationCodeGrant(configuration, address, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
    }),
  );
}

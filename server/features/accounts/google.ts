import * as oidc from 'openid-client';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

export interface GoogleIdentity {
  subject: string;
  email: string;
  firstName: string;
  lastName: string;
  picture: string | null;
}

let discovered: { issuer: string; configuration: Promise<oidc.Configuration> } | null = null;

function discover(google: {
  clientId: string;
  clientSecret: string;
  issuer: string;
}): Promise<oidc.Configuration> {
  if (discovered?.issuer === google.issuer) return discovered.configuration;
  const insecure = new URL(google.issuer).protocol === 'http:';
  const configuration = oidc.discovery(
    new URL(google.issuer),
    google.clientId,
    google.clientSecret,
    undefined,
    {
      // An issuer on plain http is only ever a test's.
      ...(insecure ? { execute: [oidc.allowInsecureRequests] } : {}),
      timeout: 10,
    },
  );
  discovered = { issuer: google.issuer, configuration };
  configuration.catch(() => {
    discovered = null;
  });
  return configuration;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function noAnswer(cause: unknown): AppError {
  return new AppError('unavailable', 'Google does not answer; try again, or log in with your password.', {
    cause,
  });
}

/** Did no answer come, or one that says the issuer is broken (as against: the code was refused)? */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500;
  const isNetwork = error instanceof TypeError && error.message === 'fetch failed';
  const isTimeout = 'code' in error && error.code === 'OAUTH_TIMEOUT';
  const isBroken = error.cause instanceof Response && error.cause.status >= 500;
  return isNetwork || isTimeout || isBroken;
}

/**
 * Trades the code of Google's popup for who it is.
 * @throws AppError `not_found` when Google sign-in is not set up, `invalid_credentials` when the code is
 * refused or the address is not verified, `unavailable` when the issuer does not answer
 */
export async function identifyWithGoogle(services: Services, code: string): Promise<GoogleIdentity> {
  const { google } = services.config;
  if (google === null) throw new AppError('not_found', 'Google sign-in is not set up here.');
  let configuration: oidc.Configuration;
  try {
    configuration = await discover(google);
  } catch (cause) {
    throw noAnswer(cause);
  }
  let claims: oidc.IDToken | undefined;
  try {
    const tokens = await oidc.genericGrantRequest(configuration, 'authorization_code', {
      code,
      // Google's popup flow has this in place of an address.
      redirect_uri: 'postmessage',
    });
    claims = tokens.claims();
  } catch (cause) {
    if (isAway(cause)) throw noAnswer(cause);
    throw new AppError('invalid_credentials', 'Google did not accept the sign-in; try again.', { cause });
  }
  if (claims === undefined || claims['email_verified'] !== true || text(claims['email']) === '') {
    throw new AppError(
      'invalid_credentials',
      'Google has not verified this address; log in with a password.',
    );
  }
  return {
    subject: claims.sub,
    email: text(claims['email']),
    firstName: text(claims['given_name']).slice(0, 60),
    lastName: text(claims['family_name']).slice(0, 60),
    picture: text(claims['picture']) || null,
  };
}

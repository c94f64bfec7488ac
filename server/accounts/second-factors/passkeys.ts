import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/second-factors.ts';
import type { UserRow } from '#server/accounts/users/users.sql.ts';
import { idToBytes } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import type { PasskeyRow } from './second-factors.sql.ts';

type Configured = Pick<Services, 'config'>;

const TIMEOUT_MS = 120_000;

/** COSE ids of Ed25519, ES256 and RS256: those that authenticators use and that are stable in Node. */
const ALGORITHMS = [-8, -7, -257];

/** Passkeys are bound to the app host; changing `APP_URL` invalidates them. */
function rpIdOf({ config }: Configured): string {
  return new URL(config.appUrl).hostname;
}

function originOf({ config }: Configured): string {
  return new URL(config.appUrl).origin;
}

function descriptorsOf(passkeys: readonly PasskeyRow[]): PasskeyRequestOptions['allowCredentials'] {
  return passkeys.map(({ credential_id: id, transports }) => ({ id, type: 'public-key', transports }));
}

const bytesOf = (challenge: string) => Uint8Array.from(Buffer.from(challenge, 'base64url'));

export async function creationOptionsFor(
  services: Configured,
  user: Pick<UserRow, 'id' | 'username' | 'email'>,
  existing: readonly PasskeyRow[],
  challenge: string,
): Promise<PasskeyCreationOptions> {
  const options = await generateRegistrationOptions({
    rpName: 'Sayso',
    rpID: rpIdOf(services),
    userName: user.email,
    userDisplayName: user.username,
    userID: Uint8Array.from(idToBytes(user.id)),
    challenge: bytesOf(challenge),
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return {
    challenge: options.challenge,
    rp: { id: rpIdOf(services), name: 'Sayso' },
    user: options.user,
    pubKeyCredParams: options.pubKeyCredParams.map(({ alg }) => ({ type: 'public-key', alg })),
    excludeCredentials: descriptorsOf(existing),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'preferred',
    },
    attestation: 'none',
    timeout: TIMEOUT_MS,
  };
}

export async function requestOptionsFor(
  services: Configured,
  passkeys: readonly PasskeyRow[],
  challenge: string,
): Promise<PasskeyRequestOptions> {
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(services),
    challenge: bytesOf(challenge),
  });
  return {
    challenge: options.challenge,
    rpId: rpIdOf(services),
    allowCredentials: descriptorsOf(passkeys),
    userVerification: 'preferred',
    timeout: TIMEOUT_MS,
  };
}

export interface VerifiedPasskey {
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  is_synced: boolean;
}

/** @returns null unless an authenticator made it for this challenge and this host */
export async function verifyAttestation(
  services: Configured,
  attestation: PasskeyAttestation,
  challenge: string,
): Promise<VerifiedPasskey | null> {
  const { clientDataJSON, attestationObject, transports = [] } = attestation.response;
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: originOf(services),
      expectedRPID: rpIdOf(services),
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return null;
    const { credential, credentialDeviceType } = registrationInfo;
    return {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports,
      is_synced: credentialDeviceType === 'multiDevice',
    };
  } catch {
    return null;
  }
}

/** `copied`: the signature is valid, but the counter did not increase, which suggests a cloned passkey. */
export type Assertion =
  | { kind: 'right'; counter: number; is_synced: boolean }
  | { kind: 'wrong' }
  | { kind: 'copied' };

export async function verifyAssertion(
  services: Configured,
  passkey: PasskeyRow,
  assertion: PasskeyAssertion,
  challenge: string,
): Promise<Assertion> {
  const before = Number(passkey.counter);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: challenge,
      expectedOrigin: originOf(services),
      expectedRPID: rpIdOf(services),
      requireUserVerification: false,
      credential: {
        id: passkey.credential_id,
        publicKey: Uint8Array.from(passkey.public_key),
        // The counter is compared below: the library compares it before the signature, so anybody could block a
        // passkey.
        counter: 0,
      },
    });
    if (!verified) return { kind: 'wrong' };
    const { newCounter, credentialDeviceType } = authenticationInfo;
    if ((newCounter > 0 || before > 0) && newCounter <= before) return { kind: 'copied' };
    return { kind: 'right', counter: newCounter, is_synced: credentialDeviceType === 'multiDevice' };
  } catch {
    return { kind: 'wrong' };
  }
}

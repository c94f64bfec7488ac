import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/second-factors.ts';

/** Passkeys need a browser that supports them, and https (or localhost). */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in window;
}

/** The person dismissed the browser's prompt, or it timed out. */
export class Dismissed extends Error {}

/** This device or browser already has such a passkey. */
export class AlreadyThere extends Error {}

/** Loaded on first use. */
const library = () => import('@simplewebauthn/browser');

function problemOf(error: unknown): unknown {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return new Dismissed();
  return name === 'InvalidStateError' ? new AlreadyThere() : error;
}

/** @throws Dismissed, AlreadyThere */
export async function createPasskey(options: PasskeyCreationOptions): Promise<PasskeyAttestation> {
  const { startRegistration } = await library();
  try {
    const { id, rawId, response } = await startRegistration({ optionsJSON: options });
    const { clientDataJSON, attestationObject, transports } = response;
    return {
      id,
      rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
    };
  } catch (error) {
    throw problemOf(error);
  }
}

/** @throws Dismissed */
export async function askPasskey(options: PasskeyRequestOptions): Promise<PasskeyAssertion> {
  const { startAuthentication } = await library();
  try {
    const { id, rawId, response } = await startAuthentication({ optionsJSON: options });
    const { clientDataJSON, authenticatorData, signature } = response;
    return {
      id,
      rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    };
  } catch (error) {
    throw problemOf(error);
  }
}

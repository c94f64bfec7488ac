import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/second-factors.ts';

/** Passkeys need a browser that knows them, and https (or this machine itself). */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in window;
}

/** The person closed the browser's question, or waited too long. */
export class Dismissed extends Error {}

/** This device, or this browser, has the passkey that was to be made. */
export class AlreadyThere extends Error {}

/** Loaded when somebody uses a passkey, not before. */
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

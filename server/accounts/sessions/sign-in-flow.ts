import { z } from 'zod';
import type { Services } from '#server/platform/services.ts';

/*
 * State that the browser holds between two steps of signing in with Google: encrypted and short-lived. The server
 * stores nothing.
 */

const MINUTES = 10;

const flowContent = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
const claimContent = z.object({ issuer: z.string(), subject: z.string(), email: z.string() });

/** A sign-in redirected to the issuer. */
export type SignInFlow = z.infer<typeof flowContent>;

/** A Google account that has signed in but is not linked yet. */
export type GoogleClaim = z.infer<typeof claimContent>;

type Sealing = Pick<Services, 'keyring' | 'clock'>;

function seal({ keyring, clock }: Sealing, purpose: string, value: object): string {
  const until = clock.now().getTime() + MINUTES * 60_000;
  return keyring.seal(purpose, Buffer.from(JSON.stringify({ ...value, until })));
}

function open<T>({ keyring, clock }: Sealing, purpose: string, sealed: string, schema: z.ZodType<T>) {
  const plain = keyring.open(purpose, sealed);
  if (plain === null) return null;
  const value: unknown = JSON.parse(plain.toString('utf8'));
  const { until } = z.object({ until: z.number() }).parse(value);
  return until > clock.now().getTime() ? schema.parse(value) : null;
}

export function sealSignInFlow(sealing: Sealing, flow: SignInFlow): string {
  return seal(sealing, 'sign-in-flow', flow);
}

/** null: not made here, or expired */
export function openSignInFlow(sealing: Sealing, sealed: string): SignInFlow | null {
  return open(sealing, 'sign-in-flow', sealed, flowContent);
}

export function sealGoogleClaim(sealing: Sealing, claim: GoogleClaim): string {
  return seal(sealing, 'google-claim', claim);
}

/** null: not made here, or expired */
export function openGoogleClaim(sealing: Sealing, sealed: string): GoogleClaim | null {
  return open(sealing, 'google-claim', sealed, claimContent);
}

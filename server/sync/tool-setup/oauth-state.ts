import { z } from 'zod';
import { idToBytes } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * What a tool carries through the browser and back: sealed, bound to the account that began, and over after ten minutes.
 * Nothing is kept here meanwhile.
 */

const PURPOSE = 'oauth-state';
const MINUTES = 10;

/** For as long as a state is good, and longer than clocks differ. */
export const STATE_SECONDS = MINUTES * 60 + 60;

const content = z.object({
  /** Of this state only. */
  nonce: z.string(),
  /** Milliseconds since 1970. */
  until: z.number(),
  organizationId: z.string(),
  siteId: z.string(),
  provider: z.string(),
  verifier: z.string(),
  given: z.record(z.string(), z.string()),
  name: z.string().nullable(),
  integrationId: z.string().nullable(),
  redirect: z.string().nullable(),
  mayBeOther: z.boolean(),
});

export type OAuthState = Omit<z.infer<typeof content>, 'until'>;

type Sealing = Pick<Services, 'keyring' | 'clock'>;

export function sealState({ keyring, clock }: Sealing, userId: string, state: OAuthState): string {
  const until = clock.now().getTime() + MINUTES * 60_000;
  const plain = Buffer.from(JSON.stringify({ ...state, until }), 'utf8');
  return keyring.seal(PURPOSE, plain, idToBytes(userId));
}

/** null: not made here, for somebody else, or over */
export function openState({ keyring, clock }: Sealing, userId: string, sealed: string): OAuthState | null {
  const plain = keyring.open(PURPOSE, sealed, idToBytes(userId));
  if (plain === null) return null;
  const { until, ...state } = content.parse(JSON.parse(plain.toString('utf8')));
  return until > clock.now().getTime() ? state : null;
}

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SECOND_FACTOR_MINUTES, SECOND_FACTOR_WAYS } from '#contract/second-factors.ts';
import type { UserRow } from '#server/accounts/users/users.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { useTicket } from './second-factors.sql.ts';

/*
 * State that the browser holds between two steps: encrypted, bound to one account, short-lived and single-use. The
 * database is not written until a step is completed.
 */

const base = { id: z.string(), user: z.string(), until: z.number() };

const ways = z.array(z.enum(SECOND_FACTOR_WAYS));

/** A ticket is valid for its own purpose only. */
const CONTENTS = {
  'log-in-ticket': z.object({
    ...base,
    ways,
    challenge: z.string(),
    /** Hash of the credentials at the first step: see `credentialStampOf`. */
    stamp: z.string(),
    /** A Google account to link once the second step succeeds. */
    claim: z.object({ issuer: z.string(), subject: z.string(), email: z.string() }).nullable(),
  }),
  'reauthentication-ticket': z.object({ ...base, ways, challenge: z.string(), session: z.string() }),
  'totp-setup': z.object({ ...base, secret: z.string() }),
  'passkey-setup': z.object({ ...base, challenge: z.string() }),
} as const;

type Purpose = keyof typeof CONTENTS;
export type Ticket<P extends Purpose> = z.infer<(typeof CONTENTS)[P]>;

type Sealing = Pick<Services, 'keyring' | 'clock'>;

export function newChallenge(): string {
  return randomBytes(32).toString('base64url');
}

export function sealTicket<P extends Purpose>(
  { keyring, clock }: Sealing,
  purpose: P,
  content: Omit<Ticket<P>, 'id' | 'until'>,
): { ticket: string; expiresAt: Date } {
  const until = clock.now().getTime() + SECOND_FACTOR_MINUTES * 60_000;
  const plain = Buffer.from(JSON.stringify({ ...content, id: newId(), until }));
  return { ticket: keyring.seal(purpose, plain), expiresAt: new Date(until) };
}

/** @throws AppError `link_used`: not made here, for another purpose, or expired */
export function openTicket<P extends Purpose>(
  { keyring, clock }: Sealing,
  purpose: P,
  sealed: string,
  field = 'ticket',
): Ticket<P> {
  const plain = keyring.open(purpose, sealed);
  if (plain === null) throw ticketExpired(field);
  const content = CONTENTS[purpose].parse(JSON.parse(plain.toString('utf8'))) as Ticket<P>;
  if (content.until <= clock.now().getTime()) throw ticketExpired(field);
  return content;
}

export function ticketExpired(field = 'ticket'): AppError {
  return new AppError('link_used', `${field}: this has expired or was already used. Start again.`, {
    field,
  });
}

/** Call it in the transaction that the ticket authorizes. @throws AppError `link_used`: already used */
export async function consumeTicket(
  { clock }: Sealing,
  tx: GlobalDb,
  { id, until }: { id: string; until: number },
  field?: string,
): Promise<void> {
  const isFirst = await useTicket(tx, { id, expires_at: new Date(until) }, clock.now());
  if (!isFirst) throw ticketExpired(field);
}

/** Changing the password, Google account or email invalidates log-ins that await their second factor. */
export function credentialStampOf(user: UserRow): string {
  const { password_hash, google_issuer, google_subject, email_key } = user;
  const proven = JSON.stringify([password_hash, google_issuer, google_subject, email_key]);
  return sha256(proven).toString('base64url');
}

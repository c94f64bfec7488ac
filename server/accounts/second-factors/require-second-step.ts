import type { SecondStep } from '#contract/second-factors.ts';
import type { GoogleClaim } from '#server/accounts/sessions/sign-in-flow.ts';
import type { UserRow } from '#server/accounts/users/users.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { factorsOf, factorOptionsOf } from './verify-factor.ts';
import { hasSecondFactor } from './second-factors.sql.ts';
import { newChallenge, sealTicket, credentialStampOf } from './tickets.ts';

/**
 * Interrupts the log-in to an account with a second factor, after the first step succeeded.
 * @param claim a Google account to link once the second step succeeds
 * @throws AppError `second_factor_required`
 */
export async function requireSecondStep(
  services: Services,
  tx: GlobalDb,
  user: UserRow,
  claim: GoogleClaim | null = null,
): Promise<void> {
  if (!(await hasSecondFactor(tx, user.id))) return;
  const challenge = newChallenge();
  const offer = await factorOptionsOf(services, await factorsOf(tx, user.id), challenge);
  const { ticket, expiresAt } = sealTicket(services, 'log-in-ticket', {
    user: user.id,
    ways: offer.ways,
    challenge,
    stamp: credentialStampOf(user),
    claim,
  });
  const data: SecondStep = { ...offer, ticket, expires_at: expiresAt.toISOString() };
  throw new AppError(
    'second_factor_required',
    'This account has a second factor. Send it with the ticket to finish logging in.',
    { data },
  );
}

import type { Tokens } from '#contract/accounts.ts';
import {
  type FactorResponse,
  prepareVerification,
  notifyOfFactorUse,
} from '#server/accounts/second-factors/verify-factor.ts';
import {
  openTicket,
  consumeTicket,
  credentialStampOf,
  ticketExpired,
} from '#server/accounts/second-factors/tickets.ts';
import { countSecondFactorAttempt, type LoginOrigin } from '#server/accounts/sessions/login-limits.ts';
import { notifyAccount } from '#server/accounts/users/account-notices.ts';
import { lockUser } from '#server/accounts/users/users.sql.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { openSession } from './accounts.ts';
import { linkProvenGoogle } from './google-accounts.ts';

/** Strict, because anyone guessing second factors already has the first one. */
const WARNINGS: Limit = { name: 'second-factor-warning', points: 1, perSeconds: 86_400 };

export function wrongFactor(): AppError {
  return new AppError(
    'second_factor_wrong',
    'This second factor is wrong or was already used. Try again, or use another one.',
  );
}

async function countTry(services: Services, origin: LoginOrigin, userId: string) {
  try {
    return await countSecondFactorAttempt(services, origin, userId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') await warnOnce(services, userId);
    throw error;
  }
}

async function warnOnce(services: Services, userId: string): Promise<void> {
  try {
    await services.limits.use(WARNINGS, userId);
  } catch (error) {
    if (error instanceof AppError) return;
    throw error;
  }
  const user = await services.database.inTransaction((tx) => lockUser(tx, userId));
  if (user !== undefined) notifyAccount(services, user, 'second_factor_guessed');
}

/**
 * Opens the session of a log-in that was waiting for its second factor.
 * @throws AppError `link_used`, `second_factor_wrong`, `other_google_account`, `rate_limited`
 */
export async function finishLogIn(
  services: Services,
  sealed: string,
  given: FactorResponse,
  origin: LoginOrigin,
): Promise<Tokens> {
  const ticket = openTicket(services, 'log-in-ticket', sealed);
  if (!ticket.ways.includes(given.way)) throw wrongFactor();
  const takeBack = await countTry(services, origin, ticket.user);
  const prove = await prepareVerification(services, ticket.user, given, ticket.challenge);
  const done = await services.database.inTransaction(async (tx) => {
    const user = await lockUser(tx, ticket.user);
    if (user === undefined || credentialStampOf(user) !== ticket.stamp) throw ticketExpired();
    const proof = await prove(tx);
    // Thrown after the commit, so that a blocked passkey stays blocked.
    if (proof.kind !== 'right') return { user, proof };
    await consumeTicket(services, tx, ticket);
    if (ticket.claim !== null) await linkProvenGoogle(services, tx, user.id, ticket.claim);
    return { user, proof, entered: await openSession(services, tx, user, origin) };
  });
  notifyOfFactorUse(services, done.user, done.proof);
  if (done.entered === undefined) throw wrongFactor();
  await takeBack();
  if (ticket.claim !== null)
    notifyAccount(services, done.user, 'google_linked', { email: ticket.claim.email });
  await done.entered.afterCommit();
  return done.entered.tokens;
}

import type { Account } from '#contract/accounts.ts';
import {
  deleteFactorsSince,
  deleteRecoveryCodes,
  hasSecondFactor,
} from '#server/accounts/second-factors/second-factors.sql.ts';
import { endSessions, lastProof } from '#server/accounts/sessions/sessions.ts';
import { nameKey } from '#server/accounts/users/account-names.ts';
import { mailNotice, notifyAccount } from '#server/accounts/users/account-notices.ts';
import {
  expirePasswordLinks,
  findUser,
  findUserByEmail,
  lockUser,
  updateUser,
  type UserRow,
} from '#server/accounts/users/users.sql.ts';
import { isPassword } from '#server/accounts/users/passwords.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { makeAccountLink } from './account-links.ts';
import { type AccountLinkRow, endAccountLinks, endAccountLinksSince } from './account-links.sql.ts';
import { storePasswordLink } from './account-passwords.ts';
import { emailTaken, presentAccount } from './accounts.ts';
import { endCollected } from './prove-mailbox.ts';

/** How an account without a password proves that its owner is present. */
const RECENT_MINUTES = 10;

/** How long the former address can undo the change. */
const RESTORE_REACH_MS = 3 * 86_400_000;

/** @throws AppError `invalid_field`, `reauthentication_required` */
async function requirePresence(
  services: Services,
  user: UserRow,
  sessionId: string,
  password: string | undefined,
): Promise<void> {
  if (user.password_hash !== null) {
    if (await isPassword(user.password_hash, password ?? '')) return;
    throw invalidField('current_password', "current_password: this isn't your password.");
  }
  const shown = await lastProof(services.database.global, sessionId);
  if (services.clock.now().getTime() - shown.getTime() <= RECENT_MINUTES * 60_000) return;
  throw new AppError(
    'reauthentication_required',
    'Your account has no password. To confirm this change, sign out, log in again and repeat it within 10 minutes.',
  );
}

/**
 * Mails a link to the new address; the account keeps its own until then.
 * @throws AppError `invalid_field`, `reauthentication_required`, `email_taken`, `unavailable`
 */
export async function requestEmailChange(
  services: Services,
  caller: { id: string; sessionId: string },
  input: { email: string; current_password?: string | undefined },
): Promise<Account> {
  const { global } = services.database;
  const user = await findUser(global, caller.id);
  if (user === undefined) throw notFound('This account');
  await requirePresence(services, user, caller.sessionId, input.current_password);
  if (input.email === user.email) throw invalidField('email', 'email: your account already uses this email.');
  const holder = await findUserByEmail(global, nameKey(input.email));
  if (holder !== undefined && holder.id !== user.id) throw emailTaken();
  const link = await services.database.inTransaction(async (tx) => {
    if ((await lockUser(tx, user.id)) === undefined) throw notFound('This account');
    await endAccountLinks(tx, user.id, ['change_email'], services.clock.now());
    return makeAccountLink(services, tx, user.id, 'change_email', { email: input.email });
  });
  try {
    await mailNotice(services, user, 'confirm_email', { to: input.email, email: input.email, link });
  } catch (cause) {
    throw new AppError('unavailable', "We couldn't send the link, so your email stays the same. Try again.", {
      cause,
    });
  }
  return presentAccount(services, global, user);
}

export async function cancelEmailChange(services: Services, userId: string): Promise<Account> {
  const { global } = services.database;
  await endAccountLinks(global, userId, ['change_email'], services.clock.now());
  const user = await findUser(global, userId);
  if (user === undefined) throw notFound('This account');
  return presentAccount(services, global, user);
}

/** @returns notifies the former address; call it after the commit */
export async function changeEmail(
  services: Services,
  tx: GlobalDb,
  user: UserRow,
  email: string,
): Promise<() => void> {
  const now = services.clock.now();
  await updateUser(tx, user.id, { email, email_key: nameKey(email), email_proven_at: now });
  // Links in the former mailbox no longer work.
  await expirePasswordLinks(tx, user.id, now);
  await endAccountLinks(tx, user.id, ['change_email', 'link_google'], now);
  const link = await makeAccountLink(services, tx, user.id, 'restore_email', {
    email: user.email,
    was_proven: user.email_proven_at !== null,
  });
  return () => notifyAccount(services, user, 'email_changed', { email, link });
}

/**
 * Revokes every way into the account, because the person who changed the address knew its password.
 * @returns the token for setting a new password
 */
export async function restoreEmail(
  services: Services,
  tx: GlobalDb,
  user: UserRow,
  link: AccountLinkRow,
): Promise<string> {
  const now = services.clock.now();
  const { email } = link.details;
  await updateUser(tx, user.id, {
    email,
    email_key: nameKey(email),
    password_hash: null,
    google_issuer: null,
    google_subject: null,
    google_email: null,
  });
  await expirePasswordLinks(tx, user.id, now);
  await endAccountLinks(tx, user.id, ['change_email', 'link_google'], now);
  // The earliest address wins: its undo link stays valid, those of later addresses do not.
  await endAccountLinksSince(tx, user.id, link.created_at);
  await endSessions(tx, user.id, now);
  if (link.details.was_proven === false) await endCollected(services, tx, user.id);
  // Remove factors that an attacker may have added around the change; earlier ones keep protecting the account.
  const around = new Date(link.created_at.getTime() - RESTORE_REACH_MS);
  await deleteFactorsSince(tx, user.id, around);
  if (!(await hasSecondFactor(tx, user.id))) await deleteRecoveryCodes(tx, user.id);
  return storePasswordLink(services, tx, user.id);
}

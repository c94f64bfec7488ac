import { endSessions } from '#server/accounts/sessions/sessions.ts';
import { nameKey } from '#server/accounts/users/account-names.ts';
import { notifyAccount } from '#server/accounts/users/account-notices.ts';
import {
  expirePasswordLinks,
  findPasswordLink,
  findUser,
  findUserByEmail,
  insertPasswordLink,
  lockUser,
  updateUser,
  usePasswordLink,
} from '#server/accounts/users/users.sql.ts';
import { rejectGuessablePassword } from '#server/accounts/users/password-policy.ts';
import { hashPassword, isPassword } from '#server/accounts/users/passwords.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { invalidField, notFound } from '#server/platform/errors.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { linkUsed } from './account-links.ts';
import { passwordMail } from './accounts.mails.ts';
import { proveMailbox } from './prove-mailbox.ts';

const PASSWORD_LINK_MINUTES = 30;

/** Stores a password link. @returns its token */
export async function storePasswordLink(services: Services, tx: GlobalDb, userId: string): Promise<string> {
  const token = randomToken();
  const now = services.clock.now();
  await insertPasswordLink(tx, {
    token_hash: sha256(token),
    user_id: userId,
    created_at: now,
    expires_at: new Date(now.getTime() + PASSWORD_LINK_MINUTES * 60_000),
    used_at: null,
  });
  return token;
}

/** Mails a link if the account exists; the response is the same either way. */
export async function requestPasswordLink(services: Services, email: string): Promise<void> {
  const user = await findUserByEmail(services.database.global, nameKey(email));
  if (user === undefined) return;
  const token = await storePasswordLink(services, services.database.global, user.id);
  const mail = passwordMail({
    username: user.username,
    link: `${services.config.appUrl}/reset-password?token=${token}`,
    minutes: PASSWORD_LINK_MINUTES,
    language: user.attrs['language'],
  });
  // Not awaited: neither the response nor its timing may reveal whether the account exists.
  services.mailer
    .send({ to: user.email, ...mail })
    .catch((error: unknown) =>
      services.log.error({ err: error }, 'a password reset email could not be sent'),
    );
}

async function setPassword(
  services: Services,
  tx: GlobalDb,
  userId: string,
  passwordHash: string,
): Promise<void> {
  const now = services.clock.now();
  await updateUser(tx, userId, { password_hash: passwordHash });
  await expirePasswordLinks(tx, userId, now);
  await endSessions(tx, userId, now);
}

/** @throws AppError `link_used`, `common_password`, `password_is_name` */
export async function setPasswordByLink(services: Services, token: string, password: string): Promise<void> {
  const { global } = services.database;
  const hash = sha256(token);
  const found = await findPasswordLink(global, hash, services.clock.now());
  const user = found && (await findUser(global, found.user_id));
  if (user === undefined) throw linkUsed();
  rejectGuessablePassword(password, user);
  const passwordHash = await hashPassword(password);
  await services.database.inTransaction(async (tx) => {
    const locked = await lockUser(tx, user.id);
    const link = await usePasswordLink(tx, hash, services.clock.now());
    if (link === undefined || locked === undefined) throw linkUsed();
    await proveMailbox(services, tx, locked);
    await setPassword(services, tx, user.id, passwordHash);
  });
  notifyAccount(services, user, 'password_changed');
}

/** @throws AppError `invalid_field`, `common_password`, `password_is_name` */
export async function changePassword(
  services: Services,
  userId: string,
  currentPassword: string,
  password: string,
): Promise<void> {
  const user = await findUser(services.database.global, userId);
  if (user === undefined) throw notFound('This account');
  if (!(await isPassword(user.password_hash, currentPassword))) {
    throw invalidField('current_password', "current_password: this isn't your password.");
  }
  rejectGuessablePassword(password, user);
  const passwordHash = await hashPassword(password);
  await services.database.inTransaction(async (tx) => {
    await lockUser(tx, userId);
    await setPassword(services, tx, userId, passwordHash);
  });
  notifyAccount(services, user, 'password_changed');
}

import type { z } from 'zod';
import {
  type Account,
  NO_ORGANIZATION,
  type signUp,
  type Tokens,
  type updateAccount,
} from '#contract/accounts.ts';
import { roleOf } from '#server/features/organizations/roles.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import {
  expirePasswordLinks,
  findUser,
  findUserByEmail,
  findUserByGoogle,
  findUserByLogin,
  insertPasswordLink,
  insertUser,
  namesOfUsers,
  takenKeys,
  updateUser,
  usePasswordLink,
  type UserRow,
} from './accounts.sql.ts';
import { presentAvatar } from './avatar-address.ts';
import { deleteAvatar } from './avatars.sql.ts';
import { type GoogleIdentity, identifyWithGoogle } from './google.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { passwordMail } from './accounts.mails.ts';
import { endSessions, startSession } from './sessions.ts';

const PASSWORD_LINK_MINUTES = 60;

export async function presentAccount(
  { config }: Pick<Services, 'config'>,
  tx: GlobalDb,
  user: UserRow,
): Promise<Account> {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    organization: user.organization_id ?? NO_ORGANIZATION,
    role: await roleOf(tx, user.id, user.organization_id),
    avatar: presentAvatar(config, user.avatar),
    first_name: user.first_name,
    last_name: user.last_name,
    has_usable_password: user.password_hash !== null,
    permissions: user.permissions,
    groups: user.plan_groups,
    attrs: user.attrs,
  };
}

/** Colleagues by their ids, as they call themselves; those who are gone are left out. */
export async function colleaguesByIds(
  { database }: Services,
  ids: readonly (string | null)[],
): Promise<Map<string, { id: string; name: string }>> {
  const names = await namesOfUsers(
    database.global,
    [...new Set(ids)].filter((id) => id !== null),
  );
  return new Map([...names].map(([id, name]) => [id, { id, name }]));
}

function keyOf(value: string): string {
  return value.trim().toLowerCase();
}

function usernameTaken(): AppError {
  return new AppError('username_taken', 'username: this user name is already taken; choose another one.', {
    field: 'username',
  });
}

function emailTaken(): AppError {
  return new AppError('email_taken', 'email: an account with this address exists already; log in instead.', {
    field: 'email',
  });
}

async function refuseTaken(tx: GlobalDb, keys: { username_key: string; email_key: string }): Promise<void> {
  const taken = await takenKeys(tx, keys);
  if (taken.username) throw usernameTaken();
  if (taken.email) throw emailTaken();
}

/** Creates an account and its first session. */
export async function createAccount(
  services: Services,
  input: z.output<(typeof signUp)['body']>,
  userAgent?: string,
): Promise<Account & Tokens> {
  const keys = { username_key: keyOf(input.username), email_key: keyOf(input.email) };
  await refuseTaken(services.database.global, keys);
  const passwordHash = await hashPassword(input.password);
  try {
    return await services.database.inTransaction(async (tx) => {
      const user = await insertUser(tx, {
        ...keys,
        id: newId(),
        username: input.username,
        email: input.email,
        password_hash: passwordHash,
        google_subject: null,
        first_name: input.first_name ?? '',
        last_name: input.last_name ?? '',
        avatar: null,
        organization_id: null,
        attrs: '{}',
        created_at: services.clock.now(),
      });
      return {
        ...(await presentAccount(services, tx, user)),
        ...(await startSession(tx, services, user, userAgent)),
      };
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await refuseTaken(services.database.global, keys);
    throw error;
  }
}

/** @throws AppError `invalid_credentials`, the same for an unknown name and a wrong password */
export async function logIn(
  services: Services,
  login: string,
  password: string,
  userAgent?: string,
): Promise<Tokens> {
  const user = await findUserByLogin(services.database.global, keyOf(login));
  if (!(await isPassword(user?.password_hash ?? null, password)) || user === undefined) {
    throw new AppError('invalid_credentials', 'The user name or the password is wrong.');
  }
  return services.database.inTransaction((tx) => startSession(tx, services, user, userAgent));
}

async function freeUsername(tx: GlobalDb, email: string): Promise<string> {
  const base = (email.split('@')[0] ?? 'owner').slice(0, 50);
  for (let count = 1; count < 50; count += 1) {
    const name = count === 1 ? base : `${base}${count}`;
    if ((await findUserByLogin(tx, keyOf(name))) === undefined) return name;
  }
  return `${base}-${newId().slice(-6)}`;
}

async function accountOfGoogle(tx: GlobalDb, services: Services, identity: GoogleIdentity): Promise<UserRow> {
  const linked = await findUserByGoogle(tx, identity.subject);
  if (linked !== undefined) return linked;
  const sameEmail = await findUserByEmail(tx, keyOf(identity.email));
  if (sameEmail !== undefined) {
    // Who signed up with this address never proved it; Google has. The old password must not stay a way in.
    const updated = await updateUser(tx, sameEmail.id, {
      google_subject: identity.subject,
      password_hash: null,
    });
    await endSessions(tx, sameEmail.id, services.clock.now());
    return updated ?? sameEmail;
  }
  const username = await freeUsername(tx, identity.email);
  return insertUser(tx, {
    id: newId(),
    username,
    username_key: keyOf(username),
    email: identity.email,
    email_key: keyOf(identity.email),
    password_hash: null,
    google_subject: identity.subject,
    first_name: identity.firstName,
    last_name: identity.lastName,
    avatar: identity.picture,
    organization_id: null,
    attrs: '{}',
    created_at: services.clock.now(),
  });
}

export async function logInWithGoogle(services: Services, code: string, userAgent?: string): Promise<Tokens> {
  const identity = await identifyWithGoogle(services, code);
  const enter = () =>
    services.database.inTransaction(async (tx) =>
      startSession(tx, services, await accountOfGoogle(tx, services, identity), userAgent),
    );
  try {
    return await enter();
  } catch (error) {
    // Two first sign-ins at once: the account that the other one made is found now.
    if (isUniqueViolation(error)) return enter();
    throw error;
  }
}

/** undefined: gone */
export async function accountOf(tx: GlobalDb, id: string): Promise<UserRow | undefined> {
  return findUser(tx, id);
}

export async function findAccountByEmail(tx: GlobalDb, email: string): Promise<UserRow | undefined> {
  return findUserByEmail(tx, keyOf(email));
}

/** A stranger's id answers 404. */
export async function getAccount(services: Services, userId: string, id: string): Promise<Account> {
  const user = userId === id ? await findUser(services.database.global, id) : undefined;
  if (user === undefined) throw notFound('This account');
  return presentAccount(services, services.database.global, user);
}

async function requireOwnOrganization(tx: GlobalDb, userId: string, organizationId: string): Promise<void> {
  const own = await tx.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .where('created_by', '=', userId)
    .executeTakeFirst();
  // Who made it may have been removed since.
  if (own === undefined || (await roleOf(tx, userId, organizationId)) === null) {
    throw new AppError('invalid_field', 'organization: only an organization that you created can be yours.', {
      field: 'organization',
    });
  }
}

export async function changeAccount(
  services: Services,
  userId: string,
  id: string,
  input: z.output<(typeof updateAccount)['body']>,
): Promise<Account> {
  const current = await getAccount(services, userId, id);
  // The address of an uploaded picture, as it was given out: it stays what it is.
  const isNewAvatar = input.avatar !== undefined && input.avatar !== current.avatar;
  try {
    return await services.database.inTransaction(async (tx) => {
      if (input.organization !== undefined) await requireOwnOrganization(tx, userId, input.organization);
      const changes = {
        ...(input.username === undefined
          ? {}
          : { username: input.username, username_key: keyOf(input.username) }),
        ...(input.first_name === undefined ? {} : { first_name: input.first_name }),
        ...(input.last_name === undefined ? {} : { last_name: input.last_name }),
        ...(isNewAvatar ? { avatar: input.avatar ?? null } : {}),
        ...(input.organization === undefined ? {} : { organization_id: input.organization }),
        ...(input.attrs === undefined ? {} : { attrs: JSON.stringify({ ...current.attrs, ...input.attrs }) }),
      };
      if (isNewAvatar) await deleteAvatar(tx, id);
      if (Object.keys(changes).length === 0) return current;
      const updated = await updateUser(tx, id, changes);
      if (updated === undefined) throw notFound('This account');
      return presentAccount(services, tx, updated);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw usernameTaken();
    throw error;
  }
}

/** Mails a link when there is such an account; the caller answers the same either way. */
export async function askForPasswordLink(services: Services, email: string): Promise<void> {
  const user = await findUserByEmail(services.database.global, keyOf(email));
  if (user === undefined) return;
  const token = randomToken();
  const now = services.clock.now();
  await insertPasswordLink(services.database.global, {
    token_hash: sha256(token),
    user_id: user.id,
    created_at: now,
    expires_at: new Date(now.getTime() + PASSWORD_LINK_MINUTES * 60_000),
    used_at: null,
  });
  const link = `${services.config.appUrl}/reset-password?token=${token}`;
  const mail = passwordMail({
    username: user.username,
    link,
    minutes: PASSWORD_LINK_MINUTES,
    language: user.attrs['language'],
  });
  // Not waited for: whether there is such an account must show neither in the answer nor in its time.
  services.mailer
    .send({ to: user.email, ...mail })
    .catch((error: unknown) => services.log.error({ err: error }, 'a reset mail could not be sent'));
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

/** @throws AppError `link_used` */
export async function setPasswordByLink(services: Services, token: string, password: string): Promise<void> {
  const passwordHash = await hashPassword(password);
  await services.database.inTransaction(async (tx) => {
    const link = await usePasswordLink(tx, sha256(token), services.clock.now());
    if (link === undefined) {
      throw new AppError('link_used', 'This link was used already or has expired; ask for a new one.', {
        field: 'token',
      });
    }
    await setPassword(services, tx, link.user_id, passwordHash);
  });
}

/** @throws AppError `invalid_credentials` */
export async function changePassword(
  services: Services,
  userId: string,
  currentPassword: string,
  password: string,
): Promise<void> {
  const user = await findUser(services.database.global, userId);
  if (user === undefined) throw notFound('This account');
  if (!(await isPassword(user.password_hash, currentPassword))) {
    throw new AppError('invalid_field', 'current_password: is not your password.', {
      field: 'current_password',
    });
  }
  const passwordHash = await hashPassword(password);
  await services.database.inTransaction((tx) => setPassword(services, tx, userId, passwordHash));
}

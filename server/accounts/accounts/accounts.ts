import type { z } from 'zod';
import {
  type Account,
  NO_ORGANIZATION,
  type signUp,
  type Tokens,
  type updateAccount,
} from '#contract/accounts.ts';
import { roleOf } from '#server/accounts/organizations/roles.ts';
import { mustSetUpSecondFactor } from '#server/accounts/second-factors/second-factor-rule.ts';
import { requireSecondStep } from '#server/accounts/second-factors/require-second-step.ts';
import { knowsAccount } from '#server/accounts/sessions/known-devices.ts';
import { countPasswordAttempt, type LoginOrigin } from '#server/accounts/sessions/login-limits.ts';
import { startSession } from '#server/accounts/sessions/sessions.ts';
import { nameKey } from '#server/accounts/users/account-names.ts';
import { notifyOfNewDevice } from '#server/accounts/users/account-notices.ts';
import {
  findUser,
  findUserByLogin,
  insertUser,
  namesOfUsers,
  takenKeys,
  updateUser,
  type UserRow,
} from '#server/accounts/users/users.sql.ts';
import { presentAvatar } from '#server/accounts/users/avatar-address.ts';
import { rejectGuessablePassword } from '#server/accounts/users/password-policy.ts';
import { hashPassword, isPassword } from '#server/accounts/users/passwords.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { openAccountLink } from './account-links.sql.ts';
import { deleteAvatar } from './avatars.sql.ts';

export async function presentAccount(
  { config, clock }: Pick<Services, 'config' | 'clock'>,
  tx: GlobalDb,
  user: UserRow,
): Promise<Account> {
  const change = await openAccountLink(tx, user.id, 'change_email', clock.now());
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
    pending_email: change?.details.email ?? null,
    google_email: user.google_email,
    permissions: user.permissions,
    groups: user.plan_groups,
    attrs: user.attrs,
  };
}

/** Display names of colleagues by id, without deleted accounts. */
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

function usernameTaken(): AppError {
  return new AppError('username_taken', 'username: this username is taken. Choose another one.', {
    field: 'username',
  });
}

export function emailTaken(): AppError {
  return new AppError('email_taken', 'email: an account with this email already exists. Log in instead.', {
    field: 'email',
  });
}

async function rejectTaken(tx: GlobalDb, keys: { username_key: string; email_key: string }): Promise<void> {
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
  const keys = { username_key: nameKey(input.username), email_key: nameKey(input.email) };
  rejectGuessablePassword(input.password, input);
  await rejectTaken(services.database.global, keys);
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
        ...(await startSession(tx, services, user, { userAgent })),
      };
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await rejectTaken(services.database.global, keys);
    throw error;
  }
}

export function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'Wrong username or password.');
}

interface OpenedSession {
  tokens: Tokens;
  afterCommit: () => Promise<void>;
}

/**
 * Opens a session after a password or Google sign-in, unless the account requires a second factor.
 * @throws AppError `second_factor_required`
 */
export async function openSessionOrChallenge(
  services: Services,
  tx: GlobalDb,
  user: UserRow,
  origin: LoginOrigin,
): Promise<OpenedSession> {
  await requireSecondStep(services, tx, user);
  return openSession(services, tx, user, origin);
}

/** Opens the session of a completed log-in, and notifies the account of an unknown device. */
export async function openSession(
  services: Services,
  tx: GlobalDb,
  user: UserRow,
  origin: LoginOrigin,
): Promise<OpenedSession> {
  const setUpRequired = await mustSetUpSecondFactor(tx, user.id);
  const tokens = await startSession(tx, services, user, { ...origin, setUpRequired });
  return {
    tokens,
    async afterCommit() {
      if (!knowsAccount(origin.device, user.id)) await notifyOfNewDevice(services, user, origin.userAgent);
    },
  };
}

/**
 * Username and email of an account share one count of wrong passwords.
 * @throws AppError `invalid_credentials`, the same for an unknown name and a wrong password; `second_factor_required`,
 * `rate_limited`
 */
export async function logIn(
  services: Services,
  login: string,
  password: string,
  origin: LoginOrigin,
): Promise<Tokens> {
  const user = await findUserByLogin(services.database.global, nameKey(login));
  const takeBack = await countPasswordAttempt(services, origin, user?.id, login);
  let isRight = false;
  try {
    isRight = await isPassword(user?.password_hash ?? null, password);
  } catch (error) {
    // Nobody compared the password, so the attempt doesn't count as a wrong one.
    await takeBack();
    throw error;
  }
  if (!isRight || user === undefined) throw wrongCredentials();
  await takeBack();
  const { tokens, afterCommit } = await services.database.inTransaction((tx) =>
    openSessionOrChallenge(services, tx, user, origin),
  );
  await afterCommit();
  return tokens;
}

/** Another account's id answers 404. */
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
  // Its creator may have been removed since.
  if (own === undefined || (await roleOf(tx, userId, organizationId)) === null) {
    throw new AppError('invalid_field', 'organization: you can only choose an organization you created.', {
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
  // Sending back the URL of the current avatar leaves it unchanged.
  const isNewAvatar = input.avatar !== undefined && input.avatar !== current.avatar;
  try {
    return await services.database.inTransaction(async (tx) => {
      if (input.organization !== undefined) await requireOwnOrganization(tx, userId, input.organization);
      const changes = {
        ...(input.username === undefined
          ? {}
          : { username: input.username, username_key: nameKey(input.username) }),
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

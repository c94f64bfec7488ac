import { type Selectable, sql } from 'kysely';
import type { Tokens } from '#contract/accounts.ts';
import { NO_ORGANIZATION } from '#contract/accounts.ts';
import type { GlobalTables } from '#db/tables.ts';
import { findUser, type UserRow } from '#server/accounts/users/users.sql.ts';
import { deviceOf } from '#server/accounts/users/devices.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { attributeToTenant } from '#server/platform/tenant-budget.ts';
import { issueAccessToken, readAccessToken } from './access-tokens.ts';

type FamilyRow = Selectable<GlobalTables['sessions']>;

const SESSION_DAYS = 60;

/** Two tabs may send the same refresh token at once, and a lost answer is asked for again: within this time both get one. */
const REUSE_SECONDS = 10;

function daysLater(now: Date, days: number): Date {
  return new Date(now.getTime() + days * 86_400_000);
}

async function issueInFamily(
  tx: GlobalDb,
  services: Services,
  user: UserRow,
  familyId: string,
): Promise<Tokens> {
  const refreshToken = randomToken();
  const now = services.clock.now();
  await tx.db
    .insertInto('refresh_tokens')
    .values({ token_hash: sha256(refreshToken), session_id: familyId, created_at: now, used_at: null })
    .execute();
  return {
    user_id: user.id,
    organization_id: user.organization_id ?? NO_ORGANIZATION,
    access_token: await issueAccessToken(services.keyring, { userId: user.id, familyId }, now),
    refresh_token: refreshToken,
  };
}

interface PendingLogin {
  /** Only browser and system are stored, so that owners recognize their devices. */
  userAgent: string | undefined;
  /** The account must set up a second factor: until then, the session allows nothing else. */
  setUpRequired?: boolean;
}

export async function startSession(
  tx: GlobalDb,
  services: Services,
  user: UserRow,
  { userAgent, setUpRequired = false }: PendingLogin,
): Promise<Tokens> {
  const familyId = newId();
  const now = services.clock.now();
  await tx.db
    .insertInto('sessions')
    .values({
      id: familyId,
      user_id: user.id,
      created_at: now,
      expires_at: daysLater(now, SESSION_DAYS),
      revoked_at: null,
      set_up_required: setUpRequired,
      ...deviceOf(userAgent),
    })
    .execute();
  return issueInFamily(tx, services, user, familyId);
}

async function revokeFamily(tx: GlobalDb, familyId: string, now: Date): Promise<void> {
  await tx.db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', familyId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends all sessions of a user, as after a change of the password. */
export async function endSessions(tx: GlobalDb, userId: string, now: Date): Promise<void> {
  await tx.db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

function noToken(): AppError {
  return new AppError(
    'token_not_valid',
    'No access token or API key was sent. Send the header "Authorization: Bearer …".',
  );
}

function tokenNotValid(): AppError {
  return new AppError('token_not_valid', 'Your session has ended. Log in again.');
}

/**
 * Rotates a refresh token. Reusing one within 10 seconds returns a sibling; later it counts as stolen, and its family
 * is revoked.
 * @throws AppError `token_not_valid`
 */
export async function refreshSession(services: Services, refreshToken: string): Promise<Tokens> {
  const now = services.clock.now();
  const tokens = await services.database.inTransaction(async (tx) => {
    const token = await tx.db
      .selectFrom('refresh_tokens')
      .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
      .select(['refresh_tokens.used_at', 'session_id', 'user_id', 'revoked_at', 'expires_at'])
      .where('token_hash', '=', sha256(refreshToken))
      .forUpdate()
      .executeTakeFirst();
    if (token === undefined || token.revoked_at !== null || token.expires_at <= now) return null;
    if (token.used_at !== null && now.getTime() - token.used_at.getTime() > REUSE_SECONDS * 1000) {
      await revokeFamily(tx, token.session_id, now);
      return null;
    }
    if (token.used_at === null) {
      await tx.db
        .updateTable('refresh_tokens')
        .set({ used_at: now })
        .where('token_hash', '=', sha256(refreshToken))
        .execute();
    }
    const user = await findUser(tx, token.user_id);
    return user === undefined ? null : issueInFamily(tx, services, user, token.session_id);
  });
  // Thrown outside, so that the revocation is committed.
  if (tokens === null) throw tokenNotValid();
  return tokens;
}

/** Ends the session of a refresh token; ignores an unknown one. */
export async function endSession(services: Services, refreshToken: string): Promise<void> {
  const now = services.clock.now();
  await services.database.inTransaction(async (tx) => {
    const token = await tx.db
      .selectFrom('refresh_tokens')
      .select('session_id')
      .where('token_hash', '=', sha256(refreshToken))
      .executeTakeFirst();
    if (token !== undefined) await revokeFamily(tx, token.session_id, now);
  });
}

export interface Session {
  userId: string;
  familyId: string;
  organizationId: string | null;
  /** It started without a second factor that the account must set up. */
  setUpRequired: boolean;
}

/**
 * The session of an access token, unless its family was revoked.
 * @throws AppError `token_not_valid`
 */
export async function requireSession(services: Services, accessToken: string | null): Promise<Session> {
  if (accessToken === null) throw noToken();
  const claims = await readAccessToken(services.keyring, accessToken, services.clock.now());
  if (claims === null) throw tokenNotValid();
  attributeToTenant('account', claims.userId);
  const row = await services.database.global.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.organization_id', 'set_up_required'])
    .where('sessions.id', '=', claims.familyId)
    .where('users.id', '=', claims.userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw tokenNotValid();
  return {
    userId: row.id,
    familyId: claims.familyId,
    organizationId: row.organization_id,
    setUpRequired: row.set_up_required,
  };
}

/** When the person last authenticated: at log-in, or later. */
export async function lastProof(tx: GlobalDb, familyId: string): Promise<Date> {
  const row = await tx.db
    .selectFrom('sessions')
    .select(['created_at', 'authenticated_at'])
    .where('id', '=', familyId)
    .executeTakeFirstOrThrow();
  return row.authenticated_at ?? row.created_at;
}

export async function recordProof(tx: GlobalDb, familyId: string, now: Date): Promise<void> {
  await tx.db.updateTable('sessions').set({ authenticated_at: now }).where('id', '=', familyId).execute();
}

/** Restricts all open sessions of a user to setting up a second factor. */
export async function requireSetUp(tx: GlobalDb, userId: string): Promise<void> {
  await tx.db
    .updateTable('sessions')
    .set({ set_up_required: true })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** The open sessions of an account, last used first. */
export async function openSessions(
  tx: GlobalDb,
  userId: string,
  now: Date,
): Promise<(Pick<FamilyRow, 'id' | 'created_at' | 'browser' | 'system'> & { last_used_at: Date })[]> {
  const rows = await tx.db
    .selectFrom('sessions')
    .innerJoin('refresh_tokens', 'refresh_tokens.session_id', 'sessions.id')
    .select(['sessions.id', 'sessions.created_at', 'browser', 'system'])
    // Each use of a refresh token creates the next one, so the newest shows the last use.
    .select((row) => row.fn.max('refresh_tokens.created_at').as('last_used_at'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .groupBy(['sessions.id'])
    .orderBy('last_used_at', 'desc')
    .execute();
  return rows;
}

/** @returns false when the account has no such open session */
export async function endOneSession(
  tx: GlobalDb,
  userId: string,
  familyId: string,
  now: Date,
): Promise<boolean> {
  const ended = await tx.db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', familyId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** Ends all other sessions of a user. */
export async function endOtherSessions(
  tx: GlobalDb,
  userId: string,
  keptFamilyId: string,
  now: Date,
): Promise<void> {
  await tx.db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('id', '!=', keptFamilyId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** A stolen refresh token that is used within this time after its owner's still ends the session; later it is unknown. */
const USED_TOKEN_DAYS = 7;

/** @returns whether there may be more */
export async function deleteOldRefreshTokens(global: GlobalDb, now: Date, limit: number): Promise<boolean> {
  const { numDeletedRows } = await global.db
    .deleteFrom('refresh_tokens')
    .where('token_hash', 'in', (eb) =>
      eb
        .selectFrom('refresh_tokens')
        .select('token_hash')
        .where('used_at', '<', daysLater(now, -USED_TOKEN_DAYS))
        .limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}

/**
 * Deletes sessions that ended, with the rest of their refresh tokens.
 * @returns whether there may be more
 */
export async function deleteOldSessions(global: GlobalDb, now: Date, limit: number): Promise<boolean> {
  // Written out, because only so the index is found.
  const { numDeletedRows } = await global.db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where(sql<boolean>`least(expires_at, revoked_at) < ${daysLater(now, -USED_TOKEN_DAYS)}`)
        .limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}

import {
  type AddedFactor,
  MAX_PASSKEYS,
  type PasskeyAttestation,
  type PasskeyCreationOptions,
  type SecondFactors,
} from '#contract/second-factors.ts';
import { recordOfAccount } from '#server/accounts/organizations/account-log.ts';
import { notifyAccount } from '#server/accounts/users/account-notices.ts';
import { findUser, lockUser, type UserRow } from '#server/accounts/users/users.sql.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import { requiresSecondFactor } from './second-factor-rule.sql.ts';
import { creationOptionsFor, verifyAttestation } from './passkeys.ts';
import { type Factors, factorsOf } from './verify-factor.ts';
import { type Caller, requireRecentProof } from './reauthentication.ts';
import { storeRecoveryCodes, newRecoveryCodes } from './recovery-codes.ts';
import {
  deletePasskey,
  deleteRecoveryCodes,
  deleteTotp,
  findTotp,
  hasSecondFactor,
  insertPasskey,
  insertTotp,
  passkeysOf,
  renamePasskey as renameRow,
} from './second-factors.sql.ts';
import { newChallenge, openTicket, sealTicket, consumeTicket, ticketExpired } from './tickets.ts';
import { newTotp, sealTotpSecret, stepOf } from './totp.ts';

const SETUP_TRIES: Limit = { name: 'totp-setup', points: 10, perSeconds: 900 };

function present({ passkeys, totp, codes }: Factors, isRequired: boolean): SecondFactors {
  return {
    passkeys: passkeys.map((row) => ({
      id: row.id,
      name: row.name,
      created_at: row.created_at.toISOString(),
      last_used_at: row.last_used_at?.toISOString() ?? null,
      is_synced: row.is_synced,
      is_blocked: row.blocked_at !== null,
    })),
    totp:
      totp === undefined
        ? null
        : {
            created_at: totp.created_at.toISOString(),
            last_used_at: totp.last_used_at?.toISOString() ?? null,
          },
    recovery_codes:
      codes === undefined ? null : { left: codes.left, created_at: codes.created_at.toISOString() },
    is_required: isRequired,
  };
}

export async function secondFactorsOf(tx: GlobalDb, userId: string): Promise<SecondFactors> {
  return present(await factorsOf(tx, userId), await requiresSecondFactor(tx, userId));
}

async function requireAccount(services: Services, { id }: Caller): Promise<UserRow> {
  const user = await findUser(services.database.global, id);
  if (user === undefined) throw notFound('This account');
  return user;
}

/** Serializes changes of an account's factors, and requires a recent reauthentication. */
async function changeFactors<T>(
  services: Services,
  caller: Caller,
  work: (tx: GlobalDb, user: UserRow) => Promise<T>,
): Promise<{ user: UserRow; result: T }> {
  return services.database.inTransaction(async (tx) => {
    const user = await lockUser(tx, caller.id);
    if (user === undefined) throw notFound('This account');
    await requireRecentProof(services, tx, caller);
    return { user, result: await work(tx, user) };
  });
}

/** The audit log's language-independent name of the authenticator app. */
const TOTP_NAME = 'TOTP';

/**
 * Adds a factor, and recovery codes with the first one.
 * @param factor its name; null: the authenticator app
 */
async function addFactor(
  services: Services,
  caller: Caller,
  factor: string | null,
  insert: (tx: GlobalDb) => Promise<void>,
): Promise<AddedFactor> {
  const made = await newRecoveryCodes();
  const { user, result } = await changeFactors(services, caller, async (tx) => {
    const isFirst = !(await hasSecondFactor(tx, caller.id));
    await insert(tx);
    if (isFirst) await storeRecoveryCodes(tx, caller.id, made, services.clock.now());
    const second_factors = await secondFactorsOf(tx, caller.id);
    await recordOfAccount(services, tx, caller.id, 'account.second_factor_added', factor ?? TOTP_NAME);
    return { second_factors, recovery_codes: isFirst ? made.codes : null };
  });
  notifyAccount(services, user, 'second_factor_added', { factor });
  return result;
}

/** Removes a factor, and the recovery codes with the last one. */
async function removeFactor(
  services: Services,
  caller: Caller,
  remove: (tx: GlobalDb) => Promise<string | null>,
): Promise<SecondFactors> {
  const { user, result } = await changeFactors(services, caller, async (tx) => {
    const factor = await remove(tx);
    if (!(await hasSecondFactor(tx, caller.id))) {
      if (await requiresSecondFactor(tx, caller.id)) throw lastFactor();
      await deleteRecoveryCodes(tx, caller.id);
    }
    const left = await secondFactorsOf(tx, caller.id);
    await recordOfAccount(services, tx, caller.id, 'account.second_factor_removed', factor ?? TOTP_NAME);
    return { factor, left };
  });
  notifyAccount(services, user, 'second_factor_removed', { factor: result.factor });
  return result.left;
}

function lastFactor(): AppError {
  return new AppError(
    'last_second_factor',
    'Your organization requires a second factor, and this is your only one. Add another one first.',
  );
}

/** @throws AppError `reauthentication_required`, `conflict` */
export async function startTotp(
  services: Services,
  caller: Caller,
): Promise<{ secret: string; uri: string; setup: string }> {
  const user = await requireAccount(services, caller);
  await requireRecentProof(services, services.database.global, caller);
  if ((await findTotp(services.database.global, caller.id)) !== undefined) throw totpIsThere();
  const { secret, uri } = newTotp(user.email);
  const { ticket } = sealTicket(services, 'totp-setup', { user: caller.id, secret });
  return { secret, uri, setup: ticket };
}

function totpIsThere(): AppError {
  return new AppError(
    'conflict',
    'Your account already has an authenticator app. Remove it before you add another one.',
  );
}

/** @throws AppError `invalid_field`, `link_used`, `conflict`, `reauthentication_required`, `rate_limited` */
export async function addTotp(
  services: Services,
  caller: Caller,
  { setup, code }: { setup: string; code: string },
): Promise<AddedFactor> {
  const ticket = openTicket(services, 'totp-setup', setup, 'setup');
  if (ticket.user !== caller.id) throw ticketExpired('setup');
  await services.limits.use(SETUP_TRIES, caller.id);
  const now = services.clock.now();
  const step = stepOf(ticket.secret, code, now);
  if (step === null) {
    throw invalidField(
      'code',
      "code: doesn't match the code in your app. Check your device's clock, or scan again.",
    );
  }
  return addFactor(services, caller, null, async (tx) => {
    await consumeTicket(services, tx, ticket, 'setup');
    if ((await findTotp(tx, caller.id)) !== undefined) throw totpIsThere();
    await insertTotp(tx, {
      user_id: caller.id,
      secret_sealed: sealTotpSecret(services, caller.id, ticket.secret),
      // The set-up code is used up.
      last_step: step,
      created_at: now,
    });
  });
}

/** @throws AppError `not_found`, `last_second_factor`, `reauthentication_required` */
export function removeTotp(services: Services, caller: Caller): Promise<SecondFactors> {
  return removeFactor(services, caller, async (tx) => {
    if (!(await deleteTotp(tx, caller.id))) throw notFound('The authenticator app');
    return null;
  });
}

function refuseMore(count: number): void {
  if (count < MAX_PASSKEYS) return;
  throw new AppError(
    'limit_reached',
    `An account can have up to ${MAX_PASSKEYS} passkeys. Remove one first.`,
  );
}

/** @throws AppError `reauthentication_required`, `limit_reached` */
export async function startPasskey(
  services: Services,
  caller: Caller,
): Promise<{ options: PasskeyCreationOptions; setup: string }> {
  const { global } = services.database;
  const user = await requireAccount(services, caller);
  await requireRecentProof(services, global, caller);
  const existing = await passkeysOf(global, caller.id);
  refuseMore(existing.length);
  const challenge = newChallenge();
  const { ticket } = sealTicket(services, 'passkey-setup', { user: caller.id, challenge });
  return { options: await creationOptionsFor(services, user, existing, challenge), setup: ticket };
}

/** @throws AppError `invalid_field`, `link_used`, `conflict`, `limit_reached`, `reauthentication_required` */
export async function addPasskey(
  services: Services,
  caller: Caller,
  { setup, name, attestation }: { setup: string; name: string; attestation: PasskeyAttestation },
): Promise<AddedFactor> {
  const ticket = openTicket(services, 'passkey-setup', setup, 'setup');
  if (ticket.user !== caller.id) throw ticketExpired('setup');
  const passkey = await verifyAttestation(services, attestation, ticket.challenge);
  if (passkey === null) {
    throw invalidField(
      'attestation',
      "attestation: this passkey wasn't created for this request. Start again.",
    );
  }
  try {
    return await addFactor(services, caller, name, async (tx) => {
      await consumeTicket(services, tx, ticket, 'setup');
      refuseMore((await passkeysOf(tx, caller.id)).length);
      await insertPasskey(tx, {
        ...passkey,
        id: newId(),
        user_id: caller.id,
        name,
        created_at: services.clock.now(),
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('conflict', 'This passkey is already on your account.');
  }
}

/** @throws AppError `not_found` */
export async function renamePasskey(
  services: Services,
  caller: Caller,
  id: string,
  name: string,
): Promise<SecondFactors> {
  const { global } = services.database;
  const renamed = await renameRow(global, caller.id, id, name);
  if (renamed === undefined) throw notFound('This passkey');
  return secondFactorsOf(global, caller.id);
}

/** @throws AppError `not_found`, `last_second_factor`, `reauthentication_required` */
export function removePasskey(services: Services, caller: Caller, id: string): Promise<SecondFactors> {
  return removeFactor(services, caller, async (tx) => {
    const removed = await deletePasskey(tx, caller.id, id);
    if (removed === undefined) throw notFound('This passkey');
    return removed.name;
  });
}

/** @throws AppError `reauthentication_required`, `conflict` */
export async function createRecoveryCodes(
  services: Services,
  caller: Caller,
): Promise<{ second_factors: SecondFactors; recovery_codes: string[] }> {
  const made = await newRecoveryCodes();
  const { user, result } = await changeFactors(services, caller, async (tx) => {
    if (!(await hasSecondFactor(tx, caller.id))) {
      throw new AppError('conflict', 'Recovery codes replace a second factor. Add one first.');
    }
    await storeRecoveryCodes(tx, caller.id, made, services.clock.now());
    const second_factors = await secondFactorsOf(tx, caller.id);
    await recordOfAccount(services, tx, caller.id, 'account.recovery_codes_created');
    return { second_factors, recovery_codes: made.codes };
  });
  notifyAccount(services, user, 'recovery_codes_created');
  return result;
}

import type { PasskeyAssertion, SecondFactorWay, SecondStep } from '#contract/second-factors.ts';
import { notifyAccount } from '#server/accounts/users/account-notices.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { requestOptionsFor, verifyAssertion } from './passkeys.ts';
import { hashCode } from './recovery-codes.ts';
import {
  blockPasskey,
  type CodesLeft,
  findTotp,
  recordPasskeyUse,
  type PasskeyRow,
  passkeysOf,
  recoveryCodesOf,
  type TotpRow,
  useRecoveryCode,
  useTotpStep,
} from './second-factors.sql.ts';
import { openTotpSecret, stepOf } from './totp.ts';

export interface Factors {
  passkeys: PasskeyRow[];
  totp: TotpRow | undefined;
  codes: CodesLeft | undefined;
}

export async function factorsOf(tx: GlobalDb, userId: string): Promise<Factors> {
  return {
    passkeys: await passkeysOf(tx, userId),
    totp: await findTotp(tx, userId),
    codes: await recoveryCodesOf(tx, userId),
  };
}

function usablePasskeys({ passkeys }: Factors): PasskeyRow[] {
  return passkeys.filter((passkey) => passkey.blocked_at === null);
}

/** The account's usable factors, and the passkey options for the browser. */
export async function factorOptionsOf(
  services: Services,
  factors: Factors,
  challenge: string,
): Promise<Pick<SecondStep, 'ways' | 'passkey'>> {
  const usable = usablePasskeys(factors);
  const hasCodes = factors.codes !== undefined && factors.codes.left > 0;
  const ways: SecondFactorWay[] = [
    ...(usable.length > 0 ? (['passkey'] as const) : []),
    ...(factors.totp === undefined ? [] : (['totp'] as const)),
    ...(hasCodes ? (['recovery_code'] as const) : []),
  ];
  const passkey = usable.length > 0 ? await requestOptionsFor(services, usable, challenge) : null;
  return { ways, passkey };
}

export type FactorResponse =
  | { way: 'totp'; code: string }
  | { way: 'recovery_code'; code: string }
  | { way: 'passkey'; assertion: PasskeyAssertion };

export type FactorResult =
  | { kind: 'right'; codesLeft?: number }
  | { kind: 'wrong' }
  /** The passkey looks cloned, and was blocked. */
  | { kind: 'copied'; name: string };

const WRONG: FactorResult = { kind: 'wrong' };

/**
 * Verifies a second factor in two parts, because hashing is slow and would hold a connection.
 * @returns the second part, to call in the transaction that the factor authorizes: it uses the factor up
 */
export async function prepareVerification(
  services: Services,
  userId: string,
  given: FactorResponse,
  challenge: string,
): Promise<(tx: GlobalDb) => Promise<FactorResult>> {
  switch (given.way) {
    case 'totp':
      return (tx) => verifyTotp(services, tx, userId, given.code);
    case 'passkey':
      return (tx) => verifyPasskey(services, tx, userId, given.assertion, challenge);
    case 'recovery_code': {
      const codes = await recoveryCodesOf(services.database.global, userId);
      if (codes === undefined) return async () => WRONG;
      const hash = await hashCode(given.code, codes.salt);
      return (tx) => verifyRecoveryCode(services, tx, userId, hash);
    }
  }
}

async function verifyTotp(
  services: Services,
  tx: GlobalDb,
  userId: string,
  code: string,
): Promise<FactorResult> {
  const row = await findTotp(tx, userId);
  const secret = row && openTotpSecret(services, row);
  if (!secret) return WRONG;
  const now = services.clock.now();
  const step = stepOf(secret, code, now);
  if (step === null || !(await useTotpStep(tx, userId, { step, now }))) return WRONG;
  return { kind: 'right' };
}

async function verifyPasskey(
  services: Services,
  tx: GlobalDb,
  userId: string,
  assertion: PasskeyAssertion,
  challenge: string,
): Promise<FactorResult> {
  const passkeys = await passkeysOf(tx, userId);
  const passkey = passkeys.find((one) => one.credential_id === assertion.id && one.blocked_at === null);
  if (passkey === undefined) return WRONG;
  const now = services.clock.now();
  const found = await verifyAssertion(services, passkey, assertion, challenge);
  switch (found.kind) {
    case 'wrong':
      return WRONG;
    case 'copied':
      await blockPasskey(tx, passkey.id, now);
      return { kind: 'copied', name: passkey.name };
    case 'right': {
      const { counter, is_synced } = found;
      await recordPasskeyUse(tx, passkey.id, { counter, is_synced, last_used_at: now });
      return { kind: 'right' };
    }
  }
}

async function verifyRecoveryCode(
  services: Services,
  tx: GlobalDb,
  userId: string,
  hash: Buffer,
): Promise<FactorResult> {
  const isRight = await useRecoveryCode(tx, userId, { hash, now: services.clock.now() });
  if (!isRight) return WRONG;
  return { kind: 'right', codesLeft: (await recoveryCodesOf(tx, userId))?.left ?? 0 };
}

/** Notifies the account of a blocked passkey or a used recovery code. */
export function notifyOfFactorUse(
  services: Services,
  user: Parameters<typeof notifyAccount>[1],
  proof: FactorResult,
): void {
  if (proof.kind === 'copied') notifyAccount(services, user, 'passkey_blocked', { factor: proof.name });
  if (proof.kind === 'right' && proof.codesLeft !== undefined) {
    notifyAccount(services, user, 'recovery_code_used', { left: proof.codesLeft });
  }
}

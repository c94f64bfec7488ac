import { randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '#contract/second-factors.ts';
import { hashWithSalt } from '#server/accounts/users/passwords.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { deleteRecoveryCodes, insertRecoveryCodes } from './second-factors.sql.ts';

/** 32 of them, so that each carries 5 bits; neither 0 and O nor 1 and I. */
const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 10;
const SALT_BYTES = 16;

export interface NewCodes {
  /** As people read them. */
  codes: string[];
  salt: Buffer;
  hashes: Buffer[];
}

function newCode(): string {
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return `${letters.slice(0, 5)}-${letters.slice(5)}`;
}

/** Normalized: case, spaces and the hyphen do not matter. */
export function hashCode(code: string, salt: Buffer): Promise<Buffer> {
  return hashWithSalt(code.toUpperCase().replace(/[^0-9A-Z]/g, ''), salt);
}

/** Call it before a transaction: hashing is slow, and would hold a connection. */
export async function newRecoveryCodes(): Promise<NewCodes> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  const salt = randomBytes(SALT_BYTES);
  return { codes, salt, hashes: await Promise.all(codes.map((code) => hashCode(code, salt))) };
}

/** Replaces the former codes. */
export async function storeRecoveryCodes(
  tx: GlobalDb,
  userId: string,
  { salt, hashes }: NewCodes,
  now: Date,
): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  await insertRecoveryCodes(
    tx,
    hashes.map((hash) => ({ user_id: userId, code_hash: hash, salt, created_at: now })),
  );
}

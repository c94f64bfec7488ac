import { hash, hashRaw, verify } from '@node-rs/argon2';

// OWASP password storage cheat sheet: Argon2id with 19 MiB, 2 iterations, 1 lane.
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

let unknownHash: Promise<string> | null = null;

export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2);
}

/** Constant-time: an account without a password, or a missing account, takes as long as a wrong password. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  unknownHash ??= hashPassword('no account has this password');
  const matches = await verify(stored ?? (await unknownHash), password);
  return stored !== null && matches;
}

/** For codes that are looked up by hash: the same salt gives the same hash. */
export function hashWithSalt(code: string, salt: Buffer): Promise<Buffer> {
  return hashRaw(code, { ...ARGON2, salt });
}

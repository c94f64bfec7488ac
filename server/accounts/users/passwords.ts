import { hash, hashRaw, verify } from '@node-rs/argon2';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';

// OWASP password storage cheat sheet: Argon2id with 19 MiB, 2 iterations, 1 lane.
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each takes 19 MiB and one of the four threads on which Node also reads files and looks names up. */
const AT_ONCE = 2;
/** Some four seconds of work. */
const QUEUE = { most: 200, full: 'Too many people are logging in right now.' };

const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  withConcurrencyLimit(AT_ONCE, 'passwords', work, QUEUE);

let unknownHash: Promise<string> | null = null;

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, ARGON2));
}

/** Constant-time: an account without a password, or a missing account, takes as long as a wrong password. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  unknownHash ??= hash('no account has this password', ARGON2);
  const known = stored ?? (await unknownHash);
  const matches = await inTurn(() => verify(known, password));
  return stored !== null && matches;
}

/** For codes that are looked up by hash: the same salt gives the same hash. */
export function hashWithSalt(code: string, salt: Buffer): Promise<Buffer> {
  return inTurn(() => hashRaw(code, { ...ARGON2, salt }));
}

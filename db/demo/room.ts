import { statfs } from 'node:fs/promises';
import { type Config, ConfigError } from '#server/platform/config.ts';

/** Free space must be this many times what is needed: PostgreSQL also writes its log and needs space to work. */
const RESERVE = 1.5;

const gigabytes = (bytes: number) =>
  `${(bytes / 1e9).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} GB`;

/**
 * Checks for disk space before writing large amounts to the built-in database. The disk of another server can't be checked.
 * @param wanted.bytes what it will take
 * @param wanted.what for the message, as its subject
 * @param wanted.smaller how to ask for less
 * @throws ConfigError when less than one and a half times that is free
 */
export async function requireRoom(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { bytes, what, smaller }: { bytes: number; what: string; smaller: string },
): Promise<void> {
  if (databaseUrl !== '') return;
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free >= bytes * RESERVE) return;
  throw new ConfigError(
    `DATA_DIR: ${what} ${gigabytes(bytes)}, and one and a half times that must be free: ${gigabytes(bytes * RESERVE)}. ` +
      `The disk of ${dataDir} has ${gigabytes(free)}. Free some space, set DATA_DIR to a folder on a larger disk, or ${smaller}.`,
  );
}

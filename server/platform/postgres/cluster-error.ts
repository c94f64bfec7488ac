import { statfsSync } from 'node:fs';

/** A problem of the embedded PostgreSQL for the operator; the message is complete. */
export class ClusterError extends Error {
  override name = 'ClusterError';
}

const diskIsFull = (home: string) =>
  `The disk that holds ${home} is full. Free some space. If Sayso has stopped, start it again.`;

const causes: [RegExp, (home: string) => string][] = [
  [/no space left on device|disk is full|ENOSPC/i, diskIsFull],
  [
    /EROFS|read-only file system/i,
    (home) => `${home} is on a read-only disk. Set DATA_DIR to a writable directory.`,
  ],
  [
    /EACCES|EPERM|permission denied/i,
    (home) => `This user can't write to ${home}. Fix its permissions or set DATA_DIR to another directory.`,
  ],
  [
    /ENOTDIR|EEXIST/,
    (home) => `${home} must be a directory. Move the file away or set DATA_DIR to another directory.`,
  ],
  [
    /initialized by PostgreSQL version (\d+)/,
    (home) =>
      `${home} was written by another version of PostgreSQL. Back it up with the Sayso that wrote it (npm run backup), and restore that backup with this one.`,
  ],
  [
    /error while loading shared libraries|GLIBC|cannot execute|ENOEXEC/,
    () =>
      "The PostgreSQL included with Sayso doesn't run on this system. Set DATABASE_URL to your own PostgreSQL.",
  ],
];

/** One more segment of PostgreSQL's log. */
const LEAST_BYTES = 16 * 1024 * 1024;

/** PostgreSQL's own message may be lost, because its log is on the same disk. */
function hasNoSpace(home: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(home);
    return bavail * bsize < LEAST_BYTES;
  } catch {
    return false;
  }
}

export function explain(error: unknown, home: string): ClusterError {
  if (error instanceof ClusterError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const known = causes.find(([pattern]) => pattern.test(text));
  if (!known && hasNoSpace(home))
    return new ClusterError(`${diskIsFull(home)}\n${text.trim()}`, { cause: error });
  const sentence = known ? known[1](home) : `The embedded PostgreSQL in ${home} couldn't be started.`;
  return new ClusterError(`${sentence}\n${text.trim()}`, { cause: error });
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  /** Where it is mounted. */
  path: string;
  freeBytes(): number;
  /** Takes all space but so many bytes. */
  fill(leaveBytes: number): void;
  /** From now on nothing can be written there. */
  makeReadOnly(): void;
  /** Gives the space back that `fill` took. */
  free(): void;
  remove(): void;
}

/** A file system of its own, in memory. Mounting takes the rights of root. */
export function makeSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'sayso-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'sayso-test', path], {
      stdio: 'pipe',
    });
  } catch (error) {
    rmSync(path, { recursive: true });
    throw new Error('The tests of a full disk mount a small file system: run them as root, on Linux.', {
      cause: error,
    });
  }
  const filler = join(path, 'filler');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leaveBytes) {
      const block = Buffer.alloc(64 * 1024);
      while (freeBytes() > leaveBytes) {
        const bytes = Math.min(block.length, freeBytes() - leaveBytes);
        writeFileSync(filler, block.subarray(0, bytes), { flag: 'a' });
      }
    },
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', path], { stdio: 'pipe' }),
    free: () => truncateSync(filler),
    remove() {
      execFileSync('umount', ['-l', path], { stdio: 'pipe' });
      rmSync(path, { recursive: true, force: true });
    },
  };
}

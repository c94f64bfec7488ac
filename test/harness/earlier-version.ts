import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function refuseMissing(version: string): void {
  try {
    git('cat-file', '-e', `${version}^{commit}`);
  } catch (cause) {
    const isShallow = git('rev-parse', '--is-shallow-repository') === 'true';
    throw new Error(
      isShallow
        ? `The earlier version ${version} is not in this shallow clone: run "git fetch --unshallow --tags" first.`
        : `The earlier version ${version} is not in the history of this repository: fetch all branches and tags.`,
      { cause },
    );
  }
}

export interface EarlierVersion {
  /** Its sources, with the packages of this version. */
  root: string;
  remove(): void;
}

/**
 * The sources of an earlier version in a folder of their own; nothing of the repository changes.
 * @param version commit or tag
 */
export function checkOutEarlier(version: string): EarlierVersion {
  refuseMissing(version);
  const root = mkdtempSync(join(tmpdir(), 'sayso-earlier-'));
  execFileSync('sh', ['-c', `git archive "$0" | tar -x -C "$1"`, version, root], {
    cwd: ROOT,
    stdio: 'pipe',
  });
  // It uses the packages of now. What only it needs has to stay among them.
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

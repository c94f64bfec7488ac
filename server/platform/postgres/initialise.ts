import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { ClusterError } from './cluster-error.ts';
import { cleanEnvironment } from './environment.ts';
import type { ClusterPaths } from './paths.ts';
import type { RunAs } from './run-as.ts';

const unfinished = 'cluster.new';

export function isInitialised({ cluster }: ClusterPaths): boolean {
  return existsSync(cluster);
}

export function readPassword({ password, cluster }: ClusterPaths): string {
  if (existsSync(password)) return readFileSync(password, 'utf8').trim();
  if (existsSync(cluster)) {
    throw new ClusterError(
      `The file ${password} is missing. Without it, Sayso can't open the database in ${cluster}. Restore the file from a backup.`,
    );
  }
  const made = randomBytes(24).toString('base64url');
  writeDurably(password, `${made}\n`);
  return made;
}

// Created beside its place and then renamed, so that an interrupted first start leaves no half database.
export async function initialise(paths: ClusterPaths, binaries: Binaries, runAs: RunAs): Promise<void> {
  const { home, cluster } = paths;
  for (const name of readdirSync(home)) {
    if (name.startsWith(unfinished)) rmSync(join(home, name), { recursive: true, force: true });
  }
  const fresh = join(home, unfinished);
  const passwordFile = `${fresh}.password`;
  mkdirSync(fresh, { mode: 0o700 });
  writeDurably(passwordFile, readPassword(paths));
  if (runAs.owner) {
    for (const path of [fresh, passwordFile]) chownSync(path, runAs.owner.uid, runAs.owner.gid);
  }
  await runInitdb(binaries.initdb, runAs, [
    ...['--pgdata', fresh, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    '--data-checksums',
  ]);
  rmSync(passwordFile);
  renameSync(fresh, cluster);
  syncDirectory(home);
}

function runInitdb(initdb: string, runAs: RunAs, args: string[]): Promise<void> {
  const [command, all] = runAs.wrap(initdb, args);
  return new Promise((resolve, reject) => {
    const child = spawn(command, all, {
      ...runAs.options,
      cwd: '/',
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(complaint))));
  });
}

function writeDurably(path: string, text: string): void {
  const file = openSync(`${path}.part`, 'w', 0o600);
  writeFileSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.part`, path);
}

function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

import { spawnSync, type SpawnOptions } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { ClusterError } from './cluster-error.ts';

type User = { uid: number; gid: number };

export type RunAs = {
  wrap(program: string, args: string[]): [string, string[]];
  options: Pick<SpawnOptions, 'uid' | 'gid'>;
  owner?: User;
};

const asOneself: RunAs = { wrap: (program, args) => [program, args], options: {} };

const mapping = ['--user', '--map-user=65534', '--map-group=65534', '--'];

const inUserNamespace: RunAs = {
  wrap: (program, args) => ['unshare', [...mapping, program, ...args]],
  options: {},
  owner: { uid: 0, gid: 0 },
};

const asUser = (user: User): RunAs => ({ ...asOneself, options: user, owner: user });

/** PostgreSQL refuses to run as root: run it as the user `postgres`, or in a user namespace. */
export function chooseRunAs({ postgres }: Binaries, home: string): RunAs {
  if (process.getuid?.() !== 0) return asOneself;
  const works = (runAs: RunAs) => {
    const [command, args] = runAs.wrap(postgres, ['--version']);
    return spawnSync(command, args, { ...runAs.options, stdio: 'ignore', cwd: '/' }).status === 0;
  };
  if (isOpenToAll(home) && isOpenToAll(postgres)) {
    const user = findPostgresUser() ?? createPostgresUser();
    if (user && works(asUser(user))) return asUser(user);
  }
  if (works(inUserNamespace)) return inUserNamespace;
  throw new ClusterError(
    "PostgreSQL doesn't run as root, and Sayso found no other user to run it. Start Sayso as an ordinary user, " +
      'move it and its DATA_DIR to a place that every user can reach, or set DATABASE_URL to your own PostgreSQL.',
  );
}

function isOpenToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o001) !== 0;
  return open && (dirname(path) === path || isOpenToAll(dirname(path)));
}

function findPostgresUser(): User | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : 0;
  });
  return uid && gid ? { uid, gid } : undefined;
}

function createPostgresUser(): User | undefined {
  spawnSync('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    'postgres',
  ]);
  return findPostgresUser();
}

/** The last start may have used another user, and a restored copy has lost its modes. */
export function makeAccessible(cluster: string, owner: User | undefined): void {
  if (process.platform === 'win32') return;
  const { uid, mode } = lstatSync(cluster);
  if ((mode & 0o077) !== 0) chmodSync(cluster, 0o700);
  if (!owner || uid === owner.uid) return;
  for (const entry of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(cluster, entry), owner.uid, owner.gid);
  }
  chownSync(cluster, owner.uid, owner.gid);
}

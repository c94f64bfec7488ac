import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

export interface PublishedPackages {
  /** A folder of somebody who installed the tarballs, and nothing else. */
  folder: string;
  /** What was built, before it was packed. */
  built: string;
  /** Checks programs of the folder with TypeScript. @returns what it says */
  typeCheck(files: string[], options?: object): Promise<string>;
  remove(): void;
}

function npm(args: string[], cwd: string): Promise<unknown> {
  const own = process.env['npm_execpath'];
  const [file, rest] = own === undefined ? ['npm', args] : [process.execPath, [own, ...args]];
  return run(file, rest, { cwd });
}

/** Builds and packs the packages, and installs the tarballs into an empty folder without a network. */
export async function installPublishedPackages(names: string[]): Promise<PublishedPackages> {
  const base = mkdtempSync(join(tmpdir(), 'sayso-packages-'));
  const built = join(base, 'built');
  await run(process.execPath, [join(ROOT, 'packages/build.ts'), built], { cwd: ROOT });
  const folder = mkdtempSync(join(base, 'somebody-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await npm(['pack', ...names.map((name) => join(built, name)), '--pack-destination', folder], folder);
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const cache = join(base, 'cache');
  await npm(
    [
      'install',
      '--offline',
      '--cache',
      cache,
      '--no-audit',
      '--no-fund',
      ...tarballs.map((one) => `./${one}`),
    ],
    folder,
  );
  return {
    folder,
    built,
    async typeCheck(files, options = {}) {
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            ...{ strict: true, noEmit: true, target: 'es2024', module: 'nodenext', types: [] },
            ...{ allowImportingTsExtensions: true, lib: ['es2024', 'dom'] },
            ...options,
          },
          files,
        }),
      );
      const tsc = join(ROOT, 'node_modules/typescript/lib/tsc.js');
      return run(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
        ({ stdout }) => stdout,
        (error: { stdout: string }) => error.stdout,
      );
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openApiOfContract } from '#test/harness/openapi.ts';

const require = createRequire(import.meta.url);

/** Runs the command of a package; what it writes is only shown if it fails. */
async function run(packageName: string, bin: string, args: string[], cwd: string): Promise<void> {
  const script = join(dirname(require.resolve(`${packageName}/package.json`)), bin);
  await promisify(execFile)(process.execPath, [script, ...args], { cwd, maxBuffer: 32 * 1024 * 1024 });
}

const STRICT = [
  '--strict',
  '--noEmit',
  '--target',
  'es2023',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--types',
  '',
];

it.each([
  [
    'orval',
    'dist/bin/orval.mjs',
    ['--input', 'openapi.json', '--output', 'client/index.ts', '--client', 'fetch'],
  ],
  [
    'openapi-typescript-codegen',
    'bin/index.js',
    // As unions: as enums, a value such as `in` would be a name that TypeScript reserves.
    ['--input', 'openapi.json', '--output', 'client', '--client', 'fetch', '--useUnionTypes'],
  ],
] as const)(
  'a client that %s generates from the OpenAPI document passes the type check',
  async (name, bin, args) => {
    const folder = mkdtempSync(join(tmpdir(), 'sayso-client-'));
    try {
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await openApiOfContract()));
      await run(name, bin, [...args], folder);
      expect(readdirSync(join(folder, 'client'))).toContain('index.ts');
      const checked = run('typescript', 'bin/tsc', [...STRICT, 'client/index.ts'], folder);
      await expect(checked).resolves.toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);

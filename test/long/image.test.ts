import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { freePort } from '#test/harness/ports.ts';

/*
 * No image can be built where the tests run, so the steps of the last stage of deploy/Dockerfile are done in a folder, and
 * the product is started from it as somebody who is not root. `TEST_SCALE=2` installs its packages with npm, as the image
 * does; each run of all tests links those that the lockfile says it would install.
 */

const ROOT = join(import.meta.dirname, '../..');
const MOST_BYTES = 350 * 1024 * 1024;
const REALLY_INSTALL = Number(process.env['TEST_SCALE'] ?? 1) > 1;
const NOBODY = 65_534;

const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
const packageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

interface Stage {
  name: string;
  base: string;
  steps: string[];
}

function stagesOf(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Stage[] = [];
  for (const line of lines) {
    const from = /^FROM (\S+)(?: AS (\S+))?$/.exec(line);
    if (from !== null) stages.push({ name: from[2] ?? 'final', base: from[1] ?? '', steps: [] });
    else stages.at(-1)?.steps.push(line);
  }
  return stages;
}

const stages = stagesOf(dockerfile);

function stage(name: string): Stage {
  const found = stages.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The Dockerfile has no stage ${name}`);
  return found;
}

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '');

/** As far as .dockerignore goes: whole folders at the top, and test files anywhere. */
const isIgnored = (path: string) =>
  ignored.some((pattern) =>
    pattern.startsWith('**/*') ? path.endsWith(pattern.slice(4)) : path === pattern,
  );

let folder: string;
let database: TestDatabase;

/** Hard links take no space and no time; a copy where they cannot be made. */
function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'pipe' });
  } catch {
    cpSync(from, to, { recursive: true });
  }
}

function installPackages(): void {
  const into = join(folder, 'node_modules');
  if (REALLY_INSTALL) {
    for (const name of ['package.json', 'package-lock.json', '.npmrc'])
      link(join(ROOT, name), join(folder, name));
    execFileSync('npm', ['ci', '--omit=dev'], { cwd: folder, stdio: 'pipe' });
    return;
  }
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  mkdirSync(into, { recursive: true });
  for (const [path, { dev = false }] of Object.entries(packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path);
    // What lies below another package comes with it.
    if (isTop && !dev && existsSync(join(ROOT, path))) link(join(ROOT, path), join(folder, path));
  }
}

function runStep(step: string): void {
  const copy = /^COPY (?:--from=(\S+) )?(.+) (\S+)$/.exec(step);
  if (copy !== null) {
    const [, from, sources = '', target = ''] = copy;
    if (from === 'packages') return;
    for (const source of sources.split(' ')) {
      const path = from === undefined ? source : source.replace('/sayso/', '');
      const isFolder = target === './' || sources.includes(' ');
      link(join(ROOT, path), join(folder, isFolder ? path : target));
    }
    return;
  }
  const remove = /^RUN rm -rf (.+)$/.exec(step);
  if (remove !== null) execFileSync('sh', ['-c', `rm -rf ${remove[1]}`], { cwd: folder });
}

function removeIgnored(at: string, path: string): void {
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const name = path === '' ? entry.name : `${path}/${entry.name}`;
    if (name === 'node_modules' || name === 'dist') continue;
    if (isIgnored(name)) rmSync(join(at, entry.name), { recursive: true });
    else if (entry.isDirectory()) removeIgnored(join(at, entry.name), name);
  }
}

function bytesUnder(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesUnder(join(path, name)), 0);
}

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'sayso-image-'));
  chmodSync(folder, 0o755);
  installPackages();
  for (const step of stage('packages').steps) runStep(step);
  for (const step of [...stage('base').steps, ...stage('final').steps]) runStep(step);
  removeIgnored(folder, '');
}, 300_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

describe('the image', () => {
  it('has stages, runs as an unprivileged user, and contains the Node that is pinned everywhere', () => {
    expect(stages.map(({ name }) => name)).toEqual(['base', 'build', 'packages', 'final']);
    const [tag] = stage('base').base.split('@');
    expect(tag).toBe(`node:${packageJson.dependencies['node']}-bookworm-slim`);
    expect(stage('packages').steps).toContain('RUN npm ci --omit=dev');
    expect(stage('final').steps).toContain('USER node');
  });

  it('has one Node, no development packages and no tests, and is smaller than 350 MB', async (context) => {
    const names = readdirSync(join(folder, 'node_modules'));
    expect(names).toContain('fastify');
    for (const name of ['vitest', 'typescript', 'vite', 'playwright-core', 'node']) {
      expect(names, name).not.toContain(name);
    }
    expect(existsSync(join(folder, 'test'))).toBe(false);
    expect(
      execFileSync('find', [folder, '-name', '*.test.ts*', '-not', '-path', '*/node_modules/*']).toString(),
    ).toBe('');
    const node = lstatSync(process.execPath).size;
    const bytes = bytesUnder(folder) + node;
    await context.annotate(
      `${(bytes / 1024 / 1024).toFixed(0)} MB: ${(node / 1024 / 1024).toFixed(0)} MB Node, ` +
        `${(bytesUnder(join(folder, 'node_modules')) / 1024 / 1024).toFixed(0)} MB packages; without Debian itself`,
    );
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('serves only from these files, as a user who may write nowhere in them', async () => {
    const port = await freePort();
    const data = mkdtempSync(join(tmpdir(), 'sayso-image-data-'));
    chmodSync(data, 0o777);
    const isRoot = process.getuid?.() === 0;
    const child = spawn(process.execPath, ['server/main.ts'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_ENV: 'production',
        DATA_DIR: data,
        PORT: String(port),
        APP_URL: `http://localhost:${port}`,
        DATABASE_URL: database.ownerUrl,
        SECRET_KEY: inject('secretKey'),
        LOG_LEVEL: 'warn',
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      const deadline = Date.now() + 60_000;
      const isReady = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        );
      while (!(await isReady())) {
        if (Date.now() > deadline || child.exitCode !== null) throw new Error(`It did not start:\n${output}`);
        await sleep(100);
      }
      for (const path of ['/login', '/docs', '/status', '/api/openapi.json']) {
        expect({ path, status: (await fetch(`http://localhost:${port}${path}`)).status }).toEqual({
          path,
          status: 200,
        });
      }
      expect(output).not.toMatch(/must exist|ERR_MODULE_NOT_FOUND/);
    } finally {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(data, { recursive: true, force: true });
    }
  });
});

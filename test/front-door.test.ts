import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { howItEnded } from '../scripts/project.mjs';

const runScript = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url));

function run(command: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [runScript, command],
      { env: { ...process.env, ...env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? 1, text: stdout + stderr }),
    );
  });
}

test('an npm that is too old is rejected in one sentence', async () => {
  const { code, text } = await run('build', { npm_config_user_agent: 'npm/9.8.1 node/v20.1.0 linux x64' });
  expect(code).toBe(1);
  expect(text).toContain('Sayso needs npm 10 or newer; this is npm 9.8.1.');
});

test.each([
  ['pnpm/10.4.1 npm/? node/v22.1.0 linux x64', 'start', 'this is pnpm 10.4.1. Use "npm start".'],
  ['pnpm/9.15.9 npm/? node/v22.1.0 linux x64', 'demo', 'this is pnpm 9.15.9. Use "npm run demo".'],
  ['yarn/1.22.22 npm/? node/v22.1.0 linux x64', 'start', 'this is yarn 1.22.22. Use "npm start".'],
])('another package manager (%s) is told which command to use', async (agent, command, words) => {
  const { code, text } = await run(command, { npm_config_user_agent: agent });
  expect(code).toBe(1);
  expect(text).toBe(`Sayso installs and runs itself with npm; ${words}\n`);
});

test('a step that the system ended is called by its signal, and a lack of memory by its name', () => {
  expect(howItEnded({ code: 128, signal: 'SIGKILL' })).toMatch(
    /^was ended by SIGKILL, most likely because the \d+ MB of memory here ran out$/,
  );
  expect(howItEnded({ code: 128, signal: 'SIGTERM' })).toBe('was ended by SIGTERM');
  expect(howItEnded({ code: 1, signal: null })).toBe('failed with exit code 1, see above');
});

test('an unknown command is answered with the list of commands', async () => {
  const { code, text } = await run('strat');
  expect(code).toBe(1);
  expect(text).toContain('There is no command "strat"; there are start,');
});

const ROOT = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test('the README names commands that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = [...read('README.md').matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name = '']) => name);
  expect(new Set(commands)).toEqual(new Set(['start', 'test', 'demo', 'verify']));
  expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
});

const FRONT = ['README.md', 'docs/comparison.md', 'deploy/README.md', 'SECURITY.md'];

test.each(FRONT)('every link and picture of %s exists', (file) => {
  const text = read(file);
  const inline = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)];
  const targets = inline.map(([, link, picture]) => link ?? picture ?? '');
  const files = targets.filter((target) => !target.startsWith('http')).map((target) => target.split('#')[0]);
  expect(files.filter((target) => !existsSync(join(ROOT, dirname(file), target ?? '')))).toEqual([]);
  const defined = new Set([...text.matchAll(/^\[([\w-]+)\]: https:/gm)].map(([, name]) => name));
  const used = new Set([...text.matchAll(/\]\[([\w-]+)\]/g)].map(([, name]) => name));
  expect(used).toEqual(defined);
});

test.each(FRONT)('every file that %s names exists', (file) => {
  const named = [...read(file).matchAll(/`((?:db|deploy|docs|scripts|server|test|web)\/[\w./-]+\.\w+)`/g)];
  expect(named.map(([, name = '']) => name).filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

test.each(['README.md', 'docs/comparison.md'])(
  '%s says nothing about other products without a source',
  (file) => {
    const rows = read(file)
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.split('|').length === 9)
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, name]) => name !== '');
    const claims = rows.flatMap(([, name, , ...others]) =>
      others.slice(0, 5).map((cell) => ({ name, cell })),
    );
    expect(claims.length).toBeGreaterThan(50);
    const isSourced = (cell: string) => /^(?:–|not found)$/.test(cell) || /\]\[[\w-]+\]/.test(cell);
    expect(claims.filter(({ cell }) => !isSourced(cell))).toEqual([]);
  },
);

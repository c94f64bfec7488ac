import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

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

test('refuses an npm that is too old with a sentence', async () => {
  const { code, text } = await run('build', { npm_config_user_agent: 'npm/9.8.1 node/v20.1.0 linux x64' });
  expect(code).toBe(1);
  expect(text).toContain('Sayso needs npm 10 or newer; this is npm 9.8.1.');
});

test('names the commands there are', async () => {
  const { code, text } = await run('strat');
  expect(code).toBe(1);
  expect(text).toContain('There is no command "strat"; there are start,');
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn } from '#contract/accounts.ts';
import { callRoute } from '#contract/client.ts';
import { DEMO_PASSWORD } from '#db/demo/demo.ts';
import { freePort } from '#test/harness/product.ts';

export interface Demo {
  url: string;
  stop(): Promise<void>;
}

/**
 * The demo world in a product of its own.
 * @param options.fakes the stand-ins of the email tools; without them the shop has none
 */
export async function startDemo(
  options: { fakes?: { url: string; env: Record<string, string> } } = {},
): Promise<Demo> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-demo-'));
  const port = await freePort();
  const { fakes } = options;
  const args = fakes === undefined ? [] : [`--fake-tools=${fakes.url}`];
  const child: ChildProcess = spawn(process.execPath, ['server/main.ts', '--demo', ...args], {
    env: {
      ...process.env,
      ...fakes?.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      APP_URL: `http://localhost:${port}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => chunk.toString().includes('Sayso is ready') && resolve());
    child.once('exit', (code) => reject(new Error(`The demo world ended with ${code}`)));
  });
  return {
    url: `http://localhost:${port}`,
    async stop() {
      const ended = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      child.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What the owner app keeps in its local storage of who is logged in. */
export async function logInToDemo({ url }: Demo) {
  const body = { username: 'acme', password: DEMO_PASSWORD };
  const token = await callRoute(logIn, { body }, { base: url });
  return {
    id: token.user_id,
    organization: token.organization_id,
    token: token.access_token,
    refresh: token.refresh_token,
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { logIn } from '#contract/accounts.ts';
import { callRoute } from '#contract/client.ts';
import { listCustomers } from '#contract/customers.ts';
import { checkImport, getImport, uploadImport } from '#contract/imports.ts';
import { listLists } from '#contract/lists.ts';
import { DEMO_PASSWORD } from '#db/demo/demo.ts';
import { type Caller, callsTo } from '#test/harness/product.ts';
import { freePort } from '#test/harness/ports.ts';

export interface Demo {
  url: string;
  pid: number;
  dataDir: string;
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
    pid: child.pid ?? 0,
    dataDir,
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
export async function logInToDemo({ url }: Demo, username = 'acme') {
  const body = { username, password: DEMO_PASSWORD };
  const token = await callRoute(logIn, { body }, { base: url });
  return {
    id: token.user_id,
    organization: token.organization_id,
    token: token.access_token,
    refresh: token.refresh_token,
  };
}

/** Makes the windows of a context the shop's owner's, with a session of their own: tokens are good once. */
export async function keepLoggedIn(context: BrowserContext, demo: Demo): Promise<void> {
  const session = await logInToDemo(demo);
  await context.addInitScript(
    ([entry, app]) => location.origin === app && localStorage.setItem('auth', entry ?? ''),
    [JSON.stringify(session), demo.url],
  );
}

/** An import that waits to be applied, with something of everything in it. */
export async function checkAFile(
  url: string,
  params: { organization_id: string; site_id: string },
  owner: Caller,
): Promise<string> {
  const { call } = callsTo(url);
  const { results: lists } = await call(listLists, { params }, owner);
  const { results: known } = await call(listCustomers, { params, query: { limit: 40 } }, owner);
  const rows = [
    ...Array.from({ length: 60 }, (_, index) => `reader-${index}@example.com,yes`),
    ...known.map(({ email }, index) => `${email},${index % 3 === 0 ? 'no' : 'yes'}`),
    'not an address,yes',
    'sam@example.com,perhaps',
  ];
  const [first] = lists;
  if (first === undefined) throw new Error('The demo world has no list');
  const file = new Blob([`email,${first.name}\n${rows.join('\n')}\n`], { type: 'text/csv' });
  const { id } = await call(uploadImport, { params, query: { file_name: 'newsletter.csv' }, file }, owner);
  const mapping = { email: 'email', lists: [{ column: first.name, list_id: first.id }] };
  const item = { ...params, id };
  await call(checkImport, { params: item, body: { mapping } }, owner);
  const isChecked = async () => {
    const { status } = await call(getImport, { params: item }, owner);
    if (status !== 'checked' && status !== 'checking') throw new Error(`The import is ${status}`);
    return status === 'checked';
  };
  await until(isChecked, 'the import is checked');
  return id;
}

const DEADLINE_MS = 60_000;
const PAUSE_MS = 200;

/** @throws when it has not come true within a minute; `what` says what was waited for. */
export async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; !(await isTrue()); await setTimeout(PAUSE_MS)) {
    if (Date.now() > end) throw new Error(`It took longer than a minute until ${what}`);
  }
}

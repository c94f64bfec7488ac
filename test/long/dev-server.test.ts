import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '#test/harness/browser.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';

/* `npm run dev`, on a data folder of its own. Its files are touched, not changed. */

let dev: ProductProcess;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  dev = await startProductProcess({ entry: 'scripts/dev-server.mjs' });
  await dev.untilReady();
  browser = await startBrowser();
  page = await browser.open();
});

afterAll(async () => {
  await browser?.close();
  await dev?.stop();
});

function touch(file: string): void {
  const now = new Date();
  utimesSync(join(import.meta.dirname, '../..', file), now, now);
}

it('the dev server replaces a changed screen in place and keeps what was typed', async () => {
  const updates: string[] = [];
  page.on('console', (message) => updates.push(message.text()));
  await page.goto(`${dev.url}/login`);
  await page.getByLabel('Username or email').fill('nora');
  touch('web/owner/screens/auth/LoginScreen.tsx');
  await expect.poll(() => updates.join('\n')).toContain('hot updated: /screens/auth/LoginScreen.tsx');
  expect(await page.getByLabel('Username or email').inputValue()).toBe('nora');
  expect(browser.problems).toEqual([]);
});

it('the dev server restarts the product when its code changes, and answers requests that come meanwhile', async () => {
  const before = dev.output();
  touch('server/shell/system/health.routes.ts');
  await expect.poll(() => dev.output().slice(before.length)).toContain('Restarted the server in');
  touch('server/shell/system/health.routes.ts');
  expect(await (await fetch(`${dev.url}/healthz`)).json()).toEqual({ status: 'ok' });
});

it('the dev server passes on to the product whatever is not the owner app', async () => {
  const answers = await Promise.all(
    ['/api/openapi.json', '/docs', '/assets/none.js'].map((path) => fetch(`${dev.url}${path}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
});

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startProductProcess } from '#test/harness/product-process.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What a fresh clone has, and nothing that is built. */
const PARTS = [
  ...['contract', 'db', 'docs', 'packages', 'scripts', 'server', 'web'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts'],
];

/** A build takes most of it. */
const READY_WITHIN_MS = 240_000;

it('a clone builds, starts and shows pages in a folder with #, % and ? in its name', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sayso-odd-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, 'what? #1 is 100%20');
  mkdirSync(root);
  for (const part of PARTS) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));

  const product = await startProductProcess({ root, entry: 'scripts/run.mjs' });
  onTestFinished(() => product.stop());
  await product.untilReady(READY_WITHIN_MS);
  const app = await fetch(`${product.url}/login`);
  expect(await app.text()).toContain('<div id="root">');
  const page = await fetch(`${product.url}/preferences`);
  expect(await page.text()).not.toContain('not built');
  expect((await fetch(`${product.url}/docs/lists`)).status).toBe(200);
});

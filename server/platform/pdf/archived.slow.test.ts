import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveCheckers, outputOf } from '#test/harness/pdf-checkers.ts';
import { SCRIPTS } from '#test/harness/scripts.ts';
import { createDocument } from './document.ts';

/* What programs that know PDF say of a document in all scripts, where they are installed. */

const HEADER = { title: 'Proof', footer: 'Footer', madeAt: '2026-11-30T10:00:00.000Z' };

let folder: string;
let file: string;

beforeAll(async () => {
  const document = await createDocument(HEADER, { pdfVersion: '1.4', subset: 'PDF/A-1a' });
  const parts: Uint8Array[] = [];
  for (const [name, value] of SCRIPTS) await document.add({ kind: 'fact', name, value });
  await document.end();
  for (let some = document.read(); some !== null; some = document.read()) parts.push(some);
  folder = mkdtempSync(join(tmpdir(), 'sayso-archived-'));
  file = join(folder, 'scripts.pdf');
  writeFileSync(file, Buffer.concat(parts));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a document in all scripts has every font in it', async () => {
  const document = await createDocument(HEADER);
  for (const [name, value] of SCRIPTS) await document.add({ kind: 'fact', name, value });
  expect(document.fontsLoaded()).toBeGreaterThan(SCRIPTS.length);
});

it.each(archiveCheckers())('a document in all scripts can be archived, says $name', (checker) => {
  expect(outputOf(checker, file)).toContain(checker.good);
});

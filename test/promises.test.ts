import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testNamesIn } from '#test/harness/test-names.ts';

const ROOT = join(import.meta.dirname, '..');
const ROW = /^\| .+ \| `(?<file>[^`]+\.test\.ts)`: (?<name>.+) \|$/;

const rows = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const { file, name } = ROW.exec(line)?.groups ?? {};
    return file === undefined || name === undefined ? [] : [{ file, name }];
  });

it('docs/security.md names tests that exist', () => {
  expect(rows.length).toBeGreaterThan(80);
  const names = new Map(
    [...new Set(rows.map(({ file }) => file))].map((file) => [
      file,
      testNamesIn(file).map(({ name }) => name),
    ]),
  );
  expect(rows.filter(({ file, name }) => !names.get(file)?.includes(name))).toEqual([]);
});

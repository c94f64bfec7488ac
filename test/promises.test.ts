import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

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
  const missing = rows.filter(({ file, name }) => !readFileSync(join(ROOT, file), 'utf8').includes(name));
  expect(missing).toEqual([]);
});

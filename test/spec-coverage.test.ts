import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface Row {
  number: number;
  proofs: { file: string; name: string }[];
  isOpen: boolean;
}

const text = readFileSync(join(ROOT, 'docs/spec-coverage.md'), 'utf8');

/** The rows of the tables: `| number | statement | proofs |`. */
const rows = text.split('\n').flatMap((line): Row[] => {
  const [, number, , cell] = /^\| +(\d+) +\| +(.*?) +\| +(.*?) +\|$/.exec(line) ?? [];
  if (number === undefined || cell === undefined) return [];
  const proofs = cell.split('<br>').flatMap((proof) => {
    const [, file, name] = /^`([^`]+\.test\.tsx?)`: (.+)$/.exec(proof) ?? [];
    return file === undefined || name === undefined ? [] : [{ file, name }];
  });
  return [{ number: Number(number), proofs, isOpen: cell === '*open*' }];
});

/** Is there a test, or a table of tests, of this name? */
function hasTest(file: string, name: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  return ["'", '"', '`'].some((quote) => {
    const literal = quote + name.replaceAll(quote, `\\${quote}`) + quote;
    return source
      .split(literal)
      .some((before, place, all) => place < all.length - 1 && /[(,]\s*$/.test(before));
  });
}

it('numbers every statement, and each has a proof or is said to be open', () => {
  expect(rows.length).toBeGreaterThan(90);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  const bare = rows.filter(({ proofs, isOpen }) => proofs.length === 0 && !isOpen);
  expect(bare).toEqual([]);
});

it('every test that is named is there', () => {
  const missing = rows
    .flatMap(({ number, proofs }) => proofs.map((proof) => ({ number, ...proof })))
    .filter(({ file, name }) => !hasTest(file, name))
    .map(({ number, file, name }) => `${number}: ${file}: ${name}`);
  expect(missing).toEqual([]);
});

it('nothing is open', () => {
  expect(text).not.toContain('*open*');
});

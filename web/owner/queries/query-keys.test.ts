import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const APP = join(import.meta.dirname, '..');

interface Found {
  key: string;
  file: string;
}

/** The keys of a file's queries, with `*` for what differs from one query to the next. */
function keysIn(file: string): Found[] {
  const source = readFileSync(join(APP, file), 'utf8');
  return [...source.matchAll(/queryKey: \[([^\]]+)\],(?=[^;]*?queryFn)/g)].map(([, parts = '']) => ({
    key: parts
      .split(', ')
      .map((part) => (/^(?:'|\.\.\.)/.test(part) ? part.replace(/\(.*/, '') : '*'))
      .join(', '),
    file,
  }));
}

it('the answer in the cache has one shape: each query key is made in one place', () => {
  const files = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  const found = files.flatMap(keysIn);
  const twice = [...Map.groupBy(found, ({ key }) => key)]
    .filter(([, places]) => places.length > 1)
    .map(([key, places]) => [key, places.map(({ file }) => file)]);
  expect(twice).toEqual([]);
  expect(found.length).toBeGreaterThan(40);
});

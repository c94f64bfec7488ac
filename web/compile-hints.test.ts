import { expect, it } from 'vitest';
import { loadedFirst } from './compile-hints.ts';

const chunk = (fileName: string, imports: string[] = [], isEntry = false) => ({ fileName, imports, isEntry });

it('what the entry imports is loaded first, whatever else imports it as well', () => {
  const chunks = [
    chunk('index.js', ['react.js', 'app.js'], true),
    chunk('react.js'),
    chunk('app.js', ['react.js', 'icons.js']),
    chunk('icons.js', ['app.js']),
    chunk('lists.js', ['react.js', 'grid.js']),
    chunk('grid.js', ['icons.js']),
  ];
  expect([...loadedFirst(chunks)].toSorted()).toEqual(['app.js', 'icons.js', 'index.js', 'react.js']);
});

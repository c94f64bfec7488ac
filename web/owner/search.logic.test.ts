import { expect, it } from 'vitest';
import { oneOf, textsOf } from './search.logic.ts';

it('texts of an address are taken by name, and what is no text is left out', () => {
  const search = { search: 'vera@', other: 'x', id: 7, long: 'x'.repeat(255) };
  expect(textsOf(search, ['search', 'id', 'long', 'missing'])).toEqual({ search: 'vera@' });
});

it('a value is taken if it is known', () => {
  expect(oneOf('failed', ['waiting', 'failed'])).toBe('failed');
  expect(oneOf('toString', ['waiting', 'failed'])).toBeUndefined();
});

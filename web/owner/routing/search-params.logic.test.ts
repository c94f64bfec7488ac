import { expect, it } from 'vitest';
import { parseTimestamp, oneOf, textParams } from './search-params.logic.ts';

it('texts of an address are taken by name, and what is no text is left out', () => {
  const search = { search: 'vera@', other: 'x', id: 7, long: 'x'.repeat(255) };
  expect(textParams(search, ['search', 'id', 'long', 'missing'])).toEqual({ search: 'vera@' });
});

it('a value is taken if it is known', () => {
  expect(oneOf('failed', ['waiting', 'failed'])).toBe('failed');
  expect(oneOf('toString', ['waiting', 'failed'])).toBeUndefined();
});

it.each(['2026-11-21T12:00:00Z', '2026-11-21T12:00Z', '2026-11-21T12:00:00.123Z'])(
  '%s is a timestamp',
  (text) => {
    expect(parseTimestamp(text)).toBe(text);
  },
);

it.each(['2026-11-21', '2026-13-41T12:00:00Z', 'yesterday', '', 7, null])('%j is none', (value) => {
  expect(parseTimestamp(value)).toBeUndefined();
});

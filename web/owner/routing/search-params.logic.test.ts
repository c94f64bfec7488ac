import { defaultStringifySearch, parseSearchWith } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import { oneOf, parseTimestamp, stringifySearch, textParams } from './search-params.logic.ts';

it('texts in the URL are read by name, and anything else is left out', () => {
  const search = { search: 'vera@', other: 'x', id: 7, long: 'x'.repeat(255) };
  expect(textParams(search, ['search', 'id', 'long', 'missing'])).toEqual({ search: 'vera@' });
});

it('a value is accepted if it is known', () => {
  expect(oneOf('failed', ['waiting', 'failed'])).toBe('failed');
  expect(oneOf('toString', ['waiting', 'failed'])).toBeUndefined();
});

it.each(['2026-11-21T12:00:00Z', '2026-11-21T12:00Z', '2026-11-21T12:00:00.123Z'])(
  '%s is a timestamp',
  (text) => {
    expect(parseTimestamp(text)).toBe(text);
  },
);

it.each(['2026-11-21', '2026-13-41T12:00:00Z', 'yesterday', '', 7, null])(
  '%j is not a timestamp',
  (value) => {
    expect(parseTimestamp(value)).toBeUndefined();
  },
);

const TEXTS = [
  ...['', 'nora@example.com', '0193f2a0-7c1e-7000-8000-000000000001', '1e5-', '--1', '01', 'x 7', '\u00A07'],
  ...['7e5', '-1', '1.', '1.5', '\t7', 'true', 'truely', 'false ', ' null', 'nul'],
  ...['[', '[1]', '{}', '{"a":1}', '"', '"a"', '"a'],
];

it.each(TEXTS)('%j is written as the router writes it, and read back as the same text', (text) => {
  const written = stringifySearch({ text });
  expect(written).toBe(defaultStringifySearch({ text }));
  expect(parseSearchWith(JSON.parse)(written)).toEqual({ text });
});

it('values that are not text are written as the router writes them', () => {
  const search = {
    page: 2,
    open: true,
    none: null,
    left: undefined,
    tags: ['a', '1'],
    range: { from: '2026-11-28' },
  };
  expect(stringifySearch(search)).toBe(defaultStringifySearch(search));
});

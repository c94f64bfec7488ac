import { expect, it } from 'vitest';
import { truncatedNames } from './truncated-names.ts';

it('a few list names are shown in full, and the rest of many are counted', () => {
  expect(truncatedNames(['News', 'Offers', 'Events'])).toEqual({
    shown: ['News', 'Offers', 'Events'],
    more: 0,
  });
  const many = Array.from({ length: 50 }, (_, index) => `List ${index}`);
  expect(truncatedNames(many)).toEqual({ shown: ['List 0', 'List 1'], more: 48 });
});

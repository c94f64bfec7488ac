import { expect, it } from 'vitest';
import { foldedNames } from './folded-names.ts';

it('a few list names are shown in full, and the rest of many are counted', () => {
  expect(foldedNames(['News', 'Offers', 'Events'])).toEqual({
    shown: ['News', 'Offers', 'Events'],
    more: 0,
  });
  const many = Array.from({ length: 50 }, (_, index) => `List ${index}`);
  expect(foldedNames(many)).toEqual({ shown: ['List 0', 'List 1'], more: 48 });
});

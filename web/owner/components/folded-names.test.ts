import { expect, it } from 'vitest';
import { foldedNames } from './folded-names.ts';

it('names a few lists, and counts the rest of many', () => {
  expect(foldedNames(['News', 'Offers', 'Events'])).toEqual({
    shown: ['News', 'Offers', 'Events'],
    more: 0,
  });
  const many = Array.from({ length: 50 }, (_, index) => `List ${index}`);
  expect(foldedNames(many)).toEqual({ shown: ['List 0', 'List 1'], more: 48 });
});

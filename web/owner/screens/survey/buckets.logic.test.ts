import { expect, it } from 'vitest';
import { AUDIENCE_BUCKETS } from '#contract/survey.ts';
import { bucketLabel } from './buckets.logic.ts';

it('the English labels are exactly those of the spec (spec 110)', () => {
  const labels = AUDIENCE_BUCKETS.map((_, index) =>
    bucketLabel(index, 'en', ({ from, to }) => `${from} to ${to}`),
  );
  expect(labels).toEqual(AUDIENCE_BUCKETS.map((bucket) => bucket.label));
});

it('numbers are written as in the language', () => {
  expect(bucketLabel(1, 'de', ({ from, to }) => `${from} bis ${to}`)).toBe('1.001 bis 5.000');
});

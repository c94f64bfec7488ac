import { expect, it } from 'vitest';
import { AUDIENCE_BUCKETS } from '#contract/survey.ts';
import { bucketLabel } from './buckets.logic.ts';

it('writes the English labels exactly as the spec (spec 110)', () => {
  const labels = AUDIENCE_BUCKETS.map((_, index) =>
    bucketLabel(index, 'en', ({ from, to }) => `${from} to ${to}`),
  );
  expect(labels).toEqual(AUDIENCE_BUCKETS.map((bucket) => bucket.label));
});

it('writes numbers as the language does', () => {
  expect(bucketLabel(1, 'de', ({ from, to }) => `${from} bis ${to}`)).toBe('1.001 bis 5.000');
});

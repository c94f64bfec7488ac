import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { nobodysCode } from './error-text.ts';

const ours = {
  message: 'Too large.',
  data: null,
  meta: { errors: [{ code: 'body_too_large' as const, message: '' }] },
};

test('a 413 that a proxy gives is told from the server’s own', () => {
  expect(nobodysCode(new ApiError(413, {}, null))).toBe('too_large_for_proxy');
  expect(nobodysCode(new ApiError(413, ours, null))).toBe(undefined);
});

test('an answer of a proxy whose server is away reads as if none had come', () => {
  expect(nobodysCode(new ApiError(0, {}, null))).toBe('offline');
  expect(nobodysCode(new ApiError(502, {}, null))).toBe('offline');
  expect(nobodysCode(new ApiError(403, {}, null))).toBe(undefined);
});

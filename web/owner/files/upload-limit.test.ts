import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { isLimitOfProxy } from './upload-limit.ts';

test('a 413 that a proxy gives is told from the server’s own', () => {
  const errors = [{ code: 'body_too_large' as const, message: '' }];
  expect(isLimitOfProxy(new ApiError(413, {}, null))).toBe(true);
  expect(isLimitOfProxy(new ApiError(413, { meta: { errors } }, null))).toBe(false);
  expect(isLimitOfProxy(new ApiError(502, {}, null))).toBe(false);
  expect(isLimitOfProxy(new TypeError('The upload broke off.'))).toBe(false);
});

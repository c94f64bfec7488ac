import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { isLimitOfProxy } from './upload-limit.ts';

test('an upload counts as refused by a proxy if its 413 has none of our errors', () => {
  const errors = [{ code: 'body_too_large' as const, message: '' }];
  expect(isLimitOfProxy(new ApiError(413, {}, null))).toBe(true);
  expect(isLimitOfProxy(new ApiError(413, { meta: { errors } }, null))).toBe(false);
  expect(isLimitOfProxy(new ApiError(502, {}, null))).toBe(false);
  expect(isLimitOfProxy(new TypeError('The upload broke off.'))).toBe(false);
});

import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import type { ErrorCode } from '#contract/errors.ts';
import { problemOfError, problemOfFile, shownAddress } from './image-field.logic.ts';

const KEPT = '/images/018f4e1c-0000-7000-8000-000000000000.webp';

test('a stored image is loaded from our own host, naming its site', () => {
  expect(shownAddress(`https://acme.example${KEPT}`, 'site-1')).toBe(`${KEPT}?site=site-1`);
});

test('an external address is not loaded before the image is stored', () => {
  for (const typed of ['', 'https:/', 'https://example.com/logo.png', 'javascript:alert(1)']) {
    expect(shownAddress(typed, 'site-1')).toBe('');
  }
});

test('an unsuitable file is reported before it is sent', () => {
  expect(problemOfFile({ size: 10, type: 'image/png' })).toBe(null);
  expect(problemOfFile({ size: 0, type: 'image/png' })).toBe('empty');
  expect(problemOfFile({ size: 3e6, type: 'image/png' })).toBe('too_large');
  expect(problemOfFile({ size: 10, type: 'application/pdf' })).toBe('not_an_image');
});

test('errors of the server are known by name, other failures are not', () => {
  const refused = (status: number, data: Record<string, unknown> | null) =>
    new ApiError(status, { data }, null);
  expect(problemOfError(refused(422, { problem: 'too_slow' }))).toBe('too_slow');
  const coded = (status: number, code: ErrorCode) =>
    new ApiError(status, { meta: { errors: [{ code, message: '' }] } }, null);
  expect(problemOfError(coded(413, 'body_too_large'))).toBe('too_large');
  expect(problemOfError(coded(415, 'unsupported_media_type'))).toBe('not_an_image');
  // Of a proxy, whose limit says nothing about ours.
  expect(problemOfError(refused(413, null))).toBe('proxy');
  expect(problemOfError(refused(422, { problem: 'news' }))).toBe(null);
  expect(problemOfError(refused(500, null))).toBe(null);
  expect(problemOfError(new Error('x'))).toBe(null);
});

import { describe, expect, test } from 'vitest';
import { prettyBody } from './http-body.ts';

describe('a body', () => {
  test('of JSON is indented', () => {
    expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  test('of anything else stays as it came', () => {
    expect(prettyBody('<h1>502</h1>')).toBe('<h1>502</h1>');
    expect(prettyBody('12345678901234567890')).toBe('12345678901234567890');
    expect(prettyBody('')).toBe('');
  });
});

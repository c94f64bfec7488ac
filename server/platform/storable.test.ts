import { describe, expect, it } from 'vitest';
import { storable, storableJson } from './storable.ts';

describe('a text from outside', () => {
  it('keeps everything but null characters and lone surrogates', () => {
    expect(storable('a\0b \ud83c\udf89 \ud83c c \udf89')).toBe('a\ufffdb 🎉 \ufffd c \ufffd');
    expect(storable('größe\n\t\u0001')).toBe('größe\n\t\u0001');
  });

  it.each([
    ['"\\u0000"', '\ufffd'],
    ['"\\uD83C"', '\ufffd'],
    ['"\\udf89\\ud83c"', '\ufffd\ufffd'],
    ['"\\ud83c\\uDF89\\ud83c"', '🎉\ufffd'],
    ['"\\ud83c\\ud83c\\udf89"', '\ufffd🎉'],
    ['"\\u00e9\\u0000\\n"', 'é\ufffd\n'],
    // A backslash, and after it letters that only look like an escape.
    ['"\\\\u0000"', '\\u0000'],
    ['"\\\\\\u0000"', '\\\ufffd'],
  ])('as the JSON %s is storable once it is parsed', (json, value) => {
    expect(JSON.parse(storableJson(json))).toBe(value);
  });

  it('as JSON has storable names, too', () => {
    expect(JSON.parse(storableJson('{"a\\u0000":"\0"}'))).toEqual({ 'a\ufffd': '\ufffd' });
  });

  it('that is no JSON stays as it is', () => {
    expect(storableJson('C:\\users\\')).toBe('C:\\users\\');
  });
});

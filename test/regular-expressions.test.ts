import { describe, expect, it } from 'vitest';
import { acceptedLanguages } from '#server/platform/http/accept-language.ts';
import { parseTimestamp } from '#server/connectors/timestamps.ts';
import { toldReason } from '#server/connectors/told-reason.ts';
import { withoutTrailingSlashes } from '#contract/trailing-slashes.ts';
import { faultOf, patternsIn } from '../scripts/patterns.mjs';

describe('the check of regular expressions', () => {
  it('finds those that are written down, and those that are put together', () => {
    const source = [
      'const written: RegExp = /a+/u;',
      "const named = new RegExp('b+', 'i');",
      'const composed = RegExp(`${written.source}c`);',
    ].join('\n');
    expect(patternsIn('some.ts', source)).toEqual({
      patterns: [
        { source: 'a+', flags: 'u', where: 'some.ts:1' },
        { source: 'b+', flags: 'i', where: 'some.ts:2' },
      ],
      composed: [{ code: 'RegExp(`${written.source}c`)', where: 'some.ts:3', file: 'some.ts' }],
    });
  });

  it('says which text keeps a pattern busy, and nothing of one that is linear', async () => {
    expect(await faultOf({ source: '\\/+$', flags: '' })).toMatch(
      /^takes 2nd degree polynomial time, such as/,
    );
    expect(await faultOf({ source: '^\\/+$', flags: '' })).toBeNull();
  });
});

describe('a text that a regular expression once read slowly', () => {
  it('is read as before', () => {
    expect(acceptedLanguages('de-AT ; q=0.5 , fr')).toEqual(['fr', 'de-AT']);
    expect(parseTimestamp('2026-01-02T03:04:05+01:00')?.toISOString()).toBe('2026-01-02T02:04:05.000Z');
    expect(parseTimestamp('2026-01-02 03:04')).toBeNull();
    expect(parseTimestamp('2026-01-02-01:00')).toBeNull();
    expect(withoutTrailingSlashes('https://app.example.com//')).toBe('https://app.example.com');
    expect(toldReason('No nora@example.com, or (vera@example.com@x), here @ all')).toBe(
      'No … or … here @ all',
    );
  });
});

import { expect, test } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { exactTimeFormat, signedPercent } from './formats.ts';

test.each(LANGUAGES)('an exact time names its zone (%s)', (language) => {
  const at = (timeZone: string) =>
    exactTimeFormat(language, timeZone).format(new Date('2026-11-24T13:03:05Z'));
  expect(at('Asia/Kolkata')).toMatch(/(GMT|UTC) ?\+5[:.]30$/);
  expect(at('UTC')).toMatch(/(UTC|GMT)$/);
  expect(at('Europe/Berlin')).toContain('03:05');
});

test.each(LANGUAGES)('a change has a sign, and a real minus (%s)', (language) => {
  expect(signedPercent(language, 0.234)).toMatch(/^\+23\s?%$/);
  expect(signedPercent(language, -0.12)).toMatch(/^−12\s?%$/);
  expect(signedPercent(language, 0)).toMatch(/^0\s?%$/);
});

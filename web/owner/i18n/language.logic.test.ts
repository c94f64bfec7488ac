import { expect, it } from 'vitest';
import { chooseLanguage, toLanguage } from './language.logic.ts';

it('the language is the choice, else the first browser language that we speak, else English (spec 85)', () => {
  expect(chooseLanguage('pl', ['de-AT'])).toBe('pl');
  expect(chooseLanguage(null, ['ja', 'de-AT', 'fr'])).toBe('de');
  expect(chooseLanguage(null, ['ja'])).toBe('en');
});

it('the language ignores the region', () => {
  expect(toLanguage('sl-SI')).toBe('sl');
  expect(toLanguage('default')).toBeNull();
});

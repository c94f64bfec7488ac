import { describe, expect, it } from 'vitest';
import { line } from '#contract/fields.ts';
import { cleanLine, languageSuffix, plainName, roughName } from './names.ts';

describe('a name', () => {
  it.each([
    ['Weekly News', 'weekly  news!'],
    ['Café & Küche', 'cafe kuche'],
    ['Straße', 'STRASSE'],
    ['Łódź', 'lodz'],
    ['Smørrebrød', 'SMORREBROD'],
    ['Sales: new-arrivals', 'sales new arrivals'],
    ['Šport', 'sport'],
  ])('%s is the same as %s', (one, other) => {
    expect(plainName(one)).toBe(plainName(other));
  });

  it.each([
    ['Offers', 'Offer'],
    ['Weekly news', 'Weekly newsletter'],
    ['Customers', 'Customers 2'],
    ['🎉', '🎁'],
  ])('%s is not the same as %s', (one, other) => {
    expect(plainName(one)).not.toBe(plainName(other));
  });

  it.each([
    ['Weekly newsletter', 'weekly', true],
    ['Offers', 'Offer', true],
    ['Weekly news', 'Monthly news', false],
    ['Newsletter', 'Liste', false],
  ])('%s resembles %s: %s', (one, other, expected) => {
    expect(roughName(one) === roughName(other)).toBe(expected);
  });
});

describe('a language at the end of a name', () => {
  it.each([
    ['Newsletter (DE)', 'Newsletter', 'de'],
    ['Newsletter [fr]', 'Newsletter', 'fr'],
    ['Newsletter – Deutsch', 'Newsletter', 'de'],
    ['Newsletter - German', 'Newsletter', 'de'],
    ['Weekly | Español', 'Weekly', 'es'],
    ['Weekly (en-GB)', 'Weekly', 'en'],
    ['Novice (slovenščina)', 'Novice', 'sl'],
  ])('%s is %s in %s', (name, base, language) => {
    expect(languageSuffix(name)).toEqual({ base, language });
  });

  it.each(['Newsletter', 'Newsletter (VIP)', '(DE)', 'Made in Germany', 'Jobs-IT', 'Newsletter DE'])(
    '%s has none',
    (name) => {
      expect(languageSuffix(name)).toBeNull();
    },
  );
});

it.each(['a\u0000b', 'x'.repeat(300), '\ud800 half', '  two\n lines ', `${'x'.repeat(98)}🎉🎉`])(
  'a tool’s name %j becomes a name that our lists accept',
  (name) => {
    expect(line(100).safeParse(cleanLine(name, 100)).success).toBe(true);
  },
);

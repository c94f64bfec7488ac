import { expect, test } from 'vitest';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import { MAX_COMPLAINT } from '#contract/complaints.ts';
import { PAUSE_DAYS, PAUSE_UNTIL } from '#contract/public-preferences.ts';
import { textsOf } from './locales.ts';
import { fill } from './texts.ts';
import * as onPage from './view.ts';

const english = textsOf('en');
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test.each(LANGUAGES)(
  '%s has every text that English has, with the same placeholders (spec 71)',
  (language) => {
    const texts = textsOf(language);
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim()).not.toBe('');
      expect(placeholders(text)).toEqual(placeholders(english[key as keyof typeof english]));
    }
  },
);

test.each(LANGUAGES)('%s uses correct typography', (language) => {
  for (const [key, text] of Object.entries(textsOf(language))) {
    expect(text, key).not.toMatch(/\.\.\.|"|\s--?\s| {2}/);
    if (language !== 'en') expect(text, key).not.toContain("'");
    // These never begin a line: the space before them does not break.
    if (language === 'fr') expect(text, key).not.toMatch(/(?<![\u00a0\u202f])[?!:;»]|«(?!\u00a0)/);
    else expect(text, key).not.toMatch(/\s[?!:;]/);
    if (language === 'de' || language === 'sl') expect(text, key).not.toMatch(/(?<!\u00a0)…/);
  }
});

// Nobody of a business knows these readers; the familiar form is not ours to choose.
const FAMILIAR: Partial<Record<Language, RegExp>> = {
  es: /(?<!\p{L})(?:tus?|te|ti|tuy[oa]s?|quieres|recibes|puedes|inténtalo)(?!\p{L})/iu,
  de: /(?<!\p{L})(?:du|dich|dir|dein\p{L}*)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:tu|te|toi|ton|tes)(?!\p{L})/iu,
  it: /(?<!\p{L})(?:tu|ti|tuo|tua|tuoi|tue)(?!\p{L})/iu,
  sl: /(?<!\p{L})(?:ti|tvoj\p{L}*|tebe)(?!\p{L})/iu,
  ro: /(?<!\p{L})(?:tu|tău|tale|tăi|te-ai|vei)(?!\p{L})/iu,
  pl: /(?<!\p{L})(?:ty|twoj\p{L}*|twój|ciebie)(?!\p{L})/iu,
};

test.each(Object.entries(FAMILIAR) as [Language, RegExp][])(
  '%s addresses people formally',
  (language, familiar) => {
    for (const [key, text] of Object.entries(textsOf(language))) expect(text, key).not.toMatch(familiar);
  },
);

test('the lengths of a pause need one plural form in every language', () => {
  for (const language of LANGUAGES) {
    const rules = new Intl.PluralRules(language);
    expect(new Set(PAUSE_DAYS.map((days) => rules.select(days))).size, language).toBe(1);
  }
});

test('the page offers the pauses that the server accepts', () => {
  expect({ days: onPage.PAUSE_DAYS, until: onPage.PAUSE_UNTIL }).toEqual({
    days: PAUSE_DAYS,
    until: PAUSE_UNTIL,
  });
});

test('the page accepts complaints as long as the server does', () => {
  expect(onPage.MAX_COMPLAINT).toBe(MAX_COMPLAINT);
});

test('the English texts are those of the specification (spec 67)', () => {
  expect(english).toMatchObject({
    'pref_template.saved': 'Your preferences have been saved',
    'pref_template.email_updated': 'Email updated!',
    'pref_template.title': 'Update your preferences',
    'pref_template.for': 'for ',
    'pref_template.saved_short': 'Saved!',
    'document.title': 'Preferences',
  });
});

test('known placeholders are filled, and unknown ones left', () => {
  expect(fill('for {email} {other}', { email: '{email}' })).toBe('for {email} {other}');
});

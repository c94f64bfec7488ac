import { expect, test } from 'vitest';
import { LANGUAGES } from '#contract/fields.ts';
import { textsOf } from './locales.ts';
import { fill } from './texts.ts';

const english = textsOf('en');
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test.each(LANGUAGES)('%s says everything that English says, with the same placeholders', (language) => {
  const texts = textsOf(language);
  expect(Object.keys(texts)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(texts)) {
    expect(text.trim()).not.toBe('');
    expect(placeholders(text)).toEqual(placeholders(english[key as keyof typeof english]));
  }
});

test('English uses the words of the specification', () => {
  expect(english).toMatchObject({
    'pref_template.saved': 'Your preferences have been saved',
    'pref_template.email_updated': 'Email updated!',
    'pref_template.title': 'Update your preferences',
    'pref_template.for': 'for ',
    'pref_template.saved_short': 'Saved!',
    'document.title': 'Preferences',
  });
});

test('fills placeholders and leaves unknown ones', () => {
  expect(fill('for {email} {other}', { email: '{email}' })).toBe('for {email} {other}');
});

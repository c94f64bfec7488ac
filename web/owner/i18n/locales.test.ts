import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '#contract/fields.ts';

const ROOT = new URL('../locales/', import.meta.url);
const PLURAL = /_(zero|one|two|few|many|other)$/;
const namespaces = readdirSync(new URL('en/', ROOT));

function textsOf(language: Language, file: string): Map<string, string> {
  const texts = new Map<string, string>();
  function collect(value: unknown, key: string) {
    if (typeof value === 'string') texts.set(key, value);
    else
      for (const [part, inner] of Object.entries(value ?? {}))
        collect(inner, key === '' ? part : `${key}.${part}`);
  }
  collect(JSON.parse(readFileSync(new URL(`${language}/${file}`, ROOT), 'utf8')), '');
  return texts;
}

function stems(texts: Map<string, string>): string[] {
  return [...new Set([...texts.keys()].map((key) => key.replace(PLURAL, '')))].toSorted();
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\{\w+\}\}/g))].toSorted();
}

describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
  it.each(namespaces)('has every text of %s, with its placeholders', (file) => {
    const english = textsOf('en', file);
    const texts = textsOf(language, file);
    expect(stems(texts)).toEqual(stems(english));
    for (const [key, text] of texts) {
      const original = english.get(key);
      if (original !== undefined && !PLURAL.test(key))
        expect(placeholders(text), key).toEqual(placeholders(original));
    }
  });

  it.each(namespaces)('has every plural form that it needs in %s', (file) => {
    const texts = textsOf(language, file);
    const plurals = new Set(
      [...textsOf('en', file).keys()]
        .filter((key) => key.endsWith('_other'))
        .map((key) => key.replace(PLURAL, '')),
    );
    const rules = new Intl.PluralRules(language);
    const needed = new Set(Array.from({ length: 200 }, (_, count) => rules.select(count)));
    for (const stem of plurals) {
      for (const form of needed) expect(texts.has(`${stem}_${form}`), `${stem}_${form}`).toBe(true);
    }
  });
});

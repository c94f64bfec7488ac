import { LANGUAGES, type Language } from '#contract/fields.ts';

export { LANGUAGE_NAMES } from '#web/page/languages.ts';

export function toLanguage(tag: string | null | undefined): Language | null {
  const base = tag?.toLowerCase().split('-')[0];
  return LANGUAGES.find((language) => language === base) ?? null;
}

/** The owner's choice, else the first of the browser's languages that we support, else English. */
export function chooseLanguage(chosen: string | null, browserLanguages: readonly string[]): Language {
  return toLanguage(chosen) ?? browserLanguages.map(toLanguage).find((language) => language !== null) ?? 'en';
}

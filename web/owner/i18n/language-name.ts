import type { Language } from '#contract/fields.ts';

/** `German` for `de`, in the reader's language. */
export function languageName(language: Language, locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'language' }).of(language) ?? language;
}

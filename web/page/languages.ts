import type { Language } from '#contract/fields.ts';

/** Each language's own name. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
  sl: 'Slovenščina',
  ro: 'Română',
  pl: 'Polski',
};

import type { Language } from '#contract/fields.ts';

const MAX = 60;

const QUOTES: Record<Language, readonly [string, string]> = {
  en: ['“', '”'],
  es: ['«', '»'],
  de: ['„', '“'],
  fr: ['« ', ' »'],
  it: ['“', '”'],
  sl: ['„', '“'],
  ro: ['„', '”'],
  pl: ['„', '”'],
};

const WORD_JOINER = '\u2060';

/**
 * A name in a mail to somebody who may never have heard of us: in quotation marks, short, on one line, and nothing that a
 * mail program takes for a link.
 */
export function quotedName(name: string, language: Language): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll(/["“”„«»]/g, '')
    .trim();
  const letters = [...plain];
  const short =
    letters.length > MAX
      ? `${letters
          .slice(0, MAX - 1)
          .join('')
          .trim()}…`
      : plain;
  const [opening, closing] = QUOTES[language];
  return `${opening}${short.replaceAll(/[.:/@](?=\S)/g, `$&${WORD_JOINER}`)}${closing}`;
}

import { LANGUAGES, type Language } from '#contract/fields.ts';
import { withoutAccents } from '#contract/latin.ts';

/* Which names mean the same thing. Equal names do; for similar names, the owner decides. */

const words = (text: string) => text.split(' ').filter((word) => word !== '');

/** The name in lower case, without accents and punctuation. Names that are equal then are the same. */
export function plainName(name: string): string {
  const latin = withoutAccents(name);
  const plain = words(latin.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')).join(' ');
  // Only symbols, such as an emoji.
  return plain === '' ? latin.trim() : plain;
}

/** Words that don't say what is sent. */
const NOISE = new Set([
  ...['newsletter', 'newsletters', 'news', 'list', 'email', 'emails', 'mail', 'mails', 'mailing', 'mailings'],
  ...['subscriber', 'subscribers', 'liste', 'lista', 'lettre', 'boletin', 'novice', 'nowosci'],
]);

const singular = (word: string) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word);

/** What is left of a name without words such as "newsletter" and without plurals. */
export function roughName(name: string): string {
  const all = words(plainName(name));
  const telling = all.filter((word) => !NOISE.has(word));
  return (telling.length === 0 ? all : telling).map(singular).join(' ');
}

/** The names of the languages, in each of them, and their codes. */
const LANGUAGE_NAMES: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) => {
    const names = LANGUAGES.flatMap(
      (shown) => new Intl.DisplayNames([shown], { type: 'language' }).of(language) ?? [],
    );
    return [language, ...names].map((name) => [plainName(name), language] as const);
  }),
);

function languageIn(text: string): Language | null {
  const named = LANGUAGE_NAMES.get(plainName(text));
  if (named !== undefined) return named;
  // A code with a country, such as de-AT.
  const [, code = ''] = /^([a-z]{2})[-_][a-z]{2}$/i.exec(text.trim()) ?? [];
  return LANGUAGE_NAMES.get(code.toLowerCase()) ?? null;
}

const SUFFIXES = [
  /^(.*\S)\s*[([]([^()[\]]+)[)\]]\s*$/u,
  /^(.*\S)\s+[-–—|/:·]\s+([^\s\-–—|/:·][^-–—|/:·]*)$/u,
];

/** `Newsletter (DE)` and `Newsletter – Deutsch` are "Newsletter" in German; null where a name ends with no language. */
export function languageSuffix(name: string): { base: string; language: Language } | null {
  for (const suffix of SUFFIXES) {
    const [, base = '', said = ''] = suffix.exec(name) ?? [];
    const language = base === '' ? null : languageIn(said);
    if (language !== null) return { base: base.trim(), language };
  }
  return null;
}

/** One line of text as our own fields take it. */
export function cleanLine(text: string, max: number): string {
  const printable = text.toWellFormed().replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ');
  const short = words(printable.replaceAll(/\s+/gu, ' ')).join(' ');
  return short.length <= max
    ? short
    : `${short
        .slice(0, max - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

import type { Language } from '#contract/fields.ts';
import { fill } from './texts.ts';
import { listText, type PublicList } from './view.ts';

/** Of more lists, the first two are named, and the others counted. */
const MOST_NAMES = 3;

/** The names of some lists, as one part of a sentence; `more`: the text that counts the others. */
export function listNames(lists: readonly PublicList[], language: Language, more: string): string {
  const names = lists.map((list) => listText(list, language).name);
  const named = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names;
  const rest = names.length - named.length;
  const parts = rest > 0 ? [...named, fill(more, { count: String(rest) })] : named;
  return new Intl.ListFormat(language).format(parts);
}

import type { HandbookSection } from '#contract/handbook.ts';

/** What a word weighs where it stands. */
const WEIGHTS = { heading: 12, page: 8, text: 1 } as const;

/** More than any part of a page weighs. */
const TITLED = 1000;

/** Lower case, without accents, so that what is typed in a hurry is found. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** How often one of the words begins like this; a whole word counts twice. */
function hitsIn(words: readonly string[], wanted: string): number {
  const hits = words.filter((word) => word.startsWith(wanted));
  return Math.min(hits.length, 5) + (hits.includes(wanted) ? 1 : 0);
}

interface Prepared {
  section: HandbookSection;
  words: Record<keyof typeof WEIGHTS, string[]>;
}

/** @returns sections that have every word of what is typed, the best first */
export function createSearch(
  sections: readonly HandbookSection[],
): (typed: string, most: number) => HandbookSection[] {
  const prepared = sections.map((section): Prepared => ({
    section,
    words: {
      heading: wordsOf(section.heading),
      page: wordsOf(section.page),
      text: wordsOf(section.text),
    },
  }));
  return (typed, most) => {
    const wanted = wordsOf(typed);
    if (wanted.length === 0) return [];
    return prepared
      .map(({ section, words }) => ({ section, score: scoreOf(words, wanted, section.heading === '') }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, most)
      .map(({ section }) => section);
  };
}

function scoreOf(words: Prepared['words'], wanted: readonly string[], isBeginning: boolean): number {
  let score = 0;
  for (const word of wanted) {
    const places = Object.entries(WEIGHTS) as [keyof typeof WEIGHTS, number][];
    const found = places.reduce((sum, [place, weight]) => sum + weight * hitsIn(words[place], word), 0);
    if (found === 0) return 0;
    score += found;
  }
  // Pages whose title has the words come before parts of pages.
  const isTitled = isBeginning && wanted.every((word) => hitsIn(words.page, word) > 0);
  return isTitled ? score + TITLED : score;
}

/** The text around the first word that was found; ends at words. */
export function excerptOf(text: string, typed: string, length = 120): string {
  if (text.length <= length) return text;
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const places = wordsOf(typed)
    .map((word) => plain.indexOf(word))
    .filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - 40);
  const start = from === 0 || places.length === 0 ? 0 : text.indexOf(' ', from) + 1;
  const cut = text.slice(start, start + length).replace(/\s\S*$/, '');
  return `${start > 0 ? '…' : ''}${cut}…`;
}

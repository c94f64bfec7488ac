/** Letters that decompose into no other letter and an accent. */
const LETTERS: readonly (readonly [string, string])[] = [
  ['ß', 'ss'],
  ['ł', 'l'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['æ', 'ae'],
  ['œ', 'oe'],
];

/** Text in lower case and without accents: `Smørrebrød & Café` gives `smorrebrod & cafe`. */
export function withoutAccents(text: string): string {
  const lower = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return LETTERS.reduce((plain, [letter, latin]) => plain.replaceAll(letter, latin), lower);
}

/*
 * What comes from outside may hold what no text in PostgreSQL may: a null character, or half of a surrogate pair, which
 * jsonb refuses. Where it comes in, each becomes a replacement character.
 */

export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

// Whole pairs and other escapes are matched, too, so that none of their parts is taken for one of the others.
const ESCAPES = /\\u(?:d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|[\da-f]{4})|\\[^]/gi;
const UNSTORABLE = /^\\u(?:0000|d[89a-f][\da-f]{2})$/i;

/** The same for a text that may be JSON: whoever parses it gets what can be stored. */
export function storableJson(text: string): string {
  const plain = storable(text);
  if (!/\\u(?:0000|d[89a-f])/i.test(plain)) return plain;
  return plain.replaceAll(ESCAPES, (escape) => (UNSTORABLE.test(escape) ? '\\ufffd' : escape));
}

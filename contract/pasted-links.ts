/*
 * Links arrive as mail programs and people pass them on: with a full stop or a bracket at their end, wrapped in the
 * middle, half decoded. These functions only drop what can't belong to a value; whether it's valid is for its signature
 * to say.
 */

/** A challenge is 72 bytes in base64url. */
export const CHALLENGE_LENGTH = 96;

/** Longer than what any mail program makes of a challenge. */
export const MAX_PASTED_CHALLENGE = 400;

/** A wrapped line, with or without the `=` of quoted-printable, and characters that nobody sees. */
const WITHIN = /[\s=\p{Cc}\p{Cf}]+/gu;
const NOT_OF_A_WORD = /[^\w-]+/;

/** `=` in quoted-printable, left behind where a value was not decoded. */
const ENCODED_EQUALS = '3D';

function decodedAgain(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}

function wordsIn(text: string): string[] {
  return text.split(NOT_OF_A_WORD).filter((word) => word !== '');
}

const unwrapped = (text: string) => decodedAgain(text).replace(WITHIN, '');

const longest = (words: readonly string[]) =>
  words.reduce((best, word) => (word.length > best.length ? word : best), '');

/** The signed or encrypted value in a pasted text; empty if there is none. */
export function tokenIn(text: string): string {
  return longest(wordsIn(unwrapped(text)));
}

/** The challenge in a pasted text; anything else that isn't one if there is none. */
export function challengeIn(text: string): string {
  // A text that follows it must not become part of it.
  for (const words of [wordsIn(decodedAgain(text)), wordsIn(unwrapped(text))]) {
    for (const word of words.map((one) => withoutEncodedEquals(one, CHALLENGE_LENGTH))) {
      if (word.length === CHALLENGE_LENGTH) return word;
    }
  }
  return tokenIn(text);
}

function withoutEncodedEquals(word: string, length: number): string {
  const isLonger = word.length === ENCODED_EQUALS.length + length;
  return isLonger && word.startsWith(ENCODED_EQUALS) ? word.slice(ENCODED_EQUALS.length) : word;
}

/** The only word in a pasted text; null if there are more, or none. */
export function onlyWordIn(text: string): string | null {
  const [word, ...others] = wordsIn(unwrapped(text));
  return word === undefined || others.length > 0 ? null : word;
}

/** The one of `values` that a pasted text means; null if it could be anything else. */
export function valueIn<Value extends string>(text: string, values: readonly Value[]): Value | null {
  const word = onlyWordIn(text) ?? '';
  return values.find((value) => withoutEncodedEquals(word, value.length) === value) ?? null;
}

const ID_LENGTH = 36;

/** An id in a pasted text; the text itself if it could be anything else. */
export function idIn(text: string): string {
  const id = withoutEncodedEquals(onlyWordIn(text) ?? '', ID_LENGTH);
  return id.length === ID_LENGTH ? id : text;
}

/** The name of a query parameter, where `&amp;` was not decoded. */
export function parameterName(name: string): string {
  return name.replace(/^(?:amp;)+/, '');
}

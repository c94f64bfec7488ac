import { describe, expect, it } from 'vitest';
import { challengeIn, idIn, onlyWordIn, parameterName, tokenIn, valueIn } from './pasted-links.ts';

const CHALLENGE = `${'aZ09-_bY'.repeat(11)}3D-_quot`;
const SEALED = `${'kX7_-q'.repeat(40)}Zz`;
const ID = '0198c0de-7000-7000-8000-000000000000';

const broken = (token: string, by: string) => `${token.slice(0, 40)}${by}${token.slice(40)}`;

/** How mail programs and people pass a value on, after the URL's own decoding. */
const PASSED_ON: [how: string, pass: (token: string) => string][] = [
  ['as it is', (token) => token],
  ['with the full stop of its sentence', (token) => `${token}.`],
  ['in brackets', (token) => `(<${token}>)`],
  ['with a comma', (token) => `${token},`],
  ['with the quote of its attribute', (token) => `${token}"`],
  ['with a straight apostrophe', (token) => `${token}'`],
  ['with a typographic quote', (token) => `„${token}“`],
  ['with a quote as an entity', (token) => `${token}&quot;`],
  ['with a bracket as an entity', (token) => `${token}&gt;`],
  ['with a slash', (token) => `${token}/`],
  ['with spaces', (token) => ` ${token} `],
  ['with a space that does not break', (token) => `${token}\u00a0`],
  ['with a zero-width space', (token) => `${token}\u200b`],
  ['with a byte order mark', (token) => `\ufeff${token}`],
  ['wrapped by quoted-printable', (token) => broken(token, '=\r\n')],
  ['wrapped, the line end gone', (token) => broken(token, '=')],
  ['wrapped, encoded twice', (token) => broken(token, '%3D%0D%0A')],
  ['on two lines', (token) => broken(token, '\n')],
  ['on two lines, with an indent', (token) => broken(token, '\r\n  ')],
  ['with a soft hyphen', (token) => broken(token, '\u00ad')],
  ['with an encoded quote, encoded twice', (token) => `${token}%22`],
];

describe('a value from a link that was passed on', () => {
  it.each(PASSED_ON)('%s is read unchanged', (_, pass) => {
    expect(challengeIn(pass(CHALLENGE))).toBe(CHALLENGE);
    expect(tokenIn(pass(SEALED))).toBe(SEALED);
  });

  it.each(PASSED_ON.filter(([how]) => !how.includes('entity')))('%s yields the one id in it', (_, pass) => {
    expect(idIn(pass(ID))).toBe(ID);
  });

  it('loses the equals sign of quoted-printable where its length shows it', () => {
    expect(challengeIn(`3D${CHALLENGE}`)).toBe(CHALLENGE);
    expect(idIn(`3D${ID}`)).toBe(ID);
    expect(valueIn('3Dsubscribe', ['subscribe', 'unsubscribe'])).toBe('subscribe');
    expect(tokenIn(`3D${SEALED}`)).toBe(`3D${SEALED}`);
  });

  it('is read without the words after it', () => {
    expect(challengeIn(`${CHALLENGE} and more`)).toBe(CHALLENGE);
    expect(challengeIn(`${CHALLENGE}. And more`)).toBe(CHALLENGE);
  });

  it('keeps what could belong to it, so that its signature can reject it', () => {
    for (const text of [`${CHALLENGE}x`, `${CHALLENGE}-`, CHALLENGE.slice(1), `${CHALLENGE}3D`, 'c1']) {
      expect(challengeIn(text)).toBe(text);
    }
    expect([challengeIn('.'), tokenIn('\u200b')]).toEqual(['', '']);
  });

  it('is never read as a subscription that it does not clearly ask for', () => {
    const states = ['subscribe', 'unsubscribe'] as const;
    expect(valueIn('un=\r\nsubscribe.', states)).toBe('unsubscribe');
    for (const text of [
      'un.subscribe',
      'un,subscribe',
      'subscribe,unsubscribe',
      'xsubscribe',
      'Subscribe',
      '',
    ]) {
      expect(valueIn(text, states)).toBeNull();
    }
    expect(idIn(`${ID},${ID}`)).toBe(`${ID},${ID}`);
  });

  it('is read as a single word, or not at all', () => {
    expect([onlyWordIn('preferences)'), onlyWordIn('robots.txt'), onlyWordIn('.')]).toEqual([
      'preferences',
      null,
      null,
    ]);
  });

  it('has a name without the remains of an HTML-encoded ampersand', () => {
    const names = ['challenge', 'amp;challenge', 'amp;amp;state', 'amp', 'xamp;y'];
    expect(names.map(parameterName)).toEqual(['challenge', 'challenge', 'state', 'amp', 'xamp;y']);
  });
});

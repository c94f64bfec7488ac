import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEmail } from './email-address.ts';
import { emailKey, isSameAddress } from './email-key.ts';

describe('the key of an address', () => {
  it.each([
    ['ana@example.com', 'ana@example.com'],
    [' Ana@EXAMPLE.com ', 'ana@example.com'],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    ['Ana@BÜCHER.Example', 'ana@xn--bcher-kva.example'],
    ['ana@XN--BCHER-KVA.example', 'ana@xn--bcher-kva.example'],
    // u and its diaeresis as two characters
    ['ana@bu\u0308cher.example', 'ana@xn--bcher-kva.example'],
    ['ａｎａ@ｅｘａｍｐｌｅ.com', 'ana@example.com'],
    ['ana＠example．com', 'ana@example.com'],
    ['ana@example。com', 'ana@example.com'],
    ['\u00a0ana@example.com\u3000', 'ana@example.com'],
    ['JOSÉ@example.com', 'josé@example.com'],
    ['jose\u0301@example.com', 'josé@example.com'],
    ['ΝΙΚΟΣ@example.com', 'νικοσ@example.com'],
    ['νικος@example.com', 'νικοσ@example.com'],
    ['\u212aim@example.com', 'kim@example.com'],
    // The last letter of this domain is a sigma of its own (IDNA 2008); its capital is the other one.
    ['c@βόλος.com', 'c@xn--nxasmm1c.com'],
    ['c@xn--nxasmm1c.com', 'c@xn--nxasmm1c.com'],
    ['c@ΒΌΛΟΣ.com', 'c@xn--nxasmq6b.com'],
    ['c@βόλοσ.com', 'c@xn--nxasmq6b.com'],
    ['ana@STRAẞE.example', 'ana@xn--strae-oqa.example'],
    ['user@نامه\u200cای.com', 'user@xn--mgba3gch31f060k.com'],
    ['i@I❤.ws', 'i@xn--i-7iq.ws'],
    ['ana@example.com.', 'ana@example.com'],
    ['ana@bücher.example。', 'ana@xn--bcher-kva.example'],
    ['a\u200bna@ex\u00adample.com', 'ana@example.com'],
    ['"Ana"@example.com', 'ana@example.com'],
    ['"foo..bar"@docomo.example', 'foo..bar@docomo.example'],
    ['"John Doe"@example.com', '"john doe"@example.com'],
    // What the DNS can't have is still told apart, label by label.
    ['ana@1\u05d0.BÜCHER.example', 'ana@1\u05d0.xn--bcher-kva.example'],
    ['ana@ü/x.example', 'ana@ü/x.example'],
    ['ana@ü%61.example', 'ana@ü%61.example'],
    ['ana@１.２', 'ana@1.2'],
  ])('of %s is %s', (typed, key) => {
    expect(emailKey(typed)).toBe(key);
    expect(emailKey(key)).toBe(key);
  });

  it.each([
    ['strauß@example.com', 'strauss@example.com'],
    ['mıke@example.com', 'mike@example.com'],
    ['ana+news@example.com', 'ana@example.com'],
    ['a.na@example.com', 'ana@example.com'],
    // Cyrillic a
    ['\u0430na@example.com', 'ana@example.com'],
    ['ana@straße.example', 'ana@strasse.example'],
    ['c@βόλος.com', 'c@βόλοσ.com'],
    ['İna@example.com', 'ina@example.com'],
    ['"a b"@example.com', '"a  b"@example.com'],
    ['a..b@example.com', 'a.b@example.com'],
    ['a.@example.com', 'a@example.com'],
    // The Thai letter and the mark in it make the word.
    ['นำ@example.com', 'นา@example.com'],
  ])('tells %s from %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });

  it('can be made for the beginning of an address, too', () => {
    expect(emailKey('Ana')).toBe('ana');
    expect(emailKey('ana@bücher')).toBe('ana@xn--bcher-kva');
    expect(emailKey('')).toBe('');
  });
});

const LABELS = [
  'bücher',
  'βόλος',
  'βόλοσ',
  'straße',
  'strasse',
  'пример',
  'उदाहरण',
  'ตัวอย่าง',
  'نامه\u200cای',
  '例え',
  'i❤',
  'ab',
];

const label = fc.oneof(
  fc.constantFrom(...LABELS),
  fc
    .array(fc.constantFrom(...'aZ9éüßςσΣжЖאあนनिي'), { minLength: 1, maxLength: 8 })
    .map((letters) => letters.join('')),
);
const local = fc.oneof(
  fc.constantFrom(
    'ana',
    'a..b',
    'a.',
    '.a',
    "o'brien",
    'pelé',
    'νίκος',
    'หนึ่ง',
    'नमस्ते',
    'почта',
    'strauß',
    'mıke',
  ),
  fc
    .array(fc.constantFrom(...'abzé.+-_ßıжน'), { minLength: 1, maxLength: 8 })
    .map((letters) => letters.join('')),
);

/** Other ways to write the same mailbox. */
const SPELLINGS: ((local: string, domain: string) => string)[] = [
  (of, domain) => `${of}@${domainToUnicode(emailKey(`x@${domain}`).slice(2))}`,
  (of, domain) => emailKey(`${of}@${domain}`),
  (of, domain) => `${of.normalize('NFD')}@${domain.normalize('NFD')}`,
  (of, domain) => `"${of}"@${domain}`,
  (of, domain) => `${of}@${domain}.`,
  (of, domain) => `${of}@${domain.replaceAll('.', '。')}`,
  (of, domain) => `${of}＠${domain.replaceAll('.', '．')}`,
  (of, domain) => `  ${of}@\u200b${domain}\u00ad\n`,
  (of, domain) => `${of.replace(/[a-z]/g, (letter) => letter.toUpperCase())}@${domain}`,
  (of, domain) =>
    `${of}@${domain.replace(/\p{Ll}/gu, (letter) => ('ςßı'.includes(letter) ? letter : letter.toUpperCase()))}`,
  (of, domain) => `${of}@${emailKey(`x@${domain}`).slice(2).toUpperCase()}`,
  (of, domain) => `<mailto:${encodeURIComponent(of)}@${domain}>`,
];

describe('every spelling of a mailbox', () => {
  it('has the same key before and after parsing', () => {
    fc.assert(
      fc.property(local, fc.array(label, { minLength: 1, maxLength: 2 }), (of, labels) => {
        const domain = [...labels, 'example'].join('.');
        const address = readEmail(`${of}@${domain}`);
        fc.pre(address !== null);
        const key = emailKey(address);
        for (const spell of SPELLINGS) {
          const spelling = spell(of, domain);
          const read = readEmail(spelling);
          expect(read, spelling).not.toBeNull();
          expect(emailKey(read ?? ''), spelling).toBe(key);
          if (!spelling.startsWith('<')) expect(emailKey(spelling), spelling).toBe(key);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never has the key of another mailbox', () => {
    const mailbox = fc.tuple(local, label);
    fc.assert(
      fc.property(mailbox, mailbox, ([one, at], [other, where]) => {
        fc.pre(readEmail(`${one}@${at}.example`) !== null && readEmail(`${other}@${where}.example`) !== null);
        const isSameLocal =
          one.toLowerCase().replaceAll('ς', 'σ') === other.toLowerCase().replaceAll('ς', 'σ');
        const isSameDomain =
          new URL(`http://${at}.example`).hostname === new URL(`http://${where}.example`).hostname;
        expect(isSameAddress(`${one}@${at}.example`, `${other}@${where}.example`)).toBe(
          isSameLocal && isSameDomain,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its key when the key is computed from it again, whatever the text', () => {
    const isStable = (text: string) => emailKey(emailKey(text)) === emailKey(text);
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(fc.property(text, text, (one, other) => isStable(`${one}@${other}`)));
    const letters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCodePoint(code));
    const changing = letters.filter(
      (one) => /\p{DI}/u.test(one) || one.normalize('NFKC').toLowerCase() !== one,
    );
    expect(changing.filter((letter) => !isStable(`a${letter}b@ü${letter}x.com`))).toEqual([]);
  });
});

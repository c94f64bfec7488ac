import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEmail, SIMPLE_EMAIL } from './email-address.ts';
import { email } from './fields.ts';

const TAKEN = [
  "o'brien@example.com",
  'UPPER.Case@Example.COM',
  'plus+tag@example.com',
  'foo..bar@docomo.example',
  'foo.@ezweb.example',
  '.lead@example.com',
  '-dash@example.com',
  'role/slash@example.com',
  '"john doe"@example.com',
  String.raw`"a\"b\\c,d@e"@example.com`,
  'user@sub_domain.example.com',
  'user@münchen.example',
  'user@xn--mnchen-3ya.example',
  'pelé@example.com',
  'почта@пример.рф',
  'हिन्दी@उदाहरण.भारत',
  'อีเมล@ตัวอย่าง.ไทย',
  'மின்னஞ்சல்@உதாரணம்.இந்தியா',
  'col·lega@paral·lel.cat',
  'user@نامه\u200cای.com',
  'i@i❤.ws',
  'user@[192.0.2.1]',
  'user@[IPv6:2001:db8::1]',
  'a@b.photography',
  'a@b.c',
  `${'a'.repeat(64)}@example.com`,
];

describe('an address', () => {
  it.each(TAKEN)('%s is accepted as it is', (address) => {
    expect(readEmail(address)).toBe(address);
    expect(email.parse(address)).toBe(address);
  });

  it.each([
    ['nora\u200b@example.com', 'nora@example.com'],
    ['\ufeffnora@exam\u00adple.com\u200e', 'nora@example.com'],
    ['no\u200cra@example.com', 'nora@example.com'],
    ['поч\u200dта@example.com', 'почта@example.com'],
    ['\u00a0nora@example.com\u3000\n', 'nora@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ｎｏｒａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'nora@example.com'],
    ['nora@example。com', 'nora@example.com'],
    ['nora@münchen．example', 'nora@münchen.example'],
    ['o’brien@example.com', "o'brien@example.com"],
    ['‘nora@example.com’', 'nora@example.com'],
    ['mailto:nora@example.com', 'nora@example.com'],
    ['MAILTO:nora%2Bnews@example.com?subject=Hello@all', 'nora+news@example.com'],
    ['<nora@example.com>', 'nora@example.com'],
    ['Nora Berg <nora@example.com>', 'nora@example.com'],
    ['"Berg, Nora" <nora@example.com>;', 'nora@example.com'],
    ['"Nora <3" <nora@example.com>', 'nora@example.com'],
    [String.raw`"\"Nora\" <Berg>"<nora@example.com>`, 'nora@example.com'],
    ['""Nora"" <nora@example.com>', 'nora@example.com'],
    ['nora@example.com <NORA@example.com>', 'NORA@example.com'],
    ['<mailto:nora@example.com>', 'nora@example.com'],
    ['"nora@example.com"', 'nora@example.com'],
    ["'nora@example.com'", 'nora@example.com'],
    ['“nora@example.com”', 'nora@example.com'],
    ['«nora@example.com»', 'nora@example.com'],
    ['nora@example.com.', 'nora@example.com'],
    ['nora@example.com;', 'nora@example.com'],
    ['nora@example.com,', 'nora@example.com'],
    ['"nora"@example.com', 'nora@example.com'],
    [String.raw`"n\ora"@example.com`, 'nora@example.com'],
    ['"foo..bar"@docomo.example', 'foo..bar@docomo.example'],
  ])('%j is normalized to %s', (written, address) => {
    expect(readEmail(written)).toBe(address);
    expect(email.parse(written)).toBe(address);
  });

  it.each([
    '',
    'nora',
    '@example.com',
    'nora@',
    'nora@localhost',
    'nora berg@example.com',
    'nora@exam ple.com',
    'nora@@example.com',
    'nora@ben@example.com',
    'nora,ben@example.com',
    'nora@example.com, ben@example.com',
    'nora@example.com;ben@example.com',
    'nora@example.com..',
    'Nora <nora@example.com>, Ben <ben@example.com>',
    'ben@example.com <nora@example.com>',
    '"<ben@example.com>" <nora@example.com>',
    '"Ben <ben@example.com>" <nora@example.com>',
    'Ben <3 <nora@example.com>',
    'nora(work)@example.com',
    'nora@-example.com',
    'nora@example-.com',
    'nora@example..com',
    'nora@.example.com',
    'nora@[999.0.2.1]',
    'nora@[IPv6:zzz]',
    'nora@exa%6Dple.com',
    'nora@exa\u0000mple.com',
    'nora\r\nBcc: ben@example.com',
    '"nora\r\nBcc: ben"@example.com',
    '"nora\u0000"@example.com',
    // A mail program would leave out the brackets, and write to another mailbox.
    '"nora<ben>"@example.com',
    'jos\ufffd@example.com',
    'nora@example.com\ud800',
    'nora\ufe6bben@example.com',
    '“nora@example.com',
    // No name of the DNS: these two letters can't stand side by side.
    'nora@1\u05d0.example',
    `${'a'.repeat(65)}@example.com`,
    `${'ж'.repeat(33)}@example.com`,
    `nora@${'a'.repeat(64)}.com`,
    `nora@${'ü'.repeat(60)}.com`,
    `nora@${'example.'.repeat(32)}com`,
    `"${'\\"'.repeat(40)}"@example.com`,
  ])('%j is refused', (written) => {
    expect(readEmail(written)).toBeNull();
    expect(email.safeParse(written).success).toBe(false);
  });

  it('is accepted by the form if it has text, @, text, a dot and text', () => {
    expect(TAKEN.filter((address) => !SIMPLE_EMAIL.test(address))).toEqual([
      '"john doe"@example.com',
      String.raw`"a\"b\\c,d@e"@example.com`,
      'user@[IPv6:2001:db8::1]',
    ]);
  });

  it('is parsed at once, however long and odd the text is', () => {
    for (const part of ['"', '<', 'mailto:', 'a.', 'a@', '-', '\\"', 'a-', '\u200c', '.;'])
      expect(readEmail(`${part.repeat(200_000)}@`)).toBeNull();
  });

  it('stays the same when it is parsed again', () => {
    const part = fc.constantFrom(
      'a',
      '.',
      '"',
      '@',
      ' ',
      'é',
      '<',
      '>',
      '\\',
      ';',
      'mailto:',
      '-',
      '\u200c',
      'न',
      '्',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.array(part, { maxLength: 10 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, text, (local, rest) => {
        const address = readEmail(`${local}@${rest}.com`);
        if (address !== null) expect(readEmail(address)).toBe(address);
      }),
      { numRuns: 150 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { createKeyring } from '#server/platform/secrets.ts';
import { anonymiseIp, evidenceHash, decryptPerson, encryptPerson } from './evidence.ts';

const SITE = '01900000-0000-7000-8000-000000000000';

describe('an address in the evidence', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0'],
    ['::ffff:203.0.113.77', '203.0.113.0'],
    ['::FFFF:203.0.113.77', '203.0.113.0'],
    ['2001:db8:85a3:8d3:1319:8a2e:370:7348', '2001:db8:85a3::'],
    ['2001:0DB8:0000:8d3::1', '2001:db8:0::'],
    ['2001:db8::1', '2001:db8:0::'],
    ['::1', '0:0:0::'],
    ['fe80::1%eth0', 'fe80:0:0::'],
    ['not an address', null],
    ['', null],
  ])('%s is stored as %s', (ip, kept) => {
    expect(anonymiseIp(ip)).toBe(kept);
  });
});

describe('the person in the evidence', () => {
  const old = createKeyring(['o'.repeat(32)]);
  const rotated = createKeyring(['n'.repeat(32), 'o'.repeat(32)]);
  const salt = Buffer.alloc(16, 7);
  const vera = { email: 'Vera@example.com', user_agent: 'Test' };

  it('can be read as long as the salt exists, also after a change of keys, and never without it', () => {
    const { sealed } = encryptPerson(old, SITE, salt, vera);
    expect(sealed).not.toContain('example');
    expect(decryptPerson(rotated, { person_sealed: sealed, person_salt: salt })).toEqual(vera);
    expect(decryptPerson(old, { person_sealed: sealed, person_salt: null })).toBeNull();
    expect(decryptPerson(old, { person_sealed: sealed, person_salt: Buffer.alloc(16, 8) })).toBeNull();
  });

  it('can be found by a hash that ignores case and differs from site to site', () => {
    const { hash } = encryptPerson(old, SITE, salt, vera);
    const again = encryptPerson(old, SITE, Buffer.alloc(16, 1), { ...vera, email: 'vera@example.com' });
    expect(again.hash.equals(hash)).toBe(true);
    const elsewhere = encryptPerson(old, SITE.replace('8000', '9000'), salt, vera);
    expect(elsewhere.hash.equals(hash)).toBe(false);
  });
});

describe('the hash of a record', () => {
  const record = { id: 'a', lists: [{ name: 'Weekly' }], language: null };

  it('does not depend on the order of the fields', () => {
    const nested = { ...record, lists: [{ name: 'Weekly', previous: null }] };
    const other = { language: null, lists: [{ previous: null, name: 'Weekly' }], id: 'a' };
    expect(evidenceHash(null, other).equals(evidenceHash(null, nested))).toBe(true);
  });

  it('changes with every field and with the previous record', () => {
    const hash = evidenceHash(null, record).toString('hex');
    const others = [
      evidenceHash(null, { ...record, lists: [{ name: 'weekly' }] }),
      evidenceHash(null, { ...record, language: 'en' }),
      evidenceHash(Buffer.alloc(32), record),
    ].map((one) => one.toString('hex'));
    expect(others).not.toContain(hash);
    expect(new Set(others).size).toBe(3);
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeChallenge, readChallenge } from '#server/audience/customers/challenge.ts';
import { readConfig } from './config.ts';
import { createKeyring, openText, sealText, sign, withSecretKeys } from './secrets.ts';

const OLD = 'o'.repeat(40);
const NEW = 'n'.repeat(40);
const old = createKeyring([OLD]);
const rotated = createKeyring([NEW, OLD]);
const onlyNew = createKeyring([NEW]);

describe('a value sealed with a key', () => {
  it('can be opened only with it, and only for its purpose and context', () => {
    const sealed = old.seal('a', Buffer.from('hello'), Buffer.from('site'));
    expect(old.open('a', sealed, Buffer.from('site'))?.toString()).toBe('hello');
    expect(old.open('b', sealed, Buffer.from('site'))).toBeNull();
    expect(old.open('a', sealed, Buffer.from('other'))).toBeNull();
    expect(onlyNew.open('a', sealed, Buffer.from('site'))).toBeNull();
  });

  it('differs each time, and reveals nothing', () => {
    expect(sealText(old, 'a', 'hello')).not.toBe(sealText(old, 'a', 'hello'));
    expect(Buffer.from(sealText(old, 'a', 'hello'), 'base64url').toString('latin1')).not.toContain('hello');
  });

  it('cannot be opened when one byte of it was changed', () => {
    const sealed = Buffer.from(old.seal('a', Buffer.from('hello')), 'base64url');
    for (let position = 0; position < sealed.length; position += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(position) ^ 1, position);
      expect(old.open('a', changed.toString('base64url'))).toBeNull();
    }
    for (const wrong of [Buffer.alloc(0), Buffer.alloc(29), sealed.subarray(1), sealed.subarray(0, -1)]) {
      expect(old.open('a', wrong.toString('base64url'))).toBeNull();
    }
  });

  it('can be opened behind a newer key, but not without its own', () => {
    const sealed = sealText(old, 'a', 'hello');
    expect(openText(rotated, 'a', sealed)).toBe('hello');
    expect(openText(onlyNew, 'a', sealed)).toBeNull();
    expect(openText(onlyNew, 'a', sealText(rotated, 'a', 'new'))).toBe('new');
  });
});

describe('a value sealed with the newest key', () => {
  it('is recognized by its beginning, in the text form too', () => {
    for (let count = 0; count < 200; count += 1) {
      const keyring = createKeyring([`${count}`.padStart(32, '0'), OLD]);
      const begins = (text: string) => keyring.newestPrefixes.includes(text.slice(0, 3));
      expect(begins(sealText(keyring, 'a', 'hello'))).toBe(true);
      expect(begins(sealText(old, 'a', 'hello'))).toBe(false);
    }
    expect([old.hasOlder, rotated.hasOlder]).toEqual([false, true]);
  });
});

describe('a challenge', () => {
  const challenge = {
    purpose: 'manage' as const,
    siteId: '01900000-0000-7000-8000-000000000001',
    customerId: '01900000-0000-7000-8000-000000000002',
    issuedOn: 65_535,
    generation: 513,
    listId: null,
  };
  const listId = '01900000-0000-7000-8000-000000000003';

  it('fits in 100 characters and yields what it was made of', () => {
    for (const one of [
      challenge,
      { ...challenge, purpose: 'leave' as const, listId, issuedOn: 0, generation: 0 },
    ]) {
      const text = makeChallenge(old, one);
      expect(text).toMatch(/^[\w-]{96}$/);
      expect(readChallenge(old, text)).toEqual(one);
    }
  });

  it('of the first version can still be read, without its day and its generation', () => {
    const body = Buffer.from(makeChallenge(old, challenge), 'base64url').subarray(0, 56);
    body.writeUInt8(1, 0);
    const { key } = old.derive(`challenge:${challenge.siteId}`);
    const text = Buffer.concat([body, sign(key, body, 16)]).toString('base64url');
    expect(readChallenge(old, text)).toEqual({ ...challenge, issuedOn: 0, generation: 0 });
  });

  it('survives a new key, but not the loss of its own', () => {
    const text = makeChallenge(old, challenge);
    expect(readChallenge(rotated, text)).toEqual(challenge);
    expect(readChallenge(onlyNew, text)).toBeNull();
  });

  it('is rejected when any character was changed', () => {
    const text = makeChallenge(old, challenge);
    for (let position = 0; position < text.length; position += 1) {
      const other = text[position] === 'A' ? 'B' : 'A';
      expect(readChallenge(old, text.slice(0, position) + other + text.slice(position + 1))).toBeNull();
    }
  });
});

describe('the key of a fresh clone', () => {
  it('is created once, readable for its owner only, and taken from the settings when they have one', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sayso-key-'));
    try {
      const config = readConfig({ DATA_DIR: dataDir });
      const first = withSecretKeys(config).secretKeys;
      expect(first[0]?.length).toBeGreaterThanOrEqual(32);
      expect(withSecretKeys(config).secretKeys).toEqual(first);
      const file = join(dataDir, 'secret.key');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8').trim()).toBe(first[0]);
      expect(withSecretKeys(readConfig({ DATA_DIR: dataDir, SECRET_KEY: NEW })).secretKeys).toEqual([NEW]);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

import { expect, test } from 'vitest';
import * as contract from '#contract/fields.ts';
import { emailErrorKey, SIMPLE_EMAIL, STRICT_EMAIL } from './email.ts';
import { chooseIdentity, forget, remember } from './identity.ts';

function storageWith(items: Record<string, string> = {}) {
  const kept = new Map(Object.entries(items));
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const nobody = { challenge: null, email: null };

test('a stored challenge is preferred over a stored email', () => {
  const storage = storageWith({ challenge: 'c1', email: 'nora@example.com' });
  expect(chooseIdentity(nobody, storage)).toEqual({ challenge: 'c1' });
});

test('the identity in the address wins over a stored one', () => {
  const storage = storageWith({ challenge: 'c1' });
  expect(chooseIdentity({ challenge: null, email: 'ben@example.com' }, storage)).toEqual({
    email: 'ben@example.com',
  });
});

test('an email is used and kept only if it passes the stricter pattern', () => {
  const storage = storageWith({ email: 'nora@-example.com' });
  expect(chooseIdentity(nobody, storage)).toBeNull();
  remember({ email: 'no spaces@example.com' }, storage);
  expect(storage.kept.size).toBe(0);
});

test("keeping one person's link removes another's address", () => {
  const storage = storageWith({ email: 'ben@example.com' });
  remember({ challenge: 'c1' }, storage);
  expect([...storage.kept]).toEqual([['challenge', 'c1']]);
  remember({ email: 'nora@example.com' }, storage);
  expect([...storage.kept]).toEqual([['email', 'nora@example.com']]);
  forget(storage);
  expect(storage.kept.size).toBe(0);
});

test('the patterns are those of the contract', () => {
  expect(String(SIMPLE_EMAIL)).toBe(String(contract.SIMPLE_EMAIL));
  expect(String(STRICT_EMAIL)).toBe(String(contract.STRICT_EMAIL));
});

test.each([
  ['', 'modal_mail.error_empty'],
  [' Nora@Example.com', 'modal_mail.error_same'],
  ['nora', 'modal_mail.error_invalid'],
  ['new@example.com', null],
])('a wish for the address %j', (wanted, expected) => {
  expect(emailErrorKey(wanted, 'nora@example.com')).toBe(expected);
});

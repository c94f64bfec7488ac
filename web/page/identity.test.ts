import { expect, test } from 'vitest';
import { emailErrorKey } from './email.ts';
import { removeSavedParams, storeInHistory } from './history-entry.ts';
import { chooseIdentity, clearIdentity, otherPerson, storeIdentity } from './identity.ts';

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

const keptAs = (items: Record<string, string>, entryChallenge: string | null = null) => ({
  entryChallenge,
  storage: storageWith(items),
});

test.each([
  ['the challenge of the address', 'c1', 'c2', 'c1'],
  ['the challenge that the address had before a reload', null, 'c2', 'c2'],
])('%s comes first, whatever is stored', (_, inAddress, inEntry, expected) => {
  const kept = keptAs({ challenge: 'c3', email: 'nora@example.com' }, inEntry);
  const query = { challenge: inAddress, email: 'ben@example.com' };
  expect(chooseIdentity(query, kept)).toEqual({ challenge: expected });
});

test('the stored challenge comes first, and before any email (spec 31)', () => {
  const kept = keptAs({ challenge: 'c3', email: 'nora@example.com' });
  expect(chooseIdentity(nobody, kept)).toEqual({ challenge: 'c3' });
  expect(chooseIdentity({ challenge: null, email: 'ben@example.com' }, kept)).toEqual({ challenge: 'c3' });
});

test('an email of the address comes before a stored one (spec 32)', () => {
  const kept = keptAs({ email: 'nora@example.com' });
  const linked = { challenge: null, email: 'ben@example.com' };
  expect(chooseIdentity(linked, kept)).toEqual({ email: 'ben@example.com' });
  expect(chooseIdentity(nobody, kept)).toEqual({ email: 'nora@example.com' });
});

test('an email is used and kept only if it passes the stricter pattern (spec 33)', () => {
  const kept = keptAs({ email: 'nora@-example.com' });
  expect(chooseIdentity(nobody, kept)).toBeNull();
  storeIdentity({ email: 'no spaces@example.com' }, kept.storage);
  expect(kept.storage.kept.size).toBe(0);
});

test.each([
  ['somebody else', 'ben@example.com', { challenge: 'c' }, 'nora@example.com', 'ben@example.com'],
  ['the same person', ' Nora@Example.com', { challenge: 'c' }, 'nora@example.com', null],
  ['an address that fits a masked one', 'nora@example.com', { challenge: 'c' }, 'n•••@example.com', null],
  [
    'somebody else than a masked one',
    'ben@example.com',
    { challenge: 'c' },
    'n•••@example.com',
    'ben@example.com',
  ],
  ['nobody', null, { challenge: 'c' }, 'nora@example.com', null],
  ['the person it shows', 'ben@example.com', { email: 'ben@example.com' }, 'new@example.com', null],
])('a link that names %s', (_, email, who, shown, expected) => {
  expect(otherPerson({ challenge: null, email }, who, { email: shown })).toBe(expected);
});

test('without a script, the challenge in the address says who is shown', () => {
  const linked = { challenge: 'c', email: 'ben@example.com' };
  expect(otherPerson(linked, null, { email: 'nora@example.com' })).toBe('ben@example.com');
  expect(otherPerson({ ...linked, challenge: null }, null, { email: 'nora@example.com' })).toBeNull();
});

test('storing one person’s link removes another’s address', () => {
  const storage = storageWith({ email: 'ben@example.com' });
  storeIdentity({ challenge: 'c1' }, storage);
  expect([...storage.kept]).toEqual([['challenge', 'c1']]);
  storeIdentity({ email: 'nora@example.com' }, storage);
  expect([...storage.kept]).toEqual([['email', 'nora@example.com']]);
  clearIdentity(storage);
  expect(storage.kept.size).toBe(0);
});

test('a link stored as it was passed on is read without what surrounds it', () => {
  const challenge = 'aB3-_z'.repeat(16);
  const kept = keptAs({ challenge: `${challenge}.` });
  expect(chooseIdentity(nobody, kept)).toEqual({ challenge });
  expect(chooseIdentity(nobody, keptAs({}, `${challenge}\u200b`))).toEqual({ challenge });
});

test('a challenge with the remains of an undecoded ampersand leaves the address bar like any other', () => {
  const replaced: string[] = [];
  const href = 'https://acme.example/preferences?utm=1&amp;challenge=c1&amp;state=subscribe&amp;listId=l1';
  const browsing = {
    location: { href },
    history: {
      state: null,
      replaceState: (_: unknown, __: string, url: URL) => void replaced.push(url.search),
    },
  } as unknown as Parameters<typeof storeInHistory>[0];
  storeInHistory(browsing, { challenge: 'c1' });
  removeSavedParams(browsing);
  expect(replaced).toEqual(['?utm=1&amp%3Bstate=subscribe&amp%3BlistId=l1', '?utm=1&amp%3Bchallenge=c1']);
});

test.each([
  ['', 'modal_mail.error_empty'],
  [' Nora@Example.com', 'modal_mail.error_same'],
  ['nora', 'modal_mail.error_invalid'],
  ['new@example.com', null],
])('a request for the address %j', (wanted, expected) => {
  expect(emailErrorKey(wanted, 'nora@example.com')).toBe(expected);
});

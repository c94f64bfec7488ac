import { describe, expect, it } from 'vitest';
import { readFields } from './row-preferences.ts';

const COLUMNS = ['email', 'news'];
const MAPPING = { email: 'email', lists: [{ column: 'news', list_id: 'news' }] };

const READING = { columns: COLUMNS, mapping: MAPPING, dateOrders: [null, null] };

const read = (email: string, news = 'no') =>
  readFields({ number: 2, fields: [email, news], problem: null }, READING);

/** Addresses that receive mail and that many a form refuses, and who they are. */
const ODD: [string, string][] = [
  ["o'brien@example.com", "o'brien@example.com"],
  ['UPPER.Case@Example.COM', 'upper.case@example.com'],
  ['plus+tag@example.com', 'plus+tag@example.com'],
  ['foo..bar@docomo.example', 'foo..bar@docomo.example'],
  ['foo.@ezweb.example', 'foo.@ezweb.example'],
  ['.lead@example.com', '.lead@example.com'],
  ['"john doe"@example.com', '"john doe"@example.com'],
  ['user@sub_domain.example.com', 'user@sub_domain.example.com'],
  ['user@münchen.example', 'user@xn--mnchen-3ya.example'],
  ['user@xn--mnchen-3ya.example', 'user@xn--mnchen-3ya.example'],
  ['pelé@example.com', 'pelé@example.com'],
  ['почта@пример.рф', 'почта@xn--e1afmkfd.xn--p1ai'],
  ['user@[192.0.2.1]', 'user@[192.0.2.1]'],
  ['a@b.photography', 'a@b.photography'],
  ['role/slash@example.com', 'role/slash@example.com'],
  ['-dash@example.com', '-dash@example.com'],
  // As the export of customers guards it against spreadsheets.
  ["'-dash@example.com", '-dash@example.com'],
  ['mailto:nora@example.com', 'nora@example.com'],
  ['Nora Berg <nora@example.com>', 'nora@example.com'],
  ['nora@example.com;', 'nora@example.com'],
  ['\u200bnora@example.com', 'nora@example.com'],
];

describe('the opt-out of a row', () => {
  it.each(ODD)('counts for %s', (email, emailKey) => {
    expect(read(email)).toMatchObject({
      emailKey,
      problem: null,
      preferences: { lists: [{ of: 'news', subscribed: false }] },
    });
  });

  it('is reported where it is unclear whose email it is', () => {
    const unknownOwner = "This email isn't valid, so we can't tell whose unsubscribe this is.";
    expect(read('nora berg@example.com').problem).toBe(unknownOwner);
    expect(read('nora@example.com, ben@example.com', 'unsubscribed').problem).toBe(unknownOwner);
    expect(read('nora berg@example.com', 'yes').problem).toBe("This email isn't valid.");
    expect(read('').problem).toBe('The email is missing.');
  });
});

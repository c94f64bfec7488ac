import { describe, expect, it } from 'vitest';
import { email } from './fields.ts';
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
  ])('%s is %s', (typed, key) => {
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
  ])('%s and %s are two people', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });

  it('is there for the beginning of an address, too', () => {
    expect(emailKey('Ana')).toBe('ana');
    expect(emailKey('ana@bücher')).toBe('ana@xn--bcher-kva');
    expect(emailKey('')).toBe('');
  });
});

it('takes an address whose accents are characters of their own, and keeps it in one piece', () => {
  expect(email.parse('ana@bu\u0308cher.example')).toBe('ana@b\u00fccher.example');
});

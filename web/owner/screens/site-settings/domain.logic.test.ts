import { expect, it } from 'vitest';
import { isPublicDomain } from '../../site/public-domain.ts';
import { canBeVerified, insteadOfRoot, insteadOfWebsite, toHost } from './domain.logic.ts';

it.each([
  ['mail.acme.com', 'mail.acme.com'],
  [' Mail.Acme.com. ', 'mail.acme.com'],
  ['https://mail.acme.com/preferences?x=1', 'mail.acme.com'],
  ['mail.acme.com:8080', 'mail.acme.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
])('%j is read as the domain %j', (typed, host) => {
  expect(toHost(typed)).toBe(host);
});

it.each(['', ' ', 'acme', 'nora@acme.com', 'a b.com', '10.0.0.1', '[::1]', 'a..com', 'a_b.com', 'https://'])(
  '%j is not read as a domain',
  (typed) => {
    expect(toHost(typed)).toBeNull();
  },
);

it.each([
  ['acme.com', 'preferences.acme.com'],
  ['www.acme.com', 'preferences.acme.com'],
  ['www.shop.acme.com', 'preferences.shop.acme.com'],
  ['acme.co.uk', 'preferences.acme.co.uk'],
  ['preferences.acme.com', null],
  ['mail.acme.co.uk', null],
  ['mail.acme.si', null],
  ['acme.localhost', null],
  ['sayso.si', null],
  ['www.sayso.si', null],
  ['notsayso.si', 'preferences.notsayso.si'],
])('%s is a website, or not: use %s instead', (host, instead) => {
  expect(insteadOfWebsite(host, 'sayso.si')).toBe(instead);
});

it.each([
  ['acme.com', 'preferences.acme.com'],
  ['acme.co.uk', 'preferences.acme.co.uk'],
  ['www.acme.com', null],
  ['preferences.acme.com', null],
])('%s is a root domain, or not: use %s instead', (host, instead) => {
  expect(insteadOfRoot(host)).toBe(instead);
});

it('a custom domain can be verified only where both names are public', () => {
  expect(canBeVerified('pages.sayso.example', 'preferences.acme.example')).toBe(true);
  expect(canBeVerified('pages.localhost', 'preferences.acme.example')).toBe(false);
  expect(canBeVerified('pages.sayso.example', 'preferences.acme.local')).toBe(false);
});

it.each([
  ['sayso.example', true],
  ['localhost', false],
  ['pages.localhost', false],
  ['printer.local', false],
  ['server', false],
  ['10.0.0.1', false],
])('the DNS records may point to %s: %s', (siteDomain, isPublic) => {
  expect(isPublicDomain(siteDomain)).toBe(isPublic);
});

import { describe, expect, it } from 'vitest';
import { customHost, subdomainHost } from './host-names.ts';

const LONGEST = 'a'.repeat(63);

describe('a subdomain', () => {
  it.each([
    ['a', 'a'],
    ['7', '7'],
    ['acme', 'acme'],
    ['ACME', 'acme'],
    ['a--b', 'a--b'],
    ['acme.sayso.example', 'acme'],
    ['Acme.Sayso.Example', 'acme'],
    [' acme ', 'acme'],
    [LONGEST, LONGEST],
    [`${LONGEST}.sayso.example`, LONGEST],
  ])('%j is valid', (value, label) => {
    expect(subdomainHost(value, 'sayso.example')).toEqual({ host: `${label}.sayso.example` });
  });

  it.each([
    '',
    ' ',
    '-',
    '-a',
    'a-',
    `${LONGEST}a`,
    'a.b',
    'a_b',
    'a b',
    'ä',
    'аcme',
    'acme.',
    '.sayso.example',
    'acme.sayso.example.sayso.example',
    'acme.other.example',
    'a\u0000',
  ])('%j is invalid', (value) => {
    expect(subdomainHost(value, 'sayso.example')).toEqual({ problem: 'invalid' });
  });

  it.each(['www', 'API', 'admin', 'mail', 'hooks', 'localhost', 'xn--80ak6aa92e', 'app.sayso.example'])(
    '%j is reserved',
    (value) => {
      expect(subdomainHost(value, 'sayso.example')).toEqual({ problem: 'reserved' });
    },
  );
});

describe('a custom domain', () => {
  const product = { siteDomain: 'sayso.example', appHostName: 'app.sayso.test' };

  it.each([
    ['mail.acme.com', 'mail.acme.com'],
    ['Mail.ACME.com.', 'mail.acme.com'],
    ['acme.co', 'acme.co'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['notsayso.example', 'notsayso.example'],
  ])('%j is valid', (value, host) => {
    expect(customHost(value, product)).toEqual({ host });
  });

  it.each([
    '',
    'acme',
    'acme..com',
    '.acme.com',
    'https://acme.com',
    'acme.com/x',
    'acme.com:80',
    '10.0.0.1',
    '[::1]',
    'a b.com',
    'bücher.example',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
  ])('%j is invalid', (value) => {
    expect(customHost(value, product)).toEqual({ problem: 'invalid' });
  });

  it.each([
    'sayso.example',
    'acme.sayso.example',
    'ACME.Sayso.Example',
    'a.b.sayso.example',
    'app.sayso.test',
  ])('%j is one of ours', (value) => {
    expect(customHost(value, product)).toEqual({ problem: 'reserved' });
  });
});

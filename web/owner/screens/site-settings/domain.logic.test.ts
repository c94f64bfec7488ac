import { expect, it } from 'vitest';
import { toHost } from './domain.logic.ts';

it.each([
  ['mail.acme.com', 'mail.acme.com'],
  [' Mail.Acme.com. ', 'mail.acme.com'],
  ['https://mail.acme.com/preferences?x=1', 'mail.acme.com'],
  ['mail.acme.com:8080', 'mail.acme.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
])('takes %j as %j', (typed, host) => {
  expect(toHost(typed)).toBe(host);
});

it.each(['', ' ', 'acme', 'nora@acme.com', 'a b.com', '10.0.0.1', '[::1]', 'a..com', 'a_b.com', 'https://'])(
  'takes %j as no domain',
  (typed) => {
    expect(toHost(typed)).toBeNull();
  },
);

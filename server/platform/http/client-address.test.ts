import { describe, expect, it } from 'vitest';
import { createClientAddress, proxyTrustOf } from './client-address.ts';

function clientOf(setting: string, connected: string, forwardedFor?: string): string {
  const read = proxyTrustOf(setting);
  if ('problem' in read) throw new Error(read.problem);
  const request = { socket: { remoteAddress: connected }, headers: { 'x-forwarded-for': forwardedFor } };
  return createClientAddress(read.trust)(request);
}

describe('the address of a client', () => {
  it.each([
    ['', '10.0.0.1', '6.6.6.6', '10.0.0.1'],
    ['1', '10.0.0.1', undefined, '10.0.0.1'],
    ['1', '10.0.0.1', '9.9.9.9', '9.9.9.9'],
    ['1', '10.0.0.1', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
    ['1', '10.0.0.1', '6.6.6.6,10.0.0.1,9.9.9.9', '9.9.9.9'],
    ['2', '10.0.0.1', '6.6.6.6, 9.9.9.9, 10.0.0.2', '9.9.9.9'],
    ['2', '10.0.0.1', '9.9.9.9', '9.9.9.9'],
    ['10.0.0.0/8', '10.0.0.1', '6.6.6.6, 9.9.9.9, 10.0.0.2', '9.9.9.9'],
    ['10.0.0.0/8', '::ffff:10.0.0.1', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
    ['10.0.0.0/8', '9.9.9.9', '6.6.6.6', '9.9.9.9'],
    ['10.0.0.1,fd00::/8', 'fd00::1', '6.6.6.6, 2001:db8::9, 10.0.0.1', '2001:db8::9'],
    ['loopback', '::1', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
  ])('behind TRUST_PROXY=%s, connected from %s with "%s", is %s', (setting, connected, header, client) => {
    expect(clientOf(setting, connected, header)).toBe(client);
  });

  it('is read where a proxy adds the port', () => {
    expect(clientOf('1', '10.0.0.1', '6.6.6.6, 9.9.9.9:4711')).toBe('9.9.9.9');
    expect(clientOf('1', '10.0.0.1', '[2001:db8::9]:4711')).toBe('2001:db8::9');
  });

  it.each(['unknown', '<script>', '', ',', '9.9.9.9, ', '_hidden', '999.1.1.1'])(
    'is that of the proxy where it added none: "%s"',
    (header) => {
      expect(clientOf('1', '10.0.0.1', header)).toBe('10.0.0.1');
    },
  );
});

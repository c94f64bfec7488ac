import { isIPv6 } from 'node:net';

/** The groups of an IPv6 address, without a zone; `::ffff:192.0.2.1` ends in the groups of its IPv4 address. */
function groupsOf(ip: string): string[] {
  const [address = ''] = ip.split('%', 1);
  const { hostname } = new URL(`http://[${address}]/`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/** An IPv4-mapped IPv6 address, as servers that listen on both see it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key by which limits count a client: its IPv4 address, or the /64 of its IPv6 address, because every household and
 * server gets a whole /64 and can change its address within it at will.
 */
export function networkOf(ip: string): string {
  const plain = MAPPED.exec(ip)?.[1] ?? ip;
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain;
}

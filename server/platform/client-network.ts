import { isIPv6 } from 'node:net';

function groupsOf(part: string | undefined): string[] {
  return part === undefined || part === '' ? [] : part.split(':');
}

/**
 * What a limit counts a client by: its IPv4 address, or the /64 of its IPv6 address, because every household and server
 * is given a whole /64 and can change its address within it at will.
 */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(ip)) return ip;
  const [address = ''] = ip.toLowerCase().split('%');
  const [left, right] = address.split('::');
  const head = groupsOf(left);
  const tail = groupsOf(right);
  // An embedded IPv4 address takes the place of two groups.
  const width = [...head, ...tail].reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const zeros = right === undefined ? [] : Array<string>(8 - width).fill('0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

import { BlockList, isIP } from 'node:net';

/** Of IPv4: this host, private and shared ranges, link-local, documentation, benchmarks, multicast, reserved. */
const CLOSED_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of what is routed in IPv6: protocols (Teredo among them), documentation, and 6to4, which hides an IPv4 address. */
const CLOSED_V6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closed = new BlockList();
for (const [address, bits] of CLOSED_V4) closed.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of CLOSED_V6) closed.addSubnet(address, bits, 'ipv6');

/** Everything else of IPv6 is local, or another way to write an IPv4 address: mapped, compatible, NAT64. */
const routed = new BlockList();
routed.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is publicly routable. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return family === 6 && routed.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** The IP address in the host of a URL; null if the host is a name. */
export function addressOfHost(hostname: string): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

/** Names that do not resolve on the internet: special-use ones, and local ones without a dot. */
const CLOSED_NAME =
  /^[^.]+$|\.(?:localhost|local|localdomain|internal|intranet|lan|home|corp|test|invalid|onion)$|\.home\.arpa$/;

/** Whether the host of a URL looks public. It is not resolved. */
export function looksPublic(url: URL): boolean {
  const address = addressOfHost(url.hostname);
  if (address !== null) return isPublicAddress(address);
  return !CLOSED_NAME.test(url.hostname.toLowerCase().replace(/\.$/, ''));
}

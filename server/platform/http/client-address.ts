import { BlockList, isIP } from 'node:net';

/**
 * Which entries of `X-Forwarded-For` are trusted: the number of proxies in front, or their addresses. null: none.
 */
export type ProxyTrust = { hops: number } | { addresses: readonly string[] } | null;

/** More proxies than anybody chains: a larger number is a mistake that would trust what clients send. */
const MAX_HOPS = 10;

const OFF = new Set(['', '0', 'false', 'no', 'off']);
const EVERYTHING = new Set(['true', 'yes', 'on', 'all', '*', 'any']);

/** Names for common ranges. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const EXAMPLES =
  'use 1 for one proxy, 2 for two in a row, or the addresses of your proxies, like 10.0.0.5,192.168.0.0/16';

interface Range {
  address: string;
  family: 'ipv4' | 'ipv6';
  prefix: number;
}

function rangeOf(text: string): Range | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const bits = version === 4 ? 32 : 128;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return null;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) return null;
  return { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix: length };
}

/**
 * Reads `TRUST_PROXY`.
 * @returns the setting, or a problem worded for the operator
 */
export function proxyTrustOf(value: string): { trust: ProxyTrust } | { problem: string } {
  const text = value.trim().toLowerCase();
  if (OFF.has(text)) return { trust: null };
  if (EVERYTHING.has(text)) {
    return { problem: `would let every client fake its address. Instead, ${EXAMPLES}` };
  }
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    return hops <= MAX_HOPS
      ? { trust: { hops } }
      : { problem: `must be at most ${MAX_HOPS} proxies in a row: ${EXAMPLES}` };
  }
  const addresses = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .flatMap((one) => RANGES[one] ?? [one]);
  for (const one of addresses) {
    const range = rangeOf(one);
    if (range === null) return { problem: `isn't an address or range: ${EXAMPLES}` };
    if (range.prefix === 0) {
      return { problem: `covers every address, so every client could fake its own. Instead, ${EXAMPLES}` };
    }
  }
  return { trust: { addresses } };
}

/** Whether the entry at `place` (0: the direct peer) is one of our proxies, so that the next entry can be trusted. */
type IsProxy = (address: string, place: number) => boolean;

function isProxyOf(trust: NonNullable<ProxyTrust>): IsProxy {
  if ('hops' in trust) return (_address, place) => place < trust.hops;
  const known = new BlockList();
  for (const one of trust.addresses) {
    const range = rangeOf(one);
    if (range !== null) known.addSubnet(range.address, range.prefix, range.family);
  }
  return (address) => known.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The IP, without a port that a proxy may add: `1.2.3.4:5678` or `[2001:db8::1]:5678`. null: not an address. */
function addressOf(entry: string): string | null {
  const text = entry.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? null : bare;
}

/** The parts of a request that identify its origin. */
interface Arriving {
  socket: { remoteAddress?: string | undefined };
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Determines the client address of a request. `X-Forwarded-For` grows at its right end, so it is read from there:
 * what is left of the entry added by our outermost proxy may be forged by the client.
 */
export function createClientAddress(trust: ProxyTrust): (request: Arriving) => string {
  if (trust === null) return (request) => request.socket.remoteAddress ?? '';
  const isProxy = isProxyOf(trust);
  return (request) => {
    let client = request.socket.remoteAddress ?? '';
    const header = request.headers['x-forwarded-for'];
    const entries = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').toReversed();
    for (const [place, entry] of entries.entries()) {
      if (!isProxy(client, place)) break;
      const address = addressOf(entry);
      if (address === null) break;
      client = address;
    }
    return client;
  };
}

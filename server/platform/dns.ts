import { Resolver } from 'node:dns/promises';
import { storable } from './storable.ts';

/**
 * The result of a DNS query. `none`: the name, or a record of this type, definitely does not exist.
 * `failed`: no response or an error, which says nothing about the record.
 */
export type DnsAnswer =
  | { kind: 'records'; values: string[] }
  | { kind: 'none' }
  | { kind: 'failed'; code: string };

export interface Dns {
  /** Complete values, with their parts joined. */
  txt(name: string): Promise<DnsAnswer>;
  /** The CNAME target in lower case; only the first step of a chain. */
  cname(name: string): Promise<DnsAnswer>;
  /** IPv4 and IPv6 addresses, following CNAMEs; `failed` if either query failed. */
  addresses(name: string): Promise<DnsAnswer>;
  /** Cancels pending queries. */
  close(): void;
}

/** NXDOMAIN, and a name without records of this kind. */
const CERTAINLY_NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);

async function answerOf(lookUp: Promise<string[]>): Promise<DnsAnswer> {
  try {
    const values = await lookUp;
    return values.length === 0 ? { kind: 'none' } : { kind: 'records', values: values.map(storable) };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (typeof code !== 'string') throw error;
    return CERTAINLY_NOT_THERE.has(code) ? { kind: 'none' } : { kind: 'failed', code };
  }
}

function together(answers: readonly DnsAnswer[]): DnsAnswer {
  const failed = answers.find((answer) => answer.kind === 'failed');
  if (failed !== undefined) return failed;
  const values = answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []));
  return values.length === 0 ? { kind: 'none' } : { kind: 'records', values };
}

const hostOf = (name: string) => name.toLowerCase().replace(/\.$/, '');

/**
 * All DNS queries of the product go through here; each takes 6 seconds at most.
 * @param servers addresses such as `10.0.0.1` or `10.0.0.1:5353`; empty: the system's
 * @param timeout of the first try; the second waits up to twice as long
 */
export function createDns(servers: readonly string[], timeout = 1500): Dns {
  const resolver = new Resolver({ timeout, tries: 2, maxTimeout: 2 * timeout });
  if (servers.length > 0) resolver.setServers(servers);
  return {
    txt: (name) => answerOf(resolver.resolveTxt(name).then((all) => all.map((parts) => parts.join('')))),
    cname: (name) => answerOf(resolver.resolveCname(name).then((names) => names.map(hostOf))),
    async addresses(name) {
      return together(
        await Promise.all([answerOf(resolver.resolve4(name)), answerOf(resolver.resolve6(name))]),
      );
    },
    close: () => resolver.cancel(),
  };
}

import type { DomainFindings, RecordFinding } from '#contract/domains.ts';
import type { Dns, DnsAnswer } from '#server/platform/dns.ts';

/** Resolvers follow about this many. */
const MAX_CHAIN = 8;
const MAX_SHOWN_VALUES = 5;
const MAX_SHOWN_LENGTH = 255;

/** The name of a domain's TXT record: a separate one, because a name with a CNAME can have no other record. */
export function proofName(host: string): string {
  return `_sayso.${host}`;
}

export interface DomainRecords extends Pick<DomainFindings, 'pointing' | 'proof' | 'addresses'> {
  /** The TXT value that verifies the domain. */
  provenBy: string | null;
}

/**
 * Looks at the two records of a domain.
 * @param domain.target the site's own host, to which the domain must resolve
 * @param domain.isProof whether a TXT value is that of this site and domain
 */
export async function lookUpRecords(
  dns: Dns,
  domain: { host: string; target: string; isProof: (value: string) => boolean },
): Promise<DomainRecords> {
  const lookUpOurs = dns.addresses(domain.target);
  const [proof, pointing, ours] = await Promise.all([
    dns.txt(proofName(domain.host)),
    lookUpPointing(dns, domain.host, domain.target, lookUpOurs),
    lookUpOurs,
  ]);
  const values = proof.kind === 'records' ? proof.values.map(asSet) : [];
  const provenBy = values.find(domain.isProof) ?? null;
  return {
    pointing,
    proof: provenBy === null ? finding(proof, 'wrong') : { status: 'found', found: [provenBy] },
    addresses: shown(valuesOf(ours)),
    provenBy,
  };
}

/** A domain resolves to us by CNAME or, as a root domain can have none, if all its addresses are those of our host. */
async function lookUpPointing(
  dns: Dns,
  host: string,
  target: string,
  lookUpOurs: Promise<DnsAnswer>,
): Promise<RecordFinding> {
  const steps = [host];
  while (steps.length <= MAX_CHAIN) {
    const answer = await dns.cname(steps.at(-1) ?? host);
    if (answer.kind === 'failed') return finding(answer, 'wrong');
    const [next] = valuesOf(answer);
    if (next === undefined) break;
    if (steps.includes(next)) return { status: 'wrong', found: shown(steps.slice(1, 2)) };
    steps.push(next);
    if (next === target) return { status: 'found', found: shown(steps.slice(1)) };
  }
  const byAddress = compareAddresses(await dns.addresses(host), await lookUpOurs);
  const [, elsewhere] = steps;
  const isSettled = byAddress.status === 'found' || byAddress.status === 'unknown';
  return elsewhere === undefined || isSettled ? byAddress : { status: 'wrong', found: shown([elsewhere]) };
}

function compareAddresses(theirs: DnsAnswer, ours: DnsAnswer): RecordFinding {
  if (theirs.kind === 'records' && ours.kind === 'failed') return finding(ours, 'wrong');
  const known = valuesOf(ours);
  const leadsHere = valuesOf(theirs).every((address) => known.includes(address));
  return finding(theirs, leadsHere ? 'found' : 'wrong');
}

function valuesOf(answer: DnsAnswer): string[] {
  return answer.kind === 'records' ? answer.values : [];
}

function finding(answer: DnsAnswer, ofRecords: 'found' | 'wrong'): RecordFinding {
  if (answer.kind === 'failed') return { status: 'unknown', found: [] };
  if (answer.kind === 'none') return { status: 'missing', found: [] };
  return { status: ofRecords, found: shown(answer.values) };
}

/** Some providers keep the quotation marks that people paste. */
function asSet(value: string): string {
  return value.trim().replace(/^"(.*)"$/, '$1');
}

/** DNS content is untrusted: what is stored and shown is shortened and printable. */
function shown(values: readonly string[]): string[] {
  return values.slice(0, MAX_SHOWN_VALUES).map((value) =>
    value
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
      .slice(0, MAX_SHOWN_LENGTH)
      .toWellFormed(),
  );
}

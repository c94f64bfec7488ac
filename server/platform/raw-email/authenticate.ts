import type { DKIMResult, DMARCResult } from 'mailauth';
import type { Dns } from '#server/platform/dns.ts';
import type { RawEmail } from './raw-email.ts';

/** body_changed: the body is not what was signed. wrong: the signature does not fit the headers. invalid: cannot be used. */
export type SignatureVerdict =
  | 'valid'
  | 'body_changed'
  | 'wrong'
  | 'no_key'
  | 'short_key'
  | 'invalid'
  | 'unknown';

export interface Signature {
  verdict: SignatureVerdict;
  domain: string;
  selector: string;
  /** The names of its h=, in lower case. */
  signed: ReadonlySet<string>;
  keyBits: number | null;
}

/** What DMARC says about the domain in From. */
export interface Alignment {
  /** none: no policy is published. unknown: DNS did not answer. invalid: From has no single domain. */
  result: 'aligned' | 'unaligned' | 'none' | 'unknown' | 'invalid';
  /** By what it is aligned. */
  by: 'dkim' | 'spf' | null;
  fromDomain: string;
  policy: string | null;
}

export interface Authentication {
  signatures: readonly Signature[];
  alignment: Alignment;
}

/** RFC 8301 demands this much, and so do the large mailbox providers. */
const MIN_KEY_BITS = 1024;
/** Genuine emails have up to 3; each costs a query and a run over the body. */
const MAX_SIGNATURES = 8;
const MAX_QUERIES = 40;

class DnsError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** DNS as `mailauth` wants it, for a limited number of queries. */
function resolverOf(dns: Pick<Dns, 'txt'>) {
  let left = MAX_QUERIES;
  return async (name: string, type: string): Promise<string[][]> => {
    // Other records say only whether a name exists, which no verdict here depends on.
    if (type !== 'TXT' || left-- <= 0) throw new DnsError('EREFUSED');
    const answer = await dns.txt(name);
    if (answer.kind === 'records') return answer.values.map((value) => [value]);
    throw new DnsError(answer.kind === 'none' ? 'ENOTFOUND' : answer.code);
  };
}

/** Drops signatures beyond the first few. */
function withFewSignatures({ bytes }: RawEmail): Buffer {
  const end = bytes.indexOf('\r\n\r\n');
  const header = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  if (header.split(/^dkim-signature[ \t]*:/im).length - 1 <= MAX_SIGNATURES) return bytes;
  let seen = 0;
  const kept = header
    .split(/\r\n(?![ \t])/)
    .filter((field) => !/^dkim-signature[ \t]*:/i.test(field) || ++seen <= MAX_SIGNATURES);
  return Buffer.concat([
    Buffer.from(kept.join('\r\n'), 'latin1'),
    bytes.subarray(end < 0 ? bytes.length : end),
  ]);
}

function verdictOf({ status }: DKIMResult): SignatureVerdict {
  const { result, comment } = status;
  if (result === 'pass') return 'valid';
  // It was valid when it arrived, which is what counts: Mailgun's expire after two hours.
  if (comment === 'expired') return 'valid';
  if (result === 'temperror') return 'unknown';
  if (result === 'policy') return status.policy?.['dkim-rules'] === 'weak-key' ? 'short_key' : 'invalid';
  if (comment === 'body hash did not verify') return 'body_changed';
  if (comment === 'no key' || comment === 'invalid public key') return 'no_key';
  return comment === 'bad signature' ? 'wrong' : 'invalid';
}

/** The names in the h= of each signature, by its domain and selector. */
function signedNames(fields: RawEmail['fields']): Map<string, Set<string>> {
  const signed = new Map<string, Set<string>>();
  for (const { name, value } of fields) {
    if (name !== 'dkim-signature') continue;
    const tags = new Map(
      value.split(';').map((tag) => {
        const [key = '', ...rest] = tag.split('=');
        return [key.trim(), rest.join('=').replaceAll(/\s+/g, '')] as const;
      }),
    );
    const key = `${tags.get('s') ?? ''}._domainkey.${tags.get('d') ?? ''}`.toLowerCase();
    const names = (tags.get('h') ?? '').toLowerCase().split(':');
    signed.set(key, new Set([...(signed.get(key) ?? []), ...names]));
  }
  return signed;
}

/** The sender's domain in a result by which SPF passed. */
function domainOfPass(result: string): string[] {
  const passed = result.search(/\bspf=pass\b/i);
  if (passed < 0) return [];
  const [, domain] =
    /\bsmtp\.mailfrom=(?:"?[^\s"@]{0,64}@)?([\w.-]{1,253})/i.exec(result.slice(passed)) ?? [];
  return domain === undefined ? [] : [domain];
}

/** SPF needs the sender's IP, so this takes the word of the mailbox that received the email. */
function spfDomains({ fields }: RawEmail): string[] {
  return fields
    .filter(({ name }) => name === 'authentication-results')
    .flatMap(({ value }) => value.split(';').flatMap(domainOfPass).slice(0, 1));
}

/**
 * Checks the DKIM signatures of an email, and whether the domain in From is aligned with one of them.
 * @param dns the only thing that is asked; an answer that does not come leads to `unknown`
 */
export async function authenticate(email: RawEmail, dns: Pick<Dns, 'txt'>): Promise<Authentication> {
  // Loaded when needed: it brings the public suffixes and more.
  const [{ dkimVerify }, { dmarc }] = await Promise.all([
    import('mailauth/lib/dkim/verify.js'),
    import('mailauth/lib/dmarc/index.js'),
  ]);
  const resolver = resolverOf(dns);
  const options = { resolver, minBitLength: MIN_KEY_BITS, rejectRsaSha1: true };
  const { results, headerFrom, fromFields } = await dkimVerify(withFewSignatures(email), options);
  const signed = signedNames(email.fields);
  const signatures = results.flatMap((result): Signature[] => {
    const { signingDomain: domain, selector } = result;
    if (domain === undefined || selector === undefined) return [];
    const key = `${selector}._domainkey.${domain}`.toLowerCase();
    const keyBits = result.modulusLength ?? null;
    return [{ verdict: verdictOf(result), domain, selector, signed: signed.get(key) ?? new Set(), keyBits }];
  });
  const valid = signatures.filter(({ verdict }) => verdict === 'valid').map(({ domain }) => ({ domain }));
  const answer = await dmarc({
    headerFrom,
    fromFields,
    dkimDomains: valid,
    spfDomains: spfDomains(email),
    resolver,
  });
  return { signatures, alignment: alignmentOf(answer, headerFrom, signatures) };
}

function alignmentOf(
  answer: DMARCResult | false,
  headerFrom: readonly string[],
  signatures: readonly Signature[],
): Alignment {
  const fromDomain = headerFrom[0]?.split('@').at(-1)?.toLowerCase() ?? '';
  const nothing = { by: null, fromDomain, policy: null };
  if (answer === false) return { ...nothing, result: 'invalid' };
  const policy = answer.policy ?? null;
  switch (answer.status.result) {
    case 'pass': {
      const isByDkim = (answer.alignment?.dkim.result ?? '') !== '';
      return { result: 'aligned', by: isByDkim ? 'dkim' : 'spf', fromDomain, policy };
    }
    case 'fail': {
      // Whether a key that could not be read would have aligned it is not known.
      const mayAlign = signatures.some(({ verdict }) => verdict === 'unknown');
      return { ...nothing, policy, result: mayAlign ? 'unknown' : 'unaligned' };
    }
    case 'none':
      return { ...nothing, result: 'none' };
    default:
      return { ...nothing, result: 'unknown' };
  }
}

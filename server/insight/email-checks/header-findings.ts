import { CLIPPED_FROM_BYTES, type EmailFindingCode } from '#contract/email-checks.ts';
import type { Authentication, Signature, SignatureVerdict } from '#server/platform/raw-email/authenticate.ts';
import { valuesOf } from '#server/platform/raw-email/raw-email.ts';
import type { ReadEmail } from './read-email.ts';

/** A finding before it is presented. */
export interface Found {
  code: EmailFindingCode;
  values?: Readonly<Record<string, string>>;
}

const ONE_CLICK = 'List-Unsubscribe=One-Click';
const HEADERS = ['List-Unsubscribe', 'List-Unsubscribe-Post'] as const;

/** The URIs of a List-Unsubscribe header: each in angle brackets (RFC 2369). A tool may fold them anywhere. */
function urisOf(value: string): string[] {
  return [...value.matchAll(/<([^<>]{1,8000})>/g)].map(([, uri = '']) => uri.replaceAll(/\s+/g, ''));
}

const isHttps = (uri: string) => /^https:\/\/[^/]/i.test(uri);

/** The URI that mail programs post to; null without a single one. */
export function oneClickUri(email: ReadEmail): string | null {
  const [value, ...others] = valuesOf(email, 'list-unsubscribe');
  const uris = urisOf(value ?? '').filter(isHttps);
  return others.length === 0 && uris.length === 1 ? (uris[0] ?? null) : null;
}

/** List-Unsubscribe (RFC 2369), which for one click has one https URI (RFC 8058, section 3.1). */
export function listUnsubscribe(email: ReadEmail): Found {
  const values = valuesOf(email, 'list-unsubscribe');
  const [value] = values;
  if (value === undefined) return { code: 'unsubscribe_missing' };
  if (values.length > 1) return { code: 'unsubscribe_duplicated', values: { number: String(values.length) } };
  const uris = urisOf(value);
  const https = uris.filter(isHttps);
  if (https.length > 1) return { code: 'unsubscribe_several', values: { number: String(https.length) } };
  if (https[0] !== undefined) return { code: 'unsubscribe_ok', values: { host: hostOf(https[0]) } };
  if (uris.some((uri) => /^http:/i.test(uri))) return { code: 'unsubscribe_http_only' };
  if (uris.some((uri) => /^mailto:/i.test(uri))) return { code: 'unsubscribe_mailto_only' };
  return { code: 'unsubscribe_malformed', values: { value } };
}

function hostOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).hostname : '';
}

/** List-Unsubscribe-Post, which has exactly one value (RFC 8058, section 3.1). null if nothing is to be said of it. */
export function listUnsubscribePost(email: ReadEmail): Found | null {
  const values = valuesOf(email, 'list-unsubscribe-post');
  const [value] = values;
  const hasLink = valuesOf(email, 'list-unsubscribe').length > 0;
  if (value === undefined) return hasLink ? { code: 'post_missing' } : null;
  if (!hasLink) return { code: 'post_alone' };
  if (values.length > 1) return { code: 'post_duplicated', values: { number: String(values.length) } };
  return value === ONE_CLICK ? { code: 'post_ok' } : { code: 'post_wrong', values: { value } };
}

const CODES = {
  body_changed: 'dkim_body_changed',
  wrong: 'dkim_signature_wrong',
  no_key: 'dkim_no_key',
  short_key: 'dkim_short_key',
  invalid: 'dkim_invalid',
  unknown: 'dkim_unknown',
} as const satisfies Record<Exclude<SignatureVerdict, 'valid'>, EmailFindingCode>;

const isValid = ({ verdict }: Signature) => verdict === 'valid';

/** One valid signature is enough: genuine emails have others beside it. */
export function dkim(email: ReadEmail, { signatures, alignment }: Authentication): Found {
  const valid = signatures.filter(isValid);
  if (valid.length > 0) {
    const domains = [...new Set(valid.map(({ domain }) => domain))].join(', ');
    return { code: 'dkim_ok', values: { domain: domains } };
  }
  // The sender's own signature is the one that they can put right.
  const own = ({ domain }: Signature) => alignment.fromDomain.endsWith(domain.toLowerCase());
  const worst = signatures.find(own) ?? signatures[0];
  if (worst === undefined) {
    const [value] = valuesOf(email, 'dkim-signature');
    if (value === undefined) return { code: 'dkim_missing' };
    const domain = /(?:^|[;\s])d=([^;\s]{1,253})/i.exec(value)?.[1] ?? '?';
    return { code: 'dkim_invalid', values: { domain } };
  }
  const { domain, selector, keyBits, verdict } = worst;
  const record = `${selector}._domainkey.${domain}`;
  const code = verdict === 'valid' ? 'dkim_invalid' : CODES[verdict];
  return { code, values: { domain, record, ...(keyBits === null ? {} : { bits: String(keyBits) }) } };
}

/** A valid signature has to cover both headers (RFC 8058, section 4). null where there is nothing to cover, or no signature. */
export function signedHeaders(email: ReadEmail, { signatures }: Authentication): Found | null {
  const present = HEADERS.filter((name) => valuesOf(email, name.toLowerCase()).length > 0);
  // With none that is valid, what they would cover is still worth knowing.
  const counting = signatures.some(isValid) ? signatures.filter(isValid) : signatures;
  if (present.length === 0 || counting.length === 0) return null;
  const missing = counting.map(({ signed, domain }) => ({
    domain,
    headers: present.filter((name) => !signed.has(name.toLowerCase())),
  }));
  const best = missing.toSorted((a, b) => a.headers.length - b.headers.length)[0];
  if (best === undefined || best.headers.length === 0) return { code: 'signed_ok' };
  return { code: 'signed_incomplete', values: { domain: best.domain, headers: best.headers.join(', ') } };
}

/** Whether the domain in From is the one that DKIM or SPF vouches for, and what DMARC wants done if it is not. */
export function alignment({ alignment: found, signatures }: Authentication): Found {
  const { result, by, fromDomain: domain, policy } = found;
  const signed = [...new Set(signatures.filter(isValid).map((one) => one.domain))].join(', ') || '–';
  switch (result) {
    case 'aligned':
      return { code: by === 'spf' ? 'aligned_spf' : 'aligned_dkim', values: { domain } };
    case 'unaligned': {
      const values = { domain, signed, policy: policy ?? 'none' };
      return {
        code: policy === 'quarantine' || policy === 'reject' ? 'unaligned_refused' : 'unaligned',
        values,
      };
    }
    case 'none':
      return { code: 'dmarc_missing', values: { domain } };
    case 'invalid':
      return { code: 'from_invalid' };
    case 'unknown':
      return { code: 'alignment_unknown', values: { domain } };
  }
}

export function listId(email: ReadEmail): Found {
  const value = valuesOf(email, 'list-id')[0];
  return value === undefined || value === ''
    ? { code: 'list_id_missing' }
    : { code: 'list_id_ok', values: { value } };
}

/** What Gmail cuts off counts the HTML without its images. */
export function size({ htmlBytes: bytes }: ReadEmail): Found | null {
  if (bytes === null) return null;
  const values = { kilobytes: String(Math.ceil(bytes / 1024)) };
  return { code: bytes > CLIPPED_FROM_BYTES ? 'size_clipped' : 'size_ok', values };
}

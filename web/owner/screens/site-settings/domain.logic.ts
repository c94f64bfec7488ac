import type { DnsRecord } from '#contract/domains.ts';
import { DOMAIN_LABEL } from '#contract/fields.ts';
import type { BadgeTone } from '#web/ui/Badge.tsx';
import { isPublicDomain } from '../../site/public-domain.ts';

/** The host in typed or pasted text, which may be a full URL or an internationalized name; null if there is none. */
export function toHost(typed: string): string | null {
  const text = typed.trim().replace(/^[a-z]+:\/\//i, '');
  if (text === '' || /[\s@]/.test(text) || !URL.canParse(`http://${text}`)) return null;
  const host = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  const labels = host.split('.');
  const isName = labels.length > 1 && labels.every((label) => DOMAIN_LABEL.test(label));
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? host : null;
}

/** Labels under which many country domains register names, as in `acme.co.uk`. */
const REGISTRY_LABELS = new Set(['ac', 'co', 'com', 'edu', 'gov', 'ne', 'net', 'or', 'org']);

function isRegistrable(labels: readonly string[]): boolean {
  const [, second = '', top = ''] = labels;
  return labels.length === 2 || (labels.length === 3 && top.length === 2 && REGISTRY_LABELS.has(second));
}

/** For a domain that has no domain above it but a registry's, a subdomain; null for any other. */
export function insteadOfRoot(host: string): string | null {
  return isRegistrable(host.split('.')) ? `preferences.${host}` : null;
}

/**
 * For a domain that usually has a website, the subdomain to use instead; null for any other.
 * @param siteDomain Sayso's own, below which no site may have another domain
 */
export function insteadOfWebsite(host: string, siteDomain: string): string | null {
  const own = host.replace(/^www\./, '');
  if (!isPublicDomain(own) || `.${own}`.endsWith(`.${siteDomain}`)) return null;
  return own !== host || isRegistrable(own.split('.')) ? `preferences.${own}` : null;
}

/** Whether a site can ever use an own domain: its records have to be public, and to point to a public host. */
export function canBeVerified(siteHost: string, ownDomain: string): boolean {
  return isPublicDomain(siteHost) && isPublicDomain(ownDomain);
}

export const STATUS_TONES: Record<DnsRecord['status'], BadgeTone> = {
  unchecked: 'neutral',
  found: 'success',
  wrong: 'danger',
  missing: 'warning',
  unknown: 'neutral',
};

import { DOMAIN_LABEL } from '#contract/fields.ts';

/** Subdomains that the product itself may answer on, or that would pass for it. */
const RESERVED_LABELS = new Set([
  'www',
  'app',
  'api',
  'admin',
  'administrator',
  'root',
  'mail',
  'smtp',
  'imap',
  'pop',
  'ftp',
  'ns',
  'ns1',
  'ns2',
  'mx',
  'dns',
  'cdn',
  'static',
  'assets',
  'images',
  'docs',
  'help',
  'support',
  'status',
  'blog',
  'dashboard',
  'login',
  'signup',
  'account',
  'accounts',
  'auth',
  'oauth',
  'sso',
  'billing',
  'pay',
  'payment',
  'payments',
  'security',
  'abuse',
  'postmaster',
  'hostmaster',
  'webmaster',
  'sayso',
  'dev',
  'test',
  'staging',
  'demo',
  'internal',
  'localhost',
  'hooks',
  'webhooks',
  'metrics',
  'healthz',
  'autodiscover',
  'autoconfig',
  'wpad',
  'isatap',
]);

export type DomainProblem = 'invalid' | 'reserved';

/**
 * The full host of a subdomain, given alone or with the shared suffix.
 * @returns the host in lower case, or what is wrong with it
 */
export function subdomainHost(
  value: string,
  siteDomain: string,
): { host: string } | { problem: DomainProblem } {
  const lower = value.trim().toLowerCase();
  const suffix = `.${siteDomain}`;
  const label = lower.endsWith(suffix) ? lower.slice(0, -suffix.length) : lower;
  if (!DOMAIN_LABEL.test(label)) return { problem: 'invalid' };
  // xn-- could be made to look like somebody else's name.
  if (RESERVED_LABELS.has(label) || label.startsWith('xn--')) return { problem: 'reserved' };
  return { host: `${label}${suffix}` };
}

/** 253 characters, less those of the `_sayso.` under which it is proven. */
const MAX_CUSTOM_HOST = 246;

/** @returns an own domain in lower case, or what is wrong with it */
export function customHost(
  value: string,
  product: { siteDomain: string; appHostName: string },
): { host: string } | { problem: DomainProblem } {
  const host = value.trim().toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  const valid =
    host.length <= MAX_CUSTOM_HOST &&
    labels.length >= 2 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '');
  if (!valid) return { problem: 'invalid' };
  const isOurs =
    host === product.appHostName || host === product.siteDomain || host.endsWith(`.${product.siteDomain}`);
  return isOurs ? { problem: 'reserved' } : { host };
}

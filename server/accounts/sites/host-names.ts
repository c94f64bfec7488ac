import { DOMAIN_LABEL } from '#contract/fields.ts';

/** Subdomains reserved for the product, requested automatically by programs, or suited to impersonate the product. */
const RESERVED_LABELS = new Set(
  `
  www app apps web api admin administrator sysadmin root owner owners
  mail email webmail smtp imap pop pop3 mx relay mailer mta bounce bounces noreply no-reply mailer-daemon
  mta-sts autoconfig autodiscover dmarc dkim spf bimi openpgpkey smtps imaps pops
  ns dns ftp sftp ssh vpn ldap sip xmpp proxy gateway router wpad isatap
  cdn static assets images img media files upload uploads download downloads
  docs help support status uptime blog about contact info legal privacy terms press trust
  dashboard console panel cpanel whm portal login logout signin sign-in signup sign-up register password reset
  account accounts auth oauth oauth2 openid saml sso id identity verify secure security ssl tls
  billing pay payment payments checkout invoice invoices
  abuse postmaster hostmaster webmaster ssladmin ssladministrator sslwebmaster
  dev test tests testing stage staging sandbox preview beta alpha demo qa uat prod production internal intranet
  local localhost localdomain broadcasthost invalid example
  hooks webhook webhooks callback metrics healthz readyz monitor monitoring grafana prometheus analytics
  graphql rest rpc ws wss well-known unsubscribe
  `
    .trim()
    .split(/\s+/),
);

/** Numbered service names such as `ns1`, and names that contain that of the product. */
const RESERVED_KINDS = /^(?:(?:www|mail|smtp|imap|pop|mx|ns|dns|ftp|cdn)-?\d+|sayso(?:-.*)?)$/;

export type DomainProblem = 'invalid' | 'reserved';

/**
 * The full host of a subdomain, given as a label or with the shared suffix.
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
  // Punycode (xn--) allows look-alike names.
  const isReserved = RESERVED_LABELS.has(label) || RESERVED_KINDS.test(label);
  if (isReserved || label.startsWith('xn--')) return { problem: 'reserved' };
  return { host: `${label}${suffix}` };
}

/** 253 characters, minus the `_sayso.` of the verification record. */
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

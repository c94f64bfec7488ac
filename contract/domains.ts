import { z } from 'zod';
import { timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/**
 * What the last look at a record saw. `wrong`: something else is there; `missing`: nothing is there; `unknown`: the
 * DNS could not be asked, which says nothing about the record; `unchecked`: nobody has looked yet.
 */
export const RECORD_STATUSES = ['unchecked', 'found', 'wrong', 'missing', 'unknown'] as const;
export type RecordStatus = (typeof RECORD_STATUSES)[number];

const recordFinding = z.object({
  status: z.enum(RECORD_STATUSES),
  found: z.array(z.string()).describe('The current values, at most five.'),
});

export type RecordFinding = z.infer<typeof recordFinding>;

/** What one look at the DNS saw, as it is kept. */
export interface DomainFindings {
  pointing: RecordFinding;
  proof: RecordFinding;
  /** Of the site's own host. */
  addresses: string[];
  /** Proven, but not to be had yet. */
  blocked: { by: 'in_use' | 'held'; until: string | null } | null;
}

export const dnsRecord = recordFinding
  .extend({
    type: z.enum(['CNAME', 'TXT']),
    name: z.string().describe('Full name, without the trailing dot.'),
    value: z.string(),
  })
  .meta({ id: 'DnsRecord' });

export type DnsRecord = z.infer<typeof dnsRecord>;

export const DOMAIN_NOTICES = ['in_use', 'held', 'losing', 'lapsed'] as const;

export const siteDomain = z
  .object({
    host: z.string(),
    status: z.enum(['pending', 'verified']),
    records: z.array(dnsRecord).describe('The records to set at the DNS provider.'),
    addresses: z
      .array(z.string())
      .describe(
        "IP addresses of the site's own host. A root domain can't have a CNAME and uses them as A and AAAA records.",
      ),
    notice: z
      .object({ kind: z.enum(DOMAIN_NOTICES), until: timestamp.nullable() })
      .nullable()
      .describe(
        '`in_use`: proven, but it serves another site. `held`: proven, but another organization gave it up recently; free at `until`. `losing`: the TXT record is gone, and the domain goes offline at `until`. `lapsed`: it was verified, but its TXT record was gone for too long.',
      ),
    verified_at: timestamp.nullable(),
    checked_at: timestamp.nullable(),
  })
  .meta({ id: 'SiteDomain' });

export type SiteDomain = z.infer<typeof siteDomain>;

export const getDomain = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/domain`,
  access: 'site',
  tag: 'Organizations',
  summary: "Read a site's own domain and its DNS records",
  description: 'Set or remove the domain by changing the site. Answers 404 if the site has none.',
  params: siteParams,
  status: 200,
  response: siteDomain,
  errors: ['not_found'],
});

export const checkDomain = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/domain/check`,
  access: 'site',
  needs: 'admin',
  tag: 'Organizations',
  summary: "Check the DNS records of a site's own domain now",
  description:
    'Sayso also checks automatically: often while the domain is new, and a few times a day once it is verified. A domain is verified when its TXT record is right and the domain points here.',
  params: siteParams,
  status: 200,
  response: siteDomain,
  errors: ['not_found', 'rate_limited'],
});

export const askTls = defineRoute({
  method: 'GET',
  path: '/tls/ask',
  access: 'anyone',
  tag: 'Organizations',
  summary: 'Check whether this server serves a host',
  description:
    'For web servers that request certificates on demand. 200 for the app host, site subdomains and verified own domains, 404 for anything else. Only answers programs on the same machine without a proxy and callers with `TLS_ASK_TOKEN`. Everyone else gets 404.',
  query: z.object({
    domain: z.string().max(300),
    token: z.string().max(300).optional().describe('The setting `TLS_ASK_TOKEN`.'),
  }),
  status: 200,
  response: z.object({}),
  errors: ['not_found'],
});

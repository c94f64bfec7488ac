import { z } from 'zod';
import { collection, id, line } from './fields.ts';
import { defineRoute } from './route.ts';

/** How long a personal link may prove its customer. */
export const LINK_LIFETIME_DAYS = { least: 30, most: 730 } as const;

export const site = z
  .object({
    id,
    domain_name: z.string().describe('The full host, e.g. `acme.localhost`.'),
    name: z.string(),
    custom_domain: z.string().nullable().describe('The own domain that its owner wishes or has.'),
    custom_domain_status: z
      .enum(['pending', 'verified'])
      .nullable()
      .describe('Only a verified domain is served and used in links.'),
    url: z
      .string()
      .describe('Where the pages of the site are served: at the own domain once it is verified.'),
    link_lifetime_days: z
      .number()
      .int()
      .describe(
        'How long a personal link proves its customer. After that it can only unsubscribe, and offers a fresh one.',
      ),
  })
  .meta({ id: 'Site' });

export type Site = z.infer<typeof site>;

const organizationParams = z.object({ organization_id: id });

const listOfSites = {
  method: 'GET',
  access: 'organization',
  tag: 'Organizations',
  summary: 'List the sites of an organization',
  params: organizationParams,
  status: 200,
  response: collection(site),
} as const;

export const listSites = defineRoute({
  ...listOfSites,
  path: '/core/v1/organizations/{organization_id}/sites',
});

export const listSitesV1_1 = defineRoute({
  ...listOfSites,
  path: '/core/v1.1/organizations/{organization_id}/sites',
});

export const createSite = defineRoute({
  method: 'POST',
  path: '/core/v1/organizations/{organization_id}/sites',
  access: 'organization',
  needs: 'admin',
  tag: 'Organizations',
  summary: 'Create a site',
  description: '`domain_name` is a subdomain, alone (`acme`) or with the shared suffix (`acme.localhost`).',
  params: organizationParams,
  body: z.strictObject({ domain_name: line(253), name: line(100) }),
  status: 201,
  response: site,
  errors: ['domain_taken', 'reserved_name', 'limit_reached'],
});

export const updateSite = defineRoute({
  method: 'PATCH',
  path: '/core/v1.1/organizations/{organization_id}/sites/{site_id}',
  access: 'site',
  needs: 'admin',
  tag: 'Organizations',
  summary: 'Set the own domain, the name or the lifetime of personal links of a site',
  description:
    'A domain is pending until its DNS records are right (see the domain of the site). One that is changed or removed is no longer served from that moment on.',
  params: organizationParams.extend({ site_id: id }),
  body: z.strictObject({
    custom_domain: line(253).nullable().optional().describe('A host like `mail.acme.com`; null removes it.'),
    name: line(100).optional(),
    link_lifetime_days: z
      .number()
      .int()
      .min(LINK_LIFETIME_DAYS.least)
      .max(LINK_LIFETIME_DAYS.most)
      .optional()
      .describe('Counts for the links that are out already, too.'),
  }),
  status: 200,
  response: site,
  errors: ['domain_taken', 'reserved_name'],
});

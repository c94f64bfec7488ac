import { z } from 'zod';
import { collection, id, line, STRICT_EMAIL } from './fields.ts';
import { operator } from './operator.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/** How long a personal link may prove its customer. */
export const LINK_LIFETIME_DAYS = { least: 30, most: 730 } as const;

/** How long the content of deliveries that arrived may be stored. */
export const DELIVERY_CONTENT_DAYS = { least: 1, most: 365 } as const;

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
    delivery_content_days: z
      .number()
      .int()
      .describe(
        'How long the content of deliveries that arrived is stored: what was sent, and what the receiver answered.',
      ),
    sender_name: z
      .string()
      .describe('Who emails to customers are from, in words. Empty: the name of the page they are about.'),
    reply_to: z.string().describe('Where replies to emails to customers go. Empty: to the sending address.'),
    operator,
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
  summary:
    'Change the settings of a site: own domain, name, personal links, delivery content, emails, operator',
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
    delivery_content_days: z
      .number()
      .int()
      .min(DELIVERY_CONTENT_DAYS.least)
      .max(DELIVERY_CONTENT_DAYS.most)
      .optional()
      .describe('Counts from the next night on, also for deliveries that have arrived already.'),
    sender_name: line(100, 0).optional().describe('Empty: the name of the page that an email is about.'),
    reply_to: line(254, 0)
      .refine((value) => value === '' || STRICT_EMAIL.test(value), {
        error: 'must be empty, or an email address like help@example.com',
      })
      .optional(),
    operator: operator
      .optional()
      .describe(
        'Shown at the foot of the pages and of emails to customers, and recorded with each choice. Replaced as a whole.',
      ),
  }),
  status: 200,
  response: site,
  errors: ['domain_taken', 'reserved_name'],
});

export const testEmail = z
  .object({
    email: z.string().describe('Where it went: the address of your account.'),
    from: z.string(),
    reply_to: z.string().describe('Empty: replies go to the sending address.'),
    outcome: z
      .enum(['accepted', 'kept', 'address_refused', 'refused', 'sender_refused', 'away'])
      .describe(
        '`accepted` by the mail server; `kept` on this server, which has none; `address_refused`, `refused` (the message) or `sender_refused` by the mail server for good; `away`: it did not take it now.',
      ),
    reply: z
      .object({ status: z.number().int(), text: z.string() })
      .nullable()
      .describe('What the mail server said (SMTP); null where none answered.'),
    message: z.string().describe('The outcome in one sentence.'),
  })
  .meta({ id: 'TestEmail' });

export type TestEmail = z.infer<typeof testEmail>;

export const sendTestEmail = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/test-email`,
  access: 'site',
  needs: 'admin',
  tag: 'Organizations',
  summary: 'Send yourself an email as customers of the site get them, and see what the mail server says',
  description: 'It goes to the address of your account, with the saved settings. At most ten in an hour.',
  params: siteParams,
  status: 200,
  response: testEmail,
  errors: ['rate_limited'],
});

import { z } from 'zod';
import { isEmail, readEmail } from './email-address.ts';
import { collection, id, line, timestamp } from './fields.ts';
import { operator } from './operator.ts';
import { defineRoute } from './route.ts';
import { isEvidenceAnchor, testEmailKey } from './site-addresses.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/** How long a personal link may prove its customer. */
export const LINK_LIFETIME_DAYS = { least: 30, most: 730 } as const;

/** How long the content of deliveries that arrived may be stored. */
export const DELIVERY_CONTENT_DAYS = { least: 1, most: 365 } as const;

/** How many addresses and domains a site may test with. */
export const MAX_TEST_EMAILS = 100;

export const testEmailPattern = line(254)
  .refine((value) => testEmailKey(value) !== null, {
    error: 'must be an email like qa@example.com or a domain like @test.example.com',
  })
  .transform((value) => testEmailKey(value) ?? value);

export const site = z
  .object({
    id,
    domain_name: z.string().describe('The full host, e.g. `acme.localhost`.'),
    name: z.string(),
    custom_domain: z.string().nullable().describe("The site's own domain, verified or not."),
    custom_domain_status: z
      .enum(['pending', 'verified'])
      .nullable()
      .describe('Only a verified domain is served and used in links.'),
    url: z.string().describe("Where the site's pages are served: on the own domain once it is verified."),
    link_lifetime_days: z
      .number()
      .int()
      .describe(
        'How many days a personal link proves its customer. After that, it can only unsubscribe or request a new one.',
      ),
    delivery_content_days: z
      .number()
      .int()
      .describe(
        'How many days we store the content of delivered deliveries: what we sent and what the receiver answered.',
      ),
    sender_name: z.string().describe("Sender name of emails to customers. Empty: the page's name."),
    reply_to: z.string().describe('Reply address of emails to customers. Empty: the sending address.'),
    operator,
    test_mode: z
      .boolean()
      .describe(
        'In test mode no change is sent to tools, webhooks or evidence endpoints. Deliveries wait until it ends. Only a test of an action is still sent.',
      ),
    test_emails: z
      .array(z.string())
      .describe(
        'Test addresses: emails, and domains like `@test.example.com`. Changes of these customers are never sent, in test mode or not.',
      ),
    evidence_anchor: z
      .string()
      .describe(
        'Where we send the signed heads of the evidence each night: an email or an https URL. Empty: nowhere.',
      ),
    taken_down: z
      .object({ at: timestamp, reason: z.string() })
      .nullable()
      .describe(
        'Set while the people who run this server have taken the public pages of the site down: they answer 410. Unsubscribing goes on working. Owners cannot undo this.',
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
  summary: 'List the sites of an organization (v1.1)',
  description: 'The same response as v1. Both versions remain available.',
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
  body: z
    .strictObject({ domain_name: line(253), name: line(100) })
    .meta({ examples: [{ domain_name: 'acme', name: 'Acme' }] }),
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
  summary: 'Change the settings of a site',
  description:
    "Only at v1.1. Own domain, name, personal links, delivery content, emails, operator and test mode. A domain is pending until its DNS records are right (see the site's domain). If you change or remove it, the old one goes offline immediately.",
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
      .describe('Also applies to existing links.'),
    delivery_content_days: z
      .number()
      .int()
      .min(DELIVERY_CONTENT_DAYS.least)
      .max(DELIVERY_CONTENT_DAYS.most)
      .optional()
      .describe('Applies from the next night on, also to existing deliveries.'),
    sender_name: line(100, 0).optional().describe("Empty: the page's name."),
    reply_to: line(254, 0)
      .overwrite((value) => readEmail(value) ?? value)
      .refine((value) => value === '' || isEmail(value), {
        error: 'must be empty or an email like help@example.com',
      })
      .optional(),
    operator: operator
      .optional()
      .describe(
        'Shown in the footer of pages and customer emails, and recorded with each choice. Replaced as a whole.',
      ),
    test_mode: z
      .boolean()
      .optional()
      .describe('`false` goes live: waiting deliveries are sent, except those of test addresses.'),
    test_emails: z
      .array(testEmailPattern)
      .max(MAX_TEST_EMAILS, { error: `must have at most ${MAX_TEST_EMAILS} addresses` })
      .transform((all) => [...new Set(all)])
      .optional()
      .describe('Replaced as a whole. Applies to choices from now on, and to deliveries that still wait.'),
    evidence_anchor: line(2048, 0)
      .refine((value) => value === '' || isEvidenceAnchor(value), {
        error: 'must be empty, an email like proof@example.com or a URL like https://example.com/heads',
      })
      .optional()
      .describe(
        'The next heads are sent there tonight. An email other than your own first gets a link, and nothing else until its mailbox has agreed; see `GET …/evidence-anchor`.',
      ),
  }),
  status: 200,
  response: site,
  errors: ['domain_taken', 'reserved_name'],
});

export const testEmail = z
  .object({
    email: z.string().describe("The recipient: your account's email."),
    from: z.string(),
    reply_to: z.string().describe('Empty: the sending address.'),
    outcome: z
      .enum(['accepted', 'kept', 'address_refused', 'refused', 'sender_refused', 'away'])
      .describe(
        "`accepted`: by the mail server. `kept`: stored here, because this server has no mail server. `address_refused`, `refused` (the message) and `sender_refused`: permanently rejected. `away`: the mail server is unreachable or didn't accept it now.",
      ),
    reply: z
      .object({ status: z.number().int(), text: z.string() })
      .nullable()
      .describe("The mail server's SMTP reply; null if there was none."),
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
  summary: "Send yourself a test email and read the mail server's reply",
  description:
    "Sent to your account's email, as customers of the site get it, with the saved settings. At most 10 an hour.",
  params: siteParams,
  status: 200,
  response: testEmail,
  errors: ['rate_limited'],
});

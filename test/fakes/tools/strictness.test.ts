import { createHash } from 'node:crypto';
import { describeStrictness, EMAIL, type Strict } from '#test/connectors/strictness-suite.ts';
import { startCampaignMonitorFake } from './campaign-monitor.ts';
import type { FakeTool } from './fake-tool.ts';
import { startHubspotFake } from './hubspot.ts';
import { startKitFake } from './kit.ts';
import { startMailchimpFake } from './mailchimp.ts';
import { startSendgridFake } from './sendgrid.ts';

const PREFERENCES = '/communication-preferences/2026-09';

const bearer = (name: string) => (fake: FakeTool) => ({ authorization: `Bearer ${fake.credentials[name]}` });
const firstOf = (fake: FakeTool, kind: 'lists' | 'tags' | 'suppression_groups') =>
  fake.addResources(kind, 1)[0]?.id ?? '';

const SAMPLES: Strict[] = [
  {
    name: 'HubSpot',
    start: startHubspotFake,
    headers: bearer('token'),
    write: (fake) => ({
      method: 'POST',
      path: `${PREFERENCES}/statuses/${encodeURIComponent(EMAIL)}`,
      body: {
        channel: 'EMAIL',
        statusState: 'UNSUBSCRIBED',
        subscriptionId: Number(firstOf(fake, 'suppression_groups')),
        legalBasis: 'CONSENT_WITH_NOTICE',
      },
    }),
    unknown: {
      path: '/communication-preferences/v3/definitions',
      query: `${PREFERENCES}/definitions?brand=0`,
    },
    wrong: { statusState: 'OPTED_OUT' },
    reads: () => [
      '/account-info/2026-09/details',
      `${PREFERENCES}/definitions`,
      `${PREFERENCES}/statuses/${encodeURIComponent(EMAIL)}?channel=EMAIL`,
      '/crm/properties/2026-09/contacts',
      `/crm/objects/2026-09/contacts/${encodeURIComponent(EMAIL)}?idProperty=email`,
    ],
  },
  {
    name: 'Mailchimp',
    start: startMailchimpFake,
    headers: bearer('api_key'),
    write: () => ({
      method: 'PATCH',
      path: `/lists/a000000001/members/${createHash('md5').update(EMAIL).digest('hex')}`,
      body: { status: 'unsubscribed' },
    }),
    unknown: { path: '/list', query: '/lists?limit=10' },
    wrong: { status: 'left' },
    reads: (fake) => [
      '/',
      '/lists',
      '/lists/a000000001/members',
      `/lists/${firstOf(fake, 'tags').replace('/', '/segments/')}`,
      '/lists/a000000001/segments?type=static',
      '/lists/a000000001/merge-fields',
      '/lists/a000000001/interest-categories',
    ],
  },
  {
    name: 'ConvertKit',
    start: startKitFake,
    headers: (fake) => ({ 'x-kit-api-key': fake.credentials['api_key'] ?? '' }),
    write: (fake) => ({
      method: 'POST',
      path: `/tags/${firstOf(fake, 'tags')}/subscribers`,
      body: { email_address: EMAIL },
    }),
    unknown: { path: '/subscriber', query: '/subscribers?email=ada' },
    wrong: { email_address: 7 },
    reads: () => ['/account', '/subscribers?status=all', '/tags', '/sequences', '/custom_fields'],
  },
  {
    name: 'Campaign Monitor',
    start: startCampaignMonitorFake,
    headers: (fake) => ({
      authorization: `Basic ${Buffer.from(`${fake.credentials['api_key']}:x`).toString('base64')}`,
    }),
    write: ({ credentials: { client_id } }) => ({
      method: 'POST',
      path: `/clients/${client_id}/suppress.json`,
      body: { EmailAddresses: [EMAIL] },
    }),
    unknown: { path: '/clients', query: '/clients.json?page=1' },
    wrong: { EmailAddresses: EMAIL },
    reads: ({ credentials: { client_id } }) => [
      '/clients.json',
      `/clients/${client_id}/lists.json`,
      `/clients/${client_id}/suppressionlist.json`,
      `/clients/${client_id}/listsforemail.json?email=${EMAIL}`,
    ],
  },
  {
    name: 'SendGrid',
    start: startSendgridFake,
    headers: bearer('api_key'),
    write: () => ({
      method: 'POST',
      path: '/v3/asm/suppressions/global',
      body: { recipient_emails: [EMAIL] },
    }),
    unknown: { path: '/v3/contactdb/recipients', query: '/v3/marketing/lists?size=10' },
    wrong: { recipient_emails: EMAIL },
    reads: () => ['/v3/scopes', '/v3/asm/groups', '/v3/marketing/lists', '/v3/marketing/field_definitions'],
  },
];

for (const sample of SAMPLES) describeStrictness(sample);

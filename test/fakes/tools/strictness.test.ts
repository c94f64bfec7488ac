import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCampaignMonitorFake } from './campaign-monitor.ts';
import type { FakeTool } from './fake-tool.ts';
import { startHubspotFake } from './hubspot.ts';
import { startKitFake } from './kit.ts';
import { startMailchimpFake } from './mailchimp.ts';
import { startSendgridFake } from './sendgrid.ts';

/* What each tool would not take, tried on its fake: one good call, and the same one with a mistake. */

const EMAIL = 'ada@example.com';
const PREFERENCES = '/communication-preferences/2026-09';

interface Call {
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  body: Record<string, unknown>;
}

interface Sample {
  name: string;
  start(): Promise<FakeTool>;
  headers(fake: FakeTool): Record<string, string>;
  /** Changes something about the person. */
  write(fake: FakeTool): Call;
  /** A path that the tool does not have, and a parameter that a path of it does not have. */
  unknown: { path: string; query: string };
  /** The good body, but for one wrong value. */
  wrong: Record<string, unknown>;
  /** Reads whose answers are whole. */
  reads(fake: FakeTool): string[];
}

const bearer = (name: string) => (fake: FakeTool) => ({ authorization: `Bearer ${fake.credentials[name]}` });
const firstOf = (fake: FakeTool, kind: 'lists' | 'tags' | 'suppression_groups') =>
  fake.addResources(kind, 1)[0]?.id ?? '';

const SAMPLES: Sample[] = [
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

describe.each(SAMPLES)('the fake of $name', ({ start, headers, write, unknown, wrong, reads }) => {
  let fake: FakeTool;
  let call: Call;
  let before: ReturnType<FakeTool['holds']>;

  beforeAll(async () => {
    fake = await start();
    fake.addContact(EMAIL);
    call = write(fake);
    before = fake.holds(EMAIL);
  });

  afterAll(() => fake.close());

  async function ask(path: string, how: { method?: string; body?: unknown } = {}) {
    const { method = 'GET', body } = how;
    const type = body !== undefined && { 'content-type': 'application/json' };
    return fetch(`${fake.url}${path}`, {
      method,
      headers: { ...headers(fake), ...type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  const refused: [string, () => Promise<Response>, number[]][] = [
    ['a path that the tool does not have', () => ask(unknown.path), [404]],
    ['a parameter that the tool does not have', () => ask(unknown.query), [400, 422]],
    [
      'a field that the tool does not have',
      () => ask(call.path, { ...call, body: { ...call.body, nosuch: 1 } }),
      [400, 422],
    ],
    [
      'a misspelt field',
      () => {
        const [[name, value] = ['', null], ...others] = Object.entries(call.body);
        return ask(call.path, { ...call, body: Object.fromEntries([[`${name}x`, value], ...others]) });
      },
      [400, 422],
    ],
    [
      'a value that the tool does not know',
      () => ask(call.path, { ...call, body: { ...call.body, ...wrong } }),
      [400, 422],
    ],
  ];

  it.each(refused)(
    'refuses %s in the form of the tool, and changes nothing',
    async (_what, work, statuses) => {
      const known = fake.violations?.length ?? 0;
      const answer = await work();
      expect(statuses).toContain(answer.status);
      expect(fake.holds(EMAIL)).toEqual(before);
      // The mistake alone: the refusal itself has the tool's form.
      expect(fake.violations?.slice(known).filter((line) => line.includes('answer'))).toEqual([]);
      expect(fake.violations?.length).toBeGreaterThan(known);
    },
  );

  it('answers good calls with all that the tool tells', async () => {
    const known = fake.violations?.length;
    for (const path of reads(fake)) expect([path, (await ask(path)).status]).toEqual([path, 200]);
    expect((await ask(call.path, call)).ok).toBe(true);
    expect(fake.holds(EMAIL)).not.toEqual(before);
    expect(fake.violations?.slice(known)).toEqual([]);
  });
});

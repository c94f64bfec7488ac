import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startActivecampaignFake } from './activecampaign.ts';
import { startBrevoFake } from './brevo.ts';
import { startDripFake } from './drip.ts';
import type { FakeTool } from './fake-tool.ts';
import { startSalesforceFake } from './salesforce.ts';
import { startSendlaneFake } from './sendlane.ts';

/* What each tool would not take, tried on its fake: a good call, and the same one with a mistake. */

const EMAIL = 'ada@example.com';
const DATA = '/services/data/v62.0';

interface Write {
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  /** What it changes about the person. */
  body: object;
  /** The same with a field that is misspelt. */
  misspelt: object;
}

interface Sample {
  name: string;
  start(): Promise<FakeTool>;
  headers(fake: FakeTool): Promise<Record<string, string>>;
  write(fake: FakeTool, ask: Ask): Promise<Write>;
  unknownPath: string;
  unknownParameter: string;
  /** Its answers are held against the description. */
  reads: readonly string[];
}

type Ask = (
  path: string,
  how?: { method?: string; body?: object },
) => Promise<{ status: number; body: unknown }>;

const text = (value: unknown) => JSON.stringify(value);
const firstId = (body: unknown) => /"id":"?(\w+)"?/i.exec(text(body))?.[1] ?? '';

const SAMPLES: Sample[] = [
  {
    name: 'Brevo',
    start: startBrevoFake,
    headers: async ({ credentials }) => ({ 'api-key': credentials['api_key'] ?? '' }),
    write: async () => ({
      method: 'PUT',
      path: `/contacts/${EMAIL}?identifierType=email_id`,
      body: { emailBlacklisted: true },
      misspelt: { emailBlackListed: true },
    }),
    unknownPath: '/contact/lists',
    unknownParameter: '/contacts/lists?page=1',
    reads: ['/account', '/contacts/lists?limit=50', '/contacts/attributes', `/contacts/${EMAIL}`],
  },
  {
    name: 'Drip',
    start: startDripFake,
    headers: async ({ credentials }) => ({
      authorization: `Basic ${Buffer.from(`${credentials['api_token']}:`).toString('base64')}`,
    }),
    write: async () => ({
      method: 'POST',
      path: '/subscribers',
      body: { subscribers: [{ email: EMAIL, status: 'unsubscribed' }] },
      misspelt: { subscribers: [{ email: EMAIL, state: 'unsubscribed' }] },
    }),
    unknownPath: '/subscriber',
    unknownParameter: '/campaigns?state=all',
    reads: ['/subscribers?status=all', '/campaigns', '/workflows', '/tags', '/custom_field_identifiers'],
  },
  {
    name: 'Sendlane',
    start: startSendlaneFake,
    headers: async ({ credentials }) => ({
      authorization: `Bearer ${credentials['api_token']}`,
      accept: 'application/json',
    }),
    write: async (fake) => ({
      method: 'POST',
      path: `/lists/${fake.addResources('lists', 1)[0]?.id}/contacts`,
      body: { contacts: [{ email: EMAIL, email_consent: true }] },
      misspelt: { contacts: [{ email: EMAIL, emailConsent: true }] },
    }),
    unknownPath: '/automations',
    unknownParameter: '/lists?per_page=10',
    reads: ['/senders', '/lists', '/tags', '/custom-fields', '/contacts/unsubscribed'],
  },
  {
    name: 'ActiveCampaign',
    start: startActivecampaignFake,
    headers: async ({ credentials }) => ({ 'api-token': credentials['api_key'] ?? '' }),
    write: async (fake, ask) => {
      const list = Number(fake.addResources('lists', 1)[0]?.id);
      const { body } = await ask(`/contacts?email=${EMAIL}`);
      const contact = Number(firstId(body));
      return {
        method: 'POST',
        path: '/contactLists',
        body: { contactList: { list, contact, status: 1 } },
        misspelt: { contactList: { list, contact, status: 1, sourceId: 4 } },
      };
    },
    unknownPath: '/contactsList',
    unknownParameter: '/lists?page=2',
    reads: [
      '/users/me',
      '/lists',
      '/lists/exclusions',
      '/tags',
      '/automations',
      '/fields',
      '/contacts?include=contactLists',
    ],
  },
  {
    name: 'Salesforce',
    start: startSalesforceFake,
    headers: async ({ url, credentials }) => {
      const { client_id = '', client_secret = '' } = credentials;
      const form = { grant_type: 'client_credentials', client_id, client_secret };
      const answer = await fetch(`${url}/services/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      const { access_token } = (await answer.json()) as { access_token: string };
      return { authorization: `Bearer ${access_token}` };
    },
    write: async (_fake, ask) => {
      const soql = `SELECT Id FROM Contact WHERE Email = '${EMAIL}'`;
      const { body } = await ask(`${DATA}/query?q=${encodeURIComponent(soql)}`);
      const record = { attributes: { type: 'Contact' }, id: firstId(body), HasOptedOutOfEmail: true };
      return {
        method: 'PATCH',
        path: `${DATA}/composite/sobjects`,
        body: { allOrNone: false, records: [record] },
        misspelt: { allOrNon: false, records: [record] },
      };
    },
    unknownPath: `${DATA}/sobject/Contact/describe`,
    unknownParameter: `${DATA}/query?q=SELECT%20Id%20FROM%20Lead&limit=10`,
    reads: [
      `${DATA}/sobjects/Contact/describe`,
      `${DATA}/query?q=${encodeURIComponent('SELECT Id, Email, EmailBouncedDate FROM Contact')}`,
    ],
  },
];

describe.each(SAMPLES)('the fake of $name', (sample) => {
  let fake: FakeTool;
  let headers: Record<string, string>;
  let write: Write;

  const ask: Ask = async (path, { method = 'GET', body } = {}) => {
    const answer = await fetch(`${fake.url}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const told = await answer.text();
    return { status: answer.status, body: told === '' ? null : (JSON.parse(told) as unknown) };
  };

  beforeAll(async () => {
    fake = await sample.start();
    fake.addContact(EMAIL);
    headers = await sample.headers(fake);
    write = await sample.write(fake, ask);
  });

  afterAll(() => fake.close());

  it('answers as its description says, with everything that the tool returns', async () => {
    for (const path of sample.reads) expect((await ask(path)).status, path).toBe(200);
    expect(fake.violations).toEqual([]);
  });

  it.each(['a path', 'a parameter', 'a misspelt field'] as const)(
    'refuses %s that the tool does not have, notes it and changes nothing',
    async (what) => {
      const before = [fake.holds(EMAIL), fake.violations?.length ?? 0] as const;
      const { method, path, misspelt } = write;
      const answer =
        what === 'a path'
          ? await ask(sample.unknownPath)
          : what === 'a parameter'
            ? await ask(sample.unknownParameter)
            : await ask(path, { method, body: misspelt });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(fake.holds(EMAIL)).toEqual(before[0]);
      expect(fake.violations?.length).toBeGreaterThan(before[1]);
    },
  );

  it('accepts the same call without the mistake', async () => {
    const before = fake.violations?.length;
    const { method, path, body } = write;
    expect((await ask(path, { method, body })).status).toBeLessThan(300);
    expect(fake.violations).toHaveLength(before ?? 0);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrevoFake } from './brevo.ts';
import type { FakeTool } from './fake-tool.ts';
import { startHubspotFake } from './hubspot.ts';
import { startMailchimpFake } from './mailchimp.ts';
import { startSalesforceFake } from './salesforce.ts';
import { startSendgridFake } from './sendgrid.ts';

/* The calls for many people, tried on the fakes: what is too much, or wrong in one row, and what it comes to. */

const EMAIL = 'ada@example.com';
const DATA = '/services/data/v62.0';

interface Sample {
  name: string;
  start(): Promise<FakeTool>;
  headers(fake: FakeTool): Record<string, string> | Promise<Record<string, string>>;
  /** The most that one call takes. */
  most: number;
  path(fake: FakeTool): string;
  body(emails: string[]): unknown;
  /** Of one row, misspelt or of the wrong type. */
  wrong: unknown;
  /** It is refused for people who are there. */
  isOfStrangers?: boolean;
}

const bearer = (name: string) => (fake: FakeTool) => ({ authorization: `Bearer ${fake.credentials[name]}` });
const HUBSPOT = {
  name: 'HubSpot',
  start: async () => {
    const fake = await startHubspotFake();
    fake.grantStatusBatches(true);
    return fake;
  },
  headers: bearer('token'),
  most: 100,
};

const SAMPLES: Sample[] = [
  {
    ...HUBSPOT,
    name: 'HubSpot (contacts)',
    path: () => '/crm/objects/2026-09/contacts/batch/create',
    body: (emails) => ({ inputs: emails.map((email) => ({ properties: { email } })) }),
    wrong: { inputs: [{ email: EMAIL }] },
    isOfStrangers: true,
  },
  {
    ...HUBSPOT,
    name: 'HubSpot (opt-outs)',
    path: () => '/communication-preferences/2026-09/statuses/batch/unsubscribe-all?channel=EMAIL',
    body: (emails) => ({ inputs: emails }),
    wrong: { inputs: [{ subscriberIdString: EMAIL }] },
  },
  {
    name: 'Brevo',
    start: startBrevoFake,
    headers: ({ credentials }) => ({ 'api-key': credentials['api_key'] ?? '' }),
    most: 150,
    path: (fake) => `/contacts/lists/${fake.addResources('lists', 1)[0]?.id}/contacts/add`,
    body: (emails) => ({ emails }),
    wrong: { email: [EMAIL] },
  },
  {
    name: 'Mailchimp',
    start: startMailchimpFake,
    headers: bearer('api_key'),
    most: 500,
    path: () => '/lists/a000000001',
    body: (emails) => ({ members: emails.map((email_address) => ({ email_address, status: 'subscribed' })) }),
    wrong: { members: [{ email_address: EMAIL, status: 'left' }] },
  },
  {
    name: 'SendGrid',
    start: startSendgridFake,
    headers: bearer('api_key'),
    most: 100,
    path: () => '/v3/marketing/contacts/search/emails',
    body: (emails) => ({ emails }),
    wrong: { email: [EMAIL] },
  },
  {
    name: 'Salesforce',
    start: startSalesforceFake,
    headers: async ({ url, credentials }) => {
      const { client_id = '', client_secret = '' } = credentials;
      const form = { grant_type: 'client_credentials', client_id, client_secret };
      const body = new URLSearchParams(form);
      const answer = await fetch(`${url}/services/oauth2/token`, { method: 'POST', body });
      const { access_token } = (await answer.json()) as { access_token: string };
      return { authorization: `Bearer ${access_token}` };
    },
    most: 200,
    path: () => `${DATA}/composite/sobjects`,
    body: (emails) => ({
      allOrNone: false,
      records: emails.map((Email) => ({ attributes: { type: 'Contact' }, Email, LastName: 'Lee' })),
    }),
    wrong: { allOrNone: false, records: [{ Email: EMAIL }] },
  },
];

describe.each(SAMPLES)(
  'the fake of $name',
  ({ start, headers, isOfStrangers = false, most, path, body, wrong }) => {
    let fake: FakeTool;
    let known: Record<string, string>;

    beforeAll(async () => {
      fake = await start();
      known = await headers(fake);
    });

    afterAll(() => fake.close());

    const post = (content: unknown) =>
      fetch(`${fake.url}${path(fake)}`, {
        method: 'POST',
        headers: { ...known, 'content-type': 'application/json' },
        body: JSON.stringify(content),
      });
    const people = (count: number) => Array.from({ length: count }, (_, at) => `person-${at}@example.com`);

    it('refuses more than the tool accepts, in the form of the tool', async () => {
      for (const content of [body(people(most + 1)), wrong]) {
        const answer = await post(content);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toBeTypeOf('object');
      }
      expect(people(most).filter((email) => fake.holds(email) !== null)).toEqual([]);
      expect(fake.violations?.filter((line) => line.includes('answer'))).toEqual([]);
    });

    it('accepts as many as the tool does', async () => {
      if (!isOfStrangers) for (const email of people(most)) fake.addContact(email);
      const before = fake.violations?.length;
      const answer = await post(body(people(most)));
      expect(answer.status).toBeLessThan(300);
      expect(fake.violations).toHaveLength(before ?? 0);
    });
  },
);

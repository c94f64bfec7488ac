import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import type { Case, Side } from '#test/connectors/batch-bench.ts';
import { describeBatches } from '#test/connectors/batch-suite.ts';
import { type SalesforceFake, startSalesforceFake } from '#test/fakes/tools/salesforce.ts';
import type { Change, ToolApi } from '../connector.ts';
import { openToolApi } from '../tool-api.ts';
import { salesforce } from './index.ts';

const people: NonNullable<Case<SalesforceFake>['people']> = {
  'contact and lead': (email, { fake }) => {
    fake.addContact(email);
    fake.add('Lead', { Email: email.toUpperCase(), LastName: 'Nilsson', Company: 'Acme' });
  },
  'one of two out': (email, { fake }) => {
    fake.addContact(email);
    fake.add('Contact', { Email: email, LastName: 'Lee', HasOptedOutOfEmail: true });
  },
  'converted lead': (email, { fake }) =>
    void fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'Acme', IsConverted: true }),
  'person account': (email, { fake }) => void fake.addPersonAccount(email),
};

const wasIn =
  (type: 'list' | 'tag') =>
  async (email: string, { fake, api, target }: Side<SalesforceFake>): Promise<void> => {
    fake.addContact(email);
    await salesforce.apply(api, { type, email, target, on: true });
  };

const LINK = { on: true, call: /^POST .*composite/, people, calls: () => 4 };

describeBatches<SalesforceFake>(salesforce, startSalesforceFake, {
  // Its line logs in first.
  cases: [
    { type: 'global_unsubscribe', on: true, call: /^PATCH .*composite/, people, calls: () => 4 },
    {
      type: 'global_unsubscribe',
      on: false,
      call: /^PATCH .*composite/,
      people: {
        ...people,
        'was in': (email, { fake }) =>
          void fake.add('Contact', { Email: email, LastName: 'Lee', HasOptedOutOfEmail: true }),
      },
      calls: () => 4,
    },
    { ...LINK, type: 'list', calls: () => 5 },
    { ...LINK, type: 'tag', calls: () => 5 },
    {
      type: 'list',
      on: false,
      call: /^DELETE .*composite/,
      people: { ...people, 'was in': wasIn('list') },
      calls: () => 5,
    },
    {
      type: 'tag',
      on: false,
      call: /^DELETE .*composite/,
      people: { ...people, 'was in': wasIn('tag') },
      calls: () => 5,
    },
  ],
});

describe('a batch of Salesforce people', () => {
  let fake: SalesforceFake;
  let outbound: Outbound;
  let api: ToolApi;
  let count = 0;

  beforeAll(async () => {
    fake = await startSalesforceFake();
    outbound = createOutbound({ allowPrivateTargets: true });
    const clock = { now: () => new Date('2026-11-21T10:00:00Z') };
    api = openToolApi(salesforce, fake.credentials, { outbound, clock, baseUrl: fake.url });
  });

  afterAll(async () => {
    outbound.close();
    await fake.close();
  });

  const people = (size: number, domain = 'example.com') =>
    Array.from({ length: size }, () => {
      const email = `o'one-${(count += 1)}@${domain}`;
      fake.addContact(email);
      return email;
    });
  const leaveAll = (emails: string[]) =>
    salesforce.applyMany?.(
      api,
      emails.map((email): Change => ({ type: 'global_unsubscribe', email, on: true })),
    );

  it('reports each row’s own result', async () => {
    const emails = people(4);
    const locked = { statusCode: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access' };
    const barred = { statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'Not on a Friday.' };
    fake.failRows(null, locked, barred, null);
    const outcomes = await leaveAll(emails);
    expect(outcomes?.map((one) => one?.kind ?? null)).toEqual([null, 'unavailable', 'refused', null]);
    expect(emails.map((email) => fake.holds(email)?.unsubscribed)).toEqual([true, false, false, true]);
  });

  it('is split into several queries when the addresses are long', async () => {
    const emails = people(100, `${'long-'.repeat(30)}.example.com`);
    const before = fake.seen.length;
    expect(await leaveAll(emails)).toEqual(emails.map(() => null));
    const calls = fake.seen.slice(before);
    expect(Math.max(...calls.map(({ url }) => url.length))).toBeLessThan(10_000);
    expect(emails.filter((email) => fake.holds(email)?.unsubscribed !== true)).toEqual([]);
  });

  it('is split into several calls when there are many records', async () => {
    const emails = people(100);
    for (const email of emails) {
      fake.addContact(email);
      fake.add('Lead', { Email: email, LastName: 'Lee', Company: 'Acme' });
    }
    const before = fake.seen.length;
    expect(await leaveAll(emails)).toEqual(emails.map(() => null));
    const writes = fake.seen.slice(before).filter(({ method }) => method === 'PATCH');
    expect(writes).toHaveLength(2);
    expect(emails.filter((email) => fake.holds(email)?.unsubscribed !== true)).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Case } from '#test/connectors/batch-bench.ts';
import { describeBatches } from '#test/connectors/batch-suite.ts';
import { type HubspotFake, startHubspotFake } from '#test/fakes/tools/hubspot.ts';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import type { Change, ToolApi } from '../connector.ts';
import { openToolApi } from '../tool-api.ts';
import { hubspot } from './index.ts';

type People = NonNullable<Case<HubspotFake>['people']>;

const STATUSES = '^POST /communication-preferences/2026-09/statuses/batch';

const optedOut: People = {
  'left all on their own': (email, { fake }) => fake.optOut(email),
  'left the type on their own': (email, { fake, target }) => {
    fake.addContact(email);
    fake.optOut(email, target.id === '' ? undefined : target.id);
  },
};

const additional: People = {
  'at an additional address': (email, { fake }) => {
    fake.addContact(`owner-of-${email}`);
    fake.addAdditionalAddress(`owner-of-${email}`, email);
  },
};

const wasIn =
  (type: 'list' | 'suppression_group'): NonNullable<People[string]> =>
  async (email, { fake, api, target }) => {
    fake.addContact(email);
    await hubspot.apply(api, { type, email, target, on: true });
  };

const cases: Case<HubspotFake>[] = [
  {
    type: 'list',
    on: true,
    call: /^PUT .*memberships\/add/,
    people: additional,
    calls: () => 2,
  },
  {
    type: 'list',
    on: false,
    call: /^PUT .*memberships\/remove/,
    people: { ...additional, 'was in': wasIn('list') },
    calls: () => 2,
  },
];

const statuses: Case<HubspotFake>[] = [
  {
    type: 'suppression_group',
    on: true,
    call: new RegExp(`${STATUSES}/write`),
    people: optedOut,
    calls: () => 2,
  },
  {
    type: 'suppression_group',
    on: false,
    call: new RegExp(`${STATUSES}/write`),
    people: { ...optedOut, 'was in': wasIn('suppression_group') },
    calls: () => 3,
  },
  {
    type: 'global_unsubscribe',
    on: true,
    call: new RegExp(`${STATUSES}/unsubscribe-all\\?`),
    people: optedOut,
    calls: () => 3,
  },
];

describe('with Marketing Hub Enterprise', () => {
  describeBatches(hubspot, startHubspotFake, {
    cases: [...cases, ...statuses],
    badAddress: 'nobody@nowhere',
    prepare: (fake) => fake.grantStatusBatches(true),
  });
});

describe('with a smaller plan', () => {
  // The calls are more, and what they come to is the same.
  describeBatches(hubspot, startHubspotFake, {
    cases: statuses.map((one) => ({
      ...one,
      call: /^GET .*\/statuses\//,
      counted: 10,
      calls: (people) => 1 + 4 * people,
      isOneByOne: true,
    })),
  });
});

describe('the statuses of many', () => {
  let fake: HubspotFake;
  let outbound: Outbound;
  let api: ToolApi;
  let count = 0;

  beforeAll(async () => {
    fake = await startHubspotFake();
    outbound = createOutbound({ allowPrivateTargets: true });
    const clock = { now: () => new Date('2026-11-21T10:00:00Z') };
    api = openToolApi(hubspot, fake.credentials, { outbound, clock, baseUrl: fake.url });
  });

  afterAll(async () => {
    outbound.close();
    await fake.close();
  });

  const people = () => Array.from({ length: 3 }, () => `one-${(count += 1)}@example.com`);
  const leaveAll = (emails: string[]) =>
    hubspot.applyMany?.(
      api,
      emails.map((email): Change => ({ type: 'global_unsubscribe', email, on: true })),
    );
  const batchCalls = () => fake.seen.filter(({ url }) => url.includes('/statuses/batch/')).length;

  it('are not requested again in an account that does not have the call', async () => {
    const emails = [...people(), ...people()];
    await leaveAll(emails.slice(0, 3));
    await leaveAll(emails.slice(3));
    expect(batchCalls()).toBe(1);
    expect(emails.filter((email) => !fake.isOutOfAll(email))).toEqual([]);
  });

  it('opt everybody out of every brand of an account that has brands', async () => {
    fake.grantStatusBatches(true);
    fake.addResources('suppression_groups', 1);
    fake.addBrandType(7);
    const line = { ...api, cacheKey: {} };
    const emails = people();
    const changes = emails.map((email): Change => ({ type: 'global_unsubscribe', email, on: true }));
    expect(await hubspot.applyMany?.(line, changes)).toEqual([null, null, null]);
    expect(emails.filter((email) => !fake.hasLeftBrand(email, 0) || !fake.hasLeftBrand(email, 7))).toEqual(
      [],
    );
    fake.removeBrands();
  });

  it('include the legal basis that data privacy settings require', async () => {
    fake.demandLegalBasis(true);
    const [target = { id: '', name: '' }] = fake.addResources('suppression_groups', 1);
    const emails = people();
    emails.forEach((email) => fake.addContact(email));
    const line = { ...api, cacheKey: {} };
    const changes = emails.map((email): Change => ({ type: 'suppression_group', email, target, on: false }));
    const before = fake.seen.length;
    expect(await hubspot.applyMany?.(line, changes)).toEqual([null, null, null]);
    expect(fake.seen.length - before).toBe(4);
    expect(emails.map((email) => fake.statusOf(email, target.id))).toEqual(Array(3).fill('SUBSCRIBED'));
  });
});

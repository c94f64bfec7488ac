import { describe, expect, it } from 'vitest';
import { type Case, describeBatches } from '#test/connectors/batch-suite.ts';
import { type HubspotFake, startHubspotFake } from '#test/fakes/tools/hubspot.ts';
import { hubspot } from './index.ts';

type People = NonNullable<Case<HubspotFake>['people']>;

const STATUSES = '^POST /communication-preferences/2026-09/statuses/batch';

const optedOut: People = {
  'out of all by themselves': (email, { fake }) => fake.optOut(email),
  'out of the type by themselves': (email, { fake, target }) => {
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import type { Case } from '#test/connectors/batch-bench.ts';
import { describeBatches } from '#test/connectors/batch-suite.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import type { Change, Resource, ToolApi } from '../connector.ts';
import { openToolApi } from '../tool-api.ts';
import { sendgrid } from './index.ts';

const people: NonNullable<Case<SendgridFake>['people']> = {
  'at an alternate address': (email, { fake }) => {
    fake.addContact(`owner-of-${email}`);
    fake.contact(`owner-of-${email}`)?.alternateEmails.push(email.toLowerCase());
  },
  'known by more': (email, { fake }) => {
    fake.addContact(email);
    const contact = fake.contact(email);
    if (contact !== undefined) contact.values['external_id'] = `of ${email}`;
  },
};

describeBatches<SendgridFake>(sendgrid, startSendgridFake, {
  badAddress: 'nobody@nowhere',
  cases: [
    {
      type: 'global_unsubscribe',
      on: true,
      call: /^POST .*suppressions\/global/,
      people: { 'reported as spam': (email, { fake }) => fake.suppress('spam_reports', email) },
      calls: () => 1,
    },
    {
      type: 'suppression_group',
      on: true,
      call: /^POST .*groups\/\d+\/suppressions$/,
      people,
      calls: () => 2,
    },
    // A job is looked at until it is done.
    { type: 'list', on: true, call: /^PUT .*contacts/, people, calls: () => 4 },
    {
      type: 'list',
      on: false,
      call: /^DELETE .*contacts/,
      people: {
        ...people,
        'was in': (email, { fake, target }) =>
          fake.addPeople('lists', target.id, [{ email, state: 'subscribed' }]),
      },
      calls: () => 4,
    },
  ],
});

describe('a batch of SendGrid contacts', () => {
  let fake: SendgridFake;
  let outbound: Outbound;
  let api: ToolApi;
  let count = 0;

  beforeAll(async () => {
    fake = await startSendgridFake();
    outbound = createOutbound({ allowPrivateTargets: true });
    const clock = { now: () => new Date('2026-11-21T10:00:00Z') };
    const line = { outbound, clock, baseUrl: fake.url, wait: async () => {} };
    api = openToolApi(sendgrid, fake.credentials, line);
  });

  afterAll(async () => {
    outbound.close();
    await fake.close();
  });

  const people = (size: number) =>
    Array.from({ length: size }, () => {
      const email = `one-${(count += 1)}@example.com`;
      fake.addContact(email);
      return email;
    });
  const make = (kind: 'lists' | 'suppression_groups') =>
    fake.addResources(kind, 1)[0] ?? { id: '', name: '' };
  const bring = (emails: string[], type: 'list' | 'suppression_group', target: Resource, on: boolean) =>
    sendgrid.applyMany?.(
      api,
      emails.map((email): Change => ({ type, email, target, on })),
    );
  const kindsOf = async (...asked: Parameters<typeof bring>) =>
    (await bring(...asked))?.map((outcome) => outcome?.kind ?? null);

  it('is stored without the contact that a job rejects', async () => {
    const [target, emails] = [make('lists'), people(5)];
    const [first = '', , third = ''] = emails;
    // The identifier is another contact's, which the search tells of only later.
    for (const email of [first, third]) {
      const contact = fake.contact(email);
      if (contact !== undefined) contact.values['external_id'] = 'shared';
    }
    const kinds = await kindsOf(emails, 'list', target, true);
    expect(kinds).toEqual(['refused', null, 'refused', null, null]);
    expect(emails.map((email) => fake.contact(email)?.listIds)).toEqual([
      [],
      [target.id],
      [],
      [target.id],
      [target.id],
    ]);
  });

  it('is left to a later read when a job takes long', async () => {
    const [target, emails] = [make('lists'), people(3)];
    fake.nextJob('late');
    expect(await kindsOf(emails, 'list', target, true)).toEqual([null, null, null]);
    fake.finishJobs();
    expect(emails.map((email) => fake.contact(email)?.listIds)).toEqual(emails.map(() => [target.id]));
  });

  it('repeats the removal of those whom a job may still add', async () => {
    const [target, emails] = [make('lists'), people(3)];
    const [slow = ''] = emails;
    const changes = emails.map((email): Change => ({
      type: 'list',
      email,
      target,
      on: false,
    }));
    const wroteSince: ToolApi['wroteSince'] = async (_time, { parts = [] } = {}) =>
      parts.length === 1 || parts.includes(`"${slow}"`);
    const outcomes = await sendgrid.applyMany?.({ ...api, wroteSince }, changes);
    expect(outcomes?.map((outcome) => outcome?.retryAfterSeconds ?? null)).toEqual([30, null, null]);
  });

  it('is not suppressed everywhere because a group is missing', async () => {
    const [target, emails] = [make('suppression_groups'), people(3)];
    fake.deleteGroup(target.id);
    await expect(bring(emails, 'suppression_group', target, true)).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect(emails.filter((email) => fake.holds(email)?.unsubscribed)).toEqual([]);
  });

  it('leaves a list along with a deleted contact that can still be found', async () => {
    const [target, emails] = [make('lists'), people(3)];
    await bring(emails, 'list', target, true);
    fake.freezeSearch(true);
    await sendgrid.apply(api, { type: 'switch_email', from: emails[1] ?? '', email: `new-${emails[1]}` });
    expect(await kindsOf(emails, 'list', target, false)).toEqual([null, 'not_found', null]);
    fake.freezeSearch(false);
    expect([emails[0], emails[2]].map((email) => fake.contact(email ?? '')?.listIds)).toEqual([[], []]);
  });

  it('cannot leave a missing list, which takes few calls to find out', async () => {
    const emails = people(20);
    const before = fake.seen.length;
    const gone = { id: '5d3c0000-0000-4000-8000-999999999999', name: 'Gone' };
    await expect(bring(emails, 'list', gone, false)).rejects.toMatchObject({ kind: 'not_found' });
    expect(fake.seen.length - before).toBe(3);
  });
});

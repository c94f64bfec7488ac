import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Consent,
  type InboundEvent,
  type InboundRequest,
  type People,
  type PeoplePage,
  type Resource,
  type ToolPerson,
} from '#server/connectors/connector.ts';
import { describeConnector } from '#test/connectors/suite.ts';
import { type FakeMember, type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { mailchimp } from './index.ts';

let tool: MailchimpFake;

async function start(): Promise<MailchimpFake> {
  tool = await startMailchimpFake();
  return tool;
}

const PROBLEM = { 'content-type': 'application/problem+json' };

describeConnector(mailchimp, start, { manyResources: 2002, manyPeople: 1001 }, (bench) => {
  let email: string;
  let here: Resource;

  beforeEach(() => {
    email = bench.freshEmail();
    here = { id: tool.audience, name: 'Audience 1' };
  });

  const bring = (target: Resource, on: boolean, type: 'list' | 'tag' = 'list') =>
    mailchimp.apply(bench.api, { type, email, target, on });
  const switchTo = (to: string) =>
    mailchimp.apply(bench.api, { type: 'switch_email', from: email, email: to });
  const status = (of = email) => tool.member(tool.audience, of)?.status;
  const writes = () => tool.seen.filter(({ method }) => method !== 'GET').length;
  const audience = () => tool.addResources('lists', 1)[0] as Resource;

  describe('an audience with double opt-in', () => {
    let target: Resource;

    beforeEach(() => {
      target = audience();
      tool.setDoubleOptIn(target.id, true);
    });

    const said = { at: '2026-11-20T09:00:00.000Z', ip: '198.51.100.0', language: 'de' };
    const confirmed = { at: '2026-11-20T09:05:00.000Z', ip: null };
    const unconfirmed: Consent = { isConfirmed: false, said };
    const join = (consent?: Consent, to = target) =>
      mailchimp.apply(bench.api, {
        type: 'list',
        email,
        target: to,
        on: true,
        ...(consent && { consent }),
      });
    const member = () => tool.member(target.id, email);

    it('asks people who did not confirm here, and says that it waits for them', async () => {
      await join(unconfirmed);
      expect(member()).toMatchObject({ status: 'pending', askedTimes: 1 });
      const { lists, awaited } = await mailchimp.state(bench.api, email);
      expect({ lists, awaited }).toEqual({ lists: [], awaited: [target.id] });
    });

    it('asks people who join without a known consent', async () => {
      await join();
      expect(member()?.status).toBe('pending');
    });

    it('subscribes people who confirmed here, even if it was waiting for them', async () => {
      await join(unconfirmed);
      await join({ isConfirmed: true, said, confirmed });
      expect(member()).toMatchObject({ status: 'subscribed', askedTimes: 1 });
    });

    it('asks people who come back without confirming here', async () => {
      tool.addMember(target.id, email, { status: 'unsubscribed' });
      await join(unconfirmed);
      expect(member()).toMatchObject({ status: 'pending', askedTimes: 1 });
    });

    it('asks many, and subscribes those among them who confirmed here', async () => {
      const people = [bench.freshEmail(), bench.freshEmail(), bench.freshEmail()];
      const changes = people.map((one, index) => ({
        type: 'list' as const,
        email: one,
        target,
        on: true,
        consent: { isConfirmed: index === 1, said },
      }));
      await mailchimp.applyMany?.(bench.api, changes);
      expect(people.map((one) => tool.member(target.id, one)?.status)).toEqual([
        'pending',
        'subscribed',
        'pending',
      ]);
      expect(tool.member(target.id, people[0] ?? '')?.consent).toMatchObject({ ip_signup: said.ip });
    });

    it('is asked about once for many people', async () => {
      await join(unconfirmed);
      const settings = () =>
        tool.seen.filter(
          ({ url }) => url.startsWith(`/lists/${target.id}?`) || url.includes(`/lists/${target.id}?`),
        ).length;
      const before = settings();
      email = bench.freshEmail();
      await join(unconfirmed);
      expect(settings()).toBe(before);
    });

    it('keeps where and when somebody signed up and confirmed, and their language', async () => {
      await join({ isConfirmed: true, said, confirmed });
      expect(member()?.consent).toEqual({
        ip_signup: said.ip,
        timestamp_signup: said.at,
        timestamp_opt: confirmed.at,
        language: 'de',
      });
    });

    it('makes no difference to one without', async () => {
      await join(unconfirmed, here);
      expect(status()).toBe('subscribed');
    });
  });

  describe('consent', () => {
    /** Whether the audience has double opt-in is asked about with the first who joins. */
    const settingsAreKnown = () =>
      mailchimp.apply(bench.api, { type: 'list', email: bench.freshEmail(), target: here, on: true });

    it('1: someone who unsubscribed themselves (Member In Compliance State) is asked by Mailchimp (pending), once', async () => {
      const member = tool.addMember(tool.audience, email, { status: 'unsubscribed', leftByThemselves: true });
      await bring(here, true);
      expect(member).toMatchObject({ status: 'pending', askedTimes: 1 });
      expect((await mailchimp.state(bench.api, email)).lists).not.toContain(tool.audience);
      await bring(here, true);
      expect(member).toMatchObject({ status: 'pending', askedTimes: 1 });
    });

    it('1: someone who was cleaned after a bounce is left alone', async () => {
      const member = tool.addMember(tool.audience, email, { status: 'cleaned' });
      await expect(bring(here, true)).rejects.toMatchObject({ kind: 'refused' });
      expect(member).toMatchObject({ status: 'cleaned', askedTimes: 0 });
    });

    it('1: someone who may not even be asked is a refusal without personal data', async () => {
      tool.addMember(tool.audience, email, { status: 'unsubscribed', leftByThemselves: true });
      const body = JSON.stringify({
        title: 'Member In Compliance State',
        status: 400,
        detail: `${email} is`,
      });
      await mailchimp.state(bench.api, email);
      await settingsAreKnown();
      const calls = tool.seen.length;
      const failing = bring(here, true);
      // The read comes through; both attempts to write do not.
      while (tool.seen.length === calls) await new Promise(setImmediate);
      tool.trouble({ status: 400, headers: PROBLEM, body }, 2);
      const error = await failing.catch((reason: unknown) => reason as Error);
      expect(error).toMatchObject({ kind: 'refused', message: expect.not.stringContaining(email) });
      expect(status()).toBe('unsubscribed');
    });

    it('2: someone who was deleted for good (Forgotten Email) is a refusal, and stays deleted', async () => {
      tool.forget(tool.audience, email);
      const refusal = { kind: 'refused', message: expect.stringContaining('permanently deleted') };
      await expect(bring(here, true)).rejects.toMatchObject(refusal);
      expect(tool.holds(email)).toBeNull();
    });

    it('3: Member Exists makes us read the contact again and correct it', async () => {
      tool.addMember(tool.audience, email, { status: 'transactional' });
      await settingsAreKnown();
      tool.trouble({ status: 404, headers: PROBLEM, body: '{"title":"Resource Not Found","status":404}' });
      tool.trouble({ status: 400, headers: PROBLEM, body: '{"title":"Member Exists","status":400}' });
      // The second trouble is for the write that follows the read.
      await bring(here, true);
      expect(status()).toBe('subscribed');
    });

    it('3: capitals and blanks in an address create no second contact', async () => {
      tool.addMember(tool.audience, email, { status: 'transactional' });
      const typed = ` ${email.toUpperCase()}`;
      await mailchimp.apply(bench.api, { type: 'list', email: typed, target: here, on: true });
      expect(status()).toBe('subscribed');
    });

    it('4: someone whom we unsubscribed can be subscribed by us', async () => {
      tool.addMember(tool.audience, email);
      await bring(here, false);
      expect(status()).toBe('unsubscribed');
      await bring(here, true);
      expect(status()).toBe('subscribed');
    });

    it('5: someone who is archived is asked, for they may have unsubscribed before', async () => {
      const member = tool.addMember(tool.audience, email, { status: 'archived', leftByThemselves: true });
      await bring(here, false);
      expect(member.status).toBe('archived');
      await bring(here, true);
      expect(member).toMatchObject({ status: 'pending', askedTimes: 1 });
    });

    it('does not mistake a contact without a subscription for an opt-out', async () => {
      tool.addMember(tool.audience, email, { status: 'transactional' });
      expect(await mailchimp.state(bench.api, email)).toMatchObject({ unsubscribed: false, lists: [] });
    });

    it('is not changed by a tag, and a new contact with a tag is not subscribed', async () => {
      const [tag] = tool.addResources('tags', 1) as [Resource];
      tool.addMember(tool.audience, email, { status: 'unsubscribed' });
      await bring(tag, true, 'tag');
      expect(status()).toBe('unsubscribed');
      const stranger = bench.freshEmail();
      await mailchimp.apply(bench.api, { type: 'tag', email: stranger, target: tag, on: true });
      expect(status(stranger)).toBe('transactional');
    });

    it('10: ends in every audience that holds the person', async () => {
      const other = audience();
      tool.addMember(tool.audience, email);
      tool.addMember(other.id, email, { status: 'pending' });
      const all = { type: 'global_unsubscribe', email, on: true } as const;
      await mailchimp.apply(bench.api, all);
      expect([status(), tool.member(other.id, email)?.status]).toEqual(['unsubscribed', 'unsubscribed']);
      const before = writes();
      await mailchimp.apply(bench.api, all);
      expect(writes()).toBe(before);
    });

    it('for somebody whom no audience has is kept in each of them', async () => {
      const other = audience();
      const stranger = bench.freshEmail();
      await mailchimp.apply(bench.api, { type: 'global_unsubscribe', email: stranger, on: true });
      expect([tool.audience, other.id].map((id) => tool.member(id, stranger)?.status)).toEqual([
        'unsubscribed',
        'unsubscribed',
      ]);
    });

    it('10: in one audience says nothing about another', async () => {
      const other = audience();
      tool.addMember(tool.audience, email);
      tool.addMember(other.id, email);
      await bring(other, false);
      const { lists, unsubscribed } = await mailchimp.state(bench.api, email);
      expect({ lists, unsubscribed }).toEqual({ lists: [tool.audience], unsubscribed: false });
    });
  });

  describe('groups, tags and fields', () => {
    it('a group can be joined and left without touching the audience or other groups', async () => {
      const [group, other] = [tool.addInterest(tool.audience), tool.addInterest(tool.audience)];
      const member = tool.addMember(tool.audience, email);
      await bring(group, true);
      await bring(other, true);
      const before = writes();
      await bring(group, true);
      expect(writes()).toBe(before);
      await bring(group, false);
      expect(member.status).toBe('subscribed');
      const { lists } = await mailchimp.state(bench.api, email);
      expect(lists).toEqual([tool.audience, other.id]);
    });

    it('a group adds new contacts to its audience', async () => {
      const group = tool.addInterest(tool.audience);
      await bring(group, true);
      expect(tool.holds(email)?.lists).toEqual([tool.audience, group.id]);
    });

    it('leaving a group does not resubscribe someone who left the audience', async () => {
      const group = tool.addInterest(tool.audience);
      const part = group.id.slice(tool.audience.length + 1);
      const member = tool.addMember(tool.audience, email, {
        status: 'unsubscribed',
        interests: { [part]: true },
      });
      await bring(group, false);
      expect(member).toMatchObject({ status: 'unsubscribed', interests: { [part]: false } });
    });

    it('a tag that was renamed is still the same tag', async () => {
      const [tag] = tool.addResources('tags', 1) as [Resource];
      tool.addMember(tool.audience, email);
      tool.renameTag(tag.id, 'Very important');
      await bring(tag, true, 'tag');
      expect(tool.holds(email)?.tags).toEqual([tag.id]);
      await bring(tag, false, 'tag');
      expect(tool.holds(email)?.tags).toEqual([]);
    });

    it('a deleted tag is not created again', async () => {
      const gone = { id: `${tool.audience}/1`, name: 'Gone' };
      tool.addMember(tool.audience, email);
      await expect(bring(gone, true, 'tag')).rejects.toMatchObject({ kind: 'not_found' });
      await bring(gone, false, 'tag');
      expect(tool.holds(email)?.tags).toEqual([]);
    });

    it('more than fifty tags of a person are all read', async () => {
      const tags = tool.addResources('tags', 60);
      const ids = tags.map(({ id }) => Number(id.split('/')[1]));
      tool.addMember(tool.audience, email, { tags: new Set(ids) });
      expect((await mailchimp.state(bench.api, email)).tags).toHaveLength(60);
    });

    it('a missing audience is reported, not created', async () => {
      await expect(bring({ id: 'gone', name: 'Gone' }, true)).rejects.toMatchObject({ kind: 'not_found' });
      await bring({ id: 'gone', name: 'Gone' }, false);
    });

    it('fields are named by their merge tags, and a required one keeps nobody out', async () => {
      const other = audience();
      tool.addMergeField(other.id, { tag: 'CODE', name: 'Code', required: true });
      expect(await mailchimp.resources(bench.api, 'fields')).toContainEqual({ id: 'CODE', name: 'Code' });
      expect(mailchimp.mergeTags.field({ id: 'CODE', name: 'Code' })).toBe('*|CODE|*');
      await bring(other, true);
      expect(tool.member(other.id, email)?.status).toBe('subscribed');
    });
  });

  describe('people', () => {
    const people = mailchimp.people as Extract<People, { can: true }>;

    async function readAll(kind: 'lists' | 'tags', id: string, after: () => void = () => {}) {
      const found: ToolPerson[] = [];
      let cursor: string | null = null;
      do {
        const page: PeoplePage = await people.read(bench.api, kind, id, cursor);
        found.push(...page.people);
        ({ cursor } = page);
        after();
      } while (cursor !== null);
      return found;
    }

    const member = (of: string, status: string, more: Partial<FakeMember> = {}) =>
      tool.addMember(of, bench.freshEmail(), { status, ...more }).email;

    it.each([
      ['subscribed', 'subscribed'],
      ['unsubscribed', 'unsubscribed'],
      ['cleaned', 'unclear'],
      ['pending', 'unclear'],
      ['transactional', 'unclear'],
    ])('who are %s are read as %s', async (status, state) => {
      const { id } = audience();
      const address = member(id, status);
      expect(await readAll('lists', id)).toEqual([expect.objectContaining({ email: address, state })]);
    });

    it('come with the date they joined an audience, where Mailchimp knows it; those who left come without a date', async () => {
      const { id } = audience();
      member(id, 'subscribed', { timestampOpt: '2026-05-04T03:02:01+00:00' });
      member(id, 'subscribed', { timestampOpt: '' });
      member(id, 'unsubscribed', { timestampOpt: '2026-05-04T03:02:01+00:00' });
      const times = (await readAll('lists', id)).map(({ state, since }) => [state, since]);
      expect(times).toHaveLength(3);
      expect(times).toEqual(
        expect.arrayContaining([
          ['subscribed', new Date('2026-05-04T03:02:01Z')],
          ['subscribed', null],
          ['unsubscribed', null],
        ]),
      );
    });

    it('without an address are skipped', async () => {
      const { id } = audience();
      tool.addMember(id, '');
      const address = member(id, 'subscribed');
      expect((await readAll('lists', id)).map(({ email: of }) => of)).toEqual([address]);
    });

    it('of a group are read over all pages, with those who left the audience', async () => {
      const group = tool.addInterest(tool.audience);
      const part = group.id.slice(tool.audience.length + 1);
      const interests = { [part]: true };
      const inside = Array.from({ length: 501 }, () => member(tool.audience, 'subscribed', { interests }));
      const left = member(tool.audience, 'unsubscribed', { interests });
      member(tool.audience, 'subscribed');
      const found = await readAll('lists', group.id);
      expect(found.map(({ email: address }) => address).toSorted()).toEqual([...inside, left].toSorted());
      expect(found.find(({ email: address }) => address === left)?.state).toBe('unsubscribed');
    });

    it('of a missing group or tag are not read as an empty list', async () => {
      for (const [kind, id] of [
        ['lists', `${tool.audience}/gone`],
        ['tags', `${tool.audience}/1`],
        ['lists', 'gone'],
      ] as const) {
        await expect(people.read(bench.api, kind, id, null)).rejects.toMatchObject({ kind: 'not_found' });
      }
    });

    it('of a tag are read even if they are not subscribed, which its default leaves out', async () => {
      const [tag] = tool.addResources('tags', 1) as [Resource];
      const tags = new Set([Number(tag.id.split('/')[1])]);
      for (const one of ['subscribed', 'unsubscribed', 'cleaned']) member(tool.audience, one, { tags });
      const states = (await readAll('tags', tag.id)).map(({ state }) => state);
      expect(states.toSorted()).toEqual(['subscribed', 'unclear', 'unsubscribed']);
    });

    it('are requested with only the fields we use, in a stable order', async () => {
      const { id } = audience();
      await readAll('lists', id);
      const asked = new URL(tool.seen.at(-1)?.url ?? '', 'http://fake').searchParams;
      expect(asked.get('fields')?.split(',')).toHaveLength(4);
      expect(asked.get('sort_field')).toBe('timestamp_opt');
    });

    it('who move up while others are removed are not skipped', async () => {
      const { id } = audience();
      const staying = Array.from({ length: 1300 }, () => member(id, 'subscribed'));
      const found = await readAll('lists', id, () => {
        if (staying.length <= 1260) return;
        for (const gone of staying.splice(0, 20)) tool.removeMember(id, gone);
      });
      expect(staying).toHaveLength(1260);
      const addresses = new Set(found.map((one) => one.email));
      expect(staying.filter((address) => !addresses.has(address))).toEqual([]);
    });

    it.each(['', 'nonsense', '{"offset":-1}', '{"offset":"1","total":1,"category":null}'])(
      'are read from the start when the cursor is broken: %j',
      async (cursor) => {
        const { id } = audience();
        member(id, 'subscribed');
        expect((await people.read(bench.api, 'lists', id, cursor)).people).toHaveLength(1);
      },
    );
  });

  describe('a field of a person', () => {
    const CODE = { id: 'LINK', name: 'Link' };
    const fill = (field: Resource = CODE) => mailchimp.setField?.(bench.api, email, field, 'value_1-A');

    it('10: is filled in each audience that has the person and the field, and in no other', async () => {
      const [one, other, without, empty] = [audience(), audience(), audience(), audience()];
      for (const { id } of [one, other, empty])
        tool.addMergeField(id, { ...CODE, tag: 'LINK', required: false });
      for (const { id } of [one, other, without]) tool.addMember(id, email, { status: 'unsubscribed' });
      await fill();
      const held = [one, other, without, empty].map(({ id }) => tool.member(id, email));
      expect(held.map((of) => of?.mergeFields.LINK)).toEqual([
        'value_1-A',
        'value_1-A',
        undefined,
        undefined,
      ]);
      expect(held.map((of) => of?.status)).toEqual([
        'unsubscribed',
        'unsubscribed',
        'unsubscribed',
        undefined,
      ]);
    });

    it('is written by a PATCH of nothing but the field, whatever else the audience requires', async () => {
      const { id } = audience();
      tool.addMergeField(id, { tag: 'LINK', name: 'Link', required: false });
      tool.addMergeField(id, { tag: 'MUST', name: 'Must', required: true });
      tool.addMember(id, email, { mergeFields: { FNAME: 'Nora' } });
      const from = tool.seen.length;
      await fill();
      const written = tool.seen.slice(from).filter(({ method }) => method !== 'GET');
      expect(written.map(({ method, body }) => ({ method, body }))).toEqual([
        { method: 'PATCH', body: { merge_fields: { LINK: 'value_1-A' } } },
      ]);
      expect(tool.member(id, email)?.mergeFields).toEqual({ FNAME: 'Nora', LINK: 'value_1-A' });
    });

    it('5: is not filled for an archived contact, which would bring them back', async () => {
      const { id } = audience();
      tool.addMergeField(id, { tag: 'LINK', name: 'Link', required: false });
      const member = tool.addMember(id, email, { status: 'archived' });
      const before = writes();
      await fill();
      expect(writes()).toBe(before);
      expect(member.status).toBe('archived');
    });

    it('that is missing, which Mailchimp ignores silently, is reported', async () => {
      tool.addMember(tool.audience, email);
      const gone = { id: 'GONE', name: 'Gone' };
      await expect(fill(gone)).rejects.toMatchObject({
        kind: 'not_found',
        message: expect.stringContaining('"Gone"'),
      });
    });

    it('of another type than text is neither offered nor filled', async () => {
      const { id } = audience();
      tool.addMergeField(id, { tag: 'BDAY', name: 'Birthday', type: 'birthday', required: false });
      tool.addMember(id, email);
      const offered = await mailchimp.resources(bench.api, 'fields');
      expect(offered.map((field) => field.id)).not.toContain('BDAY');
      await expect(fill({ id: 'BDAY', name: 'Birthday' })).rejects.toMatchObject({ kind: 'not_found' });
    });
  });

  describe('a change of address', () => {
    let to: string;

    beforeEach(() => {
      to = bench.freshEmail();
    });

    it('keeps the contact, its groups, tags and status', async () => {
      const group = tool.addInterest(tool.audience);
      const [tag] = tool.addResources('tags', 1) as [Resource];
      const { contactId } = tool.addMember(tool.audience, email);
      await bring(group, true);
      await bring(tag, true, 'tag');
      await switchTo(to);
      expect(tool.member(tool.audience, to)).toMatchObject({ contactId, status: 'subscribed' });
      expect(tool.holds(to)).toMatchObject({ lists: [tool.audience, group.id], tags: [tag.id] });
      expect(tool.holds(email)).toBeNull();
    });

    it('to an existing address merges both contacts, restarts nothing, and can be repeated', async () => {
      const [group, left] = [tool.addInterest(tool.audience), tool.addInterest(tool.audience)];
      const [tag] = tool.addResources('tags', 1) as [Resource];
      const [groupId = '', leftId = ''] = [group, left].map(({ id }) => id.slice(tool.audience.length + 1));
      tool.addMember(tool.audience, email, {
        interests: { [groupId]: true },
        tags: new Set([Number(tag.id.split('/')[1])]),
      });
      const known = tool.addMember(tool.audience, to, { interests: { [leftId]: true } });
      await switchTo(to);
      await switchTo(to);
      expect(tool.holds(to)).toMatchObject({ lists: [tool.audience, group.id], tags: [tag.id] });
      expect(known.started).toEqual([]);
      expect(status()).toBe('archived');
    });

    it('carries an opt-out over to an existing address, and lifts none there', async () => {
      tool.addMember(tool.audience, email, { status: 'unsubscribed' });
      tool.addMember(tool.audience, to);
      await switchTo(to);
      expect([status(), status(to)]).toEqual(['unsubscribed', 'unsubscribed']);
      const [third, fourth] = [bench.freshEmail(), bench.freshEmail()];
      tool.addMember(tool.audience, third);
      tool.addMember(tool.audience, fourth, { status: 'unsubscribed' });
      await mailchimp.apply(bench.api, { type: 'switch_email', from: third, email: fourth });
      expect([status(third), status(fourth)]).toEqual(['archived', 'unsubscribed']);
    });

    it('is applied to every audience (10), and creates nobody where the old address is missing', async () => {
      const other = audience();
      tool.addMember(other.id, email);
      await switchTo(to);
      expect(tool.member(other.id, to)?.status).toBe('subscribed');
      expect(tool.member(tool.audience, to)).toBeNull();
      await mailchimp.apply(bench.api, {
        type: 'switch_email',
        from: bench.freshEmail(),
        email: bench.freshEmail(),
      });
    });

    it('of capitals only does nothing', async () => {
      tool.addMember(tool.audience, email);
      await switchTo(email.toUpperCase());
      expect(status()).toBe('subscribed');
    });

    it('to an address that Mailchimp rejects is a refusal, and the old address stays', async () => {
      tool.addMember(tool.audience, email);
      await expect(switchTo('someone@example.invalid')).rejects.toMatchObject({ kind: 'refused' });
      tool.forget(tool.audience, to);
      await expect(switchTo(to)).rejects.toMatchObject({ kind: 'refused' });
      expect(status()).toBe('subscribed');
    });
  });

  describe('failures', () => {
    it('include a 403 without a body, which is throttling; with a body, it is about the key', async () => {
      tool.trouble({ status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' });
      await expect(mailchimp.verify(bench.api, tool.credentials)).rejects.toMatchObject({
        kind: 'rate_limited',
      });
      tool.trouble({ status: 403 });
      await expect(mailchimp.verify(bench.api, tool.credentials)).rejects.toMatchObject({
        kind: 'rate_limited',
      });
      tool.trouble({ status: 403, headers: PROBLEM, body: '{"title":"User Disabled","status":403}' });
      await expect(mailchimp.verify(bench.api, tool.credentials)).rejects.toMatchObject({
        kind: 'bad_credentials',
      });
    });

    it.each([
      "has signed up to a lot of lists very recently; we're not allowing more signups for now",
      'has too many recent signup requests',
      'Too many subscribe attempts for this email address. Please try again in about 5 minutes.',
    ])('include a refusal that passes: …%s', async (why) => {
      const body = JSON.stringify({ title: 'Invalid Resource', status: 400, detail: `${email} ${why}` });
      const rejected = { status: 400, headers: PROBLEM, body };
      tool.rule(({ method }) => (method === 'GET' ? null : rejected));
      const error = await bring(here, true).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        kind: 'refused',
        isFinal: false,
        retryAfterSeconds: 300,
        message: `Mailchimp rejected the request (400 Invalid Resource): … ${why}`,
      });
      tool.rule(() => null);
    });

    it('include a refusal for good, with the reason in words and without the email', async () => {
      const errors = [{ field: 'email_address', message: `"${email}" looks fake or\ninvalid\u0000` }];
      const body = JSON.stringify({ title: 'Invalid Resource', status: 400, detail: 'See errors.', errors });
      const rejected = { status: 400, headers: PROBLEM, body };
      tool.rule(({ method }) => (method === 'GET' ? null : rejected));
      const error = await bring(here, true).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ kind: 'refused', isFinal: true, retryAfterSeconds: null });
      expect((error as Error).message).toBe(
        'Mailchimp rejected the request (400 Invalid Resource): … looks fake or invalid\ufffd',
      );
      tool.rule(() => null);
    });

    it('include an answer of another shape', async () => {
      tool.trouble({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"lists":1}' });
      await expect(mailchimp.resources(bench.api, 'lists')).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('include a key that names a host instead of a data centre, which is rejected', () => {
      const { api_key: key = '' } = tool.credentials;
      expect(mailchimp.connect(tool.credentials)).toEqual({
        baseUrl: 'https://us19.api.mailchimp.com/3.0',
        headers: { authorization: `Bearer ${key}` },
      });
      for (const wrong of [
        `${key}.evil.example`,
        key.replace('us19', 'evil.example/'),
        key.slice(0, 32),
        '',
      ]) {
        expect(() => mailchimp.connect({ api_key: wrong })).toThrow(/isn’t a Mailchimp API key/);
      }
    });
  });
});

describe('a notification from Mailchimp', () => {
  const { inbound } = mailchimp;
  if (inbound.kind !== 'webhook') throw new Error('unreachable');

  const LIST = 'a6b5da1054';
  const FIRED_AT = '2009-03-26 22:15:09';
  const request = (fields: Record<string, string>, headers: Record<string, string> = {}): InboundRequest => ({
    headers,
    rawBody: Buffer.from(new URLSearchParams(fields).toString()),
  });
  const notice = (type: string, data: Record<string, string>) =>
    request({
      type,
      fired_at: FIRED_AT,
      'data[list_id]': LIST,
      ...Object.fromEntries(Object.entries(data).map(([name, value]) => [`data[${name}]`, value])),
    });
  const person = { id: '8a25ff1d98', email: 'api@mailchimp.com', 'merges[EMAIL]': 'api@mailchimp.com' };

  it.each<[string, string, Record<string, string>, Partial<InboundEvent>]>([
    ['a subscription', 'subscribe', person, { kind: 'list_subscribed', email: person.email }],
    [
      'an opt-out',
      'unsubscribe',
      { ...person, action: 'unsub', reason: 'manual' },
      { kind: 'list_unsubscribed', email: person.email },
    ],
    [
      'a complaint that deleted',
      'unsubscribe',
      { ...person, action: 'delete', reason: 'abuse' },
      { kind: 'complained', email: person.email },
    ],
    [
      'a complaint',
      'unsubscribe',
      { ...person, action: 'unsub', reason: 'abuse' },
      { kind: 'complained', email: person.email },
    ],
    [
      'a bounce',
      'cleaned',
      { reason: 'hard', email: person.email },
      { kind: 'bounced', email: person.email },
    ],
    ['a complaint that cleaned', 'cleaned', { reason: 'abuse', email: person.email }, { kind: 'complained' }],
    [
      'a new address',
      'upemail',
      { new_id: '51da8c3259', new_email: 'api+new@mailchimp.com', old_email: 'api+old@mailchimp.com' },
      { kind: 'email_changed', email: 'api+old@mailchimp.com', newEmail: 'api+new@mailchimp.com' },
    ],
  ])('is read: %s', (_name, type, data, expected) => {
    const at = new Date('2009-03-26T22:15:09Z');
    expect(inbound.parse(notice(type, data))).toEqual([
      expect.objectContaining({ ...expected, resource: LIST, at }),
    ]);
  });

  it('is no opt-out where an administrator deleted or archived the person (action=delete)', () => {
    const deleted = { ...person, action: 'delete', reason: 'manual' };
    expect(inbound.parse(notice('unsubscribe', deleted))).toEqual([]);
  });

  it('keeps its id when it is repeated, and differs from that of another event', () => {
    const idOf = (type: string, data: Record<string, string>) => inbound.parse(notice(type, data))[0]?.id;
    expect(idOf('subscribe', person)).toBe(idOf('subscribe', person));
    const ids = [
      idOf('subscribe', person),
      idOf('unsubscribe', person),
      idOf('cleaned', { email: 'a@b.example' }),
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it('is skipped when it says nothing useful, and rejected when it is not from Mailchimp', () => {
    expect(inbound.parse(notice('profile', person))).toEqual([]);
    expect(inbound.parse(notice('campaign', { id: '4fjk2ma9xd', status: 'sent' }))).toEqual([]);
    for (const body of ['', '{"type":"subscribe"}', 'type=subscribe']) {
      const foreign = { headers: {}, rawBody: Buffer.from(body) };
      expect(() => inbound.parse(foreign)).toThrow(expect.objectContaining({ kind: 'refused' }));
    }
  });

  describe('with a signature', () => {
    const secret = 'signing-secret';
    const now = new Date('2026-11-21T10:00:00Z');
    const { rawBody } = notice('unsubscribe', person);
    const hmac = (body: Buffer, time: number, key = secret) =>
      createHmac('sha256', key).update(`${time}.`).update(body).digest('hex');
    const isGenuine = (signature: string | null, body = rawBody) =>
      inbound.isGenuine(
        { headers: signature === null ? {} : { 'x-mailchimp-signature': signature }, rawBody: body },
        secret,
        now,
      );
    const time = now.getTime() / 1000 - 20;

    it('is accepted', () => {
      expect(isGenuine(`t=${time},v1=${hmac(rawBody, time)}`)).toBe(true);
    });

    it('is accepted for a day, since late retries may carry their first signature', () => {
      const hours = (count: number) => time - count * 3600;
      for (const late of [hours(1.25), hours(23.9)]) {
        expect(isGenuine(`t=${late},v1=${hmac(rawBody, late)}`)).toBe(true);
      }
    });

    it('is rejected when it is forged, older than a day, from the future, changed or unsigned', () => {
      const [old, early] = [time - 24 * 3600, time + 600];
      expect(isGenuine(`t=${early},v1=${hmac(rawBody, early)}`)).toBe(false);
      expect(isGenuine(`t=${time},v1=${hmac(rawBody, time, 'another')}`)).toBe(false);
      expect(isGenuine(`t=${old},v1=${hmac(rawBody, old)}`)).toBe(false);
      expect(isGenuine(`t=${time - 1},v1=${hmac(rawBody, time)}`)).toBe(false);
      expect(isGenuine(`t=${time},v1=${hmac(rawBody, time)}`, Buffer.concat([rawBody, rawBody]))).toBe(false);
      for (const signature of ['', 't=,v1=', `v1=${hmac(rawBody, time)}`, `t=${time},v1=zz`, null]) {
        expect(isGenuine(signature)).toBe(false);
      }
    });

    it('is not needed if the webhook was created without a secret', () => {
      expect(inbound.isGenuine({ headers: {}, rawBody }, '', now)).toBe(true);
    });
  });
});

import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type InboundEvent, type InboundRequest, type Resource } from '#server/connectors/connector.ts';
import { describeConnector } from '#test/connectors/suite.ts';
import { type MailchimpFake, startMailchimpFake } from '#test/fakes/tools/mailchimp.ts';
import { mailchimp } from './index.ts';

let tool: MailchimpFake;

async function start(): Promise<MailchimpFake> {
  tool = await startMailchimpFake();
  return tool;
}

const PROBLEM = { 'content-type': 'application/problem+json' };

describeConnector(mailchimp, start, { manyResources: 2002 }, (bench) => {
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

  describe('consent', () => {
    it('1: who unsubscribed themselves (Member In Compliance State) is asked by Mailchimp (pending), once', async () => {
      const member = tool.addMember(tool.audience, email, { status: 'unsubscribed', leftByThemselves: true });
      await bring(here, true);
      expect(member).toMatchObject({ status: 'pending', askedTimes: 1 });
      expect((await mailchimp.state(bench.api, email)).lists).not.toContain(tool.audience);
      await bring(here, true);
      expect(member).toMatchObject({ status: 'pending', askedTimes: 1 });
    });

    it('1: who was cleaned out after a bounce is not touched', async () => {
      const member = tool.addMember(tool.audience, email, { status: 'cleaned' });
      await expect(bring(here, true)).rejects.toMatchObject({ kind: 'refused' });
      expect(member).toMatchObject({ status: 'cleaned', askedTimes: 0 });
    });

    it('1: who may not even be asked is a refusal that names nobody', async () => {
      tool.addMember(tool.audience, email, { status: 'unsubscribed', leftByThemselves: true });
      const body = JSON.stringify({
        title: 'Member In Compliance State',
        status: 400,
        detail: `${email} is`,
      });
      await mailchimp.state(bench.api, email);
      const calls = tool.seen.length;
      const failing = bring(here, true);
      // The read comes through; both attempts to write do not.
      while (tool.seen.length === calls) await new Promise(setImmediate);
      tool.trouble({ status: 400, headers: PROBLEM, body }, 2);
      const error = await failing.catch((reason: unknown) => reason as Error);
      expect(error).toMatchObject({ kind: 'refused', message: expect.not.stringContaining(email) });
      expect(status()).toBe('unsubscribed');
    });

    it('2: who was deleted for ever (Forgotten Email) is a refusal, and stays away', async () => {
      tool.forget(tool.audience, email);
      const refusal = { kind: 'refused', message: expect.stringContaining('permanently deleted') };
      await expect(bring(here, true)).rejects.toMatchObject(refusal);
      expect(tool.holds(email)).toBeNull();
    });

    it('3: Member Exists is read again and brought where it should be', async () => {
      tool.addMember(tool.audience, email, { status: 'transactional' });
      tool.trouble({ status: 404, headers: PROBLEM, body: '{"title":"Resource Not Found","status":404}' });
      tool.trouble({ status: 400, headers: PROBLEM, body: '{"title":"Member Exists","status":400}' });
      // The second trouble is for the write that follows the read.
      await bring(here, true);
      expect(status()).toBe('subscribed');
    });

    it('3: capitals and blanks of an address make no second contact', async () => {
      tool.addMember(tool.audience, email, { status: 'transactional' });
      const typed = ` ${email.toUpperCase()}`;
      await mailchimp.apply(bench.api, { type: 'list', email: typed, target: here, on: true });
      expect(status()).toBe('subscribed');
    });

    it('4: who was unsubscribed by us is subscribed by us', async () => {
      tool.addMember(tool.audience, email);
      await bring(here, false);
      expect(status()).toBe('unsubscribed');
      await bring(here, true);
      expect(status()).toBe('subscribed');
    });

    it('5: who is archived is asked, for they may have unsubscribed before', async () => {
      const member = tool.addMember(tool.audience, email, { status: 'archived', leftByThemselves: true });
      await bring(here, false);
      expect(member.status).toBe('archived');
      await bring(here, true);
      expect(member).toMatchObject({ status: 'pending', askedTimes: 1 });
    });

    it('keeps a contact without a subscription from being taken for an opt-out', async () => {
      tool.addMember(tool.audience, email, { status: 'transactional' });
      expect(await mailchimp.state(bench.api, email)).toMatchObject({ unsubscribed: false, lists: [] });
    });

    it('is not changed by a tag, and whoever is new with a tag is not subscribed', async () => {
      const [tag] = tool.addResources('tags', 1) as [Resource];
      tool.addMember(tool.audience, email, { status: 'unsubscribed' });
      await bring(tag, true, 'tag');
      expect(status()).toBe('unsubscribed');
      const stranger = bench.freshEmail();
      await mailchimp.apply(bench.api, { type: 'tag', email: stranger, target: tag, on: true });
      expect(status(stranger)).toBe('transactional');
    });

    it('10: is ended in every audience that holds the person, and nobody is made anywhere', async () => {
      const other = audience();
      tool.addMember(tool.audience, email);
      tool.addMember(other.id, email, { status: 'pending' });
      const all = { type: 'global_unsubscribe', email, on: true } as const;
      await mailchimp.apply(bench.api, all);
      expect([status(), tool.member(other.id, email)?.status]).toEqual(['unsubscribed', 'unsubscribed']);
      const before = writes();
      await mailchimp.apply(bench.api, all);
      await mailchimp.apply(bench.api, { ...all, email: 'nobody@example.com' });
      expect(writes()).toBe(before);
      expect(tool.holds('nobody@example.com')).toBeNull();
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
    it('a group is joined and left without touching the audience or other groups', async () => {
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

    it('a group brings whoever is new into its audience', async () => {
      const group = tool.addInterest(tool.audience);
      await bring(group, true);
      expect(tool.holds(email)?.lists).toEqual([tool.audience, group.id]);
    });

    it('leaving a group does not bring back who left the audience', async () => {
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

    it('a tag that is gone is not made again', async () => {
      const gone = { id: `${tool.audience}/1`, name: 'Gone' };
      tool.addMember(tool.audience, email);
      await expect(bring(gone, true, 'tag')).rejects.toMatchObject({ kind: 'not_found' });
      await bring(gone, false, 'tag');
      expect(tool.holds(email)?.tags).toEqual([]);
    });

    it('more than fifty tags of a person are all told', async () => {
      const tags = tool.addResources('tags', 60);
      const ids = tags.map(({ id }) => Number(id.split('/')[1]));
      tool.addMember(tool.audience, email, { tags: new Set(ids) });
      expect((await mailchimp.state(bench.api, email)).tags).toHaveLength(60);
    });

    it('an audience that is gone is told, not made', async () => {
      await expect(bring({ id: 'gone', name: 'Gone' }, true)).rejects.toMatchObject({ kind: 'not_found' });
      await bring({ id: 'gone', name: 'Gone' }, false);
    });

    it('fields are named by their merge tags, and one that is required keeps nobody out', async () => {
      const other = audience();
      tool.addMergeField(other.id, { tag: 'CODE', name: 'Code', required: true });
      expect(await mailchimp.resources(bench.api, 'fields')).toContainEqual({ id: 'CODE', name: 'Code' });
      expect(mailchimp.mergeTags.field({ id: 'CODE', name: 'Code' })).toBe('*|CODE|*');
      await bring(other, true);
      expect(tool.member(other.id, email)?.status).toBe('subscribed');
    });
  });

  describe('a change of the address', () => {
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

    it('to an address that is there brings both together, starts nothing anew, and can be repeated', async () => {
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

    it('brings an opt-out to an address that is there, and none back', async () => {
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

    it('goes through every audience (10), and makes nobody where the old one is not', async () => {
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

    it('to an address that Mailchimp does not take is a refusal, and the old one stays', async () => {
      tool.addMember(tool.audience, email);
      await expect(switchTo('someone@example.invalid')).rejects.toMatchObject({ kind: 'refused' });
      tool.forget(tool.audience, to);
      await expect(switchTo(to)).rejects.toMatchObject({ kind: 'refused' });
      expect(status()).toBe('subscribed');
    });
  });

  describe('failures', () => {
    it('a 403 without a body is throttling, one with a body is about the key', async () => {
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

    it('an answer of another shape is a failure of Mailchimp', async () => {
      tool.trouble({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"lists":1}' });
      await expect(mailchimp.resources(bench.api, 'lists')).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('a key that names a host instead of a data centre is none', () => {
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
        expect(() => mailchimp.connect({ api_key: wrong })).toThrow(/not one of Mailchimp/);
      }
    });
  });
});

describe('what Mailchimp sends', () => {
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
      'a deletion',
      'unsubscribe',
      { ...person, action: 'delete', reason: 'manual' },
      { kind: 'list_unsubscribed' },
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

  it('has the same id each time it is told, and another for another event', () => {
    const idOf = (type: string, data: Record<string, string>) => inbound.parse(notice(type, data))[0]?.id;
    expect(idOf('subscribe', person)).toBe(idOf('subscribe', person));
    const ids = [
      idOf('subscribe', person),
      idOf('unsubscribe', person),
      idOf('cleaned', { email: 'a@b.example' }),
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it('is passed over where it says nothing of use, and refused where it is none of Mailchimp', () => {
    expect(inbound.parse(notice('profile', person))).toEqual([]);
    expect(inbound.parse(notice('campaign', { id: '4fjk2ma9xd', status: 'sent' }))).toEqual([]);
    for (const body of ['', '{"type":"subscribe"}', 'type=subscribe']) {
      const foreign = { headers: {}, rawBody: Buffer.from(body) };
      expect(() => inbound.parse(foreign)).toThrow(expect.objectContaining({ kind: 'refused' }));
    }
  });

  describe('is signed', () => {
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

    it('and known by that', () => {
      expect(isGenuine(`t=${time},v1=${hmac(rawBody, time)}`)).toBe(true);
    });

    it('and not believed when forged, old, changed or unsigned', () => {
      const old = time - 300;
      expect(isGenuine(`t=${time},v1=${hmac(rawBody, time, 'another')}`)).toBe(false);
      expect(isGenuine(`t=${old},v1=${hmac(rawBody, old)}`)).toBe(false);
      expect(isGenuine(`t=${time - 1},v1=${hmac(rawBody, time)}`)).toBe(false);
      expect(isGenuine(`t=${time},v1=${hmac(rawBody, time)}`, Buffer.concat([rawBody, rawBody]))).toBe(false);
      for (const signature of ['', 't=,v1=', `v1=${hmac(rawBody, time)}`, `t=${time},v1=zz`, null]) {
        expect(isGenuine(signature)).toBe(false);
      }
    });

    it('unless the webhook was made without a secret', () => {
      expect(inbound.isGenuine({ headers: {}, rawBody }, '', now)).toBe(true);
    });
  });
});

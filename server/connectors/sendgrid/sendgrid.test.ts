import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { InboundRequest, Resource, ToolApi } from '#server/connectors/connector.ts';
import { describeConnector } from '#test/connectors/suite.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { requireCredentials } from '#server/tools/integrations/credentials.ts';
import { sendgrid } from './index.ts';

let tool: SendgridFake;
const start = async () => (tool = await startSendgridFake());

function resource(kind: 'lists' | 'suppression_groups') {
  const [made] = tool.addResources(kind, 1);
  if (made === undefined) throw new Error('The fake made nothing');
  return made;
}

const callsOf = (method: string, prefix: string) =>
  tool.seen.filter((one) => one.method === method && one.url.startsWith(prefix));

describeConnector(sendgrid, start, { manyResources: 1001 }, (bench) => {
  const apply: typeof sendgrid.apply = (...args) => sendgrid.apply(...args);
  const stateOf = (email: string) => sendgrid.state(bench.api, email);

  function person(): string {
    const email = bench.freshEmail();
    tool.addContact(email);
    return email;
  }

  it('is called where the account’s data is kept, which is not in the EU unless chosen', () => {
    const baseUrlIn = (region?: string) =>
      sendgrid.connect({ api_key: 'SG.a.b', ...(region === undefined ? {} : { region }) }).baseUrl;
    expect(baseUrlIn('eu')).toBe('https://api.eu.sendgrid.com');
    expect([baseUrlIn('global'), baseUrlIn()]).toEqual(Array(2).fill('https://api.sendgrid.com'));
    expect(requireCredentials(sendgrid, { api_key: 'SG.a.b' })).toEqual({
      api_key: 'SG.a.b',
      region: 'global',
    });
    expect(() => requireCredentials(sendgrid, { api_key: 'SG.a.b', region: 'mars' })).toThrow(
      "credentials.region: this isn't a SendGrid Region.",
    );
  });

  it('counts the calls of each endpoint apart, whomever they are about', () => {
    const endpointOf = (method: string, path: string) =>
      sendgrid.limits[0]?.endpointOf?.({ method, url: `https://api.sendgrid.com${path}` });
    const ofOne = ['vera%40example.com', '42', '8c54-1f', 'o.b%2Bc%40example.com'].map((part) =>
      endpointOf('GET', `/v3/asm/suppressions/${part}?limit=1`),
    );
    expect(new Set(ofOne)).toEqual(new Set(['GET/v3/asm/suppressions']));
    expect(endpointOf('GET', '/v3/asm/suppressions/global/vera%40example.com')).toBe(
      'GET/v3/asm/suppressions/global',
    );
    expect(endpointOf('PUT', '/v3/marketing/contacts')).toBe('PUT/v3/marketing/contacts');
  });

  describe('a missing group', () => {
    it('is not written to, since that would suppress the person everywhere', async () => {
      const email = person();
      const group = resource('suppression_groups');
      tool.deleteGroup(group.id);
      const change = { type: 'suppression_group', email, target: group, on: true } as const;
      await expect(apply(bench.api, change)).rejects.toMatchObject({ kind: 'not_found' });
      expect(tool.holds(email)).toMatchObject({ unsubscribed: false });
      expect(callsOf('POST', `/v3/asm/groups/${group.id}/`)).toEqual([]);
    });

    it('holds nothing back, so there is nothing to lift', async () => {
      const email = person();
      const group = resource('suppression_groups');
      tool.deleteGroup(group.id);
      await apply(bench.api, { type: 'suppression_group', email, target: group, on: false });
      expect(callsOf('DELETE', `/v3/asm/groups/${group.id}/`)).toEqual([]);
    });
  });

  describe('storing contacts asynchronously', () => {
    const add = (email: string, on = true) =>
      apply(bench.api, { type: 'list', email, target: resource('lists'), on });

    it('waits until a job is done', async () => {
      const email = bench.freshEmail();
      const before = callsOf('GET', '/v3/marketing/contacts/imports/').length;
      await add(email);
      expect(callsOf('GET', '/v3/marketing/contacts/imports/')).toHaveLength(before + 2);
      expect(tool.contact(email)?.listIds).toHaveLength(1);
    });

    it('does not succeed when a job fails', async () => {
      tool.nextJob('failed');
      await expect(add(bench.freshEmail())).rejects.toMatchObject({ kind: 'refused' });
    });

    it('looks twice at a job, and leaves one that takes longer to a later read', async () => {
      const email = bench.freshEmail();
      const before = callsOf('GET', '/v3/marketing/contacts/imports/').length;
      tool.nextJob('late');
      await add(email);
      expect(callsOf('GET', '/v3/marketing/contacts/imports/')).toHaveLength(before + 2);
      expect(tool.contact(email)).toBeUndefined();
      tool.finishJobs();
      expect(tool.contact(email)?.listIds).toHaveLength(1);
    });

    it.each([
      ['unknown', bench.freshEmail],
      ['known', person],
    ])(
      'repeats the removal of the %s person while a job may still add them a job may still add them',
      async (_, make) => {
        const [email, target, asked] = [make(), resource('lists'), [] as unknown[]];
        const wroteSince: ToolApi['wroteSince'] = async (_time, which) => asked.push(which) > 0;
        const bring = (on: boolean) =>
          apply({ ...bench.api, wroteSince }, { type: 'list', email, target, on });
        tool.nextJob('late');
        await bring(true);
        await expect(bring(false)).rejects.toMatchObject({
          kind: 'refused',
          retryAfterSeconds: 30,
          isFinal: false,
        });
        expect(asked).toEqual([{ parts: ['/v3/marketing/', `"${email}"`], isUnconfirmed: true }]);
        tool.finishJobs();
        expect(tool.contact(email)?.listIds).toEqual([target.id]);
        await apply(bench.api, { type: 'list', email, target, on: false });
        expect(tool.contact(email)?.listIds).toEqual([]);
      },
    );

    it('accepts a contact although SendGrid fails to say what became of its job', async () => {
      const [email, target] = [bench.freshEmail(), resource('lists')];
      tool.rule(({ url }) => (url.includes('/contacts/imports/') ? { status: 503, body: '{}' } : null));
      await apply(bench.api, { type: 'list', email, target, on: true });
      tool.rule(() => null);
      expect(callsOf('PUT', '/v3/marketing/contacts').at(-1)?.body).toMatchObject({ contacts: [{ email }] });
    });

    it('a move waits while a job may still bring the old address back', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      const api = { ...bench.api, wroteSince: async () => true };
      await expect(apply(api, { type: 'switch_email', from, email })).rejects.toMatchObject({
        retryAfterSeconds: 30,
      });
      expect(tool.contact(from)).toBeDefined();
    });

    it('succeeds at once when a job has stored everything but still says that it is pending', async () => {
      const email = bench.freshEmail();
      const before = callsOf('GET', '/v3/marketing/contacts/imports/').length;
      tool.nextJob('stored');
      await add(email);
      expect(callsOf('GET', '/v3/marketing/contacts/imports/')).toHaveLength(before + 1);
    });

    it('succeeds when the tool has no status for a job', async () => {
      const email = bench.freshEmail();
      tool.nextJob('untold');
      await add(email);
      expect(tool.contact(email)).toBeDefined();
    });

    it('keeps nobody in or out of a list because the search lags behind', async () => {
      const email = person();
      const target = resource('lists');
      const bring = (on: boolean) => apply(bench.api, { type: 'list', email, target, on });
      tool.freezeSearch(true);
      await bring(true);
      await bring(false);
      expect(tool.contact(email)?.listIds).toEqual([]);
      tool.freezeSearch(false);
      await bring(true);
      tool.freezeSearch(true);
      await bring(false);
      await bring(true);
      tool.freezeSearch(false);
      expect(tool.contact(email)?.listIds).toEqual([target.id]);
    });

    it('treats a deleted person who can still be found as moved', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      tool.freezeSearch(true);
      await apply(bench.api, { type: 'switch_email', from, email });
      await apply(bench.api, { type: 'switch_email', from, email });
      tool.freezeSearch(false);
      expect(tool.contact(from)).toBeUndefined();
      expect(tool.contact(email)).toBeDefined();
    });
  });

  describe('an unknown person', () => {
    it('is neither known nor unsubscribed: 200 {} from the global list, 404 from the search', async () => {
      expect(await stateOf(bench.freshEmail())).toEqual({
        known: false,
        unsubscribed: false,
        lists: [],
        suppression_groups: [],
      });
    });

    it('is known only by a suppression', async () => {
      const email = bench.freshEmail();
      tool.suppress('global', email);
      expect(await stateOf(email)).toMatchObject({ known: true, unsubscribed: true });
    });

    it('is not created by being removed from a list', async () => {
      const email = bench.freshEmail();
      await apply(bench.api, { type: 'list', email, target: resource('lists'), on: false });
      expect(tool.contact(email)).toBeUndefined();
    });
  });

  describe('a contact who gets nothing although no suppression says so', () => {
    it.each(['spam_reports', 'bounces'] as const)('is reported as being in %s', async (book) => {
      const email = person();
      tool.suppress(book, email);
      expect(await stateOf(email)).toMatchObject({ unsubscribed: true });
    });

    it('is not reactivated after a spam report', async () => {
      const email = person();
      tool.suppress('spam_reports', email);
      tool.suppress('global', email);
      const change = { type: 'global_unsubscribe', email, on: false } as const;
      await expect(apply(bench.api, change)).rejects.toMatchObject({ kind: 'refused' });
      expect(tool.holds(email)?.unsubscribed).toBe(true);
    });
  });

  it('adding to a list does not resubscribe anyone who left everything or a group', async () => {
    const email = person();
    const group = resource('suppression_groups');
    tool.suppress('global', email);
    await apply(bench.api, { type: 'suppression_group', email, target: group, on: true });
    await apply(bench.api, { type: 'list', email, target: resource('lists'), on: true });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: true, suppression_groups: [group.id] });
  });

  it('an update includes every identifier of the contact', async () => {
    const email = person();
    Object.assign(tool.contact(email)?.values ?? {}, { external_id: `crm-${email}`, first_name: 'Nora' });
    await apply(bench.api, { type: 'list', email, target: resource('lists'), on: true });
    expect(tool.contact(email)).toMatchObject({
      values: { external_id: `crm-${email}`, first_name: 'Nora' },
    });
    expect(tool.contact(email)?.listIds).toHaveLength(1);
  });

  it('an address that is somebody’s alternate one adds nobody to a list', async () => {
    const [email, second] = [person(), bench.freshEmail()];
    tool.contact(email)?.alternateEmails.push(second);
    const change = { type: 'list', email: second, target: resource('lists'), on: true } as const;
    await expect(apply(bench.api, change)).rejects.toMatchObject({ kind: 'refused' });
    expect(tool.contact(email)?.listIds).toEqual([]);
  });

  describe('a change of address', () => {
    const move = (from: string, email: string) => apply(bench.api, { type: 'switch_email', from, email });

    it('copies the data, the identifiers and the lists to a new contact and deletes the old one', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      const target = resource('lists');
      tool.addField('w7', 'favourite_colour');
      await apply(bench.api, { type: 'list', email: from, target, on: true });
      const old = tool.contact(from);
      Object.assign(old?.values ?? {}, { first_name: 'Nora', city: 'Oslo', external_id: `crm-${from}` });
      Object.assign(old?.custom ?? {}, { w7: 'green' });
      old?.alternateEmails.push('second@example.org');
      await move(from, email);
      expect(tool.contact(from)).toBeUndefined();
      expect(tool.contact(email)).toMatchObject({
        values: { first_name: 'Nora', city: 'Oslo', external_id: `crm-${from}` },
        custom: { w7: 'green' },
        listIds: [target.id],
        alternateEmails: ['second@example.org'],
      });
    });

    it('copies the opt-outs before anything else, and leaves them on the old address', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      const group = resource('suppression_groups');
      await apply(bench.api, { type: 'suppression_group', email: from, target: group, on: true });
      tool.suppress('global', from);
      tool.nextJob('failed');
      await expect(move(from, email)).rejects.toMatchObject({ kind: 'refused' });
      const out = { unsubscribed: true, suppression_groups: [group.id] };
      expect(tool.holds(email)).toMatchObject(out);
      expect(tool.contact(from)).toBeDefined();
      await move(from, email);
      expect(tool.holds(email)).toMatchObject(out);
      expect(tool.holds(from)).toMatchObject(out);
    });

    it('counts a spam report as an opt-out', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      tool.suppress('spam_reports', from);
      await move(from, email);
      expect(tool.holds(email)?.unsubscribed).toBe(true);
    });

    it('leaves a bounce behind, which is about the old mailbox', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      tool.suppress('bounces', from);
      await move(from, email);
      expect(await stateOf(email)).toMatchObject({ known: true, unsubscribed: false });
    });

    it('to an existing contact keeps that contact’s data, and lifts no opt-out', async () => {
      const [from, email] = [person(), person()];
      const [ofOld, ofNew] = [resource('lists'), resource('lists')];
      await apply(bench.api, { type: 'list', email: from, target: ofOld, on: true });
      await apply(bench.api, { type: 'list', email, target: ofNew, on: true });
      tool.suppress('global', email);
      Object.assign(tool.contact(from)?.values ?? {}, {
        first_name: 'Old',
        city: 'Oslo',
        external_id: `o-${from}`,
      });
      Object.assign(tool.contact(email)?.values ?? {}, { first_name: 'New', external_id: `n-${email}` });
      await move(from, email);
      expect(tool.contact(from)).toBeUndefined();
      expect(tool.contact(email)?.values).toEqual({
        first_name: 'New',
        city: 'Oslo',
        external_id: `n-${email}`,
      });
      expect(tool.contact(email)?.listIds.toSorted()).toEqual([ofOld.id, ofNew.id].toSorted());
      expect(tool.holds(email)?.unsubscribed).toBe(true);
    });

    it('creates no customer for an unknown email', async () => {
      const [from, email] = [bench.freshEmail(), bench.freshEmail()];
      await move(from, email);
      expect(tool.holds(email)).toBeNull();
    });

    it('only in case changes nothing', async () => {
      const email = person();
      const before = tool.seen.length;
      await move(email, email.toUpperCase());
      expect(tool.seen).toHaveLength(before);
      expect(tool.contact(email)).toBeDefined();
    });

    it('to somebody’s alternate address is refused, and nobody is lost', async () => {
      const [from, second] = [person(), bench.freshEmail()];
      tool.contact(from)?.alternateEmails.push(second);
      await expect(move(from, second)).rejects.toMatchObject({ kind: 'refused' });
      expect(tool.contact(from)).toBeDefined();
    });
  });

  describe('too many calls', () => {
    const now = Math.floor(new Date('2026-11-21T10:00:00Z').getTime() / 1000);
    it.each([
      ['as a time', String(now + 40), 40],
      ['as seconds', '40', 40],
      ['as something else', 'soon', null],
    ])('are reported with the reset time %s', async (_form, reset, seconds) => {
      const body = '{"errors":[{"field":null,"message":"too many requests"}]}';
      tool.trouble({ status: 429, headers: { 'x-ratelimit-reset': reset }, body });
      await expect(sendgrid.verify(bench.api, tool.credentials)).rejects.toMatchObject({
        kind: 'rate_limited',
        retryAfterSeconds: seconds,
      });
    });
  });

  describe('a key with fewer rights', () => {
    it('still names the account if it may not see the profile', async () => {
      tool.forbid('/v3/user/profile');
      expect(await sendgrid.verify(bench.api, tool.credentials)).toEqual({ id: '1', name: 'acme' });
      tool.forbid('/v3/user/');
      expect(await sendgrid.verify(bench.api, tool.credentials)).toEqual({
        id: 'SendGrid',
        name: 'SendGrid',
      });
      tool.forbid(null);
    });

    it('is reported if it may not see suppressions', async () => {
      tool.forbid('/v3/asm/');
      await expect(sendgrid.verify(bench.api, tool.credentials)).rejects.toMatchObject({
        kind: 'bad_credentials',
        message: expect.stringContaining('Suppressions') as string,
      });
      tool.forbid(null);
    });

    it('names an account without a company by its user', async () => {
      tool.company('');
      expect(await sendgrid.verify(bench.api, tool.credentials)).toEqual({ id: '1', name: 'acme' });
      tool.company(tool.accountName);
    });
  });

  describe('a custom field', () => {
    const field = () => tool.addResources('fields', 1)[0] as Resource;
    const fill = (email: string, into: Resource) => sendgrid.setField?.(bench.api, email, into, 'value_1-A');

    it('is filled by an update that includes every identifier of the contact, and keeps the rest', async () => {
      const [email, link, other, list] = [person(), field(), field(), resource('lists')];
      const contact = tool.contact(email);
      Object.assign(contact?.values ?? {}, { external_id: 'crm-1', first_name: 'Nora' });
      contact?.listIds.push(list.id);
      await fill(email, other);
      await fill(email, link);
      const values = { external_id: 'crm-1', first_name: 'Nora' };
      expect(tool.contact(email)).toMatchObject({ listIds: [list.id], values });
      expect(tool.contact(email)?.custom).toEqual({ [link.id]: 'value_1-A', [other.id]: 'value_1-A' });
    });

    it('is filled once the job is done, and is not when the job fails', async () => {
      const [email, link] = [person(), field()];
      tool.nextJob('failed');
      await expect(fill(email, link)).rejects.toMatchObject({ kind: 'refused' });
      await fill(email, link);
      expect(tool.fieldOf?.(email, link)).toBe('value_1-A');
    });

    it('creates no contact for an unknown email, although the call would', async () => {
      const email = bench.freshEmail();
      const before = callsOf('PUT', '/v3/marketing/contacts').length;
      await fill(email, field());
      tool.suppress('global', email);
      await fill(email, field());
      expect(callsOf('PUT', '/v3/marketing/contacts')).toHaveLength(before);
      expect(tool.contact(email)).toBeUndefined();
    });

    it('of somebody’s alternate address is left to the main one', async () => {
      const [owner, alternate, link] = [person(), bench.freshEmail(), field()];
      tool.contact(owner)?.alternateEmails.push(alternate);
      await expect(fill(alternate, link)).rejects.toMatchObject({ kind: 'refused' });
      expect(tool.fieldOf?.(owner, link)).toBeNull();
    });

    it('that is missing or holds no text is reported and not offered', async () => {
      const email = person();
      tool.addField('n1', 'num_orders', 'Number');
      const offered = await sendgrid.resources(bench.api, 'fields');
      expect(offered.map(({ id }) => id)).not.toContain('n1');
      for (const id of ['n1', 'gone']) {
        await expect(fill(email, { id, name: 'num_orders' })).rejects.toMatchObject({ kind: 'not_found' });
      }
    });
  });

  it('reading the people of a list is refused, and the owner is told what to do instead', () => {
    expect(sendgrid.people).toEqual({ can: false, reason: expect.stringMatching(/50 .*CSV/) });
  });

  it('custom fields are offered for merge tags', async () => {
    tool.addField('w9', 'shoe_size');
    expect(await sendgrid.resources(bench.api, 'fields')).toContainEqual({ id: 'w9', name: 'shoe_size' });
    expect(sendgrid.mergeTags.field({ id: 'w9', name: 'shoe_size' })).toBe('{{shoe_size}}');
  });
});

describe('the event webhook of SendGrid', () => {
  if (sendgrid.inbound.kind !== 'webhook') throw new Error('unreachable');
  const { isGenuine, parse } = sendgrid.inbound;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const spki = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');
  const NOW = new Date('2026-11-21T10:00:00Z');
  const seconds = (date: Date) => String(Math.floor(date.getTime() / 1000));

  const common = { email: 'nora@example.com', timestamp: 1_513_299_569, sg_message_id: '14c5d.filter1' };
  const told = (events: unknown): string => `${JSON.stringify(events)}\r\n`;

  function signed(body: string, timestamp = seconds(NOW), key = privateKey): InboundRequest {
    const rawBody = Buffer.from(body);
    const signature = sign('sha256', Buffer.concat([Buffer.from(timestamp), rawBody]), key);
    return {
      headers: {
        'x-twilio-email-event-webhook-signature': signature.toString('base64'),
        'x-twilio-email-event-webhook-timestamp': timestamp,
      },
      rawBody,
    };
  }

  const body = told([{ ...common, event: 'unsubscribe', sg_event_id: 'zz_1' }]);
  const check = (request: InboundRequest, key = spki(publicKey)) => isGenuine(request, key, NOW);

  describe('a signature', () => {
    it('over the time and the raw body is genuine', () => expect(check(signed(body))).toBe(true));

    it('over re-serialized JSON is rejected', () => {
      const rawBody = Buffer.from(body.trim());
      expect(check({ ...signed(body), rawBody })).toBe(false);
    });

    it('with another key, for another time, or missing is rejected, and so is any without a key of ours', () => {
      const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const request = signed(body);
      const moved = {
        ...request.headers,
        'x-twilio-email-event-webhook-timestamp': seconds(new Date(+NOW - 1000)),
      };
      expect(check(signed(body, seconds(NOW), other.privateKey))).toBe(false);
      expect(check({ ...request, headers: moved })).toBe(false);
      expect(check({ headers: {}, rawBody: Buffer.from(body) })).toBe(false);
      expect(check(request, '')).toBe(false);
      expect(check(request, 'no key')).toBe(false);
    });

    it('is accepted for the day in which SendGrid retries, and no longer', () => {
      const hours = (count: number) => seconds(new Date(NOW.getTime() - count * 3_600_000));
      expect(check(signed(body, hours(24)))).toBe(true);
      expect(check(signed(body, hours(26)))).toBe(false);
      expect(check(signed(body, hours(-1)))).toBe(false);
    });
  });

  describe('an event', () => {
    const read = (events: unknown) => parse(signed(told(events)));
    const at = new Date('2017-12-15T00:59:29Z');

    it.each([
      ['unsubscribe', {}, { kind: 'unsubscribed' }],
      ['spamreport', {}, { kind: 'complained' }],
      ['bounce', { reason: '500 unknown recipient', status: '5.0.0', type: 'bounce' }, { kind: 'bounced' }],
      [
        'group_unsubscribe',
        { asm_group_id: 10, category: 'cat facts' },
        { kind: 'group_suppressed', resource: '10' },
      ],
      [
        'group_resubscribe',
        { asm_group_id: 10, category: ['a'] },
        { kind: 'group_unsuppressed', resource: '10' },
      ],
    ])('%s is understood', (event, more, expected) => {
      expect(read([{ ...common, ...more, event, sg_event_id: 'ahSCB7xYcXFb==' }])).toEqual([
        { id: 'ahSCB7xYcXFb==', at, email: common.email, ...expected },
      ]);
    });

    it('of a bounce with the type blocked is no bounce', () => {
      expect(read([{ ...common, event: 'bounce', type: 'blocked', sg_event_id: 'b' }])).toEqual([]);
    });

    it('without news is skipped', () => {
      const others = ['dropped', 'delivered', 'open', 'something_new'];
      expect(read(others.map((event) => ({ ...common, event, reason: 'Bounced Address' })))).toEqual([]);
    });

    it('keeps its id when it is repeated', () => {
      const one = { ...common, event: 'unsubscribe', sg_event_id: 'zz_2' };
      const [first, second] = read([one, { ...one }]);
      expect(first?.id).toBe(second?.id);
    });

    it.each([
      ['no JSON', '<html>'],
      ['no batch', '{}'],
      ['no events', '[1]'],
    ])('in a body that is %s is rejected', (_what, text) => {
      expect(() => parse({ headers: {}, rawBody: Buffer.from(text) })).toThrow('SendGrid');
    });

    it('without an email is rejected', () => {
      const { email: _, ...nobody } = common;
      expect(() => read([{ ...nobody, event: 'unsubscribe' }])).toThrow('SendGrid');
    });
  });
});

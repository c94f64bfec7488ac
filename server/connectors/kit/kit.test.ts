import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeConnector } from '#test/connectors/suite.ts';
import { type KitFake, startKitFake } from '#test/fakes/tools/kit.ts';
import type { Change, Inbound, Resource, ToolApi } from '../connector.ts';
import { kit } from './index.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const SECRET = 'whsec_of_the_endpoint';

let tool: KitFake;
const start = async () => (tool = await startKitFake());

const { inbound } = kit;
if (inbound.kind !== 'webhook') throw new Error('ConvertKit has webhooks');
const webhook: Extract<Inbound, { kind: 'webhook' }> = inbound;

const delivery = (type: string, email = 'ada@example.com') =>
  Buffer.from(
    JSON.stringify({
      delivery_id: 123456,
      events: [
        {
          id: '9c2e1f3a-6b7d-4e8f-a1b2-c3d4e5f60718',
          type,
          created: '2026-07-29T14:32:10Z',
          data: {
            subscriber: {
              id: 987654,
              first_name: 'Ada',
              email_address: email,
              state: 'cancelled',
              created_at: '2026-07-29T14:32:10Z',
              fields: { company: 'Kit' },
            },
          },
        },
      ],
    }),
  );

function signed(rawBody: Buffer, at = NOW, secret = SECRET) {
  const seconds = Math.floor(at.getTime() / 1000);
  const v1 = createHmac('sha256', secret).update(`${seconds}.`).update(rawBody).digest('hex');
  return { headers: { 'x-kit-signature': `t=${seconds},v1=${v1}` }, rawBody };
}

describeConnector(kit, start, { manyResources: 1001, manyPeople: 501 }, (bench) => {
  const apply = (change: Change) => kit.apply(bench.api, change);
  const make = (kind: 'tags' | 'funnels' | 'fields'): Resource => {
    const [made] = tool.addResources(kind, 1);
    if (made === undefined) throw new Error('The fake made nothing');
    return made;
  };
  const person = (state?: 'cancelled' | 'complained' | 'bounced' | 'inactive') => {
    const email = bench.freshEmail();
    tool.addContact(email);
    if (state !== undefined) tool.setState(email, state);
    return email;
  };
  const callsOf = async (work: () => Promise<unknown>) => {
    const before = tool.seen.length;
    await work();
    return tool.seen.slice(before).map(({ method, url }) => `${method} ${url.split('?')[0]}`);
  };

  it('who has unsubscribed is found all the same', async () => {
    const email = person('cancelled');
    expect(await kit.state(bench.api, email)).toEqual({ known: true, unsubscribed: true, tags: [] });
  });

  it.each(['complained', 'bounced'] as const)('who has %s gets nothing any more', async (state) => {
    expect(await kit.state(bench.api, person(state))).toMatchObject({ known: true, unsubscribed: true });
  });

  it('who has not confirmed yet is not unsubscribed', async () => {
    expect(await kit.state(bench.api, person('inactive'))).toMatchObject({ unsubscribed: false });
  });

  it('a tag that goes is no unsubscribe', async () => {
    const email = person();
    const target = make('tags');
    await apply({ type: 'tag', email, target, on: true });
    await apply({ type: 'tag', email, target, on: false });
    expect(tool.stateOf(email)).toBe('active');
  });

  it('unsubscribing cannot be taken back, and says so', async () => {
    const email = person('cancelled');
    expect(kit.actions.global_unsubscribe).toMatchObject({ operations: ['unsubscribe'] });
    await expect(apply({ type: 'global_unsubscribe', email, on: false })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('a tag leaves who has unsubscribed unsubscribed', async () => {
    const email = person('cancelled');
    const target = make('tags');
    await apply({ type: 'tag', email, target, on: true });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: true, tags: [target.id] });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('no call is made that an API key may not make', async () => {
    const email = person();
    const calls = await callsOf(async () => {
      for (const on of [true, false]) await apply({ type: 'tag', email, target: make('tags'), on });
      await apply({ type: 'switch_email', from: person(), email });
      await kit.state(bench.api, email);
    });
    expect(calls.filter((call) => /bulk|purchases/.test(call))).toEqual([]);
  });

  it('too many calls are told in plain text, without a time', async () => {
    tool.trouble({ status: 429, headers: { 'content-type': 'text/plain' }, body: 'Retry later' });
    await expect(kit.verify(bench.api, tool.credentials)).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterSeconds: 60,
    });
  });

  /** How long it took in the tool's time. */
  const waitOf = async (
    work: (api: ToolApi) => Promise<unknown>,
    wroteSince: ToolApi['wroteSince'] = async () => false,
  ) => {
    let waited = 0;
    const wait = async (ms: number) => void (waited += ms);
    await work({ ...bench.api, wait, wroteSince });
    return waited;
  };
  const off = (target: Resource | null, email: string): Change =>
    target === null
      ? { type: 'global_unsubscribe', email, on: true }
      : { type: 'tag', email, target, on: false };

  it('nobody waits 30 seconds for people whom ConvertKit does not know', async () => {
    const [tag, field] = [make('tags'), make('fields')];
    const unknown = () => bench.freshEmail();
    const waited = await waitOf(async (api) => {
      await kit.apply(api, off(null, unknown()));
      await kit.apply(api, off(tag, unknown()));
      await kit.apply(api, { type: 'switch_email', from: unknown(), email: unknown() });
      await kit.setField(api, unknown(), field, 'token');
    });
    expect(waited).toBe(0);
  });

  it.each(['an opt-out', 'a tag that goes'])(
    '%s reaches who was added a moment ago and is not found yet, without a wait',
    async (what) => {
      const [email, target] = [bench.freshEmail(), make('tags')];
      await apply({ type: 'tag', email, target, on: true });
      tool.lag(1);
      const change = off(what === 'an opt-out' ? null : target, email);
      expect(await waitOf((api) => kit.apply(api, change))).toBe(0);
      if (what === 'an opt-out') expect(tool.stateOf(email)).toBe('cancelled');
      else expect(tool.holds(email)?.tags).toEqual([]);
    },
  );

  it('an opt-out waits for who was written a moment ago by another process, and asks how long ago', async () => {
    const email = person();
    tool.lag(1);
    const asked: Date[] = [];
    const wroteSince = async (time: Date) => asked.push(time) > 0;
    const waited = await waitOf((api) => kit.apply(api, off(null, email)), wroteSince);
    expect(waited).toBe(30_000);
    expect(asked).toEqual([new Date(bench.api.now().getTime() - 5 * 60_000)]);
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('a tag is taken away by the id of the person, without a body', async () => {
    const [email, target] = [person(), make('tags')];
    await apply({ type: 'tag', email, target, on: true });
    const before = tool.seen.length;
    await apply({ type: 'tag', email, target, on: false });
    const deletes = tool.seen.slice(before).filter(({ method }) => method === 'DELETE');
    expect(deletes).toMatchObject([
      { url: expect.stringMatching(new RegExp(`^/tags/${target.id}/subscribers/\\d+$`)), body: null },
    ]);
  });

  it('a tag stays with who has the address no more, where the filter still thinks so', async () => {
    const [email, now, target] = [person(), bench.freshEmail(), make('tags')];
    await apply({ type: 'tag', email, target, on: true });
    const query = { email_address: email, status: 'all' };
    const stale = await bench.api.call({ method: 'GET', path: '/subscribers', query });
    await apply({ type: 'switch_email', from: email, email: now });
    tool.trouble({ status: 200, body: stale.text });
    await apply({ type: 'tag', email, target, on: false });
    expect(tool.holds(now)?.tags).toEqual([target.id]);
  });

  it('a sequence is not started for who has unsubscribed and is not found at once', async () => {
    const email = person('cancelled');
    tool.lag(1);
    const target = make('funnels');
    await expect(apply({ type: 'funnel', email, target, on: true })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('ConvertKit'),
    });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: true, funnels: [] });
  });

  it('who is not known is added once, with the tag', async () => {
    const email = bench.freshEmail();
    const target = make('tags');
    await apply({ type: 'tag', email, target, on: true });
    expect(tool.stateOf(email)).toBe('active');
    expect(await callsOf(() => apply({ type: 'tag', email, target, on: true }))).toEqual([
      `POST /tags/${target.id}/subscribers`,
    ]);
    expect(tool.holds(email)?.tags).toEqual([target.id]);
  });

  it('nobody is made by an unsubscribe or by a tag that goes', async () => {
    const email = bench.freshEmail();
    await apply({ type: 'global_unsubscribe', email, on: true });
    await apply({ type: 'tag', email, target: make('tags'), on: false });
    expect(tool.holds(email)).toBeNull();
  });

  it('a tag that is gone is said to be, and is no matter when it was to be taken', async () => {
    const email = person();
    const target = { id: '4', name: 'Gone' };
    await expect(apply({ type: 'tag', email, target, on: true })).rejects.toMatchObject({
      kind: 'not_found',
    });
    await apply({ type: 'tag', email, target, on: false });
  });

  it('a sequence that takes nobody is not offered, and refuses', async () => {
    const target = make('funnels');
    tool.stopSequence(target.id);
    const offered = await kit.resources(bench.api, 'funnels');
    expect(offered.map(({ id }) => id)).not.toContain(target.id);
    const change: Change = { type: 'funnel', email: person(), target, on: true };
    await expect(apply(change)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('a sequence cannot be left, and nothing is done that would look like it', async () => {
    const email = person();
    const target = make('funnels');
    await apply({ type: 'funnel', email, target, on: true });
    await expect(apply({ type: 'funnel', email, target, on: false })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: false, funnels: [target.id] });
  });

  it('an address that differs in case alone is the same one', async () => {
    const email = person();
    const change: Change = { type: 'switch_email', from: email, email: email.toUpperCase() };
    expect(await callsOf(() => apply(change))).toEqual([]);
  });

  it('a new address keeps who has unsubscribed unsubscribed', async () => {
    const [from, email] = [person('complained'), bench.freshEmail()];
    await apply({ type: 'switch_email', from, email });
    expect(tool.stateOf(email)).toBe('complained');
    expect(tool.holds(from)).toBeNull();
  });

  it('an old address that is not there makes nobody', async () => {
    const email = bench.freshEmail();
    await apply({ type: 'switch_email', from: bench.freshEmail(), email });
    expect(tool.holds(email)).toBeNull();
  });

  it.each([0, 1])('a new address that is taken gets the tags, the old one nothing (lag %i)', async (lag) => {
    const [from, email] = [person(), person()];
    const target = make('tags');
    await apply({ type: 'tag', email: from, target, on: true });
    const change: Change = { type: 'switch_email', from, email };
    tool.lag(lag);
    await apply(change);
    await apply(change);
    expect(tool.holds(email)).toMatchObject({ unsubscribed: false, tags: [target.id] });
    expect(tool.stateOf(email)).toBe('active');
    expect(tool.stateOf(from)).toBe('cancelled');
  });

  it('a new address that is taken gets the opt-out of the old one', async () => {
    const [from, email] = [person('cancelled'), person()];
    await apply({ type: 'switch_email', from, email });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('a new address that is taken and opted out stays so', async () => {
    const [from, email] = [person(), person('cancelled')];
    await apply({ type: 'switch_email', from, email });
    expect(tool.stateOf(email)).toBe('cancelled');
    expect(tool.stateOf(from)).toBe('cancelled');
  });

  it('the mark of who was moved is one tag, whatever its case', async () => {
    const [from, email] = [person(), person()];
    await apply({ type: 'switch_email', from, email });
    const moved = (await kit.resources(bench.api, 'tags')).filter(({ name }) => name.startsWith('Address'));
    expect(moved).toHaveLength(1);
    await bench.api.call({ method: 'POST', path: '/tags', json: { name: 'ADDRESS CHANGED (sayso)' } });
    await apply({ type: 'switch_email', from: person(), email });
    expect((await kit.resources(bench.api, 'tags')).filter(({ name }) => /^address/i.test(name))).toEqual(
      moved,
    );
  });

  const readTag = (id: string, cursor: string | null = null) => {
    if (!kit.people.can) throw new Error('ConvertKit tells who has a tag');
    return kit.people.read(bench.api, 'tags', id, cursor);
  };

  it('people of a tag are those of every state (searches default to active), and each says what it is', async () => {
    const target = make('tags');
    const made = { active: person(), inactive: person('inactive'), bounced: person('bounced') };
    const left = { cancelled: person('cancelled'), complained: person('complained') };
    for (const email of Object.values({ ...made, ...left })) {
      await apply({ type: 'tag', email, target, on: true });
    }
    const found = await readTag(target.id);
    const since = new Date('2026-01-05T08:00:00Z');
    expect(found.people).toEqual(
      expect.arrayContaining([
        { email: made.active, state: 'subscribed', hasLeftAll: false, since },
        { email: made.inactive, state: 'unclear', hasLeftAll: false, since: null },
        { email: made.bounced, state: 'unclear', hasLeftAll: false, since: null },
        { email: left.cancelled, state: 'unsubscribed', hasLeftAll: true, since: null },
        { email: left.complained, state: 'unsubscribed', hasLeftAll: true, since: null },
      ]),
    );
    expect(found.people).toHaveLength(5);
  });

  it.each(['not a cursor!', 'bm8gbnVtYmVy'])('a broken cursor (%s) starts a tag over', async (cursor) => {
    const target = make('tags');
    const email = person();
    await apply({ type: 'tag', email, target, on: true });
    const page = await readTag(target.id, cursor);
    expect(page).toMatchObject({ people: [{ email, state: 'subscribed' }], cursor: null });
  });

  it('people of a tag that is gone are not found', async () => {
    await expect(readTag('4')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('a field stands in a mail by its key, not by what people call it', () => {
    const field = { id: 'last_name', name: 'Last name' };
    expect(kit.mergeTags.field(field)).toBe('{{ subscriber.last_name }}');
  });

  it('a field is filled for who was added a moment ago and is not found at once', async () => {
    const [email, field] = [bench.freshEmail(), make('fields')];
    await apply({ type: 'tag', email, target: make('tags'), on: true });
    tool.lag(1);
    await kit.setField?.(bench.api, email, field, 'token');
    expect(tool.fieldOf?.(email, field)).toBe('token');
  });

  it('a field is not filled for who no longer has the address, nor their address changed back', async () => {
    const [email, field] = [person(), make('fields')];
    const stale = await bench.api.call({
      method: 'GET',
      path: '/subscribers',
      query: { email_address: email, status: 'all' },
    });
    const now = bench.freshEmail();
    await apply({ type: 'switch_email', from: email, email: now });
    tool.trouble({ status: 200, body: stale.text });
    await kit.setField?.(bench.api, email, field, 'token');
    expect(tool.holds(email)).toBeNull();
    expect(tool.fieldOf?.(now, field)).toBeNull();
  });

  it.each(['refused', 'ignored'] as const)(
    'a field that is gone is said to be, where it is %s',
    async (answer) => {
      const [email, field] = [person(), make('fields')];
      tool.removeField(field.id);
      tool.setUnknownFields(answer);
      await expect(kit.setField?.(bench.api, email, field, 'token')).rejects.toMatchObject({
        kind: 'not_found',
        message: expect.stringContaining(field.name),
      });
    },
  );

  it.each([
    ['subscriber.unsubscribed', 'unsubscribed'],
    ['subscriber.complained', 'complained'],
    ['subscriber.bounced', 'bounced'],
  ])('is told of %s', (type, kind) => {
    const told = webhook.parse({ headers: {}, rawBody: delivery(type) });
    expect(told).toEqual([
      {
        id: '9c2e1f3a-6b7d-4e8f-a1b2-c3d4e5f60718',
        at: new Date('2026-07-29T14:32:10Z'),
        email: 'ada@example.com',
        kind,
      },
    ]);
    expect(webhook.parse({ headers: {}, rawBody: delivery(type) })).toEqual(told);
  });

  it.each(['subscriber.activated', 'subscriber.tag_removed', 'tag.created'])('passes over %s', (type) => {
    expect(webhook.parse({ headers: {}, rawBody: delivery(type) })).toEqual([]);
  });

  it.each(['', '[]', '{"events":[{"type":1}]}', 'no JSON'])(
    'refuses a body that is none of its own: %s',
    (body) => {
      const parse = () => webhook.parse({ headers: {}, rawBody: Buffer.from(body) });
      expect(parse).toThrow(expect.objectContaining({ kind: 'refused' }));
    },
  );

  it('knows its own signature, also with that of an old secret beside it', () => {
    const request = signed(delivery('subscriber.unsubscribed'));
    expect(webhook.isGenuine(request, SECRET, NOW)).toBe(true);
    const [t, v1] = request.headers['x-kit-signature'].split(',');
    const headers = { 'x-kit-signature': `${t},v1=${'ab'.repeat(32)},${v1}` };
    expect(webhook.isGenuine({ ...request, headers }, SECRET, NOW)).toBe(true);
  });

  it('knows a forged one', () => {
    const request = signed(delivery('subscriber.unsubscribed'));
    const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);
    expect(webhook.isGenuine(request, 'another', NOW)).toBe(false);
    expect(webhook.isGenuine({ ...request, rawBody: delivery('subscriber.bounced') }, SECRET, NOW)).toBe(
      false,
    );
    expect(webhook.isGenuine({ ...request, headers: {} }, SECRET, NOW)).toBe(false);
    expect(webhook.isGenuine(request, SECRET, minutes(6))).toBe(false);
    expect(webhook.isGenuine(request, SECRET, minutes(-6))).toBe(false);
    expect(webhook.isGenuine(signed(request.rawBody, NOW, ''), '', NOW)).toBe(false);
  });
});

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

  it('finds contacts who have unsubscribed, too', async () => {
    const email = person('cancelled');
    expect(await kit.state(bench.api, email)).toEqual({ known: true, unsubscribed: true, tags: [] });
  });

  it.each(['complained', 'bounced'] as const)(
    'treats someone who has %s as receiving nothing',
    async (state) => {
      expect(await kit.state(bench.api, person(state))).toMatchObject({ known: true, unsubscribed: true });
    },
  );

  it('does not treat an unconfirmed contact as unsubscribed', async () => {
    expect(await kit.state(bench.api, person('inactive'))).toMatchObject({ unsubscribed: false });
  });

  it('does not treat a removed tag as an unsubscribe', async () => {
    const email = person();
    const target = make('tags');
    await apply({ type: 'tag', email, target, on: true });
    await apply({ type: 'tag', email, target, on: false });
    expect(tool.stateOf(email)).toBe('active');
  });

  it('cannot revert an unsubscribe, and says so', async () => {
    const email = person('cancelled');
    expect(kit.actions.global_unsubscribe).toMatchObject({ operations: ['unsubscribe'] });
    await expect(apply({ type: 'global_unsubscribe', email, on: false })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('keeps someone who unsubscribed unsubscribed when a tag is added', async () => {
    const email = person('cancelled');
    const target = make('tags');
    await apply({ type: 'tag', email, target, on: true });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: true, tags: [target.id] });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('makes no call that an API key may not make', async () => {
    const email = person();
    const calls = await callsOf(async () => {
      for (const on of [true, false]) await apply({ type: 'tag', email, target: make('tags'), on });
      await apply({ type: 'switch_email', from: person(), email });
      await kit.state(bench.api, email);
    });
    expect(calls.filter((call) => /bulk|purchases/.test(call))).toEqual([]);
  });

  it('reads the plain-text answer to too many calls, which has no delay', async () => {
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

  it('does not wait 30 seconds for people whom ConvertKit does not know', async () => {
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
    '%s reaches someone who was just added and cannot be found yet, without a wait',
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

  it('delays an opt-out of someone whom another process has just written, and asks how long ago', async () => {
    const email = person();
    tool.lag(1);
    const asked: Date[] = [];
    const wroteSince = async (time: Date) => asked.push(time) > 0;
    const waited = await waitOf((api) => kit.apply(api, off(null, email)), wroteSince);
    expect(waited).toBe(30_000);
    expect(asked).toEqual([new Date(bench.api.now().getTime() - 5 * 60_000)]);
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('removes a tag by the id of the person, without a body', async () => {
    const [email, target] = [person(), make('tags')];
    await apply({ type: 'tag', email, target, on: true });
    const before = tool.seen.length;
    await apply({ type: 'tag', email, target, on: false });
    const deletes = tool.seen.slice(before).filter(({ method }) => method === 'DELETE');
    expect(deletes).toMatchObject([
      { url: expect.stringMatching(new RegExp(`^/tags/${target.id}/subscribers/\\d+$`)), body: null },
    ]);
  });

  it('keeps the tag of the old address until the filter is updated', async () => {
    const [email, now, target] = [person(), bench.freshEmail(), make('tags')];
    await apply({ type: 'tag', email, target, on: true });
    const query = { email_address: email, status: 'all' };
    const stale = await bench.api.call({ method: 'GET', path: '/subscribers', query });
    await apply({ type: 'switch_email', from: email, email: now });
    tool.trouble({ status: 200, body: stale.text });
    await apply({ type: 'tag', email, target, on: false });
    expect(tool.holds(now)?.tags).toEqual([target.id]);
  });

  it('starts no sequence for someone who unsubscribed and cannot be found at once', async () => {
    const email = person('cancelled');
    tool.lag(1);
    const target = make('funnels');
    await expect(apply({ type: 'funnel', email, target, on: true })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('ConvertKit'),
    });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: true, funnels: [] });
  });

  it('adds an unknown person once, with the tag', async () => {
    const email = bench.freshEmail();
    const target = make('tags');
    await apply({ type: 'tag', email, target, on: true });
    expect(tool.stateOf(email)).toBe('active');
    expect(await callsOf(() => apply({ type: 'tag', email, target, on: true }))).toEqual([
      `POST /tags/${target.id}/subscribers`,
    ]);
    expect(tool.holds(email)?.tags).toEqual([target.id]);
  });

  it('creates no one by a removed tag', async () => {
    const email = bench.freshEmail();
    await apply({ type: 'tag', email, target: make('tags'), on: false });
    expect(tool.holds(email)).toBeNull();
  });

  it('keeps the unsubscribe of an address that ConvertKit doesn’t have', async () => {
    const email = bench.freshEmail();
    await apply({ type: 'global_unsubscribe', email, on: true });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('reports a missing tag, unless it was to be removed', async () => {
    const email = person();
    const target = { id: '4', name: 'Gone' };
    await expect(apply({ type: 'tag', email, target, on: true })).rejects.toMatchObject({
      kind: 'not_found',
    });
    await apply({ type: 'tag', email, target, on: false });
  });

  it('neither offers nor starts a sequence that accepts nobody', async () => {
    const target = make('funnels');
    tool.stopSequence(target.id);
    const offered = await kit.resources(bench.api, 'funnels');
    expect(offered.map(({ id }) => id)).not.toContain(target.id);
    const change: Change = { type: 'funnel', email: person(), target, on: true };
    await expect(apply(change)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('cannot take anyone out of a sequence, and does not pretend to', async () => {
    const email = person();
    const target = make('funnels');
    await apply({ type: 'funnel', email, target, on: true });
    await expect(apply({ type: 'funnel', email, target, on: false })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(tool.holds(email)).toMatchObject({ unsubscribed: false, funnels: [target.id] });
  });

  it('treats an address that differs only in case as the same one', async () => {
    const email = person();
    const change: Change = { type: 'switch_email', from: email, email: email.toUpperCase() };
    expect(await callsOf(() => apply(change))).toEqual([]);
  });

  it('keeps someone who unsubscribed unsubscribed at the new address', async () => {
    const [from, email] = [person('complained'), bench.freshEmail()];
    await apply({ type: 'switch_email', from, email });
    expect(tool.stateOf(email)).toBe('complained');
    expect(tool.holds(from)).toBeNull();
  });

  it('creates no one when the old address is unknown', async () => {
    const email = bench.freshEmail();
    await apply({ type: 'switch_email', from: bench.freshEmail(), email });
    expect(tool.holds(email)).toBeNull();
  });

  it.each([0, 1])(
    'moves the tags to a new address that is taken, and leaves the old one nothing (lag %i)',
    async (lag) => {
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
    },
  );

  it('moves the opt-out of the old address to a new one that is taken', async () => {
    const [from, email] = [person('cancelled'), person()];
    await apply({ type: 'switch_email', from, email });
    expect(tool.stateOf(email)).toBe('cancelled');
  });

  it('keeps a new address that is taken and opted out opted out', async () => {
    const [from, email] = [person(), person('cancelled')];
    await apply({ type: 'switch_email', from, email });
    expect(tool.stateOf(email)).toBe('cancelled');
    expect(tool.stateOf(from)).toBe('cancelled');
  });

  it('marks people who were moved with one tag, whatever its case', async () => {
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

  it('searches the people of a tag in every state (searches default to active), with the state of each', async () => {
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

  it.each(['not a cursor!', 'bm8gbnVtYmVy'])(
    'restarts after a broken cursor (%s) of a tag',
    async (cursor) => {
      const target = make('tags');
      const email = person();
      await apply({ type: 'tag', email, target, on: true });
      const page = await readTag(target.id, cursor);
      expect(page).toMatchObject({ people: [{ email, state: 'subscribed' }], cursor: null });
    },
  );

  it('reports the people of a missing tag as not found', async () => {
    await expect(readTag('4')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('offers a field in emails by its key, not by its label', () => {
    const field = { id: 'last_name', name: 'Last name' };
    expect(kit.mergeTags.field(field)).toBe('{{ subscriber.last_name }}');
  });

  it('fills a field for someone who was just added and cannot be found at once', async () => {
    const [email, field] = [bench.freshEmail(), make('fields')];
    await apply({ type: 'tag', email, target: make('tags'), on: true });
    tool.lag(1);
    await kit.setField?.(bench.api, email, field, 'token');
    expect(tool.fieldOf?.(email, field)).toBe('token');
  });

  it('does not fill a field for a person who left the address, and does not change the address back', async () => {
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

  it.each(['refused', 'ignored'] as const)('reports a missing field, where it is %s', async (answer) => {
    const [email, field] = [person(), make('fields')];
    tool.removeField(field.id);
    tool.setUnknownFields(answer);
    await expect(kit.setField?.(bench.api, email, field, 'token')).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining(field.name),
    });
  });

  it.each([
    ['subscriber.unsubscribed', 'unsubscribed'],
    ['subscriber.complained', 'complained'],
    ['subscriber.bounced', 'bounced'],
  ])('handles %s', (type, kind) => {
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

  it.each(['subscriber.activated', 'subscriber.tag_removed', 'tag.created'])('skips %s', (type) => {
    expect(webhook.parse({ headers: {}, rawBody: delivery(type) })).toEqual([]);
  });

  it.each(['', '[]', '{"events":[{"type":1}]}', 'no JSON'])(
    'rejects a body that is not its own: %s',
    (body) => {
      const parse = () => webhook.parse({ headers: {}, rawBody: Buffer.from(body) });
      expect(parse).toThrow(expect.objectContaining({ kind: 'refused' }));
    },
  );

  it('accepts its own signature, also with that of an old secret beside it', () => {
    const request = signed(delivery('subscriber.unsubscribed'));
    expect(webhook.isGenuine(request, SECRET, NOW)).toBe(true);
    const [t, v1] = request.headers['x-kit-signature'].split(',');
    const headers = { 'x-kit-signature': `${t},v1=${'ab'.repeat(32)},${v1}` };
    expect(webhook.isGenuine({ ...request, headers }, SECRET, NOW)).toBe(true);
  });

  it('rejects a forged signature', () => {
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

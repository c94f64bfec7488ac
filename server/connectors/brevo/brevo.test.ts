import { expect, it } from 'vitest';
import { type Bench, describeConnector } from '#test/connectors/suite.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import type { InboundRequest, People, Resource } from '../connector.ts';
import { brevo } from './index.ts';

let fake: BrevoFake;

async function start(): Promise<BrevoFake> {
  fake = await startBrevoFake();
  return fake;
}

function addList(): Resource {
  const [list] = fake.addResources('lists', 1);
  if (list === undefined) throw new Error('The fake made nothing');
  return list;
}

const madeCalls = (method: string) => fake.seen.filter((one) => one.method === method).length;

describeConnector(brevo, start, { manyResources: 120, manyPeople: 1001 }, (bench) => {
  addressTraps(bench);
  subscriptionTraps(bench);
  answerTraps(bench);
  peopleTraps(bench);
  fieldTraps(bench);
  inboundTraps();
});

function addressTraps(bench: Bench): void {
  const switchTo = (from: string, email: string) =>
    brevo.apply(bench.api, { type: 'switch_email', from, email });
  const block = (email: string) => brevo.apply(bench.api, { type: 'global_unsubscribe', email, on: true });
  const join = (email: string, target: Resource) =>
    brevo.apply(bench.api, { type: 'list', email, target, on: true });

  it('sets a block again that a change of address lifts', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    await block(from);
    const { id } = fake.contact(from) ?? {};
    await switchTo(from, email);
    expect(fake.contact(email)).toMatchObject({ id, emailBlacklisted: true });
    await switchTo(from, email);
    expect(fake.contact(email)).toMatchObject({ id, emailBlacklisted: true });
    expect(fake.contact(from)).toBeNull();
  });

  it('sets the block again even if the answer to the change is lost', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    await block(from);
    fake.loseNextRename();
    await expect(switchTo(from, email)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(fake.contact(email)?.emailBlacklisted).toBe(true);
    await switchTo(from, email);
    expect(fake.contact(email)?.emailBlacklisted).toBe(true);
  });

  it('sets the block again even if the tool is throttled or fails right after the change', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    await block(from);
    fake.troubleAfterRename([
      { status: 500, body: '{}' },
      { status: 429, headers: { 'x-sib-ratelimit-reset': '1' }, body: '{}' },
      { status: 425, body: '{}' },
    ]);
    await switchTo(from, email);
    expect(fake.contact(email)?.emailBlacklisted).toBe(true);
  });

  it('treats an address that differs only in case as unchanged', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    await block(email);
    await switchTo(email, email.toUpperCase());
    expect(fake.contact(email)?.emailBlacklisted).toBe(true);
  });

  it('merges two contacts without the tool’s own merge, and the opt-out wins', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const list = addList();
    fake.addContact(from);
    fake.addContact(email);
    await join(from, list);
    await block(from);
    await switchTo(from, email);
    await switchTo(from, email);
    expect(fake.contact(email)).toMatchObject({ emailBlacklisted: true, listIds: [Number(list.id)] });
    expect(fake.contact(from)).toMatchObject({ emailBlacklisted: true, listIds: [] });
  });

  it('carries lists over to a contact with the new address, whose own opt-outs stay', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const [kept, left] = [addList(), addList()];
    fake.addContact(from);
    fake.addContact(email);
    await join(from, kept);
    await join(from, left);
    fake.leaveList(email, left);
    await block(email);
    await switchTo(from, email);
    await switchTo(from, email);
    expect(fake.contact(email)).toMatchObject({ emailBlacklisted: true, listIds: [Number(kept.id)] });
    expect(fake.contact(from)).toBeNull();
  });

  it('creates no one when the old address is unknown', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    await switchTo(from, email);
    expect(fake.contact(email)).toBeNull();
  });
}

function subscriptionTraps(bench: Bench): void {
  const list = (email: string, target: Resource, on: boolean) =>
    brevo.apply(bench.api, { type: 'list', email, target, on });
  const block = (email: string, on: boolean) =>
    brevo.apply(bench.api, { type: 'global_unsubscribe', email, on });

  it('adds a blocked contact to a list and keeps the block', async () => {
    const [email, target] = [bench.freshEmail(), addList()];
    fake.addContact(email);
    await block(email, true);
    await list(email, target, true);
    await list(email, target, false);
    await list(email, target, true);
    expect(fake.contact(email)).toMatchObject({ emailBlacklisted: true, listIds: [Number(target.id)] });
  });

  it('does not resubscribe somebody who left the list in the tool', async () => {
    const [email, target] = [bench.freshEmail(), addList()];
    fake.addContact(email);
    await list(email, target, true);
    fake.leaveList(email, target);
    await expect(list(email, target, true)).rejects.toMatchObject({ kind: 'refused' });
    expect(fake.contact(email)?.listIds).toEqual([]);
  });

  it('creates an unknown contact in the list or blocked, but never when lifting', async () => {
    const [reader, leaver, stranger] = [bench.freshEmail(), bench.freshEmail(), bench.freshEmail()];
    const target = addList();
    await list(reader, target, true);
    await block(leaver, true);
    await block(stranger, false);
    await list(stranger, target, false);
    expect(fake.contact(reader)).toMatchObject({ emailBlacklisted: false, listIds: [Number(target.id)] });
    expect(fake.contact(leaver)).toMatchObject({ emailBlacklisted: true, listIds: [] });
    expect(fake.contact(stranger)).toBeNull();
    expect(fake.seen.findLast(({ method }) => method === 'POST')?.body).toMatchObject({
      updateEnabled: true,
    });
  });

  it('lifts the person’s own unsubscribe, and never a complaint or a bounce', async () => {
    const [left, complained, bounced] = [bench.freshEmail(), bench.freshEmail(), bench.freshEmail()];
    for (const email of [left, complained, bounced]) fake.addContact(email);
    await block(left, true);
    fake.complain(complained);
    fake.bounce(bounced);
    await block(left, false);
    expect(fake.contact(left)?.emailBlacklisted).toBe(false);
    for (const [email, why] of [
      [complained, 'spam'],
      [bounced, 'bounced'],
    ] as const) {
      const refusal = { kind: 'refused', message: expect.stringContaining(why) };
      await expect(block(email, false)).rejects.toMatchObject(refusal);
      expect(fake.contact(email)?.emailBlacklisted).toBe(true);
    }
  });

  it('writes nothing where the tool is already up to date', async () => {
    const [email, target] = [bench.freshEmail(), addList()];
    await list(email, target, true);
    await block(email, true);
    const before = madeCalls('PUT') + madeCalls('POST');
    await list(email, target, true);
    await block(email, true);
    expect(madeCalls('PUT') + madeCalls('POST')).toBe(before);
  });

  it('treats a deleted contact as unknown', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    fake.addContact(email);
    await brevo.apply(bench.api, { type: 'switch_email', from, email });
    expect(await brevo.state(bench.api, from)).toEqual({ known: false });
  });
}

function answerTraps(bench: Bench): void {
  const failing = async (answer: { status: number; headers?: Record<string, string>; body: string }) => {
    fake.trouble(answer);
    return brevo.state(bench.api, bench.freshEmail());
  };

  it('requests lists in the largest pages', async () => {
    await brevo.resources(bench.api, 'lists');
    expect(fake.seen.at(-1)?.url).toContain('limit=50&');
  });

  it('offers the attributes that can be filled', async () => {
    const names = (await brevo.resources(bench.api, 'fields')).map(({ id }) => id);
    expect(names).toContain('FIRSTNAME');
    expect(names).not.toContain('BLACKLIST');
  });

  it('reads from the tool’s header when to retry', async () => {
    const headers = { 'x-sib-ratelimit-limit': '100', 'x-sib-ratelimit-reset': '37' };
    await expect(failing({ status: 429, headers, body: '{}' })).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterSeconds: 37,
    });
  });

  it('retries when the contact is still being processed', async () => {
    await expect(failing({ status: 425, body: '{}' })).rejects.toMatchObject({ kind: 'unavailable' });
    const body = '{"code":"account_in_process","message":"Wait"}';
    await expect(failing({ status: 400, body })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('passes on the tool’s error code, and not its message', async () => {
    const body = '{"code":"invalid_parameter","message":"other@example.com is not valid"}';
    const error = failing({ status: 400, body });
    await expect(error).rejects.toMatchObject({ kind: 'refused' });
    await expect(error).rejects.toThrow('invalid_parameter');
    await expect(error).rejects.not.toThrow('other@example.com');
  });

  it('treats only the 404 of a contact as an unknown contact', async () => {
    const body = '{"code":"not_found","message":"Route not found"}';
    await expect(failing({ status: 404, body })).rejects.toMatchObject({ kind: 'not_found' });
    const state = await brevo.state(bench.api, bench.freshEmail());
    expect(state).toEqual({ known: false });
  });

  it('tells a malformed contact from a contact', async () => {
    await expect(failing({ status: 200, body: '{"id":"?"}' })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('refuses a missing list', async () => {
    const change = { type: 'list', email: bench.freshEmail(), on: true } as const;
    const gone = { id: '999999', name: 'Gone' };
    await expect(brevo.apply(bench.api, { ...change, target: gone })).rejects.toMatchObject({
      kind: 'refused',
    });
    const odd = { id: '1/2', name: 'Odd' };
    await expect(brevo.apply(bench.api, { ...change, target: odd })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
}

function peopleTraps(bench: Bench): void {
  const people = brevo.people as Extract<People, { can: true }>;
  const read = (target: Resource, cursor: string | null = null) =>
    people.read(bench.api, 'lists', target.id, cursor);
  const fill = (target: Resource, count: number, state: 'subscribed' | 'unclear' = 'subscribed') => {
    const emails = Array.from({ length: count }, bench.freshEmail);
    fake.addPeople?.(
      'lists',
      target.id,
      emails.map((email) => ({ email, state })),
    );
    return emails;
  };

  it('reports blocked contacts as receiving nothing, not as opted out, for a bounce blocks too', async () => {
    const target = addList();
    const [email = ''] = fill(target, 1);
    await brevo.apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    expect((await read(target)).people).toEqual([{ email, state: 'unclear', hasLeftAll: true, since: null }]);
  });

  it('skips contacts without an address, and still reaches the end', async () => {
    const target = addList();
    fake.addPhoneContact(target);
    const emails = fill(target, 500);
    const first = await read(target);
    expect(first.people).toHaveLength(499);
    const second = await read(target, first.cursor);
    expect([...first.people, ...second.people].map(({ email }) => email)).toEqual(emails);
    expect(second.cursor).toBeNull();
  });

  it('reads from the oldest on, in the largest pages', async () => {
    await read(addList());
    expect(fake.seen.at(-1)?.url).toMatch(/limit=500&offset=0&sort=asc$/);
  });

  it('goes back for those who moved up when somebody was removed between pages', async () => {
    const target = addList();
    const emails = fill(target, 1100);
    const found = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(target, cursor);
      for (const { email } of page.people) found.add(email);
      ({ cursor } = page);
      if (emails.length === 1100) for (const gone of emails.splice(0, 30)) fake.remove(gone);
    } while (cursor !== null);
    expect(emails.filter((email) => !found.has(email))).toEqual([]);
  });

  it('reports a missing list instead of an empty one', async () => {
    for (const id of ['999999', 'x/../y']) {
      await expect(read({ id, name: 'Gone' })).rejects.toMatchObject({ kind: 'not_found' });
    }
  });

  it.each(['', 'nonsense', '{"offset":-5,"total":1}'])(
    'restarts with the broken cursor %j',
    async (cursor) => {
      const target = addList();
      fill(target, 1);
      expect((await read(target, cursor)).people).toHaveLength(1);
    },
  );
}

function fieldTraps(bench: Bench): void {
  const fill = (email: string, id: string) =>
    brevo.setField?.(bench.api, email, { id, name: id }, 'value_1-A');

  it('T8: reports an attribute that is missing or takes no text, where Brevo stays silent', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    fake.addAttribute('BIRTHDAY', 'date');
    for (const id of ['GONE', 'BIRTHDAY']) {
      await expect(fill(email, id)).rejects.toMatchObject({
        kind: 'not_found',
        message: expect.stringContaining(id),
      });
    }
  });

  it('neither offers nor fills attributes by which Brevo identifies the contact', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    for (const id of ['EMAIL', 'SMS', 'EXT_ID']) {
      fake.addAttribute(id, 'text');
      await expect(fill(email, id)).rejects.toMatchObject({ kind: 'not_found' });
    }
    const offered = (await brevo.resources(bench.api, 'fields')).map(({ id }) => id);
    expect(offered).not.toContain('EXT_ID');
  });

  it('T1: writes nothing but the attribute, and so lifts no block', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    await brevo.apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    await fill(email, 'FIRSTNAME');
    expect(fake.seen.at(-1)?.body).toEqual({ attributes: { FIRSTNAME: 'value_1-A' } });
    expect(fake.contact(email)?.emailBlacklisted).toBe(true);
  });

  it('merges an attribute by its name', () => {
    expect(brevo.mergeTags.field({ id: 'SAYSO_LINK', name: 'SAYSO_LINK' })).toBe('{{ contact.SAYSO_LINK }}');
  });
}

const SECRET = 'a-long-token-of-ours';

const OF_CAMPAIGN = {
  id: 1,
  camp_id: 2,
  email: 'nora@example.com',
  'campaign name': 'My First Campaign ',
  date_sent: '2020-10-09 00:00:00',
  date_event: '2020-10-09 00:00:00',
  tag: '',
  ts_sent: 1604933619,
  ts_event: 1604933737,
  ts: 1604937337,
};

const OF_CONTACT = {
  id: 1,
  email: 'nora@example.com',
  key: 'k',
  date: '2020-10-09 00:00:00',
  ts: 1604937337,
};

function inbound() {
  if (brevo.inbound.kind !== 'webhook') throw new Error('Brevo has webhooks');
  return brevo.inbound;
}

const request = (body: unknown, authorization = `Bearer ${SECRET}`): InboundRequest => ({
  headers: { authorization },
  rawBody: Buffer.from(JSON.stringify(body)),
});

const parse = (body: unknown) => inbound().parse(request(body));

function inboundTraps(): void {
  it('tells the owner where a webhook is created', () => {
    expect(inbound().setup).toContain('Integrations > Webhooks');
  });

  it('accepts a notification only with the right token', () => {
    const isGenuine = (authorization: string, secret = SECRET) =>
      inbound().isGenuine(request({}, authorization), secret, new Date());
    expect(isGenuine(`Bearer ${SECRET}`)).toBe(true);
    expect(isGenuine(`Bearer ${SECRET}x`)).toBe(false);
    expect(isGenuine(SECRET)).toBe(false);
    expect(isGenuine('')).toBe(false);
    expect(isGenuine('Bearer ', '')).toBe(false);
    expect(inbound().isGenuine({ headers: {}, rawBody: Buffer.from('{}') }, SECRET, new Date())).toBe(false);
  });

  it.each([
    ['unsubscribe', 'unsubscribed'],
    ['unsubscribed', 'unsubscribed'],
    ['spam', 'complained'],
    ['hard_bounce', 'bounced'],
  ])('understands the name %s', (event, kind) => {
    const [only, ...more] = parse({ ...OF_CAMPAIGN, event });
    expect(only).toMatchObject({ kind, email: 'nora@example.com', at: new Date('2020-11-09T14:55:37Z') });
    expect(more).toEqual([]);
  });

  it('understands being added to lists, one by one, with the id of the webhook as text', () => {
    const events = parse({ ...OF_CONTACT, id: '1', event: 'list_addition', list_id: [3, 4] });
    expect(events).toMatchObject([
      { kind: 'list_subscribed', resource: '3', email: 'nora@example.com' },
      { kind: 'list_subscribed', resource: '4' },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });

  it('understands a new address only where the old one is named too', () => {
    const updated = { ...OF_CONTACT, event: 'contact_updated' };
    expect(parse({ ...updated, content: [{ EMAIL: 'new@example.com' }] })).toMatchObject([
      { kind: 'email_changed', email: 'nora@example.com', newEmail: 'new@example.com' },
    ]);
    expect(parse({ ...updated, content: [{ EMAIL: 'Nora@example.com' }] })).toEqual([]);
    expect(parse({ ...updated, content: [{ FNAME: 'x' }] })).toEqual([]);
  });

  it.each(['contact_deleted', 'soft_bounce', 'opened', 'something_new'])(
    'does not treat %s as an opt-out',
    (event) => {
      expect(parse({ ...OF_CONTACT, event, list_id: [3] })).toEqual([]);
    },
  );

  it('gives a repeated event the same id, and another event another one', () => {
    const told = { ...OF_CAMPAIGN, event: 'unsubscribe', list_id: [3] };
    const id = (body: unknown) => parse(body)[0]?.id;
    expect(id({ ...told, ts: 1604999999 })).toBe(id(told));
    expect(id({ ...told, ts_event: 1604933738 })).not.toBe(id(told));
    expect(id({ ...told, email: 'ole@example.com' })).not.toBe(id(told));
    expect(id({ ...told, event: 'spam' })).not.toBe(id(told));
  });

  it('reads a batch', () => {
    const batch = [
      { ...OF_CAMPAIGN, event: 'unsubscribe' },
      { ...OF_CAMPAIGN, event: 'spam' },
    ];
    expect(parse(batch).map(({ kind }) => kind)).toEqual(['unsubscribed', 'complained']);
  });

  it.each(['', 'no JSON', '{}', '[1]', 'null'])('rejects %j', (text) => {
    const body = { headers: {}, rawBody: Buffer.from(text) };
    expect(() => inbound().parse(body)).toThrow("isn't a Brevo webhook");
  });
}

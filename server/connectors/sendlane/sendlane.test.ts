import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Resource, ToolApi } from '#server/connectors/connector.ts';
import { describeConnector } from '#test/connectors/suite.ts';
import { type FakeContact, type SendlaneFake, startSendlaneFake } from '#test/fakes/tools/sendlane.ts';
import { sendlane } from './index.ts';

let tool: SendlaneFake;

async function start(): Promise<SendlaneFake> {
  tool = await startSendlaneFake();
  return tool;
}

const particulars = { manyResources: 250, manyPeople: 101, failures: { '403': 'unavailable' } } as const;

describeConnector(sendlane, start, particulars, (bench) => {
  let email: string;
  let list: Resource;
  let tag: Resource;

  beforeEach(() => {
    email = bench.freshEmail();
    [list] = tool.addResources('lists', 1) as [Resource];
    [tag] = tool.addResources('tags', 1) as [Resource];
  });

  afterEach(() => {
    tool.queueFor(2);
    tool.allow(Infinity);
  });

  const bring = (type: 'list' | 'tag', on: boolean, target = type === 'list' ? list : tag) =>
    sendlane.apply(bench.api, { type, email, target, on });
  const switchTo = (to: string) =>
    sendlane.apply(bench.api, { type: 'switch_email', from: email, email: to });
  const writes = () => tool.seen.filter(({ method }) => method !== 'GET').length;
  const known = (of = email): FakeContact => {
    const contact = tool.contact(of);
    if (contact === null) throw new Error('Nobody');
    return contact;
  };
  /** In the list, and in no queue. */
  const put = (of: string, target: Resource) =>
    known(of).lists.set(Number(target.id), { subscribed: true, suppressed: false });

  describe('a call to Sendlane', () => {
    it('searches with a body in a GET, and keeps the address out of the URL', async () => {
      tool.addContact(email);
      await sendlane.state(bench.api, email);
      const searched = tool.seen.find(({ url }) => url === '/contacts/search');
      expect(searched).toMatchObject({ method: 'GET', body: { email: expect.any(String) } });
      expect(tool.seen.some(({ url }) => url.includes('person-'))).toBe(false);
    });

    it('does not act on another person when a proxy drops that body', async () => {
      tool.addContact('first@example.com');
      tool.dropSearchBodies(true);
      const change = { type: 'global_unsubscribe', email, on: true } as const;
      await expect(sendlane.apply(bench.api, change)).rejects.toMatchObject({ kind: 'unavailable' });
      tool.dropSearchBodies(false);
      expect(tool.holds('first@example.com')?.unsubscribed).toBe(false);
    });

    it('reads the HTML answer to a wrong token (text/html 401)', async () => {
      tool.trouble({ status: 401, headers: { 'content-type': 'text/html' }, body: 'Unauthorized.' });
      await expect(sendlane.verify(bench.api, tool.credentials)).rejects.toMatchObject({
        kind: 'bad_credentials',
      });
    });

    it('over the limit of 240 a minute waits for a minute, though no header says so', async () => {
      tool.allow(0);
      const limited = { kind: 'rate_limited', retryAfterSeconds: 60 };
      await expect(sendlane.verify(bench.api, tool.credentials)).rejects.toMatchObject(limited);
      const [limit] = sendlane.limits;
      expect((limit?.requests ?? 0) / (limit?.perSeconds ?? 1)).toBeLessThanOrEqual(240 / 60);
    });

    it('blocked after errors (403) waits for minutes', async () => {
      tool.trouble({ status: 403, body: '{"message":"Blocked","errors":["An error occurred"]}' });
      const blocked = { kind: 'unavailable', retryAfterSeconds: 300 };
      await expect(sendlane.verify(bench.api, tool.credentials)).rejects.toMatchObject(blocked);
    });

    it.each([['{"email":["Not an address."]}'], ['["An error occurred"]']])(
      'understands a refusal with the errors %s',
      async (errors) => {
        tool.trouble({ status: 422, body: `{"message":"The given data was invalid.","errors":${errors}}` });
        await expect(sendlane.verify(bench.api, tool.credentials)).rejects.toMatchObject({ kind: 'refused' });
      },
    );
  });

  describe('a queued change in Sendlane', () => {
    it('is waited for, with a new person', async () => {
      tool.queueFor(2);
      await bring('list', true);
      expect(tool.holds(email)?.lists).toEqual([list.id]);
    });

    it('that takes too long is retried later, and not repeated once it is there', async () => {
      tool.queueFor(8);
      await expect(bring('list', true)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 60 });
      while (tool.contact(email) === null) await sendlane.verify(bench.api, tool.credentials);
      const before = writes();
      await bring('list', true);
      expect(writes()).toBe(before);
    });

    it('lets a tag wait for the person', async () => {
      const before = writes();
      const joining = bring('list', true);
      while (writes() === before) await new Promise(setImmediate);
      await Promise.all([joining, bring('tag', true)]);
      expect(tool.holds(email)).toMatchObject({ lists: [list.id], tags: [tag.id] });
    });
  });

  describe('consent', () => {
    it('a tag creates nobody, for Sendlane accepts new people only with a list', async () => {
      await expect(bring('tag', true)).rejects.toMatchObject({ kind: 'not_found' });
      expect(tool.holds(email)).toBeNull();
    });

    it('someone who unsubscribed from everything is not resubscribed, and a tag does not change that', async () => {
      tool.addContact(email);
      tool.leave(email, null, new Date());
      const before = writes();
      await expect(bring('list', true)).rejects.toMatchObject({ kind: 'refused' });
      expect(writes()).toBe(before);
      await bring('tag', true);
      expect(tool.holds(email)).toMatchObject({ unsubscribed: true, lists: [], tags: [tag.id] });
    });

    it('someone who left one list there is not put back into it, but into another', async () => {
      const [other] = tool.addResources('lists', 1) as [Resource];
      tool.addContact(email);
      put(email, list);
      tool.leave(email, Number(list.id), new Date());
      await expect(bring('list', true)).rejects.toMatchObject({ kind: 'refused' });
      await bring('list', true, other);
      expect(tool.holds(email)?.lists).toEqual([other.id]);
    });

    it('someone who is suppressed gets nothing, and is not resubscribed', async () => {
      tool.addContact(email);
      known().suppressed = true;
      expect(await sendlane.state(bench.api, email)).toMatchObject({ known: true, unsubscribed: true });
      await expect(bring('list', true)).rejects.toMatchObject({ kind: 'refused' });
    });

    it('an unsubscribe of an unknown address suppresses it, so that nobody with it is mailed later', async () => {
      await sendlane.apply(bench.api, { type: 'global_unsubscribe', email, on: true });
      expect(tool.contact(email)).toBeNull();
      tool.addContact(email);
      expect(tool.holds(email)).toMatchObject({ unsubscribed: true });
    });

    it('leaving one list leaves the others alone', async () => {
      const [other] = tool.addResources('lists', 1) as [Resource];
      tool.addContact(email);
      put(email, list);
      put(email, other);
      await bring('list', false);
      expect(tool.holds(email)).toMatchObject({ unsubscribed: false, lists: [other.id] });
      expect((await sendlane.state(bench.api, email)).lists).toEqual([other.id]);
    });
  });

  describe('a change of address', () => {
    let to: string;

    beforeEach(() => {
      to = bench.freshEmail();
      tool.addContact(email);
    });

    it('recreates the contact with lists, tags, name and fields, and deletes the old one', async () => {
      const [field] = tool.addResources('fields', 1) as [Resource];
      put(email, list);
      known().first_name = 'Nora';
      known().tags.add(Number(tag.id));
      known().fields.set(Number(field.id), 'blue');
      await switchTo(to);
      await switchTo(to);
      expect(tool.holds(email)).toBeNull();
      expect(tool.holds(to)).toMatchObject({ lists: [list.id], tags: [tag.id] });
      expect(known(to).first_name).toBe('Nora');
      expect([...known(to).fields]).toEqual([[Number(field.id), 'blue']]);
    });

    it('to an existing contact merges both, with the opt-outs of either first', async () => {
      const [left, gone] = tool.addResources('lists', 2) as [Resource, Resource];
      tool.addContact(to);
      for (const one of [list, left, gone]) put(email, one);
      put(to, left);
      put(to, gone);
      tool.leave(email, Number(gone.id), new Date());
      tool.leave(to, Number(left.id), new Date());
      await switchTo(to);
      await switchTo(to);
      expect(tool.holds(to)).toMatchObject({ unsubscribed: false, lists: [list.id] });
      expect(tool.holds(email)).toBeNull();
    });

    it('carries an unsubscribe over to an existing contact', async () => {
      tool.addContact(to);
      tool.leave(email, null, new Date());
      await switchTo(to);
      expect(tool.holds(to)?.unsubscribed).toBe(true);
    });

    it('does not resubscribe an unsubscribed contact, and ends the old one', async () => {
      tool.addContact(to);
      tool.leave(to, null, new Date());
      put(email, list);
      await switchTo(to);
      expect(tool.holds(to)).toMatchObject({ unsubscribed: true, lists: [] });
      expect(tool.holds(email)).toBeNull();
    });

    it('of somebody without a list is left to the owner, who is told', async () => {
      await expect(switchTo(to)).rejects.toMatchObject({ kind: 'refused' });
      expect(tool.holds(email)).not.toBeNull();
      expect(tool.holds(to)).toBeNull();
    });

    it('of capitals only, or of an unknown contact, does nothing', async () => {
      const before = writes();
      await switchTo(email.toUpperCase());
      await sendlane.apply(bench.api, { type: 'switch_email', from: bench.freshEmail(), email: to });
      expect(writes()).toBe(before);
      expect(tool.holds(to)).toBeNull();
    });
  });

  describe('names', () => {
    it('of accounts come from a sender when no call names the account, or else from the tool', async () => {
      tool.trouble({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"data":[{"company":null,"from_email":"shop@acme.example"}]}',
      });
      expect(await sendlane.verify(bench.api, tool.credentials)).toMatchObject({ name: 'shop@acme.example' });
      tool.trouble({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":[]}' });
      expect(await sendlane.verify(bench.api, tool.credentials)).toEqual({
        id: 'Sendlane',
        name: 'Sendlane',
      });
    });

    it('of a list are read in both of its forms', async () => {
      const body = JSON.stringify({
        data: [
          { id: 1, list_name: 'Old' },
          { id: 2, name: 'New' },
        ],
      });
      tool.trouble({ status: 200, headers: { 'content-type': 'application/json' }, body });
      expect(await sendlane.resources(bench.api, 'lists')).toEqual([
        { id: '1', name: 'Old' },
        { id: '2', name: 'New' },
      ]);
    });

    it('of fields come without pages, and appear in emails', async () => {
      const made = tool.addResources('fields', 3);
      expect(await sendlane.resources(bench.api, 'fields')).toEqual(expect.arrayContaining(made));
      expect(sendlane.mergeTags.field({ id: '1', name: 'Colour' })).toBe("{{ contact.custom('Colour') }}");
    });
  });

  describe('reading people', () => {
    const readPage = (kind: 'lists' | 'tags', id: string, cursor: string | null) => {
      if (!sendlane.people.can) throw new Error('Sendlane tells who is in what');
      return sendlane.people.read(bench.api, kind, id, cursor);
    };
    const readAll = async (kind: 'lists' | 'tags', id: string) => {
      const found = [];
      let cursor: string | null = null;
      do {
        const page = await readPage(kind, id, cursor);
        found.push(...page.people);
        cursor = page.cursor;
      } while (cursor !== null);
      return found;
    };
    const put3 = (kind: 'lists' | 'tags', id: string) => {
      const made = (['subscribed', 'unsubscribed', 'unclear'] as const).map((state) => ({
        email: bench.freshEmail(),
        state,
      }));
      tool.addPeople?.(kind, id, made);
      return made.map((one) => one.email);
    };
    const answerOnce = (body: object) =>
      tool.trouble({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    it('of a list takes the state of the list, not that of the contact, which covers all mail', async () => {
      const [mailed, left, suppressed] = put3('lists', list.id);
      const everything = bench.freshEmail();
      tool.addPeople?.('lists', list.id, [{ email: everything, state: 'subscribed' }]);
      known(everything).subscribed = false;
      const told = { hasLeftAll: false, since: null };
      expect(await readAll('lists', list.id)).toEqual([
        { email: mailed, state: 'subscribed', ...told, since: new Date('2026-03-01T08:00:00Z') },
        { email: suppressed, state: 'unclear', ...told },
        { email: everything, state: 'unsubscribed', ...told, hasLeftAll: true },
        { email: left, state: 'unsubscribed', ...told },
      ]);
    });

    it('of a tag reports them as subscribed where they get mail at all', async () => {
      const [mailed, left, suppressed] = put3('tags', tag.id);
      const told = { hasLeftAll: false, since: null };
      expect(await readAll('tags', tag.id)).toEqual([
        { email: mailed, state: 'subscribed', ...told },
        { email: left, state: 'unsubscribed', ...told, hasLeftAll: true },
        { email: suppressed, state: 'unclear', ...told },
      ]);
    });

    it('leaves out those known only by their telephone, also without pages', async () => {
      const row = { id: 1, subscribed: true, suppressed: false };
      answerOnce({
        data: [
          { ...row, email: null },
          { ...row, email: 'a@b.example' },
        ],
      });
      expect(await readPage('tags', tag.id, null)).toMatchObject({
        people: [{ email: 'a@b.example' }],
        cursor: null,
      });
    });

    it('leaves out contacts that are deleted meanwhile', async () => {
      const row = { id: 999_999, email: 'gone@b.example', subscribed: true, suppressed: false };
      answerOnce({ data: [row], links: { next: null } });
      expect((await readPage('lists', list.id, null)).people).toEqual([]);
    });

    it('rejects another page than was requested, which would never end', async () => {
      answerOnce({ data: [], links: { next: 'more' }, meta: { current_page: 1 } });
      const reading = readPage('tags', tag.id, '{"part":"in","page":2}');
      await expect(reading).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it.each(['broken', '{"part":"out","page":1}', '{"part":"left"}'])(
      'restarts after a broken cursor (%s)',
      async (cursor) => {
        const [mailed] = put3('tags', tag.id);
        expect((await readPage('tags', tag.id, cursor)).people[0]).toMatchObject({ email: mailed });
      },
    );

    it('of a list takes no more calls for a page than a fraction of a minute allows', async () => {
      tool.addPeople?.(
        'lists',
        list.id,
        Array.from({ length: 60 }, () => ({ email: bench.freshEmail(), state: 'subscribed' as const })),
      );
      const before = tool.seen.length;
      expect((await readPage('lists', list.id, null)).people).toHaveLength(25);
      expect(tool.seen.length - before).toBeLessThanOrEqual(26);
    });
  });

  describe('a custom field', () => {
    const fill = (field: Resource) => sendlane.setField?.(bench.api, email, field, 'token');

    it('of another type than text is not offered', async () => {
      const made = ['date', 'number', 'dropdown'].map((type) => tool.addField(type).id);
      const found = (await sendlane.resources(bench.api, 'fields')).map(({ id }) => id);
      expect(found.filter((id) => made.includes(id))).toEqual([]);
    });

    it('is filled without writing a list, by the number of the field', async () => {
      const [field] = tool.addResources('fields', 1) as [Resource];
      tool.addContact(email);
      await fill(field);
      expect(tool.seen.at(-1)).toMatchObject({
        method: 'POST',
        url: expect.stringMatching(/^\/contacts\/\d+\/custom-fields$/),
        body: { custom_fields: [{ id: Number(field.id), value: 'token' }] },
      });
    });

    it('that is missing is reported', async () => {
      const [field] = tool.addResources('fields', 1) as [Resource];
      tool.removeField(field);
      tool.addContact(email);
      await expect(fill(field)).rejects.toMatchObject({
        kind: 'not_found',
        message: expect.stringContaining(field.name),
      });
    });
  });

  describe('polling Sendlane', () => {
    const at = (time: string): ToolApi => ({ ...bench.api, now: () => new Date(time) });
    const { inbound } = sendlane;
    if (inbound.kind !== 'poll') throw new Error('unreachable');

    it('starts from now on', async () => {
      tool.addContact(email);
      tool.leave(email, null, new Date('2026-11-20T09:00:00Z'));
      expect(await inbound.poll(at('2026-11-20T10:00:00.500Z'), null)).toEqual({
        events: [],
        cursor: '2026-11-20T09:50:00Z',
      });
    });

    it('reports each change once, from everything and from a list, over all pages', async () => {
      const many = Array.from({ length: 120 }, () => bench.freshEmail());
      for (const one of many) {
        tool.addContact(one);
        tool.leave(one, null, new Date('2026-11-20T11:55:00Z'));
      }
      tool.addContact(email);
      put(email, list);
      tool.leave(email, Number(list.id), new Date('2026-11-20T11:59:59Z'));
      const first = await inbound.poll(at('2026-11-20T12:10:00Z'), '2026-11-20T11:50:00Z');
      expect(first.cursor).toBe('2026-11-20T12:00:00Z');
      const everything = first.events.filter(({ kind }) => kind === 'unsubscribed');
      expect(everything.map((event) => event.email)).toEqual(many);
      expect(first.events.filter(({ kind }) => kind === 'list_unsubscribed')).toEqual([
        expect.objectContaining({ email, resource: list.id, at: new Date('2026-11-20T12:00:00Z') }),
      ]);
      expect((await inbound.poll(at('2026-11-20T12:25:00Z'), first.cursor)).events).toEqual([]);
    });

    it('gives the same id when the same time is polled again', async () => {
      tool.addContact(email);
      tool.leave(email, null, new Date('2026-11-20T13:00:00Z'));
      const idsOf = async (now: string) =>
        (await inbound.poll(at(now), '2026-11-20T12:55:00Z')).events.map(({ id }) => id);
      const ids = await idsOf('2026-11-20T13:15:00Z');
      expect(ids).toHaveLength(1);
      expect(await idsOf('2026-11-20T13:40:00Z')).toEqual(ids);
    });

    it('reports only those who have an address', async () => {
      const data = [
        { id: 1, email: null },
        { id: 2, email: 'a@b.example' },
      ];
      tool.trouble({ status: 200, body: JSON.stringify({ data, links: { next: null } }) });
      const { events } = await inbound.poll(at('2026-11-20T15:10:00Z'), '2026-11-20T14:50:00Z');
      expect(events.map((event) => event.email)).toEqual(['a@b.example']);
    });

    it('loses one row that it cannot read, and no other', async () => {
      const data = [
        { id: null, email: 'odd@b.example' },
        { id: 2, email: 'a@b.example' },
      ];
      tool.trouble({ status: 200, body: JSON.stringify({ data, links: { next: null } }) });
      const { events } = await inbound.poll(at('2026-11-20T16:10:00Z'), '2026-11-20T15:50:00Z');
      expect(events.map((event) => event.email)).toEqual(['a@b.example']);
    });

    it('is postponed until changes can show', async () => {
      const early = await inbound.poll(at('2026-11-20T14:05:00Z'), '2026-11-20T14:00:00Z');
      expect(early).toEqual({ events: [], cursor: '2026-11-20T14:00:00Z' });
    });
  });
});

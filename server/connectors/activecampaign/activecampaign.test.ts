import { expect, it } from 'vitest';
import { describeConnector } from '#test/connectors/suite.ts';
import { type ActivecampaignFake, startActivecampaignFake } from '#test/fakes/tools/activecampaign.ts';
import type { ConnectorError, Resource, ResourceKind } from '../connector.ts';
import { activecampaign } from './index.ts';

let fake: ActivecampaignFake;

function one(kind: ResourceKind): Resource {
  const [made] = fake.addResources(kind, 1);
  if (made === undefined) throw new Error('The fake made nothing');
  return made;
}

/** Calls that write, since a moment. */
function writes(since: number): string[] {
  const made = fake.seen.slice(since).filter(({ method }) => method !== 'GET');
  return made.map(({ method, url }) => `${method} ${url.replace(/\/\d+$/, '/:id')}`);
}

const webhook = (fields: Record<string, string>) => ({
  headers: {},
  rawBody: Buffer.from(new URLSearchParams(fields).toString()),
});

const LEFT = {
  type: 'unsubscribe',
  date_time: '2026-01-02T03:04:05-06:00',
  initiated_from: 'public',
  initiated_by: 'public',
  list: '1',
  'contact[id]': '42',
  'contact[email]': 'a@b.c',
  'contact[first_name]': 'A',
  'contact[tags]': 'x, y',
  'unsubscribe[reason]': '',
  'campaign[id]': '7',
};

const startFake = async () => {
  fake = await startActivecampaignFake();
  return fake;
};

const particulars = { manyResources: 130, manyPeople: 101, failures: { '503': 'rate_limited' } } as const;

describeConnector(activecampaign, startFake, particulars, (bench) => {
  const { apply, state, inbound } = activecampaign;
  const events = (fields: Record<string, string>) =>
    inbound.kind === 'webhook' ? inbound.parse(webhook(fields)) : [];
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error as ConnectorError,
    );

  it('accepts the API URL with and without its path, and nothing that is not a URL', () => {
    const [{ pattern } = { pattern: /^$/ }] = activecampaign.credentials;
    for (const api_url of ['https://acme.api-us1.com', 'https://acme.api-us1.com/api/3/']) {
      expect(api_url).toMatch(pattern);
      const connected = activecampaign.connect({ api_url, api_key: 'key' });
      expect(connected.baseUrl).toBe('https://acme.api-us1.com/api/3');
    }
    for (const bad of ['acme', 'http://acme.api-us1.com', 'https://a@b.com', 'https://acme.com/x']) {
      expect(bad).not.toMatch(pattern);
    }
  });

  it('treats a 503 as throttling, with its delay', async () => {
    fake.trouble({ status: 503, headers: { 'retry-after': '30' }, body: '{}' });
    const error = await errorOf(activecampaign.verify(bench.api, bench.fake.credentials));
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 30 });
  });

  it('refuses to resubscribe someone who left a list through an email, and keeps them out', async () => {
    const email = bench.freshEmail();
    const target = one('lists');
    fake.leavesByLink(email, target.id);
    const from = fake.seen.length;
    const error = await errorOf(apply(bench.api, { type: 'list', email, target, on: true }));
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error?.message).toMatch(/Only they can resubscribe/);
    expect(writes(from)).toEqual([]);
    expect(fake.holds(email)?.lists).toEqual([]);
  });

  it('lets a list that was left here be joined again, with the source for returning contacts', async () => {
    const email = bench.freshEmail();
    const target = one('lists');
    for (const on of [true, false, true]) await apply(bench.api, { type: 'list', email, target, on });
    expect(fake.holds(email)?.lists).toEqual([target.id]);
    expect(fake.seen.at(-1)?.body).toMatchObject({
      contactList: { list: Number(target.id), status: 1, sourceid: 4 },
    });
  });

  it('does not touch an opt-out by tags and automations', async () => {
    const email = bench.freshEmail();
    fake.leavesByLink(email, one('lists').id);
    await apply(bench.api, { type: 'tag', email, target: one('tags'), on: true });
    await apply(bench.api, { type: 'automation', email, target: one('automations'), on: true });
    expect(fake.holds(email)).toMatchObject({ unsubscribed: true, lists: [] });
  });

  it('offers only contact tags, and never creates one', async () => {
    const template = fake.addTemplateTag();
    const tags = await activecampaign.resources(bench.api, 'tags');
    expect(tags.map(({ id }) => id)).not.toContain(template.id);
    await apply(bench.api, { type: 'tag', email: bench.freshEmail(), target: one('tags'), on: true });
    expect(fake.seen.filter(({ method, url }) => method === 'POST' && url.endsWith('/tags'))).toEqual([]);
  });

  it('does not reactivate a bounced list', async () => {
    const email = bench.freshEmail();
    const target = one('lists');
    fake.setStatus(email, target.id, '3');
    const error = await errorOf(apply(bench.api, { type: 'list', email, target, on: true }));
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error?.message).toMatch(/after a bounce/);
  });

  it('shares the limit between all keys of an account', () => {
    const accounts = [
      { api_url: 'https://ACME.api-us1.com/api/3', api_key: 'one' },
      { api_url: 'https://acme.api-us1.com', api_key: 'two' },
    ];
    expect(accounts.map((credentials) => activecampaign.accountOf?.(credentials))).toEqual([
      'acme.api-us1.com',
      'acme.api-us1.com',
    ]);
  });

  it('treats an automation that the person leaves meanwhile (403 for its row) as stopped', async () => {
    const email = bench.freshEmail();
    const target = one('automations');
    await apply(bench.api, { type: 'automation', email, target, on: true });
    const found = await bench.api.call({ method: 'GET', path: '/contacts', query: { email } });
    fake.trouble({ status: 200, body: found.text });
    const row = { id: '999999', automation: target.id, status: '1', completed: 0 };
    fake.trouble({ status: 200, body: JSON.stringify({ contactAutomations: [row] }) });
    await apply(bench.api, { type: 'automation', email, target, on: false });
    expect(fake.seen.at(-1)).toMatchObject({ method: 'DELETE', url: '/api/3/contactAutomations/999999' });
  });

  it('asks for another key on a 403 for a missing permission, but not on one for an inactive automation', async () => {
    const detail = 'You do not have permission to view lists.';
    const body = JSON.stringify({ errors: [{ status: 403, title: 'Forbidden', detail }] });
    fake.trouble({ status: 403, headers: { 'content-type': 'text/plain' }, body });
    const missing = await errorOf(activecampaign.resources(bench.api, 'lists'));
    expect(missing).toMatchObject({ kind: 'bad_credentials' });
    expect(missing?.message).toMatch(/permission/);

    const target = one('automations');
    fake.deactivate(target.id);
    const email = bench.freshEmail();
    const off = await errorOf(apply(bench.api, { type: 'automation', email, target, on: true }));
    expect(off).toMatchObject({ kind: 'refused' });
  });

  it('starts nobody twice in an automation, not even after its end', async () => {
    const email = bench.freshEmail();
    const target = one('automations');
    const start = () => apply(bench.api, { type: 'automation', email, target, on: true });
    await start();
    await start();
    fake.finishes(email, target.id);
    await start();
    expect(fake.runs(email)).toBe(1);
    expect((await state(bench.api, email)).automations).toEqual([]);
  });

  it('removes a tag by the id that binds it to the person', async () => {
    const email = bench.freshEmail();
    const [target, other] = [one('tags'), one('tags')];
    for (const tag of [target, other]) {
      await apply(bench.api, { type: 'tag', email, target: tag, on: true });
    }
    await apply(bench.api, { type: 'tag', email, target, on: false });
    expect(fake.holds(email)?.tags).toEqual([other.id]);
  });

  it('reports a tag that was deleted in the tool as missing', async () => {
    const target = { id: '999999', name: 'Gone' };
    const email = bench.freshEmail();
    const error = await errorOf(apply(bench.api, { type: 'tag', email, target, on: true }));
    expect(error).toMatchObject({ kind: 'not_found' });
  });

  it('reads and leaves every list of somebody who is in more lists than a page holds', async () => {
    const email = bench.freshEmail();
    const lists = fake.addResources('lists', 120);
    for (const { id } of lists) fake.setStatus(email, id, '1');
    expect((await state(bench.api, email)).lists).toHaveLength(120);
    await apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    expect(fake.holds(email)).toMatchObject({ unsubscribed: true, lists: [] });
    const from = fake.seen.length;
    await apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    expect(writes(from)).toEqual([]);
  });

  it('treats someone on the exclusion list as receiving nothing', async () => {
    const email = bench.freshEmail();
    fake.setStatus(email, one('lists').id, '1');
    expect(await state(bench.api, email)).toMatchObject({ unsubscribed: false });
    fake.exclude(email);
    expect(await state(bench.api, email)).toMatchObject({ unsubscribed: true });
  });

  it('creates no one for an unsubscribe of an unknown address', async () => {
    const email = bench.freshEmail();
    await apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    expect(fake.holds(email)).toBeNull();
  });

  it('changes an address on the contact itself, never through a sync', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.addContact(from);
    const since = fake.seen.length;
    await apply(bench.api, { type: 'switch_email', from, email });
    expect(writes(since)).toEqual(['PUT /api/3/contacts/:id']);
    expect(fake.holds(from)).toBeNull();
  });

  it('creates no one for a change of an unknown address', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    await apply(bench.api, { type: 'switch_email', from, email });
    expect(fake.holds(email)).toBeNull();
  });

  it('survives a change of only the case', async () => {
    const from = bench.freshEmail();
    const target = one('lists');
    await apply(bench.api, { type: 'list', email: from, target, on: true });
    await apply(bench.api, { type: 'switch_email', from, email: from.toUpperCase() });
    expect(fake.holds(from)?.lists).toEqual([target.id]);
  });

  it('merges both contacts where the new address exists: the opt-out wins, and the old contact is deleted', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const [both, onlyOld, left, leftThere] = [one('lists'), one('lists'), one('lists'), one('lists')];
    const tag = one('tags');
    for (const list of [both, onlyOld, leftThere]) fake.setStatus(from, list.id, '1');
    fake.leavesByLink(from, left.id);
    for (const list of [both, left]) fake.setStatus(email, list.id, '1');
    fake.leavesByLink(email, leftThere.id);
    await apply(bench.api, { type: 'tag', email: from, target: tag, on: true });
    const move = () => apply(bench.api, { type: 'switch_email', from, email });
    await move();
    const after = { lists: [both.id, onlyOld.id], tags: [tag.id], unsubscribed: false };
    expect(fake.holds(email)).toMatchObject(after);
    expect(fake.holds(from)).toBeNull();
    await move();
    expect(fake.holds(email)).toMatchObject(after);
  });

  it('merges them also where the new address appears during the change', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const target = one('lists');
    fake.setStatus(from, target.id, '1');
    fake.addContact(email);
    // The first two answers: the old contact is found, the new one not yet.
    const found = await bench.api.call({ method: 'GET', path: '/contacts', query: { email: from } });
    fake.trouble({ status: 200, body: found.text });
    fake.trouble({ status: 200, body: '{"contacts":[]}' });
    await apply(bench.api, { type: 'switch_email', from, email });
    expect(fake.holds(email)?.lists).toEqual([target.id]);
    expect(fake.holds(from)).toBeNull();
  });

  it('keeps someone who had left everything out under both addresses', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const target = one('lists');
    fake.leavesByLink(from, target.id);
    fake.setStatus(email, target.id, '1');
    await apply(bench.api, { type: 'switch_email', from, email });
    for (const address of [from, email]) expect(fake.holds(address)?.unsubscribed).toBe(true);
  });

  const readPeople = (kind: 'lists' | 'tags', id: string, cursor: string | null = null) => {
    if (!activecampaign.people.can) throw new Error('ActiveCampaign tells who is in what');
    return activecampaign.people.read(bench.api, kind, id, cursor);
  };
  const person = (state: 'subscribed' | 'unsubscribed' | 'unclear', kind: 'lists' | 'tags', id: string) => {
    const email = bench.freshEmail();
    fake.addPeople?.(kind, id, [{ email, state }]);
    return email;
  };

  it('reads the people of a list with their state in this list and since when, with its zone', async () => {
    const [list, other] = [one('lists'), one('lists')];
    const [here, left] = [person('subscribed', 'lists', list.id), person('unsubscribed', 'lists', list.id)];
    // Active only in another list: a filter by status would have them as active.
    const elsewhere = person('unsubscribed', 'lists', list.id);
    fake.setStatus(elsewhere, other.id, '1');
    const bounced = bench.freshEmail();
    fake.setStatus(bounced, list.id, '3');
    fake.leavesByLink(left, list.id);
    const { people } = await readPeople('lists', list.id);
    expect(people).toEqual([
      { email: here, state: 'subscribed', hasLeftAll: false, since: new Date('2021-04-08T16:17:44Z') },
      { email: left, state: 'unsubscribed', hasLeftAll: true, since: new Date('2021-05-12T16:10:06Z') },
      { email: elsewhere, state: 'unsubscribed', hasLeftAll: false, since: null },
      { email: bounced, state: 'unclear', hasLeftAll: false, since: null },
    ]);
  });

  it('reads people by ids, so that nobody is skipped while others are removed (offsets)', async () => {
    const list = one('lists');
    const made = Array.from({ length: 150 }, () => bench.freshEmail());
    fake.addPeople?.(
      'lists',
      list.id,
      made.map((email) => ({ email, state: 'subscribed' })),
    );
    const first = await readPeople('lists', list.id);
    const [gone = ''] = made;
    const { body } = await bench.api.call({ method: 'GET', path: '/contacts', query: { email: gone } });
    const [{ id }] = (body as { contacts: [{ id: string }] }).contacts;
    await bench.api.call({ method: 'DELETE', path: `/contacts/${id}` });
    const second = await readPeople('lists', list.id, first.cursor);
    expect([...first.people, ...second.people].map(({ email }) => email)).toEqual(made);
    expect(second.cursor).toBeNull();
    expect(fake.seen.some(({ url }) => url.includes('listid=') && url.includes('offset='))).toBe(false);
  });

  it.each(['broken', '{"after":-1}', '{"after":"x"}', '[]'])(
    'restarts after a broken cursor (%s)',
    async (cursor) => {
      const list = one('lists');
      const email = person('subscribed', 'lists', list.id);
      expect((await readPeople('lists', list.id, cursor)).people).toMatchObject([{ email }]);
    },
  );

  it('never reads someone on the exclusion list as subscribed', async () => {
    const [list, other] = [one('lists'), one('lists')];
    const of = () => person('subscribed', 'lists', list.id);
    const [all, here, elsewhere, domain, deleted, kept] = [of(), of(), of(), of(), of(), of()];
    fake.exclude(all.toUpperCase());
    fake.exclude(here, { list: list.id });
    fake.exclude(elsewhere, { list: other.id });
    fake.exclude(domain.slice(2), { matchType: 'end' });
    fake.markDeleted(deleted);
    expect((await readPeople('lists', list.id)).people).toMatchObject([
      { email: all, state: 'unsubscribed', hasLeftAll: true },
      { email: here, state: 'unsubscribed', hasLeftAll: false },
      { email: elsewhere, state: 'subscribed', hasLeftAll: false },
      { email: domain, state: 'unclear', hasLeftAll: false },
      { email: deleted, state: 'unclear', hasLeftAll: false },
      { email: kept, state: 'subscribed', hasLeftAll: false },
    ]);
  });

  it('reads people even if the user of the key may not see exclusions', async () => {
    const list = one('lists');
    const email = person('subscribed', 'lists', list.id);
    const forbidden = JSON.stringify({ errors: [{ status: 403, title: 'Forbidden', detail: 'permission' }] });
    const page = await bench.api.call({
      method: 'GET',
      path: '/contacts',
      query: { listid: list.id, include: 'contactLists' },
    });
    fake.trouble({ status: 200, body: page.text });
    fake.trouble({ status: 403, body: forbidden });
    expect((await readPeople('lists', list.id)).people).toMatchObject([{ email, state: 'subscribed' }]);
  });

  it('does not treat a tag as consent: subscribed are only those who are active on a list', async () => {
    const tag = one('tags');
    const [mailed, left] = [person('subscribed', 'tags', tag.id), person('unsubscribed', 'tags', tag.id)];
    const unconfirmed = person('unclear', 'tags', tag.id);
    const nowhere = bench.freshEmail();
    await apply(bench.api, { type: 'tag', email: nowhere, target: tag, on: true });
    expect((await readPeople('tags', tag.id)).people).toMatchObject([
      { email: mailed, state: 'subscribed', hasLeftAll: false },
      { email: left, state: 'unsubscribed', hasLeftAll: true },
      { email: unconfirmed, state: 'unclear', hasLeftAll: false },
      { email: nowhere, state: 'unclear', hasLeftAll: false },
    ]);
  });

  it('sets a field by its number, offers it in emails by its tag, and accepts text fields only', async () => {
    const field = one('fields');
    const date = fake.addField('date');
    const found = (await activecampaign.resources(bench.api, 'fields')).map(({ id }) => id);
    expect(found).toContain(field.id);
    expect(found).not.toContain(date.id);
    const named = { id: '12:SAYSO_LINK', name: 'Link to the preferences' };
    expect(activecampaign.mergeTags.field(named)).toBe('%SAYSO_LINK%');
  });

  it('fills a field without a sync or writing a list, which would reactivate people', async () => {
    const [list, field] = [one('lists'), one('fields')];
    const email = bench.freshEmail();
    fake.leavesByLink(email, list.id);
    const since = fake.seen.length;
    await activecampaign.setField?.(bench.api, email, field, 'token');
    expect(writes(since)).toEqual(['PUT /api/3/contacts/:id']);
    expect(fake.fieldOf?.(email, field)).toBe('token');
    expect(fake.holds(email)).toMatchObject({ unsubscribed: true, lists: [] });
  });

  it('counts a field as filled even where the answer leaves it out', async () => {
    const field = one('fields');
    const email = bench.freshEmail();
    fake.addContact(email);
    await activecampaign.setField?.(bench.api, email, field, 'token');
    const found = await bench.api.call({ method: 'GET', path: '/contacts', query: { email } });
    fake.trouble({ status: 200, body: found.text });
    fake.trouble({ status: 200, body: '{"contact":{}}' });
    await activecampaign.setField?.(bench.api, email, field, 'token');
  });

  it.each(['the number of', 'the form of'])('reports a missing field, by %s it', async (what) => {
    const made = one('fields');
    fake.removeField(made);
    const field = what === 'the number of' ? made : { id: 'LINK', name: made.name };
    const email = bench.freshEmail();
    fake.addContact(email);
    const error = await errorOf(
      activecampaign.setField?.(bench.api, email, field, 'token') ?? Promise.resolve(),
    );
    expect(error).toMatchObject({ kind: 'not_found' });
    expect(error?.message).toContain(made.name);
  });

  it('inbound: treats an unsubscribe in brackets as one from its list, with the same id when repeated', () => {
    const [event] = events(LEFT);
    expect(event).toMatchObject({ kind: 'list_unsubscribed', email: 'a@b.c', resource: '1' });
    expect(event?.at).toEqual(new Date('2026-01-02T09:04:05Z'));
    expect(events(LEFT)).toEqual([event]);
    expect(events({ ...LEFT, date_time: '2026-01-02T03:04:06-06:00' })[0]?.id).not.toBe(event?.id);
  });

  it('inbound: treats an unsubscribe from several lists as one event for each', () => {
    const several = { ...LEFT, list: '0', 'list[0][id]': '3', 'list[1][id]': '4' };
    expect(events(several).map(({ resource }) => resource)).toEqual(['3', '4']);
    expect(new Set(events(several).map(({ id }) => id)).size).toBe(2);
    expect(events({ ...LEFT, list: '0' })).toMatchObject([{ kind: 'unsubscribed' }]);
  });

  it('inbound: handles subscribes and hard bounces, but neither soft ones nor contact updates', () => {
    expect(events({ ...LEFT, type: 'subscribe' })).toMatchObject([
      { kind: 'list_subscribed', resource: '1' },
    ]);
    expect(events({ ...LEFT, type: 'bounce', 'bounce[type]': 'hard' })).toMatchObject([{ kind: 'bounced' }]);
    expect(events({ ...LEFT, type: 'bounce', 'bounce[type]': 'soft' })).toEqual([]);
    expect(events({ ...LEFT, type: 'update' })).toEqual([]);
  });

  it('inbound: expects no signature, and rejects whatever is not a webhook of the tool', () => {
    if (inbound.kind !== 'webhook') throw new Error('unreachable');
    expect(inbound.isGenuine(webhook(LEFT), 'secret', new Date())).toBe(true);
    expect(() => events({ hello: 'world' })).toThrow(expect.objectContaining({ kind: 'refused' }));
    const json = { headers: {}, rawBody: Buffer.from('{"type":"unsubscribe"}') };
    expect(() => inbound.parse(json)).toThrow(expect.objectContaining({ kind: 'refused' }));
  });
});

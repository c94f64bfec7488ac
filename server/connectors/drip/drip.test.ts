import { afterEach, describe, expect, it } from 'vitest';
import { describeConnector } from '#test/connectors/suite.ts';
import { type DripFake, startDripFake } from '#test/fakes/tools/drip.ts';
import type { Consent, ConnectorError, Resource, ResourceKind } from '../connector.ts';
import { drip } from './index.ts';

let fake: DripFake;

function one(kind: ResourceKind): Resource {
  const [made] = fake.addResources(kind, 1);
  if (made === undefined) throw new Error('The fake made nothing');
  return made;
}

/** Calls that write, since a moment. */
function writes(since: number): unknown[] {
  return fake.seen.slice(since).filter(({ method }) => method !== 'GET');
}

const webhook = (event: string, properties: object = {}, occurred_at = '2013-06-21T10:31:58Z') => ({
  headers: {},
  rawBody: Buffer.from(
    JSON.stringify({
      event,
      data: {
        account_id: '9999999',
        subscriber: { id: 'z1togz2hcjrkpp5treip', email: 'john@acme.com', status: 'active', tags: [] },
        properties,
      },
      occurred_at,
    }),
  ),
});

const startFake = async () => {
  fake = await startDripFake();
  return fake;
};

describeConnector(drip, startFake, { manyResources: 230, manyPeople: 501 }, (bench) => {
  const { apply, state, inbound } = drip;
  const events = (...body: Parameters<typeof webhook>) =>
    inbound.kind === 'webhook' ? inbound.parse(webhook(...body)) : [];
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error as ConnectorError,
    );

  afterEach(() => fake.setMarketingOnly(false));

  it('sends the token with an empty password, and the product’s name', async () => {
    await drip.verify(bench.api, fake.credentials);
    const { headers, url } = fake.seen.at(-1) ?? {};
    const [, basic = ''] = headers?.['authorization']?.split(' ') ?? [];
    expect(Buffer.from(basic, 'base64').toString()).toBe(`${fake.credentials['api_token']}:`);
    expect(headers?.['user-agent']).toMatch(/^Sayso/);
    expect(url).toBe('/v2/accounts');
  });

  it('uses the account with the given ID out of several, and reports an ID without one', async () => {
    const other = { ...fake.credentials, account_id: '1111111' };
    expect(await drip.verify(bench.api, other)).toEqual({
      id: '1111111',
      name: 'Another of the same owner',
    });
    const none = await errorOf(drip.verify(bench.api, { ...fake.credentials, account_id: '2222222' }));
    expect(none).toMatchObject({ kind: 'bad_credentials' });
  });

  it('does not reactivate an inactive person, and tells the owner who can', async () => {
    fake.setMarketingOnly(true);
    const email = bench.freshEmail();
    fake.unsubscribesByLink(email);
    const back = await errorOf(apply(bench.api, { type: 'global_unsubscribe', email, on: false }));
    expect(back).toMatchObject({ kind: 'refused' });
    expect(back?.message).toMatch(/a Drip form/);
    const tag = await errorOf(apply(bench.api, { type: 'tag', email, target: one('tags'), on: true }));
    expect(tag).toMatchObject({ kind: 'refused' });
    await apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    expect(fake.holds(email)).toMatchObject({ unsubscribed: true, tags: [] });
  });

  it('keeps an inactive person who changes the address out under the new one', async () => {
    fake.setMarketingOnly(true);
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    fake.unsubscribesByLink(from);
    const move = () => apply(bench.api, { type: 'switch_email', from, email });
    await move();
    await move();
    expect(fake.holds(email)?.unsubscribed).toBe(true);
    expect(fake.holds(from)?.unsubscribed).toBe(true);
  });

  const readTag = (id: string, cursor: string | null = null) => {
    if (!drip.people.can) throw new Error('Drip tells who has a tag');
    return drip.people.read(bench.api, 'tags', id, cursor);
  };
  const tagged = (state: 'subscribed' | 'unsubscribed' | 'unclear', tag: string) => {
    const email = bench.freshEmail();
    fake.addPeople?.('tags', tag, [{ email, state }]);
    return email;
  };

  it('reads the people of a tag in every status (searches default to active)', async () => {
    const tag = one('tags').id;
    const [mailed, left] = [tagged('subscribed', tag), tagged('unsubscribed', tag)];
    const [undeliverable, denied] = [tagged('unclear', tag), tagged('subscribed', tag)];
    fake.denyConsent(denied);
    const told = { hasLeftAll: false, since: null };
    expect(await readTag(tag)).toEqual({
      people: [
        { email: mailed, state: 'subscribed', ...told },
        { email: left, state: 'unsubscribed', ...told, hasLeftAll: true },
        { email: undeliverable, state: 'unclear', ...told },
        { email: denied, state: 'unclear', ...told },
      ],
      cursor: null,
    });
  });

  it('refuses a tag with a comma, for Drip would return the people of others', async () => {
    tagged('subscribed', 'news');
    tagged('subscribed', 'news, weekly');
    const error = await errorOf(readTag('news, weekly'));
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error?.message).toMatch(/comma/);
  });

  it('skips people without the tag, and those without an address', async () => {
    const row = (id: string, email: string | null, tags: string[]) => ({ id, email, tags, status: 'active' });
    const subscribers = [row('1', 'a@b.c', ['VIP']), row('2', 'd@e.f', ['vip']), row('3', null, ['VIP'])];
    fake.trouble({ status: 200, body: JSON.stringify({ meta: { total_pages: 1 }, subscribers }) });
    expect((await readTag('VIP')).people.map(({ email }) => email)).toEqual(['a@b.c']);
  });

  it.each(['broken', '{"page":0}', '{"page":"2"}', 'null'])(
    'restarts after a broken cursor (%s)',
    async (cursor) => {
      const tag = one('tags').id;
      const email = tagged('subscribed', tag);
      expect((await readTag(tag, cursor)).people).toMatchObject([{ email }]);
    },
  );

  it('sets a field by the id of a person, without a status, and once', async () => {
    const [email, field] = [bench.freshEmail(), one('fields')];
    fake.unsubscribesByLink(email);
    const since = fake.seen.length;
    const fill = () => drip.setField?.(bench.api, email, field, 'token');
    await fill();
    await fill();
    expect(writes(since)).toMatchObject([
      { body: { subscribers: [{ id: expect.any(String), custom_fields: { [field.id]: 'token' } }] } },
    ]);
    const [{ body }] = writes(since) as [{ body: { subscribers: [object] } }];
    expect(Object.keys(body.subscribers[0]).toSorted()).toEqual(['custom_fields', 'id']);
    expect(fake.holds(email)?.unsubscribed).toBe(true);
    expect(drip.mergeTags.field({ id: 'sayso_link', name: 'sayso_link' })).toBe(
      '{{ subscriber.sayso_link }}',
    );
  });

  it('reports a missing field, and does not create it again', async () => {
    const [email, field] = [bench.freshEmail(), one('fields')];
    fake.addContact(email);
    fake.removeField(field);
    const error = await errorOf(drip.setField?.(bench.api, email, field, 'token') ?? Promise.resolve());
    expect(error).toMatchObject({ kind: 'not_found' });
    expect((await drip.resources(bench.api, 'fields')).map(({ id }) => id)).not.toContain(field.id);
  });

  it('cannot fill a field of an inactive person, and tells the owner why', async () => {
    fake.setMarketingOnly(true);
    const [email, field] = [bench.freshEmail(), one('fields')];
    fake.unsubscribesByLink(email);
    const error = await errorOf(drip.setField?.(bench.api, email, field, 'token') ?? Promise.resolve());
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error?.message).toMatch(/a Drip form/);
  });

  it('creates an unknown person by a tag without overriding anything, and never reactivates one who left', async () => {
    const [email, gone] = [bench.freshEmail(), bench.freshEmail()];
    const target = one('tags');
    const since = fake.seen.length;
    await apply(bench.api, { type: 'tag', email, target, on: true });
    expect(writes(since)).toMatchObject([
      { body: { subscribers: [{ email, initial_status: 'active' }] } },
      { body: { tags: [{ email, tag: target.id }] } },
    ]);
    fake.unsubscribesByLink(gone);
    await apply(bench.api, { type: 'tag', email: gone, target, on: true });
    expect(fake.holds(gone)).toMatchObject({ unsubscribed: true, tags: [target.id] });
  });

  it.each(['funnel', 'automation'] as const)('starts no %s for someone who left all mail', async (type) => {
    const email = bench.freshEmail();
    fake.unsubscribesByLink(email);
    const target = one(type === 'funnel' ? 'funnels' : 'automations');
    const since = fake.seen.length;
    const error = await errorOf(apply(bench.api, { type, email, target, on: true }));
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error?.message).toMatch(/unsubscribed from all emails/);
    expect(writes(since)).toEqual([]);
    expect(fake.holds(email)?.unsubscribed).toBe(true);
  });

  it('does not restart a campaign that the person left, but one that was stopped here', async () => {
    const email = bench.freshEmail();
    const [left, stopped] = [one('funnels'), one('funnels')];
    const set = (target: Resource, on: boolean) => apply(bench.api, { type: 'funnel', email, target, on });
    await set(left, true);
    fake.leavesByLink(email, left.id);
    expect(await errorOf(set(left, true))).toMatchObject({ kind: 'refused' });
    for (const on of [true, false, true]) await set(stopped, on);
    expect(fake.holds(email)?.funnels).toEqual([stopped.id]);
  });

  describe('a campaign that asks for a confirmation', () => {
    const said = { at: '2026-11-20T09:05:00.000Z', ip: '198.51.100.0', language: 'de' };
    const asking = () => {
      const target = one('funnels');
      fake.asksToConfirm(target.id);
      return target;
    };
    const join = (email: string, target: Resource, consent?: Consent) =>
      apply(bench.api, { type: 'funnel', email, target, on: true, ...(consent && { consent }) });

    it('asks an unconfirmed person once, and lets them leave before they answer', async () => {
      const [email, target] = [bench.freshEmail(), asking()];
      await join(email, target, { isConfirmed: false, said });
      expect(await state(bench.api, email)).toMatchObject({ funnels: [], awaited: [target.id] });
      const since = fake.seen.length;
      await join(email, target, { isConfirmed: false, said });
      expect(writes(since)).toEqual([]);
      await apply(bench.api, { type: 'funnel', email, target, on: false });
      expect(await state(bench.api, email)).toMatchObject({ funnels: [], awaited: [] });
    });

    it('adds a person who confirmed here without asking again', async () => {
      const [email, target] = [bench.freshEmail(), asking()];
      await join(email, target);
      await join(email, target, {
        isConfirmed: true,
        said,
        confirmed: { at: '2026-11-20T10:00:00.000Z', ip: null },
      });
      expect(await state(bench.api, email)).toMatchObject({ funnels: [target.id], awaited: [] });
    });
  });

  it('stores the time and place of a consent, and leaves an unknown consent unknown', async () => {
    const [given, unknown] = [bench.freshEmail(), bench.freshEmail()];
    const target = one('funnels');
    const said = { at: '2026-11-20T09:05:00.000Z', ip: '198.51.100.0', language: 'de' };
    const join = { type: 'funnel', target, on: true } as const;
    await apply(bench.api, { ...join, email: given, consent: { isConfirmed: false, said } });
    await apply(bench.api, { ...join, email: unknown, consent: { isConfirmed: false } });
    expect(fake.consentOf(given)).toEqual({
      eu_consent: 'granted',
      message:
        'Chosen on the preference page on 2026-11-20 09:05 UTC from 198.51.100.0, in the language "de"',
    });
    expect(fake.consentOf(unknown)).toMatchObject({ eu_consent: 'unknown' });
  });

  it('leaves other campaigns as they are when it stops one', async () => {
    const email = bench.freshEmail();
    const [target, other] = [one('funnels'), one('funnels')];
    for (const campaign of [target, other]) {
      await apply(bench.api, { type: 'funnel', email, target: campaign, on: true });
    }
    await apply(bench.api, { type: 'funnel', email, target, on: false });
    expect(fake.holds(email)?.funnels).toEqual([other.id]);
  });

  it('never sends a batch', () => {
    expect(fake.seen.filter(({ url }) => url.includes('batches'))).toEqual([]);
  });

  it('retries simultaneous writes to one person soon, and the hourly limit later', async () => {
    const busy = { message: 'Too many concurrent requests for the same subscriber' };
    fake.trouble({ status: 429, body: JSON.stringify(busy) });
    const soon = await errorOf(state(bench.api, bench.freshEmail()));
    expect(soon).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 2 });
    const full = { message: 'API rate limit exceeded. Please try again in an hour.', documentation: '' };
    fake.trouble({ status: 429, body: JSON.stringify(full) });
    const later = await errorOf(state(bench.api, bench.freshEmail()));
    expect(later).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 3600 });
  });

  it('recognizes people who left all mail as well', async () => {
    const email = bench.freshEmail();
    fake.unsubscribesByLink(email);
    expect(await state(bench.api, email)).toMatchObject({ known: true, unsubscribed: true });
  });

  it('creates no one for a change of an unknown address', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    await apply(bench.api, { type: 'switch_email', from, email });
    expect(fake.holds(email)).toBeNull();
  });

  it('keeps the names of tags as they are typed, with special characters of every kind', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    const set = (name: string, on: boolean) =>
      apply(bench.api, { type: 'tag', email, target: { id: name, name }, on });
    for (const name of ['News & more/100%', 'news', 'News']) await set(name, true);
    await set('News & more/100%', false);
    await set('news', false);
    expect(fake.holds(email)?.tags).toEqual(['News']);
  });

  it('refuses a workflow that is not active with an explanation, since Drip stays silent', async () => {
    const target = one('automations');
    fake.pause(target.id);
    const email = bench.freshEmail();
    const error = await errorOf(apply(bench.api, { type: 'automation', email, target, on: true }));
    expect(error).toMatchObject({ kind: 'refused' });
    expect(error?.message).toMatch(/isn.t active/);
  });

  it('reports nothing about who is in workflows, which cannot be read', async () => {
    const email = bench.freshEmail();
    fake.addContact(email);
    expect(await state(bench.api, email)).not.toHaveProperty('automations');
  });

  it('does not treat a missing postal address as bad credentials', async () => {
    const body = JSON.stringify({ errors: [{ code: 'no_postal_address_error' }] });
    fake.trouble({ status: 403, body });
    expect(await errorOf(state(bench.api, 'a@example.com'))).toMatchObject({ kind: 'refused' });
  });

  it('keeps the unsubscribe of an unknown address, and creates no one for a return', async () => {
    const [email, other] = [bench.freshEmail(), bench.freshEmail()];
    await apply(bench.api, { type: 'global_unsubscribe', email, on: true });
    expect(fake.holds(email)).toMatchObject({ unsubscribed: true });
    expect(await state(bench.api, email)).toMatchObject({ known: true, unsubscribed: true });
    await apply(bench.api, { type: 'global_unsubscribe', email: other, on: false });
    expect(fake.holds(other)).toBeNull();
  });

  it('survives a change of only the case', async () => {
    const from = bench.freshEmail();
    fake.addContact(from);
    await apply(bench.api, { type: 'switch_email', from, email: from.toUpperCase() });
    expect(fake.holds(from)).not.toBeNull();
  });

  it('merges both contacts where the new address exists: series continue, and the old contact is deleted', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const [goesOn, left, tag] = [one('funnels'), one('funnels'), one('tags')];
    for (const target of [goesOn, left]) {
      await apply(bench.api, { type: 'funnel', email: from, target, on: true });
    }
    await apply(bench.api, { type: 'funnel', email, target: left, on: true });
    await apply(bench.api, { type: 'tag', email: from, target: tag, on: true });
    fake.leavesByLink(from, left.id);
    fake.receives(from, goesOn.id, 3);
    const since = fake.seen.length;
    const move = () => apply(bench.api, { type: 'switch_email', from, email });
    await move();
    expect(writes(since)).toContainEqual(
      expect.objectContaining({
        body: { subscribers: [expect.objectContaining({ email, starting_email_index: 3 })] },
      }),
    );
    const after = { unsubscribed: false, funnels: [goesOn.id], tags: [tag.id] };
    expect(fake.holds(email)).toMatchObject(after);
    expect(fake.holds(from)).toBeNull();
    await move();
    expect(fake.holds(email)).toMatchObject(after);
  });

  it.each([
    ['old', false],
    ['new', false],
    ['old', true],
    ['new', true],
  ] as const)(
    'keeps the opt-out of the %s address where both exist (marketing only: %s)',
    async (which, only) => {
      const [from, email] = [bench.freshEmail(), bench.freshEmail()];
      for (const address of [from, email]) {
        const target = one('tags');
        await apply(bench.api, { type: 'tag', email: address, target, on: true });
      }
      fake.unsubscribesByLink(which === 'old' ? from : email);
      fake.setMarketingOnly(only);
      for (const _time of [1, 2]) await apply(bench.api, { type: 'switch_email', from, email });
      expect(fake.holds(email)?.unsubscribed).toBe(true);
      expect(fake.holds(from)?.unsubscribed ?? true).toBe(true);
    },
  );

  it('merges them also where the new address appears during the change', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const target = one('tags');
    await apply(bench.api, { type: 'tag', email: from, target, on: true });
    fake.addContact(email);
    const found = await bench.api.call({ method: 'GET', path: `/subscribers/${from}` });
    // The first two answers: the old one is found, the new one not yet.
    fake.trouble({ status: 200, body: found.text });
    fake.trouble({ status: 404, body: '{}' });
    await apply(bench.api, { type: 'switch_email', from, email });
    expect(fake.holds(email)?.tags).toEqual([target.id]);
    expect(fake.holds(from)).toBeNull();
  });

  it('inbound: handles each event that is about receiving mail as what it is', () => {
    const campaign = { campaign_id: '123', campaign_name: 'News' };
    const email = 'john@acme.com';
    expect(events('subscriber.unsubscribed_all')).toMatchObject([
      { kind: 'unsubscribed', email, at: new Date('2013-06-21T10:31:58Z') },
    ]);
    expect(events('subscriber.unsubscribed_from_campaign', campaign)).toMatchObject([
      { kind: 'list_unsubscribed', resource: '123' },
    ]);
    expect(events('subscriber.subscribed_to_campaign', campaign)).toMatchObject([
      { kind: 'list_subscribed', resource: '123' },
    ]);
    expect(events('subscriber.bounced')).toMatchObject([{ kind: 'bounced' }]);
    expect(events('subscriber.marked_as_undeliverable')).toMatchObject([{ kind: 'bounced' }]);
    expect(events('subscriber.complained')).toMatchObject([{ kind: 'complained' }]);
    const moved = { value: 'new@acme.com', previous_value: 'old@acme.com', source: 'drip' };
    expect(events('subscriber.updated_email_address', moved)).toMatchObject([
      { kind: 'email_changed', email: 'old@acme.com', newEmail: 'new@acme.com' },
    ]);
    for (const event of ['subscriber.applied_tag', 'subscriber.deleted', 'subscriber.created']) {
      expect(events(event, { tag: 'VIP' })).toEqual([]);
    }
  });

  it('inbound: reports a reactivation in Drip, and never as an opt-out', () => {
    for (const event of ['subscriber.reactivated', 'subscriber.subscribed_to_email_marketing']) {
      expect(events(event)).toMatchObject([{ kind: 'resubscribed', email: 'john@acme.com' }]);
    }
  });

  it('inbound: attributes a removal from a campaign to us or a workflow, and not to the person', () => {
    expect(events('subscriber.removed_from_campaign', { campaign_id: '123' })).toEqual([]);
  });

  it('inbound: gives the same event the same id, and another event another one', () => {
    const campaign = { campaign_id: '123' };
    const idOf = (...body: Parameters<typeof webhook>) => events(...body)[0]?.id;
    const first = idOf('subscriber.subscribed_to_campaign', campaign);
    expect(idOf('subscriber.subscribed_to_campaign', campaign)).toBe(first);
    expect(idOf('subscriber.subscribed_to_campaign', { campaign_id: '124' })).not.toBe(first);
    expect(idOf('subscriber.subscribed_to_campaign', campaign, '2013-06-21T10:31:59Z')).not.toBe(first);
  });

  it('inbound: expects no signature, and rejects whatever is not a webhook of the tool', () => {
    if (inbound.kind !== 'webhook') throw new Error('unreachable');
    const genuine = webhook('subscriber.complained');
    expect(inbound.isGenuine(genuine, 'secret', new Date())).toBe(true);
    for (const text of ['', 'type=unsubscribe', '{"event":"subscriber.complained"}', '[]']) {
      const forged = { headers: {}, rawBody: Buffer.from(text) };
      expect(() => inbound.parse(forged)).toThrow(expect.objectContaining({ kind: 'refused' }));
    }
  });
});

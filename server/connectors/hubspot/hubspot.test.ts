import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeConnector } from '#test/connectors/suite.ts';
import { type HubspotFake, startHubspotFake } from '#test/fakes/tools/hubspot.ts';
import {
  type Change,
  ConnectorError,
  type Inbound,
  type People,
  type Resource,
  type ToolApi,
} from '../connector.ts';
import { hubspot } from './index.ts';

let tool: HubspotFake;
const start = async () => (tool = await startHubspotFake());

const { inbound } = hubspot;
if (inbound.kind !== 'poll') throw new Error('HubSpot has no webhooks for a key');
const { poll }: Extract<Inbound, { kind: 'poll' }> = inbound;

describeConnector(hubspot, start, { manyResources: 501, manyPeople: 250 }, (bench) => {
  const apply = (change: Change) => hubspot.apply(bench.api, change);
  const make = (kind: 'lists' | 'suppression_groups'): Resource => {
    const [made] = tool.addResources(kind, 1);
    if (made === undefined) throw new Error('The fake made nothing');
    return made;
  };
  const person = () => {
    const email = bench.freshEmail();
    tool.addContact(email);
    return email;
  };
  const suppress = (email: string, target: Resource, on: boolean) =>
    apply({ type: 'suppression_group', email, target, on });
  const addTo = (email: string, target: Resource) => apply({ type: 'list', email, target, on: true });
  const callsOf = async (work: () => Promise<unknown>) => {
    const before = tool.seen.length;
    await work();
    return tool.seen.slice(before).map(({ method, url }) => `${method} ${url.split('?')[0]}`);
  };
  const writesOf = async (work: () => Promise<unknown>) =>
    (await callsOf(work)).filter((call) => !call.startsWith('GET'));
  const later = (minutes: number): ToolApi => ({
    ...bench.api,
    now: () => new Date(bench.api.now().getTime() + minutes * 60_000),
  });

  it('every path has a version date, and none is a batch call that small plans lack', async () => {
    const [from, email, type, list] = [person(), person(), make('suppression_groups'), make('lists')];
    const calls = await callsOf(async () => {
      const { cursor } = await poll(bench.api, null);
      await addTo(from, list);
      await suppress(from, type, true);
      await apply({ type: 'global_unsubscribe', email: from, on: true });
      await apply({ type: 'switch_email', from, email });
      await hubspot.state(bench.api, email);
      await hubspot.verify(bench.api, tool.credentials);
      await poll(bench.api, cursor);
      for (const kind of ['lists', 'suppression_groups', 'fields'] as const) {
        await hubspot.resources(bench.api, kind);
      }
    });
    expect(calls.filter((call) => !call.includes('/2026-09') || call.includes('/batch/'))).toEqual([]);
  });

  it('the opt-out from a subscription type moves along with a change of address', async () => {
    const [from, email, type, other] = [
      person(),
      bench.freshEmail(),
      make('suppression_groups'),
      make('suppression_groups'),
    ];
    tool.optOut(from, type.id);
    await apply({ type: 'switch_email', from, email });
    expect(tool.holds(from)).toBeNull();
    expect(tool.statusOf(email, type.id)).toBe('UNSUBSCRIBED');
    expect(tool.statusOf(email, other.id)).toBe('NOT_SPECIFIED');
    await expect(suppress(email, type, false)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('the new address is opted out before the contact has it', async () => {
    const [from, email] = [person(), bench.freshEmail()];
    tool.optOut(from);
    const writes = await writesOf(() => apply({ type: 'switch_email', from, email }));
    expect(writes.at(-2)).toMatch(/^POST .*unsubscribe-all$/);
    expect(writes.at(-1)).toMatch(/^PATCH .*contacts/);
    expect(tool.isOutOfAll(email)).toBe(true);
  });

  it('what was chosen moves along too, and can still be reverted', async () => {
    const [from, email, left, joined] = [
      person(),
      bench.freshEmail(),
      make('suppression_groups'),
      make('suppression_groups'),
    ];
    await suppress(from, left, true);
    await suppress(from, joined, false);
    await apply({ type: 'switch_email', from, email });
    expect(tool.statusOf(email, left.id)).toBe('UNSUBSCRIBED');
    expect(tool.statusOf(email, joined.id)).toBe('SUBSCRIBED');
    await suppress(email, left, false);
    expect(tool.statusOf(email, left.id)).toBe('SUBSCRIBED');
  });

  it('an opt-out waits for a contact that is created later', async () => {
    const [email, target, list] = [bench.freshEmail(), make('suppression_groups'), make('lists')];
    await suppress(email, target, true);
    await apply({ type: 'global_unsubscribe', email, on: true });
    expect(tool.holds(email)).toBeNull();
    expect(await hubspot.state(bench.api, email)).toMatchObject({ known: false, unsubscribed: true });
    await addTo(email, list);
    expect(tool.holds(email)).toMatchObject({ unsubscribed: true, lists: [list.id] });
  });

  it('someone who left everything is not resubscribed by one type', async () => {
    const [email, target] = [person(), make('suppression_groups')];
    tool.optOut(email);
    await expect(suppress(email, target, false)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('HubSpot'),
    });
    expect(tool.isOutOfAll(email)).toBe(true);
    const back: Change = { type: 'global_unsubscribe', email, on: false };
    await expect(apply(back)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('someone who left a type in HubSpot is not resubscribed, but someone who left it here is', async () => {
    const [there, here, target] = [person(), person(), make('suppression_groups')];
    tool.optOut(there, target.id);
    await suppress(there, target, true);
    await expect(suppress(there, target, false)).rejects.toMatchObject({ kind: 'refused' });
    expect(tool.statusOf(there, target.id)).toBe('UNSUBSCRIBED');
    await suppress(here, target, true);
    await suppress(here, target, false);
    expect(tool.statusOf(here, target.id)).toBe('SUBSCRIBED');
  });

  it('what is already so is read and not written', async () => {
    const [email, target] = [person(), make('suppression_groups')];
    for (const on of [true, false]) {
      await suppress(email, target, on);
      expect(await writesOf(() => suppress(email, target, on))).toEqual([]);
    }
    await apply({ type: 'global_unsubscribe', email, on: true });
    expect(await writesOf(() => apply({ type: 'global_unsubscribe', email, on: true }))).toEqual([]);
  });

  it('an unknown person is neither subscribed nor created', async () => {
    const [email, type, list] = [bench.freshEmail(), make('suppression_groups'), make('lists')];
    await suppress(email, type, false);
    await apply({ type: 'list', email, target: list, on: false });
    expect(tool.statusOf(email, type.id)).toBe('NOT_SPECIFIED');
    expect(tool.holds(email)).toBeNull();
  });

  it('accounts with data privacy settings get the legal basis', async () => {
    tool.demandLegalBasis(true);
    const [from, email, left, joined] = [
      person(),
      bench.freshEmail(),
      make('suppression_groups'),
      make('suppression_groups'),
    ];
    await suppress(from, joined, false);
    tool.optOut(from, left.id);
    await apply({ type: 'switch_email', from, email });
    tool.demandLegalBasis(false);
    expect(tool.statusOf(email, joined.id)).toBe('SUBSCRIBED');
    expect(tool.statusOf(email, left.id)).toBe('UNSUBSCRIBED');
  });

  it('no change depends on the search for contacts', async () => {
    const [from, email, target] = [bench.freshEmail(), bench.freshEmail(), make('lists')];
    const calls = await callsOf(async () => {
      await addTo(from, target);
      await apply({ type: 'switch_email', from, email });
    });
    expect(calls.filter((call) => call.endsWith('/contacts/search'))).toEqual([]);
    expect(tool.holds(email)?.lists).toEqual([target.id]);
  });

  it('a contact that somebody else has just created is used', async () => {
    const [email, target] = [person(), make('lists')];
    tool.trouble({ status: 404, headers: { 'content-type': 'application/json' }, body: '{}' });
    await addTo(email, target);
    expect(tool.holds(email)?.lists).toEqual([target.id]);
  });

  it.each(['at once', 'only by the change'])(
    'a new address that is taken, seen %s, gets everything',
    async (seen) => {
      const [from, email] = [person(), person()];
      const [list, left, joined] = [make('lists'), make('suppression_groups'), make('suppression_groups')];
      await addTo(from, list);
      tool.optOut(from, left.id);
      await suppress(from, joined, false);
      const change: Change = { type: 'switch_email', from, email };
      let finds = 0;
      // The second find is of the new address.
      const api: ToolApi = {
        ...bench.api,
        call: async (call) => {
          const answer = await bench.api.call(call);
          if (call.query?.idProperty === 'email') finds += 1;
          const isMissed = seen !== 'at once' && call.query?.idProperty === 'email' && finds === 2;
          return isMissed ? { ...answer, status: 404 } : answer;
        },
      };
      await hubspot.apply(api, change);
      await apply(change);
      expect(tool.holds(email)?.lists).toEqual([list.id]);
      expect(tool.statusOf(email, left.id)).toBe('UNSUBSCRIBED');
      expect(tool.statusOf(email, joined.id)).toBe('SUBSCRIBED');
      expect(tool.isOutOfAll(email)).toBe(false);
      expect(tool.holds(from)?.lists).toEqual([]);
      expect(tool.statusOf(from, left.id)).toBe('UNSUBSCRIBED');
      expect(tool.statusOf(from, joined.id)).toBe('UNSUBSCRIBED');
    },
  );

  it('a new address that is taken and opted out stays opted out', async () => {
    const [from, email, type] = [person(), person(), make('suppression_groups')];
    await suppress(from, type, false);
    tool.optOut(email, type.id);
    await apply({ type: 'switch_email', from, email });
    expect(tool.statusOf(email, type.id)).toBe('UNSUBSCRIBED');
  });

  it('someone who returns to the previous address is emailed there again', async () => {
    const [first, second, type] = [person(), person(), make('suppression_groups')];
    await suppress(first, type, false);
    await apply({ type: 'switch_email', from: first, email: second });
    expect(tool.statusOf(first, type.id)).toBe('UNSUBSCRIBED');
    await apply({ type: 'switch_email', from: second, email: first });
    expect(tool.statusOf(first, type.id)).toBe('SUBSCRIBED');
    expect(tool.statusOf(second, type.id)).toBe('UNSUBSCRIBED');
  });

  it('an address that differs only in case, or is unknown, changes nothing', async () => {
    const [email, absent] = [person(), bench.freshEmail()];
    expect(
      await callsOf(() => apply({ type: 'switch_email', from: email, email: email.toUpperCase() })),
    ).toEqual([]);
    await apply({ type: 'switch_email', from: absent, email: bench.freshEmail() });
    expect(tool.holds(absent)).toBeNull();
  });

  it('an additional address of a contact is not mistaken for the primary one', async () => {
    const [owner, additional, email] = [person(), bench.freshEmail(), bench.freshEmail()];
    tool.addAdditionalAddress(owner, additional);
    const change: Change = { type: 'switch_email', from: additional, email };
    await expect(apply(change)).rejects.toMatchObject({ kind: 'refused' });
    expect(tool.holds(owner)).not.toBeNull();
    await apply({ type: 'switch_email', from: owner, email: additional });
    expect(tool.holds(additional)).not.toBeNull();
    expect(tool.holds(owner)).toBeNull();
  });

  it('dynamic lists are not offered, and refused', async () => {
    const target = tool.addDynamicList();
    const offered = await hubspot.resources(bench.api, 'lists');
    expect(offered.map(({ id }) => id)).not.toContain(target.id);
    await expect(addTo(person(), target)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('a missing list or type is reported', async () => {
    const gone = { id: '4', name: 'Gone' };
    await expect(addTo(person(), gone)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(suppress(person(), gone, true)).rejects.toMatchObject({ kind: 'not_found' });
  });

  const people = hubspot.people as Extract<People, { can: true }>;
  const readAll = async (list: Resource) => {
    const found = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof people.read>> = await people.read(
        bench.api,
        'lists',
        list.id,
        cursor,
      );
      found.push(...page.people);
      ({ cursor } = page);
    } while (cursor !== null);
    return found;
  };

  it('the people of a list are read without the search for contacts, which ends at 10,000 and lags', async () => {
    const list = make('lists');
    await addTo(person(), list);
    const calls = await callsOf(() => readAll(list));
    expect(calls).toEqual([
      `GET /crm/lists/2026-09/${list.id}/memberships`,
      'GET /communication-preferences/2026-09/definitions',
      'POST /crm/objects/2026-09/contacts/batch/read',
    ]);
  });

  it('somebody in a list who opted out of everything, bounced or is no marketing contact is not reported as subscribed', async () => {
    const list = make('lists');
    const [fine, out, bounced, other] = [person(), person(), person(), person()];
    for (const email of [fine, out, bounced, other]) await addTo(email, list);
    tool.optOut(out);
    tool.bounce(bounced);
    tool.makeNonMarketing(other);
    expect(await readAll(list)).toEqual([
      { email: fine, state: 'subscribed', hasLeftAll: false, since: expect.any(Date) },
      { email: out, state: 'unsubscribed', hasLeftAll: true, since: null },
      { email: bounced, state: 'unclear', hasLeftAll: false, since: null },
      { email: other, state: 'unclear', hasLeftAll: false, since: null },
    ]);
  });

  it('someone deleted while a page is read is skipped, and a removal between pages makes us skip nobody', async () => {
    const list = make('lists');
    const all = Array.from({ length: 150 }, bench.freshEmail);
    tool.addPeople?.(
      'lists',
      list.id,
      all.map((email) => ({ email, state: 'subscribed' })),
    );
    const first = await people.read(bench.api, 'lists', list.id, null);
    for (const email of all.slice(0, 20)) await apply({ type: 'list', email, target: list, on: false });
    tool.removeContact(all[149] ?? '');
    const second = await people.read(bench.api, 'lists', list.id, first.cursor);
    const found = [...first.people, ...second.people].map(({ email }) => email);
    expect(found).toEqual(all.slice(0, 149));
    expect(second.cursor).toBeNull();
  });

  it.each(['', 'nonsense', '{"after":""}', '{"after":7}'])(
    'the broken cursor %j restarts the reading',
    async (cursor) => {
      const list = make('lists');
      await addTo(person(), list);
      expect((await people.read(bench.api, 'lists', list.id, cursor)).people).toHaveLength(1);
    },
  );

  it('a missing list is not read as an empty one', async () => {
    const gone = people.read(bench.api, 'lists', '4', null);
    await expect(gone).rejects.toMatchObject({ kind: 'not_found' });
  });

  const fill = (email: string, field: Resource) => hubspot.setField?.(bench.api, email, field, 'value_1-A');

  it('only the owner’s text fields are offered', async () => {
    const usable = { name: 'sayso_link', label: 'Sayso link' };
    tool.addProperty(usable);
    for (const not of [
      { name: 'email', hubspotDefined: true },
      { name: 'a_number', type: 'number' },
      { name: 'calculated', calculated: true },
      { name: 'read_only', modificationMetadata: { readOnlyValue: true } },
      { name: 'hidden', hidden: true },
    ]) {
      tool.addProperty(not);
    }
    const ids = (await hubspot.resources(bench.api, 'fields')).map(({ id }) => id);
    expect(ids).toContain('sayso_link');
    expect(ids.filter((id) => !/^(?:field_|sayso_link)/.test(id))).toEqual([]);
  });

  it('a field is merged by its name, not by its label', () => {
    expect(hubspot.mergeTags.field({ id: 'sayso_link', name: 'Sayso link' })).toBe(
      '{{ contact.sayso_link }}',
    );
  });

  it('the field of somebody else’s additional address stays empty', async () => {
    const [field] = tool.addResources('fields', 1) as [Resource];
    const [owner, additional] = [person(), bench.freshEmail()];
    tool.addAdditionalAddress(owner, additional);
    await expect(fill(additional, field)).rejects.toMatchObject({ kind: 'refused' });
    expect(tool.fieldOf?.(owner, field)).toBeNull();
  });

  it('a missing field is told from a read-only one, and both are reported', async () => {
    const email = person();
    const gone = fill(email, { id: 'gone', name: 'Gone' });
    await expect(gone).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('"Gone"'),
    });
    tool.addProperty({ name: 'locked', modificationMetadata: { readOnlyValue: true } });
    const locked = fill(email, { id: 'locked', name: 'Locked' });
    await expect(locked).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Locked'),
    });
    await expect(fill(email, { id: 'email', name: 'Email' })).rejects.toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['SECONDLY', 1],
    ['TEN_SECONDLY_ROLLING', 10],
    ['DAILY', 3600],
    ['something new', null],
  ])('the limit %s is waited for', async (policyName, retryAfterSeconds) => {
    const body = JSON.stringify({ status: 'error', errorType: 'RATE_LIMIT', policyName });
    tool.trouble({ status: 429, headers: { 'x-hubspot-ratelimit-remaining': '0' }, body });
    await expect(hubspot.verify(bench.api, tool.credentials)).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterSeconds,
    });
  });

  it.each([
    [423, {}, 2],
    [477, { 'retry-after': '90' }, 90],
    [477, {}, 60],
    [524, {}, null],
  ])('status %i is retried later', async (status, headers, retryAfterSeconds) => {
    tool.trouble({ status, headers, body: '{}' });
    await expect(hubspot.verify(bench.api, tool.credentials)).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds,
    });
  });

  it('a missing scope is reported', async () => {
    tool.trouble({ status: 403, body: '{"category":"MISSING_SCOPES"}' });
    await expect(hubspot.verify(bench.api, tool.credentials)).rejects.toMatchObject({
      kind: 'bad_credentials',
      message: expect.stringContaining('scope'),
    });
  });

  it('opt-outs and bounces are found by polling, with the same ids every time', async () => {
    const [all, one, bounced, type] = [person(), person(), person(), make('suppression_groups')];
    const { cursor, events: none } = await poll(bench.api, null);
    expect(none).toEqual([]);
    tool.optOut(all);
    tool.optOut(one, type.id);
    tool.bounce(bounced);
    const { events, cursor: next } = await poll(bench.api, cursor);
    const about = (email: string) => events.filter((event) => event.email === email);
    expect(about(all)).toEqual([
      { id: expect.any(String), at: expect.any(Date), email: all, kind: 'unsubscribed' },
    ]);
    expect(about(one)).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Date),
        email: one,
        kind: 'group_suppressed',
        resource: type.id,
      },
    ]);
    expect(about(bounced)).toEqual([{ id: expect.any(String), at: null, email: bounced, kind: 'bounced' }]);
    expect((await poll(bench.api, next)).events).toEqual(events);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('what we did ourselves, and someone who is only emailed, is no event', async () => {
    const [email, target] = [person(), make('suppression_groups')];
    const { cursor } = await poll(bench.api, null);
    await suppress(email, target, true);
    const { events } = await poll(bench.api, cursor);
    expect(events.filter((event) => event.email === email)).toEqual([]);
  });

  describe('with the Brands add-on', () => {
    const BRAND = 41_857;
    let ofAccount: Resource;
    let ofBrand: Resource;

    beforeEach(() => {
      ofAccount = make('suppression_groups');
      ofBrand = tool.addBrandType(BRAND);
    });

    afterEach(() => tool.removeBrands());

    const leaveAll = (email: string) => apply({ type: 'global_unsubscribe', email, on: true });

    it('leaving one brand (BUSINESS_UNIT_WIDE) is not leaving all, and a global opt-out leaves every brand', async () => {
      const email = person();
      tool.optOutOfBrand(email, BRAND);
      expect((await hubspot.state(bench.api, email)).unsubscribed).toBe(false);
      const before = tool.seen.length;
      await leaveAll(email);
      const posted = tool.seen.slice(before).filter(({ method }) => method === 'POST');
      expect(posted.map(({ url }) => new URL(url, tool.url).searchParams.get('businessUnitId'))).toEqual([
        '0',
      ]);
      expect(tool.hasLeftBrand(email, 0)).toBe(true);
      expect((await hubspot.state(bench.api, email)).unsubscribed).toBe(true);
      expect(await writesOf(() => leaveAll(email))).toEqual([]);
      const other = person();
      await leaveAll(other);
      expect([0, BRAND].map((brand) => tool.hasLeftBrand(other, brand))).toEqual([true, true]);
    });

    it('someone who left the whole account (PORTAL_WIDE) is not written again', async () => {
      const email = person();
      tool.optOut(email);
      expect((await hubspot.state(bench.api, email)).unsubscribed).toBe(true);
      expect(await writesOf(() => leaveAll(email))).toEqual([]);
    });

    it('someone who left one brand can be subscribed to the types of others, and not to its own', async () => {
      const email = person();
      tool.optOutOfBrand(email, BRAND);
      await suppress(email, ofAccount, false);
      expect(tool.statusOf(email, ofAccount.id)).toBe('SUBSCRIBED');
      await expect(suppress(email, ofBrand, false)).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('of this brand'),
      });
      expect(tool.hasLeftBrand(email, BRAND)).toBe(true);
    });

    it('leaving one brand is reported as leaving its types, not everything', async () => {
      const email = person();
      const { cursor } = await poll(bench.api, null);
      tool.optOutOfBrand(email, BRAND);
      const { events } = await poll(bench.api, cursor);
      expect(events.filter((event) => event.email === email)).toMatchObject([
        { kind: 'group_suppressed', resource: ofBrand.id },
      ]);
      tool.optOutOfBrand(email, 0);
      const all = (await poll(bench.api, cursor)).events.filter((event) => event.email === email);
      expect(all).toMatchObject([{ kind: 'unsubscribed' }]);
    });

    it('a brand that was left is left at the new address too, and no other one', async () => {
      const [from, email] = [person(), bench.freshEmail()];
      tool.optOutOfBrand(from, BRAND);
      await suppress(from, ofAccount, false);
      await apply({ type: 'switch_email', from, email });
      expect([0, BRAND].map((brand) => tool.hasLeftBrand(email, brand))).toEqual([false, true]);
      expect(tool.statusOf(email, ofAccount.id)).toBe('SUBSCRIBED');
    });

    it('someone who left one brand is unclear in a list, which has no brand', async () => {
      const list = make('lists');
      const [fine, one, account, all] = [person(), person(), person(), person()];
      for (const email of [fine, one, account, all]) await addTo(email, list);
      tool.optOutOfBrand(one, BRAND);
      tool.optOutOfBrand(account, 0);
      tool.optOut(all);
      const found = (await readAll(list)).map(({ state, hasLeftAll }) => [state, hasLeftAll]);
      expect(found).toEqual([
        ['subscribed', false],
        ['unclear', false],
        ['unclear', false],
        ['unsubscribed', true],
      ]);
    });

    it('types of other brands name their brand, for each may have a "Newsletter"', async () => {
      const offered = await hubspot.resources(bench.api, 'suppression_groups');
      expect(offered).toContainEqual(ofAccount);
      expect(offered).toContainEqual({ id: ofBrand.id, name: `${ofBrand.name} (brand ${BRAND})` });
    });
  });

  it('a wide status that is NOT_SPECIFIED is no opt-out', async () => {
    const [email, target] = [person(), make('suppression_groups')];
    tool.leaveUnspecified(email);
    expect((await hubspot.state(bench.api, email)).unsubscribed).toBe(false);
    await suppress(email, target, false);
    expect(tool.statusOf(email, target.id)).toBe('SUBSCRIBED');
    const { cursor } = await poll(bench.api, null);
    tool.bounce(email);
    expect((await poll(bench.api, cursor)).events.filter((one) => one.email === email)).toMatchObject([
      { kind: 'bounced' },
    ]);
    await apply({ type: 'global_unsubscribe', email, on: true });
    expect(tool.isOutOfAll(email)).toBe(true);
  });

  it('stores the time and place of a consent with the subscription', async () => {
    const [email, target] = [person(), make('suppression_groups')];
    const said = { at: '2026-11-20T09:05:00.000Z', ip: null, language: null };
    const confirmed = { at: '2026-11-20T10:00:00.000Z', ip: null };
    await apply({
      type: 'suppression_group',
      email,
      target,
      on: false,
      consent: { isConfirmed: true, said, confirmed },
    });
    expect(JSON.stringify(tool.seen.at(-1)?.body)).toContain(
      'Chosen by the person in the preference centre (Sayso) on 2026-11-20 09:05 UTC, confirmed by email on 2026-11-20 10:00 UTC',
    );
  });

  it.each([
    'Chosen by the person in the preference centre (Sayso)',
    'Chosen by the person in the preference centre (Sayso) on 2026-11-20 09:05 UTC',
    'The person has changed to another address (Sayso)',
    'Chosen by the customer on the preference page (Sayso)',
    'The customer changed their email (Sayso)',
  ])('an opt-out that any version stored as "%s" stays ours: we can lift it', async (words) => {
    const [email, target] = [person(), make('suppression_groups')];
    const json = {
      channel: 'EMAIL',
      statusState: 'UNSUBSCRIBED',
      subscriptionId: Number(target.id),
      legalBasis: 'CONSENT_WITH_NOTICE',
      legalBasisExplanation: words,
    };
    const path = `/communication-preferences/2026-03/statuses/${encodeURIComponent(email)}`;
    await bench.api.call({ method: 'POST', path, json });
    await suppress(email, target, false);
    expect(tool.statusOf(email, target.id)).toBe('SUBSCRIBED');
  });

  describe('an opt-out that HubSpot reports without its explanation', () => {
    beforeEach(() => tool.hideExplanations(true));
    afterEach(() => tool.hideExplanations(false));

    const leave = (email: string, target?: Resource) =>
      target === undefined
        ? apply({ type: 'global_unsubscribe', email, on: true })
        : suppress(email, target, true);

    it('is ours by its source (Public status API): it is no event, and we can lift it', async () => {
      const [email, target] = [person(), make('suppression_groups')];
      const { cursor } = await poll(bench.api, null);
      await leave(email, target);
      const { events } = await poll(bench.api, cursor);
      expect(events.filter((event) => event.email === email)).toEqual([]);
      await suppress(email, target, false);
      expect(tool.statusOf(email, target.id)).toBe('SUBSCRIBED');
    });

    it('from everything is ours by its source too, and the person’s own is reported', async () => {
      const [ours, theirs] = [person(), person()];
      make('suppression_groups');
      const { cursor } = await poll(bench.api, null);
      await leave(ours);
      tool.optOut(theirs);
      const { events } = await poll(bench.api, cursor);
      const told = events.filter(({ email }) => email === ours || email === theirs);
      expect(told).toMatchObject([{ email: theirs, kind: 'unsubscribed' }]);
    });

    it('is the person’s own by any other source: it is reported, and never lifted', async () => {
      const [email, target] = [person(), make('suppression_groups')];
      const { cursor } = await poll(bench.api, null);
      tool.optOut(email, target.id);
      const { events } = await poll(bench.api, cursor);
      expect(events.filter((event) => event.email === email)).toMatchObject([
        { kind: 'group_suppressed', resource: target.id },
      ]);
      await expect(suppress(email, target, false)).rejects.toMatchObject({ kind: 'refused' });
    });
  });

  it('HubSpot’s internal types, such as "One to One", are not offered', async () => {
    const internal = tool.addInternalType('One to One');
    const offered = await hubspot.resources(bench.api, 'suppression_groups');
    expect(offered.map(({ id }) => id)).not.toContain(internal.id);
  });

  it('finds the other opt-outs when a row is unreadable or HubSpot refuses its address', async () => {
    const [out, refused] = [person(), person()];
    const { cursor } = await poll(bench.api, null);
    tool.optOut(out);
    tool.optOut(refused);
    const api: ToolApi = {
      ...bench.api,
      async call(call) {
        if (call.path.includes(encodeURIComponent(refused))) {
          throw new ConnectorError('refused', 'HubSpot rejected the address (400).');
        }
        const answer = await bench.api.call(call);
        if (!call.path.endsWith('/contacts/search')) return answer;
        const { results, ...body } = answer.body as { results: unknown[] };
        return { ...answer, body: { ...body, results: [{ id: null }, ...results] } };
      },
    };
    const { events } = await poll(api, cursor);
    const found = events.map(({ email }) => email);
    expect(found).toContain(out);
    expect(found).not.toContain(refused);
  });

  it('the cursor moves on with the time', async () => {
    const { cursor } = await poll(bench.api, null);
    expect(Number((await poll(later(60), cursor)).cursor)).toBeGreaterThan(Number(cursor));
  });

  it('nobody is skipped when more has changed than one poll reads', async () => {
    const small: ToolApi = {
      ...bench.api,
      call: (call) => {
        const isSearch = call.path.endsWith('/contacts/search');
        return bench.api.call(isSearch ? { ...call, json: { ...Object(call.json), limit: 2 } } : call);
      },
    };
    const people = Array.from({ length: 45 }, person);
    for (const email of people) tool.bounce(email);
    const found = new Set<string | null>();
    let { cursor } = await poll(bench.api, null);
    for (let count = 0; count < 20; count += 1) {
      const told = await poll(small, cursor);
      for (const { email } of told.events) found.add(email);
      cursor = told.cursor;
    }
    expect(people.filter((email) => !found.has(email))).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectorError, type PeoplePage, type ToolApi } from '#server/connectors/connector.ts';
import { describeConnector } from '#test/connectors/suite.ts';
import { type CampaignMonitorFake, startCampaignMonitorFake } from '#test/fakes/tools/campaign-monitor.ts';
import { campaignMonitor } from './index.ts';

let tool: CampaignMonitorFake;
const start = async () => (tool = await startCampaignMonitorFake());

function list(unsubscribeSetting: 'AllClientLists' | 'OnlyThisList' = 'AllClientLists') {
  const [made] = tool.addResources('lists', 1);
  if (made === undefined) throw new Error('The fake made nothing');
  tool.set(made.id, { unsubscribeSetting });
  return made;
}

const writes = (from: number) => tool.seen.slice(from).filter(({ method }) => method !== 'GET');

describeConnector(campaignMonitor, start, { manyResources: 1001, manyPeople: 501 }, (bench) => {
  const apply: typeof campaignMonitor.apply = (...args) => campaignMonitor.apply(...args);
  const bring = (email: string, target: ReturnType<typeof list>, on: boolean) =>
    apply(bench.api, { type: 'list', email, target, on });
  const setOut = (email: string, on: boolean) => apply(bench.api, { type: 'global_unsubscribe', email, on });
  const move = (from: string, email: string) => apply(bench.api, { type: 'switch_email', from, email });
  const stateOf = (email: string) => campaignMonitor.state(bench.api, email);

  describe('credentials', () => {
    it('of a key without access to the client are wrong', async () => {
      const api = { ...bench.api, account: 'ffffffffffffffffffffffffffffffff' };
      await expect(campaignMonitor.verify(api, tool.credentials)).rejects.toMatchObject({
        kind: 'bad_credentials',
      });
    });

    it('are checked without requesting the page that shows an API key', async () => {
      const before = tool.seen.length;
      await campaignMonitor.verify(bench.api, tool.credentials);
      expect(tool.seen.slice(before).map(({ url }) => url)).toEqual(['/api/v3.3/clients.json']);
    });

    it('with two keys to one client share its limits', () => {
      const [one, other] = ['a', 'b'].map((api_key) => ({ api_key, client_id: 'ABC' }));
      expect(campaignMonitor.accountOf?.(one ?? {})).toBe(campaignMonitor.accountOf?.(other ?? {}));
    });
  });

  describe('a list whose unsubscribe means all lists', () => {
    it('is left alone, without the others and without suppression', async () => {
      const email = bench.freshEmail();
      const [left, kept] = [list(), list()];
      await bring(email, left, true);
      await bring(email, kept, true);
      await bring(email, left, false);
      expect(tool.holds(email)).toMatchObject({ unsubscribed: false, lists: [kept.id] });
    });

    it('can be rejoined by someone we took out', async () => {
      const email = bench.freshEmail();
      const target = list();
      await bring(email, target, true);
      await bring(email, target, false);
      await bring(email, target, true);
      expect(tool.subscriber(target.id, email)?.state).toBe('Active');
    });
  });

  describe('leaving everything', () => {
    it('also leaves lists that ignore the suppression list', async () => {
      const email = bench.freshEmail();
      const target = list('OnlyThisList');
      await bring(email, target, true);
      await setOut(email, true);
      expect(tool.holds(email)).toMatchObject({ unsubscribed: true, lists: [] });
      await expect(bring(email, target, true)).rejects.toMatchObject({ kind: 'refused' });
      expect(tool.holds(email)?.lists).toEqual([]);
    });

    it('can be reverted, and lists joined again', async () => {
      const email = bench.freshEmail();
      const target = list();
      await bring(email, target, true);
      await setOut(email, true);
      await setOut(email, false);
      expect(tool.holds(email)).toMatchObject({ unsubscribed: false, lists: [] });
      await bring(email, target, true);
      expect(tool.holds(email)?.lists).toEqual([target.id]);
    });

    it.each([
      ['Spam complaint', 'refused'],
      ['Hard bounce', null],
    ])('cannot be reverted because of a %s', async (reason, kind) => {
      const email = bench.freshEmail();
      tool.suppressed(email, reason);
      const work = setOut(email, false);
      if (kind === null) await work;
      else await expect(work).rejects.toMatchObject({ kind });
      expect(tool.holds(email)?.unsubscribed).toBe(true);
    });

    it('is found on a later page of the suppression list', async () => {
      const email = bench.freshEmail();
      tool.suppressed(email.toUpperCase(), 'Unsubscribed');
      for (let count = 0; count < 1001; count += 1) tool.suppressed(`s${count}@example.org`, 'Unsubscribed');
      expect(await stateOf(email)).toMatchObject({ known: true, unsubscribed: true, lists: [] });
    });
  });

  describe('the copy of the suppression list', () => {
    const readings = (from: number) =>
      tool.seen.slice(from).filter(({ url }) => url.includes('/suppressionlist.json'));
    const pagesOf = (from: number) =>
      readings(from).map(({ url }) => Number(new URL(url, tool.url).searchParams.get('page')));
    const size = () => Number(/"TotalNumberOfRecords":(\d+)/.exec(text)?.[1]);
    let text: string;
    let lastPage: number;

    beforeEach(async () => {
      for (let count = 0; count < 2500; count += 1) tool.suppressed(`k${count}@example.org`, 'Unsubscribed');
      const { account = '' } = bench.api;
      ({ text } = await bench.api.call({ method: 'GET', path: `/clients/${account}/suppressionlist.json` }));
      lastPage = Math.ceil(size() / 1000);
    });

    it('is read as a whole once, then from its newest entries, however many people are looked up', async () => {
      const before = tool.seen.length;
      await stateOf(bench.freshEmail());
      expect(pagesOf(before)).toEqual(Array.from({ length: lastPage }, (_, index) => index + 1));
      const later = tool.seen.length;
      for (let person = 0; person < 5; person += 1) await stateOf(bench.freshEmail());
      expect(pagesOf(later)).toEqual(Array.from({ length: 5 }, () => lastPage));
    });

    it('is not read again for each page of people', async () => {
      const target = list();
      const people = Array.from({ length: 501 }, bench.freshEmail);
      tool.addPeople?.(
        'lists',
        target.id,
        people.map((email) => ({ email, state: 'subscribed' })),
      );
      if (!campaignMonitor.people.can) throw new Error('Campaign Monitor tells who is in a list');
      const before = tool.seen.length;
      let cursor: string | null = null;
      do {
        const page: PeoplePage = await campaignMonitor.people.read(bench.api, 'lists', target.id, cursor);
        ({ cursor } = page);
      } while (cursor !== null);
      expect(readings(before)).toHaveLength(lastPage);
    });

    it('shows at once who was suppressed, and who was taken off the list', async () => {
      const [email, other] = [bench.freshEmail(), bench.freshEmail()];
      const target = list('OnlyThisList');
      await stateOf(email);
      tool.suppressed(email, 'Unsubscribed');
      await expect(bring(email, target, true)).rejects.toMatchObject({ kind: 'refused' });
      tool.suppressed(other, 'Unsubscribed');
      tool.unsuppressed(email);
      await bring(email, target, true);
      await expect(bring(other, target, true)).rejects.toMatchObject({ kind: 'refused' });
    });

    it('survives our own change', async () => {
      const email = bench.freshEmail();
      await setOut(email, true);
      await stateOf(email);
      const before = tool.seen.length;
      await setOut(email, false);
      expect(await stateOf(email)).toMatchObject({ unsubscribed: false });
      expect(readings(before)).toHaveLength(2);
    });

    it('resumes reading where it was interrupted', async () => {
      let calls = 0;
      const breaking: ToolApi = {
        ...bench.api,
        async call(call) {
          if (call.path.includes('suppressionlist') && (calls += 1) === 2)
            throw new ConnectorError('rate_limited', 'Not now.');
          return bench.api.call(call);
        },
      };
      const email = bench.freshEmail();
      await expect(campaignMonitor.state(breaking, email)).rejects.toMatchObject({ kind: 'rate_limited' });
      const before = tool.seen.length;
      await stateOf(email);
      expect(pagesOf(before)[0]).toBe(2);
    });

    it('is read as a whole again after some minutes', async () => {
      await stateOf(bench.freshEmail());
      const now = () => new Date(bench.api.now().getTime() + 16 * 60_000);
      const before = tool.seen.length;
      await campaignMonitor.state({ ...bench.api, now }, bench.freshEmail());
      expect(readings(before)).toHaveLength(lastPage);
    });
  });

  describe('nobody is resubscribed against their will', () => {
    it.each(['Unsubscribed', 'Bounced'] as const)('if they are %s in the list', async (state) => {
      const email = bench.freshEmail();
      const target = list();
      tool.put(target.id, email, state);
      const before = tool.seen.length;
      await expect(bring(email, target, true)).rejects.toMatchObject({ kind: 'refused' });
      await bring(email, target, false);
      expect(tool.subscriber(target.id, email)?.state).toBe(state);
      expect(writes(before)).toEqual([]);
    });

    it('if they are suppressed, and new to the list or deleted from it', async () => {
      const email = bench.freshEmail();
      const [fresh, deleted] = [list('OnlyThisList'), list()];
      tool.put(deleted.id, email, 'Deleted');
      tool.suppressed(email, 'Unsubscribed');
      await expect(bring(email, fresh, true)).rejects.toMatchObject({ kind: 'refused' });
      await expect(bring(email, deleted, true)).rejects.toMatchObject({ kind: 'refused' });
      expect(tool.holds(email)?.lists).toEqual([]);
    });

    it('and a resubscription is requested for nobody else', async () => {
      const before = tool.seen.length;
      await bring(bench.freshEmail(), list(), true);
      expect(writes(before).map(({ body }) => body)).toMatchObject([{ Resubscribe: false }]);
    });
  });

  it('people are in a list at once, not in a queue', async () => {
    const before = tool.seen.length;
    await bring(bench.freshEmail(), list(), true);
    expect(writes(before).map(({ url }) => url)).toEqual([expect.stringMatching(/\/import\.json$/)]);
  });

  it('someone who has not confirmed counts as in a list with double opt-in, and is asked once', async () => {
    const email = bench.freshEmail();
    const target = list();
    tool.set(target.id, { isConfirmedOptIn: true });
    await bring(email, target, true);
    const before = tool.seen.length;
    await bring(email, target, true);
    expect(writes(before)).toEqual([]);
    expect(await stateOf(email)).toMatchObject({ lists: [], awaited: [target.id] });
  });

  it('the consent to tracking stays unchanged', async () => {
    const [from, email] = [bench.freshEmail(), bench.freshEmail()];
    const target = list();
    tool.put(target.id, from, 'Active');
    await move(from, email);
    expect(tool.subscriber(target.id, email)?.consentToTrack).toBe('Yes');
    const added = bench.freshEmail();
    await bring(added, target, true);
    expect(tool.subscriber(target.id, added)?.consentToTrack).toBe('Unchanged');
  });

  it('an import that fails in part is a failure', async () => {
    await expect(bring('no address', list(), true)).rejects.toMatchObject({
      kind: 'refused',
      message: "Campaign Monitor doesn't accept this email.",
    });
  });

  it('another account’s list answers 401, and the credentials are still good', async () => {
    const target = { id: 'ffffffffffffffffffffffffffffffff', name: 'Gone' };
    const email = bench.freshEmail();
    await expect(bring(email, target, true)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(bring(email, target, false)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each([
    [100, 'bad_credentials'],
    [102, 'bad_credentials'],
    [121, 'bad_credentials'],
    [101, 'not_found'],
  ])('401 with the code %i is told apart', async (code, kind) => {
    tool.trouble({ status: 401, body: JSON.stringify({ Code: code, Message: 'No' }) });
    await expect(stateOf(bench.freshEmail())).rejects.toMatchObject({ kind });
  });

  it('an unexpected refusal is not a success', async () => {
    tool.trouble({ status: 400, body: '{"Code":98798,"Message":"A crazy API error"}' });
    await expect(bring(bench.freshEmail(), list(), false)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('98798') as string,
    });
  });

  it('429 without a delay leaves the delay to the queue', async () => {
    tool.trouble({ status: 429, body: '{"Code":429,"Message":"Rate limit exceeded"}' });
    await expect(stateOf(bench.freshEmail())).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterSeconds: null,
    });
  });

  describe('a change of address in all lists', () => {
    it('keeps the name and the opt-outs', async () => {
      const [from, email] = [bench.freshEmail(), bench.freshEmail()];
      const [inIt, left, deleted] = [list(), list(), list()];
      tool.put(inIt.id, from, 'Active');
      tool.put(left.id, from, 'Unsubscribed');
      tool.put(deleted.id, from, 'Deleted');
      await move(from, email);
      expect(tool.subscriber(inIt.id, email)).toMatchObject({ state: 'Active', name: 'Nora' });
      expect(tool.subscriber(left.id, email)?.state).toBe('Unsubscribed');
      expect(tool.subscriber(deleted.id, email)).toBeUndefined();
      expect(tool.holds(from)?.lists).toEqual([]);
    });

    it('is finished after it was interrupted midway', async () => {
      const [from, email] = [bench.freshEmail(), bench.freshEmail()];
      const lists = [list(), list(), list()];
      for (const { id } of lists) tool.put(id, from, 'Active');
      let changed = 0;
      const breaking: ToolApi = {
        ...bench.api,
        async call(call) {
          if (call.method === 'PUT' && (changed += 1) > 1)
            throw new ConnectorError('unavailable', 'Broken off.');
          return bench.api.call(call);
        },
      };
      const change = { type: 'switch_email', from, email } as const;
      await expect(apply(breaking, change)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(tool.holds(email)?.lists).toHaveLength(1);
      await move(from, email);
      expect(tool.holds(email)?.lists).toEqual(lists.map(({ id }) => id));
      expect(tool.holds(from)?.lists ?? []).toEqual([]);
    });

    it('keeps the opt-out of either where the new address exists, and changes nothing when repeated', async () => {
      const [from, email] = [bench.freshEmail(), bench.freshEmail()];
      const [both, oldLeft, newLeft, newRemoved] = [list(), list(), list(), list()];
      for (const [target, old, there] of [
        [both, 'Active', 'Active'],
        [oldLeft, 'Unsubscribed', 'Active'],
        [newLeft, 'Active', 'Unsubscribed'],
        [newRemoved, 'Active', 'Deleted'],
      ] as const) {
        tool.put(target.id, from, old);
        tool.put(target.id, email, there);
      }
      await move(from, email);
      expect(tool.holds(email)?.lists).toEqual([both.id]);
      expect(tool.holds(from)?.lists).toEqual([]);
      await bring(email, oldLeft, true);
      await move(from, email);
      expect(tool.holds(email)?.lists).toEqual([both.id, oldLeft.id]);
    });

    it('moves the suppression along, but not a bounce', async () => {
      const [left, bounced] = [bench.freshEmail(), bench.freshEmail()];
      const [newOfLeft, newOfBounced] = [bench.freshEmail(), bench.freshEmail()];
      const target = list();
      tool.put(target.id, bounced, 'Bounced');
      tool.suppressed(bounced, 'Hard bounce');
      tool.suppressed(left, 'Unsubscribed');
      await move(left, newOfLeft);
      await move(bounced, newOfBounced);
      expect(tool.holds(newOfLeft)).toMatchObject({ unsubscribed: true, lists: [] });
      expect(tool.holds(newOfBounced)).toMatchObject({ unsubscribed: false, lists: [target.id] });
    });

    it('creates no one for an unknown address', async () => {
      const before = tool.seen.length;
      await move(bench.freshEmail(), bench.freshEmail());
      expect(writes(before)).toEqual([]);
    });

    it('changes nothing when only the case differs', async () => {
      const email = bench.freshEmail();
      tool.addContact(email);
      const before = tool.seen.length;
      await move(email, email.toUpperCase());
      expect(writes(before)).toEqual([]);
    });
  });

  describe('reading the people of a list', () => {
    const readPage = (id: string, cursor: string | null) => {
      if (!campaignMonitor.people.can) throw new Error('Campaign Monitor tells who is in a list');
      return campaignMonitor.people.read(bench.api, 'lists', id, cursor);
    };
    const readAll = async (id: string) => {
      const found = [];
      let cursor: string | null = null;
      do {
        const page = await readPage(id, cursor);
        found.push(...page.people);
        cursor = page.cursor;
      } while (cursor !== null);
      return found;
    };
    const told = { hasLeftAll: false, since: null };

    it('takes pages of all states, and reports only those who left it as opted out', async () => {
      const target = list('OnlyThisList');
      const states = ['Active', 'Unconfirmed', 'Unsubscribed', 'Bounced', 'Deleted'] as const;
      const [active, unconfirmed, unsubscribed, bounced, deleted] = states.map((state) => {
        const email = bench.freshEmail();
        tool.put(target.id, email, state);
        return email;
      });
      // Times have no zone, so none is told.
      expect(await readAll(target.id)).toEqual([
        { email: active, state: 'subscribed', ...told },
        { email: unsubscribed, state: 'unsubscribed', ...told },
        { email: unconfirmed, state: 'unclear', ...told },
        { email: bounced, state: 'unclear', ...told },
        { email: deleted, state: 'unclear', ...told },
      ]);
    });

    it.each([
      ['Unsubscribed', 'Active', { state: 'unsubscribed', hasLeftAll: true }],
      ['Spam complaint', 'Active', { state: 'unsubscribed', hasLeftAll: true }],
      ['Hard bounce', 'Active', { state: 'unclear', hasLeftAll: false }],
      ['Unsubscribed', 'Deleted', { state: 'unsubscribed', hasLeftAll: true }],
      ['Hard bounce', 'Unsubscribed', { state: 'unsubscribed', hasLeftAll: false }],
    ] as const)('reports suppressed people (%s) while %s there', async (reason, state, expected) => {
      const target = list('OnlyThisList');
      const email = bench.freshEmail();
      tool.put(target.id, email, state);
      tool.suppressed(email.toUpperCase(), reason);
      expect(await readAll(target.id)).toEqual([{ email, since: null, ...expected }]);
    });

    it('does not request the page of the client, which shows an API key', async () => {
      const before = tool.seen.length;
      await readAll(list().id);
      expect(tool.seen.slice(before).filter(({ url }) => /clients\/\w+\.json/.test(url))).toEqual([]);
    });

    it('reports the list of another account (401) as missing', async () => {
      await expect(readPage('00000000000000000000000000000000', null)).rejects.toMatchObject({
        kind: 'not_found',
      });
    });

    it.each(['broken', '{"part":"open","page":1}', '{"part":"bounced","page":0}'])(
      'restarts after a broken cursor (%s)',
      async (cursor) => {
        const target = list();
        const email = bench.freshEmail();
        tool.put(target.id, email, 'Active');
        expect((await readPage(target.id, cursor)).people).toMatchObject([{ email }]);
      },
    );
  });

  describe('a custom field', () => {
    const field = { id: 'Preferencelink', name: 'Preference link' };
    const fill = (email: string, value = 'token') =>
      campaignMonitor.setField?.(bench.api, email, field, value);
    const withField = () => {
      const made = list();
      tool.set(made.id, { fields: ['Other', field.name] });
      return made;
    };

    it('is filled in each of the lists that have it, and keeps the name and tracking consent', async () => {
      const email = bench.freshEmail();
      const [one, other, without] = [withField(), withField(), list()];
      const spelt = email.toUpperCase();
      for (const { id } of [one, other, without]) tool.put(id, spelt, 'Active');
      await fill(email);
      const custom = [{ Key: field.name, Value: 'token' }];
      for (const { id } of [one, other]) {
        const kept = { email: spelt, name: 'Nora', state: 'Active', consentToTrack: 'Yes', custom };
        expect(tool.subscriber(id, email)).toMatchObject(kept);
      }
      expect(tool.subscriber(without.id, email)?.custom).toEqual([]);
    });

    it('that already holds the value, under its name without brackets, is left alone', async () => {
      const email = bench.freshEmail();
      tool.put(withField().id, email, 'Active');
      await fill(email);
      const before = tool.seen.length;
      await fill(email);
      expect(writes(before)).toEqual([]);
    });

    it.each(['Unsubscribed', 'Bounced', 'Deleted'] as const)(
      'is not filled for someone who is %s, who could be resubscribed by it',
      async (state) => {
        const email = bench.freshEmail();
        const target = withField();
        tool.put(target.id, email, state);
        const before = tool.seen.length;
        await fill(email);
        expect(writes(before)).toEqual([]);
        expect(tool.subscriber(target.id, email)).toMatchObject({ state, custom: [] });
      },
    );

    it('never resubscribes anybody', async () => {
      const email = bench.freshEmail();
      tool.put(withField().id, email, 'Unconfirmed');
      const before = tool.seen.length;
      await fill(email);
      expect(writes(before)).toMatchObject([
        { method: 'PUT', body: { Resubscribe: false, ConsentToTrack: 'Unchanged' } },
      ]);
    });

    it.each([203, 206])('of someone who leaves at that moment (code %i) is no failure', async (code) => {
      const email = bench.freshEmail();
      const target = withField();
      tool.put(target.id, email, 'Active');
      const before = tool.seen.length;
      await fill(email, 'first');
      const calls = tool.seen.slice(before);
      expect(calls).toHaveLength(4);
      // The three readings as they were, then the refusal.
      const texts = await Promise.all(
        calls.slice(0, 3).map(async ({ url }) => {
          const { text } = await bench.api.call({ method: 'GET', path: url.replace('/api/v3.3', '') });
          return text;
        }),
      );
      const headers = { 'content-type': 'application/json' };
      for (const body of texts) tool.trouble({ status: 200, headers, body });
      tool.trouble({ status: 400, headers, body: JSON.stringify({ Code: code, Message: 'No' }) });
      await fill(email, 'second');
    });

    it('that no list of the person has is reported as missing', async () => {
      const email = bench.freshEmail();
      const target = list();
      tool.put(target.id, email, 'Active');
      tool.set(target.id, { fields: [field.name], types: { [field.name]: 'Number' } });
      await expect(fill(email)).rejects.toMatchObject({
        kind: 'not_found',
        message: expect.stringContaining(field.name),
      });
    });
  });

  it('custom fields of all lists are offered once, with their merge tag names', async () => {
    const [one, other] = [list(), list()];
    tool.set(one.id, { fields: ['Shoe size', 'website'] });
    tool.set(other.id, { fields: ['website', 'born'], types: { born: 'Date' } });
    const found = (await campaignMonitor.resources(bench.api, 'fields')).filter(({ name }) =>
      ['Shoe size', 'website', 'born'].includes(name),
    );
    expect(found).toEqual([
      { id: 'Shoesize', name: 'Shoe size' },
      { id: 'website', name: 'website' },
    ]);
    const tag = campaignMonitor.mergeTags.field({ id: 'Shoesize', name: 'Shoe size' });
    expect(tag).toBe('[Shoesize,fallback=]');
  });
});

describe('a webhook of Campaign Monitor', () => {
  if (campaignMonitor.inbound.kind !== 'webhook') throw new Error('unreachable');
  const { isGenuine, parse } = campaignMonitor.inbound;
  const request = (body: unknown) => ({
    headers: {},
    rawBody: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const LIST = '96c0bbdaa54760c8d9e62a2b7ffa2e13';
  const read = (event: object) =>
    parse(
      request({
        ListID: LIST,
        Events: [
          { CustomFields: [], Date: '2010-12-14 11:32:00', EmailAddress: 'nora@example.org', ...event },
        ],
      }),
    );

  it('is authenticated only by its secret address', () => {
    expect(isGenuine(request('{}'), 'secret', new Date())).toBe(true);
  });

  it.each([
    ['a subscription', { Type: 'Subscribe', SignupIPAddress: '53.78.123.243' }, 'list_subscribed', LIST],
    ['an unsubscribe', { Type: 'Deactivate', State: 'Unsubscribed' }, 'list_unsubscribed', LIST],
    ['a bounce', { Type: 'Deactivate', State: 'Bounced' }, 'bounced', undefined],
  ])('reports %s, at a time without a zone', (_what, event, kind, resource) => {
    expect(read(event)).toMatchObject([{ kind, email: 'nora@example.org', at: null }]);
    expect(read(event)[0]?.resource).toBe(resource);
  });

  it('reports a new address', () => {
    const event = { Type: 'Update', State: 'Active', OldEmailAddress: 'old@example.org' };
    expect(read(event)).toMatchObject([
      { kind: 'email_changed', email: 'old@example.org', newEmail: 'nora@example.org' },
    ]);
  });

  it.each([
    ['somebody was deleted, which is no opt-out', { Type: 'Deactivate', State: 'Deleted' }],
    ['other data changed', { Type: 'Update', State: 'Active', OldEmailAddress: 'Nora@example.org' }],
    ['something new happened', { Type: 'Opened' }],
  ])('reports nothing where %s', (_what, event) => expect(read(event)).toEqual([]));

  it('that is repeated has the same ids, and other events have others', () => {
    const ids = [
      { Type: 'Subscribe' },
      { Type: 'Subscribe' },
      { Type: 'Subscribe', Date: '2010-12-14 11:33:00' },
      { Type: 'Deactivate', State: 'Unsubscribed' },
    ].map((event) => read(event)[0]?.id);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  it.each(['<html>', '[]', '{"Events":[{}],"ListID":"a"}'])('that is invalid is rejected: %s', (body) => {
    expect(() => parse(request(body))).toThrow('Campaign Monitor');
  });
});

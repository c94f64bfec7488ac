import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isTargeted, TOOL_ACTION_TYPES, TOOL_ACTIONS } from '#contract/actions.ts';
import {
  type Connector,
  type ConnectorError,
  type ConnectorFailure,
  type PeoplePage,
  type Resource,
  type ResourceKind,
  type ToolApi,
  type ToolPerson,
} from '#server/connectors/connector.ts';
import { type MadeCall, openToolApi } from '#server/connectors/tool-api.ts';
import { StandingWatch } from '#server/delivery/sending/tool-effects.ts';
import { loginTests } from './login-suite.ts';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { describeWhen, itWhen } from './when.ts';

/* What every connector has to do, whatever its tool. A connector's own test calls this and adds the tool's traps. */

const NOW = new Date('2026-11-21T10:00:00Z');

export interface Bench {
  fake: FakeTool;
  api: ToolApi;
  /** Never the same address twice. */
  freshEmail(): string;
}

interface Particulars {
  /** More than one page of the tool's largest page size. */
  manyResources: number;
  /** More than one page of the people of a list or a tag. */
  manyPeople?: number;
  /** Where the tool means something else than usual by an answer to `verify`. */
  failures?: Partial<Record<string, ConnectorFailure>>;
}

/** Runs the shared tests of a connector against its fake, then the tool's own. */
export function describeConnector(
  connector: Connector,
  start: () => Promise<FakeTool>,
  { manyResources, manyPeople = 0, failures = {} }: Particulars,
  traps: (bench: Bench) => void,
): void {
  let fake: FakeTool;
  let outbound: Outbound;
  /** Gives up after a moment: for receivers that never answer. */
  let impatient: Outbound;
  let count = 0;
  const freshEmail = () => `person-${(count += 1)}@example.com`;

  const open = (
    credentials = fake.credentials,
    onCall: (call: MadeCall) => void = () => {},
    through = outbound,
  ) =>
    openToolApi(connector, credentials, {
      onCall,
      outbound: through,
      clock: { now: () => NOW },
      baseUrl: fake.url,
      // What a tool does in its own time is done at once in its fake.
      wait: async () => {},
    });

  // Filled in before each test, so that tests can be declared with it.
  const bench = { freshEmail } as Bench;

  async function failureOf(work: () => Promise<unknown>): Promise<ConnectorError> {
    const error: unknown = await work().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'Error', kind: expect.any(String) });
    return error as ConnectorError;
  }

  describe(`the connector of ${connector.name}`, () => {
    beforeAll(async () => {
      fake = await start();
      outbound = createOutbound({ allowPrivateTargets: true });
      impatient = createOutbound({ allowPrivateTargets: true, deadlineMs: 100 });
    });

    afterAll(async () => {
      outbound.close();
      impatient.close();
      await fake.close();
    });

    beforeEach(() => {
      bench.fake = fake;
      bench.api = open();
    });

    describe('as data', () => {
      it('has credentials that its own examples and the fake pass', () => {
        for (const { name, pattern, example, choices = {} } of connector.credentials) {
          expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
          for (const value of [example, ...Object.keys(choices)]) expect(value).toMatch(pattern);
          expect(fake.credentials[name]).toMatch(pattern);
        }
        expect(Object.keys(fake.credentials).toSorted()).toEqual(
          connector.credentials.map(({ name }) => name).toSorted(),
        );
      });

      it('gives a reason for what it cannot do, and words for what it can', () => {
        for (const capability of Object.values(connector.actions)) {
          if (capability.can) expect(capability.operations.length).toBeGreaterThan(0);
          else expect(capability.reason).toMatch(/^[A-Z].{20,}\.$/);
        }
      });
    });

    describe('credentials', () => {
      it('that are right give the name of the account', async () => {
        expect(await connector.verify(bench.api, fake.credentials)).toMatchObject({ name: fake.accountName });
      });

      it('that are wrong are told apart from everything else, and never repeated', async () => {
        const wrong = fake.wrongCredentials;
        const error = await failureOf(() => connector.verify(open(wrong), wrong));
        expect(error.kind).toBe('bad_credentials');
        const secrets = connector.credentials.filter(({ secret }) => secret);
        for (const { name } of secrets) expect(error.message).not.toContain(fake.wrongCredentials[name]);
      });
    });

    const { oauth } = connector;
    describeWhen(oauth !== undefined)('a login at the tool', () => {
      loginTests(
        connector,
        () => fake,
        () => ({ outbound, clock: { now: () => NOW }, baseUrl: fake.url }),
      );
    });

    describe('resources', () => {
      const kinds = new Set(
        Object.values(connector.actions).flatMap((capability) =>
          capability.can && capability.target !== null ? [capability.target] : [],
        ),
      );

      it.each([...kinds])('of the kind %s come from all pages', async (kind: ResourceKind) => {
        const made = fake.addResources(kind, manyResources);
        expect(made).toHaveLength(manyResources);
        const found = await connector.resources(bench.api, kind);
        const ids = new Set(found.map(({ id }) => id));
        expect(ids.size).toBe(found.length);
        expect(made.filter(({ id }) => !ids.has(id))).toEqual([]);
        expect(found).toEqual(expect.arrayContaining(made.slice(0, 3)));
      });

      it('of a kind that the tool does not have are none', async () => {
        const absent = (['tags', 'funnels', 'suppression_groups', 'automations'] as const).find(
          (kind) => !kinds.has(kind),
        );
        if (absent !== undefined) expect(await connector.resources(bench.api, absent)).toEqual([]);
      });
    });

    describe('a change', () => {
      const targeted = TOOL_ACTION_TYPES.filter(isTargeted).filter((type) => connector.actions[type].can);

      it.each(targeted)('of the type %s goes forward, again, and back', async (type) => {
        const capability = connector.actions[type];
        const key = TOOL_ACTIONS[type].target;
        if (!capability.can || capability.target === null) throw new Error('unreachable');
        const [target] = fake.addResources(capability.target, 1);
        if (target === undefined) throw new Error('The fake made nothing');
        const email = freshEmail();
        fake.addContact(email);
        const bring = (on: boolean) => connector.apply(bench.api, { type, email, target, on });
        const inIt = () => fake.holds(email)?.[key]?.filter((id) => id === target.id).length;
        const told = async () => (await connector.state(bench.api, email))[key]?.includes(target.id);

        await bring(true);
        expect(inIt()).toBe(1);
        expect(await told()).not.toBe(false);
        await bring(true);
        expect(inIt()).toBe(1);
        if (capability.operations.length === 1) return;
        await bring(false);
        expect(inIt()).toBe(0);
        expect(await told()).not.toBe(true);
        await bring(false);
        expect(inIt()).toBe(0);
      });

      it.each(targeted)('of the type %s shows whether it made a difference', async (type) => {
        const capability = connector.actions[type];
        if (!capability.can || capability.target === null) throw new Error('unreachable');
        const [target] = fake.addResources(capability.target, 1);
        if (target === undefined) throw new Error('The fake made nothing');
        const email = freshEmail();
        fake.addContact(email);
        const wasSo = async (on: boolean) => {
          const change = { type, email, target, on };
          const standing = new StandingWatch();
          const noteCall = standing.noteCall.bind(standing);
          const api = { ...open(fake.credentials, noteCall), found: standing.found };
          await standing.readFirst(connector, api, change);
          await connector.apply(api, change);
          return standing.wasSo(change);
        };
        const isUnsaid = (await connector.state(bench.api, email))[TOOL_ACTIONS[type].target] === undefined;
        const orUnsaid = (value: boolean) =>
          isUnsaid && connector.writesBlindly?.({ type, email, target, on: true }) === true ? null : value;
        expect(await wasSo(true)).toBe(orUnsaid(false));
        expect(await wasSo(true)).toBe(orUnsaid(true));
        if (capability.operations.length === 1) return;
        expect(await wasSo(false)).toBe(orUnsaid(false));
        expect(await wasSo(false)).toBe(orUnsaid(true));
      });

      it.each(targeted)('of the type %s finds nothing to take back from who is not known', async (type) => {
        const capability = connector.actions[type];
        const key = TOOL_ACTIONS[type].target;
        if (!capability.can || capability.target === null) throw new Error('unreachable');
        if (capability.operations.length === 1) return;
        const [target] = fake.addResources(capability.target, 1);
        if (target === undefined) throw new Error('The fake made nothing');
        const email = freshEmail();
        await connector.apply(bench.api, { type, email, target, on: false });
        expect(fake.holds(email)?.[key] ?? []).not.toContain(target.id);
      });

      const all = connector.actions.global_unsubscribe;
      itWhen(all.can)('that ends everything is kept, again, and taken back where the tool can', async () => {
        if (!all.can) return;
        const email = freshEmail();
        fake.addContact(email);
        const lists = connector.actions.list;
        if (lists.can && lists.target !== null) {
          const [target] = fake.addResources(lists.target, 1);
          if (target) await connector.apply(bench.api, { type: 'list', email, target, on: true });
        }
        const bring = (on: boolean) => connector.apply(bench.api, { type: 'global_unsubscribe', email, on });
        expect(fake.holds(email)?.unsubscribed).toBe(false);
        await bring(true);
        expect(fake.holds(email)?.unsubscribed).toBe(true);
        expect((await connector.state(bench.api, email)).unsubscribed).toBe(true);
        await bring(true);
        expect(fake.holds(email)?.unsubscribed).toBe(true);
        if (all.operations.length === 1) return;
        await bring(false);
        expect(fake.holds(email)?.unsubscribed).toBe(false);
        await bring(false);
        expect(fake.holds(email)?.unsubscribed).toBe(false);
      });

      const move = connector.actions.switch_email;
      itWhen(move.can)('of the address moves the person, once, with what they are in', async () => {
        const [from, email] = [freshEmail(), freshEmail()];
        fake.addContact(from);
        const lists = connector.actions.list;
        const targets = lists.can && lists.target !== null ? fake.addResources(lists.target, 1) : [];
        for (const target of targets) {
          await connector.apply(bench.api, { type: 'list', email: from, target, on: true });
        }
        await connector.apply(bench.api, { type: 'switch_email', from, email });
        await connector.apply(bench.api, { type: 'switch_email', from, email });
        expect(fake.holds(email)).not.toBeNull();
        for (const { id } of targets) {
          expect(fake.holds(email)?.lists).toContain(id);
          expect(fake.holds(from)?.lists ?? []).not.toContain(id);
        }
      });

      itWhen(move.can && all.can)('of the address takes the opt-out along', async () => {
        const [from, email] = [freshEmail(), freshEmail()];
        fake.addContact(from);
        const lists = connector.actions.list;
        const targets = lists.can && lists.target !== null ? fake.addResources(lists.target, 1) : [];
        for (const target of targets) {
          await connector.apply(bench.api, { type: 'list', email: from, target, on: true });
        }
        await connector.apply(bench.api, { type: 'global_unsubscribe', email: from, on: true });
        await connector.apply(bench.api, { type: 'switch_email', from, email });
        expect(fake.holds(email)?.unsubscribed ?? true).toBe(true);
      });

      it('puts addresses with signs of every kind into calls as they are', async () => {
        const emails = [
          "o'hara+news/50%&x=1@example.com",
          'foo..bar.@docomo.example',
          String.raw`"a,(b)\"c\";x=1"@example.com`,
          'हिन्दी@उदाहरण.example',
        ];
        for (const email of emails) {
          fake.addContact(email);
          expect((await connector.state(bench.api, email)).known, email).toBe(true);
        }
      });
    });

    const { people } = connector;
    describeWhen(people.can)('people', () => {
      const kinds = people.can ? people.of : [];

      async function readAll(kind: 'lists' | 'tags', id: string) {
        if (!people.can) throw new Error('unreachable');
        const pages: ToolPerson[][] = [];
        let cursor: string | null = null;
        do {
          // Each page by a line of its own: a cursor outlives the process that got it.
          const page: PeoplePage = await people.read(open(), kind, id, cursor);
          pages.push(page.people);
          cursor = page.cursor;
        } while (cursor !== null);
        return pages;
      }

      it.each([...kinds])('of one of the %s come from all pages, each once', async (kind) => {
        const [target] = fake.addResources(kind, 1);
        if (target === undefined) throw new Error('The fake made nothing');
        const made = Array.from({ length: manyPeople }, () => freshEmail());
        fake.addPeople(
          kind,
          target.id,
          made.map((email) => ({ email, state: 'subscribed' })),
        );
        const pages = await readAll(kind, target.id);
        expect(pages.length).toBeGreaterThan(1);
        const found = pages.flat();
        expect(found.map(({ email }) => email).toSorted()).toEqual(made.toSorted());
        expect(found.filter(({ state, hasLeftAll }) => state !== 'subscribed' || hasLeftAll)).toEqual([]);
      });

      it.each([...kinds])('of one of the %s that is empty are none', async (kind) => {
        const [target] = fake.addResources(kind, 1);
        expect((await readAll(kind, target?.id ?? '')).flat()).toEqual([]);
      });

      itWhen(kinds.includes('lists'))(
        'who left a list or are unclear are never told as subscribed',
        async () => {
          const [target] = fake.addResources('lists', 1);
          if (target === undefined || !people.can) throw new Error('The fake made nothing');
          const [left, unclear] = [freshEmail(), freshEmail()];
          fake.addPeople('lists', target.id, [
            { email: left, state: 'unsubscribed' },
            { email: unclear, state: 'unclear' },
          ]);
          const found = (await readAll('lists', target.id)).flat();
          expect(found.filter(({ state }) => state === 'subscribed')).toEqual([]);
          const ofLeft = found.filter(({ email }) => email === left).map(({ state }) => state);
          expect(ofLeft).toEqual(people.exportsUnsubscribed ? ['unsubscribed'] : []);
        },
      );
    });

    describe('a custom field', () => {
      function aField(): Resource {
        const [field] = fake.addResources('fields', 1);
        if (field === undefined) throw new Error('The fake made nothing');
        return field;
      }

      it('is among the resources, is filled, and filled again', async () => {
        const [field, email] = [aField(), freshEmail()];
        fake.addContact(email);
        const found = (await connector.resources(bench.api, 'fields')).find(({ id }) => id === field.id);
        expect(found).toEqual(field);
        for (const value of ['first-Value_1', 'second-Value_2', 'second-Value_2']) {
          expect(await connector.setField(bench.api, email, field, value)).toBe(true);
          expect(fake.fieldOf(email, field)).toBe(value);
        }
      });

      it('is filled without anything else changing, and for nobody whom the tool does not know', async () => {
        const [field, stranger, left] = [aField(), freshEmail(), freshEmail()];
        expect(await connector.setField(bench.api, stranger, field, 'value')).toBe(false);
        expect(fake.holds(stranger)).toBeNull();
        if (!connector.actions.global_unsubscribe.can) return;
        fake.addContact(left);
        await connector.apply(bench.api, { type: 'global_unsubscribe', email: left, on: true });
        const before = fake.holds(left);
        await connector.setField(bench.api, left, field, 'value');
        expect(fake.holds(left)).toEqual(before);
      });
    });

    describe('a failure', () => {
      const HTML = { 'content-type': 'text/html' };
      const JSON_TYPE = { 'content-type': 'application/json' };
      const expected = (name: string, usual: ConnectorFailure) => failures[name] ?? usual;

      it.each([
        ['401', 401, 'bad_credentials'],
        ['403', 403, 'bad_credentials'],
        ['404', 404, 'not_found'],
        ['409', 409, 'refused'],
        ['422', 422, 'refused'],
        ['429', 429, 'rate_limited'],
        ['500', 500, 'unavailable'],
        ['503', 503, 'unavailable'],
      ] as const)('with status %s', async (name, status, usual) => {
        fake.trouble({ status, headers: JSON_TYPE, body: '{}' });
        const error = await failureOf(() => connector.verify(bench.api, fake.credentials));
        expect(error.kind).toBe(expected(name, usual));
        expect(error.message).toContain(connector.name);
      });

      it('that says when to come again is heard', async () => {
        fake.trouble({ status: 429, headers: { ...JSON_TYPE, 'retry-after': '17' }, body: '{}' });
        const error = await failureOf(() => connector.verify(bench.api, fake.credentials));
        expect(error).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 17 });
      });

      it.each(['hang', 'cut', 'garbage'] as const)('of the line (%s)', async (trouble) => {
        fake.trouble(trouble);
        const api = open(undefined, undefined, impatient);
        const error = await failureOf(() => connector.verify(api, fake.credentials));
        expect(error.kind).toBe('unavailable');
      });

      it.each([
        ['a page of HTML that says all is well', 200, 'unavailable'],
        ['a page of HTML from a gateway', 502, 'unavailable'],
        ['JSON that was cut off', 200, 'unavailable'],
      ] as const)('in the form of %s', async (name, status, kind) => {
        const body = name.startsWith('JSON') ? '{"a":' : '<!doctype html><h1>Hello</h1>';
        fake.trouble({ status, headers: name.startsWith('JSON') ? JSON_TYPE : HTML, body });
        expect((await failureOf(() => connector.verify(bench.api, fake.credentials))).kind).toBe(kind);
      });
    });

    describe('the traps', () => {
      traps(bench);
    });

    // The last of all, so that it has seen every call that came before.
    it("made no call, and got no answer, against the tool's own description", () => {
      expect(fake.violations ?? []).toEqual([]);
    });
  });
}

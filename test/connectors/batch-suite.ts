import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Change,
  type Connector,
  ConnectorError,
  type ConnectorFailure,
  type Resource,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { openToolApi } from '#server/connectors/tool-api.ts';
import { createOutbound, type Outbound } from '#server/platform/outbound.ts';
import type { FakeTool, Seen } from '#test/fakes/tools/fake-tool.ts';
import { describeWhen } from './when.ts';

/* What every connector has to hold that brings many people to the same place at once: it ends as one by one would. */

const NOW = new Date('2026-11-21T10:00:00Z');
const JSON_TYPE = { 'content-type': 'application/json' };

export type Kind = Exclude<Change['type'], 'switch_email'>;

/** One fake with a line to it. */
export interface Side<Fake extends FakeTool> {
  fake: Fake;
  api: ToolApi;
  /** What is done in the change. */
  target: Resource;
}

export interface Case<Fake extends FakeTool> {
  type: Kind;
  on: boolean;
  /** Of the target, where it is not the first one that the fake makes. */
  target?: (fake: Fake) => Resource;
  /** The call that carries many: its method and the start of its path. */
  call: RegExp;
  /** How people can stand in the tool before, beside those of every tool. */
  people?: Readonly<Record<string, (email: string, side: Side<Fake>) => void | Promise<void>>>;
  /** So many calls for so many contacts, at the most. */
  calls(people: number): number;
  /** How many people the counted calls are for; a full batch, where nothing is said. */
  counted?: number;
  /** The account lacks the call: a failure is everybody's own, be it the same one. */
  isOneByOne?: boolean;
}

interface Particulars<Fake extends FakeTool> {
  cases: readonly Case<Fake>[];
  /** Not taken by the tool, where it looks at addresses at all. */
  badAddress?: string;
  prepare?: (fake: Fake) => void;
}

const RESOURCE_OF = {
  list: 'lists',
  tag: 'tags',
  suppression_group: 'suppression_groups',
  automation: 'automations',
  funnel: 'funnels',
} as const;

export function describeBatches<Fake extends FakeTool>(
  connector: Connector,
  start: () => Promise<Fake>,
  { cases, badAddress, prepare = () => {} }: Particulars<Fake>,
): void {
  let outbound: Outbound;
  let together: Fake;
  let apart: Fake;
  let count = 0;

  /** What the bad address brought up; whatever is wrong without it has come up before. */
  const expected = new Set<string>();
  const violations = () => [...(together.violations ?? []), ...(apart.violations ?? [])];

  const { batchSize, applyMany, stateMany } = connector;
  if (batchSize === undefined || applyMany === undefined) throw new Error('It has no batches');

  const open = ({ url: baseUrl, credentials }: Fake) =>
    openToolApi(connector, credentials, {
      outbound,
      clock: { now: () => NOW },
      baseUrl,
      wait: async () => {},
    });

  function sideOf(fake: Fake, { type, target }: Case<Fake>): Side<Fake> {
    const kind = type === 'global_unsubscribe' ? null : RESOURCE_OF[type];
    const [made = { id: '', name: '' }] =
      target !== undefined ? [target(fake)] : kind === null ? [] : fake.addResources(kind, 1);
    return { fake, api: open(fake), target: made };
  }

  /** On both, so that one never has what the other lacks. */
  const sidesOf = (one: Case<Fake>) => [sideOf(together, one), sideOf(apart, one)] as const;

  const changeOf = ({ type, on }: Case<Fake>, email: string, target: Resource): Change =>
    type === 'global_unsubscribe' ? { type, email, on } : { type, email, target, on };

  describe(`batches of ${connector.name}`, () => {
    beforeAll(async () => {
      outbound = createOutbound({ allowPrivateTargets: true });
      together = await start();
      apart = await start();
      for (const fake of [together, apart]) prepare(fake);
    });

    beforeEach(() => {
      for (const fake of [together, apart]) fake.rule(() => null);
    });

    afterAll(async () => {
      outbound.close();
      await together.close();
      await apart.close();
    });

    it('are of changes that the tool can do, and of no change of an address', () => {
      for (const { type, on } of cases) {
        expect(connector.actions[type].can).toBe(true);
        expect(
          batchSize(changeOf({ type, on } as Case<Fake>, 'a@example.com', { id: '1', name: '' })),
        ).toBeGreaterThan(1);
      }
      expect(batchSize({ type: 'switch_email', from: 'a@example.com', email: 'b@example.com' })).toBe(1);
    });

    it('of nobody do nothing', async () => {
      const before = together.seen.length;
      expect(await applyMany(open(together), [])).toEqual([]);
      expect(together.seen).toHaveLength(before);
    });

    describe.each(cases)('$type, on: $on', (one) => {
      const bring = (side: Side<Fake>, email: string, on = one.on) =>
        connector.apply(side.api, { ...changeOf(one, email, side.target), on } as Change);
      const contact = (email: string, { fake }: Side<Fake>) => fake.addContact(email);
      const everybody: Record<string, NonNullable<Case<Fake>['people']>[string]> = {
        stranger: () => {},
        contact,
        async there(email, side) {
          side.fake.addContact(email);
          await bring(side, email);
        },
        ...one.people,
      };
      const capability = connector.actions[one.type];
      if (capability.can && capability.operations.length === 2) {
        everybody['gone and back'] = async (email, side) => {
          side.fake.addContact(email);
          await bring(side, email, true);
          await bring(side, email, false);
        };
      }
      const names = [...Object.keys(everybody), ...(badAddress === undefined ? [] : ['bad'])];

      /** Stands people up on both sides alike. */
      async function stand(who: readonly string[], sides: readonly Side<Fake>[]): Promise<string[]> {
        const emails = who.map((name) =>
          name === 'bad' ? (badAddress ?? '') : `Person-${(count += 1)}@example.com`,
        );
        for (const side of sides) {
          for (const [at, name] of who.entries()) await everybody[name]?.(emails[at] ?? '', side);
        }
        return emails;
      }

      async function applyApart(
        side: Side<Fake>,
        emails: readonly string[],
      ): Promise<(ConnectorFailure | null)[]> {
        const outcomes: (ConnectorFailure | null)[] = [];
        for (const email of emails) {
          try {
            await bring(side, email);
            outcomes.push(null);
          } catch (error) {
            if (!(error instanceof ConnectorError)) throw error;
            outcomes.push(error.kind);
          }
        }
        return outcomes;
      }

      const manyOf = (side: Side<Fake>, emails: readonly string[]) =>
        applyMany(
          side.api,
          emails.map((email) => changeOf(one, email, side.target)),
        );

      /** What the tool holds, and says; ids may differ between the two. */
      async function stateOf({ fake, api, target }: Side<Fake>, email: string): Promise<string> {
        // A tool may refuse to look for what is no address.
        const state = email === badAddress ? null : await connector.state(api, email);
        const text = JSON.stringify({ holds: fake.holds(email), state }, null, 1);
        // An id may hold another one.
        const [outer = ''] = target.id.split('/', 1);
        return target.id === ''
          ? text
          : text.replaceAll(target.id, 'the target').replaceAll(outer, 'around the target');
      }

      it('ends where one by one ends, with the same refusals', async () => {
        const sides = sidesOf(one);
        const crowds = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 10 });
        const check = async (who: string[]) => {
          const before = new Set(violations());
          const emails = await stand(who, sides);
          const outcomes = await manyOf(sides[0], emails);
          expect(outcomes.map((outcome) => outcome?.kind ?? null)).toEqual(
            await applyApart(sides[1], emails),
          );
          for (const email of emails) {
            expect(await stateOf(sides[0], email)).toEqual(await stateOf(sides[1], email));
          }
          const fresh = violations().filter((line) => !before.has(line));
          if (who.includes('bad')) for (const line of fresh) expected.add(line);
        };
        const examples: [string[]][] = [[Object.keys(everybody)], [names], [names.toReversed()]];
        await fc.assert(fc.asyncProperty(crowds, check), { numRuns: 12, seed: 7, examples });
      });

      it('takes few calls', async () => {
        const [side] = sidesOf(one);
        const people = one.counted ?? batchSize(changeOf(one, '', side.target));
        const emails = await stand(
          Array.from({ length: people }, () => (one.on ? 'contact' : 'was in')).map((name) =>
            name in everybody ? name : 'contact',
          ),
          [side],
        );
        const before = together.seen.length;
        const outcomes = await manyOf(side, emails);
        expect(outcomes).toEqual(emails.map(() => null));
        expect(together.seen.length - before).toBeLessThanOrEqual(one.calls(people));
      });

      it.each([
        ['429', { status: 429, headers: JSON_TYPE, body: '{}' }, 'rate_limited'],
        ['500', { status: 500, headers: JSON_TYPE, body: '{}' }, 'unavailable'],
        [
          'an answer that is none of the tool’s',
          { status: 200, headers: JSON_TYPE, body: '[7]' },
          'unavailable',
        ],
      ] as const)('fails for all by %s', async (_name, trouble, kind) => {
        const [side] = sidesOf(one);
        const was = 'was in' in everybody ? 'was in' : 'contact';
        const emails = await stand([was, was, was], [side]);
        const isMeant = ({ method, url }: Seen) => one.call.test(`${method} ${url}`);
        together.rule((seen) => (isMeant(seen) ? trouble : null));
        const told: unknown = await manyOf(side, emails).catch((reason: unknown) => reason);
        together.rule(() => null);
        const errors = one.isOneByOne === true ? (told as unknown[]) : [told];
        for (const error of errors) {
          expect(error).toBeInstanceOf(ConnectorError);
          expect(error).toMatchObject({ kind });
        }
        expect(await manyOf(side, emails)).toEqual([null, null, null]);
      });

      describeWhen(stateMany !== undefined)('stateMany', () => {
        it('tells of each what state does', async () => {
          const [side] = sidesOf(one);
          const emails = await stand([...Object.keys(everybody), ...Object.keys(everybody)], [side]);
          await manyOf(side, emails.slice(0, emails.length / 2));
          const told = (await stateMany?.(side.api, emails)) ?? [];
          expect(told).toHaveLength(emails.length);
          for (const [at, email] of emails.entries())
            expect(told[at]).toEqual(await connector.state(side.api, email));
        });
      });
    });

    // The last of all, so that it has seen every call that came before.
    it("made no call, and got no answer, against the tool's own description", () => {
      expect(violations().filter((line) => !expected.has(line))).toEqual([]);
    });
  });
}

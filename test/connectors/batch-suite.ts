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
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { itWhen } from './when.ts';

/* What every connector has to hold that brings many people to the same place at once: it ends as one by one would. */

const NOW = new Date('2026-11-21T10:00:00Z');
const JSON_TYPE = { 'content-type': 'application/json' };

/** One fake with a line to it. */
export interface Side<Fake extends FakeTool> {
  fake: Fake;
  api: ToolApi;
  /** Of the change. */
  target: Resource;
}

/** How somebody stands in the tool before the change. */
type Standing<Fake extends FakeTool> = (email: string, side: Side<Fake>) => void | Promise<void>;

export interface Case<Fake extends FakeTool> {
  type: Exclude<Change['type'], 'switch_email'>;
  on: boolean;
  /** Where it is not simply the next one that the fake makes. */
  target?: (fake: Fake) => Resource;
  /** The call that carries many: its method and its path. */
  call: RegExp;
  /**
   * Beside those of every tool. `was in` has to be brought somewhere by the change; where it is missing, a mere contact
   * has to be.
   */
  people?: Readonly<Record<string, Standing<Fake>>>;
  /** So many calls for so many who have to be brought somewhere, at the most. */
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

const BAD = 'bad address';

type Batches = Connector & Required<Pick<Connector, 'batchSize' | 'applyMany'>>;

const hasBatches = (connector: Connector): connector is Batches =>
  connector.batchSize !== undefined && connector.applyMany !== undefined;

function changeOf(
  { type, on }: Pick<Change & { on: boolean }, 'type' | 'on'>,
  email: string,
  target: Resource,
): Change {
  if (type === 'switch_email') throw new Error('It is in no batch');
  return type === 'global_unsubscribe' ? { type, email, on } : { type, email, target, on };
}

/** Two fakes that stand alike: one is brought to it by `applyMany`, the other one by `apply`. */
class Bench<Fake extends FakeTool> {
  readonly connector: Batches;
  readonly badAddress: string | undefined;
  /** What the bad address brought up; whatever is wrong without it has come up before. */
  readonly expected = new Set<string>();
  #outbound: Outbound | undefined;
  #fakes: readonly Fake[] = [];
  #count = 0;

  constructor(connector: Batches, badAddress: string | undefined) {
    this.connector = connector;
    this.badAddress = badAddress;
  }

  async start(start: () => Promise<Fake>, prepare: (fake: Fake) => void): Promise<void> {
    this.#outbound = createOutbound({ allowPrivateTargets: true });
    this.#fakes = [await start(), await start()];
    this.#fakes.forEach(prepare);
  }

  calm(): void {
    for (const fake of this.#fakes) fake.rule(() => null);
  }

  async close(): Promise<void> {
    this.#outbound?.close();
    for (const fake of this.#fakes) await fake.close();
  }

  /** A target on both, so that neither has what the other lacks. */
  sidesOf({ type, target }: Case<Fake>): [Side<Fake>, Side<Fake>] {
    const [together, apart] = this.#fakes.map((fake) => {
      const kind = type === 'global_unsubscribe' ? null : RESOURCE_OF[type];
      const made = target?.(fake) ?? (kind === null ? undefined : fake.addResources(kind, 1)[0]);
      return { fake, api: this.#open(fake), target: made ?? { id: '', name: '' } };
    });
    if (together === undefined || apart === undefined) throw new Error('It has not started');
    return [together, apart];
  }

  #open({ url: baseUrl, credentials }: Fake): ToolApi {
    if (this.#outbound === undefined) throw new Error('It has not started');
    const clock = { now: () => NOW };
    const line = { outbound: this.#outbound, clock, baseUrl, wait: async () => {} };
    return openToolApi(this.connector, credentials, line);
  }

  freshEmail(): string {
    return `Person-${(this.#count += 1)}@example.com`;
  }

  violations(): string[] {
    return this.#fakes.flatMap(({ violations = [] }) => violations);
  }

  /** What the tool holds, and says. Ids of the two may differ, and one may be within another. */
  async stateOf({ fake, api, target: { id } }: Side<Fake>, email: string): Promise<string> {
    // A tool may refuse to look for what is no address.
    const state = email === this.badAddress ? null : await this.connector.state(api, email);
    const text = JSON.stringify({ holds: fake.holds(email), state }, null, 1);
    const [outer = ''] = id.split('/', 1);
    return id === '' ? text : text.replaceAll(id, 'the target').replaceAll(outer, 'around the target');
  }
}

/** One case on a bench. */
class Trial<Fake extends FakeTool> {
  readonly people: Readonly<Record<string, Standing<Fake>>>;
  readonly #bench: Bench<Fake>;
  readonly #one: Case<Fake>;

  constructor(bench: Bench<Fake>, one: Case<Fake>) {
    this.#bench = bench;
    this.#one = one;
    const contact: Standing<Fake> = (email, { fake }) => fake.addContact(email);
    const there: Standing<Fake> = async (email, side) => {
      side.fake.addContact(email);
      await this.bring(side, email);
    };
    const back: Standing<Fake> = async (email, side) => {
      side.fake.addContact(email);
      await this.bring(side, email, true);
      await this.bring(side, email, false);
    };
    const capability = bench.connector.actions[one.type];
    const goesBack = capability.can && capability.operations.length === 2;
    this.people = {
      stranger: () => {},
      contact,
      there,
      ...(goesBack && { 'there and back': back }),
      ...one.people,
    };
  }

  /** Whom the change has to bring somewhere. */
  get behind(): string {
    return 'was in' in this.people ? 'was in' : 'contact';
  }

  bring({ api, target }: Side<Fake>, email: string, on = this.#one.on): Promise<void> {
    return this.#bench.connector.apply(api, changeOf({ type: this.#one.type, on }, email, target));
  }

  bringMany({ api, target }: Side<Fake>, emails: readonly string[]) {
    const changes = emails.map((email) => changeOf(this.#one, email, target));
    return this.#bench.connector.applyMany(api, changes);
  }

  async kindsApart(side: Side<Fake>, emails: readonly string[]): Promise<(ConnectorFailure | null)[]> {
    const kinds: (ConnectorFailure | null)[] = [];
    for (const email of emails) {
      try {
        await this.bring(side, email);
        kinds.push(null);
      } catch (error) {
        if (!(error instanceof ConnectorError)) throw error;
        kinds.push(error.kind);
      }
    }
    return kinds;
  }

  /** Stands people up, on all sides alike. */
  async stand(who: readonly string[], sides: readonly Side<Fake>[]): Promise<string[]> {
    const emails = who.map((name) =>
      name === BAD ? (this.#bench.badAddress ?? '') : this.#bench.freshEmail(),
    );
    for (const side of sides) {
      for (const [at, name] of who.entries()) await this.people[name]?.(emails[at] ?? '', side);
    }
    return emails;
  }
}

function endsAlike<Fake extends FakeTool>(bench: Bench<Fake>, trial: Trial<Fake>, one: Case<Fake>): void {
  it('ends where one by one ends, with the same refusals', async () => {
    const sides = bench.sidesOf(one);
    const all = Object.keys(trial.people);
    const names = bench.badAddress === undefined ? all : [...all, BAD];
    const crowds = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 10 });

    const check = async (who: string[]) => {
      const before = new Set(bench.violations());
      const emails = await trial.stand(who, sides);
      const kinds = (await trial.bringMany(sides[0], emails)).map((outcome) => outcome?.kind ?? null);
      expect(kinds).toEqual(await trial.kindsApart(sides[1], emails));
      for (const email of emails) {
        expect(await bench.stateOf(sides[0], email)).toEqual(await bench.stateOf(sides[1], email));
      }
      const fresh = bench.violations().filter((line) => !before.has(line));
      if (who.includes(BAD)) for (const line of fresh) bench.expected.add(line);
    };
    const examples: [string[]][] = [[all], [names], [names.toReversed()]];
    await fc.assert(fc.asyncProperty(crowds, check), { numRuns: 6, seed: 7, examples });
  });
}

function takesFewCalls<Fake extends FakeTool>(bench: Bench<Fake>, trial: Trial<Fake>, one: Case<Fake>): void {
  it('takes few calls', async () => {
    const [side] = bench.sidesOf(one);
    const count = one.counted ?? bench.connector.batchSize(changeOf(one, '', side.target));
    const emails = await trial.stand(
      Array.from({ length: count }, () => trial.behind),
      [side],
    );
    const before = side.fake.seen.length;
    expect(await trial.bringMany(side, emails)).toEqual(emails.map(() => null));
    expect(side.fake.seen.length - before).toBeLessThanOrEqual(one.calls(count));
  });
}

function failsForAll<Fake extends FakeTool>(bench: Bench<Fake>, trial: Trial<Fake>, one: Case<Fake>): void {
  it.each([
    ['429', 429, '{}', 'rate_limited'],
    ['500', 500, '{}', 'unavailable'],
    ['an answer that is none of the tool’s', 200, '[7]', 'unavailable'],
  ] as const)('fails for all by %s', async (_name, status, body, kind) => {
    const [side] = bench.sidesOf(one);
    const emails = await trial.stand([trial.behind, trial.behind, trial.behind], [side]);
    const trouble = { status, headers: JSON_TYPE, body };
    side.fake.rule(({ method, url }) => (one.call.test(`${method} ${url}`) ? trouble : null));
    const told: unknown = await trial.bringMany(side, emails).catch((reason: unknown) => reason);
    side.fake.rule(() => null);
    for (const error of one.isOneByOne === true ? (told as unknown[]) : [told]) {
      expect(error).toBeInstanceOf(ConnectorError);
      expect(error).toMatchObject({ kind });
    }
    expect(await trial.bringMany(side, emails)).toEqual([null, null, null]);
  });
}

function tellsStates<Fake extends FakeTool>(bench: Bench<Fake>, trial: Trial<Fake>, one: Case<Fake>): void {
  const { connector } = bench;
  itWhen(connector.stateMany !== undefined)('tells of many what it tells of each', async () => {
    const [side] = bench.sidesOf(one);
    const names = Object.keys(trial.people);
    const emails = await trial.stand([...names, ...names], [side]);
    await trial.bringMany(side, emails.slice(0, names.length));
    const told = (await connector.stateMany?.(side.api, emails)) ?? [];
    expect(told).toHaveLength(emails.length);
    for (const [at, email] of emails.entries()) {
      expect(told[at]).toEqual(await connector.state(side.api, email));
    }
  });
}

/** Runs the shared tests of what a connector does for many people at once. */
export function describeBatches<Fake extends FakeTool>(
  connector: Connector,
  start: () => Promise<Fake>,
  { cases, badAddress, prepare = () => {} }: Particulars<Fake>,
): void {
  if (!hasBatches(connector)) throw new Error(`${connector.name} has no batches`);
  const bench = new Bench<Fake>(connector, badAddress);

  describe(`batches of ${connector.name}`, () => {
    beforeAll(() => bench.start(start, prepare));
    beforeEach(() => bench.calm());
    afterAll(() => bench.close());

    it('are of changes that the tool can do, and of no change of an address', () => {
      for (const one of cases) {
        expect(connector.actions[one.type].can).toBe(true);
        const change = changeOf(one, 'a@example.com', { id: '1', name: '' });
        expect(connector.batchSize(change)).toBeGreaterThan(1);
      }
      const move = { type: 'switch_email', from: 'a@example.com', email: 'b@example.com' } as const;
      expect(connector.batchSize(move)).toBe(1);
    });

    it('of nobody do nothing', async () => {
      for (const one of cases.slice(0, 1)) {
        const [{ api, fake }] = bench.sidesOf(one);
        const before = fake.seen.length;
        expect(await connector.applyMany(api, [])).toEqual([]);
        expect(fake.seen).toHaveLength(before);
      }
    });

    describe.each(cases)('$type, on: $on', (one) => {
      const trial = new Trial(bench, one);
      endsAlike(bench, trial, one);
      takesFewCalls(bench, trial, one);
      failsForAll(bench, trial, one);
      tellsStates(bench, trial, one);
    });

    // The last of all, so that it has seen every call that came before.
    it("made no call, and got no answer, against the tool's own description", () => {
      expect(bench.violations().filter((line) => !bench.expected.has(line))).toEqual([]);
    });
  });
}

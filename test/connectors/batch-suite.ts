import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Connector, ConnectorError } from '#server/connectors/connector.ts';
import { StandingReports } from '#server/delivery/sending/tool-effects.ts';
import type { FakeTool } from '#test/fakes/tools/fake-tool.ts';
import { BAD, Bench, type Case, changeOf, hasBatches, Trial } from './batch-bench.ts';
import { itWhen } from './when.ts';

/* What every connector has to hold that brings many people to the same place at once: it ends as one by one would. */

const JSON_TYPE = { 'content-type': 'application/json' };

interface Particulars<Fake extends FakeTool> {
  cases: readonly Case<Fake>[];
  /** Not taken by the tool, where it looks at addresses at all. */
  badAddress?: string;
  prepare?: (fake: Fake) => void;
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

/** A batch reports it of some only: of the others it counts as unknown. */
function tellsWhoWasThere<Fake extends FakeTool>(
  bench: Bench<Fake>,
  trial: Trial<Fake>,
  one: Case<Fake>,
): void {
  it('reports who was there before, as far as it reports anything', async () => {
    const [side] = bench.sidesOf(one);
    const emails = await trial.stand(['there', trial.behind, 'there', trial.behind], [side]);
    const reports = new StandingReports();
    const api = { ...side.api, found: reports.found };
    await trial.bringMany({ ...side, api }, emails);
    const told = emails.map((email) => reports.of(email));
    expect(told.map((was, at) => was ?? at % 2 === 0)).toEqual([true, false, true, false]);
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
      tellsWhoWasThere(bench, trial, one);
      tellsStates(bench, trial, one);
    });

    // The last of all, so that it has seen every call that came before.
    it("made no call, and got no answer, against the tool's own description", () => {
      expect(bench.violations().filter((line) => !bench.expected.has(line))).toEqual([]);
    });
  });
}

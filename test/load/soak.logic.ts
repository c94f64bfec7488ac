import { median } from './measure.ts';

/** What one request or one look at the processes gave, and when: seconds since the load began. */
export interface Timed {
  at: number;
  value: number;
}

export interface Observed {
  saves: Timed[];
  pages: Timed[];
  /** Resident memory of the product's process, in MB. */
  memory: Timed[];
  /** Of all sites: deliveries that have waited for a minute without an attempt. */
  overdue: Timed[];
  /** Of all sites: deliveries that were tried and are to be tried again. */
  retrying: Timed[];
  /** Emails, imports and other jobs that have waited for a minute. */
  jobs: Timed[];
  /** Milliseconds for the same piece of work each time: they rise when the machine is slower or busier, and only then. */
  fixedWork: Timed[];
  /** What went wrong, a line each. */
  failures: string[];
  /** When hostile requests were sent: seconds since the load began. */
  attack: { from: number; to: number };
}

/** The slowest hundredth of requests that aren't hostile, in milliseconds: beside hostile requests and without. */
export interface BesideAttack {
  saves: { beside: number; without: number };
  pages: { beside: number; without: number };
}

export interface Quarter {
  saveP50: number;
  saveP99: number;
  pageP50: number;
  pageP99: number;
  fixedWork: number;
  memory: number;
  overdue: number;
  retrying: number;
  jobs: number;
}

/** A later quarter's slowest requests may take so much longer than the first quarter's. */
const SLOWER = 1.2;
/** Memory settles in the first quarter; after that, it may move by so much. */
const LARGER = 1.1;
/** Beside hostile requests, the slowest requests of others may take so much longer than without. */
const SLOWER_BESIDE_ATTACK = 2;
/** So many overdue deliveries come and go with each import. */
const MORE_WAITING = 20;

/** What waits, and its name in a complaint. */
const QUEUES = [
  ['overdue', 'Overdue deliveries'],
  ['retrying', 'Deliveries to be tried again'],
  ['jobs', 'Waiting jobs'],
] as const;

/** @returns the 99th percentile, 0 without values */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}

/** @param seconds how long the load lasted */
export function quartersOf(observed: Observed, seconds: number): Quarter[] {
  const within = (all: readonly Timed[], quarter: number) =>
    all.filter(({ at }) => Math.min(3, Math.floor((at / seconds) * 4)) === quarter).map(({ value }) => value);
  return [0, 1, 2, 3].map((quarter) => ({
    saveP50: median(within(observed.saves, quarter)),
    saveP99: p99(within(observed.saves, quarter)),
    pageP50: median(within(observed.pages, quarter)),
    pageP99: p99(within(observed.pages, quarter)),
    fixedWork: median(within(observed.fixedWork, quarter)),
    memory: median(within(observed.memory, quarter)),
    overdue: median(within(observed.overdue, quarter)),
    retrying: median(within(observed.retrying, quarter)),
    jobs: median(within(observed.jobs, quarter)),
  }));
}

export function besideAttackOf({ saves, pages, attack: { from, to } }: Observed): BesideAttack {
  const p99s = (all: readonly Timed[]) => {
    const isBeside = ({ at }: Timed) => at >= from && at < to;
    const valuesOf = (some: readonly Timed[]) => p99(some.map(({ value }) => value));
    return {
      beside: valuesOf(all.filter(isBeside)),
      without: valuesOf(all.filter((one) => !isBeside(one))),
    };
  };
  return { saves: p99s(saves), pages: p99s(pages) };
}

/** @returns what didn't stay level, a sentence each; nothing if all did */
export function complaintsOf(
  quarters: readonly Quarter[],
  besideAttack: BesideAttack,
  failures: readonly string[],
): string[] {
  const [first, second, , last] = quarters;
  if (first === undefined || second === undefined || last === undefined)
    throw new Error('Four quarters, please');
  return [
    ...(failures.length > 0
      ? [`${failures.length} requests failed: ${failures.slice(0, 3).join('; ')}`]
      : []),
    ...(last.saveP99 > first.saveP99 * SLOWER
      ? [
          `The slowest saves took ${last.saveP99.toFixed(0)} ms at the end, ${first.saveP99.toFixed(0)} ms at first`,
        ]
      : []),
    ...(last.pageP99 > first.pageP99 * SLOWER
      ? [
          `The slowest pages took ${last.pageP99.toFixed(0)} ms at the end, ${first.pageP99.toFixed(0)} ms at first`,
        ]
      : []),
    ...(last.memory > second.memory * LARGER
      ? [`Memory grew from ${second.memory.toFixed(0)} to ${last.memory.toFixed(0)} MB`]
      : []),
    ...(['saves', 'pages'] as const).flatMap((what) => {
      const { beside, without } = besideAttack[what];
      return beside > without * SLOWER_BESIDE_ATTACK
        ? [
            `The slowest ${what} took ${beside.toFixed(0)} ms beside hostile requests, ${without.toFixed(0)} ms without`,
          ]
        : [];
    }),
    ...QUEUES.flatMap(([key, name]) =>
      last[key] > second[key] + MORE_WAITING ? [`${name} grew from ${second[key]} to ${last[key]}`] : [],
    ),
  ];
}

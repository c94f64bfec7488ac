import { expect, it } from 'vitest';
import { besideAttackOf, complaintsOf, type Observed, p99, quartersOf } from './soak.logic.ts';

const LEVEL = {
  saveP50: 8,
  saveP99: 40,
  pageP50: 2,
  pageP99: 20,
  fixedWork: 5,
  memory: 200,
  overdue: 3,
  retrying: 30,
  jobs: 1,
};

const CALM = { saves: { beside: 80, without: 40 }, pages: { beside: 40, without: 20 } };

const quarters = (last: Partial<typeof LEVEL>) => [LEVEL, LEVEL, LEVEL, { ...LEVEL, ...last }];

it('a soak test reports nothing where all stays level', () => {
  expect(
    complaintsOf(quarters({ saveP99: 47, memory: 215, overdue: 20, retrying: 50, jobs: 21 }), CALM, []),
  ).toEqual([]);
});

it.each([
  [{ saveP99: 49 }, 'The slowest saves took 49 ms at the end, 40 ms at first'],
  [{ pageP99: 25 }, 'The slowest pages took 25 ms at the end, 20 ms at first'],
  [{ memory: 221 }, 'Memory grew from 200 to 221 MB'],
  [{ overdue: 24 }, 'Overdue deliveries grew from 3 to 24'],
  [{ retrying: 51 }, 'Deliveries to be tried again grew from 30 to 51'],
  [{ jobs: 22 }, 'Waiting jobs grew from 1 to 22'],
])('a soak test reports what grew: %j', (last, sentence) => {
  expect(complaintsOf(quarters(last), CALM, [])).toEqual([sentence]);
});

it('a soak test counts failures, and reports the first', () => {
  expect(complaintsOf(quarters({}), CALM, ['save: 500', 'page: 503'])).toEqual([
    '2 requests failed: save: 500; page: 503',
  ]);
});

it('a soak test divides the time into quarters', () => {
  const timed = (value: number, at: number) => ({ at, value });
  const observed: Observed = {
    saves: [timed(10, 0), timed(20, 1), timed(30, 2), timed(50, 100)],
    pages: [timed(2, 26), timed(3, 27), timed(9, 49.9)],
    memory: [timed(100, 30), timed(300, 31), timed(200, 49)],
    overdue: [timed(7, 80)],
    retrying: [timed(40, 10), timed(60, 90)],
    jobs: [timed(2, 30)],
    fixedWork: [timed(5, 10), timed(6, 60)],
    failures: [],
    attack: { from: 40, to: 60 },
  };
  const nothing = {
    saveP50: 0,
    saveP99: 0,
    pageP50: 0,
    pageP99: 0,
    fixedWork: 0,
    memory: 0,
    overdue: 0,
    retrying: 0,
    jobs: 0,
  };
  expect(quartersOf(observed, 100)).toEqual([
    { ...nothing, saveP50: 20, saveP99: 30, fixedWork: 5, retrying: 40 },
    { ...nothing, pageP50: 3, pageP99: 9, memory: 200, jobs: 2 },
    { ...nothing, fixedWork: 6 },
    { ...nothing, saveP50: 50, saveP99: 50, overdue: 7, retrying: 60 },
  ]);
});

it('a soak test reports the slowest hundredth', () => {
  expect(p99(Array.from({ length: 200 }, (_, index) => index + 1))).toBe(198);
  expect(p99([])).toBe(0);
});

it('a soak test compares what is slow beside hostile requests with what is slow without', () => {
  const timed = (value: number, at: number) => ({ at, value });
  const observed = {
    ...{ memory: [], overdue: [], retrying: [], jobs: [], fixedWork: [], failures: [] },
    saves: [timed(10, 0), timed(70, 40), timed(90, 59), timed(20, 60)],
    pages: [timed(5, 39), timed(11, 50)],
    attack: { from: 40, to: 60 },
  };
  const beside = besideAttackOf(observed);
  expect(beside).toEqual({ saves: { beside: 90, without: 20 }, pages: { beside: 11, without: 5 } });
  expect(complaintsOf(quarters({}), beside, [])).toEqual([
    'The slowest saves took 90 ms beside hostile requests, 20 ms without',
    'The slowest pages took 11 ms beside hostile requests, 5 ms without',
  ]);
});

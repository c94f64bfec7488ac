import { expect, it } from 'vitest';
import { boundOf, type GrowthRow, tableOf } from './growth-table.ts';

const row = (name: string, ...blocks: number[]): GrowthRow => ({
  name,
  bySize: new Map(blocks.map((count, index) => [10_000 * 10 ** index, { blocks: count, ms: count / 10 }])),
});

it.each([
  ['getList', [30, 32, 29], 'flat'],
  ['listEvidence newest', [10, 180, 290], 'flat'],
  ['listEvidence leaves', [10, 180, 1200], 'its page'],
  ['exportCustomers to the first bytes', [59, 431, 158], 'the first portion'],
  ['listCustomers bounced', [372, 22_002, 26_799], '100,000 customers'],
  ['countReplays', [20, 900, 9000], 'counts end'],
  ['erase a customer', [200, 500, 4000], '30 days'],
  ['getDashboard range=7d', [253, 491, 1513], 'days at the ends of the range'],
])('the growth of %s is reported with its end', (name, blocks, bound) => {
  expect(boundOf(row(name, ...blocks))).toBe(bound);
});

it('the table has blocks and milliseconds of each size in the order of sizes, or a refusal in their place', () => {
  const refused: GrowthRow = { name: 'getAccount', bySize: new Map([[100_000, '503 away']]) };
  expect(tableOf([row('getList', 30, 2000), refused])).toBe(
    [
      '| blocks / ms, by number of customers | 10,000 | 100,000 | bound |',
      '|---|---:|---:|---|',
      '| getList | 30 / 3.0 | 2,000 / 200 | its page |',
      '| getAccount |  | 503 away | flat |',
    ].join('\n'),
  );
});

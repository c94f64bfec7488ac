/* The table that `npm run bench -- growth` prints: what each route costs at each size, and what ends its growth. */

/** What a call cost at a size; a sentence where it was refused. */
export type Measured = { blocks: number; ms: number } | string;

export interface GrowthRow {
  name: string;
  /** By the number of customers. */
  bySize: Map<number, Measured>;
}

/** Looks at a walk of customers, 100,000 at most (decision 044): `growth.test.ts` holds that it ends. */
export const WALKS = /^(listCustomers|countCustomers|exportCustomers) /;

/** Ends at so many rows: 1,000 judged leaves and as many reasons, 10,000 or 100,000 counted. */
export const COUNTS = /^(getLeaveJudgements|countReplays|listDifferences)/;

/** Of the last 30 days; an erasure looks through every cell of their imports. */
export const MONTHS = /^(listBulkChanges|getActionFigures|erase a customer)/;

const BOUNDS: [name: RegExp, bound: string][] = [
  [/^export\w+ .*first bytes/, 'the first portion'],
  [WALKS, '100,000 customers'],
  [COUNTS, 'counts end'],
  [MONTHS, '30 days'],
  [/^getDashboard/, 'days at the ends of the range'],
  [/^getListFigures/, 'counters since the last night'],
  [/^listDeliveries arrived/, 'deliveries that wait'],
];

/** A page of 25 rows with what belongs to them touches so many blocks, where the smaller site had none. */
export const FULL_PAGE = 300;

/** @returns the most blocks that a call may touch on a larger site, if it is not to count as grown */
export function mostBlocks(onTheSmallest: number, fullPage = FULL_PAGE): number {
  return Math.max(4 * onTheSmallest + 150, fullPage);
}

/** @returns `flat`, or what ends the growth of a call that touches more than twice as many blocks on larger sites */
export function boundOf({ name, bySize }: GrowthRow): string {
  const blocks = [...bySize.values()].flatMap((one) => (typeof one === 'string' ? [] : [one.blocks]));
  const [smallest = 0, ...larger] = blocks;
  if (larger.every((one) => one <= Math.max(2 * smallest, FULL_PAGE))) return 'flat';
  return BOUNDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'its page';
}

const cellOf = (measured: Measured | undefined) => {
  if (measured === undefined) return '';
  if (typeof measured === 'string') return measured;
  const { blocks, ms } = measured;
  return `${blocks.toLocaleString('en')} / ${ms.toFixed(ms < 10 ? 1 : 0)}`;
};

/** @returns a table in Markdown, with blocks and milliseconds of each row at each size */
export function tableOf(rows: readonly GrowthRow[]): string {
  const sizes = [...new Set(rows.flatMap(({ bySize }) => [...bySize.keys()]))].toSorted((a, b) => a - b);
  const head = ['blocks / ms, by number of customers', ...sizes.map((size) => size.toLocaleString('en'))];
  return [
    `| ${head.join(' | ')} | bound |`,
    `|---|${'---:|'.repeat(sizes.length)}---|`,
    ...rows.map(
      (row) =>
        `| ${[row.name, ...sizes.map((size) => cellOf(row.bySize.get(size))), boundOf(row)].join(' | ')} |`,
    ),
  ].join('\n');
}

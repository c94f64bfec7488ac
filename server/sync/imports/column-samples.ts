import { type DateOrder, dateOrderOf } from '#contract/import-cells.ts';
import type { ColumnSamples } from '#contract/imports.ts';
import type { SampledColumn } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { CsvRow } from './csv-file.ts';
import { type ImportJob, rowsWithNumbers } from './imports.sql.ts';

/** Different values shown of each column. */
const MOST_VALUES = 3;

/** Counts what is in each column while the rows of a file pass by. */
export class ColumnCounter {
  readonly #columns: { filled: number; values: Set<string>; rows: number[]; orders: Set<DateOrder> }[];

  constructor(columns: readonly string[]) {
    this.#columns = columns.map(() => ({ filled: 0, values: new Set(), rows: [], orders: new Set() }));
  }

  add({ number, fields }: CsvRow): void {
    for (const [index, column] of this.#columns.entries()) {
      const value = (fields[index] ?? '').trim();
      if (value === '') continue;
      column.filled += 1;
      const order = dateOrderOf(value);
      if (order !== null) column.orders.add(order);
      if (column.values.size >= MOST_VALUES || column.values.has(value)) continue;
      column.values.add(value);
      column.rows.push(number);
    }
  }

  sampled(): SampledColumn[] {
    return this.#columns.map(({ filled, rows, orders }) => {
      const [order = null, ...others] = orders;
      return { filled, rows, date_order: others.length === 0 ? order : null };
    });
  }
}

/** The first values of each column; null where nothing is to be matched, and where an earlier version read the file. */
export async function columnSamplesOf(site: SiteDb, job: ImportJob): Promise<ColumnSamples | null> {
  const { status, column_samples: columns } = job;
  if (columns === null || (status !== 'uploaded' && status !== 'checked')) return null;
  const numbers = [...new Set(columns.flatMap(({ rows }) => rows))];
  const rows = new Map(
    (await rowsWithNumbers(site, job.id, numbers)).map((row) => [row.number, row.fields ?? []]),
  );
  return columns.map(({ filled, rows: of, date_order }, index) => ({
    filled,
    date_order,
    values: of.flatMap((number) => {
      const value = rows.get(number)?.[index] ?? '';
      return value.trim() === '' ? [] : [value];
    }),
  }));
}

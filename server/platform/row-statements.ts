import type { Statement } from './database.ts';

/**
 * How many rows a statement may have. Few sizes, because each is prepared on each connection; not fewer, because where
 * tables are distributed, each statement waits for the one before it: up to eight rows are one, up to 64 at most three.
 */
const SIZES = [64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1];

/** Splits rows into the largest of these sizes. */
function chunksOf<Row>(rows: readonly Row[]): Row[][] {
  const slices: Row[][] = [];
  let at = 0;
  while (at < rows.length) {
    const left = rows.length - at;
    const size = SIZES.find((one) => one <= left) ?? left;
    slices.push(rows.slice(at, at + size));
    at += size;
  }
  return slices;
}

/** `($1::uuid, $2), ($3::uuid, $4)` */
function placeholders(casts: readonly string[], rows: number): string {
  let number = 0;
  const row = () => `(${casts.map((cast) => `$${(number += 1)}${cast}`).join(', ')})`;
  return Array.from({ length: rows }, row).join(', ');
}

/**
 * Statements over any number of rows. Their texts hold no values and are built once for each size, because building
 * them takes longer than sending them. Multi-row VALUES, because Citus refuses inserts from `unnest`.
 */
function statementsOver<Row>(
  textFor: (rows: number) => string,
  valuesOf: (siteId: string, rows: readonly Row[]) => unknown[],
): (siteId: string, rows: readonly Row[]) => Statement[] {
  const texts = new Map<number, string>();
  function textOf(rows: number): string {
    const known = texts.get(rows);
    if (known !== undefined) return known;
    const text = textFor(rows);
    texts.set(rows, text);
    return text;
  }
  return (siteId, rows) =>
    chunksOf(rows).map((slice) => ({
      sql: textOf(slice.length),
      parameters: valuesOf(siteId, slice),
    }));
}

/**
 * @param columns of the rows, after the site's id
 * @param after the clause after the rows, for example `on conflict ...`
 */
export function insertStatements<Row extends object>(
  table: string,
  columns: readonly (keyof Row & string)[],
  after = '',
): (siteId: string, rows: readonly Row[]) => Statement[] {
  const casts = ['', ...columns.map(() => '')];
  return statementsOver(
    (rows) =>
      `insert into ${table} (site_id, ${columns.join(', ')}) values ${placeholders(casts, rows)} ${after}`,
    (siteId, rows) => rows.flatMap((row) => [siteId, ...columns.map((column) => row[column])]),
  );
}

/**
 * Updates rows by id.
 * @param types of the columns, which VALUES cannot infer
 * @param condition an extra condition on the row and on `changed`, its new values; other rows are skipped
 */
export function updateStatements<Row extends { id: string }>(
  table: string,
  types: Readonly<Record<Exclude<keyof Row & string, 'id'>, string>>,
  condition = 'true',
): (siteId: string, rows: readonly Row[]) => Statement[] {
  const columns = Object.keys(types) as Exclude<keyof Row & string, 'id'>[];
  const casts = ['::uuid', '::uuid', ...columns.map((column) => `::${types[column]}`)];
  const changes = columns.map((column) => `${column} = changed.${column}`).join(', ');
  return statementsOver(
    (rows) =>
      `with changed (site_id, id, ${columns.join(', ')}) as (values ${placeholders(casts, rows)})
       update ${table} set ${changes} from changed
       where ${table}.site_id = $${rows * casts.length + 1} and changed.site_id = ${table}.site_id
         and ${table}.id = changed.id and ${condition}`,
    (siteId, rows) => [
      ...rows.flatMap((row) => [siteId, row.id, ...columns.map((column) => row[column])]),
      siteId,
    ],
  );
}

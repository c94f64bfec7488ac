import { stringify } from 'csv-stringify/sync';

/** The byte order mark: without it, spreadsheets assume a legacy encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * A CSV file (RFC 4180), page by page. Cells that a spreadsheet would run as a formula are prefixed with an apostrophe.
 * @param pages rows of cells; as many cells as there are columns, or more
 */
export async function* csvPages(
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + written([columns]);
  for await (const rows of pages) if (rows.length > 0) yield written(rows);
}

function written(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, record_delimiter: 'windows' },
  );
}

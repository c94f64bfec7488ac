import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { email } from '#contract/fields.ts';
import { MAX_IMPORT_COLUMNS, MAX_IMPORT_ROWS } from '#contract/imports.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import { withoutGuard } from '#contract/import-cells.ts';

export interface CsvRow {
  /** Row number as in a spreadsheet. */
  number: number;
  fields: string[];
  /** Why not all of its cells can be trusted, whatever its columns mean. */
  problem: string | null;
}

export interface CsvFile {
  columns: string[];
  rows: AsyncIterable<CsvRow>;
}

const MAX_FIRST_LINE = 256 * 1024;
/** An unclosed quote would turn the rest of the file into one row. */
const MAX_ROW_BYTES = 2 * 1024 * 1024;
const MAX_CELL = 10_000;
const KEPT_OF_LONG_CELL = 1000;
const MAX_COLUMN_NAME = 200;

const refuse = (sentence: string) => invalidField('file', `file: ${sentence}`);

/**
 * Parses a CSV file while it is uploaded.
 * @throws AppError `invalid_field` if it is not a CSV file, `limit_reached` for too many rows; also while the rows
 *   are read
 */
export async function openCsv(file: AsyncIterable<Buffer>): Promise<CsvFile> {
  const chunks = utf8(file)[Symbol.asyncIterator]();
  const begin = await firstLine(chunks);
  const records = parseRecords(begin, chunks)[Symbol.asyncIterator]();
  const header = await records.next();
  if (header.done === true) throw refuse('it is empty.');
  const columns = columnsOf(header.value.record);
  return { columns, rows: rowsOf(columns, header.value.record, records) };
}

async function* utf8(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (bytes?: Buffer) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw refuse('it isn\'t UTF-8. Save it as "CSV UTF-8" and upload it again.');
    }
  };
  for await (const chunk of file) {
    check(chunk);
    yield chunk;
  }
  check();
}

async function firstLine(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let begin = Buffer.alloc(0);
  while (begin.length < MAX_FIRST_LINE && !/\S.*[\r\n]/.test(begin.toString('latin1'))) {
    const next = await chunks.next();
    if (next.done === true) break;
    begin = Buffer.concat([begin, next.value]);
  }
  return begin;
}

/** The most frequent of the three usual delimiters outside quotes in the first line. */
function delimiterOf(begin: Buffer): string {
  const text = begin
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  const [line = ''] = text.replace(/"[^"]*"/g, '').split(/[\r\n]/);
  const countOf = (delimiter: string) => line.split(delimiter).length;
  return [',', ';', '\t'].toSorted((one, other) => countOf(other) - countOf(one))[0] ?? ',';
}

interface Parsed {
  record: string[];
  info: Info;
}

async function* parseRecords(begin: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Parsed> {
  const parser = parse({
    delimiter: delimiterOf(begin),
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
  });
  const source = async function* () {
    yield begin;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  // Its failure surfaces as the parser's, which is read below.
  pipeline(Readable.from(source(), { objectMode: false }), parser).catch(() => {});
  try {
    for await (const parsed of parser) yield parsed as Parsed;
  } catch (error) {
    throw error instanceof CsvError ? asRefusal(error) : error;
  }
}

function asRefusal(error: CsvError): AppError {
  const { lines } = error as CsvError & { lines?: number };
  const where = lines === undefined ? '' : ` near line ${lines}`;
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return refuse(`a row${where} is larger than 2 MB. A closing quote may be missing.`);
  }
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return refuse(`a quote${where} isn't closed.`);
  return refuse(`it isn't valid CSV${where}.`);
}

function columnsOf(header: readonly string[]): string[] {
  if (header.length > MAX_IMPORT_COLUMNS) {
    throw refuse(`it has ${header.length} columns. We can read up to ${MAX_IMPORT_COLUMNS}.`);
  }
  if (header.some((cell) => email.safeParse(withoutGuard(cell)).success)) {
    throw refuse('its first row contains an email instead of column names. Add a header row.');
  }
  const taken = new Set<string>();
  return header.map((cell, index) => {
    const name = nameOf(cell, index);
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name} (${count})`;
    taken.add(unique);
    return unique;
  });
}

function nameOf(cell: string, index: number): string {
  const clean = withoutGuard(cell)
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff\s]+/gu, ' ')
    .trim();
  return clean === '' ? `Column ${index + 1}` : clean.slice(0, MAX_COLUMN_NAME - 10).toWellFormed();
}

async function* rowsOf(
  columns: readonly string[],
  header: readonly string[],
  records: AsyncIterator<Parsed>,
): AsyncGenerator<CsvRow> {
  let count = 0;
  for (let next = await records.next(); next.done !== true; next = await records.next()) {
    const { record, info } = next.value;
    if (record.every((cell) => cell.trim() === '')) continue;
    count += 1;
    if (count > MAX_IMPORT_ROWS) {
      const most = MAX_IMPORT_ROWS.toLocaleString('en');
      throw new AppError(
        'limit_reached',
        `file: it has more than ${most} rows. Split it into several files.`,
        {
          field: 'file',
        },
      );
    }
    const cells = withoutTail(record, columns.length);
    yield {
      number: info.records + info.empty_lines,
      fields: cells.map(storable),
      problem: problemOf(cells, columns.length, header),
    };
  }
  if (count === 0) throw refuse('it has no rows below the header.');
}

/** Spreadsheets write separators for columns that were once used. */
function withoutTail(record: string[], columns: number): string[] {
  return record.slice(columns).every((cell) => cell === '') ? record.slice(0, columns) : record;
}

function problemOf(cells: readonly string[], columns: number, header: readonly string[]): string | null {
  if (cells.length !== columns) return `The row has ${cells.length} cells, but the header has ${columns}.`;
  if (cells.every((cell, index) => cell === header[index])) return 'The row repeats the header.';
  return null;
}

function storable(cell: string): string {
  const kept = cell.length > MAX_CELL ? cell.slice(0, KEPT_OF_LONG_CELL).toWellFormed() : cell;
  return kept.replaceAll('\0', '\ufffd');
}

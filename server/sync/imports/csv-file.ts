import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { email } from '#contract/fields.ts';
import { MAX_IMPORT_COLUMNS, MAX_IMPORT_ROWS } from '#contract/imports.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import { withoutGuard } from '#contract/import-cells.ts';
import { isEmailName } from './column-names.ts';
import { utf8Of } from './text-encoding.ts';

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

/** The header is looked for in so many bytes and rows. */
const MAX_BEGIN = 256 * 1024;
const MAX_TOP_ROWS = 10;
const MAX_TOP_LINES = 2 * MAX_TOP_ROWS;
/** An unclosed quote would turn the rest of the file into one row. */
const MAX_ROW_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** A line keeps so many: far more than any file has columns, and few enough for the parser to hold them as cells. */
const MAX_DELIMITERS = 300_000;
const MAX_CELL = 10_000;
const KEPT_OF_LONG_CELL = 1000;
const MAX_COLUMN_NAME = 200;

export const refuse = (sentence: string) => invalidField('file', `file: ${sentence}`);

/**
 * Parses a CSV file while it is uploaded.
 * @throws AppError `invalid_field` if it is not a CSV file, `limit_reached` for too many rows; also while the rows
 *   are read
 */
export async function openCsv(file: AsyncIterable<Buffer>): Promise<CsvFile> {
  const chunks = utf8Of(file)[Symbol.asyncIterator]();
  const { begin, delimiter } = await topOf(chunks);
  const records = parseRecords(begin, delimiter, chunks)[Symbol.asyncIterator]();
  const { header, early } = await headerOf(records);
  if (header === null) throw refuse('it is empty.');
  const columns = columnsOf(header);
  return { columns, rows: rowsOf(columns, header, early, records) };
}

/** Enough of the file to see its header, without a line that only names the delimiter. */
async function topOf(chunks: AsyncIterator<Buffer>): Promise<{ begin: Buffer; delimiter: string }> {
  const read: Buffer[] = [];
  for (let bytes = 0, lines = 0; bytes < MAX_BEGIN && lines <= MAX_TOP_LINES;) {
    const next = await chunks.next();
    if (next.done === true) break;
    read.push(next.value);
    bytes += next.value.length;
    lines += lineEndsIn(next.value);
  }
  const begin = Buffer.concat(read);
  const lines = linesOf(begin);
  const [first = ''] = lines;
  const named = delimiterNamedBy(first);
  if (named === null) return { begin, delimiter: delimiterOf(lines) };
  return { begin: withoutLine(begin, first), delimiter: named };
}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

function lineEndsIn(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === LINE_FEED || byte === CARRIAGE_RETURN) count += 1;
  return count;
}

/** Its first lines, without empty ones. The last one may be cut off. */
function linesOf(begin: Buffer): string[] {
  return begin
    .toString('utf8')
    .split(/\r\n|\r|\n/, MAX_TOP_LINES)
    .filter((line) => line.trim() !== '');
}

function withoutLine(begin: Buffer, line: string): Buffer {
  const rest = begin.subarray(begin.indexOf(line) + Buffer.byteLength(line));
  if (rest[0] === CARRIAGE_RETURN && rest[1] === LINE_FEED) return rest.subarray(2);
  return rest.subarray(rest[0] === CARRIAGE_RETURN || rest[0] === LINE_FEED ? 1 : 0);
}

/** Excel writes `sep=;` above the header, and shows it as no row. */
function delimiterNamedBy(line: string): string | null {
  const [, , named] = /^("?)sep=([^\w\s"]|\t)\1$/i.exec(line.slice(0, 20)) ?? [];
  return named ?? null;
}

const DELIMITERS = [',', ';', '\t'];

/** That of the line with a column named as emails are; else the most frequent one of the first line that has any. */
function delimiterOf(lines: readonly string[]): string {
  for (const line of lines.slice(0, MAX_TOP_ROWS)) {
    const found = DELIMITERS.filter((one) => cellsOfLine(line, one).some(isEmailName));
    // A line without any delimiter is one column by all of them.
    if (found.length > 0 && found.length < DELIMITERS.length) return found[0] ?? ',';
  }
  const countOf = (line: string, delimiter: string) => cellsOfLine(line, delimiter).length;
  const line = lines.find((one) => DELIMITERS.some((delimiter) => countOf(one, delimiter) > 1)) ?? '';
  return DELIMITERS.toSorted((one, other) => countOf(line, other) - countOf(line, one))[0] ?? ',';
}

/** Splits at delimiters outside quotes, into as many cells as a file may have and one more. */
function cellsOfLine(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const letter of line) {
    if (cells.length > MAX_IMPORT_COLUMNS) return cells;
    if (letter === '"') isQuoted = !isQuoted;
    else if (letter === delimiter && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += letter;
  }
  return [...cells, cell];
}

interface Parsed {
  /** No more cells than a file may have columns. */
  record: string[];
  info: Info;
  /** How many cells lie beyond these, up to the last one with something in it. */
  beyond: number;
}

/** Several records wait to be read at a time, and one of two megabytes may have two million cells. */
function withFewCells({ record, info }: Omit<Parsed, 'beyond'>): Parsed {
  const last = record.findLastIndex((cell) => cell !== '');
  const beyond = Math.max(0, last + 1 - MAX_IMPORT_COLUMNS);
  return { record: record.slice(0, MAX_IMPORT_COLUMNS), info, beyond };
}

/** The parser reads a piece in one go, and a piece of two megabytes may be two million cells: others get their turn between. */
async function* inPieces(bytes: Buffer, cut: (piece: Buffer) => Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield cut(bytes.subarray(at, at + PIECE_BYTES));
    await nextTurn();
  }
}

/** @returns what cuts a line off at a flood of delimiters, piece by piece: the lines below it are read as they are */
function withoutFloods(delimiter: string): (piece: Buffer) => Buffer {
  const [wanted] = Buffer.from(delimiter);
  let delimiters = 0;
  return (piece) => {
    const kept = Buffer.allocUnsafe(piece.length);
    let length = 0;
    for (const byte of piece) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) delimiters = 0;
      else if (byte === wanted) delimiters += 1;
      if (delimiters > MAX_DELIMITERS) continue;
      kept[length] = byte;
      length += 1;
    }
    return kept.subarray(0, length);
  };
}

async function* parseRecords(
  begin: Buffer,
  delimiter: string,
  chunks: AsyncIterator<Buffer>,
): AsyncGenerator<Parsed> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    on_record: withFewCells as never,
  });
  const cut = withoutFloods(delimiter);
  const source = async function* () {
    yield* inPieces(begin, cut);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      yield* inPieces(next.value, cut);
  };
  // Its failure surfaces as the parser's, which is read below.
  pipeline(Readable.from(source(), { objectMode: false }), parser).catch(() => {});
  try {
    for await (const parsed of parser) yield parsed as Parsed;
  } catch (error) {
    throw error instanceof CsvError ? asRefusal(error) : error;
  }
}

const isFilled = (cell: string) => cell.trim() !== '';
const isEmail = (cell: string) => email.safeParse(withoutGuard(cell.trim())).success;

/**
 * The row with the names of the columns. A title and empty rows may stand above it: it is the one that names the email, or
 * else the first with several cells, if it comes before the first row with an email.
 * @returns with it, the rows below it that were read in search of it
 */
async function headerOf(
  records: AsyncIterator<Parsed>,
): Promise<{ header: string[] | null; early: Parsed[] }> {
  const seen: Parsed[] = [];
  while (seen.length < MAX_TOP_ROWS) {
    const next = await records.next();
    if (next.done === true) break;
    const record = withoutEmptyTail(next.value.record);
    if (next.value.beyond > 0) throw tooManyColumns(MAX_IMPORT_COLUMNS + next.value.beyond);
    seen.push(next.value);
    if (record.some(isEmail)) break;
    if (record.some(isEmailName)) return { header: next.value.record, early: [] };
  }
  const several = seen.findIndex(({ record }) => record.filter(isFilled).length > 1);
  const at = seen[several]?.record.some(isEmail) === false ? several : 0;
  return { header: seen[at]?.record ?? null, early: seen.slice(at + 1) };
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

const tooManyColumns = (count: number) =>
  refuse(`it has ${count} columns. We can read up to ${MAX_IMPORT_COLUMNS}.`);

function columnsOf(header: readonly string[]): string[] {
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
  early: readonly Parsed[],
  records: AsyncIterator<Parsed>,
): AsyncGenerator<CsvRow> {
  let count = 0;
  for await (const { record, info, beyond } of inOrder(early, records)) {
    if (!record.some(isFilled)) continue;
    count += 1;
    requireFewRows(count);
    const cells = withoutTail(record, columns.length);
    yield {
      number: info.records + info.empty_lines,
      fields: cells.map(storable),
      problem: problemOf(cells, beyond, header),
    };
  }
  if (count === 0) throw refuse('it has no rows below the header.');
}

/** @throws AppError `limit_reached` */
export function requireFewRows(count: number): void {
  if (count <= MAX_IMPORT_ROWS) return;
  const most = MAX_IMPORT_ROWS.toLocaleString('en');
  throw new AppError('limit_reached', `file: it has more than ${most} rows. Split it into several files.`, {
    field: 'file',
  });
}

async function* inOrder(early: readonly Parsed[], records: AsyncIterator<Parsed>): AsyncGenerator<Parsed> {
  yield* early;
  for (let next = await records.next(); next.done !== true; next = await records.next()) yield next.value;
}

/** Spreadsheets write separators for columns that were once used. */
const withoutEmptyTail = (record: string[]) => record.slice(0, record.findLastIndex(isFilled) + 1);

/** The same, of a row below a header. */
function withoutTail(record: string[], columns: number): string[] {
  return record.slice(columns).every((cell) => cell === '') ? record.slice(0, columns) : record;
}

function problemOf(cells: readonly string[], beyond: number, header: readonly string[]): string | null {
  const count = cells.length + beyond;
  if (count !== header.length) return `The row has ${count} cells, but the header has ${header.length}.`;
  if (cells.every((cell, index) => cell === header[index])) return 'The row repeats the header.';
  return null;
}

function storable(cell: string): string {
  const kept = cell.length > MAX_CELL ? cell.slice(0, KEPT_OF_LONG_CELL).toWellFormed() : cell;
  return kept.replaceAll('\0', '\ufffd');
}

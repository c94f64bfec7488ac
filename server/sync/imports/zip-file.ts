import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { MAX_IMPORT_COLUMNS } from '#contract/imports.ts';
import { AppError } from '#server/platform/errors.ts';
import { type CsvFile, type CsvRow, openCsv, refuse, requireFewRows } from './csv-file.ts';
import { STATUS_COLUMN, statusOfFile } from './export-formats.ts';
import { beginOf, startingWith } from './text-encoding.ts';

/** All that a ZIP may hold, pictures of a Mac's folders included. */
const MAX_ENTRIES = 50;
const MAX_TABLES = 8;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;
/** Tables are packed to a tenth or so; what grows a hundredfold was made to. */
const MAX_RATIO = 100;
const RATIO_COUNTS_FROM_BYTES = 1024 * 1024;

/**
 * Opens an uploaded file: a table, or a ZIP with one, or with those that Mailchimp writes for each status.
 * @throws AppError `invalid_field`, `limit_reached`; also while the rows are read
 */
export async function openFile(file: AsyncIterable<Buffer>): Promise<CsvFile> {
  const { begin, rest } = await beginOf(file, 4);
  const whole = startingWith(begin, rest);
  const isZip = begin.subarray(0, 2).toString('latin1') === 'PK' && (begin[2] ?? 0) < 9;
  return isZip ? openZip(await bytesOf(whole)) : openCsv(whole);
}

async function bytesOf(file: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Table {
  name: string;
  file: CsvFile;
}

async function openZip(bytes: Buffer): Promise<CsvFile> {
  const streams: Readable[] = [];
  const close = () => streams.forEach((stream) => stream.destroy());
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    const entries = await tablesIn(zip);
    const tables: Table[] = [];
    for (const entry of entries) {
      const stream = await zip.openReadStreamPromise(entry);
      streams.push(stream);
      tables.push({ name: nameOf(entry), file: await openCsv(contentOf(stream)) });
    }
    return closing(joined(tables), close);
  } catch (error) {
    close();
    throw error instanceof AppError ? error : damaged();
  }
}

const damaged = () => refuse('the ZIP is damaged. Unpack it and upload its CSV files.');

/** What its unpacking stumbles over is no error of ours. */
async function* contentOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch {
    throw damaged();
  }
}

const nameOf = ({ fileName }: Entry) => fileName.slice(fileName.lastIndexOf('/') + 1);

async function tablesIn(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw refuse('the ZIP holds too many files. Upload its CSV files.');
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  if (entries.some(({ fileName }) => fileName === '[Content_Types].xml')) {
    throw refuse("it's a spreadsheet. Save it as CSV and upload that file.");
  }
  const tables = entries.filter(
    (entry) => /\.(?:csv|tsv|txt)$/i.test(entry.fileName) && !/^[._]/.test(nameOf(entry)) && !isOfMac(entry),
  );
  if (tables.length === 0) throw refuse('the ZIP holds no CSV file.');
  if (tables.length > MAX_TABLES) throw refuse(`the ZIP holds more than ${MAX_TABLES} CSV files.`);
  if (tables.some((entry) => entry.isEncrypted() || !entry.canDecodeFileData())) {
    throw refuse('the ZIP has a password. Unpack it and upload its CSV files.');
  }
  requireModestSize(tables);
  return tables;
}

const isOfMac = ({ fileName }: Entry) => fileName.startsWith('__MACOSX/');

/** By the sizes that it states: more than those are never unpacked. */
function requireModestSize(tables: readonly Entry[]): void {
  const unpacked = tables.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  const swells = tables.some(
    ({ compressedSize, uncompressedSize }) =>
      uncompressedSize > RATIO_COUNTS_FROM_BYTES && uncompressedSize > MAX_RATIO * compressedSize,
  );
  if (unpacked > MAX_UNPACKED_BYTES || swells) {
    throw refuse('what the ZIP holds is too large. Unpack it and upload its CSV files.');
  }
}

async function* withClose(rows: AsyncIterable<CsvRow>, close: () => void): AsyncGenerator<CsvRow> {
  try {
    yield* rows;
  } finally {
    close();
  }
}

const closing = ({ columns, rows }: CsvFile, close: () => void): CsvFile => ({
  columns,
  rows: withClose(rows, close),
});

/** One table of all: each row says what Mailchimp says by the name of its file. */
function joined(tables: readonly Table[]): CsvFile {
  const parts = tables.map(({ name, file }) => ({ name, file, status: statusOfFile(file.columns, name) }));
  const [only, ...others] = parts;
  if (only && others.length === 0 && only.status === null) return only.file;
  const unknown = parts.find(({ status }) => status === null);
  if (unknown !== undefined) {
    throw refuse(
      `we don't know whose contacts "${unknown.name}" in the ZIP holds. Upload its CSV files one by one.`,
    );
  }
  const columns = [...new Set([...parts.flatMap(({ file }) => file.columns), STATUS_COLUMN])];
  if (columns.length > MAX_IMPORT_COLUMNS) {
    throw refuse(`it has ${columns.length} columns. We can read up to ${MAX_IMPORT_COLUMNS}.`);
  }
  return { columns, rows: rowsOfAll(columns, parts) };
}

/** Numbered as if the files stood below one another. */
async function* rowsOfAll(
  columns: readonly string[],
  parts: readonly { file: CsvFile; status: string | null }[],
): AsyncGenerator<CsvRow> {
  let [above, count] = [0, 0];
  for (const { file, status } of parts) {
    const places = new Map(file.columns.map((column, index) => [column, index]));
    let last = 1;
    for await (const { number, fields, problem } of file.rows) {
      count += 1;
      requireFewRows(count);
      last = number;
      const cells = columns.map((column) =>
        column === STATUS_COLUMN ? (status ?? '') : (fields[places.get(column) ?? -1] ?? ''),
      );
      yield { number: above + number, fields: [...cells, ...fields.slice(file.columns.length)], problem };
    }
    above += last;
  }
}

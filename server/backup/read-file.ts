import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { Refusal } from '#server/command.ts';
import { RowsDigest } from './digest.ts';
import { explainReading } from './file-errors.ts';
import {
  block,
  type Block,
  END_OF_ROWS,
  footer,
  FORMAT,
  FORMAT_VERSION,
  header,
  type Header,
  type TableSum,
} from './format.ts';

const LINE_END = 0x0a;
const END_LINE = Buffer.from(`${END_OF_ROWS}\n`);

/** The lines of a file, taken one by one and hashed as they are taken. */
class Lines {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffer: Buffer = Buffer.alloc(0);
  private readonly hash: Hash = createHash('sha256');

  constructor(path: string) {
    const gunzip = createGunzip({ chunkSize: 256 * 1024 });
    // What goes wrong with the file is thrown where it is read.
    const stream = pipeline(createReadStream(path), gunzip, () => {});
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** @returns the next line with its end; null at the end of the file */
  async next(): Promise<Buffer | null> {
    for (let from = 0; ;) {
      const end = this.buffer.indexOf(LINE_END, from);
      if (end !== -1) return this.take(end + 1);
      from = this.buffer.length;
      const { value, done } = await this.chunks.next();
      if (done === true) return null;
      this.buffer = this.buffer.length === 0 ? value : Buffer.concat([this.buffer, value]);
    }
  }

  private take(length: number): Buffer {
    const line = this.buffer.subarray(0, length);
    this.buffer = this.buffer.subarray(length);
    return line;
  }

  count(line: Buffer): void {
    this.hash.update(line);
  }

  sum(): string {
    return this.hash.copy().digest('hex');
  }

  /** Is there anything behind the last line? */
  async hasMore(): Promise<boolean> {
    return this.buffer.length > 0 || (await this.chunks.next()).done !== true;
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}

function parsed<T>(schema: z.ZodType<T>, line: Buffer | null): T | null {
  if (line === null) return null;
  try {
    const result = schema.safeParse(JSON.parse(line.toString('utf8')));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

function damaged(path: string): Refusal {
  return new Refusal(`${path}: the file was changed or damaged after it was written. Nothing was changed.`);
}

function cutShort(path: string): Refusal {
  return new Refusal(`${path}: the file is incomplete. Nothing was changed.`);
}

/** So much goes to the database at once. */
const AT_ONCE_BYTES = 64 * 1024;

async function* rowsOf(lines: Lines, digest: RowsDigest, path: string): AsyncGenerator<Buffer> {
  let some: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const line = await lines.next();
    if (line === null) throw cutShort(path);
    lines.count(line);
    if (line.equals(END_LINE)) break;
    digest.add(line);
    some.push(line);
    bytes += line.length;
    if (bytes < AT_ONCE_BYTES) continue;
    yield Buffer.concat(some);
    some = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(some);
}

async function readHeader(lines: Lines, path: string): Promise<Header> {
  const line = await lines.next();
  const first = parsed(header, line);
  if (line === null || first === null) throw new Refusal(`${path}: this isn't a Sayso backup.`);
  lines.count(line);
  if (first.version !== FORMAT_VERSION) {
    throw new Refusal(
      `${path}: this backup uses version ${first.version} of the format ${FORMAT}, but this Sayso reads version ${FORMAT_VERSION}. Restore it with Sayso ${first.product}.`,
    );
  }
  return first;
}

/**
 * Reads a backup from its beginning to its end.
 * @param take is given the rows of each block, and has to take all of them
 * @throws Refusal when the file is not as it was written; by then some blocks were taken already
 */
export async function readBackup(
  path: string,
  take: (block: Block, rows: AsyncGenerator<Buffer>, digest: RowsDigest) => Promise<void>,
): Promise<{ header: Header; tables: Map<string, TableSum> }> {
  const lines = new Lines(path);
  const sums = new Map<string, RowsDigest>();
  try {
    const first = await readHeader(lines, path);
    for (;;) {
      const line = await lines.next();
      if (line === null) throw cutShort(path);
      const next = parsed(block, line);
      if (next === null) return { header: first, tables: await checkEnd(lines, line, sums, path) };
      lines.count(line);
      const digest = sums.get(next.table) ?? new RowsDigest();
      sums.set(next.table, digest);
      await take(next, rowsOf(lines, digest, path), digest);
    }
  } catch (error) {
    throw explainReading(error, path);
  } finally {
    await lines.close();
  }
}

async function checkEnd(
  lines: Lines,
  line: Buffer,
  sums: Map<string, RowsDigest>,
  path: string,
): Promise<Map<string, TableSum>> {
  const last = parsed(footer, line);
  if (last === null || last.sha256 !== lines.sum() || (await lines.hasMore())) throw damaged(path);
  const named = Object.entries(last.tables);
  const isSame = named.every(([table, { rows, digest }]) => {
    const sum = sums.get(table);
    return sum?.rows === rows && sum.hex === digest;
  });
  if (!isSame || named.length !== sums.size) throw damaged(path);
  return new Map(named);
}

/** Reads all of it and keeps nothing: is the file as it was written? */
export async function checkBackup(path: string): Promise<{ header: Header; tables: Map<string, TableSum> }> {
  return readBackup(path, async (_, rows) => {
    for await (const some of rows) void some;
  });
}

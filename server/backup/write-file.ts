import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Refusal } from '#server/command.ts';
import { RowsDigest } from './digest.ts';
import { explainWriting } from './file-errors.ts';
import { type Block, END_OF_ROWS, type Header, type TableSum } from './format.ts';

/** Fast rather than small: rows of text come to a quarter all the same. */
const COMPRESSION = 3;

export interface BackupWriter {
  rows(
    block: Block,
    rows: AsyncIterable<readonly Buffer[]>,
    onProgress: (rows: number) => void,
  ): Promise<void>;
}

/** A file that is there under its name only when all of it is. */
async function whole(path: string, write: (stream: NodeJS.WritableStream) => Promise<void>): Promise<void> {
  if (existsSync(path)) throw new Refusal(`${path}: this file already exists. Choose another name.`);
  const part = `${path}.part`;
  const stream = createWriteStream(part, { mode: 0o600, flush: true });
  // What fails is seen by who waits for it.
  stream.on('error', () => {});
  try {
    await write(stream);
    await rename(part, path);
    await syncFolder(dirname(path));
  } catch (error) {
    stream.destroy();
    await rm(part, { force: true });
    throw explainWriting(error, path);
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

/** Writes lines, all of them or nothing. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  await whole(path, async (stream) => {
    await pipeline(async function* () {
      for await (const line of lines) yield `${line}\n`;
    }, stream);
  });
}

/** @returns what each table came to */
export async function writeBackup(
  path: string,
  header: Header,
  work: (writer: BackupWriter) => Promise<void>,
): Promise<Map<string, TableSum>> {
  const tables = new Map<string, RowsDigest>();
  await whole(path, async (stream) => {
    const gzip = createGzip({ level: COMPRESSION });
    const written = Promise.all([finished(gzip), finished(gzip.pipe(stream))]);
    written.catch((error: Error) => gzip.destroy(error));
    stream.on('error', (error: Error) => gzip.destroy(error));
    const sha256 = createHash('sha256');

    async function put(bytes: Buffer): Promise<void> {
      sha256.update(bytes);
      if (!gzip.write(bytes)) await Promise.race([once(gzip, 'drain'), written]);
    }
    const line = (value: string) => put(Buffer.from(`${value}\n`));

    await line(JSON.stringify(header));
    await work({
      async rows(block, rows, onProgress) {
        const digest = tables.get(block.table) ?? new RowsDigest();
        tables.set(block.table, digest);
        await line(JSON.stringify(block));
        for await (const some of rows) {
          for (const row of some) digest.add(row);
          await put(Buffer.concat(some));
          onProgress(digest.rows);
        }
        await line(END_OF_ROWS);
      },
    });
    const footer = { end: true, tables: Object.fromEntries(sumsOf(tables)), sha256: sha256.digest('hex') };
    gzip.end(`${JSON.stringify(footer)}\n`);
    await written;
  });
  return sumsOf(tables);
}

function sumsOf(tables: Map<string, RowsDigest>): Map<string, TableSum> {
  return new Map([...tables].map(([name, { rows, hex }]) => [name, { rows, digest: hex }]));
}

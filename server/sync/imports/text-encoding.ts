import { isAscii, isUtf8 } from 'node:buffer';
import { invalidField } from '#server/platform/errors.ts';

/** Enough to tell UTF-16 without a mark by its zero bytes. */
const SNIFFED = 4096;

/** A text without a single ASCII character for so long is no table. */
const MAX_CARRIED = 256 * 1024;

const unreadable = () =>
  invalidField('file', 'file: we can\'t read its characters. Save it as "CSV UTF-8" and upload it again.');

/**
 * Turns a text file into UTF-8 without a mark. UTF-16 is read with or without one; what isn't UTF-8 is read as
 * Windows-1252, as Excel writes "CSV" in the west of Europe and in America.
 * @throws AppError `invalid_field` for anything else; also while it is read
 */
export async function* utf8Of(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { begin, rest } = await beginOf(file, SNIFFED);
  const { encoding, mark } = encodingOf(begin);
  const text = startingWith(begin.subarray(mark), rest);
  if (encoding === 'utf-8') yield* utf8Or1252(text);
  else yield* decoded(text, encoding);
}

/** The first bytes of a file, at least as many as asked for if it has them, and what comes after. */
export async function beginOf(
  file: AsyncIterable<Buffer>,
  bytes: number,
): Promise<{ begin: Buffer; rest: AsyncIterator<Buffer> }> {
  const rest = file[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  for (let length = 0; length < bytes;) {
    const next = await rest.next();
    if (next.done === true) break;
    chunks.push(next.value);
    length += next.value.length;
  }
  return { begin: Buffer.concat(chunks), rest };
}

export async function* startingWith(begin: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (begin.length > 0) yield begin;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

function encodingOf(begin: Buffer): { encoding: Encoding; mark: number } {
  if (begin[0] === 0xef && begin[1] === 0xbb && begin[2] === 0xbf) return { encoding: 'utf-8', mark: 3 };
  if (begin[0] === 0xff && begin[1] === 0xfe) return { encoding: 'utf-16le', mark: 2 };
  if (begin[0] === 0xfe && begin[1] === 0xff) return { encoding: 'utf-16be', mark: 2 };
  const sniffed = begin.subarray(0, SNIFFED);
  let [even, odd] = [0, 0];
  for (const [at, byte] of sniffed.entries()) {
    if (byte !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  // The letters, digits and separators of a table have one zero byte each.
  const most = sniffed.length / 4;
  if (odd > most && even < odd / 8) return { encoding: 'utf-16le', mark: 0 };
  if (even > most && odd < even / 8) return { encoding: 'utf-16be', mark: 0 };
  return { encoding: 'utf-8', mark: 0 };
}

async function* decoded(file: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of file) yield* filled(decodeOrRefuse(decoder, chunk));
  yield* filled(decodeOrRefuse(decoder));
}

function* filled(text: string): Generator<Buffer> {
  if (text !== '') yield Buffer.from(text);
}

function decodeOrRefuse(decoder: TextDecoder, bytes?: Buffer): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw unreadable();
  }
}

/** As long as all is ASCII, both are the same. */
async function* utf8Or1252(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let known: 'utf-8' | 'windows-1252' | null = null;
  for await (const chunk of endingInAscii(file)) {
    if (isAscii(chunk)) {
      yield chunk;
      continue;
    }
    known ??= isUtf8(chunk) ? 'utf-8' : 'windows-1252';
    if (known === 'utf-8') {
      if (!isUtf8(chunk)) throw unreadable();
      yield chunk;
      continue;
    }
    // No text has zero bytes; pictures and programs do.
    if (chunk.includes(0)) throw unreadable();
    yield Buffer.from(new TextDecoder('windows-1252').decode(chunk));
  }
}

/** Cuts chunks behind an ASCII character, so that none ends inside another one. */
async function* endingInAscii(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let carried: Buffer[] = [];
  let length = 0;
  for await (const chunk of file) {
    let end = chunk.length;
    while (end > 0 && (chunk[end - 1] ?? 0) >= 0x80) end -= 1;
    if (end > 0) {
      yield Buffer.concat([...carried, chunk.subarray(0, end)]);
      carried = [];
      length = 0;
    }
    if (end === chunk.length) continue;
    carried.push(chunk.subarray(end));
    length += chunk.length - end;
    if (length > MAX_CARRIED) throw unreadable();
  }
  if (carried.length > 0) yield Buffer.concat(carried);
}

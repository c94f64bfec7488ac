import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBudget, slotOf } from '../tenant-budget.ts';
import type { Block, DocumentHeader } from './document.ts';
import type { Message } from './pdf-process.ts';

export type { Block, DocumentHeader };

const PROCESS = join(import.meta.dirname, 'pdf-process.ts');
/** For the heap of one process; its fonts and its buffers come on top. */
const HEAP_MB = 96;
/** A page takes milliseconds. */
const PAGE_DEADLINE_MS = 60_000;

const drawings = createBudget({ total: 2, each: 1, waitMs: 120_000 });

async function* messages(header: DocumentHeader, blocks: Iterable<Block[]> | AsyncIterable<Block[]>) {
  // Readers of lines take these for ends of lines, and JSON does not escape them.
  const line = (message: Message) =>
    `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
  yield line(header);
  for await (const some of blocks) yield line(some);
  yield line('end');
}

/**
 * A PDF, page by page, drawn by a process that has no settings and no keys of the server. Blocks are asked for as they are drawn,
 * and drawn as the PDF is read.
 * @param tenant whose PDFs are drawn one at a time
 * @throws Error if it can't be drawn to its end
 */
export async function* drawPdf(
  tenant: string,
  header: DocumentHeader,
  blocks: Iterable<Block[]> | AsyncIterable<Block[]>,
): AsyncGenerator<Uint8Array> {
  const release = await slotOf(drawings, tenant);
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, PROCESS], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const fed = pipeline(Readable.from(messages(header, blocks)), child.stdin);
  // Both are waited for below, unless the reader leaves before.
  ended.catch(() => {});
  fed.catch(() => {});
  try {
    yield* pagesOf(child.stdout, () => child.kill('SIGKILL'));
    const [code, signal] = await ended;
    if (code !== 0) {
      // What failed on our side says more than the process that wasn't told the end.
      await fed;
      throw new Error(`A PDF couldn't be drawn: its process ended with ${code ?? signal}.`);
    }
  } finally {
    child.kill('SIGKILL');
    release();
  }
}

/** @param onDeadline when no page came for long while one was waited for */
async function* pagesOf(output: Readable, onDeadline: () => void): AsyncGenerator<Uint8Array> {
  const pages = output[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  for (;;) {
    const deadline = setTimeout(onDeadline, PAGE_DEADLINE_MS);
    const page = await pages.next().finally(() => clearTimeout(deadline));
    if (page.done === true) return;
    yield page.value;
  }
}

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { limitMemory, lowerPriority } from '../serve-requests.ts';
import { type Block, createDocument, type DocumentHeader } from './document.ts';

/*
 * Draws one PDF in a process of its own. It reads lines of JSON: the header, then blocks, and `"end"`, without which no document
 * is finished. It writes the PDF page by page, and draws no faster than it is read.
 */

/** What one line says. */
export type Message = DocumentHeader | Block[] | 'end';

const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

async function write(read: () => Uint8Array | null): Promise<void> {
  for (let bytes = read(); bytes !== null; bytes = read())
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

async function draw(): Promise<boolean> {
  let document: Awaited<ReturnType<typeof createDocument>> | null = null;
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line) as Message;
    if (document === null) document = await createDocument(message as DocumentHeader);
    else if (message === 'end') {
      await document.end();
      await write(document.read);
      return true;
    } else {
      for (const block of message as Block[]) {
        await document.add(block);
        await write(document.read);
      }
    }
  }
  return false;
}

lowerPriority();
limitMemory(MAX_MEMORY_BYTES);
process.exitCode = (await draw()) ? 0 : 1;

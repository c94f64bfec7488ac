import { setImmediate as nextTurn } from 'node:timers/promises';

export type DownloadContent = AsyncIterable<string> | AsyncIterable<Uint8Array>;

const CHUNK_LENGTH = 65_536;

/**
 * A socket that takes everything never makes a stream wait, so what is written would be made without a pause. Here others get their
 * turn after each chunk, and small texts are sent together.
 */
export async function* inChunks(content: DownloadContent): AsyncGenerator<string | Uint8Array> {
  let text = '';
  for await (const piece of content) {
    if (typeof piece === 'string') text += piece;
    else yield piece;
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
    await nextTurn();
  }
  if (text !== '') yield text;
}

import { expect, it } from 'vitest';
import { inChunks } from './download-chunks.ts';

const LINE = 'x'.repeat(1023) + '\n';
const LINES = 1000;

async function* lines() {
  for (let n = 0; n < LINES; n += 1) yield LINE;
}

it('a download gives others their turn after every 64 kB, and sends small texts together', async () => {
  let [turns, isOver, text] = [0, false, ''];
  const chunks: number[] = [];
  function takeTurns() {
    turns += 1;
    if (!isOver) setImmediate(takeTurns);
  }
  setImmediate(takeTurns);
  for await (const chunk of inChunks(lines())) {
    chunks.push(chunk.length);
    text += chunk as string;
  }
  isOver = true;
  expect(text).toBe(LINE.repeat(LINES));
  expect(chunks).toHaveLength(Math.ceil((LINES * LINE.length) / 65_536));
  expect(turns).toBeGreaterThanOrEqual(chunks.length - 1);
});

it('a download of bytes passes them on as they are', async () => {
  async function* bytes() {
    yield Buffer.from('one');
    yield Buffer.from('two');
  }
  const passed: string[] = [];
  for await (const chunk of inChunks(bytes())) passed.push(chunk.toString());
  expect(passed).toEqual(['one', 'two']);
});

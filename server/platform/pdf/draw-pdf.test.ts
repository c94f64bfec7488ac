import { expect, it } from 'vitest';
import { pdfText } from '#test/harness/pdf-text.ts';
import { type Block, drawPdf } from './draw-pdf.ts';

const HEADER = { title: 'Proof', footer: 'Footer', madeAt: '2026-11-30T10:00:00.000Z' };

const section = (record: number): Block[] => [
  { kind: 'heading', text: `Record ${record}` },
  ...Array.from({ length: 20 }, (_, fact): Block => ({
    kind: 'fact',
    name: `Fact ${fact}`,
    value: `${record} ${fact} `.repeat(8),
  })),
];

/** Counts what is asked for, and whether the end was told. */
function sections(count: number) {
  const state = { asked: 0, isOver: false };
  async function* blocks() {
    try {
      for (; state.asked < count; state.asked += 1) yield section(state.asked);
    } finally {
      state.isOver = true;
    }
  }
  return { state, blocks: blocks() };
}

async function drawn(tenant: string, blocks: AsyncIterable<Block[]>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of drawPdf(tenant, HEADER, blocks)) parts.push(part);
  return Buffer.concat(parts);
}

it('a PDF is drawn by another process, with all that it was given', async () => {
  const { blocks } = sections(12);
  const text = pdfText(await drawn('site:a', blocks));
  for (const record of [0, 5, 11]) expect(text).toContain(`Record ${record} `);
  expect(text).toContain('End of the document');
});

it('a PDF is drawn with whatever line ends somebody wrote', async () => {
  async function* blocks() {
    yield [{ kind: 'paragraph', text: 'one\u2028two\u2029three\r\nfour' } satisfies Block];
  }
  expect(pdfText(await drawn('site:f', blocks()))).toContain('one two three four');
});

it('a PDF is drawn as it is read: who reads a little of it has little of it made', async () => {
  const { state, blocks } = sections(20_000);
  const pdf = drawPdf('site:b', HEADER, blocks);
  let bytes = 0;
  for await (const part of pdf) {
    bytes += part.length;
    if (bytes > 100_000) break;
  }
  // What fits into the buffers between two processes.
  expect(state.asked).toBeLessThan(1000);
  await expect.poll(() => state.isOver).toBe(true);
});

it('a PDF fails, and doesn’t look complete, if its records can’t be read to the end', async () => {
  async function* failing() {
    yield section(1);
    throw new Error('the database is gone');
  }
  await expect(drawn('site:c', failing())).rejects.toThrow('the database is gone');
});

it('PDFs of one tenant are drawn one after the other, and those of another one meanwhile', async () => {
  const begun: string[] = [];
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  async function* slow(name: string) {
    begun.push(name);
    await held;
    yield section(1);
  }
  const first = drawn('site:d', slow('first'));
  await expect.poll(() => begun).toEqual(['first']);
  const second = drawn('site:d', slow('second'));
  const other = drawn('site:e', slow('other'));
  await expect.poll(() => begun).toEqual(['first', 'other']);
  letGo();
  await Promise.all([first, second, other]);
  expect(begun).toEqual(['first', 'other', 'second']);
});

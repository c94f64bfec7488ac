import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_IMPORT_ROWS } from '#contract/imports.ts';
import { type CsvRow, openCsv } from './csv-file.ts';

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, chunkSize = 65_536) {
  const { columns, rows } = await openCsv(inChunks(Buffer.from(text), chunkSize));
  const all: CsvRow[] = [];
  for await (const row of rows) all.push(row);
  return { columns, rows: all };
}

describe('a CSV file', () => {
  it('reads the same however it is cut into pieces', async () => {
    const cell = fc.constantFrom(
      'nora@example.com',
      'žába',
      '"a;b"',
      '"one\r\ntwo"',
      '"say ""hi"""',
      '',
      '💌',
    );
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 });
    const end = fc.constantFrom('\n', '\r\n');
    const anySize = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(table, end, anySize, fc.boolean(), async (rows, lineEnd, size, hasMark) => {
        const lines = ['email;liste', 'first@example.com;ja', ...rows.map((row) => row.join(';'))];
        const text = `${hasMark ? '\ufeff' : ''}${lines.join(lineEnd)}`;
        const whole = await read(text);
        expect(await read(text, size)).toEqual(whole);
        expect(whole.columns).toEqual(['email', 'liste']);
        const plain = (one: string) => one.replace(/^"|"$/g, '').replaceAll('""', '"');
        const filled = rows.filter((row) => row.some((one) => one !== ''));
        expect(whole.rows.slice(1).map(({ fields }) => fields)).toEqual(filled.map((row) => row.map(plain)));
      }),
      { numRuns: 60 },
    );
  });

  it('numbers rows as a spreadsheet does', async () => {
    const { rows } = await read('email,a\n\nx@example.com,1\n,\n"y@example.com","2\n3"\nz@example.com,4\n');
    expect(rows.map(({ number, fields }) => [number, fields[0]])).toEqual([
      [3, 'x@example.com'],
      [5, 'y@example.com'],
      [6, 'z@example.com'],
    ]);
  });

  it('has at most 500,000 rows', { timeout: 60_000 }, async () => {
    const text = (rows: number) => `email\n${'a@example.com\n'.repeat(rows)}`;
    await expect(read(text(MAX_IMPORT_ROWS + 1))).rejects.toThrow(
      'it has more than 500,000 rows. Split it into several files.',
    );
  });

  it('keeps only the beginning of a cell that is too long, and nothing else of the row is lost', async () => {
    const { rows } = await read(`email,note\nx@example.com,${'y'.repeat(10_001)}\n`);
    expect(rows[0]).toMatchObject({ fields: ['x@example.com', expect.any(String)], problem: null });
    expect(rows[0]?.fields[1]).toHaveLength(1000);
  });
});

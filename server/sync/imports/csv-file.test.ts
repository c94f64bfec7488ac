import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_IMPORT_ROWS } from '#contract/imports.ts';
import { type CsvRow, openCsv } from './csv-file.ts';

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Buffer, chunkSize = 65_536) {
  const { columns, rows } = await openCsv(inChunks(Buffer.from(text), chunkSize));
  const all: CsvRow[] = [];
  for await (const row of rows) all.push(row);
  return { columns, rows: all };
}

const require = createRequire(import.meta.url);
const SPECTRUM = dirname(require.resolve('csv-spectrum'));
/** The expected cells of one file hold another phone number than the file. */
const SPECTRUM_FILES = readdirSync(join(SPECTRUM, 'csvs'))
  .map((name) => name.replace(/\.csv$/, ''))
  .filter((name) => name !== 'location_coordinates');

describe('a CSV file', () => {
  it.each(SPECTRUM_FILES)('%s of csv-spectrum has the cells that its authors see in it', async (name) => {
    const expected = JSON.parse(readFileSync(join(SPECTRUM, 'json', `${name}.json`), 'utf8')) as object[];
    const { columns, rows } = await read(readFileSync(join(SPECTRUM, 'csvs', `${name}.csv`)));
    const objects = rows.map(({ fields }) =>
      Object.fromEntries(columns.map((column, index) => [column, fields[index]])),
    );
    expect(objects).toEqual(expected);
  });

  it('is read the same however it is cut into chunks', async () => {
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

  it('of one line of commas leaves the event loop to others every 64 kB', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      others = setImmediate(count);
    };
    let others = setImmediate(count);
    const commas = ','.repeat(1024 * 1024);
    await read(`email${commas}\nx@example.com${commas}\n`, 2 * 1024 * 1024);
    clearImmediate(others);
    expect(turns).toBeGreaterThanOrEqual(32);
  });

  it('has its rows numbered as in a spreadsheet', async () => {
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

  it('keeps no more cells of a row than a file may have columns, and counts the others', async () => {
    const row = (cells: number) => Array.from({ length: cells }, () => 'x').join(',');
    const { rows } = await read(
      `email,a\n${row(250_000)}\n${row(201)}${',,'.repeat(300_000)}\nvera@example.com,x,,,\n`,
    );
    expect(rows.map(({ fields }) => fields.length)).toEqual([200, 200, 2]);
    expect(rows.map(({ problem }) => problem)).toEqual([
      'The row has 250000 cells, but the header has 2.',
      'The row has 201 cells, but the header has 2.',
      null,
    ]);
  });

  it('is read to its end below a line with millions of cells', async () => {
    const { rows } = await read(`email\n${','.repeat(3_600_000)}x\nvera@example.com\n`);
    expect(rows.at(-1)).toMatchObject({ fields: ['vera@example.com'], problem: null });
  });

  it('with a cell that is too long loses the rest of the cell, and nothing else of the row', async () => {
    const { rows } = await read(`email,note\nx@example.com,${'y'.repeat(10_001)}\n`);
    expect(rows[0]).toMatchObject({ fields: ['x@example.com', expect.any(String)], problem: null });
    expect(rows[0]?.fields[1]).toHaveLength(1000);
  });

  it.each([
    [
      'a line that names the delimiter',
      '\ufeffsep=;\r\nE-Mail;Vorname;Newsletter\r\nsep1@example.com;Jörg, K.;ja\r\n',
      2,
    ],
    ['the same in quotes', '"sep=;"\nE-Mail;Vorname;Newsletter\nsep1@example.com;Jörg, K.;ja\n', 2],
    ['tabs named', 'sep=\t\nE-Mail\tVorname\tNewsletter\nsep1@example.com\tJörg, K.\tja\n', 2],
    [
      'a title and an empty row',
      'Newsletter export 2026-11-01,,\n,,\nE-Mail,Vorname,Newsletter\nsep1@example.com,"Jörg, K.",ja\n',
      4,
    ],
    [
      'a title with another delimiter',
      'Contacts, as of today\nE-Mail;Vorname;Newsletter\nsep1@example.com;Jörg, K.;ja\n',
      3,
    ],
  ])('is read with the header below %s', async (_, text, number) => {
    for (const size of [1, 65_536]) {
      const found = await read(text, size);
      expect(found.columns).toEqual(['E-Mail', 'Vorname', 'Newsletter']);
      expect(found.rows).toEqual([{ number, fields: ['sep1@example.com', 'Jörg, K.', 'ja'], problem: null }]);
    }
  });

  it('has its first row as the header where nothing says otherwise', async () => {
    expect((await read('who\nnora@example.com\n')).columns).toEqual(['who']);
    expect((await read('who,x\n,\nnora@example.com,1\n')).columns).toEqual(['who', 'x']);
    expect((await read('who;x\n"a;b";c\n')).columns).toEqual(['who', 'x']);
    expect((await read('List of people\nwho,x\nnora@example.com,1\n')).columns).toEqual(['who', 'x']);
  });

  it('may be in UTF-16 with and without a byte order mark, or Windows-1252', async () => {
    const text = `E-Mail;Größe;News\n${'nora@example.com;klein;ja\n'.repeat(500)}max@example.com;übergroß – 5 €;nein\n`;
    const whole = await read(text);
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    const windows = Buffer.from(text.replace('–', '\x96').replace('€', '\x80'), 'latin1');
    const marked = [Buffer.from([0xff, 0xfe]), little, Buffer.from([0xfe, 0xff]), big];
    const files = [little, big, Buffer.concat(marked.slice(0, 2)), Buffer.concat(marked.slice(2)), windows];
    for (const file of files) for (const size of [7, 65_536]) expect(await read(file, size)).toEqual(whole);
    expect(whole.columns).toEqual(['E-Mail', 'Größe', 'News']);
  });

  it('that is not text is rejected in one sentence', async () => {
    const sentence = 'file: we can\'t read its characters. Save it as "CSV UTF-8" and upload it again.';
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    await expect(read(picture)).rejects.toThrow(sentence);
    // UTF-8 that turns into something else.
    const mixed = Buffer.concat([Buffer.from(`email\n${'ž,'.repeat(4000)}\n`), Buffer.from([0xe4, 0x0a])]);
    await expect(read(mixed, 1000)).rejects.toThrow(sentence);
  });
});

it.each([',', ';', '\t', ';,', '"",'])(
  'a first line of a quarter of a megabyte of “%s” is refused for its columns, without asking each of them',
  async (piece) => {
    const line = `Email${piece.repeat(250_000 / piece.length)}x`;
    await expect(read(`${line}\nnora@example.com\n`)).rejects.toThrow(/^file: it has \d+ columns/);
  },
);

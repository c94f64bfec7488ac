import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ImportMapping } from '#contract/imports.ts';
import { zipOf } from '#test/harness/zip.ts';
import type { CsvRow } from './csv-file.ts';
import { recognizeExport } from './export-formats.ts';
import { suggestMapping } from './mapping.ts';
import { readFields } from './row-preferences.ts';
import { openFile } from './zip-file.ts';

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 1000) {
  const { columns, rows } = await openFile(inChunks(bytes, size));
  const all: CsvRow[] = [];
  for await (const row of rows) all.push(row);
  return { columns, rows: all };
}

const weekly = { id: 'weekly', name: 'Weekly news', translations: [] };
const exportOf = (part: string) => {
  const name = `${part}_email_audience_export_0a1b2c3d4e.csv`;
  return { [name]: readFileSync(join(import.meta.dirname, 'exports', name)) };
};

it('Mailchimp’s ZIP can be read as it comes: each of its files keeps its meaning', async () => {
  const zip = zipOf({
    ...exportOf('subscribed'),
    ...exportOf('unsubscribed'),
    ...exportOf('cleaned'),
    ...exportOf('nonsubscribed'),
    '__MACOSX/._subscribed_email_audience_export_0a1b2c3d4e.csv': 'attributes',
  });
  const { columns, rows } = await read(zip);
  const recognized = recognizeExport(columns, 'audience_export_0a1b2c3d4e.zip');
  expect(recognized).toMatchObject({ tool: 'Mailchimp', part: 'contacts', is_certain: true });
  const preview = rows.map(({ fields }) => fields);
  const mapping = suggestMapping(columns, preview, [weekly], null, recognized?.mapping) as ImportMapping;
  expect(mapping).toMatchObject({
    email: 'Email Address',
    all: 'Status in Mailchimp',
    everyone: { state: 'subscribed', list_id: 'weekly' },
    consent_at: 'OPTIN_TIME',
    suppressions: [
      { column: 'UNSUB_TIME', state: 'unsubscribed' },
      { column: 'CLEAN_TIME', state: 'bounced' },
    ],
  });
  const read_ = rows.map((row) => readFields(row, { columns, mapping, dateOrders: [] }));
  expect(
    read_.map(({ email, preferences }) => [
      email?.split('@')[0],
      preferences?.leaves ? 'left' : (preferences?.lists.map(({ of }) => of) ?? []).join(),
      preferences?.file?.suppression ?? null,
      preferences?.file?.suppressed_at ?? null,
    ]),
  ).toEqual([
    ['nora.lind', 'weekly', null, null],
    ['max.ort', 'weekly', null, null],
    ['ida.berg', 'left', 'unsubscribed', '2025-02-03T06:40:11.000Z'],
    ['ben.falk', 'left', 'unsubscribed', '2022-12-24T18:00:00.000Z'],
    ['old.box', '', 'bounced', '2024-08-30T04:05:06.000Z'],
    ['shop.guest', '', 'unconfirmed', null],
  ]);
  // Counted on through all files, headers included.
  expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
  expect(rows.map(({ number }) => number)).toEqual(
    rows.map(({ number }) => number).toSorted((a, b) => a - b),
  );
});

it('a ZIP with one table can be read, and a table that is not in a ZIP', async () => {
  const table = 'id,title,firstname,lastname,email\n17,,Kim,Adler,kim@example.com\n';
  const plain = await read(Buffer.from(table), 2);
  expect(plain.columns).toEqual(['id', 'title', 'firstname', 'lastname', 'email']);
  const zip = zipOf({ 'contacts_export_2026_02_03_10_20_30.csv': table, 'read me.md': 'x' });
  expect(await read(zip, 3)).toEqual(plain);
});

it('a ZIP of anything but tables is rejected in one sentence', async () => {
  const table = 'email\na@example.com\n';
  const refused = async (bytes: Buffer) =>
    read(bytes).then(
      () => 'read',
      (error: Error) => error.message,
    );
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.csv`, table]));
  expect(await refused(zipOf({ 'a.png': 'x' }))).toBe('file: the ZIP holds no CSV file.');
  expect(await refused(zipOf({ 'a.csv': table, 'b.csv': table }))).toContain(
    'we don\'t know whose contacts "a.csv"',
  );
  expect(await refused(zipOf({ '[Content_Types].xml': '', 'xl/a.xml': '' }))).toContain("it's a spreadsheet");
  expect(await refused(zipOf(many))).toContain('too many files');
  expect(await refused(zipOf({ 'a.csv': `email\n${'a@example.com,'.repeat(1_000_000)}` }))).toContain(
    'too large',
  );
  // States less than it unpacks to, as a bomb would.
  expect(await refused(zipOf({ 'a.csv': table.repeat(50_000) }, () => 1000))).toContain('is damaged');
  expect(await refused(zipOf({ 'a.csv': table }).subarray(0, 60))).toContain('is damaged');
});

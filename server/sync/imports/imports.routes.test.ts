import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Evidence, listCustomerEvidence } from '#contract/choices.ts';
import {
  type Customer,
  deleteCustomer,
  getCustomer,
  listCustomers,
  setCustomerLists,
  updateCustomer,
} from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { exportCustomers, exportEvidence } from '#contract/exports.ts';
import {
  applyImport,
  cancelImport,
  checkImport,
  downloadRejectedRows,
  type ImportDetail,
  listImportRows,
  listImports,
  MAX_IMPORT_BYTES,
  uploadImport,
} from '#contract/imports.ts';
import { exportCustomerProof } from '#contract/proof.ts';
import { createList, deleteList, updateList } from '#contract/lists.ts';
import { encryptPerson } from '#server/audience/evidence/evidence.ts';
import { keepOptOuts } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { personalDataOf } from '#server/visit/personal-data/personal-data.ts';
import { rawRequest } from '#test/harness/http.ts';
import { csv, jobOf, readImport, upload, uploadAndCheck, work, workOnce } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { readRows } from '#test/harness/rows.ts';
import { zipOf } from '#test/harness/zip.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  logInAgain,
  type World,
} from '#test/harness/world.ts';
import { handleJob } from './imports.jobs.ts';
import { verifyPack } from '../../../packages/verify/verify.mjs';
import { uploadFile } from './upload.ts';

let product: TestProduct;
let world: World;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

beforeEach(async () => {
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
});

const ofImport = ({ id }: { id: string }) => ({ params: { ...acme.params, id } });

async function apply(one: { id: string }): Promise<ImportDetail> {
  await product.call(applyImport, ofImport(one), acme.owner);
  return work(product, acme, one.id);
}

const importFile = async (file: Blob, options = { revive: false }) =>
  apply(await uploadAndCheck(product, acme, file, { options }));

const choose = (customer: Customer, list: { id: string }, subscribed: boolean) =>
  product.call(
    setCustomerLists,
    {
      params: { ...acme.params, id: customer.id },
      body: [{ notification_list_id: list.id, subscribed }],
    },
    acme.owner,
  );

const leaveAll = (customer: Customer, global_unsubscribe = true) =>
  product.call(
    updateCustomer,
    { params: { ...acme.params, id: customer.id }, body: { global_unsubscribe } },
    acme.owner,
  );

/** What everybody has: "left", or the lists that they chose. */
async function state(): Promise<Record<string, string>> {
  const { rows } = await product.testDatabase.owner.query<{ email: string; state: string }>(
    `select c.email, concat_ws(' ', case when c.global_unsubscribe then 'left' end,
       string_agg(case when s.subscribed then '+' else '-' end || l.name, ' ' order by l.name)) as state
     from customers c left join subscriptions s on s.site_id = c.site_id and s.customer_id = c.id
     left join lists l on l.site_id = s.site_id and l.id = s.list_id
     where c.site_id = $1 and c.email is not null group by c.site_id, c.id order by 1`,
    [acme.site.id],
  );
  return Object.fromEntries(rows.map((row) => [row.email, row.state]));
}

async function verdicts(one: { id: string }): Promise<Record<string, string>> {
  const query = { limit: 100 };
  const { results } = await product.call(listImportRows, { ...ofImport(one), query }, acme.owner);
  return Object.fromEntries(results.map((row) => [`${row.number} ${row.email ?? ''}`, row.verdict ?? '']));
}

async function countOf(table: 'imports' | 'import_rows' | 'choices' | 'customers'): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    `select count(*)::int as count from ${table} where site_id = $1`,
    [acme.site.id],
  );
  return rows[0]?.count ?? -1;
}

describe('an upload', () => {
  it('returns the columns, the first rows and their most likely meaning', async () => {
    const one = await upload(
      product,
      acme,
      csv('E-Mail;Weekly news;Abgemeldet', 'nora@example.com;ja;', 'max@example.com;nein;x'),
    );
    expect(one).toMatchObject({
      source: 'csv',
      status: 'uploaded',
      file_name: 'people.csv',
      columns: ['E-Mail', 'Weekly news', 'Abgemeldet'],
      preview: [
        ['nora@example.com', 'ja', ''],
        ['max@example.com', 'nein', 'x'],
      ],
      suggested_mapping: {
        email: 'E-Mail',
        lists: [{ column: 'Weekly news', list_id: acme.weekly.id }],
        all: 'Abgemeldet',
      },
      counts: { total: 2, read: 2, checked: 0 },
      created_by: acme.owner.id,
    });
    const { results } = await product.call(listImports, { params: acme.params }, acme.owner);
    expect(results.map(({ id }) => id)).toEqual([one.id]);
  });

  it('returns the first distinct values of each column, wherever they are, and how many rows have one', async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      [`p${at}@example.com`, at < 12 ? '' : at % 2 === 0 ? 'no' : 'yes', at === 39 ? ' x ' : ' ', ''].join(),
    );
    const one = await upload(product, acme, csv('email,Weekly news,Note,Phone', ...rows));
    const samples = [
      { filled: 40, values: ['p0@example.com', 'p1@example.com', 'p2@example.com'], date_order: null },
      { filled: 28, values: ['no', 'yes'], date_order: null },
      { filled: 1, values: [' x '], date_order: null },
      { filled: 0, values: [], date_order: null },
    ];
    expect(one.column_samples).toEqual(samples);
    const body = { mapping: { email: 'email', lists: [] } };
    await product.call(checkImport, { ...ofImport(one), body }, acme.owner);
    const checked = await work(product, acme, one.id);
    expect(checked.column_samples).toEqual(samples);
  });

  it('finds addresses by the contents of a column, and reports when there are none', async () => {
    const found = await upload(product, acme, csv('who,x', 'nora@example.com,1', 'max@example.com,2'));
    expect(found.suggested_mapping?.email).toBe('who');
    const none = await upload(product, acme, csv('who,x', 'Nora,1'));
    expect(none.suggested_mapping).toEqual({ lists: [] });
  });

  it.each([
    ['an empty file', '', 'it is empty'],
    ['blank lines', '\n\n\r\n', 'it is empty'],
    ['only a header', 'email,list\n', 'no rows below the header'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0, 0, 0]), "can't read its characters"],
    ['a ZIP without a table', zipOf({ 'a.png': 'x' }), 'the ZIP holds no CSV file'],
    [
      'no header',
      'nora@example.com,yes\nmax@example.com,no\n',
      'first row contains an email instead of column names',
    ],
    ['201 columns', `${Array.from({ length: 201 }, (_, at) => `c${at}`).join()}\nx\n`, '201 columns'],
    ['a quote that is not closed', 'email,a\n"nora@example.com,yes\n', "isn't closed"],
    ['a row of 3 MB', `email,a\nnora@example.com,"${'x'.repeat(3_000_000)}"\n`, 'larger than 2 MB'],
  ])('of %s is rejected: 422, and nothing is stored', async (_what, content, sentence) => {
    const file = new Blob([content as string], { type: 'text/csv' });
    const call = { params: acme.params, query: { file_name: 'a.csv' }, file };
    const error = await product.refuse(uploadImport, call, acme.owner);
    expect({ status: error.status, message: error.message }).toEqual({
      status: 422,
      message: expect.stringContaining(sentence),
    });
    expect(error.message).not.toContain('nora@');
    expect([await countOf('imports'), await countOf('import_rows')]).toEqual([0, 0]);
  });

  it('of an announced size of more than 50 MB is rejected: 413, and nothing is stored', async () => {
    const file = new Blob([Buffer.alloc(MAX_IMPORT_BYTES + 1, 'x')], { type: 'text/csv' });
    const call = { params: acme.params, query: { file_name: 'a.csv' } };
    const announced = await product.refuse(uploadImport, { ...call, file }, acme.owner);
    expect(announced).toMatchObject({ status: 413, errors: [{ code: 'body_too_large' }] });
    expect([await countOf('imports'), await countOf('import_rows')]).toEqual([0, 0]);
  });

  it('of another type is rejected: 415; without a name: 422; without a body: 422', async () => {
    const base = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/imports/files`;
    const send = (query: string, type: string, body: string) =>
      rawRequest(product, 'POST', `${base}${query}`, {
        as: acme.owner,
        headers: { 'content-type': type },
        body,
      });
    expect((await send('?file_name=a', 'application/json', '{}')).codes).toEqual(['unsupported_media_type']);
    expect((await send('', 'text/csv', 'email\na@example.com\n')).fields).toEqual(['file_name']);
    expect((await send('?file_name=a', 'text/csv', '')).fields).toEqual(['file']);
    expect(await countOf('imports')).toBe(0);
  });

  it('whose commit was not confirmed by the database keeps its rows, and is answered', async () => {
    const { services } = product;
    const { database } = services;
    let isLost = false;
    const inSite: typeof database.inSite = async (siteId, work) => {
      const done = await database.inSite(siteId, work);
      const { rows } = await product.testDatabase.owner.query(
        "select 1 from imports where site_id = $1 and status = 'uploaded'",
        [siteId],
      );
      if (rows.length === 0 || isLost) return done;
      isLost = true;
      throw new Error('Connection terminated unexpectedly');
    };
    const unlucky = { ...services, database: { ...database, inSite } };
    const file = Readable.from([Buffer.from('email,weekly\nnora@example.com,no\n')]);
    expect(await uploadFile(unlucky, acme.site.id, acme.owner.id, 'a.csv', file)).toMatchObject({
      status: 'uploaded',
    });
    expect(isLost).toBe(true);
    expect(await countOf('import_rows')).toBe(1);
  });

  it('that breaks off leaves a failed import without rows', async () => {
    const url = new URL(product.url);
    const socket = connect(Number(url.port), '127.0.0.1');
    const path = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/imports/files?file_name=a.csv`;
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${acme.owner.token}\r\n` +
        'content-type: text/csv\r\ncontent-length: 900000\r\n\r\n',
    );
    socket.write(`email\n${Array.from({ length: 3000 }, (_, at) => `nora-${at}@example.com\n`).join('')}`);
    await expect.poll(() => countOf('import_rows')).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => countOf('import_rows')).toBe(0);
    const { results } = await product.call(listImports, { params: acme.params }, acme.owner);
    expect(results).toMatchObject([
      { status: 'failed', message: expect.stringContaining('was interrupted') },
    ]);
  });

  it('that is cancelled midway ends: 409, and its rows are deleted', async () => {
    const base = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}/imports/files`;
    const rows = Array.from({ length: 1500 }, (_, at) => `nora-${at}@example.com\n`).join('');
    let goOn = () => {};
    const cancelled = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* body() {
      yield Buffer.from(`email\n${rows}`);
      await cancelled;
      yield Buffer.from(rows);
    }
    const answer = fetch(`${product.url}${base}?file_name=a.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${acme.owner.token}`, 'content-type': 'text/csv' },
      body: Readable.from(body()),
      duplex: 'half',
    } as unknown as RequestInit);
    await expect.poll(() => countOf('import_rows')).toBe(1000);
    const { results } = await product.call(listImports, { params: acme.params }, acme.owner);
    await product.call(cancelImport, ofImport(results[0] ?? { id: '' }), acme.owner);
    goOn();
    expect((await answer).status).toBe(409);
    expect(await countOf('import_rows')).toBe(0);
  });

  it('whose process died is given up later, without rows', async () => {
    const one = await upload(product, acme, csv('email', 'nora@example.com'));
    await product.testDatabase.owner.query(`update imports set status = 'receiving' where id = $1`, [one.id]);
    await workOnce(product, acme, one.id);
    expect((await readImport(product, acme, one.id)).status).toBe('receiving');
    product.clock.advance({ minutes: 15 });
    await logInAgain(product, world.owner);
    await workOnce(product, acme, one.id);
    expect(await readImport(product, acme, one.id)).toMatchObject({ status: 'failed', preview: [] });
  });

  it('is refused beside ten others: 422', async () => {
    const files = Array.from({ length: 10 }, () => upload(product, acme, csv('email', 'nora@example.com')));
    const [first] = await Promise.all(files);
    const call = { params: acme.params, query: { file_name: 'a' }, file: csv('email', 'a@example.com') };
    expect((await product.refuse(uploadImport, call, acme.owner)).errors[0]?.code).toBe('limit_reached');
    await product.call(cancelImport, ofImport(first ?? { id: '' }), acme.owner);
    expect((await product.call(uploadImport, call, acme.owner)).status).toBe('uploaded');
  });

  it.each([
    ['a byte order mark and CRLF', '\ufeffemail,Offers\r\nnora@example.com,yes\r\n'],
    ['tabs', 'email\tOffers\nnora@example.com\tyes\n'],
    ['semicolons and commas in quotes', '"email";"a,b,c";Offers\n"nora@example.com";"x,y";"yes"\n'],
    ['lines that end with CR', 'email,Offers\rnora@example.com,yes\r'],
    ['no end of the last line', 'email,Offers\nnora@example.com,yes'],
    ['blank lines and a tail of separators', 'email,Offers,,\n\nnora@example.com,yes,,\n,,,\n'],
    ['a quoted line break', 'email,Note,Offers\nnora@example.com,"one\ntwo",yes\n'],
    ['spaces around, and capitals', 'Email , Offers \n  Nora@Example.com , YES \n'],
  ])('may have %s', async (_what, text) => {
    const file = new Blob([text], { type: 'text/csv' });
    const done = await importFile(file);
    expect(done.counts).toMatchObject({ total: 1, added: 1, rejected: 0 });
    const [address = '', value] = Object.entries(await state())[0] ?? [];
    expect([address.toLowerCase(), value]).toEqual(['nora@example.com', '+Offers']);
  });

  it('gets unique column names, and may have 200 columns', async () => {
    const twice = await upload(product, acme, csv('email,email,,Name', 'a@example.com,b@example.com,,Nora'));
    expect(twice.columns).toEqual(['email', 'email (2)', 'Column 3', 'Name']);
    const names = ['email', ...Array.from({ length: 199 }, (_, at) => `c${at}`)];
    const wide = await upload(product, acme, csv(names.join(), `a@example.com${','.repeat(199)}`));
    expect(wide.columns).toHaveLength(200);
  });
});

describe('a check', () => {
  it('changes no customer, and says what would happen with each row', async () => {
    const [vera, paul, lena] = [
      await buildCustomer(product, acme, 'vera@example.com'),
      await buildCustomer(product, acme, 'paul@example.com'),
      await buildCustomer(product, acme, 'lena@example.com'),
    ];
    await choose(vera, acme.weekly, false);
    await choose(paul, acme.weekly, true);
    await leaveAll(lena);
    const before = await readRows(product.testDatabase.owner);
    const one = await uploadAndCheck(
      product,
      acme,
      csv(
        'email,Weekly news,global_unsubscribe',
        'new@example.com,yes,',
        'vera@example.com,yes,',
        'paul@example.com,subscribed,',
        'lena@example.com,on,no',
        'PAUL@example.com,no,',
        'no address,yes,',
        ',yes,',
        'odd@example.com,perhaps,',
        'short@example.com,yes',
        'long@example.com,yes,no,more',
        'zero\0@example.com,yes,',
        `far@example.com,${'y'.repeat(1_000_000)},`,
        'email,Weekly news,global_unsubscribe',
        'only@example.com,,',
        'gone@example.com,,yes',
      ),
    );
    expect(one).toMatchObject({
      status: 'checked',
      counts: {
        total: 15,
        checked: 15,
        added: 3,
        changed: 1,
        unchanged: 0,
        blocked: 2,
        merged: 1,
        rejected: 8,
        applied: 0,
        subscribes: 1,
        unsubscribes: 2,
        no_choice: 1,
      },
    });
    expect(await verdicts(one)).toEqual({
      '2 new@example.com': 'added',
      '3 vera@example.com': 'blocked',
      // An opt-out further down in the file counts.
      '4 paul@example.com': 'changed',
      '5 lena@example.com': 'blocked',
      '6 PAUL@example.com': 'merged',
      '7 no address': 'rejected',
      '8 ': 'rejected',
      '9 odd@example.com': 'rejected',
      '10 short@example.com': 'rejected',
      '11 long@example.com': 'rejected',
      '12 zero\ufffd@example.com': 'rejected',
      '13 far@example.com': 'rejected',
      '14 email': 'rejected',
      '15 only@example.com': 'added',
      '16 gone@example.com': 'added',
    });
    const after = await readRows(product.testDatabase.owner);
    for (const table of ['customers', 'choices', 'subscriptions', 'deliveries', 'lists']) {
      expect(after[`public.${table}`], table).toBe(before[`public.${table}`]);
    }
  });

  it('may read a plain “no” of a list as never chosen; a word for having left stays an opt-out', async () => {
    const paul = await buildCustomer(product, acme, 'paul@example.com');
    await choose(paul, acme.weekly, true);
    const file = csv(
      'email,A,B',
      'nora@example.com,no,no',
      'paul@example.com,FALSE,',
      'lena@example.com,unsubscribed,yes',
      'nora@example.com,opt-out,',
    );
    const one = await uploadAndCheck(product, acme, file, {
      mapping: {
        email: 'email',
        lists: [
          { column: 'A', list_id: acme.weekly.id, no: 'unchanged' },
          { column: 'B', list_id: acme.offers.id },
        ],
      },
    });
    expect(one.mapping?.lists.map(({ no }) => no)).toEqual(['unchanged', undefined]);
    const { results } = await product.call(listImportRows, { ...ofImport(one), query: {} }, acme.owner);
    expect(results.map(({ email, lists, verdict }) => [email, lists.length, verdict])).toEqual([
      // The opt-out of its second row, and the plain "no" of the other list.
      ['nora@example.com', 2, 'added'],
      ['paul@example.com', 0, 'unchanged'],
      ['lena@example.com', 2, 'added'],
      ['nora@example.com', 0, 'merged'],
    ]);
    await apply(one);
    expect(await state()).toEqual({
      'lena@example.com': '+Offers -Weekly news',
      'nora@example.com': '-Offers -Weekly news',
      'paul@example.com': '+Weekly news',
    });
  });

  it('returns the rejected rows as they were, with the reasons, and without formulas', async () => {
    const one = await uploadAndCheck(
      product,
      acme,
      csv('email,note', '=HYPERLINK("x"),@a', 'nora@example.com,ok', 'a,b,c', 'nora@example.com,', 'b,'),
    );
    const text = await product.call(downloadRejectedRows, ofImport(one), acme.owner);
    expect(text.replace(/^\ufeff/, '').split('\r\n')).toEqual([
      'email,note,reason',
      `"'=HYPERLINK(""x"")",'@a,This email isn't valid.`,
      'a,b,"The row has 3 cells, but the header has 2.",c',
      `b,,This email isn't valid.`,
      '',
    ]);
    const query = { verdict: 'rejected' as const, limit: 2 };
    const page = await product.call(listImportRows, { ...ofImport(one), query }, acme.owner);
    expect([page.results.map(({ number }) => number), page.next]).toEqual([[2, 4], '4']);
    const last = { ...query, cursor: page.next ?? '' };
    const rest = await product.call(listImportRows, { ...ofImport(one), query: last }, acme.owner);
    expect([rest.results.map(({ number }) => number), rest.next]).toEqual([[6], null]);
    const merged = { ...ofImport(one), query: { verdict: 'merged' as const } };
    const { results } = await product.call(listImportRows, merged, acme.owner);
    const reason = 'Same email as row 3. We use that row, and unsubscribes here count too.';
    expect(results).toMatchObject([{ number: 5, reason }]);
  });

  it('may be repeated with another mapping, and considers the opt-outs in other slices', async () => {
    const rows = Array.from({ length: 700 }, (_, at) => `p${at}@example.com,yes,no`);
    const one = await uploadAndCheck(product, acme, csv('email,A,B', ...rows, 'p3@example.com,no,'), {
      mapping: { email: 'email', lists: [{ column: 'A', list_id: acme.weekly.id }] },
    });
    expect(one.counts).toMatchObject({ checked: 701, added: 700, merged: 1, rejected: 0 });
    expect(one.counts).toMatchObject({ subscribes: 699, unsubscribes: 1, no_choice: 0 });
    const query = { limit: 5 };
    const { results } = await product.call(listImportRows, { ...ofImport(one), query }, acme.owner);
    expect(results.map(({ lists }) => lists[0]?.subscribed)).toEqual([true, true, true, false, true]);
    const mapping = { email: 'email', lists: [{ column: 'B', list_id: acme.offers.id }] };
    await product.call(checkImport, { ...ofImport(one), body: { mapping } }, acme.owner);
    const again = await work(product, acme, one.id);
    expect(again.counts).toMatchObject({ checked: 701, added: 700, merged: 1, rejected: 0 });
    expect(again.counts).toMatchObject({ subscribes: 0, unsubscribes: 700, no_choice: 0 });
    expect(
      (await product.call(listImportRows, { ...ofImport(one), query }, acme.owner)).results[0]?.lists,
    ).toEqual([{ list_id: acme.offers.id, subscribed: false, since: null }]);
  });

  it.each([
    ['mapping', {}],
    ['mapping.email', { mapping: { email: 'nothing' } }],
    ['mapping.all', { mapping: { email: 'email', all: 'nothing' } }],
    [
      'mapping.suppressions.0.column',
      { mapping: { email: 'email', suppressions: [{ column: 'nothing', state: 'bounced' }] } },
    ],
    ['mapping.confirmed_at', { mapping: { email: 'email', confirmed_at: 'nothing' } }],
    ['mapping.confirmed_ip', { mapping: { email: 'email', confirmed_ip: 'A' } }],
    ['mapping.lists.0.column', { mapping: { email: 'email', lists: [{ column: 'x', list_id: 'WEEKLY' }] } }],
    ['mapping.lists.0.list_id', { mapping: { email: 'email', lists: [{ column: 'A', list_id: 'OTHER' }] } }],
    [
      'mapping.lists.1.list_id',
      {
        mapping: {
          email: 'email',
          lists: [
            { column: 'A', list_id: 'WEEKLY' },
            { column: 'email', list_id: 'WEEKLY' },
          ],
        },
      },
    ],
  ])('with a wrong %s is rejected: 422', async (field, body) => {
    const one = await upload(product, acme, csv('email,A', 'nora@example.com,yes'));
    const named = JSON.parse(
      JSON.stringify(body).replaceAll('WEEKLY', acme.weekly.id).replaceAll('OTHER', world.weekly.id),
    ) as { mapping?: { email: string } };
    const error = await product.refuse(checkImport, { ...ofImport(one), body: named }, acme.owner);
    expect(error.errors).toMatchObject([{ code: 'invalid_field', field }]);
  });
});

describe('the proof of a confirmation', () => {
  const PROVEN = csv(
    'email,Weekly news,CONFIRM_TIME,CONFIRM_IP',
    'nora@example.com,yes,2026-03-14 09:30:00,198.51.100.23',
    'max@example.com,yes,,',
    'ines@example.com,yes,2026-03-14T10:30:00+01:00,unknown',
    'luca@example.com,yes,last spring,',
  );

  async function newestOf(email: string) {
    const query = { search: email };
    const [customer] = (await product.call(listCustomers, { params: acme.params, query }, acme.owner))
      .results;
    const call = { params: { ...acme.params, id: customer?.id ?? '' } };
    return (await product.call(listCustomerEvidence, call, acme.owner)).results[0];
  }

  it('is stored in the evidence, and people without it are the owner’s claim', async () => {
    const body = { double_opt_in: true, subscription_default_state: false };
    await product.call(updateList, { params: { ...acme.params, id: acme.weekly.id }, body }, acme.owner);
    const checked = await uploadAndCheck(product, acme, PROVEN);
    expect(checked.mapping).toMatchObject({ confirmed_at: 'CONFIRM_TIME', confirmed_ip: 'CONFIRM_IP' });
    expect((await apply(checked)).counts).toMatchObject({ added: 4, rejected: 0 });
    const nora = await newestOf('nora@example.com');
    expect(nora).toMatchObject({ authority: 'owner', requested: null, confirmed_ip: '198.51.100.23' });
    expect(nora?.lists).toMatchObject([{ subscribed: true, confirmed_at: '2026-03-14T09:30:00.000Z' }]);
    const max = await newestOf('max@example.com');
    expect(max).toMatchObject({ authority: 'owner', requested: null, confirmed_ip: null });
    expect(max?.lists).toMatchObject([{ subscribed: true }]);
    expect(max?.lists[0]).not.toHaveProperty('confirmed_at');
    const ines = await newestOf('ines@example.com');
    expect(ines?.lists).toMatchObject([{ confirmed_at: '2026-03-14T09:30:00.000Z' }]);
    expect(ines?.confirmed_ip).toBeNull();
    const { results } = await product.call(listImportRows, { ...ofImport(checked), query: {} }, acme.owner);
    expect(results.flatMap(({ reason }) => reason ?? [])).toEqual([
      '"CONFIRM_TIME" says "last spring", which isn\'t a time that we can read, so no confirmation is stored.',
    ]);
    // Sealed with the person, as their address is.
    const { rows } = await product.testDatabase.owner.query<{ text: string }>(
      'select string_agg(choices::text, $2) as text from choices where site_id = $1',
      [acme.site.id, ' '],
    );
    expect(rows[0]?.text).toContain('2026-03-14T09:30:00.000Z');
    expect(rows[0]?.text).not.toContain('198.51.100');
  });
});

describe('an opt-out in a file', () => {
  const importText = async (text: string, name?: string) => {
    const file = new Blob([text], { type: 'text/csv' });
    return apply(await uploadAndCheck(product, acme, file, name === undefined ? {} : { name }));
  };

  it('subscribes nobody whose time of leaving is filled, and unsubscribes them at that time', async () => {
    const rows = csv(
      'email,subscribed_at,unsubscribed_at,Weekly news',
      'keeps.mc@example.com,2023-01-04 10:00:00,,yes',
      'left.mc@example.com,2023-01-04 10:00:00,2024-05-20 11:00:00,yes',
      'back.mc@example.com,2025-01-04 10:00:00,2024-05-20 11:00:00,yes',
    );
    const checked = await uploadAndCheck(product, acme, rows);
    expect(checked.counts).toMatchObject({ subscribes: 2, unsubscribes: 1 });
    const { results } = await product.call(listImportRows, { ...ofImport(checked), query: {} }, acme.owner);
    expect(results.map(({ reason }) => reason)).toEqual([
      null,
      null,
      'The file says that they unsubscribed or bounced on 2024-05-20 and signed up on 2025-01-04. The later one counts.',
    ]);
    await apply(checked);
    expect(await state()).toEqual({
      'keeps.mc@example.com': '+Weekly news',
      'left.mc@example.com': 'left',
      'back.mc@example.com': '+Weekly news',
    });
    const query = { search: 'left.mc@example.com' };
    const [customer] = (await product.call(listCustomers, { params: acme.params, query }, acme.owner))
      .results;
    const of = { params: { ...acme.params, id: customer?.id ?? '' } };
    const [record] = (await product.call(listCustomerEvidence, of, acme.owner)).results;
    expect(record?.shown.imported).toMatchObject({
      suppression: 'unsubscribed',
      suppressed_at: '2024-05-20T11:00:00.000Z',
    });
  });

  it('counts in an export of Mailchimp that a spreadsheet saved again', async () => {
    const done = await importText(
      `Email Address;MEMBER_RATING;OPTIN_TIME;OPTIN_IP;CONFIRM_TIME;CONFIRM_IP;UNSUB_TIME;UNSUB_REASON;LEID;EUID
ann.re@example.com;2;14.03.2024 09:30;192.0.2.7;14.03.2024 09:31;192.0.2.7;20.05.2024 11:00;NORMAL;1,23457E+11;8f1c
bob.re@example.com;2;3/14/2024 9:30;192.0.2.8;3/14/2024 9:31;192.0.2.8;5/20/2024 11:00;NORMAL;1,23457E+11;8f1d
cy.re@example.com;2;;;######;;######;NORMAL;1,23457E+11;8f1e
`,
      'unsubscribed_email_audience_export_0a1b2c3d4e.csv',
    );
    expect(done.counts).toMatchObject({ added: 3, rejected: 0 });
    const left = ['ann.re@example.com', 'bob.re@example.com', 'cy.re@example.com'];
    expect(await state()).toEqual(Object.fromEntries(left.map((email) => [email, 'left'])));
  });

  it('counts even if another cell of its row is unreadable, and the row reports that cell', async () => {
    const paul = await buildCustomer(product, acme, 'paul@example.com');
    await choose(paul, acme.weekly, true);
    await choose(paul, acme.offers, true);
    const done = await importText(`email,Weekly news,Offers,unsubscribed
left1@example.com,N/A,yes,yes
left2@example.com,no,perhaps,
pandas@example.com,1.0,0.0,
paul@example.com,perhaps,no,
`);
    expect(done.counts).toMatchObject({ added: 3, changed: 1, rejected: 0 });
    expect(await state()).toEqual({
      'left1@example.com': 'left',
      'left2@example.com': '-Weekly news',
      'pandas@example.com': '-Offers +Weekly news',
      'paul@example.com': '-Offers +Weekly news',
    });
    const { results } = await product.call(listImportRows, { ...ofImport(done), query: {} }, acme.owner);
    expect(results.map(({ reason }) => reason)).toEqual([
      null,
      '"Offers" says "perhaps". Write yes or no, or subscribed or unsubscribed. We only apply what the row unsubscribes from.',
      null,
      '"Weekly news" says "perhaps". Write yes or no, or subscribed or unsubscribed. We only apply what the row unsubscribes from.',
    ]);
  });
});

describe('the export of another tool', () => {
  const exportOf = (name: string) =>
    readFileSync(join(import.meta.dirname, 'exports', `${name}_email_audience_export_0a1b2c3d4e.csv`));

  async function importExport(text: Buffer, name: string) {
    const checked = await uploadAndCheck(
      product,
      acme,
      new Blob([new Uint8Array(text)], { type: 'text/csv' }),
      {
        name,
      },
    );
    return apply(checked);
  }

  async function evidenceOf(email: string) {
    const [customer] = (
      await product.call(listCustomers, { params: acme.params, query: { search: email } }, acme.owner)
    ).results;
    const call = { params: { ...acme.params, id: customer?.id ?? '' } };
    return (await product.call(listCustomerEvidence, call, acme.owner)).results;
  }

  /** Seals another reason with the person, as someone with the database and the key could. */
  async function alterDetails(record: Evidence | undefined): Promise<void> {
    if (!record?.imported || record.email === null) throw new Error('There is nothing to alter');
    const { owner } = product.testDatabase;
    const { rows } = await owner.query<{ person_salt: Buffer }>(
      'select person_salt from customers where site_id = $1 and id = $2',
      [acme.site.id, record.customer_id],
    );
    const { sealed } = encryptPerson(
      product.services.keyring,
      acme.site.id,
      rows[0]?.person_salt ?? Buffer.alloc(0),
      { email: record.email, user_agent: null, imported: { ...record.imported, reason: 'SPAM' } },
    );
    await owner.query('update choices set person_sealed = $2 where id = $1', [record.id, sealed]);
  }

  it('leaves file, row, source and reason in evidence that verifies, even after the person is erased', async () => {
    const text = exportOf('unsubscribed');
    const done = await importExport(text, 'unsubscribed_ida.berg@example.com.csv');
    const hash = createHash('sha256').update(text).digest('hex');
    expect(done).toMatchObject({
      counts: { added: 2 },
      file_sha256: hash,
      recognized: { tool: 'Mailchimp', part: 'unsubscribed', is_certain: true },
    });
    const [ida, created] = await evidenceOf('ida.berg@example.com');
    const imported = {
      // A record outlives an erasure.
      file_name: '…',
      file_sha256: hash,
      rows: [2],
      tool: 'Mailchimp',
      consent_at: '2023-06-01T07:00:00.000Z',
      suppression: 'unsubscribed',
      suppressed_at: '2025-02-03T06:40:11.000Z',
    };
    expect(ida).toMatchObject({
      global_unsubscribe: true,
      shown: { imported },
      imported: { consent_ip: '198.51.100.9', source: null, reason: 'NO_LONGER' },
    });
    expect(created).toMatchObject({ events: ['customer_created'], shown: { imported } });

    const packOf = (id = '') =>
      product.call(exportCustomerProof, { params: { ...acme.params, id } }, acme.owner);
    const pack = await packOf(ida?.customer_id);
    const problemsOf = async (of: string) => (await verifyPack([Buffer.from(of, 'utf8')])).problems;
    expect(await problemsOf(pack)).toEqual([]);
    expect(pack).toContain('Import of …, row 2');
    // Sealed with the person, as their address is; the hash of the record covers it.
    const { rows } = await product.testDatabase.owner.query<{ text: string }>(
      'select string_agg(choices::text, $2) as text from choices where site_id = $1',
      [acme.site.id, ' '],
    );
    expect(rows[0]?.text).not.toMatch(/NO_LONGER|198\.51\.100|ida\.berg/);

    await alterDetails(ida);
    expect(await problemsOf(await packOf(ida?.customer_id))).toEqual([
      expect.stringMatching(/was altered: what the imported file says about the person has another hash/),
    ]);

    await product.call(
      deleteCustomer,
      { params: { ...acme.params, id: ida?.customer_id ?? '' } },
      acme.owner,
    );
    const erased = await packOf(ida?.customer_id);
    expect(await problemsOf(erased)).toEqual([]);
    expect(erased).toContain(hash);
    expect(erased).not.toContain('NO_LONGER');
  });

  it('subscribes nobody whose email bounced, and says why', async () => {
    const box = await buildCustomer(product, acme, 'old.box@example.com');
    await choose(box, acme.weekly, true);
    const file = csv(
      'email,Weekly news status,source',
      'new@example.com,bounced,Fair',
      'spam@example.com,Complained,',
      'fine@example.com,subscribed,Footer form',
      'fine@example.com,cleaned,',
      'twice@example.com,subscribed,',
      'twice@example.com,subscribed,',
    );
    const checked = await uploadAndCheck(product, acme, file);
    await apply(checked);
    await importExport(exportOf('cleaned'), 'cleaned_email_audience_export_0a1b2c3d4e.csv');
    expect(await state()).toEqual({
      'new@example.com': '',
      // A bounce is no unsubscribe.
      'old.box@example.com': '+Weekly news',
      'spam@example.com': 'left',
      'fine@example.com': '',
      'twice@example.com': '+Weekly news',
    });
    const [created] = await evidenceOf('new@example.com');
    expect(created).toMatchObject({
      events: ['customer_created'],
      shown: { imported: { suppression: 'bounced', tool: null } },
      imported: { source: 'Fair' },
    });
    const [fine] = await evidenceOf('fine@example.com');
    expect(fine?.shown.imported).toMatchObject({ rows: [4, 5], suppression: 'bounced' });
    const [twice] = await evidenceOf('twice@example.com');
    expect(twice?.shown.imported?.rows).toEqual([6]);
    const { results } = await product.call(listImportRows, { ...ofImport(checked), query: {} }, acme.owner);
    expect(results[0]?.reason).toBe('The file says that this email bounced, so nothing is subscribed.');
  });

  it('has HubSpot’s unsubscribes and bounces read as what they are, and never a type’s “TRUE” as a subscription', async () => {
    for (const email of ['away@example.com', 'spam.button@example.com', 'full.box@example.com']) {
      await choose(await buildCustomer(product, acme, email), acme.weekly, true);
    }
    const name = 'hubspot-unsubscribes-and-bounces.csv';
    await importExport(readFileSync(join(import.meta.dirname, 'exports', name)), name);
    expect(await state()).toEqual({
      // What they had chosen stays underneath.
      'away@example.com': 'left +Weekly news',
      'spam.button@example.com': 'left +Weekly news',
      'full.box@example.com': '+Weekly news',
      'dead.box@example.com': '',
      'elsewhere.dead@example.com': '',
      'weekly.only@example.com': '',
    });
    const [left] = await evidenceOf('spam.button@example.com');
    expect(left?.shown.imported).toMatchObject({ tool: 'HubSpot', suppression: 'complained' });
  });

  it.each([
    ['subscribed', undefined],
    ['bounced', 'weekly'],
    ['unsubscribed', 'offers'],
  ] as const)('covers everything about everybody, but not %s of the list %s', async (state, name) => {
    const one = await upload(product, acme, csv('email,A', 'nora@example.com,yes'));
    const everyone = { state, ...(name === undefined ? {} : { list_id: acme[name].id }) };
    const lists = [{ column: 'A', list_id: acme.offers.id }];
    const body = { mapping: { email: 'email', lists, everyone } };
    const refused = product.call(checkImport, { ...ofImport(one), body }, acme.owner);
    const errors = [{ code: 'invalid_field', field: 'mapping.everyone.list_id' }];
    await expect(refused).rejects.toMatchObject({ errors });
  });
});

describe('applying an import', () => {
  it('brings everybody exactly to what the rows and their own choices say, with evidence and deliveries', async () => {
    await buildWebhook(product, acme, { url: 'https://shop.example/hook', event: 'unsubscribed' });
    const names = ['vera', 'paul', 'lena', 'kate', 'otto'] as const;
    const people = new Map<string, Customer>();
    for (const name of names) people.set(name, await buildCustomer(product, acme, `${name}@example.com`));
    const of = (name: (typeof names)[number]) => people.get(name) as Customer;
    await choose(of('vera'), acme.weekly, false);
    await choose(of('paul'), acme.weekly, true);
    await leaveAll(of('lena'));
    await choose(of('kate'), acme.offers, true);
    const done = await importFile(
      csv(
        'email,Weekly news,Offers,global_unsubscribe',
        'new@example.com,yes,no,',
        'vera@example.com,yes,yes,',
        'paul@example.com,no,,',
        'lena@example.com,yes,no,',
        'kate@example.com,yes,yes,yes',
        'otto@example.com,,,no',
        'gone@example.com,yes,,yes',
        'bad row,,,',
      ),
    );
    expect(done).toMatchObject({
      status: 'finished',
      message: null,
      counts: {
        total: 8,
        checked: 8,
        applied: 7,
        added: 2,
        changed: 4,
        unchanged: 1,
        blocked: 0,
        rejected: 1,
      },
    });
    expect(await state()).toEqual({
      'gone@example.com': 'left',
      'kate@example.com': 'left +Offers',
      'lena@example.com': 'left -Offers',
      'new@example.com': '-Offers +Weekly news',
      'otto@example.com': '',
      'paul@example.com': '-Weekly news',
      'vera@example.com': '+Offers -Weekly news',
    });
    const { results } = await product.call(
      listCustomerEvidence,
      { params: { ...acme.params, id: of('paul').id } },
      acme.owner,
    );
    expect(results[0]).toMatchObject({ source: 'import', authority: 'owner', events: ['unsubscribed'] });
    const rows = await product.call(listImportRows, ofImport(done), acme.owner);
    expect(rows.results[2]).toMatchObject({ customer_id: of('paul').id, choice_id: results[0]?.id });
    expect(rows.results[1]).toMatchObject({
      verdict: 'changed',
      reason: expect.stringContaining('Weekly news'),
    });
    const deliveries = await product.call(listDeliveries, { params: acme.params }, acme.owner);
    expect(deliveries.results.map(({ customer_email: email }) => email).toSorted()).toEqual([
      // Vera's and Lena's are of their own choices before. Leaving everything leaves each list.
      'gone@example.com',
      'kate@example.com',
      'lena@example.com',
      'new@example.com',
      'paul@example.com',
      'vera@example.com',
    ]);
  });

  it('resubscribes people only if the import says so', async () => {
    const [vera, lena] = [
      await buildCustomer(product, acme, 'vera@example.com'),
      await buildCustomer(product, acme, 'lena@example.com'),
    ];
    await choose(vera, acme.weekly, false);
    await choose(lena, acme.offers, true);
    await leaveAll(lena);
    const file = csv('email,Weekly news', 'vera@example.com,yes', 'lena@example.com,yes');
    expect((await importFile(file)).counts).toMatchObject({ blocked: 2, revived: 0 });
    expect(await state()).toEqual({ 'lena@example.com': 'left +Offers', 'vera@example.com': '-Weekly news' });
    expect((await importFile(file, { revive: true })).counts).toMatchObject({ blocked: 0, revived: 2 });
    expect(await state()).toEqual({
      'lena@example.com': '-Offers +Weekly news',
      'vera@example.com': '+Weekly news',
    });
  });

  it('leaves those alone who opted out between the check and now', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    const one = await uploadAndCheck(product, acme, csv('email,Weekly news', 'vera@example.com,yes'));
    expect(one.counts).toMatchObject({ changed: 1 });
    await choose(vera, acme.weekly, false);
    expect((await apply(one)).counts).toMatchObject({ changed: 0, blocked: 1, applied: 1 });
    expect(await state()).toEqual({ 'vera@example.com': '-Weekly news' });
  });

  it('creates somebody who was erased after leaving everything as unsubscribed', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await leaveAll(vera);
    await product.call(deleteCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);
    const done = await importFile(csv('email,Weekly news', 'vera@example.com,yes'));
    expect(done.counts).toMatchObject({ added: 1 });
    expect(await state()).toEqual({ 'vera@example.com': 'left' });
  });

  it('leaves a pause unchanged', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await product.testDatabase.owner.query(
      'update customers set global_unsubscribe = true, paused_until = $2 where id = $1',
      [vera.id, new Date(Date.now() + 86_400_000)],
    );
    await importFile(csv('email,Weekly news', 'vera@example.com,yes'));
    const call = { params: { ...acme.params, id: vera.id } };
    expect((await product.call(getCustomer, call, acme.owner)).paused_until).not.toBeNull();
    expect(await state()).toEqual({ 'vera@example.com': 'left +Weekly news' });
  });

  it('skips a list that was deleted meanwhile, and a person who was erased', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await choose(vera, acme.weekly, true);
    const one = await uploadAndCheck(
      product,
      acme,
      csv('email,Weekly news,Offers', 'vera@example.com,no,no', 'nora@example.com,yes,yes'),
    );
    await product.call(deleteList, { params: { ...acme.params, id: acme.offers.id } }, acme.owner);
    await product.call(deleteCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);
    expect((await apply(one)).counts).toMatchObject({ applied: 1, added: 1 });
    expect(await state()).toEqual({ 'nora@example.com': '+Weekly news' });
    expect(await verdicts(one)).toEqual({ '3 nora@example.com': 'added' });
  });

  it('stops when it is cancelled, keeps what was done, and says so', async () => {
    const rows = Array.from({ length: 250 }, (_, at) => `p${at}@example.com`);
    const one = await uploadAndCheck(product, acme, csv('email', ...rows));
    await product.call(applyImport, ofImport(one), acme.owner);
    await workOnce(product, acme, one.id);
    const stale = await jobOf(product, acme, one.id);
    const cancelled = await product.call(cancelImport, ofImport(one), acme.owner);
    expect(cancelled).toMatchObject({ status: 'cancelled', counts: { applied: 100 } });
    expect(cancelled.message).toBe('Canceled after 100 rows were applied. Those rows stay as they are.');
    await handleJob(product.services, stale);
    expect(await countOf('customers')).toBe(100);
  });

  it('counts the current slice when it is cancelled in the middle of it', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    const rows = Array.from({ length: 59 }, (_, at) => `p${at}@example.com,yes`);
    const file = csv('email,Weekly news', 'vera@example.com,yes', ...rows);
    const one = await uploadAndCheck(product, acme, file);
    await product.call(applyImport, ofImport(one), acme.owner);
    // The slice cannot end while somebody else is at one of its people.
    const busy = await product.testDatabase.owner.connect();
    await busy.query('begin');
    await busy.query('select from customers where site_id = $1 and id = $2 for update', [
      acme.site.id,
      vera.id,
    ]);
    const working = workOnce(product, acme, one.id);
    try {
      await expect.poll(() => countOf('customers')).toBeGreaterThan(30);
      await product.call(cancelImport, ofImport(one), acme.owner);
    } finally {
      await busy.query('rollback');
      busy.release();
    }
    await working;
    const after = await readImport(product, acme, one.id);
    expect(after).toMatchObject({ status: 'cancelled', counts: { applied: 60, added: 59, changed: 1 } });
    expect(await countOf('customers')).toBe(60);
  });

  it('by two workers at once, or repeatedly, does nothing twice', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await choose(vera, acme.weekly, true);
    const rows = Array.from({ length: 40 }, (_, at) => `p${at}@example.com,yes`);
    const one = await uploadAndCheck(product, acme, csv('email,Weekly news', ...rows, 'vera@example.com,no'));
    await product.call(applyImport, ofImport(one), acme.owner);
    const again = await product.refuse(applyImport, ofImport(one), acme.owner);
    expect(again).toMatchObject({ status: 409, errors: [{ code: 'conflict' }] });
    const job = await jobOf(product, acme, one.id);
    await Promise.all([1, 2, 3].map(() => handleJob(product.services, job)));
    const done = await work(product, acme, one.id);
    expect(done.counts).toMatchObject({ applied: 41, added: 40, changed: 1 });
    expect(await countOf('customers')).toBe(41);
    // Creation and subscription of each, and three of hers.
    expect(await countOf('choices')).toBe(40 * 2 + 3);
  });

  it('resumes after a worker’s crash, with nothing twice and nothing missing', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    const rows = Array.from({ length: 30 }, (_, at) => `p${at}@example.com,yes`);
    const one = await uploadAndCheck(
      product,
      acme,
      csv('email,Weekly news', ...rows, 'vera@example.com,yes'),
    );
    await product.call(applyImport, ofImport(one), acme.owner);
    const { owner } = product.testDatabase;
    // It dies when it would record the slice, after every row of it.
    await owner.query(`alter table imports add constraint no_end check (position < 20) not valid`);
    await expect(workOnce(product, acme, one.id)).rejects.toThrow('no_end');
    await owner.query('alter table imports drop constraint no_end');
    expect(await countOf('customers')).toBe(31);
    await choose(vera, acme.weekly, false);
    const done = await work(product, acme, one.id);
    expect(done.counts).toMatchObject({ applied: 31, added: 30, changed: 1, blocked: 0 });
    expect((await state())['vera@example.com']).toBe('-Weekly news');
    expect(await countOf('choices')).toBe(30 * 2 + 3);
  });

  it('finishes a customer whom a dead worker had only created', async () => {
    const one = await uploadAndCheck(product, acme, csv('email,Weekly news', 'nora@example.com,yes'));
    await product.call(applyImport, ofImport(one), acme.owner);
    const { owner } = product.testDatabase;
    await owner.query('alter table subscriptions add constraint no_more check (false) not valid');
    await owner.query('alter table import_rows add constraint no_mark check (applied_at is null) not valid');
    await expect(workOnce(product, acme, one.id)).rejects.toThrow('no_mark');
    await owner.query('alter table subscriptions drop constraint no_more');
    await owner.query('alter table import_rows drop constraint no_mark');
    expect(await state()).toEqual({ 'nora@example.com': '' });
    expect((await work(product, acme, one.id)).counts).toMatchObject({ added: 1, changed: 0 });
    expect(await state()).toEqual({ 'nora@example.com': '+Weekly news' });
    expect(await countOf('choices')).toBe(2);
  });

  it('continues after a row that cannot be saved', async () => {
    const one = await uploadAndCheck(
      product,
      acme,
      csv('email,Weekly news', 'evil@example.com,yes', 'nora@example.com,yes'),
    );
    await product.call(applyImport, ofImport(one), acme.owner);
    const { owner } = product.testDatabase;
    await owner.query(`alter table customers add constraint no_evil check (email_key <> 'evil@example.com')`);
    try {
      expect((await work(product, acme, one.id)).counts).toMatchObject({ added: 1, rejected: 1 });
    } finally {
      await owner.query('alter table customers drop constraint no_evil');
    }
    expect(await state()).toEqual({ 'nora@example.com': '+Weekly news' });
  });
});

describe('an opt-out that was kept before there was a customer', () => {
  const keep = (email: string, about: string, happened_at: string) =>
    product.services.database.inSite(acme.site.id, (site) =>
      keepOptOuts(
        product.services,
        site,
        email,
        [{ about, kind: 'unsubscribed', integration_id: null, happened_at: new Date(happened_at) }],
        async () => false,
      ),
    );

  it('holds against a row that doesn’t say when they subscribed, or says that it was before', async () => {
    const LEFT_AT = '2026-03-01T12:00:00Z';
    for (const name of ['undated', 'earlier', 'later']) {
      await keep(`${name}@example.com`, 'everything', LEFT_AT);
    }
    await keep('list@example.com', acme.weekly.id, LEFT_AT);
    const file = csv(
      'email,Weekly news,Offers,CONFIRM_TIME',
      'undated@example.com,yes,,',
      'Earlier@example.com,yes,,2026-02-28 09:00:00',
      'later@example.com,yes,,2026-03-02 09:00:00',
      'list@example.com,yes,yes,',
      'other@example.com,yes,,',
    );
    await buildWebhook(product, acme, { url: 'https://shop.example/hook', event: 'unsubscribed' });
    const checked = await uploadAndCheck(product, acme, file);
    expect(checked.counts).toMatchObject({ subscribes: 3, unsubscribes: 3, no_choice: 0 });
    expect(checked.tells).toEqual([{ integration_id: null, customers: 3 }]);
    const query = { limit: 100 };
    const preview = await product.call(listImportRows, { ...ofImport(checked), query }, acme.owner);
    expect(preview.results.map(({ reason }) => reason?.split(':')[0] ?? null)).toEqual([
      'This customer unsubscribed from all and stays unsubscribed.',
      'This customer unsubscribed from all and stays unsubscribed.',
      'A tool had reported that this email unsubscribed, before it was a customer. They start unsubscribed.',
      'This customer unsubscribed from these lists and stays unsubscribed',
      null,
    ]);
    expect((await apply(checked)).counts).toMatchObject({ added: 5, rejected: 0 });
    expect(await state()).toEqual({
      'undated@example.com': 'left',
      'Earlier@example.com': 'left',
      'later@example.com': '+Weekly news',
      'list@example.com': '+Offers -Weekly news',
      'other@example.com': '+Weekly news',
    });
  });
});

describe('the steps of an import', () => {
  it('cannot be taken out of order: 409 with a sentence', async () => {
    const one = await upload(product, acme, csv('email', 'nora@example.com'));
    const body = { mapping: { email: 'email' } };
    const refused = async (work: Promise<{ status: number; message: string }>) => {
      const { status, message } = await work;
      return `${status} ${message}`;
    };
    const check = () => refused(product.refuse(checkImport, { ...ofImport(one), body }, acme.owner));
    const applyIt = () => refused(product.refuse(applyImport, ofImport(one), acme.owner));
    const cancel = () => refused(product.refuse(cancelImport, ofImport(one), acme.owner));
    expect(await applyIt()).toBe("409 This import has not been checked yet, so it can't be applied now.");
    await product.call(checkImport, { ...ofImport(one), body }, acme.owner);
    expect(await check()).toContain('409 This import is being checked');
    expect(await applyIt()).toContain('409 This import is being checked');
    await work(product, acme, one.id);
    await product.call(applyImport, ofImport(one), acme.owner);
    expect(await check()).toContain('409 This import is being applied');
    await work(product, acme, one.id);
    expect(await cancel()).toBe("409 This import has been applied, so it can't be canceled anymore.");
    expect(await check()).toContain('409 This import has been applied');
  });
});

describe('the personal data in an import', () => {
  it('is deleted 30 days after the import ended, and when nobody continues it', async () => {
    const left = await upload(product, acme, csv('email', 'nora@example.com'));
    const done = await importFile(csv('email', 'nora@example.com'));
    const end = await jobOf(product, acme, done.id);
    await handleJob(product.services, end);
    await workOnce(product, acme, left.id);
    expect((await readImport(product, acme, left.id)).status).toBe('uploaded');
    expect(await countOf('import_rows')).toBe(2);
    product.clock.advance({ days: 30 });
    await logInAgain(product, world.owner);
    await handleJob(product.services, end);
    await workOnce(product, acme, left.id);
    expect(await countOf('import_rows')).toBe(0);
    expect((await readImport(product, acme, left.id)).status).toBe('cancelled');
    expect(await readImport(product, acme, done.id)).toMatchObject({ status: 'finished', preview: [] });
  });

  it('is deleted at once for somebody who is erased, even before it was read', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await upload(product, acme, csv('name,contact', 'Vera, Vera@Example.com ', 'Nora,nora@example.com'));
    await uploadAndCheck(product, acme, csv('email', 'vera@example.com', 'nora@example.com'));
    await importFile(csv('email', 'VERA@example.com', 'nora@example.com'));
    await product.call(deleteCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);
    const { rows } = await product.testDatabase.owner.query<{ all: string }>(
      'select string_agg(import_rows::text, $2) as all from import_rows where site_id = $1',
      [acme.site.id, '\n'],
    );
    expect(await countOf('import_rows')).toBe(3);
    expect(rows[0]?.all.toLowerCase()).not.toContain('vera');
  });

  it('is part of the copy of their data that a person gets', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    await importFile(csv('email,Town,Weekly news', 'vera@example.com,Graz,yes', 'nora@example.com,,'));
    const data = await personalDataOf(product.services, acme.site.id, vera.id);
    expect(data.imports).toEqual([
      {
        source: 'csv',
        file_name: 'people.csv',
        imported_at: expect.any(String),
        row: 2,
        values: { email: 'vera@example.com', Town: 'Graz', 'Weekly news': 'yes' },
        told: null,
        result: 'changed',
        reason: null,
      },
    ]);
  });
});

describe('exports', () => {
  const read = (text: string) =>
    text
      .replace(/^\ufeff/, '')
      .trimEnd()
      .split('\r\n');

  it('of customers can be imported again, and that changes nothing', async () => {
    const names = ['vera', 'paul', 'lena', '+plus'] as const;
    for (const name of names) await buildCustomer(product, acme, `${name}@example.com`);
    const { results } = await product.call(listCustomers, { params: acme.params }, acme.owner);
    const of = (name: string) => results.find(({ email }) => email.startsWith(name)) as Customer;
    await product.call(createList, { params: acme.params, body: { name: '=cmd()' } }, acme.owner);
    await choose(of('vera'), acme.weekly, true);
    await choose(of('vera'), acme.offers, false);
    await choose(of('paul'), acme.weekly, true);
    await leaveAll(of('paul'));
    await choose(of('lena'), acme.weekly, true);
    await product.testDatabase.owner.query(
      'update customers set global_unsubscribe = true, paused_until = $2 where id = $1',
      [of('lena').id, new Date(Date.now() + 86_400_000)],
    );
    const text = await product.call(exportCustomers, { params: acme.params }, acme.owner);
    const lines = read(text);
    expect(lines[0]).toBe(
      "id,email,global_unsubscribe,paused_until,Weekly news,Offers,'=cmd(),created_at,updated_at,test",
    );
    expect(lines.slice(1).map((line) => line.split(',').toSpliced(3, 1).slice(1, 5).join())).toEqual([
      "'+plus@example.com,no,,",
      'lena@example.com,paused,subscribed,',
      'paul@example.com,yes,subscribed,',
      'vera@example.com,no,subscribed,unsubscribed',
    ]);
    const before = await state();
    const file = new Blob([text], { type: 'text/csv' });
    const one = await uploadAndCheck(product, acme, file);
    expect(one.mapping?.lists).toHaveLength(3);
    expect(one.counts).toMatchObject({ total: 4, unchanged: 4 });
    expect((await apply(one)).counts).toMatchObject({ unchanged: 4, applied: 4 });
    expect(await state()).toEqual(before);
    expect(await countOf('customers')).toBe(4);
  });

  it('span several pages, and are files to download', async () => {
    const rows = Array.from({ length: 510 }, (_, at) => `p${at}@example.com`);
    await importFile(csv('email', ...rows));
    const text = await product.call(exportCustomers, { params: acme.params }, acme.owner);
    expect(new Set(read(text)).size).toBe(511);
    const evidence = read(await product.call(exportEvidence, { params: acme.params }, acme.owner));
    expect(evidence).toHaveLength(511);
    const base = `/api/core/v1/organizations/${acme.params.organization_id}/sites/${acme.params.site_id}`;
    const answer = await rawRequest(product, 'GET', `${base}/customers/export`, { as: acme.owner });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="customers.csv"');
    const head = await rawRequest(product, 'HEAD', `${base}/customers/export`, { as: acme.owner });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('of evidence contain all of each record, and nobody who was erased', async () => {
    const vera = await buildCustomer(product, acme, 'vera@example.com');
    const paul = await buildCustomer(product, acme, 'paul@example.com');
    await choose(vera, acme.weekly, false);
    await product.call(deleteCustomer, { params: { ...acme.params, id: paul.id } }, acme.owner);
    const call = { params: { ...acme.params, id: vera.id } };
    const [newest] = (await product.call(listCustomerEvidence, call, acme.owner)).results;
    const lines = read(await product.call(exportEvidence, { params: acme.params }, acme.owner));
    // Judged on reading, and no part of the record.
    const fields = Object.keys(newest ?? {}).filter((name) => name !== 'judgement');
    expect(lines[0]?.split(',')).toEqual(fields);
    const ofVera = lines.find((line) => line.startsWith(newest?.id ?? '-')) ?? '';
    expect(ofVera).toContain(newest?.hash);
    expect(ofVera).toContain(newest?.previous_hash ?? '-');
    expect(ofVera).toContain('vera@example.com');
    expect(lines.join()).not.toContain('paul@');
    expect(lines).toHaveLength(4);
  });
});

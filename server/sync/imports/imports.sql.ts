import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { ImportStatus, ImportVerdict } from '#contract/imports.ts';
import type { TenantTables } from '#db/tables.ts';
import type { Erased } from '#server/audience/customers/address-spellings.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';

export type ImportJob = Selectable<TenantTables['imports']>;
export type ImportRowRow = Selectable<TenantTables['import_rows']>;

export async function insertImport(
  site: SiteDb,
  row: Omit<Insertable<TenantTables['imports']>, 'site_id'>,
): Promise<ImportJob> {
  return site.db
    .insertInto('imports')
    .values({ ...row, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findImport(site: SiteDb, id: string): Promise<ImportJob | undefined> {
  return site.db
    .selectFrom('imports')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function lockImport(site: SiteDb, id: string): Promise<ImportJob | undefined> {
  return site.db
    .selectFrom('imports')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateImport(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['imports'], 'site_id'>>,
): Promise<ImportJob> {
  return site.db
    .updateTable('imports')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteImport(site: SiteDb, id: string): Promise<void> {
  await site.db.deleteFrom('imports').where('site_id', '=', site.id).where('id', '=', id).execute();
}

export async function importsOfSite(
  site: SiteDb,
  page: { before: string | null; limit: number },
): Promise<ImportJob[]> {
  let select = site.db
    .selectFrom('imports')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('id', '<', page.before);
  return select.execute();
}

/** Imports since then that are being applied, or that changed somebody. */
export async function importsThatChanged(site: SiteDb, since: Date): Promise<ImportJob[]> {
  return site.db
    .selectFrom('imports')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('updated_at', '>=', since)
    .where('status', 'in', ['applying', 'finished', 'cancelled', 'failed'])
    .where(
      sql<boolean>`(counts->>'applied')::int > 0
        and (counts->>'added')::int + (counts->>'changed')::int + (counts->>'revived')::int > 0`,
    )
    .orderBy('id', 'desc')
    .execute();
}

export async function countOpenImports(site: SiteDb): Promise<number> {
  const row = await site.db
    .selectFrom('imports')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('site_id', '=', site.id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** @returns false if the import is no longer in this state; then nothing was inserted */
export async function insertRows(
  site: SiteDb,
  importId: string,
  status: ImportStatus,
  rows: readonly Pick<
    ImportRowRow,
    'number' | 'email' | 'email_key' | 'fields' | 'preferences' | 'problem'
  >[],
): Promise<boolean> {
  const job = await lockImport(site, importId);
  if (job?.status !== status) return false;
  if (rows.length === 0) return true;
  const { sql: text, parameters } = site.db
    .insertInto('import_rows')
    .values(
      rows.map((row) => ({
        site_id: site.id,
        import_id: importId,
        number: row.number,
        email: row.email,
        email_key: row.email_key,
        fields: row.fields,
        preferences: row.preferences === null ? null : JSON.stringify(row.preferences),
        problem: row.problem,
      })),
    )
    .compile();
  // Bypasses Kysely, which would keep every text as a prepared statement.
  await site.query(text, [...parameters]);
  return true;
}

/** @returns number of deleted rows; fewer than `most` when none are left */
export async function deleteSomeRows(site: SiteDb, importId: string, most: number): Promise<number> {
  const last = await site.db
    .selectFrom('import_rows')
    .select('number')
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .orderBy('number')
    .limit(most)
    .execute();
  const result = await site.db
    .deleteFrom('import_rows')
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where('number', '<=', last.at(-1)?.number ?? 0)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** In row order. @param query.except rows with these verdicts are left out */
export async function rowsAfter(
  site: SiteDb,
  importId: string,
  query: { after: number; limit: number; except?: ImportVerdict[]; only?: ImportVerdict | undefined },
): Promise<ImportRowRow[]> {
  let select = site.db
    .selectFrom('import_rows')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where('number', '>', query.after)
    .orderBy('number')
    .limit(query.limit);
  if (query.except !== undefined) {
    select = select.where(sql<boolean>`(verdict = any(${query.except}::text[])) is not true`);
  }
  if (query.only !== undefined) select = select.where('verdict', '=', query.only);
  return select.execute();
}

export async function rowsWithNumbers(
  site: SiteDb,
  importId: string,
  numbers: readonly number[],
): Promise<Pick<ImportRowRow, 'number' | 'fields'>[]> {
  return site.db
    .selectFrom('import_rows')
    .select(['number', 'fields'])
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where(sql<boolean>`number = any(${[...numbers]}::int[])`)
    .execute();
}

/** The rows that count for the addresses, up to a number. */
export async function rowsOfAddresses(
  site: SiteDb,
  importId: string,
  emailKeys: readonly string[],
  upTo: number,
): Promise<ImportRowRow[]> {
  return site.db
    .selectFrom('import_rows')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where(sql<boolean>`email_key = any(${[...emailKeys]}::text[])`)
    .where('number', '<=', upTo)
    .where(sql<boolean>`(verdict in ('merged', 'rejected')) is not true`)
    .execute();
}

export async function hasRow(site: SiteDb, importId: string, number: number): Promise<boolean> {
  const row = await site.db
    .selectFrom('import_rows')
    .select('number')
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row !== undefined;
}

export type CheckedRow = Pick<ImportRowRow, 'number' | 'email' | 'email_key' | 'preferences' | 'reason'> & {
  verdict: ImportVerdict;
};

/** Saves the results of the check in one statement. */
export async function saveChecked(
  site: SiteDb,
  importId: string,
  rows: readonly CheckedRow[],
): Promise<void> {
  const of = <T>(read: (row: CheckedRow) => T) => rows.map(read);
  await sql`
    update import_rows as r
    set email = v.email, email_key = v.email_key, preferences = v.preferences, verdict = v.verdict, reason = v.reason
    from unnest(
      ${of((row) => row.number)}::int[], ${of((row) => row.email)}::text[], ${of((row) => row.email_key)}::text[],
      ${of((row) => (row.preferences === null ? null : JSON.stringify(row.preferences)))}::jsonb[],
      ${of((row) => row.verdict)}::text[], ${of((row) => row.reason)}::text[]
    ) as v(number, email, email_key, preferences, verdict, reason)
    where r.site_id = ${site.id} and r.import_id = ${importId} and r.number = v.number`.execute(site.db);
}

/** Merges further data from a tool into existing rows. */
export async function savePreferences(
  site: SiteDb,
  importId: string,
  rows: readonly Pick<ImportRowRow, 'number' | 'preferences'>[],
): Promise<void> {
  await sql`
    update import_rows as r set preferences = v.preferences
    from unnest(
      ${rows.map((row) => row.number)}::int[], ${rows.map((row) => JSON.stringify(row.preferences))}::jsonb[]
    ) as v(number, preferences)
    where r.site_id = ${site.id} and r.import_id = ${importId} and r.number = v.number`.execute(site.db);
}

export type AppliedRow = Pick<ImportRowRow, 'number' | 'reason' | 'customer_id' | 'choice_id'> & {
  verdict: ImportVerdict;
};

/** For the transaction that applies a row. Rows marked by another worker stay. */
export function markApplied(site: SiteDb, importId: string, row: AppliedRow, now: Date): Statement {
  return site.db
    .updateTable('import_rows')
    .set({
      verdict: row.verdict,
      reason: row.reason,
      customer_id: row.customer_id,
      choice_id: row.choice_id,
      applied_at: now,
    })
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where('number', '=', row.number)
    .where('applied_at', 'is', null)
    .compile();
}

/** Like `markApplied`, for many. */
export async function saveApplied(
  site: SiteDb,
  importId: string,
  rows: readonly AppliedRow[],
  now: Date,
): Promise<void> {
  const of = <T>(read: (row: AppliedRow) => T) => rows.map(read);
  await sql`
    update import_rows as r
    set verdict = v.verdict, reason = v.reason, customer_id = v.customer_id, choice_id = v.choice_id,
      applied_at = ${now}
    from unnest(
      ${of((row) => row.number)}::int[], ${of((row) => row.verdict)}::text[], ${of((row) => row.reason)}::text[],
      ${of((row) => row.customer_id)}::uuid[], ${of((row) => row.choice_id)}::uuid[]
    ) as v(number, verdict, reason, customer_id, choice_id)
    where r.site_id = ${site.id} and r.import_id = ${importId} and r.number = v.number
      and r.applied_at is null`.execute(site.db);
}

/** Applied rows per verdict between two rows, the first one excluded. */
export async function countApplied(
  site: SiteDb,
  importId: string,
  after: number,
  upTo: number,
): Promise<{ verdict: ImportVerdict | null; count: number }[]> {
  const rows = await site.db
    .selectFrom('import_rows')
    .select(['verdict', (eb) => eb.fn.countAll<string>().as('count')])
    .where('site_id', '=', site.id)
    .where('import_id', '=', importId)
    .where('number', '>', after)
    .where('number', '<=', upTo)
    .where('applied_at', 'is not', null)
    .groupBy('verdict')
    .execute();
  return rows.map(({ verdict, count }) => ({ verdict, count: Number(count) }));
}

/** Removes an erased customer's rows, and mentions of them in cells of other rows. */
export async function eraseImportRows(
  site: SiteDb,
  { customerIds, emailKeys, mention, alone }: Erased,
): Promise<void> {
  await site.db
    .deleteFrom('import_rows')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`email_key = any(${[...emailKeys]}::text[])`)
    .execute();
  await site.db
    .deleteFrom('import_rows')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`customer_id = any(${[...customerIds]}::uuid[])`)
    .execute();
  // Not read yet, or unusable.
  await sql`
    delete from import_rows
    where site_id = ${site.id} and email_key is null
      and (normalize(email, nfkc) ~* ${mention}
        or exists (select 1 from unnest(fields) as cell where normalize(cell, nfkc) ~* ${alone}))`.execute(
    site.db,
  );
  await sql`
    update import_rows
    set fields = array(
      select case when normalize(cell, nfkc) ~* ${mention} then '' else cell end
      from unnest(fields) with ordinality as cells (cell, at) order by at)
    where site_id = ${site.id}
      and exists (select 1 from unnest(fields) as cell where normalize(cell, nfkc) ~* ${mention})`.execute(
    site.db,
  );
}

export type RowOfPerson = Pick<
  ImportRowRow,
  'number' | 'fields' | 'preferences' | 'verdict' | 'reason' | 'applied_at'
> &
  Pick<ImportJob, 'source' | 'file_name' | 'columns' | 'created_at'>;

export async function importRowsOfPerson(
  site: SiteDb,
  person: { customerId: string; emailKey: string },
): Promise<RowOfPerson[]> {
  return site.db
    .selectFrom('import_rows')
    .innerJoin('imports', (join) =>
      join
        .onRef('imports.site_id', '=', 'import_rows.site_id')
        .onRef('imports.id', '=', 'import_rows.import_id'),
    )
    .select([
      'import_rows.number',
      'import_rows.fields',
      'import_rows.preferences',
      'import_rows.verdict',
      'import_rows.reason',
      'import_rows.applied_at',
      'imports.source',
      'imports.file_name',
      'imports.columns',
      'imports.created_at',
    ])
    .where('import_rows.site_id', '=', site.id)
    .where('imports.site_id', '=', site.id)
    .where((eb) =>
      eb.or([
        eb('import_rows.email_key', '=', person.emailKey),
        eb('import_rows.customer_id', '=', person.customerId),
      ]),
    )
    .orderBy('imports.id')
    .orderBy('import_rows.number')
    .execute();
}

import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { newId } from '#server/platform/ids.ts';

interface Column {
  name: string;
  type: string;
  needed: boolean;
  /** The literals that a check allows. */
  allowed: string[];
}

interface ForeignKey {
  columns: string[];
  onto: string;
  onto_columns: string[];
}

async function columnsOf(owner: pg.Pool, table: string): Promise<Column[]> {
  const { rows } = await owner.query<{ name: string; type: string; needed: boolean }>(
    `select attname as name, format_type(atttypid, null) as type,
       attnotnull and not atthasdef and attidentity = '' and attgenerated = '' as needed
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  const { rows: checks } = await owner.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  return rows.map((column) => {
    const check = checks.find(({ text }) => text.startsWith(`CHECK ((${column.name} = ANY`));
    const allowed = [...(check?.text.matchAll(/'([^']*)'::text/g) ?? [])].map(([, literal = '']) => literal);
    return { ...column, allowed };
  });
}

async function foreignKeysOf(owner: pg.Pool, table: string): Promise<ForeignKey[]> {
  const names = (keys: string, relation: string) =>
    `(select array_agg(attname::text order by position) from unnest(${keys}) with ordinality as key(number, position)
      join pg_attribute on attrelid = ${relation} and attnum = key.number)`;
  const { rows } = await owner.query<ForeignKey>(
    `select ${names('conkey', 'conrelid')} as columns, confrelid::regclass::text as onto,
       ${names('confkey', 'confrelid')} as onto_columns
     from pg_constraint where conrelid = $1::regclass and contype = 'f'`,
    [table],
  );
  return rows;
}

function valueOf({ type, allowed }: Column): unknown {
  if (allowed.length > 0) return allowed[0];
  if (type === 'uuid') return newId();
  if (type === 'text') return `filled-${randomBytes(4).toString('hex')}`;
  if (type === 'boolean') return false;
  if (type === 'bytea') return randomBytes(32);
  if (type === 'jsonb' || type === 'json') return '{}';
  if (type === 'text[]') return [];
  if (/^(integer|bigint|smallint|numeric|double precision)$/.test(type)) return 7;
  if (/^timestamp|^date/.test(type)) return new Date();
  throw new Error(`No value is known for a column of type ${type}`);
}

/**
 * Gives each empty table a row, past all policies: for what no call of the product writes in a short time.
 * @returns the tables that needed one
 */
export async function fillEmptyTables(owner: pg.Pool, siteId: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
     and relname not like 'kysely%' order by relname`,
  );
  const filled: string[] = [];
  // Once more for those that lean on one that was filled after them.
  for (let round = 0; round < 3; round += 1) {
    for (const { name } of rows) {
      const found = await owner.query(`select 1 from ${name} limit 1`);
      if (found.rows.length === 0 && (await fillOne(owner, name, siteId))) filled.push(name);
    }
  }
  return filled;
}

async function fillOne(owner: pg.Pool, table: string, siteId: string): Promise<boolean> {
  const columns = await columnsOf(owner, table);
  const row = new Map<string, unknown>();
  for (const column of columns) if (column.needed) row.set(column.name, valueOf(column));
  if (row.has('site_id')) row.set('site_id', siteId);
  for (const { columns: own, onto, onto_columns: theirs } of await foreignKeysOf(owner, table)) {
    if (!own.some((name) => row.has(name) && name !== 'site_id')) continue;
    const ofSite = theirs.includes('site_id') ? `where site_id = '${siteId}'` : '';
    const parent = await owner.query<Record<string, unknown>>(
      `select ${theirs.join(', ')} from ${onto} ${ofSite} limit 1`,
    );
    const [found] = parent.rows;
    if (found === undefined) return false;
    for (const [index, name] of own.entries()) row.set(name, found[theirs[index] ?? '']);
  }
  const names = [...row.keys()];
  await owner.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    [...row.values()],
  );
  return true;
}

export async function countRows(owner: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const counted = await owner.query<{ count: number }>(`select count(*)::int as count from ${name}`);
    counts[name] = counted.rows[0]?.count ?? -1;
  }
  return counts;
}

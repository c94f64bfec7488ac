import type pg from 'pg';

/*
 * The schema as text to read, made from the catalogs: the embedded PostgreSQL has no pg_dump, and every supported version
 * has to give the same text. Left out: the tables of the migrator (kysely_*), and the schema `queue`, which pg-boss makes.
 */

/** Stands for the server's role. */
const SERVER_ROLE = 'sayso_app';

const HEADER = `-- The schema of Sayso, made by \`npm run schema\` from a database with all migrations: to read, and to see in a diff what
-- a migration changes. db/migrations says what each table is for, db/tables.ts what its columns mean.
--
-- ${SERVER_ROLE} stands for the server's role, whose name is derived from the key.
`;

type Connection = Pick<pg.Pool, 'query'>;

interface Table {
  name: string;
  persistence: 'p' | 'u';
  /** One line for each column and constraint. */
  columns: string[];
  constraints: string[];
  /** Statements. */
  indexes: string[];
  policies: string[];
  is_secured: boolean;
  is_forced: boolean;
  granted: string[] | null;
}

const TABLES = `
  select c.relname as name, c.relpersistence as persistence,
    c.relrowsecurity as is_secured, c.relforcerowsecurity as is_forced,
    array(
      select concat(a.attname, ' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
        ' default ' || pg_get_expr(d.adbin, d.adrelid, true))
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum
    ) as columns,
    array(
      select concat('constraint ', conname, ' ', pg_get_constraintdef(k.oid, true)) from pg_constraint k
      where k.conrelid = c.oid and k.contype <> 'n'
      order by position(k.contype in 'pucxf'), conname
    ) as constraints,
    array(
      select pg_get_indexdef(i.indexrelid, 0, true) from pg_index i join pg_class n on n.oid = i.indexrelid
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      order by n.relname
    ) as indexes,
    array(
      select concat('create policy ', polname, ' on ', c.relname, case when polroles = array[c.relowner] then ' to current_user' end,
        ' using (' || pg_get_expr(polqual, polrelid, true) || ')',
        ' with check (' || pg_get_expr(polwithcheck, polrelid, true) || ')')
      from pg_policy where polrelid = c.oid order by polname desc
    ) as policies,
    (select array_agg(lower(privilege_type) order by position(left(privilege_type, 1) in 'SIUD'))
     from aclexplode(c.relacl) where grantee <> c.relowner) as granted
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname not like 'kysely%'
  order by c.oid`;

const FUNCTIONS = `
  select pg_get_functiondef(p.oid) as definition, p.oid::regprocedure::text as name,
    exists (select from aclexplode(p.proacl) where grantee not in (0, p.proowner)) as is_granted,
    p.proacl is null or exists (select from aclexplode(p.proacl) where grantee = 0) as is_public
  from pg_proc p where p.pronamespace = 'public'::regnamespace and not exists (
    select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname`;

interface Procedure {
  definition: string;
  name: string;
  is_granted: boolean;
  is_public: boolean;
}

/** What PostgreSQL spells out, as people write it. */
function asWritten(line: string): string {
  return line
    .replaceAll(
      /\b(?:ANY|ARRAY|AND|AS|CASCADE|CHECK|CREATE|DEFINER|DELETE|FOREIGN|FUNCTION|INCLUDE|INDEX|IS|KEY|LANGUAGE|NOT|NULL|NULLIF|ON|OR|PRIMARY|REFERENCES|REPLACE|RETURNS|SECURITY|SET|TO|UNIQUE|USING|WHERE)\b/g,
      (word) => word.toLowerCase(),
    )
    .replace(' using btree', '')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/'::text(?!\[)/g, "'")
    .replaceAll(/= any \(array\[([^\]]*)\]\)/g, 'in ($1)');
}

function describeTable({ name, ...table }: Table): string {
  const lines = [...table.columns, ...table.constraints].map((line) => `  ${asWritten(line)}`);
  const statements = [
    `create ${table.persistence === 'u' ? 'unlogged ' : ''}table ${name} (\n${lines.join(',\n')}\n)`,
    ...table.indexes.map(asWritten),
    ...(table.is_secured ? [`alter table ${name} enable row level security`] : []),
    ...(table.is_forced ? [`alter table ${name} force row level security`] : []),
    ...table.policies.map(asWritten),
    ...(table.granted === null ? [] : [`grant ${table.granted.join(', ')} on ${name} to ${SERVER_ROLE}`]),
  ];
  return statements.map((statement) => `${statement};\n`).join('');
}

function describeFunction({ definition, name, is_granted, is_public }: Procedure): string {
  const [head = '', ...body] = definition.trimEnd().split('AS $');
  const statements = [
    [asWritten(head), ...body].join('as $'),
    ...(is_public ? [] : [`revoke execute on function ${name} from public`]),
    ...(is_granted ? [`grant execute on function ${name} to ${SERVER_ROLE}`] : []),
  ];
  return statements.map((statement) => `${statement};\n`).join('');
}

/** @param connection of the role that owns the tables */
export async function describeSchema(connection: Connection): Promise<string> {
  const tables = await connection.query<Table>(TABLES);
  const functions = await connection.query<Procedure>(FUNCTIONS);
  return [HEADER, ...tables.rows.map(describeTable), ...functions.rows.map(describeFunction)].join('\n');
}

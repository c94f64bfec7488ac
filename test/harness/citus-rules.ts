import {
  type ColumnRef,
  type FuncCall,
  type InsertStmt,
  loadModule,
  type Node,
  parseSync,
  type RangeVar,
} from 'libpg-query';
import { looseTables } from './site-ties.ts';
import { columnOf, has, isGiven, namesOf, type Part, partsOf, withoutCasts } from './sql-tree.ts';

await loadModule();

/** What the checker has to know of the database. All else is a table of the coordinator only. */
export interface Catalog {
  /** Distributed by `site_id`. */
  tenantTables: readonly string[];
  /** Copied to every node. */
  referenceTables: readonly string[];
  /** Names of functions that give something else each time. */
  volatile: readonly string[];
  /** Names of functions that may give something else in the next statement; the volatile ones too. */
  unstable: readonly string[];
}

export interface Broken {
  rule: Rule;
  /** Which table or function it is about. */
  about: string;
}

/** What Citus refuses, gets wrong or cannot route, as far as the text of a statement tells; decision 037. */
export const RULES = {
  'two-homes':
    'names a table of the coordinator beside a distributed or reference table: read one of them in a statement of its own',
  'no-site': 'uses a tenant table without `site_id = $n`, directly or by a join on site_id',
  'lock-everywhere': 'locks rows of a tenant table without `site_id = $n`',
  'insert-select': 'inserts from a query that cannot run where the rows go: use rows of VALUES',
  'insert-without-site': "inserts into a tenant table without the site's id as a value",
  'query-in-values': 'has a query inside of VALUES or ON CONFLICT',
  'volatile-change': 'calls a volatile function in SET, WHERE or RETURNING: compute it before',
  'unstable-change':
    'calls a function that is not immutable on a column, or in ON CONFLICT, RETURNING, CASE or COALESCE: compute it before',
  'skip-in-reference': 'asks for SKIP LOCKED or NOWAIT on a reference table, whose locks wait all the same',
  'no-such-command': 'uses MERGE, WHERE CURRENT OF or ctid',
  'set-config': 'sets by set_config, which does not reach the workers: use SET LOCAL',
  'session-setting': 'sets for the session, which does not reach the workers: use SET LOCAL',
  'named-outside':
    'names the columns of a UNION behind the name of its CTE, where Citus loses them: name them in its first SELECT',
  'coordinator-call':
    'calls NOTIFY or an advisory lock beside a distributed table: use a statement of its own',
  'shared-message': 'has SET LOCAL in one message with other statements',
  unreadable: 'is nothing that the parser of the guard can read',
} as const;

export type Rule = keyof typeof RULES;

type Home = 'tenant' | 'reference' | 'local' | 'system';

interface Facts {
  homeOf: (table: RangeVar) => Home;
  volatile: ReadonlySet<string>;
  unstable: ReadonlySet<string>;
}

/**
 * @param message as it is sent: one statement, or several of the simple protocol
 */
export function createCitusRules(catalog: Catalog): (message: string) => Broken[] {
  const facts = factsOf(catalog);
  return (message) => {
    let statements: Node[];
    try {
      statements = statementsOf(message);
    } catch (error) {
      return [{ rule: 'unreadable', about: String(error) }];
    }
    const broken = statements.flatMap((statement) => brokenBy(unwrapped(statement), facts));
    const shares = statements.length > 1 && statements.some(setsLocally);
    return shares ? [...broken, { rule: 'shared-message', about: 'SET LOCAL' }] : broken;
  };
}

function statementsOf(message: string): Node[] {
  return (parseSync(message).stmts ?? []).flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]));
}

function factsOf({ tenantTables, referenceTables, volatile, unstable }: Catalog): Facts {
  const homes = new Map<string, Home>([
    ...tenantTables.map((name) => [name, 'tenant'] as const),
    ...referenceTables.map((name) => [name, 'reference'] as const),
  ]);
  return {
    homeOf({ schemaname = 'public', relname = '' }) {
      if (['pg_catalog', 'information_schema'].includes(schemaname) || relname.startsWith('pg_'))
        return 'system';
      return schemaname === 'public' ? (homes.get(relname) ?? 'local') : 'local';
    },
    volatile: new Set(volatile),
    unstable: new Set(unstable),
  };
}

function unwrapped(statement: Node): Node {
  if ('PrepareStmt' in statement) return statement.PrepareStmt.query ?? statement;
  if ('ExplainStmt' in statement) return statement.ExplainStmt.query ?? statement;
  return statement;
}

function setsLocally(statement: Node): boolean {
  return 'VariableSetStmt' in statement && statement.VariableSetStmt.is_local === true;
}

function brokenBy(statement: Node, facts: Facts): Broken[] {
  const parts = partsOf(statement);
  const settings = brokenBySettings(statement, parts);
  const homes = tablesOf(parts).map((table) => ({ name: table.relname ?? '', home: facts.homeOf(table) }));
  const distributed = homes.find(({ home }) => home === 'tenant' || home === 'reference');
  if (distributed === undefined) return settings;
  const local = homes.find(({ home }) => home === 'local');
  return [
    ...settings,
    ...(local === undefined
      ? []
      : [{ rule: 'two-homes' as const, about: `${local.name}, ${distributed.name}` }]),
    ...brokenByTies(statement, facts),
    ...parts.flatMap((part) => [
      ...brokenByCommand(part),
      ...brokenByLock(part, facts),
      ...brokenByInsert(part, facts),
      ...brokenByCalls(part, facts),
    ]),
  ];
}

/** Without the names of CTEs, which look the same. */
function tablesOf(parts: readonly Part[]): RangeVar[] {
  const ctes = parts.filter(({ kind }) => kind === 'CommonTableExpr').map(({ body }) => body['ctename']);
  return parts
    .filter(({ kind }) => kind === 'RangeVar')
    .map(({ body }) => body as RangeVar)
    .filter(({ schemaname, relname }) => schemaname !== undefined || !ctes.includes(relname));
}

function nameOf({ funcname }: FuncCall): string {
  return namesOf(funcname).at(-1) ?? '';
}

function callsIn(value: unknown): FuncCall[] {
  return partsOf(value)
    .filter(({ kind }) => kind === 'FuncCall')
    .map(({ body }) => body as FuncCall);
}

function brokenBySettings(statement: Node, parts: readonly Part[]): Broken[] {
  if ('VariableSetStmt' in statement) {
    const { kind, is_local: isLocal, name = '' } = statement.VariableSetStmt;
    return kind === 'VAR_SET_VALUE' && isLocal !== true ? [{ rule: 'session-setting', about: name }] : [];
  }
  const calls = parts.filter(
    ({ kind, body }) => kind === 'FuncCall' && nameOf(body as FuncCall) === 'set_config',
  );
  return calls.map(() => ({ rule: 'set-config', about: 'set_config' }));
}

function brokenByTies(statement: Node, { homeOf }: Facts): Broken[] {
  return looseTables(statement, (table) => homeOf(table) === 'tenant').map(({ table, isLocked }) => ({
    rule: isLocked ? 'lock-everywhere' : 'no-site',
    about: table,
  }));
}

const OF_COORDINATOR = /^pg_(?:notify|(?:try_)?advisory_\w+)$/;

function brokenByCommand({ kind, body }: Part): Broken[] {
  if (kind === 'MergeStmt') return [{ rule: 'no-such-command', about: 'MERGE' }];
  if (kind === 'CurrentOfExpr') return [{ rule: 'no-such-command', about: 'WHERE CURRENT OF' }];
  if (kind === 'ColumnRef' && columnOf(body as ColumnRef) === 'ctid') {
    return [{ rule: 'no-such-command', about: 'ctid' }];
  }
  if (kind === 'CommonTableExpr' && body['aliascolnames'] !== undefined && isUnion(body['ctequery'])) {
    return [{ rule: 'named-outside', about: String(body['ctename']) }];
  }
  if (kind === 'FuncCall' && OF_COORDINATOR.test(nameOf(body as FuncCall))) {
    return [{ rule: 'coordinator-call', about: nameOf(body as FuncCall) }];
  }
  return [];
}

function isUnion(query: unknown): boolean {
  const select = (query as { SelectStmt?: { op?: string } } | undefined)?.SelectStmt;
  return select?.op !== undefined && select.op !== 'SETOP_NONE';
}

function brokenByLock({ kind, body }: Part, { homeOf }: Facts): Broken[] {
  if (kind !== 'SelectStmt' || body['lockingClause'] === undefined) return [];
  const isHasty = partsOf(body['lockingClause']).some(
    (part) => part.kind === 'LockingClause' && part.body['waitPolicy'] !== 'LockWaitBlock',
  );
  if (!isHasty) return [];
  return tablesOf(partsOf(body['fromClause']))
    .filter((table) => homeOf(table) === 'reference')
    .map(({ relname = '' }) => ({ rule: 'skip-in-reference', about: relname }));
}

function brokenByInsert({ kind, body }: Part, facts: Facts): Broken[] {
  if (kind !== 'InsertStmt') return [];
  const { relation, selectStmt, onConflictClause } = body as InsertStmt;
  const home = relation === undefined ? 'local' : facts.homeOf(relation);
  if (home === 'local' || selectStmt === undefined || !('SelectStmt' in selectStmt)) return [];
  const about = relation?.relname ?? '';
  const { valuesLists } = selectStmt.SelectStmt;
  const broken: Broken[] = [];
  if (has([valuesLists, onConflictClause], 'SubLink')) broken.push({ rule: 'query-in-values', about });
  if (valuesLists === undefined) {
    if (!runsWhereRowsGo(body as InsertStmt, home, facts)) broken.push({ rule: 'insert-select', about });
  } else if (home === 'tenant' && !hasSiteInEveryRow(body as InsertStmt, valuesLists)) {
    broken.push({ rule: 'insert-without-site', about });
  }
  return broken;
}

function indexOfSite({ cols = [] }: InsertStmt): number {
  return cols.findIndex((column) => 'ResTarget' in column && column.ResTarget.name === 'site_id');
}

function hasSiteInEveryRow(statement: InsertStmt, rows: readonly Node[]): boolean {
  const index = indexOfSite(statement);
  return index >= 0 && rows.every((row) => 'List' in row && isGiven(row.List.items?.[index]));
}

/** Citus pushes INSERT .. SELECT down where `site_id` is copied from a table that lies at the same place. */
function runsWhereRowsGo(statement: InsertStmt, home: Home, { homeOf, volatile }: Facts): boolean {
  const { selectStmt } = statement;
  if (selectStmt === undefined || !('SelectStmt' in selectStmt)) return false;
  const { targetList = [], fromClause = [] } = selectStmt.SelectStmt;
  const calls = callsIn(selectStmt).map(nameOf);
  if (calls.includes('unnest') || calls.some((name) => volatile.has(name))) return false;
  if (home === 'reference') return true;
  const target = targetList[indexOfSite(statement)];
  const site = target !== undefined && 'ResTarget' in target ? withoutCasts(target.ResTarget.val) : undefined;
  const isCopied = site !== undefined && 'ColumnRef' in site && columnOf(site.ColumnRef) === 'site_id';
  const homes = tablesOf(partsOf([statement.withClause, fromClause])).map(homeOf);
  return isCopied && homes.includes('tenant');
}

/** Where a change of a distributed table computes something. */
function computedBy({ kind, body }: Part): { changed: unknown[]; strict: unknown[] } {
  const { targetList, whereClause, returningClause, onConflictClause } = body as InsertStmt & {
    targetList?: Node[];
    whereClause?: Node;
  };
  if (kind === 'InsertStmt') return { changed: [], strict: [onConflictClause, returningClause] };
  return { changed: [targetList, whereClause], strict: [returningClause] };
}

const CHANGES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt'];

function brokenByCalls(part: Part, facts: Facts): Broken[] {
  const { kind, body } = part;
  const { relation } = body as InsertStmt;
  if (!CHANGES.includes(kind) || relation === undefined || facts.homeOf(relation) === 'local') return [];
  const { changed, strict } = computedBy(part);
  const conditional = partsOf(changed)
    .filter((one) => ['CaseExpr', 'CoalesceExpr'].includes(one.kind))
    .map((one) => one.body);
  const calls = callsIn([changed, strict]);
  const onColumns = callsIn(changed).filter(({ args }) => has(args, 'ColumnRef'));
  const isUnstable = (call: FuncCall) => facts.unstable.has(nameOf(call));
  const unstable = [...onColumns, ...callsIn([strict, conditional])].filter(isUnstable).map(nameOf);
  if (has([strict, conditional], 'SQLValueFunction')) unstable.push('current_timestamp');
  if (partsOf([changed, strict]).some(addsIntervalToColumn)) unstable.push('a column and an interval');
  const isVolatile = (name: string) => facts.volatile.has(name);
  return [
    ...calls
      .map(nameOf)
      .filter(isVolatile)
      .map((about) => ({ rule: 'volatile-change' as const, about })),
    ...[...new Set(unstable)]
      .filter((name) => !isVolatile(name))
      .map((about) => ({ rule: 'unstable-change' as const, about })),
  ];
}

/** Not immutable, because a day may have 23 hours in the session's time zone. */
function addsIntervalToColumn({ kind, body }: Part): boolean {
  if (kind !== 'A_Expr') return false;
  const sides = [body['lexpr'], body['rexpr']];
  return (
    ['+', '-'].includes(namesOf(body['name'] as Node[]).at(-1) ?? '') &&
    sides.some(isInterval) &&
    sides.some((side) => has(side, 'ColumnRef'))
  );
}

function isInterval(side: unknown): boolean {
  const cast = (side as { TypeCast?: { typeName?: { names?: Node[] } } } | undefined)?.TypeCast;
  return namesOf(cast?.typeName?.names).at(-1) === 'interval';
}

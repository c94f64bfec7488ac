import type {
  ColumnRef,
  DeleteStmt,
  InsertStmt,
  JoinExpr,
  Node,
  RangeVar,
  SelectStmt,
  UpdateStmt,
  WithClause,
} from 'libpg-query';
import { aliasOf, columnOf, isGiven, namesOf, partsOf, withoutCasts } from './sql-tree.ts';

/** A use of a tenant table that no condition ties to one site. */
export interface Loose {
  table: string;
  /** By FOR UPDATE or the like. */
  isLocked: boolean;
}

/** A column that a query gives, and whether it is the one site's id. */
interface Output {
  name: string;
  isTied: boolean;
}

interface Source {
  key: string;
  alias: string;
  tenantTable?: string;
  /** Of a query or a CTE. */
  outputs?: Output[];
}

interface Scope {
  above: Scope | null;
  found: Found;
  /** What the CTEs that can be seen give. */
  ctes: ReadonlyMap<string, Output[]>;
  sources: Source[];
  /** Columns that have to be equal, by their keys. */
  equal: [string, string][];
}

interface Found {
  isTenantTable: (table: RangeVar) => boolean;
  sources: number;
  /** Every use, looked at last: what is outside of a query may tie what is inside. */
  uses: { use: Loose; key: string; scope: Scope }[];
}

/** What is written out or a parameter: where the ties have to lead. */
const GIVEN = '$';

const SITE = 'site_id';

/**
 * Finds uses of tenant tables without an equality of their `site_id` with a parameter, directly or by joins.
 * Row-level security would hide other sites' rows all the same, but does not tell Citus where to look.
 */
export function looseTables(statement: Node, isTenantTable: Found['isTenantTable']): Loose[] {
  const found: Found = { isTenantTable, sources: 0, uses: [] };
  query(statement, { above: null, found, ctes: new Map(), sources: [], equal: [] });
  return found.uses.filter(({ key, scope }) => !isTied(`${key}.${SITE}`, scope)).map(({ use }) => use);
}

function query(node: Node | undefined, above: Scope): Output[] {
  if (node === undefined) return [];
  if ('SelectStmt' in node) return select(node.SelectStmt, above);
  if ('InsertStmt' in node) return insert(node.InsertStmt, above);
  if ('UpdateStmt' in node) return change(node.UpdateStmt, node.UpdateStmt.fromClause, above);
  if ('DeleteStmt' in node) return change(node.DeleteStmt, node.DeleteStmt.usingClause, above);
  return [];
}

function inside(above: Scope, clause: WithClause | undefined): Scope {
  const ctes = new Map(above.ctes);
  for (const node of clause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue;
    const { ctename = '', aliascolnames, ctequery } = node.CommonTableExpr;
    if (clause?.recursive === true) ctes.set(ctename, []);
    ctes.set(ctename, renamed(query(ctequery, { ...above, ctes }), namesOf(aliascolnames)));
  }
  return { above, found: above.found, ctes, sources: [], equal: [] };
}

function select(statement: SelectStmt, above: Scope): Output[] {
  const { fromClause, withClause, larg, rarg, ...own } = statement;
  const scope = inside(above, withClause);
  if (larg !== undefined && rarg !== undefined) {
    const right = select(rarg, scope);
    return select(larg, scope).map(({ name, isTied: isLeftTied }, index) => ({
      name,
      isTied: isLeftTied && right[index]?.isTied === true,
    }));
  }
  for (const node of fromClause ?? []) from(node, scope);
  conditions(statement.whereClause, scope);
  subqueries(own, scope);
  note(scope, (statement.lockingClause ?? []).length > 0);
  return outputsOf(statement.targetList, scope);
}

function change(statement: UpdateStmt | DeleteStmt, others: Node[] | undefined, above: Scope): Output[] {
  const scope = inside(above, statement.withClause);
  if (statement.relation !== undefined) table(statement.relation, scope);
  for (const node of others ?? []) from(node, scope);
  conditions(statement.whereClause, scope);
  subqueries({ ...statement, withClause: {}, fromClause: [], usingClause: [] }, scope);
  note(scope, false);
  return outputsOf(statement.returningClause?.exprs, scope);
}

function insert({ withClause, selectStmt, onConflictClause }: InsertStmt, above: Scope): Output[] {
  const scope = inside(above, withClause);
  query(selectStmt, scope);
  subqueries(onConflictClause, scope);
  return [];
}

function subqueries(value: unknown, scope: Scope): void {
  for (const one of outermost(value)) query(one, scope);
}

function from(node: Node, scope: Scope): void {
  if ('RangeVar' in node) table(node.RangeVar, scope);
  else if ('JoinExpr' in node) join(node.JoinExpr, scope);
  else if ('RangeSubselect' in node) {
    const { subquery, alias, lateral } = node.RangeSubselect;
    const seen = lateral === true ? scope : { ...(scope.above ?? scope), ctes: scope.ctes };
    add(scope, alias?.aliasname ?? '', { outputs: renamed(query(subquery, seen), namesOf(alias?.colnames)) });
  } else {
    add(scope, '', {});
    subqueries(node, scope);
  }
}

function add(scope: Scope, alias: string, source: Omit<Source, 'key' | 'alias'>): void {
  scope.found.sources += 1;
  const key = String(scope.found.sources);
  scope.sources.push({ key, alias, ...source });
  for (const output of source.outputs ?? []) {
    if (output.isTied) scope.equal.push([`${key}.${output.name}`, GIVEN]);
  }
}

function table(range: RangeVar, scope: Scope): void {
  const name = range.relname ?? '';
  const cte = range.schemaname === undefined ? scope.ctes.get(name) : undefined;
  if (cte !== undefined) add(scope, aliasOf(range), { outputs: cte });
  else add(scope, aliasOf(range), scope.found.isTenantTable(range) ? { tenantTable: name } : {});
}

function join({ larg, rarg, usingClause, quals }: JoinExpr, scope: Scope): void {
  const before = scope.sources.length;
  if (larg !== undefined) from(larg, scope);
  const between = scope.sources.length;
  if (rarg !== undefined) from(rarg, scope);
  for (const name of namesOf(usingClause)) {
    for (const left of scope.sources.slice(before, between)) {
      for (const right of scope.sources.slice(between)) {
        scope.equal.push([`${left.key}.${name}`, `${right.key}.${name}`]);
      }
    }
  }
  conditions(quals, scope);
  subqueries(quals, scope);
}

function note(scope: Scope, isLocked: boolean): void {
  for (const { key, tenantTable } of scope.sources) {
    if (tenantTable !== undefined) {
      scope.found.uses.push({ use: { table: tenantTable, isLocked }, key, scope });
    }
  }
}

/** Queries inside of expressions; not those inside of them. */
function* outermost(value: unknown): Generator<Node> {
  for (const { kind, body } of partsOf(value, (one) => one !== 'SelectStmt')) {
    if (kind === 'SubLink' && body['subselect'] !== undefined) yield body['subselect'] as Node;
  }
}

function renamed(outputs: readonly Output[], names: readonly string[]): Output[] {
  return outputs.map(({ name, isTied }, index) => ({ name: names[index] ?? name, isTied }));
}

/** Equalities that hold for every row: the parts of an AND. */
function conditions(condition: Node | undefined, scope: Scope): void {
  if (condition === undefined) return;
  if ('BoolExpr' in condition && condition.BoolExpr.boolop === 'AND_EXPR') {
    for (const part of condition.BoolExpr.args ?? []) conditions(part, scope);
  }
  if (!('A_Expr' in condition) || condition.A_Expr.kind !== 'AEXPR_OP') return;
  const { name, lexpr, rexpr } = condition.A_Expr;
  if (namesOf(name).at(-1) === '=') equate(lexpr, rexpr, scope);
}

function equate(left: Node | undefined, right: Node | undefined, scope: Scope): void {
  if (left === undefined || right === undefined) return;
  if ('RowExpr' in left && 'RowExpr' in right) {
    const others = right.RowExpr.args ?? [];
    for (const [index, one] of (left.RowExpr.args ?? []).entries()) equate(one, others[index], scope);
    return;
  }
  const [one, other] = [keyOf(left, scope), keyOf(right, scope)];
  if (one !== null && other !== null) scope.equal.push([one, other]);
}

/** null: an expression that ties nothing */
function keyOf(node: Node, scope: Scope): string | null {
  const inner = withoutCasts(node);
  if (inner === undefined) return null;
  if ('ColumnRef' in inner) return columnKey(inner.ColumnRef, scope);
  return isGiven(inner) ? GIVEN : null;
}

function columnKey(column: ColumnRef, scope: Scope): string | null {
  const names = namesOf(column.fields);
  const name = columnOf(column);
  for (let at: Scope | null = scope; at !== null; at = at.above) {
    const source = names.length > 1 ? byAlias(at, names.at(-2)) : byColumn(at, name);
    if (source !== undefined) return `${source.key}.${name}`;
  }
  return null;
}

function byAlias(scope: Scope, alias: string | undefined): Source | undefined {
  return scope.sources.find((source) => source.alias === alias);
}

/** Whose column it is when nothing says so: of one that has it for certain, or of the only one. */
function byColumn({ sources }: Scope, name: string): Source | undefined {
  const owners = sources.filter((source) =>
    source.tenantTable === undefined ? source.outputs?.some((output) => output.name === name) : name === SITE,
  );
  if (owners.length === 1) return owners[0];
  return sources.length === 1 ? sources[0] : undefined;
}

/** Does it have to equal something given, by any chain of equalities? */
function isTied(key: string, scope: Scope): boolean {
  const equal: [string, string][] = [];
  for (let at: Scope | null = scope; at !== null; at = at.above) equal.push(...at.equal);
  const reached = new Set([key]);
  for (const one of reached) {
    for (const [left, right] of equal) {
      if (left === one) reached.add(right);
      if (right === one) reached.add(left);
    }
  }
  return reached.has(GIVEN);
}

function outputsOf(targets: readonly Node[] | undefined, scope: Scope): Output[] {
  return (targets ?? []).flatMap((node): Output[] => {
    if (!('ResTarget' in node)) return [];
    const { name, val } = node.ResTarget;
    const inner = withoutCasts(val);
    if (inner === undefined || !('ColumnRef' in inner)) {
      return [{ name: name ?? '', isTied: isGiven(inner) && name === SITE }];
    }
    const column = columnOf(inner.ColumnRef);
    if (column === '*') return everyOutput(scope);
    const key = columnKey(inner.ColumnRef, scope);
    return [{ name: name ?? column, isTied: key !== null && isTied(key, scope) }];
  });
}

function everyOutput(scope: Scope): Output[] {
  return scope.sources.flatMap(({ key, tenantTable, outputs }) =>
    tenantTable === undefined ? (outputs ?? []) : [{ name: SITE, isTied: isTied(`${key}.${SITE}`, scope) }],
  );
}

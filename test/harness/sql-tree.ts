import type { ColumnRef, Node, RangeVar } from 'libpg-query';

/** One node of a parsed statement, with the name of its kind. */
export interface Part {
  kind: string;
  body: Readonly<Record<string, unknown>>;
}

/** Written without their kind in the tree. */
const KIND_OF_FIELD: Record<string, string> = {
  relation: 'RangeVar',
  onConflictClause: 'OnConflictClause',
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function kindOf(field: string): string | undefined {
  return /^[A-Z]/.test(field) ? field : KIND_OF_FIELD[field];
}

/** Every node below a value of the tree, outer ones first. @param enter false for kinds that are left out with all below */
export function partsOf(value: unknown, enter: (kind: string) => boolean = () => true): Part[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(item, enter));
  return Object.entries(value).flatMap(([field, body]) => {
    if (!isObject(body)) return [];
    const kind = kindOf(field);
    if (kind === undefined || Array.isArray(body)) return partsOf(body, enter);
    return enter(kind) ? [{ kind, body }, ...partsOf(body, enter)] : [];
  });
}

export function has(value: unknown, ...kinds: string[]): boolean {
  return partsOf(value).some(({ kind }) => kinds.includes(kind));
}

/** The texts of names: `pg_catalog.now` has two. */
export function namesOf(nodes: readonly Node[] = []): string[] {
  return nodes.map((node) => ('String' in node ? (node.String.sval ?? '') : '*'));
}

/** What a column is called, without its table. */
export function columnOf(column: ColumnRef): string {
  return namesOf(column.fields).at(-1) ?? '';
}

/** The name that a table goes by in its statement. */
export function aliasOf(table: RangeVar): string {
  return table.alias?.aliasname ?? table.relname ?? '';
}

export function withoutCasts(node: Node | undefined): Node | undefined {
  let inner = node;
  while (inner !== undefined && 'TypeCast' in inner) inner = inner.TypeCast.arg;
  return inner;
}

/** Is it a parameter, or written out? */
export function isGiven(node: Node | undefined): boolean {
  const inner = withoutCasts(node);
  return inner !== undefined && ('ParamRef' in inner || 'A_Const' in inner);
}

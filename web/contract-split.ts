import { readFileSync } from 'node:fs';
import { parseSync, type Plugin } from 'vite';

const SCHEMAS = '?schemas';
const CONTRACT = /\/contract\/[\w-]+\.ts$/;
/** Of a route, what the browser's client reads (`contract/client.ts`). */
const READ_BY_CLIENT = ['method', 'path', 'access', 'status', 'file', 'answers'];

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/**
 * Splits each file of the contract in two for the owner app: the routes and plain values, which every screen needs, and
 * the schemas, which only few screens use. Without it the first load would carry the whole of zod to check nothing.
 */
export function contractSplit(): Plugin {
  return {
    name: 'contract-split',
    apply: 'build',
    enforce: 'pre',
    resolveId(id) {
      return id.endsWith(SCHEMAS) ? id : null;
    },
    load(id) {
      const file = id.endsWith(SCHEMAS) ? id.slice(0, -SCHEMAS.length) : id;
      if (!CONTRACT.test(file)) return null;
      const code = readFileSync(file, 'utf8');
      const split = id === file ? withoutSchemas(code, file) : code;
      return { code: split, moduleType: 'ts', moduleSideEffects: false };
    },
  };
}

/** The file's routes, reduced to what the client reads, and its plain values; all else comes from the other half. */
export function withoutSchemas(code: string, file: string): string {
  const { program } = parseSync(file, code);
  const names: string[] = [];
  const exported: string[] = [];
  const cuts: [number, number][] = [];
  for (const statement of program.body as unknown as Node[]) {
    const isExported = statement.type === 'ExportNamedDeclaration';
    const declared = (isExported ? statement['declaration'] : statement) as Node | null;
    if (declared?.type === 'VariableDeclaration') {
      const [variable] = declared['declarations'] as { id: { name: string }; init: Node }[];
      const route = variable && routeOf(variable.init);
      if (route) cuts.push(...unreadParts(route));
      else if (variable && needsZod(code, variable.init)) move(statement, isExported, variable.id.name);
    } else if (declared?.type === 'FunctionDeclaration' && needsZod(code, declared)) {
      move(statement, isExported, (declared['id'] as { name: string }).name);
    }
  }

  function move(statement: Node, isExported: boolean, name: string) {
    cuts.push([statement.start, statement.end]);
    names.push(name);
    if (isExported) exported.push(name);
  }

  const kept = cuts
    .toSorted((a, b) => b[0] - a[0])
    .reduce((text, [from, to]) => text.slice(0, from) + text.slice(to), code);
  const used = new Set(namesIn(parseSync(file, kept).program));
  const lost = names.find((name) => used.has(name));
  if (lost !== undefined)
    throw new Error(`${file}: ${lost} goes with the schemas, and a value that stays uses it`);
  return exported.length === 0
    ? kept
    : `${kept}\nexport { ${exported.join(', ')} } from ${JSON.stringify(file + SCHEMAS)};\n`;
}

/** What a program uses by name where it runs: no types, no names of properties. */
function namesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(namesIn);
  const { type, computed, name, ...parts } = node as Record<string, unknown>;
  if (type === 'Identifier') return [name as string];
  if (String(type).startsWith('TS')) return namesIn(parts['expression']);
  if (computed !== true) delete parts[type === 'MemberExpression' ? 'property' : 'key'];
  return Object.values(parts).flatMap(namesIn);
}

/** The object of a route, or of what several routes share. */
function routeOf(init: Node): Node | null {
  const argument = init.type === 'CallExpression' ? (init['arguments'] as Node[])[0] : init;
  const isDefined =
    init.type === 'CallExpression' && (init['callee'] as { name?: string }).name === 'defineRoute';
  const object = unwrapped(argument);
  if (object?.type !== 'ObjectExpression') return null;
  const isShared = propertiesOf(object).some((property) => nameOf(property) === 'access');
  return isDefined || (init.type !== 'CallExpression' && isShared) ? object : null;
}

/** `{...} as const` is the object. */
function unwrapped(node: Node | undefined): Node | undefined {
  return node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression'
    ? unwrapped(node['expression'] as Node)
    : node;
}

function propertiesOf(object: Node): Node[] {
  return object['properties'] as Node[];
}

function nameOf(property: Node): string | undefined {
  return (property['key'] as { name?: string } | undefined)?.name;
}

/** From the property to the comma after it. */
function unreadParts(object: Node): [number, number][] {
  const properties = propertiesOf(object);
  return properties.flatMap((property, index): [number, number][] => {
    const name = nameOf(property);
    if (name === undefined || READ_BY_CLIENT.includes(name)) return [];
    return [[property.start, properties[index + 1]?.start ?? object.end - 1]];
  });
}

/** Whatever calls something at the top of a file makes a schema there, or is made of one; `Object` makes plain values. */
function needsZod(code: string, node: Node): boolean {
  const text = code.slice(node.start, node.end);
  if (node.type === 'FunctionDeclaration') return /\bz\b\s*\./.test(text);
  return (
    unwrapped(node)?.type !== 'ArrowFunctionExpression' &&
    /[\w)\]>]\(/.test(withoutLiterals(text).replaceAll(/\bObject\.\w+\(/g, '('))
  );
}

function withoutLiterals(text: string): string {
  return text.replaceAll(/'[^'\n]*'|`[^`]*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n])+\/[a-z]*/g, '""');
}

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync, type Plugin } from 'vite';

const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\/cjs\/[\w.-]+\.production\.js$/;
const RENDERER = ['react-dom.production.js', 'react-dom-client.production.js'];
const FROM_REACT = /from 'react(?:-dom)?(?:\/client)?'/g;
const IMPORT = /import (?:type )?\{([^}]*)\} from 'react(?:-dom)?(?:\/client)?'/g;
/** What React's files take from one another. */
const REQUIRED = /\b(?:React|ReactDOM|Scheduler)\.(\w+)/g;
/** For JSX and for the types of the elements it makes. */
const BY_JSX = ['Fragment', 'jsx', 'jsxs'];

type Statement = ReturnType<typeof parseSync>['program']['body'][number];

/**
 * Leaves out of React's CommonJS files what neither our sources nor React's renderer take from them. A bundler cannot
 * tell there, and every visitor of a public page would load all of it.
 * @param folders of the sources; nothing else in the bundle may import from React
 */
export function usedExports(folders: readonly string[]): Plugin {
  const sources = folders.flatMap(sourcesIn);
  const used = new Set([...BY_JSX, ...requiredByRenderer()]);
  for (const file of sources) for (const name of importedBy(readFileSync(file, 'utf8'), file)) used.add(name);
  return {
    name: 'used-exports',
    apply: 'build',
    enforce: 'pre',
    load: (id) => (REACT.test(id) ? withoutUnused(readFileSync(id, 'utf8'), id, used) : null),
    moduleParsed({ id, code }) {
      const isKnown = id.includes('node_modules') || sources.includes(id);
      if (!isKnown && /from ["']react["']/.test(code ?? ''))
        this.error(`${id} imports from React outside ${folders.join(', ')}`);
    },
  };
}

function sourcesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  return names.map((name) => join(folder, name));
}

/** @throws where something of React is imported otherwise than by its name */
export function importedBy(code: string, file: string): string[] {
  const imports = [...code.matchAll(IMPORT)];
  if (imports.length !== [...code.matchAll(FROM_REACT)].length)
    throw new Error(`${file}: import what you need from React by name, or it is left out of the bundle`);
  return imports.flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(' ')[0] ?? ''));
}

function requiredByRenderer(): string[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve('react-dom')), 'cjs');
  return RENDERER.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(REQUIRED)].map(([, required = '']) => required),
  );
}

/** The code without the exports that are not used, unless it uses them itself. */
export function withoutUnused(code: string, file: string, used: ReadonlySet<string>): string {
  const unused = parseSync(file, code).program.body.filter((statement) => {
    const name = exportOf(statement);
    return name !== null && !used.has(name) && code.split(`exports.${name}`).length === 2;
  });
  return unused.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), code);
}

/** The name in `exports.name = ...`. */
function exportOf(statement: Statement): string | null {
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression')
    return null;
  const { left } = statement.expression;
  if (left.type !== 'MemberExpression' || left.property.type !== 'Identifier') return null;
  return left.object.type === 'Identifier' && left.object.name === 'exports' ? left.property.name : null;
}

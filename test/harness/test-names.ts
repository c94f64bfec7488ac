import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** At the end of a name: the numbers of the statements in `docs/spec-coverage.md` that the test proves. */
const MARK = / \(spec (\d+(?:, \d+)*)\)$/;

/** A mark, or what was meant to be one. */
const LIKE_A_MARK = /[([]\s*spec|\bspec \d/i;

interface TestName {
  file: string;
  /** As the source has it, with its placeholders and without its mark. */
  name: string;
  statements: number[];
  isMarkedWrong: boolean;
}

/** Of all test files, the tests that carry numbers, rightly or wrongly. */
export function markedTests(): TestName[] {
  const files = globSync('{contract,server,web,test,db,packages}/**/*.test.{ts,tsx}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  }).toSorted();
  return files
    .filter((file) => LIKE_A_MARK.test(readSource(file)))
    .flatMap(testNamesIn)
    .filter(({ statements, isMarkedWrong }) => statements.length > 0 || isMarkedWrong);
}

/** The names of the tests in a file, and of groups of them. */
export function testNamesIn(file: string): TestName[] {
  const source = readSource(file);
  return callsIn(parseSync(file, source).program).flatMap((call) => {
    const literal = isTest(call) ? literalOf(call.arguments?.[0], source) : undefined;
    return literal === undefined ? [] : [{ file, ...readMark(literal) }];
  });
}

function readSource(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function readMark(literal: string): Omit<TestName, 'file'> {
  const [mark = '', numbers] = MARK.exec(literal) ?? [];
  const name = literal.slice(0, literal.length - mark.length);
  return {
    name,
    statements: numbers?.split(', ').map(Number) ?? [],
    isMarkedWrong: LIKE_A_MARK.test(name),
  };
}

interface Syntax {
  type: string;
  start: number;
  end: number;
  name?: string;
  value?: unknown;
  callee?: Syntax;
  tag?: Syntax;
  object?: Syntax;
  arguments?: Syntax[];
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function callsIn(node: Syntax): Syntax[] {
  const inside = Object.values(node).flat().filter(isSyntax).flatMap(callsIn);
  return node.type === 'CallExpression' ? [node, ...inside] : inside;
}

/** Is it a call of one of these, or of what they make, such as `it.each(rows)`? */
function isTest({ callee, tag, object, name = '' }: Syntax): boolean {
  const called = callee ?? tag ?? object;
  return called === undefined ? ['it', 'test', 'describe'].includes(name) : isTest(called);
}

function literalOf(argument: Syntax | undefined, source: string): string | undefined {
  if (argument?.type === 'TemplateLiteral') return source.slice(argument.start + 1, argument.end - 1);
  return typeof argument?.value === 'string' ? argument.value : undefined;
}

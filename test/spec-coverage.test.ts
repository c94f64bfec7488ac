import { expect, it } from 'vitest';
import { readStatements } from '#test/harness/spec-statements.ts';
import { markedTests } from '#test/harness/test-names.ts';

const numbers = readStatements().map(({ number }) => number);
const tests = markedTests();

it('the statements of the specification are numbered in order', () => {
  expect(numbers.length).toBeGreaterThan(90);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('every statement is proved by a test that carries its number', () => {
  const proved = new Set(tests.flatMap(({ statements }) => statements));
  expect(numbers.filter((number) => !proved.has(number))).toEqual([]);
});

it('no test carries the number of a statement that does not exist', () => {
  const unknown = tests.filter(({ statements }) => statements.some((number) => !numbers.includes(number)));
  expect(unknown).toEqual([]);
});

it('numbers stand at the end of a test’s name, in the one form', () => {
  expect(tests.filter(({ isMarkedWrong }) => isMarkedWrong)).toEqual([]);
});

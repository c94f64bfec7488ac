import { readStatements } from './harness/spec-statements.ts';
import { markedTests } from './harness/test-names.ts';

/* Prints each statement of the specification with the tests that prove it. */

const tests = markedTests();

console.log('| # | statement | proof |\n|---|---|---|');
for (const { number, text } of readStatements()) {
  const proofs = tests.filter(({ statements }) => statements.includes(number));
  const cell = proofs.map(({ file, name }) => `\`${file}\`: ${name}`).join('<br>');
  console.log(`| ${number} | ${text} | ${cell} |`);
}

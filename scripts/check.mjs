import { Refusal, runNode, say, seconds } from './project.mjs';
import { runTests } from './vitest.mjs';

const tool =
  (/** @type {string} */ path, /** @type {string[]} */ ...args) =>
  async () =>
    (await runNode([`node_modules/${path}`, ...args])).code === 0;

/** @type {[string, () => Promise<boolean>][]} */
const steps = [
  ['format', tool('oxfmt/bin/oxfmt', '--check', '.')],
  // One program reads the types once, for its own rules and for TypeScript's errors.
  ['lint and types', tool('oxlint/bin/oxlint', '--type-aware', '--type-check', '--deny-warnings')],
  ['workflows', async () => (await runNode(['scripts/workflows.mjs'])).code === 0],
  ['regular expressions', async () => (await runNode(['scripts/regular-expressions.mjs'])).code === 0],
  ['unused', tool('knip/bin/knip.js', '--no-progress')],
  ['tests', async () => (await runTests(['--project=unit', '--project=web'])).failed === 0],
];

/**
 * `--no-tests` leaves the tests to an `npm test` that follows.
 * @param {string[]} args
 */
export async function check(args) {
  const wanted = args.includes('--no-tests') ? steps.filter(([name]) => name !== 'tests') : steps;
  for (const [name, step] of wanted) {
    const began = performance.now();
    say(`\n# ${name}`);
    if (!(await step())) throw new Refusal(`\nThe step "${name}" failed after ${seconds(began)}.`);
    say(`# ${name}: fine, ${seconds(began)}`);
  }
}

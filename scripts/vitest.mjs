import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root, runNode } from './project.mjs';

const vitest = 'node_modules/vitest/vitest.mjs';

/** What must hold before a change lands; `npm run prove` runs the others. */
const GATE = ['unit', 'web', 'api', 'components', 'journeys', 'faults'];

/** Named files run whichever step they belong to. */
const stepsFor = (/** @type {string[]} */ args) =>
  args.some((arg) => !arg.startsWith('-') || arg.startsWith('--project'))
    ? []
    : GATE.map((name) => `--project=${name}`);

/**
 * @typedef {object} FileResult
 * @property {string} file
 * @property {number} passed
 * @property {number} failed
 * @property {number} seconds
 */

/**
 * @param {string} report the JSON report of vitest
 * @returns {FileResult[]}
 */
function resultsIn(report) {
  if (!existsSync(report)) return [];
  /** @type {import('vitest/node').JsonTestResults} */
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.map(({ name, status, assertionResults, startTime, endTime }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').length;
    return {
      file: relative(root, name),
      passed: assertionResults.filter((test) => test.status === 'passed').length,
      // A file that failed outside its tests counts as one.
      failed: status === 'failed' ? Math.max(failed, 1) : failed,
      seconds: (endTime - startTime) / 1000,
    };
  });
}

/**
 * Runs the tests and returns how many passed and failed; a run that ended badly never counts as clean.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function runTests(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'sayso-tests-'));
  const report = join(folder, 'report.json');
  try {
    const { code } = await runNode(
      [
        ...[vitest, 'run', '--reporter=default', '--reporter=./test/harness/steps-reporter.ts'],
        ...['--reporter=json', `--outputFile.json=${report}`, ...stepsFor(args), ...args],
      ],
      { env },
    );
    const files = resultsIn(report);
    const sum = (/** @type {'passed' | 'failed'} */ what) =>
      files.reduce((total, file) => total + file[what], 0);
    const passed = sum('passed');
    return { passed, failed: code === 0 && passed > 0 ? sum('failed') : Math.max(sum('failed'), 1), files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

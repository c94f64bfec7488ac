import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from './project.mjs';

const vitest = 'node_modules/vitest/vitest.mjs';

/** @param {string} file the JSON report of vitest */
function count(file) {
  try {
    /** @type {import('vitest/node').JsonTestResults} */
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests: passed, numFailedTests: failed, testResults } = report;
    const broken = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed, failed: failed + broken.length };
  } catch {
    return { passed: 0, failed: 0 };
  }
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
      [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
      { env },
    );
    const { passed, failed } = count(report);
    return { passed, failed: code === 0 && passed > 0 ? failed : Math.max(failed, 1) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

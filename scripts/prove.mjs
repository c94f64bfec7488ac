import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { inRoot, run, say } from './project.mjs';
import { runTests } from './vitest.mjs';

/* What takes its time or measures it: nightly and before a release. The gate (`npm test`) has the rest. */

const LAST = inRoot('node_modules/.cache/sayso-prove.json');

/** @typedef {import('./vitest.mjs').FileResult} FileResult */

/** @returns {Record<string, FileResult>} by file */
function lastResults() {
  return existsSync(LAST) ? JSON.parse(readFileSync(LAST, 'utf8')) : {};
}

/**
 * @param {FileResult[]} files
 * @param {Record<string, FileResult>} before
 */
function table(files, before) {
  const rows = files
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, passed, failed, seconds }) => {
      const last = before[file];
      const was = last === undefined ? 'new' : `${last.seconds.toFixed(0)} s`;
      return `| ${file} | ${passed} | ${failed} | ${seconds.toFixed(0)} s | ${was} |`;
    });
  return ['| file | passed | failed | time | last run |', '|---|---:|---:|---:|---:|', ...rows].join('\n');
}

/**
 * All of it again on the oldest PostgreSQL that is supported, and on Citus where `CITUS_PG_BIN` says where it is.
 * @returns {Promise<[string, boolean][]>}
 */
async function onOtherDatabases() {
  const npm = ['npm', 'test', '--', '--project=api'];
  /** @type {[string, string][]} */
  const wrappers = [['PostgreSQL 15', 'test/with-postgres.sh']];
  if (process.env.CITUS_PG_BIN) wrappers.push(['Citus', 'test/with-citus.sh']);
  /** @type {[string, boolean][]} */
  const results = [];
  for (const [name, wrapper] of wrappers) results.push([name, (await run(wrapper, npm)).code === 0]);
  return results;
}

/** @param {string[]} args files, to run only these */
export async function prove(args) {
  const env = { CHROMIUM_PATH: await ensureChromium() };
  const { passed, failed, files } = await runTests(['--project=prove', '--project=measure', ...args], env);
  const databases = args.length === 0 ? await onOtherDatabases() : [];
  const before = lastResults();
  say(`\n${table(files, before)}`);
  for (const [name, isGreen] of databases) say(`${name}: ${isGreen ? 'green' : 'red'}`);
  mkdirSync(dirname(LAST), { recursive: true });
  writeFileSync(
    LAST,
    JSON.stringify({ ...before, ...Object.fromEntries(files.map((file) => [file.file, file])) }),
  );
  const red = databases.filter(([, isGreen]) => !isGreen).length;
  process.stdout.write(`\n${passed} passed, ${failed + red} failed\n`);
  return failed + red === 0 ? 0 : 1;
}

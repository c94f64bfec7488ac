import { ensureChromium } from './chromium.mjs';
import { check } from './check.mjs';
import { startFakes } from './fakes.mjs';
import { installWhenNeeded, refuseOtherTools } from './install.mjs';
import { prove } from './prove.mjs';
import { Refusal, runNode, say, serverFlags } from './project.mjs';
import { serve, supervise } from './serve.mjs';
import { buildStale, DEV_TARGETS } from './targets.mjs';
import { runTests } from './vitest.mjs';

/** @param {string[]} args */
async function test(args) {
  const { passed, failed } = await runTests(args, { CHROMIUM_PATH: await ensureChromium() });
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** @param {string[]} args */
async function demo(args) {
  const fakes = await startFakes();
  try {
    return await serve(
      [...serverFlags, 'server/main.ts', '--demo', `--fake-tools=${fakes.url}`, ...args],
      fakes.env,
    );
  } finally {
    await fakes.stop();
  }
}

/** @type {Record<string, (args: string[]) => number | void | Promise<number | void>>} */
const commands = {
  start: (args) => supervise([...serverFlags, 'server/main.ts', ...args]),
  demo,
  dev: (args) => serve(['scripts/dev-server.mjs', ...args]),
  test,
  prove,
  check,
  verify: (args) => serve([...serverFlags, 'server/verify.ts', ...args]),
  plan: (args) => serve([...serverFlags, 'server/plan.ts', ...args]),
  operator: (args) => serve([...serverFlags, 'server/operator.ts', ...args]),
  backup: (args) => serve([...serverFlags, 'server/backup.ts', ...args]),
  restore: (args) => serve([...serverFlags, 'server/restore.ts', ...args]),
  erasures: (args) => serve([...serverFlags, 'server/erasures.ts', ...args]),
  resume: (args) => serve([...serverFlags, 'server/resume.ts', ...args]),
  build: () => {},
  bench: (args) => serve(['test/load/bench.ts', ...args]),
  soak: (args) => serve(['test/load/soak.ts', ...args]),
  catalogue: (args) => serve(['test/page/catalogue.ts', ...args]),
  pictures: (args) => serve(['test/page/handbook-pictures.ts', ...args]),
  sayso: (args) => serve(['packages/cli/src/main.ts', ...args]),
  packages: (args) => serve(['packages/build.ts', ...args]),
  schema: (args) => serve(['db/write-schema.ts', ...args]),
  spec: (args) => serve(['test/spec-table.ts', ...args]),
  format: async () => (await runNode(['node_modules/oxfmt/bin/oxfmt', '.'])).code,
};

/** Need nothing of what is built for browsers. */
const withoutWeb = new Set(['sayso', 'packages', 'spec']);

/** @param {string[]} args */
async function main([name = 'start', ...args]) {
  const command = commands[name];
  if (!command)
    throw new Refusal(`There is no command "${name}"; there are ${Object.keys(commands).join(', ')}.`);
  refuseOtherTools(name);
  await installWhenNeeded();
  const problem = withoutWeb.has(name) ? null : await buildStale(name === 'dev' ? DEV_TARGETS : undefined);
  if (problem !== null && name !== 'dev') throw new Refusal(problem);
  return command(args);
}

try {
  process.exit((await main(process.argv.slice(2))) ?? 0);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
  process.exit(1);
}

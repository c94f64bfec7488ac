import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/harness/longest-first.ts';

const everywhere = '{contract,server,web,test,db,packages}/**/*.test.{ts,tsx}';

/** Too long for `npm run check`, whatever they are about: much work, or many cases. */
const long = [
  'test/long/**/*.test.ts',
  'server/**/*.slow.test.ts',
  'test/attacks/**/*.test.ts',
  'test/matrix.test.ts',
  'test/canary.test.ts',
  'test/reading-changes-nothing.test.ts',
  'db/demo/demo.test.ts',
];

/** Those of `test/citus` need a cluster, which `test/with-citus.sh` starts. */
const isOnCitus = (process.env['CITUS_WORKERS'] ?? '') !== '';
const longOnCitus = 'test/citus/**/*.slow.test.ts';

/** Statistics of shards are kept by the workers' autovacuum, not by the product. */
const elsewhere = isOnCitus ? [longOnCitus, 'server/platform/table-statistics.test.ts'] : ['test/citus/**'];

/** Measure time: each has the machine to itself. */
const alone = 'test/slow/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // Files of one worker share its modules: importing the product for each of them took a third of a run.
    isolate: false,
    // Two more than there are cores: tests wait for timers, browsers and each other's locks.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A machine that is busy takes its time; what never comes fails all the same.
    expect: { poll: { timeout: 40_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: [everywhere],
          exclude: ['test/browser/**', alone, ...long, ...elsewhere, 'node_modules/**', 'dist/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: isOnCitus ? [...long, longOnCitus] : long,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [alone],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

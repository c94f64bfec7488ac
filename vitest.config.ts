import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const everywhere = '{contract,server,web,test,db}/**/*.test.{ts,tsx}';

/** Too long for every run, whatever they are about. */
const slow = 'server/**/*.slow.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // Files of one worker share its modules: importing the product for each of them took a third of a run.
    isolate: false,
    // One more than there are cores: tests wait for timers, browsers and each other's locks.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A machine that is busy takes its time; what never comes fails all the same.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: [everywhere],
          exclude: ['test/browser/**', 'test/slow/**', slow, 'node_modules/**', 'dist/**'],
        },
      },
      {
        extends: true,
        test: { name: 'browser', include: ['test/browser/**/*.test.ts'], testTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts', slow],
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});

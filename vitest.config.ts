import { defineConfig } from 'vitest/config';

const everywhere = '{contract,server,web,test,db}/**/*.test.{ts,tsx}';

/** Too long for every run, whatever they are about. */
const slow = 'server/**/*.slow.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
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

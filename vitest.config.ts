import { availableParallelism } from 'node:os';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/harness/longest-first.ts';
import { filesOfSteps } from './test/harness/steps.ts';

const files = filesOfSteps();
const globalSetup = ['test/harness/global-setup.ts'];

/** Those of `test/citus` need a cluster, which `test/with-citus.sh` starts. */
const isOnCitus = (process.env['CITUS_WORKERS'] ?? '') !== '';
/** Statistics of shards are kept by the workers' autovacuum, not by the product. */
const elsewhere = isOnCitus ? ['server/platform/table-statistics.slow.test.ts'] : ['test/citus/**'];

/** The browser of the machine, as somebody in one place and language sees it. */
const browser = {
  enabled: true,
  headless: true,
  ui: false,
  screenshotFailures: false,
  traceView: false,
  dependencySourcemaps: false,
  provider: playwright({
    // `npm test` says which one this machine has.
    launchOptions: { executablePath: process.env['CHROMIUM_PATH'] },
    contextOptions: { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
  }),
  instances: [{ browser: 'chromium' as const, viewport: { width: 1280, height: 900 } }],
};

const patient = { testTimeout: 300_000, hookTimeout: 600_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    // Files of one worker share its modules: importing the product for each of them took a third of a run.
    isolate: false,
    // Node runs our TypeScript as it is, in production too.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A machine that is busy takes its time; what never comes fails all the same.
    expect: { poll: { timeout: 40_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: files.unit } },
      {
        extends: true,
        test: { name: 'web', include: files.web, experimental: { viteModuleRunner: true, nodeLoader: true } },
      },
      {
        extends: true,
        test: {
          name: 'api',
          include: files.api,
          exclude: elsewhere,
          globalSetup,
          setupFiles: ['test/harness/quick-passwords.ts'],
        },
      },
      {
        extends: true,
        plugins: [react(), tailwindcss()],
        // All at once: what is found only when a test asks for it reloads the page that the tests are in.
        optimizeDeps: { entries: ['web/owner/main.tsx', 'test/components/*.{ts,tsx}'] },
        test: {
          name: 'components',
          include: files.components,
          sequence: { groupOrder: 1 },
          experimental: { viteModuleRunner: true, nodeLoader: true },
          browser,
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: files.journeys,
          globalSetup,
          retry: 1,
          sequence: { groupOrder: 2 },
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: files.faults,
          globalSetup,
          retry: 1,
          sequence: { groupOrder: 3 },
          ...patient,
        },
      },
      // Takes its time: nightly and before a release.
      {
        extends: true,
        test: {
          name: 'prove',
          include: files.prove,
          exclude: elsewhere,
          globalSetup,
          sequence: { groupOrder: 4 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      // Measures time: each file has the machine to itself.
      {
        extends: true,
        test: {
          name: 'measure',
          include: files.measure,
          globalSetup,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});

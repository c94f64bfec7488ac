import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What runs for minutes starts first, so that no worker is left alone with it at the end. */
const LONGEST = [
  'test/browser/accessibility',
  'test/long/kill-9',
  'test/long/outage',
  'test/long/backup-drill',
  'test/faults/backup',
  'test/long/full-disk',
  'test/long/failed-starts',
  'test/long/image',
  'test/browser/page-states',
  'test/long/lighthouse-owner',
  'test/matrix',
  'test/browser/page-editor',
  'test/browser/actions',
  'test/browser/integrations',
  'test/browser/customers',
  'test/journeys/double-opt-in',
  'test/journeys/open-pages',
  'test/journeys/second-factor',
  'test/journeys/actions',
  'test/journeys/newcomer',
  'hostile-images.slow',
  'test/long/loop',
  'imports.routes',
  'images.routes',
  'imports.tool',
  'attacks/second-factor',
  'reconciliation/reconciliation.test',
  'domains.routes',
  'mailed-pages.routes',
  'round-trips',
  'proof/proof.test',
  'oauth-login.routes',
  'opt-outs/opt-outs.test',
  'reading-changes-nothing',
  'deliveries.routes',
  'attacks/evidence.test',
  'test/test-mode',
  'test/canary',
  'comparisons.test',
];

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((part) => moduleId.includes(part));
  return place < 0 ? LONGEST.length : place;
}

/** Vitest's own order on a fresh clone is by size, which says little about time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this one returns a copy
    const usual = await super.sort(files);
    return usual.toSorted((a, b) => rank(a) - rank(b));
  }
}

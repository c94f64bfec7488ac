import { tidyCounters } from '#server/audience/counters/counters.ts';
import { leasedTask, type Turn } from '#server/platform/leased-task.ts';
import type { Services } from '#server/platform/services.ts';
import { LONGEST_NIGHT_MS, nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { sendToAnchor } from '#server/audience/evidence-heads/anchor-messages.ts';
import { signHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { checkSite } from './evidence-checks.ts';
import {
  claimDueRound,
  insertRounds,
  pullBackRounds,
  type RoundRow,
  sitesWithoutRound,
  updateRound,
} from './evidence-checks.sql.ts';

const SITES_AT_ONCE = 500;

/** Checks the evidence of each site once a night, in one of all processes, signs it, and checks what is counted of it. */
export const EVIDENCE_CHECKS = leasedTask<RoundRow>({
  name: 'evidence-checks',
  checkEveryMs: 60_000,
  leaseMs: 10 * 60_000,
  longestMs: LONGEST_NIGHT_MS,
  retryAfterMs: 30 * 60_000,
  prepare: scheduleNewSites,
  pullBack: pullBackRounds,
  claim: claimDueRound,
  update: updateRound,
  run: checkEvidenceOfSite,
});

/** Their first check is in the coming night. */
async function scheduleNewSites(services: Services): Promise<void> {
  const { global } = services.database;
  const now = services.clock.now();
  for (;;) {
    const ids = await sitesWithoutRound(global, SITES_AT_ONCE);
    if (ids.length === 0) return;
    await insertRounds(
      global,
      ids.map((id) => ({ site_id: id, due_at: nextNightlyRun(id, now) })),
    );
    if (ids.length < SITES_AT_ONCE) return;
  }
}

async function checkEvidenceOfSite(services: Services, { row, signal }: Turn<RoundRow>) {
  const siteId = row.site_id;
  try {
    const { broken } = await checkSite(services, siteId, { signal });
    await signHeads(services, siteId, signal === undefined ? {} : { signal });
    await sendToAnchor(services, siteId);
    const now = services.clock.now();
    return { due_at: nextNightlyRun(siteId, now), checked_at: now, broken };
  } finally {
    await tidyCounters(services, siteId).catch((error: unknown) =>
      services.log.warn({ err: error, site: siteId }, 'counters could not be checked; will be tried again'),
    );
  }
}

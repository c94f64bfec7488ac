import { tidyCounters } from '#server/audience/counters/counters.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { nextNight } from '#server/tools/schedule/nights.ts';
import { checkSite } from './evidence-checks.ts';
import {
  claimDueRound,
  insertRounds,
  type RoundRow,
  sitesWithoutRound,
  updateRound,
} from './evidence-checks.sql.ts';

const LOOK_EVERY_MS = 60_000;
const LEASE_MS = 10 * 60_000;
const RENEW_EVERY_MS = 60_000;
/** After a check that failed for a reason of ours, such as a database that went away. */
const AFTER_FAILURE_MS = 30 * 60_000;
const SITES_AT_ONCE = 500;

/** Checks the evidence of each site once a night, in one of all processes, and what is counted of it. */
export function startEvidenceChecks(services: Services): Ticks {
  return startTicks('evidence-checks', LOOK_EVERY_MS, services.log, (signal) =>
    checkDueSites(services, signal),
  );
}

export async function checkDueSites(services: Services, signal?: AbortSignal): Promise<void> {
  await noteNewSites(services);
  while (signal?.aborted !== true) {
    const claim = await services.database.inTransaction((tx) =>
      claimDueRound(tx, { now: services.clock.now(), until: later(services, LEASE_MS), lease: newId() }),
    );
    if (claim === undefined) return;
    await checkClaimed(services, claim, signal);
  }
}

const later = ({ clock }: Services, ms: number) => new Date(clock.now().getTime() + ms);

/** Their first check is in the coming night. */
async function noteNewSites(services: Services): Promise<void> {
  const { global } = services.database;
  const now = services.clock.now();
  for (;;) {
    const ids = await sitesWithoutRound(global, SITES_AT_ONCE);
    if (ids.length === 0) return;
    await insertRounds(
      global,
      ids.map((id) => ({ site_id: id, due_at: nextNight(id, now) })),
    );
    if (ids.length < SITES_AT_ONCE) return;
  }
}

async function checkClaimed(services: Services, claim: RoundRow, signal?: AbortSignal): Promise<void> {
  const { global } = services.database;
  const renewing = setInterval(() => {
    updateRound(global, claim, { due_at: later(services, LEASE_MS) }).catch((error: unknown) =>
      services.log.warn({ err: error }, 'the turn of checking evidence could not be made longer'),
    );
  }, RENEW_EVERY_MS);
  let result: Pick<RoundRow, 'due_at'> & Partial<RoundRow> = { due_at: later(services, AFTER_FAILURE_MS) };
  try {
    const { broken } = await checkSite(services, claim.site_id, { signal });
    const now = services.clock.now();
    result = { due_at: nextNight(claim.site_id, now), checked_at: now, broken };
  } catch (error) {
    services.log.warn({ err: error, site: claim.site_id }, 'evidence could not be checked and will be again');
  } finally {
    clearInterval(renewing);
  }
  await updateRound(global, claim, { ...result, lease: null });
  await tidyCounters(services, claim.site_id).catch((error: unknown) =>
    services.log.warn({ err: error, site: claim.site_id }, 'counters could not be checked and will be again'),
  );
}

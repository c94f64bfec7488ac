import type { LeaveReason } from '#contract/choices.ts';
import type { DashboardRange, LeaveJudgements } from '#contract/dashboard.ts';
import type { Judgement } from '#contract/judgements.ts';
import { judgeEvidence, MOST_JUDGED } from '#server/audience/evidence/judged-evidence.ts';
import { newestReasons } from '#server/audience/evidence/reasons.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { newestLeaves } from './dashboard.sql.ts';
import { spanOf } from './ranges.ts';

type Judged = ReadonlyMap<string, Judgement>;

/**
 * Who likely made the leaves of a range, and gave its reasons: people or machines. Judged on reading, so that of many only
 * the newest are looked at.
 */
export async function readLeaveJudgements(
  services: Services,
  siteId: string,
  range: DashboardRange,
): Promise<LeaveJudgements> {
  const { from } = spanOf(range, services.clock.now());
  return services.database.readSite(siteId, async (site) => {
    // One more than is judged says that there are more.
    const [leaves, reasons] = await Promise.all([
      newestLeaves(site, firstIdAt(from), MOST_JUDGED + 1),
      newestReasons(site, from, MOST_JUDGED + 1),
    ]);
    const newest = { leaves: leaves.slice(0, MOST_JUDGED), reasons: reasons.slice(0, MOST_JUDGED) };
    const ids = [...newest.leaves, ...newest.reasons].map((one) => one.choice_id);
    const judged = await judgeEvidence(services, site, [...new Set(ids)]);
    return {
      from: from.toISOString(),
      leaves: countByVerdict(judged, newest.leaves),
      reasons: reasonsByVerdict(judged, newest.reasons),
      is_partial: leaves.length > MOST_JUDGED || reasons.length > MOST_JUDGED,
    };
  });
}

function countByVerdict(
  judged: Judged,
  choices: readonly { choice_id: string; leaves: number }[],
): LeaveJudgements['leaves'] {
  const counts = { likely_machine: 0, unclear: 0, likely_person: 0, unknown: 0, others: 0 };
  for (const { choice_id: id, leaves } of choices) counts[judged.get(id)?.verdict ?? 'others'] += leaves;
  return counts;
}

function reasonsByVerdict(
  judged: Judged,
  given: readonly { choice_id: string; reason: LeaveReason }[],
): LeaveJudgements['reasons'] {
  return [...Map.groupBy(given, ({ reason }) => reason)].map(([reason, choices]) => ({
    reason,
    ...countByVerdict(
      judged,
      choices.map(({ choice_id: id }) => ({ choice_id: id, leaves: 1 })),
    ),
  }));
}

import { countStatements, undoneCounts } from '#server/audience/counters/counters.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { choicesWithSequences, deleteMoves, movesOfChoices } from './bulk-changes.sql.ts';

/**
 * Takes what is undone out of the figures of its days, as if it had never been. Figures are about customers, and nobody
 * chose any of it.
 * @param undone.lists whose moves go
 */
export async function takeOutOfFigures(
  site: SiteDb,
  undone: { customerId: string; sequences: readonly number[]; lists: readonly string[] },
): Promise<Statement[]> {
  const ids = await choicesWithSequences(site, undone.customerId, undone.sequences);
  const moves = await movesOfChoices(site, ids, undone.lists);
  return [
    deleteMoves(site, ids, undone.lists),
    ...countStatements(site.id, await undoneCounts(site, ids, moves)),
  ];
}

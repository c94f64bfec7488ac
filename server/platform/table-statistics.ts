import type { GlobalDb } from './database.ts';
import type { Log } from './log.ts';
import { startTicks, type Ticks } from './ticks.ts';

const CHECK_EVERY_MS = 2000;

/**
 * Tells the planner about tables that have grown fast, as those of a new database do (migration 0035).
 * @returns how many tables were analysed
 */
export async function analyzeGrownTables({ query }: Pick<GlobalDb, 'query'>): Promise<number> {
  const { rows } = await query('select analyze_grown_tables() as analyzed');
  return (rows as { analyzed: number }[])[0]?.analyzed ?? 0;
}

export function startTableStatistics(database: { global: GlobalDb }, log: Log): Ticks {
  return startTicks('table-statistics', CHECK_EVERY_MS, log, async () => {
    await analyzeGrownTables(database.global);
  });
}

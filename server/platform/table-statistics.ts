import type { GlobalDb } from './database.ts';
import { intervalTask } from './interval-worker.ts';

/**
 * Updates the planner's statistics of tables that have grown fast, as those of a new database do (migration 0016).
 * @returns how many tables were analysed
 */
export async function analyzeGrownTables({ query }: Pick<GlobalDb, 'query'>): Promise<number> {
  const { rows } = await query('select analyze_grown_tables() as analyzed');
  return (rows as { analyzed: number }[])[0]?.analyzed ?? 0;
}

export const TABLE_STATISTICS = intervalTask({
  name: 'table-statistics',
  everyMs: 2000,
  async run({ database }) {
    await analyzeGrownTables(database.global);
  },
});

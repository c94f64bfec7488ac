import { finished, type Writable } from 'node:stream';
import { createBudget, currentTenant, slotOf } from '../tenant-budget.ts';

/**
 * Whose turn it is to have a file written. A file takes memory and CPU time for as long as it is read, so a process writes few at
 * a time, and fewer for one tenant.
 */
export function createDownloadTurns(limits = { total: 4, each: 2, waitMs: 20_000 }) {
  const budget = createBudget(limits);

  /**
   * Waits for a turn, which lasts while `work` runs and then until the response has ended or its reader is gone.
   * @throws AppError `unavailable` after waiting too long
   */
  return async function inTurn<T>(response: Writable, work: () => Promise<T>): Promise<T> {
    const release = await slotOf(budget, currentTenant());
    try {
      const result = await work();
      finished(response, () => release());
      return result;
    } catch (error) {
      release();
      throw error;
    }
  };
}

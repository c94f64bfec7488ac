import type pg from 'pg';
import { isOnCitus } from './nodes.ts';

/**
 * How many statements on this database wait for a lock. On Citus they do so on the worker that has the row.
 * @param like what the statement looks like, for LIKE in any case
 */
export async function countLockWaits(owner: pg.Pool, like = '%'): Promise<number> {
  const { rows } = await owner.query<{ text: string }>(
    `select format('select count(*) from pg_stat_activity where wait_event_type = ''Lock'' and datname = %L and query ilike %L',
       current_database(), $1::text) as text`,
    [like],
  );
  const text = rows[0]?.text ?? '';
  const here = (await owner.query<{ count: string }>(text)).rows;
  const there = isOnCitus
    ? (await owner.query<{ count: string }>('select result as count from run_command_on_workers($1)', [text]))
        .rows
    : [];
  return [...here, ...there].reduce((sum, { count }) => sum + Number(count), 0);
}

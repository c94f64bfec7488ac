import { sql } from 'kysely';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';

/*
 * One row per account and rate limit: when everything granted so far is used up at an even pace, and by which factor
 * we slow down (GCRA).
 */

/**
 * Acquires one slot, if the account has one now.
 * @param aheadMs how far the account may run ahead of its pace; not while slowed down
 * @returns 0 if acquired; else milliseconds until a slot is free
 */
export async function acquire(
  { db }: GlobalDb,
  account: string,
  { now, intervalMs, aheadMs }: { now: Date; intervalMs: number; aheadMs: number },
): Promise<number> {
  const latest = new Date(now.getTime() + aheadMs);
  const latestSlowed = new Date(now.getTime() + Math.min(0, aheadMs));
  const granted = await db
    .insertInto('tool_rate_limits')
    .values({ account, next_slot_at: new Date(now.getTime() + intervalMs), slowdown: 1 })
    .onConflict((conflict) =>
      conflict
        .column('account')
        .doUpdateSet({
          next_slot_at: sql`greatest(tool_rate_limits.next_slot_at, ${now}) + tool_rate_limits.slowdown * ${intervalMs} * interval '1 millisecond'`,
          // Halves the slowdown after some 350 accepted calls.
          slowdown: sql`greatest(1, tool_rate_limits.slowdown * 0.998)`,
        })
        .where(
          sql<boolean>`tool_rate_limits.next_slot_at <= case when tool_rate_limits.slowdown > 1
            then ${latestSlowed}::timestamptz else ${latest}::timestamptz end`,
        ),
    )
    .returning('next_slot_at')
    .executeTakeFirst();
  if (granted !== undefined) return 0;
  const row = await db
    .selectFrom('tool_rate_limits')
    .select(['next_slot_at', 'slowdown'])
    .where('account', '=', account)
    .executeTakeFirst();
  if (row === undefined) return 1;
  const allowed = row.slowdown > 1 ? latestSlowed : latest;
  return Math.max(1, row.next_slot_at.getTime() - allowed.getTime());
}

/** The tool answered 429: nobody calls until then, and more slowly afterwards. */
export async function backOff(
  { db }: GlobalDb,
  account: string,
  { until, mostSlowdown }: { until: Date; mostSlowdown: number },
): Promise<void> {
  await db
    .insertInto('tool_rate_limits')
    .values({ account, next_slot_at: until, slowdown: 2 })
    .onConflict((conflict) =>
      conflict.column('account').doUpdateSet({
        next_slot_at: sql`greatest(tool_rate_limits.next_slot_at, excluded.next_slot_at)`,
        // Several calls rejected at the same time count once.
        slowdown: sql`case when tool_rate_limits.next_slot_at >= excluded.next_slot_at then tool_rate_limits.slowdown
          else least(tool_rate_limits.slowdown * 2, ${mostSlowdown}) end`,
      }),
    )
    .execute();
}

/**
 * Reserves the next free slot.
 * @param end callers that find no earlier slot get this time and reserve nothing: otherwise the reservations would
 *   grow with every retry and leave slots unused
 */
export async function reserveNextSlot(
  { db }: GlobalDb,
  line: string,
  { now, spacingMs, end }: { now: Date; spacingMs: number; end: Date },
): Promise<Date> {
  const row = await db
    .insertInto('tool_rate_limits')
    .values({ account: line, next_slot_at: new Date(now.getTime() + spacingMs), slowdown: 1 })
    .onConflict((conflict) =>
      conflict.column('account').doUpdateSet({
        next_slot_at: sql`least(
          greatest(tool_rate_limits.next_slot_at, ${now}) + ${spacingMs} * interval '1 millisecond', ${end}::timestamptz)`,
      }),
    )
    .returning('next_slot_at')
    .executeTakeFirstOrThrow();
  return row.next_slot_at;
}

export async function clearReservations({ db }: SiteDb, line: string): Promise<void> {
  await db.deleteFrom('tool_rate_limits').where('account', '=', line).execute();
}

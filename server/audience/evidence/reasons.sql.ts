import type { LeaveReason } from '#contract/choices.ts';
import { sql } from 'kysely';
import type { SiteDb, Statement } from '#server/platform/database.ts';

/** Keeps why somebody left; the last answer about a choice counts. */
export async function saveReason(
  site: SiteDb,
  given: { choiceId: string; customerId: string; reason: LeaveReason; now: Date },
): Promise<void> {
  await site.db
    .insertInto('leave_reasons')
    .values({
      site_id: site.id,
      choice_id: given.choiceId,
      customer_id: given.customerId,
      reason: given.reason,
      created_at: given.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'choice_id']).doUpdateSet((eb) => ({ reason: eb.ref('excluded.reason') })),
    )
    .execute();
}

/** A customer who took the unsubscribe back has no reason for it any more. */
export function deleteReason(site: Pick<SiteDb, 'id' | 'db'>, choiceId: string): Statement {
  return site.db
    .deleteFrom('leave_reasons')
    .where('site_id', '=', site.id)
    .where('choice_id', '=', choiceId)
    .compile();
}

/** The choice of a row of `leave_reasons` is not marked as a test. */
export const isNoTest = (site: Pick<SiteDb, 'id'>) => sql<boolean>`not exists (
  select from choices where choices.site_id = ${site.id} and choices.site_id = leave_reasons.site_id
    and choices.id = leave_reasons.choice_id and choices.is_test)`;

/** The reasons of the newest choices among those with a reason that was given since a time, not counting test customers. */
export async function newestReasons(
  site: SiteDb,
  since: Date,
  most: number,
): Promise<{ choice_id: string; reason: LeaveReason }[]> {
  return site.db
    .selectFrom('leave_reasons')
    .select(['choice_id', 'reason'])
    .where('site_id', '=', site.id)
    .where('created_at', '>=', since)
    .where(isNoTest(site))
    .orderBy('choice_id', 'desc')
    .limit(most)
    .execute();
}

/** How often each reason was given since a time, not counting test customers. */
export async function reasonsSince(
  site: SiteDb,
  since: Date,
): Promise<{ reason: LeaveReason; count: string }[]> {
  return site.db
    .selectFrom('leave_reasons')
    .select(['reason', (eb) => eb.fn.countAll<string>().as('count')])
    .where('site_id', '=', site.id)
    .where('created_at', '>=', since)
    .where(isNoTest(site))
    .groupBy('reason')
    .execute();
}

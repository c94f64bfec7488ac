import type { LeaveReason } from '#contract/choices.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/** Why somebody left. It is asked afterwards and never required; the last answer counts. */
export async function recordReason(
  services: Services,
  siteId: string,
  choice: { customerId: string; choiceId: string },
  reason: LeaveReason,
): Promise<void> {
  const now = services.clock.now();
  await services.database.inSite(siteId, async (site) => {
    await site.db
      .insertInto('leave_reasons')
      .values({
        site_id: siteId,
        choice_id: choice.choiceId,
        customer_id: choice.customerId,
        reason,
        created_at: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['site_id', 'choice_id'])
          .doUpdateSet((eb) => ({ reason: eb.ref('excluded.reason') })),
      )
      .execute();
  });
}

/** Whoever took the leave back has no reason for it any more. */
export async function forgetReason(site: SiteDb, choiceId: string): Promise<void> {
  await site.db
    .deleteFrom('leave_reasons')
    .where('site_id', '=', site.id)
    .where('choice_id', '=', choiceId)
    .execute();
}

/** How often each reason was given since a time, the most frequent first. */
export async function countReasons(
  services: Services,
  siteId: string,
  since: Date,
): Promise<{ reason: LeaveReason; count: number }[]> {
  const rows = await services.database.readSite(siteId, (site) =>
    site.db
      .selectFrom('leave_reasons')
      .select(['reason', (eb) => eb.fn.countAll<string>().as('count')])
      .where('site_id', '=', siteId)
      .where('created_at', '>=', since)
      .groupBy('reason')
      .execute(),
  );
  return rows
    .map(({ reason, count }) => ({ reason, count: Number(count) }))
    .toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

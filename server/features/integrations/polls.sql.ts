import type { Selectable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';

export type PollRow = Selectable<GlobalTables['tool_polls']>;

/** In the transaction that connects the tool. One that is polled already is so at once, unless a process is at it. */
export async function beginToPoll(site: SiteDb, integrationId: string, now: Date): Promise<void> {
  await site.db
    .insertInto('tool_polls')
    .values({ site_id: site.id, integration_id: integrationId, due_at: now, lease: null })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id'])
        .doUpdateSet({ due_at: now })
        .where('tool_polls.lease', 'is', null),
    )
    .execute();
}

export async function endToPoll(site: SiteDb, integrationId: string): Promise<void> {
  await site.db
    .deleteFrom('tool_polls')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .execute();
}

/** Takes the one that waits longest, for this process alone until `until`; undefined when none is due. */
export async function claimDuePoll(
  tx: GlobalDb,
  { now, until, lease }: { now: Date; until: Date; lease: string },
): Promise<PollRow | undefined> {
  const due = await tx.db
    .selectFrom('tool_polls')
    .select(['site_id', 'integration_id'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (due === undefined) return undefined;
  return tx.db
    .updateTable('tool_polls')
    .set({ due_at: until, lease })
    .where('site_id', '=', due.site_id)
    .where('integration_id', '=', due.integration_id)
    .returningAll()
    .executeTakeFirst();
}

/** Changes a claim while it is still the process's own. */
export async function updateClaim(
  global: GlobalDb,
  claim: PollRow,
  changes: { due_at: Date; lease?: null },
): Promise<void> {
  await global.db
    .updateTable('tool_polls')
    .set(changes)
    .where('site_id', '=', claim.site_id)
    .where('integration_id', '=', claim.integration_id)
    .where('lease', '=', claim.lease)
    .execute();
}

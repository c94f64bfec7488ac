import type { Selectable } from 'kysely';
import type { GlobalTables, ScheduledTaskKind } from '#db/tables.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';

export type ScheduledTaskRow = Selectable<GlobalTables['scheduled_tasks']>;

/** From now on it is done from time to time; one that is already is done at once, unless a process is at it. */
export async function scheduleTask(
  site: SiteDb,
  integrationId: string,
  kind: ScheduledTaskKind,
  dueAt: Date,
): Promise<void> {
  await site.db
    .insertInto('scheduled_tasks')
    .values({ site_id: site.id, integration_id: integrationId, kind, due_at: dueAt, lease: null })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id', 'kind'])
        .doUpdateSet({ due_at: dueAt })
        .where('scheduled_tasks.lease', 'is', null),
    )
    .execute();
}

/** Makes it due now, even while a process runs it: the rest of that turn then overlaps with the next one. */
export async function expediteTask(
  site: SiteDb,
  integrationId: string,
  kind: ScheduledTaskKind,
  now: Date,
): Promise<void> {
  await site.db
    .insertInto('scheduled_tasks')
    .values({ site_id: site.id, integration_id: integrationId, kind, due_at: now, lease: null })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'integration_id', 'kind']).doUpdateSet({ due_at: now, lease: null }),
    )
    .execute();
}

/** @param kind absent: all of the integration */
export async function unscheduleTasks(
  site: SiteDb,
  integrationId: string,
  kind?: ScheduledTaskKind,
): Promise<void> {
  let end = site.db
    .deleteFrom('scheduled_tasks')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId);
  if (kind !== undefined) end = end.where('kind', '=', kind);
  await end.execute();
}

/** Claims the one that is due longest, for this process only until `until`; undefined when none is due. */
export async function claimDueTask(
  tx: GlobalDb,
  { kind, now, until, lease }: { kind: ScheduledTaskKind; now: Date; until: Date; lease: string },
): Promise<ScheduledTaskRow | undefined> {
  const due = await tx.db
    .selectFrom('scheduled_tasks')
    .select(['site_id', 'integration_id'])
    .where('kind', '=', kind)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (due === undefined) return undefined;
  return tx.db
    .updateTable('scheduled_tasks')
    .set({ due_at: until, lease })
    .where('site_id', '=', due.site_id)
    .where('integration_id', '=', due.integration_id)
    .where('kind', '=', kind)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Changes a row while it is claimed by this lease.
 * @returns whether it still is
 */
export async function updateClaimedTask(
  global: GlobalDb,
  claimed: ScheduledTaskRow,
  changes: Partial<ScheduledTaskRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await global.db
    .updateTable('scheduled_tasks')
    .set(changes)
    .where('site_id', '=', claimed.site_id)
    .where('integration_id', '=', claimed.integration_id)
    .where('kind', '=', claimed.kind)
    .where('lease', '=', claimed.lease)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes those that are due after `latest` due now. */
export async function pullBackTasks(
  global: GlobalDb,
  { kind, latest, now }: { kind: ScheduledTaskKind; latest: Date; now: Date },
): Promise<void> {
  await global.db
    .updateTable('scheduled_tasks')
    .set({ due_at: now })
    .where('kind', '=', kind)
    .where('due_at', '>', latest)
    .execute();
}

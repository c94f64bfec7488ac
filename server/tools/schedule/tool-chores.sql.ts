import type { Selectable } from 'kysely';
import type { GlobalTables, ToolChore } from '#db/tables.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';

export type ChoreRow = Selectable<GlobalTables['tool_chores']>;

/** From now on it is done from time to time; one that is already is done at once, unless a process is at it. */
export async function beginChore(
  site: SiteDb,
  integrationId: string,
  kind: ToolChore,
  dueAt: Date,
): Promise<void> {
  await site.db
    .insertInto('tool_chores')
    .values({ site_id: site.id, integration_id: integrationId, kind, due_at: dueAt, lease: null })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id', 'kind'])
        .doUpdateSet({ due_at: dueAt })
        .where('tool_chores.lease', 'is', null),
    )
    .execute();
}

/** Makes it due now, whoever is at it: what they do after this they do beside the next turn. */
export async function hurryChore(
  site: SiteDb,
  integrationId: string,
  kind: ToolChore,
  now: Date,
): Promise<void> {
  await site.db
    .insertInto('tool_chores')
    .values({ site_id: site.id, integration_id: integrationId, kind, due_at: now, lease: null })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'integration_id', 'kind']).doUpdateSet({ due_at: now, lease: null }),
    )
    .execute();
}

/** @param kind absent: all of the integration */
export async function endChores(site: SiteDb, integrationId: string, kind?: ToolChore): Promise<void> {
  let end = site.db
    .deleteFrom('tool_chores')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId);
  if (kind !== undefined) end = end.where('kind', '=', kind);
  await end.execute();
}

/** Takes the one that waits longest, for this process alone until `until`; undefined when none is due. */
export async function claimDueChore(
  tx: GlobalDb,
  { kind, now, until, lease }: { kind: ToolChore; now: Date; until: Date; lease: string },
): Promise<ChoreRow | undefined> {
  const due = await tx.db
    .selectFrom('tool_chores')
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
    .updateTable('tool_chores')
    .set({ due_at: until, lease })
    .where('site_id', '=', due.site_id)
    .where('integration_id', '=', due.integration_id)
    .where('kind', '=', kind)
    .returningAll()
    .executeTakeFirst();
}

/** Changes a claim while it is still the process's own. */
export async function updateClaim(
  global: GlobalDb,
  claim: ChoreRow,
  changes: { due_at: Date; lease?: null },
): Promise<void> {
  await global.db
    .updateTable('tool_chores')
    .set(changes)
    .where('site_id', '=', claim.site_id)
    .where('integration_id', '=', claim.integration_id)
    .where('kind', '=', claim.kind)
    .where('lease', '=', claim.lease)
    .execute();
}

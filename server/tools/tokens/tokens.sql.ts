import type { GlobalDb, SiteDb } from '#server/platform/database.ts';

export interface TokensKey {
  siteId: string;
  integrationId: string;
}

/**
 * Resets the lease, in the transaction that saves the tokens.
 * @param renewAt null: they do not expire
 */
export async function saveRenewal(site: SiteDb, integrationId: string, renewAt: Date | null): Promise<void> {
  await site.db
    .insertInto('token_renewals')
    .values({
      site_id: site.id,
      integration_id: integrationId,
      renew_at: renewAt,
      lease: null,
      locked_until: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id'])
        .doUpdateSet({ renew_at: renewAt, lease: null, locked_until: null }),
    )
    .execute();
}

export async function deleteRenewal(site: SiteDb, integrationId: string): Promise<void> {
  await site.db
    .deleteFrom('token_renewals')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .execute();
}

/** Acquires the renewal lease; false while another process holds it, or during a backoff. */
export async function claimRenewal(
  global: GlobalDb,
  { siteId, integrationId }: TokensKey,
  { now, until, lease }: { now: Date; until: Date; lease: string },
): Promise<boolean> {
  const row = await global.db
    .updateTable('token_renewals')
    .set({ lease, locked_until: until })
    .where('site_id', '=', siteId)
    .where('integration_id', '=', integrationId)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', now)]))
    .returning('lease')
    .executeTakeFirst();
  return row !== undefined;
}

/** End of the backoff after a failure; null if there is none. */
export async function backoffUntil(
  global: GlobalDb,
  { siteId, integrationId }: TokensKey,
  now: Date,
): Promise<Date | null> {
  const row = await global.db
    .selectFrom('token_renewals')
    .select('locked_until')
    .where('site_id', '=', siteId)
    .where('integration_id', '=', integrationId)
    .where('lease', 'is', null)
    .where('locked_until', '>', now)
    .executeTakeFirst();
  return row?.locked_until ?? null;
}

/**
 * Releases the lease if it is still held.
 * @param until end of the backoff; null: none
 */
export async function releaseRenewal(
  global: GlobalDb,
  { siteId, integrationId }: TokensKey,
  lease: string,
  changes: { locked_until: Date | null; renew_at?: Date },
): Promise<void> {
  await global.db
    .updateTable('token_renewals')
    .set({ lease: null, ...changes })
    .where('site_id', '=', siteId)
    .where('integration_id', '=', integrationId)
    .where('lease', '=', lease)
    .execute();
}

/** Postpones a due renewal that nobody has leased. */
export async function postponeRenewal(
  global: GlobalDb,
  { siteId, integrationId }: TokensKey,
  until: Date,
): Promise<void> {
  await global.db
    .updateTable('token_renewals')
    .set({ renew_at: until })
    .where('site_id', '=', siteId)
    .where('integration_id', '=', integrationId)
    .where('lease', 'is', null)
    .where('renew_at', '<', until)
    .execute();
}

/** Due renewals without a lease, the longest overdue first. */
export async function dueRenewals(global: GlobalDb, now: Date, atMost: number): Promise<TokensKey[]> {
  return global.db
    .selectFrom('token_renewals')
    .select(['site_id as siteId', 'integration_id as integrationId'])
    .where('renew_at', '<=', now)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', now)]))
    .orderBy('renew_at')
    .limit(atMost)
    .execute();
}

import { type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { insertStatements } from '#server/platform/row-statements.ts';

export type KnownOptOutRow = Omit<Selectable<TenantTables['known_opt_outs']>, 'site_id'>;

export async function knownOptOutsOf(
  site: SiteDb,
  integrationId: string,
  recordHashes: readonly Buffer[],
): Promise<KnownOptOutRow[]> {
  return site.db
    .selectFrom('known_opt_outs')
    .select(['integration_id', 'record_hash', 'address_hash', 'known_at'])
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(sql<boolean>`record_hash = any(${[...recordHashes]}::bytea[])`)
    .execute();
}

export const saveKnownOptOuts = insertStatements<KnownOptOutRow>(
  'known_opt_outs',
  ['integration_id', 'record_hash', 'address_hash', 'known_at'],
  `on conflict (site_id, integration_id, record_hash)
   do update set address_hash = excluded.address_hash, known_at = excluded.known_at`,
);

export async function forgetOptOuts(
  site: SiteDb,
  integrationId: string,
  recordHashes: readonly Buffer[],
): Promise<void> {
  await site.db
    .deleteFrom('known_opt_outs')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(sql<boolean>`record_hash = any(${[...recordHashes]}::bytea[])`)
    .execute();
}

import { sql } from 'kysely';
import { insertStatements } from '#server/platform/row-statements.ts';
import type { SiteDb } from '#server/platform/database.ts';

export interface FormerAddressRow {
  address_hash: Buffer;
  customer_id: string;
  moved_at: Date;
}

export const insertFormerAddresses = insertStatements<FormerAddressRow>(
  'former_addresses',
  ['address_hash', 'customer_id', 'moved_at'],
  `on conflict (site_id, address_hash, customer_id) do update set moved_at = excluded.moved_at`,
);

export async function customersWhoHad(
  site: SiteDb,
  addressHashes: readonly Buffer[],
): Promise<Pick<FormerAddressRow, 'customer_id' | 'moved_at'>[]> {
  return site.db
    .selectFrom('former_addresses')
    .select(['customer_id', 'moved_at'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`address_hash = any(${[...addressHashes]}::bytea[])`)
    .orderBy('moved_at', 'desc')
    .execute();
}

export async function deleteFormerAddressesOf(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .deleteFrom('former_addresses')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

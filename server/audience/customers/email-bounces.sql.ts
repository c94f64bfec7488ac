import type { Selectable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type BounceRow = Selectable<TenantTables['email_bounces']>;

export async function findBounce(
  site: SiteDb,
  customerId: string,
  emailKey: string,
): Promise<BounceRow | undefined> {
  return site.db
    .selectFrom('email_bounces')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('email_key', '=', emailKey)
    .executeTakeFirst();
}

export async function replaceBounce(site: SiteDb, row: Omit<BounceRow, 'site_id'>): Promise<void> {
  const { email_key, status, reply, bounced_at } = row;
  await site.db
    .insertInto('email_bounces')
    .values({ ...row, site_id: site.id })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'customer_id']).doUpdateSet({ email_key, status, reply, bounced_at }),
    )
    .execute();
}

export async function deleteBounceOf(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .deleteFrom('email_bounces')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

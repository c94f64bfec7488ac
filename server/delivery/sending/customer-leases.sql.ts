import { type RawBuilder, sql } from 'kysely';
import type { SiteDb } from '#server/platform/database.ts';

export interface CustomerLease {
  customerId: string;
  /** The holder: a run of a delivery, or another task with this customer. */
  run: string;
}

/**
 * Acquires the leases of these customers in a tool; at most one holder per customer and tool.
 * @returns the customers whose lease was acquired
 */
export async function acquireLeases(
  site: SiteDb,
  integrationId: string,
  turns: readonly CustomerLease[],
  { now, until }: { now: Date; until: Date },
): Promise<string[]> {
  const values = turns
    // Two processes that take some of the same wait for each other in one order.
    .toSorted((one, other) => (one.customerId < other.customerId ? -1 : 1))
    .map(({ customerId, run }) => ({
      site_id: site.id,
      integration_id: integrationId,
      customer_id: customerId,
      holder_id: run,
      expires_at: until,
    }));
  const rows = await site.db
    .insertInto('customer_leases')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id', 'customer_id'])
        .doUpdateSet({
          holder_id: sql<string>`excluded.holder_id`,
          expires_at: sql<Date>`excluded.expires_at`,
        })
        .where((eb) =>
          eb.or([
            eb('customer_leases.expires_at', '<', now),
            eb('customer_leases.holder_id', '=', sql<string>`excluded.holder_id`),
          ]),
        ),
    )
    .returning('customer_id')
    .execute();
  return rows.map(({ customer_id }) => customer_id);
}

/** Renews only leases that are still held: released leases, and those acquired by others, are left alone. */
export async function renewLeases(
  site: SiteDb,
  integrationId: string,
  turns: readonly CustomerLease[],
  until: Date,
): Promise<void> {
  await site.db
    .updateTable('customer_leases')
    .set({ expires_at: until })
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(isHeld(turns))
    .execute();
}

export async function releaseLeases(
  site: SiteDb,
  integrationId: string,
  turns: readonly CustomerLease[],
): Promise<void> {
  await site.db
    .deleteFrom('customer_leases')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(isHeld(turns))
    .execute();
}

function isHeld(turns: readonly CustomerLease[]): RawBuilder<boolean> {
  const customers = turns.map(({ customerId }) => customerId);
  const runs = turns.map(({ run }) => run);
  return sql<boolean>`customer_id = any(${customers}::uuid[]) and holder_id = any(${runs}::uuid[])`;
}

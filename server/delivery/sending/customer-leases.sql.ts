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
      delivery_id: run,
      until,
    }));
  const rows = await site.db
    .insertInto('tool_turns')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id', 'customer_id'])
        .doUpdateSet({
          delivery_id: sql<string>`excluded.delivery_id`,
          until: sql<Date>`excluded.until`,
        })
        .where((eb) =>
          eb.or([
            eb('tool_turns.until', '<', now),
            eb('tool_turns.delivery_id', '=', sql<string>`excluded.delivery_id`),
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
    .updateTable('tool_turns')
    .set({ until })
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
    .deleteFrom('tool_turns')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(isHeld(turns))
    .execute();
}

function isHeld(turns: readonly CustomerLease[]): RawBuilder<boolean> {
  const customers = turns.map(({ customerId }) => customerId);
  const runs = turns.map(({ run }) => run);
  return sql<boolean>`customer_id = any(${customers}::uuid[]) and delivery_id = any(${runs}::uuid[])`;
}

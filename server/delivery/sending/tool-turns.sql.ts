import { type RawBuilder, sql } from 'kysely';
import type { SiteDb } from '#server/platform/database.ts';

export interface Turn {
  customerId: string;
  /** Whose it is: a run of a delivery, or what else is done with the customer there. */
  run: string;
}

/**
 * Takes the one turn that each of these customers has in a tool.
 * @returns whose turn it is now; that of the others is somebody else's
 */
export async function takeTurns(
  site: SiteDb,
  integrationId: string,
  turns: readonly Turn[],
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

/** Only while they are still held: turns that were given back, or taken by others since, are left alone. */
export async function renewTurns(
  site: SiteDb,
  integrationId: string,
  turns: readonly Turn[],
  until: Date,
): Promise<void> {
  await site.db
    .updateTable('tool_turns')
    .set({ until })
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(held(turns))
    .execute();
}

export async function giveTurnsBack(
  site: SiteDb,
  integrationId: string,
  turns: readonly Turn[],
): Promise<void> {
  await site.db
    .deleteFrom('tool_turns')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where(held(turns))
    .execute();
}

function held(turns: readonly Turn[]): RawBuilder<boolean> {
  const customers = turns.map(({ customerId }) => customerId);
  const runs = turns.map(({ run }) => run);
  return sql<boolean>`customer_id = any(${customers}::uuid[]) and delivery_id = any(${runs}::uuid[])`;
}

import { sql } from 'kysely';
import type { SiteDb } from '#server/platform/database.ts';

interface Turn {
  integrationId: string;
  customerId: string;
  /** Whose it is: a run of a delivery, or what else is done with the customer there. */
  deliveryId: string;
}

/** Takes the one turn that a customer has in a tool; false while somebody else has it. */
export async function takeTurn(
  site: SiteDb,
  { integrationId, customerId, deliveryId }: Turn,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const row = await site.db
    .insertInto('tool_turns')
    .values({
      site_id: site.id,
      integration_id: integrationId,
      customer_id: customerId,
      delivery_id: deliveryId,
      until,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'integration_id', 'customer_id'])
        .doUpdateSet({ delivery_id: deliveryId, until })
        .where((eb) =>
          eb.or([
            eb('tool_turns.until', '<', now),
            eb('tool_turns.delivery_id', '=', sql<string>`excluded.delivery_id`),
          ]),
        ),
    )
    .returning('delivery_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Only while it is still held: a turn that was given back, or taken by others since, is left alone. */
export async function renewTurn(
  site: SiteDb,
  { integrationId, customerId, deliveryId }: Turn,
  until: Date,
): Promise<void> {
  await site.db
    .updateTable('tool_turns')
    .set({ until })
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('customer_id', '=', customerId)
    .where('delivery_id', '=', deliveryId)
    .execute();
}

export async function giveTurnBack(
  site: SiteDb,
  { integrationId, customerId, deliveryId }: Turn,
): Promise<void> {
  await site.db
    .deleteFrom('tool_turns')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('customer_id', '=', customerId)
    .where('delivery_id', '=', deliveryId)
    .execute();
}

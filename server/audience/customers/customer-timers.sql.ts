import { type Selectable, sql } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb, SiteDb, Statement } from '#server/platform/database.ts';

export type CustomerTimerRow = Selectable<GlobalTables['customer_timers']>;
export type CustomerTimerKind = CustomerTimerRow['kind'];

/** Sets a timer of a customer, or moves the one of its kind: with `soonest`, only to an earlier time. */
export function setCustomerTimer(
  site: SiteDb,
  input: { customerId: string; kind: CustomerTimerKind; dueAt: Date; now: Date; soonest?: boolean },
): Statement {
  return site.db
    .insertInto('customer_timers')
    .values({
      site_id: site.id,
      customer_id: input.customerId,
      kind: input.kind,
      due_at: input.dueAt,
      created_at: input.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'customer_id', 'kind']).doUpdateSet((eb) => {
        const dueAt = eb.ref('excluded.due_at');
        return {
          due_at: input.soonest === true ? sql`least(${eb.ref('customer_timers.due_at')}, ${dueAt})` : dueAt,
        };
      }),
    )
    .compile();
}

/** What is due on all sites, the longest due first. */
export async function dueTimers(
  global: GlobalDb,
  { now, limit, kind }: { now: Date; limit: number; kind?: CustomerTimerKind | undefined },
): Promise<CustomerTimerRow[]> {
  let select = global.db
    .selectFrom('customer_timers')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  if (kind !== undefined) select = select.where('kind', '=', kind);
  return select.execute();
}

/** Pauses that end after `latest`, on all sites. */
export async function pausesBeyond(
  global: GlobalDb,
  latest: Date,
  limit: number,
): Promise<CustomerTimerRow[]> {
  return global.db
    .selectFrom('customer_timers')
    .selectAll()
    .where('due_at', '>', latest)
    .where('kind', '=', 'resume')
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

/** Deletes a timer that has run, unless it was moved meanwhile. */
export async function deleteTimer(global: GlobalDb, timer: CustomerTimerRow): Promise<void> {
  await global.db
    .deleteFrom('customer_timers')
    .where('site_id', '=', timer.site_id)
    .where('customer_id', '=', timer.customer_id)
    .where('kind', '=', timer.kind)
    .where('due_at', '=', timer.due_at)
    .execute();
}

/** Puts a due timer off, unless it was moved meanwhile. */
export async function moveTimer(global: GlobalDb, timer: CustomerTimerRow, dueAt: Date): Promise<void> {
  await global.db
    .updateTable('customer_timers')
    .set({ due_at: dueAt })
    .where('site_id', '=', timer.site_id)
    .where('customer_id', '=', timer.customer_id)
    .where('kind', '=', timer.kind)
    .where('due_at', '=', timer.due_at)
    .execute();
}

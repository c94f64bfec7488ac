import type { Selectable } from 'kysely';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb, SiteDb, Statement } from '#server/platform/database.ts';

export type AppointmentRow = Selectable<GlobalTables['appointments']>;
export type AppointmentKind = AppointmentRow['kind'];

/** Makes an appointment with a customer, or moves the one of its kind. */
export function appointment(
  site: SiteDb,
  input: { customerId: string; kind: AppointmentKind; dueAt: Date; now: Date },
): Statement {
  return site.db
    .insertInto('appointments')
    .values({
      site_id: site.id,
      customer_id: input.customerId,
      kind: input.kind,
      due_at: input.dueAt,
      created_at: input.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'customer_id', 'kind'])
        .doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at') })),
    )
    .compile();
}

/** What is due on all sites, the longest due first. */
export async function dueAppointments(
  global: GlobalDb,
  { now, limit, kind }: { now: Date; limit: number; kind?: AppointmentKind | undefined },
): Promise<AppointmentRow[]> {
  let select = global.db
    .selectFrom('appointments')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  if (kind !== undefined) select = select.where('kind', '=', kind);
  return select.execute();
}

/** Forgets a kept appointment, unless it was moved meanwhile. */
export async function deleteAppointment(global: GlobalDb, kept: AppointmentRow): Promise<void> {
  await global.db
    .deleteFrom('appointments')
    .where('site_id', '=', kept.site_id)
    .where('customer_id', '=', kept.customer_id)
    .where('kind', '=', kept.kind)
    .where('due_at', '=', kept.due_at)
    .execute();
}

/** Puts a due appointment off, unless it was moved meanwhile. */
export async function moveAppointment(global: GlobalDb, kept: AppointmentRow, dueAt: Date): Promise<void> {
  await global.db
    .updateTable('appointments')
    .set({ due_at: dueAt })
    .where('site_id', '=', kept.site_id)
    .where('customer_id', '=', kept.customer_id)
    .where('kind', '=', kept.kind)
    .where('due_at', '=', kept.due_at)
    .execute();
}

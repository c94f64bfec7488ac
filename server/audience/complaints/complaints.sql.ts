import { type Insertable, type Selectable, sql } from 'kysely';
import type { ComplaintOutcome, ComplaintState } from '#contract/complaints.ts';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ComplaintRow = Selectable<TenantTables['complaints']>;

/** With the address that the customer has now. */
export type ListedComplaintRow = ComplaintRow & { email: string | null };

function complaints(site: SiteDb) {
  return site.db
    .selectFrom('complaints')
    .innerJoin('customers', (join) =>
      join
        .onRef('customers.site_id', '=', 'complaints.site_id')
        .onRef('customers.id', '=', 'complaints.customer_id'),
    )
    .selectAll('complaints')
    .select('customers.email')
    .where('complaints.site_id', '=', site.id)
    .where('customers.site_id', '=', site.id);
}

export async function insertComplaint(
  site: SiteDb,
  complaint: Omit<Insertable<TenantTables['complaints']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('complaints')
    .values({ ...complaint, site_id: site.id })
    .execute();
}

/** Open ones from the oldest, others from the newest; one more than the limit if there are more. */
export async function searchComplaints(
  site: SiteDb,
  filter: { state: ComplaintState | null; customerId: string | null },
  { after, limit }: { after: string | null; limit: number },
): Promise<ListedComplaintRow[]> {
  const isOpen = filter.state === 'open';
  const order = isOpen ? 'asc' : 'desc';
  // Before customers are joined, so that the page is read in the order of the index.
  let ids = site.db
    .selectFrom('complaints')
    .select('complaints.id')
    .where('complaints.site_id', '=', site.id)
    .orderBy('complaints.id', order)
    .limit(limit + 1);
  if (after !== null) ids = ids.where('complaints.id', isOpen ? '>' : '<', after);
  if (filter.customerId !== null) ids = ids.where('complaints.customer_id', '=', filter.customerId);
  if (filter.state !== null) ids = ids.where('complaints.closed_at', isOpen ? 'is' : 'is not', null);
  return complaints(site).where('complaints.id', 'in', ids).orderBy('complaints.id', order).execute();
}

export async function findComplaint(site: SiteDb, id: string): Promise<ListedComplaintRow | undefined> {
  return complaints(site).where('complaints.id', '=', id).executeTakeFirst();
}

/** A customer's own ones, the newest first. */
export async function complaintsOfCustomer(
  site: SiteDb,
  customerId: string,
  { onlyOpen }: { onlyOpen: boolean },
): Promise<ComplaintRow[]> {
  let select = site.db
    .selectFrom('complaints')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .orderBy('id', 'desc');
  if (onlyOpen) select = select.where('closed_at', 'is', null);
  return select.execute();
}

/** @returns whether it was open */
export async function closeComplaint(
  site: SiteDb,
  id: string,
  { outcome, answer, now }: { outcome: ComplaintOutcome; answer: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await site.db
    .updateTable('complaints')
    .set({ outcome, answer_sealed: answer, closed_at: now })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Moment = 'acknowledged_at' | 'notified_at' | 'reminded_at';

/**
 * Writes down when something was done about a complaint.
 * @returns whether nobody had before
 */
export async function markComplaint(site: SiteDb, id: string, moment: Moment, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await site.db
    .updateTable('complaints')
    .set({ [moment]: now })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where(moment, 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** It failed, and is still to be done. */
export async function unmarkComplaint(site: SiteDb, id: string, moment: Moment): Promise<void> {
  await site.db
    .updateTable('complaints')
    .set({ [moment]: null })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .execute();
}

/** What was said goes; that there was a complaint stays, with its times. */
export async function eraseComplaintsOf(site: SiteDb, customerId: string, now: Date): Promise<void> {
  await site.db
    .updateTable('complaints')
    .set((eb) => ({
      text_sealed: null,
      answer_sealed: null,
      closed_at: eb.fn.coalesce('closed_at', eb.val(now)),
      outcome: sql<'erased'>`coalesce(${eb.ref('outcome')}, 'erased')`,
    }))
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

export async function countOpenComplaints(
  site: SiteDb,
  now: Date,
): Promise<{ open: number; overdue: number; next_due_at: Date | null }> {
  const row = await site.db
    .selectFrom('complaints')
    .select((eb) => [
      eb.fn.countAll<string>().as('open'),
      eb.fn.countAll<string>().filterWhere('due_at', '<', now).as('overdue'),
      eb.fn.min('due_at').as('next_due_at'),
    ])
    .where('site_id', '=', site.id)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { open: Number(row.open), overdue: Number(row.overdue), next_due_at: row.next_due_at };
}

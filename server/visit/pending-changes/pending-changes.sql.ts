import { type Insertable, type Selectable, sql } from 'kysely';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { TenantTables } from '#db/tables.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { Reversal } from '#server/choices/choices/reversals.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';

export type PendingRow = Selectable<TenantTables['pending_changes']>;

/** Replaces a pending change of the same kind, which invalidates its link. */
export function replacePending(
  site: SiteDb,
  pending: Omit<Insertable<TenantTables['pending_changes']>, 'site_id'>,
): Statement {
  return site.db
    .insertInto('pending_changes')
    .values({ ...pending, site_id: site.id })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'customer_id', 'kind']).doUpdateSet((eb) => ({
        id: eb.ref('excluded.id'),
        save_id: eb.ref('excluded.save_id'),
        sequence: eb.ref('excluded.sequence'),
        change_sealed: eb.ref('excluded.change_sealed'),
        requested: eb.ref('excluded.requested'),
        expires_at: eb.ref('excluded.expires_at'),
        list_ids: eb.ref('excluded.list_ids'),
      })),
    )
    .compile();
}

/** Cancels what a customer has not confirmed of these lists; null: of all lists. */
export function cancelSubscribe(
  site: SiteDb,
  customerId: string,
  listIds: readonly string[] | null,
): Statement {
  if (listIds === null) {
    return site.db
      .deleteFrom('pending_changes')
      .where('site_id', '=', site.id)
      .where('customer_id', '=', customerId)
      .where('kind', '=', 'subscribe')
      .compile();
  }
  const left = listIds.reduce((rest, id) => sql`array_remove(${rest}, ${id}::uuid)`, sql`list_ids`);
  return site.db
    .updateTable('pending_changes')
    .set({ list_ids: sql<string[]>`${left}` })
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('kind', '=', 'subscribe')
    .where(sql<boolean>`list_ids && ${[...listIds]}::uuid[]`)
    .compile();
}

export function deletePending(site: SiteDb, customerId: string, id: string): Statement {
  return site.db
    .deleteFrom('pending_changes')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .compile();
}

export async function pendingOfCustomer(site: SiteDb, customerId: string): Promise<PendingRow[]> {
  return site.db
    .selectFrom('pending_changes')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .orderBy('kind', 'desc')
    .execute();
}

export async function findPending(
  site: SiteDb,
  customerId: string,
  kind: PendingKind,
): Promise<PendingRow | undefined> {
  return site.db
    .selectFrom('pending_changes')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** @returns when the next of the others expires; null: there are none */
export async function deleteExpired(site: SiteDb, customerId: string, now: Date): Promise<Date | null> {
  await site.db
    .deleteFrom('pending_changes')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('expires_at', '<=', now)
    .execute();
  const left = await site.db
    .selectFrom('pending_changes')
    .select('expires_at')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .orderBy('expires_at')
    .limit(1)
    .executeTakeFirst();
  return left?.expires_at ?? null;
}

export async function deletePendingOf(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .deleteFrom('pending_changes')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

/** The customer's choices after the one with this sequence number. */
export async function choicesAfter(
  site: SiteDb,
  customerId: string,
  sequence: number,
): Promise<Pick<ChoiceRow, 'source' | 'events' | 'lists'>[]> {
  return site.db
    .selectFrom('choices')
    .select(['source', 'events', 'lists'])
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('sequence', '>', sequence)
    .execute();
}

/** Did the customer leave again all that a choice had brought back? */
export async function hasLeftAgain(
  site: SiteDb,
  { customerId, choiceId, everything, listIds }: { customerId: string; choiceId: string } & Reversal,
): Promise<boolean> {
  const choice = await site.db
    .selectFrom('choices')
    .select('sequence')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('id', '=', choiceId)
    .executeTakeFirst();
  if (choice === undefined) return false;
  const since = await choicesAfter(site, customerId, choice.sequence);
  if (since.some(({ events }) => events.includes('global_unsubscribed'))) return true;
  const left = since.flatMap(({ lists }) => lists.filter(({ subscribed }) => !subscribed));
  return !everything && listIds.every((id) => left.some(({ list_id }) => list_id === id));
}

/** The sequence number of the choice that a save with this id made. */
export async function sequenceOfSave(
  site: SiteDb,
  customerId: string,
  saveId: string,
): Promise<number | undefined> {
  const row = await site.db
    .selectFrom('choices')
    .select('sequence')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('save_id', '=', saveId)
    .executeTakeFirst();
  return row?.sequence;
}

/** A choice that resubscribed a customer, and the end of their pause before it. */
export async function resubscribeOfChoice(
  site: SiteDb,
  customerId: string,
  choiceId: string,
): Promise<(Pick<ChoiceRow, 'events' | 'lists'> & { paused_before: Date | null }) | undefined> {
  const choice = await site.db
    .selectFrom('choices')
    .select(['sequence', 'events', 'lists'])
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('id', '=', choiceId)
    .executeTakeFirst();
  if (choice === undefined) return undefined;
  const before = await site.db
    .selectFrom('choices')
    .select('paused_until')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .where('sequence', '=', choice.sequence - 1)
    .executeTakeFirst();
  return { events: choice.events, lists: choice.lists, paused_before: before?.paused_until ?? null };
}

import type { PendingChange } from '#contract/pending-changes.ts';
import type { CustomerTimerRow } from '#server/audience/customers/customer-timers.ts';
import { requireCustomer } from '#server/audience/customers/customers.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import type { ChoiceChange } from '#server/choices/choices/choices.ts';
import type { Reversal } from '#server/choices/choices/reversals.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { openText, sealText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { choicesAfter, deleteExpired, pendingOfCustomer, type PendingRow } from './pending-changes.sql.ts';

/** A change that awaits confirmation. The key `wish` is part of the stored format. */
export type HeldChange =
  | ({ kind: 'resubscribe' | 'subscribe' } & Reversal)
  | { kind: 'email_change'; email: string };

/** What the customer's confirmation changes. */
export function changeOfHeld(held: HeldChange): ChoiceChange {
  if (held.kind === 'email_change') return { email: held.email };
  const lists = held.listIds.map((id) => ({ list_id: id, subscribed: true }));
  return { lists, ...(held.everything ? { globalUnsubscribe: false } : {}) };
}

interface Sealed {
  wish: HeldChange;
  userAgent: string | null;
}

const purposeOf = (siteId: string) => `pending-change:${siteId}`;

export function seal({ keyring }: Services, siteId: string, content: Sealed): string {
  return sealText(keyring, purposeOf(siteId), JSON.stringify(content));
}

/** null if it was not sealed for this site with these keys. */
function openPending({ keyring }: Services, row: PendingRow): Sealed | null {
  const text = openText(keyring, purposeOf(row.site_id), row.change_sealed);
  return text === null ? null : (JSON.parse(text) as Sealed);
}

/**
 * A later opt-out cancels a pending resubscribe to the same thing; a later address change cancels an earlier one, and a
 * subscription that the mailbox before it was to confirm.
 */
async function isCancelled(site: SiteDb, row: PendingRow, change: HeldChange): Promise<boolean> {
  const since = await choicesAfter(site, row.customer_id, row.sequence);
  if (change.kind === 'email_change') return since.some(({ events }) => events.includes('email_changed'));
  if (change.kind === 'subscribe' && since.some(({ events }) => events.includes('email_changed')))
    return true;
  const wanted = new Set(change.listIds);
  return since.some(
    ({ events, lists }) =>
      events.includes('global_unsubscribed') ||
      lists.some((list) => !list.subscribed && wanted.has(list.list_id)),
  );
}

/** The change, while it can still be confirmed; null if it has expired or was cancelled. */
export async function changeOfPending(
  services: Services,
  site: SiteDb,
  row: PendingRow,
): Promise<Sealed | null> {
  if (row.expires_at <= services.clock.now()) return null;
  const opened = openPending(services, row);
  if (opened === null) return null;
  const wish = stillWanted(opened.wish, row.list_ids);
  if (wish === null || (await isCancelled(site, row, wish))) return null;
  return { ...opened, wish };
}

/** Without the lists that were switched off again while they waited; null if none remain. */
function stillWanted(change: HeldChange, listIds: readonly string[] | null): HeldChange | null {
  if (change.kind === 'email_change' || listIds === null) return change;
  const left = change.listIds.filter((id) => listIds.includes(id));
  return change.everything || left.length > 0 ? { ...change, listIds: left } : null;
}

async function livePending(services: Services, site: SiteDb, customerId: string) {
  const rows = await pendingOfCustomer(site, customerId);
  const opened = await Promise.all(
    rows.map(async (row) => ({ row, opened: await changeOfPending(services, site, row) })),
  );
  return opened.flatMap((one) => (one.opened === null ? [] : [{ row: one.row, wish: one.opened.wish }]));
}

/** The pending changes that the page shows beside the customer's state. */
export async function pendingChangesOf(
  services: Services,
  siteId: string,
  served: ServedPage,
  customerId: string,
): Promise<PendingChange[]> {
  const { attrs, lists } = served.page;
  if (!attrs.confirm_changes && !lists.some((list) => list.double_opt_in)) return [];
  const alive = await services.database.readSite(siteId, (site) => livePending(services, site, customerId));
  return alive.map(({ row: { kind, expires_at: until }, wish }) => ({
    kind,
    until: until.toISOString(),
    ...(wish.kind !== 'email_change' && { list_ids: wish.listIds }),
  }));
}

/** The same for owners, with the requester and the change. @throws AppError `not_found` */
export async function listPendingChanges(services: Services, siteId: string, customerId: string) {
  const { alive, lists } = await services.database.readSite(siteId, async (site) => {
    await requireCustomer(site, customerId);
    return { alive: await livePending(services, site, customerId), lists: await allLists(site) };
  });
  const results = alive.map(({ row: { kind, expires_at: until, requested }, wish: change }) => ({
    kind,
    until: until.toISOString(),
    requested_at: requested.at,
    ip: requested.ip,
    everything: change.kind !== 'email_change' && change.everything,
    lists:
      change.kind !== 'email_change'
        ? lists.filter(({ id }) => change.listIds.includes(id)).map(({ id, name }) => ({ list_id: id, name }))
        : [],
    email: change.kind === 'email_change' ? change.email : null,
  }));
  return { results, next: null };
}

/** Run by the timer: deletes changes that were not confirmed in time. @returns when to run it again */
export async function deleteExpiredPending(
  services: Services,
  { site_id, customer_id }: CustomerTimerRow,
): Promise<Date | null> {
  return services.database.inSite(site_id, (site) => deleteExpired(site, customer_id, services.clock.now()));
}

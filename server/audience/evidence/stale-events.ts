import type { CustomerRow } from '#server/audience/customers/customers.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { lastChoiceWith, listsChosenAt } from './evidence.sql.ts';

/** When a person did something in a tool, and what it was about. */
export interface ToolMoment {
  at: Date;
  about: 'everything' | 'address' | { listId: string };
}

/** Tools tell seconds. Within the same one nobody knows what was first, and the opt-out wins. */
export function isEarlier(one: Date, other: Date): boolean {
  return Math.floor(one.getTime() / 1000) < Math.floor(other.getTime() / 1000);
}

async function lastChoiceAbout(
  site: SiteDb,
  customerId: string,
  about: ToolMoment['about'],
): Promise<Date | null> {
  if (about === 'address') return lastChoiceWith(site, customerId, ['email_changed', 'customer_created']);
  // A pause that ends is not a choice.
  if (about === 'everything') return lastChoiceWith(site, customerId, ['global_resubscribed'], 'pause_end');
  return (await listsChosenAt(site, customerId)).get(about.listId) ?? null;
}

/** Has the person chosen otherwise after that moment? */
export async function hasChosenSince(
  site: SiteDb,
  customerId: string,
  { at, about }: ToolMoment,
): Promise<boolean> {
  const back = await lastChoiceAbout(site, customerId, about);
  return back !== null && isEarlier(at, back);
}

/** Is the customer on a pause, and was it chosen before that moment (or in the same second)? */
export async function wasPausedBefore(
  site: SiteDb,
  customer: Pick<CustomerRow, 'id' | 'paused_until'>,
  at: Date,
): Promise<boolean> {
  if (customer.paused_until === null) return false;
  const began = await lastChoiceWith(site, customer.id, ['global_unsubscribed']);
  return began !== null && !isEarlier(at, began);
}

import type { ChoiceSource, Evidence } from '#contract/choices.ts';
import { findCustomer, subscriptionsOf } from '#server/audience/customers/customers.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import {
  type Admission,
  type ChoiceResult,
  type ChoiceChange,
  type ChoiceContext,
  choiceRulesOf,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import type { Reversal } from '#server/choices/choices/reversals.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import type { PendingLink, ResubscribeUndoLink } from '#server/visit/customer-mails/mailed-links.ts';
import {
  choicesAfter,
  deletePending,
  findPending,
  type PendingRow,
  resubscribeOfChoice,
  sequenceOfSave,
} from '#server/visit/pending-changes/pending-changes.sql.ts';
import {
  type HeldChange,
  changeOfHeld,
  changeOfPending,
} from '#server/visit/pending-changes/pending-changes.ts';
import { combineStatements, addressChangeNotice, resubscribeNotice } from './notices.ts';
import { byLink } from './one-click.ts';
import { shownBehindLink } from './shown-behind-links.ts';

/** The status of the change that a link confirms; null: expired, replaced, cancelled or superseded. */
export type Confirmation =
  | { done: false; change: HeldChange; email: string; asked: { row: PendingRow; userAgent: string | null } }
  | { done: true; email: string };

async function pendingOfLink(services: Services, site: SiteDb, { kind, customerId, pendingId }: PendingLink) {
  const row = await findPending(site, customerId, kind);
  if (row?.id !== pendingId) return null;
  const opened = await changeOfPending(services, site, row);
  return opened && { row, ...opened };
}

/** Read-only. */
export async function findConfirmation(
  services: Services,
  siteId: string,
  link: PendingLink,
): Promise<Confirmation | null> {
  const { lists } = await choiceRulesOf(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    // Read before the customer: if the pending change is gone because it was confirmed, the customer shows it.
    const found = await pendingOfLink(services, site, link);
    const customer = await findCustomer(site, link.customerId);
    if (customer === undefined || customer.email === null) return null;
    if (found !== null) {
      const change = ofKnownLists(found.wish, lists);
      const asked = { row: found.row, userAgent: found.userAgent };
      return change && { done: false, change, email: customer.email, asked };
    }
    // Clicked twice, or opened again: it counts as done until there is a later choice.
    const sequence = await sequenceOfSave(site, customer.id, link.pendingId);
    return sequence === customer.sequence ? { done: true, email: customer.email } : null;
  });
}

/** Without lists that have since been deleted; null if none remain. */
function ofKnownLists(change: HeldChange, lists: readonly { id: string }[]): HeldChange | null {
  if (change.kind === 'email_change') return change;
  const listIds = change.listIds.filter((id) => lists.some((list) => list.id === id));
  return change.everything || listIds.length > 0 ? { ...change, listIds } : null;
}

/** What was shown before the click: the link's page with the lists involved, and the email with the link. */
async function shownBy(
  services: Services,
  visit: Visit,
  served: ServedPage | null,
  { kind, emailText }: PendingLink,
  change: HeldChange,
): Promise<Evidence['shown']> {
  const named = change.kind === 'email_change' ? [] : change.listIds;
  // Both subscribe, and say so in the same words.
  const linkPage = kind === 'subscribe' ? 'resubscribe' : kind;
  const shown = await shownBehindLink(services, visit, linkPage, served, named);
  return { ...shown, ...(emailText !== null && { email_text_hash: emailText.toString('hex') }) };
}

/**
 * Applies a pending change, on a click on its link's page. Idempotent.
 * @returns null if there is nothing to confirm (any more)
 * @throws AppError `not_found`; `error_exists` if another customer has the address by now
 */
export async function confirmChange(
  services: Services,
  visit: Visit,
  link: PendingLink,
  served: ServedPage | null,
): Promise<Confirmation | null> {
  const { siteId } = visit;
  const found = await findConfirmation(services, siteId, link);
  if (found === null || found.done) return found;
  const { change, asked } = found;
  const context: ChoiceContext = {
    ...byLink(visit, 'confirm_link'),
    saveId: link.pendingId,
    shown: await shownBy(services, visit, served, link, change),
    requested: { record: asked.row.requested, userAgent: asked.userAgent },
  };
  // Check again behind the lock: it may have been confirmed, replaced or cancelled concurrently.
  const admission: Admission = async (site, _locked, wanted) =>
    (await pendingOfLink(services, site, link)) === null
      ? null
      : { change: wanted, statements: [deletePending(site, link.customerId, link.pendingId)] };
  const returned = resubscribeNotice(services, visit, link.pageId);
  const told =
    change.kind === 'email_change'
      ? combineStatements(returned, addressChangeNotice(services, visit, link.pageId, change.email))
      : returned;
  const result = await saveChoice(
    services,
    siteId,
    link.customerId,
    changeOfHeld(change),
    context,
    {},
    told,
    admission,
  );
  if (result.refused === null) return { done: true, email: result.email };
  return findConfirmation(services, siteId, link);
}

/** The undo that a resubscribe notice offers. null: no such customer or choice. */
export async function findResubscribe(
  services: Services,
  siteId: string,
  { customerId, choiceId }: ResubscribeUndoLink,
): Promise<{ email: string; undo: ChoiceChange; returned: Reversal } | null> {
  const { lists } = await choiceRulesOf(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const [customer, choice] = await Promise.all([
      findCustomer(site, customerId),
      resubscribeOfChoice(site, customerId, choiceId),
    ]);
    if (customer === undefined || customer.email === null || choice === undefined) return null;
    const joined = choice.lists.filter((list) => list.subscribed && list.previous === false);
    const listIds = joined.map((list) => list.list_id).filter((id) => lists.some((list) => list.id === id));
    const everything = choice.events.includes('global_resubscribed');
    const returned = { everything, listIds };
    return { email: customer.email, returned, undo: undoOf(services, returned, choice.paused_before) };
  });
}

/** Restores the opt-out: of everything, until the former end if it was a pause, or of the lists. */
function undoOf(
  { clock }: Services,
  { everything, listIds }: Reversal,
  pausedBefore: Date | null,
): ChoiceChange {
  if (!everything) return { lists: listIds.map((id) => ({ list_id: id, subscribed: false })) };
  const isPause = pausedBefore !== null && pausedBefore > clock.now();
  return isPause ? { pauseUntil: pausedBefore } : { globalUnsubscribe: true };
}

/** @throws AppError `not_found` */
export async function undoResubscribe(
  services: Services,
  visit: Visit,
  { customerId }: ResubscribeUndoLink,
  undo: ChoiceChange,
  served: ServedPage | null,
): Promise<ChoiceResult> {
  const shown = await shownBehindLink(services, visit, 'resubscribe_undo', served);
  return saveChoice(services, visit.siteId, customerId, undo, byLink(visit, 'undo', shown));
}

const BY_VISITORS: readonly ChoiceSource[] = ['page', 'state_link', 'confirm_link'];

/**
 * Undoing an address change means that somebody else made it. Opt-outs that were reversed on the page since then are
 * restored together with the address.
 */
export function leaveRejoined(customerId: string, sequence: number): Admission {
  return async (site, _locked, change) => {
    const since = await choicesAfter(site, customerId, sequence);
    const reversals = since.filter(({ source }) => BY_VISITORS.includes(source));
    const isBack = ({ events }: (typeof since)[number]) => events.includes('global_resubscribed');
    const rejoined = reversals
      .filter((choice) => !isBack(choice))
      .flatMap(({ lists }) => lists.filter((list) => list.subscribed && list.previous === false));
    const listIds = [...new Set(rejoined.map((list) => list.list_id))];
    const known = await subscriptionsOf(site, customerId);
    // Lists that have since been deleted have no subscription.
    const lists = listIds
      .filter((id) => known.some((one) => one.list_id === id))
      .map((id) => ({ list_id: id, subscribed: false }));
    return {
      change: { ...change, lists, ...(reversals.some(isBack) ? { globalUnsubscribe: true } : {}) },
      statements: [],
    };
  };
}

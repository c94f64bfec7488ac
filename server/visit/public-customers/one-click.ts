import type { AlreadyOff, ChoiceSource, Evidence } from '#contract/choices.ts';
import type { PauseLength } from '#contract/public-preferences.ts';
import { type Challenge, dayOf, readChallenge } from '#server/audience/customers/challenge.ts';
import { customersByIds } from '#server/audience/customers/customers.ts';
import { countLeavesByLink, lastOptIn } from '#server/audience/evidence/evidence.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { nameOfDeletedList } from '#server/audience/lists/lists.ts';
import {
  type Admission,
  type ExtraStatements,
  type ChoiceChange,
  type ChoiceResult,
  type ChoiceContext,
  choiceRulesOf,
  NOTHING_SHOWN,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { cancelSubscribe } from '#server/visit/pending-changes/pending-changes.sql.ts';
import { customerMailStatement } from '#server/visit/customer-mails/customer-mails.ts';
import { pauseEnd } from './pause-end.ts';

const DAY_MS = 86_400_000;

/**
 * Parses a personal link of this site; null for anything else. A link that opens the page may also unsubscribe from
 * everything: its holder may change all choices anyway, and a tool has only one field for a link.
 */
export function readLeaveLink(services: Services, siteId: string, text: string): Challenge | null {
  const challenge = readChallenge(services.keyring, text);
  return challenge?.siteId === siteId ? challenge : null;
}

/**
 * Unsubscribes from the link's list, or from everything, however old the link is. Idempotent: a second request finds
 * nothing to change. That somebody asked to leave a list that was deleted is recorded.
 * @param source `one_click`: sent by a mail program; `leave_link`: the person's own click on our page
 * @param shown what the landing page said; nothing where a mail program asks
 * @returns null when the customer no longer exists
 */
export async function leaveByLink(
  services: Services,
  visit: Visit,
  challenge: Challenge,
  source: 'one_click' | 'leave_link',
  shown?: Evidence['shown'],
): Promise<ChoiceResult | null> {
  const { siteId } = visit;
  const { customerId, listId } = challenge;
  const context = ofLink(challenge, byLink(visit, source, shown));
  const leave = async (change: ChoiceChange, how: ChoiceContext) =>
    saveChoice(
      services,
      siteId,
      customerId,
      change,
      how,
      {},
      noticeIfOlder(services, challenge),
      await cancelsWhatWaits(services, siteId, listId),
    );
  try {
    if (listId === null) return await leave({ globalUnsubscribe: true }, context);
    return await leave({ lists: [{ list_id: listId, subscribed: false }] }, context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found') return null;
    if (error.code !== 'invalid_field' || listId === null) throw error;
    const name = await nameOfDeletedList(services, siteId, listId);
    const already_off: AlreadyOff = { everything: false, lists: [{ list_id: listId, name, deleted: true }] };
    return leave({}, { ...context, shown: { ...context.shown, already_off } });
  }
}

/**
 * Stops everything, because the reader of the inbox is not the customer. Not an opt-out: what the customer chose stays
 * underneath, and nobody is mailed about it. Idempotent.
 * @returns null when the customer no longer exists
 */
export async function reportWrongRecipient(
  services: Services,
  visit: Visit,
  challenge: Challenge,
  shown?: Evidence['shown'],
): Promise<ChoiceResult | null> {
  const { customerId } = challenge;
  const change = { wrongRecipientAt: services.clock.now() };
  const context = ofLink(challenge, byLink(visit, 'wrong_recipient', shown));
  try {
    return await saveChoice(
      services,
      visit.siteId,
      customerId,
      change,
      context,
      {},
      undefined,
      await cancelsWhatWaits(services, visit.siteId, null),
    );
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Was the link's customer erased after leaving everything? Whoever comes with their address again starts unsubscribed. */
export async function wasErasedAsLeft(
  services: Services,
  { siteId, customerId }: Challenge,
): Promise<boolean> {
  const [customer] = await services.database.readSite(siteId, (site) => customersByIds(site, [customerId]));
  return customer !== undefined && customer.erased_key !== null;
}

/**
 * Pending changes end with leaving, also for someone who had left before, when there is no choice to tell it by.
 * @returns undefined where nothing can wait: then a one-click has no statement more
 */
async function cancelsWhatWaits(
  services: Services,
  siteId: string,
  listId: string | null,
): Promise<Admission | undefined> {
  const { lists } = await choiceRulesOf(services, siteId);
  if (!lists.some((list) => list.double_opt_in)) return undefined;
  return async (site, { customer }, change) => ({
    change,
    statements: [cancelSubscribe(site, customer.id, listId === null ? null : [listId])],
  });
}

/** A mail provider may request an old link repeatedly while the person resubscribes each time. */
const MOST_TELLINGS_A_DAY = 5;

/**
 * If the unsubscribe came from an email that is older than the person's later choice, or of the same day, mails them a
 * link to restore it. The mail commits with the choice.
 */
function noticeIfOlder(services: Services, { customerId, issuedOn, listId }: Challenge): ExtraStatements {
  return async (site, { global_unsubscribe: isAway, paused_until: pausedUntil, sequence }) => {
    const receivedNothing = isAway && pausedUntil === null;
    if (receivedNothing) return [];
    const chosenAt = await lastOptIn(site, customerId, listId);
    if (chosenAt === null || dayOf(chosenAt) < issuedOn) return [];
    const aDayAgo = new Date(services.clock.now().getTime() - DAY_MS);
    if ((await countLeavesByLink(site, customerId, aDayAgo)) >= MOST_TELLINGS_A_DAY) return [];
    const left = { customerId, sequence: sequence + 1, listId };
    const mail = { kind: 'left_by_old_email', pageId: null, language: null, ...left } as const;
    return [await customerMailStatement(services, site, mail)];
  };
}

/** The context of a choice made through a personal link. @param shown what its page said, if a person pressed a button there */
export function byLink(
  visit: Visit,
  source: ChoiceSource,
  shown: Evidence['shown'] = NOTHING_SHOWN,
): ChoiceContext {
  return {
    source,
    authority: 'link',
    saveId: null,
    language: visit.language,
    ip: visit.ip,
    userAgent: visit.userAgent,
    ...(visit.isLinkChanged && { isLinkChanged: true }),
    shown,
  };
}

/** With the day that the link was made on, if it says so: a machine presses it soon after. */
function ofLink({ issuedOn }: Challenge, context: ChoiceContext): ChoiceContext {
  return issuedOn === 0 ? context : { ...context, linkDay: issuedOn };
}

/**
 * Pauses everything, when the person chooses that on the landing page of an unsubscribe-from-everything link.
 * @throws AppError `invalid_field` for a day that is too near or too far
 */
export async function pauseByLink(
  services: Services,
  visit: Visit,
  challenge: Challenge,
  length: PauseLength,
  shown: Evidence['shown'],
): Promise<ChoiceResult> {
  const pauseUntil = pauseEnd(length, services.clock.now());
  const context = ofLink(challenge, byLink(visit, 'leave_link', shown));
  return saveChoice(services, visit.siteId, challenge.customerId, { pauseUntil }, context);
}

import type { ChoiceSource } from '#contract/choices.ts';
import type { PublicPage } from '#contract/preference-pages.ts';
import { type Challenge, dayOf, readChallenge } from '#server/audience/customers/challenge.ts';
import { countLeavesByLink, lastOptIn } from '#server/audience/evidence/evidence.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import {
  type ExtraStatements,
  type ChoiceResult,
  type ChoiceContext,
  NOTHING_SHOWN,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import { namedOperator } from '#server/choices/choices/choice-context.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { customerMailStatement } from '#server/visit/customer-mails/customer-mails.ts';

const DAY_MS = 86_400_000;

/**
 * The personal link of this site, or null for anything else. One that opens the page also leaves everything: who may
 * change all may do that, and a tool has one field to keep a link in.
 */
export function readLeaveLink(services: Services, siteId: string, text: string): Challenge | null {
  const challenge = readChallenge(services.keyring, text);
  return challenge?.siteId === siteId ? challenge : null;
}

/**
 * Leaves the link's list, or everything, however old the link is. Pressing twice leaves once: the second finds nothing
 * to change.
 * @param source `one_click` is what a mail program sends unseen; `leave_link` is the person's own click on our page
 * @param landing in whose look our page was
 * @returns null when the customer or the list no longer exists
 */
export async function leaveByLink(
  services: Services,
  visit: Visit,
  challenge: Challenge,
  source: 'one_click' | 'leave_link',
  landing?: PublicPage,
): Promise<ChoiceResult | null> {
  const { listId } = challenge;
  const change =
    listId === null ? { globalUnsubscribe: true } : { lists: [{ list_id: listId, subscribed: false }] };
  try {
    return await saveChoice(
      services,
      visit.siteId,
      challenge.customerId,
      change,
      byLink(visit, source, landing),
      {},
      noticeIfOlder(services, challenge),
    );
  } catch (error) {
    const isGone =
      error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid_field');
    if (isGone) return null;
    throw error;
  }
}

/** A mail provider may press an old link again and again, and the person come back each time. */
const MOST_TELLINGS_A_DAY = 5;

/**
 * An email older than what the person chose since, or of the same day, took it away: they are told, with a way back.
 * The mail commits with the choice.
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

/** How a choice came about that was made through a personal link. */
export function byLink(visit: Visit, source: ChoiceSource, landing?: PublicPage): ChoiceContext {
  return {
    source,
    authority: 'link',
    saveId: null,
    language: visit.language,
    ip: visit.ip,
    userAgent: visit.userAgent,
    shown: landing === undefined ? NOTHING_SHOWN : { ...NOTHING_SHOWN, ...namedOperator(landing) },
  };
}

/** Pauses everything on a person's click on the landing of a link that would leave everything. */
export async function pauseByLink(
  services: Services,
  visit: Visit,
  customerId: string,
  days: number,
  landing: PublicPage,
): Promise<ChoiceResult> {
  const pauseUntil = new Date(services.clock.now().getTime() + days * DAY_MS);
  return saveChoice(services, visit.siteId, customerId, { pauseUntil }, byLink(visit, 'leave_link', landing));
}

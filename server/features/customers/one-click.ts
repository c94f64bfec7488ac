import type { ChoiceSource } from '#contract/choices.ts';
import {
  type ChoiceResult,
  type Circumstances,
  NOTHING_SHOWN,
  saveChoice,
} from '#server/features/choices/choices.ts';
import { lastOptIn } from '#server/features/choices/choices.sql.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { type Challenge, dayOf, readChallenge } from './challenge.ts';
import type { Limit } from '#server/platform/limits.ts';
import { queueCustomerMail } from '#server/features/customer-mails/customer-mails.ts';
import type { Visit } from './public-customers.ts';

/**
 * The personal link of this site, or null for anything else. One that opens the page also leaves everything: who may
 * change all may do that, and a tool has one field to keep a link in.
 */
export function readLeaveLink(services: Services, siteId: string, text: string): Challenge | null {
  const challenge = readChallenge(services.keyring, text);
  return challenge?.siteId === siteId ? challenge : null;
}

/**
 * Leaves the link's list, or everything. Pressing twice leaves once: the second finds nothing to change.
 * @param source `one_click` is what a mail program sends unseen; `leave_link` is the person's own click on our page
 * @returns null when the customer or the list no longer exists
 */
export async function leaveByLink(
  services: Services,
  visit: Visit,
  challenge: Challenge,
  source: 'one_click' | 'leave_link',
): Promise<ChoiceResult | null> {
  const { listId } = challenge;
  const wish =
    listId === null ? { globalUnsubscribe: true } : { lists: [{ list_id: listId, subscribed: false }] };
  try {
    return await saveChoice(services, visit.siteId, challenge.customerId, wish, byLink(visit, source));
  } catch (error) {
    const isGone =
      error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid_field');
    if (isGone) return null;
    throw error;
  }
}

/** One mail a day says it; a mail provider may send the same request many times. */
const PROPOSALS: Limit = { name: 'mails-proposal', points: 1, perSeconds: 86_400 };

/** Asks the person by mail whether they mean it: an old link has left nothing that they came back to. */
export async function proposeLeaving(
  services: Services,
  siteId: string,
  { customerId, listId }: Challenge,
): Promise<void> {
  try {
    await services.limits.use(PROPOSALS, `${siteId}:${customerId}:${listId ?? 'all'}`);
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return;
    throw error;
  }
  await services.database.inSite(siteId, (site) =>
    queueCustomerMail(services, site, { kind: 'proposal', pageId: null, language: null, customerId, listId }),
  );
}

/** How a choice came about that was made through a personal link. */
export function byLink(visit: Visit, source: ChoiceSource): Circumstances {
  return {
    source,
    authority: 'link',
    saveId: null,
    language: visit.language,
    ip: visit.ip,
    userAgent: visit.userAgent,
    shown: NOTHING_SHOWN,
  };
}

/** Did the person come back to what the link leaves since the day it was made? */
export async function isOldLink(
  services: Services,
  siteId: string,
  { customerId, listId, issuedOn }: Challenge,
): Promise<boolean> {
  return services.database.readSite(siteId, async (site) => {
    const back = await lastOptIn(site, customerId, listId);
    return back !== null && dayOf(back) >= issuedOn;
  });
}

/** Pauses everything on a person's click on the landing of a link that would leave everything. */
export async function pauseByLink(
  services: Services,
  visit: Visit,
  customerId: string,
  days: number,
): Promise<ChoiceResult> {
  const pauseUntil = new Date(services.clock.now().getTime() + days * 86_400_000);
  return saveChoice(services, visit.siteId, customerId, { pauseUntil }, byLink(visit, 'leave_link'));
}

import { NOTHING_SHOWN, saveChoice } from '#server/features/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import type { Visit } from './public-customers.ts';

/** The `leave` link of this site, or null for anything else. */
export function readLeaveLink(services: Services, siteId: string, text: string): Challenge | null {
  const challenge = readChallenge(services.keyring, text);
  return challenge !== null && challenge.purpose === 'leave' && challenge.siteId === siteId
    ? challenge
    : null;
}

/**
 * Leaves the link's list, or everything. Pressing twice leaves once: the second finds nothing to change.
 * @returns false when the customer or the list no longer exists
 */
export async function leaveByLink(
  services: Services,
  visit: Visit,
  challenge: Challenge,
  source: 'one_click' | 'leave_link',
): Promise<boolean> {
  const wish =
    challenge.listId === null
      ? { globalUnsubscribe: true }
      : { lists: [{ list_id: challenge.listId, subscribed: false }] };
  try {
    await saveChoice(services, visit.siteId, challenge.customerId, wish, {
      source,
      authority: 'link',
      saveId: null,
      language: visit.language,
      ip: visit.ip,
      userAgent: visit.userAgent,
      shown: NOTHING_SHOWN,
    });
    return true;
  } catch (error) {
    const isGone =
      error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid_field');
    if (isGone) return false;
    throw error;
  }
}

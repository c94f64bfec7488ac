import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import type { ChoiceChange } from '#server/choices/choices/choices.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';

const exceeded =
  'These preferences were saved too often. Unsubscribing is not limited, and what you switched off is saved.';
// Who tries every switch saves every few seconds, but not for ten minutes.
const SAVES_OF_PERSON: Limit = { name: 'saves-person', points: 60, perSeconds: 600, exceeded };
// Two for each look-up that an office may make which shares one IP.
const SAVES_OF_NETWORK: Limit = { name: 'saves-ip', points: 600, perSeconds: 600, exceeded };

/**
 * Counts a save by somebody who only typed an address.
 * @returns the refusal of what raises consent; null within the limits. What lowers it is saved in any case.
 */
export async function countSave(
  { limits }: Services,
  { siteId, ip }: Pick<Visit, 'siteId' | 'ip'>,
  { id, level }: Pick<CustomerSession, 'id' | 'level'>,
): Promise<AppError | null> {
  if (level !== 'open') return null;
  try {
    await limits.useHere(SAVES_OF_NETWORK, `${siteId}:${networkOf(ip)}`);
    await limits.useHere(SAVES_OF_PERSON, `${siteId}:${id}`);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return error;
    throw error;
  }
}

/** What a change switches off, of a change that also raises consent. */
export function onlyOff(change: ChoiceChange): ChoiceChange {
  if (!('lists' in change) && !('globalUnsubscribe' in change)) return {};
  const { lists = [], globalUnsubscribe } = change;
  return {
    lists: lists.filter(({ subscribed }) => !subscribed),
    ...(globalUnsubscribe === true && { globalUnsubscribe }),
  };
}

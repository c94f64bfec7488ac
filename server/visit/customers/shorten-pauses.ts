import { PAUSE_UNTIL } from '#contract/public-preferences.ts';
import {
  type CustomerTimerRow,
  deleteTimer,
  pausesBeyond,
} from '#server/audience/customers/customer-timers.ts';
import { pauseBegan } from '#server/audience/evidence/evidence.ts';
import { NO_VISIT, saveChoice } from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

const DAY_MS = 86_400_000;

/** A day more than a customer can choose: a pause until a date ends at noon, and clocks differ. */
const LONGEST_MS = (PAUSE_UNTIL.maxDays + 1) * DAY_MS;

const AT_A_TIME = 100;

/**
 * Gives pauses that a clock in the future began the length that the customer chose, from now on. That they are this long
 * can't have been chosen, and the customers would get nothing until then.
 */
export async function shortenPauses(services: Services): Promise<void> {
  const { database, clock, log } = services;
  const latest = new Date(clock.now().getTime() + LONGEST_MS);
  for (const timer of await pausesBeyond(database.global, latest, AT_A_TIME)) {
    try {
      await shorten(services, timer);
    } catch (error) {
      log.error({ err: error, timer }, 'a pause that is too long could not be shortened');
    }
  }
}

async function shorten(services: Services, timer: CustomerTimerRow): Promise<void> {
  const { site_id: siteId, customer_id: customerId, due_at: end } = timer;
  const { database, clock } = services;
  const began = await database.readSite(siteId, (site) => pauseBegan(site, customerId, end));
  const chosenMs = began === null ? LONGEST_MS : end.getTime() - began.getTime();
  const pauseUntil = new Date(clock.now().getTime() + Math.min(chosenMs, LONGEST_MS));
  const context = { source: 'pause_end', authority: 'system', saveId: null, ...NO_VISIT } as const;
  try {
    await saveChoice(services, siteId, customerId, { pauseUntil }, context, { pausedUntil: end });
  } catch (error) {
    // The customer has since been erased.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  // The new end has moved it; one that is still there belongs to a pause that is over.
  await deleteTimer(database.global, timer);
}

import { type Circumstances, saveChoice } from '#server/choices/choices/choices.ts';
import { hasOpenDeliveries } from '#server/delivery/deliveries/deliveries.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { type AppointmentRow, appointment } from '#server/audience/customers/appointments.sql.ts';
import { eraseCustomer, eraseLateTraces } from './customers.ts';

/** A tool that cannot be told within this time must not hold up an erasure for longer (the retries end then, too). */
const LONGEST_WAIT_DAYS = 5;
const LOOK_AGAIN_MINUTES = 5;

/**
 * Erases a person who asked for it: they first leave everything, so that every tool hears of it, and are erased as
 * soon as no delivery about them is under way, at the latest after five days.
 * @returns whether they are erased already
 * @throws AppError `not_found`
 */
export async function requestErasure(
  services: Services,
  siteId: string,
  customerId: string,
  circumstances: Circumstances,
): Promise<{ erased: boolean }> {
  const now = services.clock.now();
  const erase = (site: SiteDb) =>
    appointment(site, { customerId, kind: 'erase', dueAt: lookAgain(now), now });
  // With the leave: who is told that it failed has not left, and who has left is going to be erased.
  const left = await saveChoice(
    services,
    siteId,
    customerId,
    { globalUnsubscribe: true },
    circumstances,
    {},
    async (site) => [erase(site)],
  );
  if (left.choiceId === null) {
    await services.database.inSite(siteId, (site) => site.commitWith([erase(site)]));
  }
  return { erased: await eraseNow(services, siteId, customerId) };
}

/** At once where nothing is under way; the appointment stands where that cannot be found out now. */
async function eraseNow(services: Services, siteId: string, customerId: string): Promise<boolean> {
  try {
    const isWaiting = await services.database.readSite(siteId, (site) => hasOpenDeliveries(site, customerId));
    if (!isWaiting) await eraseCustomer(services, siteId, customerId);
    return !isWaiting;
  } catch (error) {
    services.log.warn({ err: error }, 'an erasure waits for its appointment');
    return false;
  }
}

function lookAgain(now: Date): Date {
  return new Date(now.getTime() + LOOK_AGAIN_MINUTES * 60_000);
}

/** @returns when to look again; null when the person is erased */
export async function eraseWhenTold(services: Services, kept: AppointmentRow): Promise<Date | null> {
  if (await eraseLateTraces(services, kept.site_id, kept.customer_id)) return null;
  const now = services.clock.now();
  const waited = now.getTime() - kept.created_at.getTime();
  const mayWait = waited < LONGEST_WAIT_DAYS * 86_400_000;
  const isWaiting = await services.database.readSite(kept.site_id, (site) =>
    hasOpenDeliveries(site, kept.customer_id),
  );
  if (isWaiting && mayWait) return lookAgain(now);
  try {
    await eraseCustomer(services, kept.site_id, kept.customer_id);
  } catch (error) {
    // Somebody else erased the person meanwhile.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return null;
}

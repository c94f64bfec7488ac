import { type Circumstances, saveChoice } from '#server/features/choices/choices.ts';
import { hasOpenDeliveries } from '#server/features/deliveries/deliveries.sql.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { type AppointmentRow, appointment } from './appointments.sql.ts';
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
  await saveChoice(services, siteId, customerId, { globalUnsubscribe: true }, circumstances);
  const isWaiting = await services.database.inSite(siteId, async (site) => {
    if (!(await hasOpenDeliveries(site, customerId))) return false;
    const now = services.clock.now();
    await site.commitWith([appointment(site, { customerId, kind: 'erase', dueAt: lookAgain(now), now })]);
    return true;
  });
  if (!isWaiting) await eraseCustomer(services, siteId, customerId);
  return { erased: !isWaiting };
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

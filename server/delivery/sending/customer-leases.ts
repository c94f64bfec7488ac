import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { releaseLeases, renewLeases, acquireLeases, type CustomerLease } from './customer-leases.sql.ts';

/** A dead worker's lease ends after this time; longer work renews it. */
const LEASE_SECONDS = 120;
const RENEW_EVERY_MS = 30_000;

interface ToolKey {
  siteId: string;
  integrationId: string;
}

/**
 * Runs `work` while holding the customers' leases in a tool: two deliveries of one customer to one integration never
 * run at the same time (design section 6).
 * @param leases of different customers; the same run may acquire its lease again
 * @param work gets the ids of the customers whose lease was acquired; others hold the rest
 */
export async function withCustomerLeases<T>(
  services: Services,
  { siteId, integrationId }: ToolKey,
  turns: readonly CustomerLease[],
  work: (ours: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const { database, clock, log } = services;
  const untilFrom = (now: Date) => new Date(now.getTime() + LEASE_SECONDS * 1000);
  const now = clock.now();
  const taken = await database.inSite(siteId, (site) =>
    acquireLeases(site, integrationId, turns, { now, until: untilFrom(now) }),
  );
  const ours = new Set(taken);
  if (ours.size === 0) return work(ours);
  const own = turns.filter(({ customerId }) => ours.has(customerId));
  // Some tools apply changes in background jobs that take minutes.
  const renewing = setInterval(() => {
    database
      .inSite(siteId, (site) => renewLeases(site, integrationId, own, untilFrom(clock.now())))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the lease of a customer in a tool could not be renewed'),
      );
  }, RENEW_EVERY_MS);
  try {
    return await work(ours);
  } finally {
    clearInterval(renewing);
    // The work is done, so a failed release must not replace its result; the lease ends by itself.
    await database
      .inSite(siteId, (site) => releaseLeases(site, integrationId, own))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the lease of a customer in a tool could not be released and will expire'),
      );
  }
}

/**
 * The same for one customer.
 * @returns null if another worker holds the lease
 */
export function withCustomerLease<T>(
  services: Services,
  { customerId, run = newId(), ...place }: ToolKey & { customerId: string; run?: string },
  work: () => Promise<T>,
): Promise<T | null> {
  return withCustomerLeases(services, place, [{ customerId, run }], async (ours) =>
    ours.size === 0 ? null : work(),
  );
}

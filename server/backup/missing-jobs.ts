import { z } from 'zod';
import { type OpenDelivery, openDeliveriesAfter } from '#server/features/deliveries/deliveries.sql.ts';
import { allSiteIds } from '#server/features/sites/sites.sql.ts';
import type { Services } from '#server/platform/services.ts';
import { JOBS } from './tables.ts';

const AT_ONCE = 500;

/**
 * Where each site has a snapshot of its own, a delivery may be newer than the jobs: without one it would wait for ever.
 * @returns how many there were
 */
export async function enqueueMissing(services: Services): Promise<number> {
  let enqueued = 0;
  for await (const siteId of allSiteIds(services.database.global)) {
    const known = await jobsOf(services, siteId);
    for (let after: string | null = null; ;) {
      const last: string | null = after;
      const waiting: OpenDelivery[] = await services.database.readSite(siteId, (site) =>
        openDeliveriesAfter(site, last, AT_ONCE),
      );
      const without = waiting.filter(({ id }) => !known.has(id));
      if (without.length > 0)
        await services.database.inSite(siteId, (site) =>
          services.queue.enqueue(
            site,
            'deliveries',
            without.map(({ id, attempt_count: round, next_attempt_at: startAfter }) => ({
              id,
              round,
              ...(startAfter === null ? {} : { startAfter }),
            })),
          ),
        );
      enqueued += without.length;
      after = waiting.at(-1)?.id ?? null;
      if (waiting.length < AT_ONCE) break;
    }
  }
  return enqueued;
}

async function jobsOf({ database }: Services, siteId: string): Promise<Set<string>> {
  const { rows } = await database.global.query(
    `select data->>'id' as id from ${JOBS}
     where name = 'deliveries' and state < 'completed' and data->>'site_id' = $1`,
    [siteId],
  );
  return new Set(
    z
      .array(z.object({ id: z.string() }))
      .parse(rows)
      .map(({ id }) => id),
  );
}

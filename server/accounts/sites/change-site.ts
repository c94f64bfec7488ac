import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/** Tag of everything cached about a site: its lists and its pages. */
export function siteTag(siteId: string): string {
  return `site:${siteId}`;
}

/** Runs a transaction that changes what the site's pages show, and invalidates the caches of all processes. */
export async function changeSite<T>(
  services: Services,
  siteId: string,
  work: (site: SiteDb) => Promise<T>,
): Promise<T> {
  const result = await services.database.inSite(siteId, async (site) => {
    const answer = await work(site);
    await services.cache.announce(site, siteTag(siteId));
    return answer;
  });
  services.cache.evict(siteTag(siteId));
  return result;
}

import { type IntegrationHealth, MOST_SITES_CHECKED, type SiteInNeed } from '#contract/dashboard.ts';
import { listSites } from '#server/accounts/sites/sites.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { allIntegrations } from '#server/tools/integrations/integrations.ts';
import { healthOf } from './dashboard.ts';
import { countOpenDeliveries } from './dashboard.sql.ts';

const IN_NEED: readonly IntegrationHealth[] = ['needs_attention', 'switched_off'];
const FAILED_SINCE_MS = 30 * 86_400_000;
/** Leaves connections of the database to others. */
const AT_ONCE = 5;

/** The sites of an organization that need attention; a tenant's rows are read in a transaction of its own. */
export async function listSitesInNeed(services: Services, organizationId: string): Promise<SiteInNeed[]> {
  const sites = (await listSites(services, organizationId)).slice(0, MOST_SITES_CHECKED);
  const needs: SiteInNeed[] = [];
  for (let at = 0; at < sites.length; at += AT_ONCE) {
    const some = sites.slice(at, at + AT_ONCE);
    needs.push(...(await Promise.all(some.map(({ id }) => needOf(services, id)))));
  }
  return needs.filter((one) => one.integrations > 0 || one.failed_deliveries > 0);
}

async function needOf(services: Services, siteId: string): Promise<SiteInNeed> {
  const now = services.clock.now();
  const since = firstIdAt(new Date(now.getTime() - FAILED_SINCE_MS));
  return services.database.readSite(siteId, async (site) => {
    const integrations = await allIntegrations(site);
    const { failed } = await countOpenDeliveries(site, { since, lateBefore: since });
    return {
      site_id: siteId,
      integrations: integrations.filter((one) => IN_NEED.includes(healthOf(one, now))).length,
      failed_deliveries: failed,
    };
  });
}

import { CHECKER_MESSAGES } from '#contract/checkers.ts';
import type { Operator } from '#contract/operator.ts';
import type { Site } from '#contract/sites.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { siteUrl } from '#server/platform/config.ts';
import { enterSite, type GlobalDb, advisoryLock } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { siteTag } from './change-site.ts';
import { subdomainHost } from './host-names.ts';
import { findSiteOfHost, evictHost, isHostFree, claimHost } from './hosts.ts';
import { insertSite, siteById, type SiteRow, sitesOfOrganization } from './sites.sql.ts';

export { allSiteIds, siteById, sitesWithout } from './sites.sql.ts';

export const MAX_SITES_OF_ORGANIZATION = 200;

export const NO_OPERATOR: Operator = { legal_name: '', postal_address: '', privacy_url: '', imprint_url: '' };

/** The site's preferred host: its own domain once verified. */
export function bestHost(site: SiteRow): string {
  const isVerified = site.custom_domain !== null && site.custom_domain_verified_at !== null;
  return isVerified ? (site.custom_domain ?? '') : site.domain_name;
}

function statusOf(site: SiteRow): Site['custom_domain_status'] {
  if (site.custom_domain === null) return null;
  return site.custom_domain_verified_at === null ? 'pending' : 'verified';
}

function presentSite(services: Services, site: SiteRow): Site {
  const { id, name, domain_name, custom_domain, link_lifetime_days, sender_name, reply_to } = site;
  const url = siteUrl(services.config, bestHost(site));
  return {
    id,
    name,
    domain_name,
    custom_domain,
    custom_domain_status: statusOf(site),
    url,
    link_lifetime_days,
    delivery_content_days: site.delivery_content_days,
    sender_name,
    reply_to,
    operator: site.operator ?? NO_OPERATOR,
    test_mode: site.test_mode,
    test_emails: site.test_emails,
    evidence_anchor: site.evidence_anchor,
    taken_down:
      site.taken_down_at === null
        ? null
        : { at: site.taken_down_at.toISOString(), reason: site.taken_down_reason },
  };
}

export async function listSites(
  services: Services,
  organizationId: string,
  tx: GlobalDb = services.database.global,
): Promise<Site[]> {
  const sites = await sitesOfOrganization(tx, organizationId);
  return sites.map((site) => presentSite(services, site));
}

export function domainTaken(field: string): AppError {
  return new AppError('domain_taken', CHECKER_MESSAGES.domainTaken, { field });
}

/** @throws AppError `invalid_field`, `reserved_name` */
function requireSubdomain(services: Services, value: string): string {
  const checked = subdomainHost(value, services.config.siteDomain);
  if ('host' in checked) return checked.host;
  if (checked.problem === 'reserved') {
    throw new AppError('reserved_name', 'domain_name: this name is reserved. Choose another one.', {
      field: 'domain_name',
    });
  }
  throw new AppError('invalid_field', CHECKER_MESSAGES.domainInvalid(value), { field: 'domain_name' });
}

export async function createSite(
  services: Services,
  organizationId: string,
  input: { domain_name: string; name: string },
): Promise<Site> {
  const host = requireSubdomain(services, input.domain_name);
  const site = {
    id: newId(),
    organization_id: organizationId,
    name: input.name,
    created_at: services.clock.now(),
  };
  const created = await services.database.inTransaction(async (tx) => {
    await advisoryLock(tx, `sites:${organizationId}`);
    await advisoryLock(tx, `host:${host}`);
    const sites = await sitesOfOrganization(tx, organizationId);
    if (sites.length >= MAX_SITES_OF_ORGANIZATION) {
      throw new AppError(
        'limit_reached',
        `An organization can have up to ${MAX_SITES_OF_ORGANIZATION} sites.`,
      );
    }
    await insertSite(tx, site);
    const { taken } = await claimHost(services, tx, site, { host, kind: 'subdomain' });
    if (!taken) throw domainTaken('domain_name');
    // Read before the commit, so that the response does not depend on another query after it.
    const answer = await requireSite(services, tx, site.id);
    await recordChange(services, await enterSite(tx, site.id), 'site.created', site);
    return answer;
  });
  evictHost(services, host);
  return created;
}

export async function requireSite(services: Services, tx: GlobalDb, id: string): Promise<Site> {
  const site = await siteById(tx, id);
  if (site === undefined) throw notFound('This site');
  return presentSite(services, site);
}

/** The operator shown on the site's pages; null if none is set. Cached. */
export function operatorOf(services: Services, siteId: string): Promise<Operator | null> {
  return services.cache.get(siteTag(siteId), 'operator', async () => {
    const { operator } = await requireSite(services, services.database.global, siteId);
    return Object.values(operator).some((one) => one !== '') ? operator : null;
  });
}

/** Whether the operator of the service has taken the site's pages down. Cached. */
export function isTakenDown(services: Services, siteId: string): Promise<boolean> {
  return services.cache.get(siteTag(siteId), 'taken-down', async () => {
    const { taken_down } = await requireSite(services, services.database.global, siteId);
    return taken_down !== null;
  });
}

/** How long the site's personal links prove a customer, in days. */
export function linkLifetimeOf(services: Services, siteId: string): Promise<number> {
  return services.cache.get(siteTag(siteId), 'link-lifetime', async () => {
    const site = await requireSite(services, services.database.global, siteId);
    return site.link_lifetime_days;
  });
}

export async function requireSiteOfHost(services: Services, host: string): Promise<string> {
  const siteId = await findSiteOfHost(services, host);
  if (siteId === null) throw notFound('This site');
  return siteId;
}

/** null if the site does not exist (any more) */
export async function findSite(services: Services, id: string): Promise<Site | null> {
  const site = await siteById(services.database.global, id);
  return site === undefined ? null : presentSite(services, site);
}

export async function isSiteOf(services: Services, id: string, organizationId: string): Promise<boolean> {
  return (await siteById(services.database.global, id))?.organization_id === organizationId;
}

/** The preferred URL of a site's pages. */
export async function urlOfSite(services: Services, siteId: string): Promise<string> {
  return (await requireSite(services, services.database.global, siteId)).url;
}

/**
 * @param organizationId of the caller, for whom a name that it released itself is available
 * @returns the availability of a subdomain, with the spec's texts
 */
export async function checkDomainName(
  services: Services,
  value: string,
  organizationId: string | null,
): Promise<{ error: boolean; message: string; reserved?: true }> {
  const checked = subdomainHost(value, services.config.siteDomain);
  if ('problem' in checked) {
    return checked.problem === 'invalid'
      ? { error: true, message: CHECKER_MESSAGES.domainInvalid(value) }
      : { error: true, message: CHECKER_MESSAGES.domainTaken, reserved: true };
  }
  const isFree = await isHostFree(services, checked.host, organizationId);
  return { error: !isFree, message: isFree ? CHECKER_MESSAGES.domainFree : CHECKER_MESSAGES.domainTaken };
}

import { CHECKER_MESSAGES } from '#contract/checkers.ts';
import type { Site } from '#contract/sites.ts';
import { requireMember } from '#server/features/organizations/members.ts';
import { siteUrl } from '#server/platform/config.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { customHost, subdomainHost } from './host-names.ts';
import {
  insertCustomHost,
  insertSite,
  memberSite,
  removeCustomHost,
  renameSite,
  siteById,
  siteIdOfHost,
  type SiteRow,
  sitesOfOrganization,
} from './sites.sql.ts';

export const MAX_SITES_OF_ORGANIZATION = 200;

export function presentSite(services: Services, site: SiteRow): Site {
  return { ...site, url: siteUrl(services.config, site.custom_domain ?? site.domain_name) };
}

export async function listSites(services: Services, userId: string, organizationId: string): Promise<Site[]> {
  await requireMember(services, userId, organizationId);
  const sites = await sitesOfOrganization(services.database.global, organizationId);
  return sites.map((site) => presentSite(services, site));
}

function domainTaken(field: string): AppError {
  return new AppError('domain_taken', CHECKER_MESSAGES.domainTaken, { field });
}

/** @throws AppError `invalid_field`, `reserved_name` */
function requireSubdomain(services: Services, value: string): string {
  const checked = subdomainHost(value, services.config.siteDomain);
  if ('host' in checked) return checked.host;
  if (checked.problem === 'reserved') {
    throw new AppError('reserved_name', 'domain_name: this name is reserved; choose another one.', {
      field: 'domain_name',
    });
  }
  throw new AppError('invalid_field', CHECKER_MESSAGES.domainInvalid(value), { field: 'domain_name' });
}

export async function createSite(
  services: Services,
  userId: string,
  organizationId: string,
  input: { domain_name: string; name: string },
): Promise<Site> {
  await requireMember(services, userId, organizationId);
  const host = requireSubdomain(services, input.domain_name);
  const id = newId();
  try {
    await services.database.inTransaction(async (tx) => {
      const sites = await sitesOfOrganization(tx, organizationId);
      if (sites.length >= MAX_SITES_OF_ORGANIZATION) {
        throw new AppError(
          'limit_reached',
          `An organization has at most ${MAX_SITES_OF_ORGANIZATION} sites.`,
        );
      }
      await insertSite(tx, {
        id,
        organization_id: organizationId,
        name: input.name,
        host,
        created_at: services.clock.now(),
      });
      await announceHosts(services, tx, [host]);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw domainTaken('domain_name');
    throw error;
  }
  forgetHosts(services, [host]);
  return presentSite(services, { id, name: input.name, domain_name: host, custom_domain: null });
}

/** @throws AppError `invalid_field`, `reserved_name` */
function requireCustomHost(services: Services, value: string): string {
  const { siteDomain, appUrl } = services.config;
  const checked = customHost(value, { siteDomain, appHostName: new URL(appUrl).hostname });
  if ('host' in checked) return checked.host;
  if (checked.problem === 'reserved') {
    throw new AppError('reserved_name', `custom_domain: ${siteDomain} is ours; use a domain of your own.`, {
      field: 'custom_domain',
    });
  }
  throw new AppError('invalid_field', 'custom_domain: must be a host name like mail.example.com.', {
    field: 'custom_domain',
  });
}

export async function updateSite(
  services: Services,
  userId: string,
  organizationId: string,
  siteId: string,
  input: { custom_domain?: string | null | undefined; name?: string | undefined },
): Promise<Site> {
  if (!(await findMemberSite(services, userId, organizationId, siteId))) throw notFound('This site');
  const host =
    typeof input.custom_domain === 'string' ? requireCustomHost(services, input.custom_domain) : null;
  let touched: string[] = [];
  try {
    await services.database.inTransaction(async (tx) => {
      const before = await siteById(tx, siteId);
      if (input.name !== undefined) await renameSite(tx, siteId, input.name);
      if (input.custom_domain === undefined || host === before?.custom_domain) return;
      await removeCustomHost(tx, siteId);
      if (host !== null) await insertCustomHost(tx, siteId, host, services.clock.now());
      touched = [before?.custom_domain, host].filter((one) => typeof one === 'string');
      await announceHosts(services, tx, touched);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw domainTaken('custom_domain');
    throw error;
  }
  forgetHosts(services, touched);
  const site = await siteById(services.database.global, siteId);
  if (site === undefined) throw notFound('This site');
  return presentSite(services, site);
}

async function announceHosts(services: Services, tx: GlobalDb, hosts: readonly string[]): Promise<void> {
  for (const host of hosts) await services.cache.announce(tx, `host:${host}`);
}

function forgetHosts(services: Services, hosts: readonly string[]): void {
  for (const host of hosts) services.cache.forget(`host:${host}`);
}

export function findMemberSite(
  services: Services,
  userId: string,
  organizationId: string,
  siteId: string,
): Promise<boolean> {
  return memberSite(services.database.global, userId, organizationId, siteId);
}

/** The site that a host name shows, or null; a public look-up that comes before any tenant. */
export function findSiteOfHost(services: Services, host: string): Promise<string | null> {
  if (!/^[a-z0-9.-]{1,253}$/.test(host)) return Promise.resolve(null);
  return services.cache.get(`host:${host}`, 'site', () => siteIdOfHost(services.database.global, host));
}

export async function requireSiteOfHost(services: Services, host: string): Promise<string> {
  const siteId = await findSiteOfHost(services, host);
  if (siteId === null) throw notFound('This site');
  return siteId;
}

/** The address under which a site's pages are best known. */
export async function urlOfSite(services: Services, siteId: string): Promise<string> {
  const site = await siteById(services.database.global, siteId);
  if (site === undefined) throw notFound('This site');
  return presentSite(services, site).url;
}

/** @returns what the checker says about a wished subdomain, with the spec's texts */
export async function checkDomain(
  services: Services,
  value: string,
): Promise<{ error: boolean; message: string }> {
  const checked = subdomainHost(value, services.config.siteDomain);
  if ('problem' in checked) {
    return checked.problem === 'invalid'
      ? { error: true, message: CHECKER_MESSAGES.domainInvalid(value) }
      : { error: true, message: CHECKER_MESSAGES.domainTaken };
  }
  const taken = (await siteIdOfHost(services.database.global, checked.host)) !== null;
  return { error: taken, message: taken ? CHECKER_MESSAGES.domainTaken : CHECKER_MESSAGES.domainFree };
}

import type { z } from 'zod';
import { CHECKER_MESSAGES } from '#contract/checkers.ts';
import type { Operator } from '#contract/operator.ts';
import type { Site, updateSite as updateSiteRoute } from '#contract/sites.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeDomain } from '#server/accounts/domains/domains.ts';
import { beginRoundsNow } from '#server/sync/tool-links/tool-links.sql.ts';
import { siteUrl } from '#server/platform/config.ts';
import { enterSite, type GlobalDb, oneAtATime, type SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { siteTag } from './change-site.ts';
import { customHost, subdomainHost } from './host-names.ts';
import { findSiteOfHost, forgetHost, isHostFree, takeHost } from './hosts.ts';
import {
  insertSite,
  lockSite,
  renameSite,
  setDeliveryContentDays,
  setLinkLifetime,
  setOperator,
  setSender,
  siteById,
  type SiteRow,
  sitesOfOrganization,
} from './sites.sql.ts';

export const MAX_SITES_OF_ORGANIZATION = 200;

const NO_OPERATOR: Operator = { legal_name: '', postal_address: '', privacy_url: '', imprint_url: '' };

const OPERATOR_FIELDS = ['legal_name', 'postal_address', 'privacy_url', 'imprint_url'] as const;

/** The host under which a site is best known: its own domain as soon as that is verified. */
function bestHost(site: SiteRow): string {
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
    await oneAtATime(tx, `sites:${organizationId}`);
    await oneAtATime(tx, `host:${host}`);
    const sites = await sitesOfOrganization(tx, organizationId);
    if (sites.length >= MAX_SITES_OF_ORGANIZATION) {
      throw new AppError('limit_reached', `An organization has at most ${MAX_SITES_OF_ORGANIZATION} sites.`);
    }
    await insertSite(tx, site);
    const { taken } = await takeHost(services, tx, site, { host, kind: 'subdomain' });
    if (!taken) throw domainTaken('domain_name');
    // Before the commit: what is made is answered, whatever becomes of the database then.
    const answer = await requireSite(services, tx, site.id);
    await recordChange(services, await enterSite(tx, site.id), 'site.created', site);
    return answer;
  });
  forgetHost(services, host);
  return created;
}

async function requireSite(services: Services, tx: GlobalDb, id: string): Promise<Site> {
  const site = await siteById(tx, id);
  if (site === undefined) throw notFound('This site');
  return presentSite(services, site);
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
  organizationId: string,
  siteId: string,
  input: z.output<(typeof updateSiteRoute)['body']>,
): Promise<Site> {
  const host =
    typeof input.custom_domain === 'string' ? requireCustomHost(services, input.custom_domain) : null;
  const { site, touched, isShownElse } = await services.database.inTransaction(async (tx) => {
    await lockSite(tx, siteId);
    const before = await siteById(tx, siteId);
    const within = await enterSite(tx, siteId);
    if (input.name !== undefined && input.name !== before?.name) {
      await renameSite(tx, siteId, input.name);
      await recordChange(services, within, 'site.renamed', { id: siteId, name: input.name });
    }
    const days = input.link_lifetime_days;
    if (days !== undefined && days !== before?.link_lifetime_days) {
      await changeLinkLifetime(services, tx, within, days);
    }
    const contentDays = input.delivery_content_days;
    if (contentDays !== undefined && contentDays !== before?.delivery_content_days) {
      await setDeliveryContentDays(tx, siteId, contentDays);
      const subject = { id: siteId, count: contentDays };
      await recordChange(services, within, 'site.delivery_content_days_changed', subject);
    }
    const isElse = [
      await changeSender(services, tx, within, before, input),
      await changeOperator(services, tx, within, before, input.operator),
    ].some(Boolean);
    if (isElse) await services.cache.announce(tx, siteTag(siteId));
    const changed =
      input.custom_domain === undefined
        ? null
        : await moveTo(services, tx, { before, within, organizationId, host });
    return { site: await requireSite(services, tx, siteId), touched: changed, isShownElse: isElse };
  });
  if (touched !== null) forgetHost(services, touched);
  if (isShownElse || input.link_lifetime_days !== undefined) services.cache.forget(siteTag(siteId));
  return site;
}

/** @returns the host under which the site is not served any more */
async function moveTo(
  services: Services,
  tx: GlobalDb,
  {
    before,
    within,
    organizationId,
    host,
  }: {
    before: SiteRow | undefined;
    within: Awaited<ReturnType<typeof enterSite>>;
    organizationId: string;
    host: string | null;
  },
): Promise<string | null> {
  if (host !== null && (await isDomainOfSister(tx, organizationId, within.id, host))) {
    throw domainTaken('custom_domain');
  }
  if (before?.custom_domain !== host) await recordDomain(services, within, host);
  return changeDomain(services, tx, within.id, host);
}

/** A shorter one makes links in the tools' fields old at once: they are looked at next. */
async function changeLinkLifetime(
  services: Services,
  tx: GlobalDb,
  site: Pick<SiteDb, 'id' | 'db'>,
  days: number,
): Promise<void> {
  await setLinkLifetime(tx, site.id, days);
  await beginRoundsNow(site, services.clock.now());
  await recordChange(services, site, 'site.link_lifetime_changed', { id: site.id, count: days });
  await services.cache.announce(tx, siteTag(site.id));
}

/** @returns whether anything is different */
async function changeSender(
  services: Services,
  tx: GlobalDb,
  site: Pick<SiteDb, 'id' | 'db'>,
  before: SiteRow | undefined,
  input: Pick<z.output<(typeof updateSiteRoute)['body']>, 'sender_name' | 'reply_to'>,
): Promise<boolean> {
  const sender = {
    sender_name: input.sender_name ?? before?.sender_name ?? '',
    reply_to: input.reply_to ?? before?.reply_to ?? '',
  };
  if (sender.sender_name === before?.sender_name && sender.reply_to === before.reply_to) return false;
  await setSender(tx, site.id, sender);
  await recordChange(services, site, 'site.sender_changed', { id: site.id });
  return true;
}

/** @returns whether anything is different */
async function changeOperator(
  services: Services,
  tx: GlobalDb,
  site: Pick<SiteDb, 'id' | 'db'>,
  before: SiteRow | undefined,
  operator: Operator | undefined,
): Promise<boolean> {
  if (operator === undefined) return false;
  const known = before?.operator ?? NO_OPERATOR;
  if (OPERATOR_FIELDS.every((field) => known[field] === operator[field])) return false;
  await setOperator(tx, site.id, operator);
  await recordChange(services, site, 'site.operator_changed', { id: site.id });
  return true;
}

/** Who is behind the site's pages; null where nothing is said. Kept between changes. */
export function operatorOf(services: Services, siteId: string): Promise<Operator | null> {
  return services.cache.get(siteTag(siteId), 'operator', async () => {
    const { operator } = await requireSite(services, services.database.global, siteId);
    return Object.values(operator).some((one) => one !== '') ? operator : null;
  });
}

/** How long a personal link of the site proves its customer, in days. */
export function linkLifetimeOf(services: Services, siteId: string): Promise<number> {
  return services.cache.get(siteTag(siteId), 'link-lifetime', async () => {
    const site = await requireSite(services, services.database.global, siteId);
    return site.link_lifetime_days;
  });
}

async function recordDomain(
  services: Services,
  site: Awaited<ReturnType<typeof enterSite>>,
  host: string | null,
): Promise<void> {
  if (host === null) await recordChange(services, site, 'domain.removed', { id: site.id });
  else await recordChange(services, site, 'domain.set', { id: site.id, name: host });
}

/** Another site of the same organization is served there: it has to give the domain up first. */
async function isDomainOfSister(
  tx: GlobalDb,
  organizationId: string,
  siteId: string,
  host: string,
): Promise<boolean> {
  const sites = await sitesOfOrganization(tx, organizationId);
  return sites.some((site) => site.id !== siteId && bestHost(site) === host);
}

export async function requireSiteOfHost(services: Services, host: string): Promise<string> {
  const siteId = await findSiteOfHost(services, host);
  if (siteId === null) throw notFound('This site');
  return siteId;
}

/** null when there is no such site (any more) */
export async function findSite(services: Services, id: string): Promise<Site | null> {
  const site = await siteById(services.database.global, id);
  return site === undefined ? null : presentSite(services, site);
}

export async function isSiteOf(services: Services, id: string, organizationId: string): Promise<boolean> {
  return (await siteById(services.database.global, id))?.organization_id === organizationId;
}

/** The address under which a site's pages are best known. */
export async function urlOfSite(services: Services, siteId: string): Promise<string> {
  return (await requireSite(services, services.database.global, siteId)).url;
}

/**
 * @param organizationId of who asks: a name that it gave up itself is free for it
 * @returns what the checker says about a wished subdomain, with the spec's texts
 */
export async function checkDomain(
  services: Services,
  value: string,
  organizationId: string | null,
): Promise<{ error: boolean; message: string }> {
  const checked = subdomainHost(value, services.config.siteDomain);
  if ('problem' in checked) {
    return checked.problem === 'invalid'
      ? { error: true, message: CHECKER_MESSAGES.domainInvalid(value) }
      : { error: true, message: CHECKER_MESSAGES.domainTaken };
  }
  const isFree = await isHostFree(services, checked.host, organizationId);
  return { error: !isFree, message: isFree ? CHECKER_MESSAGES.domainFree : CHECKER_MESSAGES.domainTaken };
}

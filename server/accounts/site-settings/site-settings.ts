import type { z } from 'zod';
import { isSameAddress } from '#contract/email-key.ts';
import type { Operator } from '#contract/operator.ts';
import { isMailbox } from '#contract/site-addresses.ts';
import type { Site, updateSite as updateSiteRoute } from '#contract/sites.ts';
import { askNewEvidenceMailbox } from '#server/accounts/accounts/evidence-mailbox.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeDomain } from '#server/accounts/domains/domains.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import { customHost } from '#server/accounts/sites/host-names.ts';
import { evictHost } from '#server/accounts/sites/hosts.ts';
import {
  lockSite,
  renameSite,
  setDeliveryContentDays,
  setEvidenceAnchor,
  setLinkLifetime,
  setOperator,
  setSender,
  setTestMode,
  siteById,
  type SiteRow,
  sitesOfOrganization,
} from '#server/accounts/sites/sites.sql.ts';
import { bestHost, domainTaken, NO_OPERATOR, requireSite } from '#server/accounts/sites/sites.ts';
import { accountOf } from '#server/accounts/users/find-account.ts';
import { enterSite, type GlobalDb, type SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import { looksPublic } from '#server/platform/ip-addresses.ts';
import type { Services } from '#server/platform/services.ts';

/** Schedules the renewal of links in tools' fields, in the caller's transaction. Passed in by a layer above. */
export type RenewLinks = (site: Pick<SiteDb, 'id' | 'db'>, now: Date) => Promise<void>;

/** Makes what waited for the site to go live due, after the commit. Passed in by a layer above. */
export type ReleaseHeld = (services: Services, siteId: string) => Promise<void>;

/** What layers above do along with a change of a site's settings. */
export interface SiteHooks {
  renewLinks: RenewLinks;
  releaseHeld: ReleaseHeld;
}

const OPERATOR_FIELDS = ['legal_name', 'postal_address', 'privacy_url', 'imprint_url'] as const;

export async function updateSite(
  services: Services,
  { organizationId, siteId, userId }: { organizationId: string; siteId: string; userId: string },
  input: z.output<(typeof updateSiteRoute)['body']>,
  { renewLinks, releaseHeld }: SiteHooks,
): Promise<Site> {
  const host =
    typeof input.custom_domain === 'string' ? requireCustomHost(services, input.custom_domain) : null;
  const { site, touched, isShownElse, goesLive, isNewMailbox } = await services.database.inTransaction(
    async (tx) => {
      await lockSite(tx, siteId);
      const before = await siteById(tx, siteId);
      const within = await enterSite(tx, siteId);
      if (input.name !== undefined && input.name !== before?.name) {
        await renameSite(tx, siteId, input.name);
        await recordChange(services, within, 'site.renamed', { id: siteId, name: input.name });
      }
      const days = input.link_lifetime_days;
      if (days !== undefined && days !== before?.link_lifetime_days) {
        await changeLinkLifetime(services, tx, within, days, renewLinks);
      }
      const contentDays = input.delivery_content_days;
      if (contentDays !== undefined && contentDays !== before?.delivery_content_days) {
        await setDeliveryContentDays(tx, siteId, contentDays);
        const subject = { id: siteId, count: contentDays };
        await recordChange(services, within, 'site.delivery_content_days_changed', subject);
      }
      const isNewMailbox = await changeEvidenceAnchor(services, tx, { within, before, userId }, input);
      const isElse = [
        await changeSender(services, tx, within, before, input),
        await changeOperator(services, tx, within, before, input.operator),
        await changeTestMode(services, tx, within, before, input),
      ].some(Boolean);
      if (isElse) await services.cache.announce(tx, siteTag(siteId));
      const changed =
        input.custom_domain === undefined
          ? null
          : await moveTo(services, tx, { before, within, organizationId, host });
      return {
        site: await requireSite(services, tx, siteId),
        touched: changed,
        isShownElse: isElse,
        goesLive: before?.test_mode === true && input.test_mode === false,
        isNewMailbox,
      };
    },
  );
  if (touched !== null) evictHost(services, touched);
  if (isShownElse || input.link_lifetime_days !== undefined) services.cache.evict(siteTag(siteId));
  if (goesLive) await releaseHeld(services, siteId);
  if (isNewMailbox) await askNewEvidenceMailbox(services, siteId, userId);
  return site;
}

/** @throws AppError `invalid_field`, `reserved_name` */
function requireCustomHost(services: Services, value: string): string {
  const { siteDomain, appUrl } = services.config;
  const checked = customHost(value, { siteDomain, appHostName: new URL(appUrl).hostname });
  if ('host' in checked) return checked.host;
  if (checked.problem === 'reserved') {
    throw new AppError('reserved_name', `custom_domain: ${siteDomain} is ours. Use your own domain.`, {
      field: 'custom_domain',
    });
  }
  throw new AppError('invalid_field', 'custom_domain: must be a host name like mail.example.com.', {
    field: 'custom_domain',
  });
}

/** @returns the host that no longer serves the site */
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
  if (before?.custom_domain !== host) await recordDomain(services, within, before?.custom_domain ?? '', host);
  return changeDomain(services, tx, within.id, host);
}

/** A shorter lifetime makes links in tools' fields expire early: they are renewed next. */
async function changeLinkLifetime(
  services: Services,
  tx: GlobalDb,
  site: Pick<SiteDb, 'id' | 'db'>,
  days: number,
  renewLinks: RenewLinks,
): Promise<void> {
  await setLinkLifetime(tx, site.id, days);
  await renewLinks(site, services.clock.now());
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

/** @throws AppError `invalid_field` */
function requirePublicAnchor({ config }: Services, anchor: string): void {
  if (anchor === '' || isMailbox(anchor) || config.allowPrivateTargets || looksPublic(new URL(anchor)))
    return;
  throw invalidField(
    'evidence_anchor',
    'evidence_anchor: leads to a private address. Use one that is reachable from the internet.',
  );
}

/** @returns whether it goes to a mailbox now that has to agree first */
async function changeEvidenceAnchor(
  services: Services,
  tx: GlobalDb,
  {
    within: site,
    before,
    userId,
  }: { within: Pick<SiteDb, 'id' | 'db'>; before: SiteRow | undefined; userId: string },
  { evidence_anchor: anchor }: Pick<z.output<(typeof updateSiteRoute)['body']>, 'evidence_anchor'>,
): Promise<boolean> {
  if (anchor === undefined || anchor === before?.evidence_anchor) return false;
  requirePublicAnchor(services, anchor);
  const isOwn = isMailbox(anchor) && (await isProvenMailboxOf(tx, userId, anchor));
  const agreed = isOwn ? anchor : '';
  await setEvidenceAnchor(tx, site.id, { evidence_anchor: anchor, evidence_anchor_agreed: agreed });
  await recordChange(services, site, 'site.evidence_anchor_changed', { id: site.id });
  return isMailbox(anchor) && !isOwn;
}

async function isProvenMailboxOf(tx: GlobalDb, userId: string, email: string): Promise<boolean> {
  const account = await accountOf(tx, userId);
  return account !== undefined && account.email_proven_at !== null && isSameAddress(account.email, email);
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

/** @returns whether anything is different */
async function changeTestMode(
  services: Services,
  tx: GlobalDb,
  site: Pick<SiteDb, 'id' | 'db'>,
  before: SiteRow | undefined,
  input: Pick<z.output<(typeof updateSiteRoute)['body']>, 'test_mode' | 'test_emails'>,
): Promise<boolean> {
  const known = { test_mode: before?.test_mode ?? false, test_emails: before?.test_emails ?? [] };
  const wanted = {
    test_mode: input.test_mode ?? known.test_mode,
    test_emails: input.test_emails ?? known.test_emails,
  };
  const isSwitched = wanted.test_mode !== known.test_mode;
  const isOtherEmails = JSON.stringify(wanted.test_emails) !== JSON.stringify(known.test_emails);
  if (!isSwitched && !isOtherEmails) return false;
  await setTestMode(tx, site.id, wanted);
  if (isOtherEmails) {
    const subject = { id: site.id, count: wanted.test_emails.length };
    await recordChange(services, site, 'site.test_emails_changed', subject);
  }
  if (isSwitched) {
    const event = wanted.test_mode ? 'site.test_mode_on' : 'site.test_mode_off';
    await recordChange(services, site, event, { id: site.id });
  }
  return true;
}

async function recordDomain(
  services: Services,
  site: Awaited<ReturnType<typeof enterSite>>,
  former: string,
  host: string | null,
): Promise<void> {
  if (host === null) await recordChange(services, site, 'domain.removed', { id: site.id, name: former });
  else await recordChange(services, site, 'domain.set', { id: site.id, name: host });
}

/** Another site of the same organization uses the domain, and has to release it first. */
async function isDomainOfSister(
  tx: GlobalDb,
  organizationId: string,
  siteId: string,
  host: string,
): Promise<boolean> {
  const sites = await sitesOfOrganization(tx, organizationId);
  return sites.some((site) => site.id !== siteId && bestHost(site) === host);
}

import type { DnsRecord, DomainFindings, RecordFinding, SiteDomain } from '#contract/domains.ts';
import { notifyResponsible } from '#server/accounts/organizations/notify-responsible.ts';
import { evictHost, revokeHost, releaseHost, claimHost } from '#server/accounts/sites/hosts.ts';
import { screenLink } from '#server/accounts/sites/screen-link.ts';
import { siteById } from '#server/accounts/sites/sites.sql.ts';
import { siteUrl } from '#server/platform/config.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import { equalBytes, type Keyring, sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { type DomainRecords, lookUpRecords, proofName } from './dns-records.ts';
import { domainMail } from './domains.mails.ts';
import {
  deleteDomain,
  domainOfSite,
  type DomainRow,
  insertDomain,
  lockDomain,
  updateDomain,
} from './domains.sql.ts';

/** A TXT record may be missing briefly while somebody edits it; after this long the domain is lost. */
export const LOST_AFTER_DAYS = 7;
/** Owners are warned in time to restore the record. */
const WARNED_AFTER_DAYS = 1;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const PROOF_PREFIX = 'sayso-verification=';
const PROOF_BYTES = 16;

function proofSignature(key: Buffer, siteId: string, host: string): Buffer {
  return sign(key, Buffer.from(`${siteId} ${host}`), PROOF_BYTES);
}

/** The TXT value that proves that a site's owner controls a domain. */
export function domainProof(keyring: Keyring, siteId: string, host: string): string {
  const { id, key } = keyring.derive('domain-proof');
  return `${PROOF_PREFIX}${Buffer.concat([id, proofSignature(key, siteId, host)]).toString('hex')}`;
}

function isDomainProof(keyring: Keyring, siteId: string, host: string, value: string): boolean {
  if (!value.startsWith(PROOF_PREFIX)) return false;
  const bytes = Buffer.from(value.slice(PROOF_PREFIX.length), 'hex');
  const signature = bytes.subarray(-PROOF_BYTES);
  const key = keyring.deriveById('domain-proof', bytes.subarray(0, -PROOF_BYTES));
  return key !== null && equalBytes(proofSignature(key, siteId, host), signature);
}

/**
 * Sets, changes or removes a site's own domain, under the lock of the site. A verified one is released.
 * @returns the host that is no longer served after the commit
 */
export async function changeDomain(
  services: Services,
  tx: GlobalDb,
  siteId: string,
  host: string | null,
): Promise<string | null> {
  const before = await lockDomain(tx, siteId);
  if (before?.host === host) return null;
  const released = before !== undefined && before.verified_at !== null ? before.host : null;
  if (released !== null) await releaseHost(services, tx, siteId, released);
  if (before !== undefined) await deleteDomain(tx, siteId);
  if (host !== null) await insertDomain(tx, siteId, host, services.clock.now());
  return released;
}

export async function getDomain(services: Services, siteId: string): Promise<SiteDomain> {
  return presentDomain(services, await requireDomain(services, siteId));
}

async function requireDomain(services: Services, siteId: string): Promise<DomainRow> {
  const domain = await domainOfSite(services.database.global, siteId);
  if (domain === undefined) throw notFound("This site's domain");
  return domain;
}

/** Checks the records now and updates the domain. */
export async function checkDomainRecords(services: Services, siteId: string): Promise<SiteDomain> {
  const domain = await requireDomain(services, siteId);
  const news = await checkRecords(services, domain);
  // The caller sees a success; failures are mailed to all owners.
  if (news !== null && news !== 'verified') await notifyDomainOwners(services, domain, news);
  return getDomain(services, siteId);
}

export async function notifyDomainOwners(
  services: Services,
  domain: DomainRow,
  news: NonNullable<DomainNews>,
): Promise<void> {
  const link =
    news === 'verified'
      ? siteUrl(services.config, domain.host)
      : screenLink(services.config, domain.site_id, '/site-settings');
  const lostAt = lossOf(domain.proof_missing_since ?? services.clock.now());
  await notifyResponsible(services, domain.site_id, (language) =>
    domainMail({ news, host: domain.host, lostAt, link, language }),
  );
}

function lossOf(missingSince: Date): Date {
  return new Date(missingSince.getTime() + LOST_AFTER_DAYS * DAY_MS);
}

/** The outcomes of a check that owners are notified of. */
export type DomainNews = 'verified' | 'losing' | 'lapsed' | null;

export async function checkRecords(services: Services, domain: DomainRow): Promise<DomainNews> {
  const site = await siteById(services.database.global, domain.site_id);
  if (site === undefined) return null;
  const records = await lookUpRecords(services.dns, {
    host: domain.host,
    target: site.domain_name,
    isProof: (value) =>
      value === domain.proof || isDomainProof(services.keyring, domain.site_id, domain.host, value),
  });
  const news = await services.database.inTransaction(async (tx) => {
    const current = await lockDomain(tx, domain.site_id);
    // The domain was changed during the check: the result is about the old one.
    if (current?.host !== domain.host) return null;
    return current.verified_at === null
      ? tryToVerify(services, tx, { ...current, organization_id: site.organization_id }, records)
      : holdOrLose(services, tx, current, records);
  });
  if (news === 'verified' || news === 'lapsed') evictHost(services, domain.host);
  return news;
}

async function tryToVerify(
  services: Services,
  tx: GlobalDb,
  domain: DomainRow & { organization_id: string },
  records: DomainRecords,
): Promise<DomainNews> {
  const now = services.clock.now();
  const isComplete = records.provenBy !== null && records.pointing.status === 'found';
  const site = { id: domain.site_id, organization_id: domain.organization_id };
  const outcome = isComplete
    ? await claimHost(services, tx, site, { host: domain.host, kind: 'custom' })
    : null;
  const isVerified = outcome?.taken === true;
  const blocked =
    outcome === null || outcome.taken
      ? null
      : { by: outcome.by, until: outcome.until?.toISOString() ?? null };
  await keep(tx, domain, records, blocked, {
    checked_at: now,
    next_check_at: nextLook(now, isVerified ? 6 * HOUR_MS : pendingInterval(domain, now)),
    ...(isVerified ? { verified_at: now, proof: records.provenBy, lapsed_at: null } : {}),
  });
  return isVerified ? 'verified' : null;
}

async function holdOrLose(
  services: Services,
  tx: GlobalDb,
  domain: DomainRow,
  records: DomainRecords,
): Promise<DomainNews> {
  const now = services.clock.now();
  const looked = { checked_at: now, next_check_at: nextLook(now, 6 * HOUR_MS) };
  // A failed query says nothing about the record: a working domain stays as it is.
  if (records.proof.status === 'unknown') {
    await keep(tx, domain, records, null, { ...looked, next_check_at: nextLook(now, HOUR_MS) });
    return null;
  }
  if (records.provenBy !== null) {
    const isProven = { proof: records.provenBy, proof_missing_since: null, warned_at: null };
    await keep(tx, domain, records, null, { ...looked, ...isProven });
    return null;
  }
  const missingSince = domain.proof_missing_since ?? now;
  const missingMs = now.getTime() - missingSince.getTime();
  if (missingMs >= LOST_AFTER_DAYS * DAY_MS) {
    await revokeHost(services, tx, domain.site_id, domain.host);
    const isLost = { verified_at: null, proof: null, proof_missing_since: null, warned_at: null };
    await keep(tx, domain, records, null, { ...looked, ...isLost, lapsed_at: now });
    return 'lapsed';
  }
  const isToBeWarned = domain.warned_at === null && missingMs >= WARNED_AFTER_DAYS * DAY_MS;
  await keep(tx, domain, records, null, {
    checked_at: now,
    next_check_at: nextLook(now, HOUR_MS),
    proof_missing_since: missingSince,
    ...(isToBeWarned ? { warned_at: now } : {}),
  });
  return isToBeWarned ? 'losing' : null;
}

async function keep(
  tx: GlobalDb,
  domain: DomainRow,
  records: DomainRecords,
  blocked: DomainFindings['blocked'],
  fields: Parameters<typeof updateDomain>[2],
): Promise<void> {
  const { pointing, proof, addresses } = records;
  const findings: DomainFindings = { pointing, proof, addresses, blocked };
  await updateDomain(tx, domain.site_id, { ...fields, findings: JSON.stringify(findings) });
}

function nextLook(now: Date, inMs: number): Date {
  return new Date(now.getTime() + inMs);
}

/** A new domain is checked often, because somebody waits for it; an old unfinished one rarely. */
function pendingInterval(domain: DomainRow, now: Date): number {
  const ageMs = now.getTime() - domain.created_at.getTime();
  if (ageMs < HOUR_MS) return MINUTE_MS;
  return ageMs < 2 * DAY_MS ? 10 * MINUTE_MS : 6 * HOUR_MS;
}

async function presentDomain(services: Services, domain: DomainRow): Promise<SiteDomain> {
  const site = await siteById(services.database.global, domain.site_id);
  if (site === undefined) throw notFound('This site');
  const unchecked: RecordFinding = { status: 'unchecked', found: [] };
  const { pointing = unchecked, proof = unchecked, addresses = [] } = domain.findings ?? {};
  const records: DnsRecord[] = [
    { type: 'CNAME', name: domain.host, value: site.domain_name, ...pointing },
    {
      type: 'TXT',
      name: proofName(domain.host),
      // The one that stands needs no change when the product has a new key.
      value: domain.proof ?? domainProof(services.keyring, domain.site_id, domain.host),
      ...proof,
    },
  ];
  return {
    host: domain.host,
    status: domain.verified_at === null ? 'pending' : 'verified',
    records,
    addresses: [...addresses],
    notice: noticeOf(domain),
    verified_at: domain.verified_at?.toISOString() ?? null,
    checked_at: domain.checked_at?.toISOString() ?? null,
  };
}

function noticeOf(domain: DomainRow): SiteDomain['notice'] {
  const blocked = domain.findings?.blocked ?? null;
  if (blocked !== null) return { kind: blocked.by, until: blocked.until };
  const missingSince = domain.proof_missing_since;
  if (missingSince !== null) {
    return { kind: 'losing', until: lossOf(missingSince).toISOString() };
  }
  return domain.lapsed_at === null ? null : { kind: 'lapsed', until: null };
}

import type { EvidenceAnchor } from '#contract/proof.ts';
import type { EvidenceCheck, EvidenceFinding } from '#contract/evidence-check.ts';
import { SETTLES_AFTER_MS, settledBefore } from '#server/audience/evidence/settled.ts';
import {
  askEvidenceMailbox,
  evidenceMailboxAskedAt,
  mayReceiveEvidence,
} from '#server/accounts/accounts/evidence-mailbox.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { siteById } from '#server/accounts/sites/sites.ts';
import { hasForeignHead, missingFromHeads } from '#server/audience/evidence-heads/evidence-heads.ts';
import { lastAnchored } from '#server/audience/evidence-heads/evidence-heads.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { type Anchor, brokenSeal, isAnchorOfOurs, sealAnchor } from './anchor.ts';
import { countRounds, findRound, insertCheck, lastCheck } from './evidence-checks.sql.ts';
import { type Verified, verifySite } from './verify-site.ts';

export { forgetChecks } from './evidence-checks.sql.ts';

const OF_NOBODY = { customer_id: null, sequence: null, record_id: null };
const REWRITTEN: EvidenceFinding = { problem: 'rewritten', ...OF_NOBODY };
const FOREIGN_HEAD: EvidenceFinding = { problem: 'foreign_head', ...OF_NOBODY };

/** What the last check left behind, and whether somebody has been at that. */
async function knownOf(
  { database, keyring }: Pick<Services, 'database' | 'keyring'>,
  siteId: string,
): Promise<{ anchor: Anchor | null; isTouched: boolean }> {
  const { check, round } = await database.readSite(siteId, async (site) => ({
    check: await lastCheck(site),
    round: await findRound(site, siteId),
  }));
  // A check was made, and what it saw is gone.
  if (check === undefined) return { anchor: null, isTouched: (round?.checked_at ?? null) !== null };
  const isOurs = isAnchorOfOurs(keyring, siteId, check);
  return { anchor: isOurs === true ? check.anchor : null, isTouched: isOurs === false };
}

const isSameAnchor = (one: Anchor, other: Anchor) =>
  one.records === other.records && one.digest === other.digest;

export interface CheckOptions {
  /** How old records are that the anchor holds. */
  settlesAfterMs?: number;
  onProgress?: (records: number) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Computes all evidence of a site again, holds it against what the last check saw and what was signed, and looks for heads
 * that someone else signed. It writes nothing.
 */
export async function examineSite(
  services: Pick<Services, 'database' | 'keyring'>,
  siteId: string,
  options: CheckOptions = {},
): Promise<Verified & { isTouched: boolean }> {
  const found = await examineRecords(services, siteId, options);
  if (await hasForeignHead(services, siteId))
    return { ...found, broken: found.broken + 1, findings: [FOREIGN_HEAD, ...found.findings] };
  if (found.broken > 0) return found;
  const missing = await missingFromHeads(services, siteId, options.signal);
  if (missing === null) return found;
  return { ...found, broken: 1, findings: [{ ...REWRITTEN, record_id: missing.recordId ?? null }] };
}

async function examineRecords(
  services: Pick<Services, 'database' | 'keyring'>,
  siteId: string,
  { settlesAfterMs = SETTLES_AFTER_MS, ...options }: CheckOptions,
): Promise<Verified & { isTouched: boolean }> {
  const { anchor: known, isTouched } = await knownOf(services, siteId);
  const before = settledBefore(settlesAfterMs);
  const found = await verifySite(services, siteId, { ...options, anchor: { known, before } });
  const isRewritten = isTouched || (known !== null && !isSameAnchor(known, found.knownAgain));
  if (!isRewritten) return { ...found, isTouched };
  return {
    ...found,
    isTouched,
    broken: Math.max(1, found.broken),
    findings: found.findings.length > 0 ? found.findings : [REWRITTEN],
    // What it once was is not forgotten: the next check says the same.
    anchor: known ?? found.anchor,
  };
}

/** The nightly check of one site; what it found is kept. */
export async function checkSite(
  services: Services,
  siteId: string,
  options: CheckOptions = {},
): Promise<Verified> {
  const found = await examineSite(services, siteId, options);
  const { records, chains, broken, findings, anchor, isTouched } = found;
  const { keyring } = services;
  await services.database.inSite(siteId, (site) =>
    insertCheck(site, {
      id: newId(),
      records,
      chains,
      broken,
      findings: JSON.stringify(findings),
      anchor: JSON.stringify(anchor),
      seal: isTouched ? brokenSeal(keyring, siteId) : sealAnchor(keyring, siteId, anchor),
      checked_at: services.clock.now(),
    }),
  );
  if (broken > 0)
    services.log.error({ site: siteId, broken, findings }, 'the evidence of a site failed its check');
  return found;
}

export async function getEvidenceCheck(services: Services, siteId: string): Promise<EvidenceCheck> {
  const check = await services.database.readSite(siteId, lastCheck);
  if (check === undefined) return { checked_at: null, records: 0, chains: 0, broken: 0, findings: [] };
  return {
    checked_at: check.checked_at.toISOString(),
    records: Number(check.records),
    chains: Number(check.chains),
    broken: check.broken,
    findings: check.findings,
  };
}

/** How many records and customers the last nightly check found, and up to where; null before the first. */
export async function countedAtLastCheck(
  site: SiteDb,
): Promise<{ records: number; before: string; customers: number; upTo: string } | null> {
  const check = await lastCheck(site);
  if (check === undefined) return null;
  const { anchor, chains, id } = check;
  return { records: anchor.records, before: anchor.before, customers: Number(chains), upTo: id };
}

/** Where the site's signed heads go, and how the last attempt went. @throws AppError `not_found` */
export async function getEvidenceAnchor(services: Services, siteId: string): Promise<EvidenceAnchor> {
  const site = await siteById(services.database.global, siteId);
  if (site === undefined) throw notFound('This site');
  const { evidence_anchor: target } = site;
  const askedAt = await evidenceMailboxAskedAt(services, site);
  const state = { target, agreed: mayReceiveEvidence(site), asked_at: askedAt?.toISOString() ?? null };
  const last = await services.database.readSite(siteId, lastAnchored);
  if (target === '' || last?.target !== target) return { ...state, head: null, sent_at: null, error: null };
  return {
    ...state,
    head: last.number,
    sent_at: last.arrived_at?.toISOString() ?? null,
    error: last.error,
  };
}

/** @throws AppError `not_found`, `conflict`, `rate_limited`, `unavailable` */
export async function askEvidenceAnchor(
  services: Services,
  siteId: string,
  userId: string,
): Promise<EvidenceAnchor> {
  const site = await siteById(services.database.global, siteId);
  if (site === undefined) throw notFound('This site');
  await askEvidenceMailbox(services, site, userId);
  await services.database.inSite(siteId, (db) =>
    recordChange(services, db, 'site.evidence_anchor_asked', { id: siteId }),
  );
  return getEvidenceAnchor(services, siteId);
}

/** For those who run the product; one statement. */
export async function evidenceOfAllSites({
  database,
}: Services): Promise<{ evidence: 'intact' | 'broken' | 'unchecked'; broken_sites: number }> {
  const { checked, broken } = await countRounds(database.global);
  if (broken > 0) return { evidence: 'broken', broken_sites: broken };
  return { evidence: checked === 0 ? 'unchecked' : 'intact', broken_sites: 0 };
}

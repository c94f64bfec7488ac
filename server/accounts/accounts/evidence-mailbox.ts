import { ACCOUNT_LINK_PATH } from '#contract/app-paths.ts';
import { emailKey } from '#contract/email-key.ts';
import { isMailbox } from '#contract/site-addresses.ts';
import { agreeToEvidence, siteById, type SiteRow, stopEvidence } from '#server/accounts/sites/sites.sql.ts';
import { accountOf } from '#server/accounts/users/find-account.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { equalBytes, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { type AccountLinkRow, endMailboxLinks, openMailboxLink } from './account-links.sql.ts';
import { EVIDENCE_LINK_DAYS, linkUsed, makeAccountLink } from './account-links.ts';
import { evidenceMailboxMail } from './evidence-mailbox.mails.ts';

/** Anyone who can save an email can have it mailed, from as many sites as they like. */
const MAILS_TO_MAILBOX: Limit = {
  ...{ name: 'evidence-mailbox', points: 5, perSeconds: 86_400 },
  exceeded: 'This mailbox was emailed too often today.',
};
const MAILS_OF_ORGANIZATION: Limit = {
  ...{ name: 'evidence-mailbox-organization', points: 20, perSeconds: 86_400 },
  exceeded: 'Too many mailboxes were emailed today.',
};

/** @throws AppError `rate_limited` */
export async function consumeMailboxLimits(
  { limits }: Services,
  organizationId: string,
  email: string,
): Promise<void> {
  await limits.use(MAILS_OF_ORGANIZATION, organizationId);
  await limits.use(MAILS_TO_MAILBOX, emailKey(email));
}

const linksOf = ({ id, evidence_anchor: email }: Anchored) =>
  ({ kind: 'receive_evidence', siteId: id, email }) as const;

type Anchored = Pick<SiteRow, 'id' | 'evidence_anchor' | 'evidence_anchor_agreed'>;

/** A mailbox may be anybody's, so it has to agree; a URL is served by those who set it up. */
export function mayReceiveEvidence({ evidence_anchor, evidence_anchor_agreed }: Anchored): boolean {
  return !isMailbox(evidence_anchor) || evidence_anchor_agreed === evidence_anchor;
}

/** When the mailbox was last mailed a link that it can still use; null: there is none. */
export async function evidenceMailboxAskedAt(services: Services, site: Anchored): Promise<Date | null> {
  if (mayReceiveEvidence(site)) return null;
  const { global } = services.database;
  const link = await openMailboxLink(global, linksOf(site), services.clock.now());
  return link?.created_at ?? null;
}

/**
 * Mails the link by which the mailbox of a site agrees.
 * @throws AppError `conflict`, `rate_limited`, `unavailable`
 */
export async function askEvidenceMailbox(services: Services, site: SiteRow, userId: string): Promise<void> {
  const { id, name, organization_id, evidence_anchor: email } = site;
  if (mayReceiveEvidence(site)) {
    throw new AppError('conflict', 'No mailbox has to agree. Reload to see where signed evidence is sent.');
  }
  await consumeMailboxLimits(services, organization_id, email);
  const { global } = services.database;
  const asking = await accountOf(global, userId);
  if (asking === undefined) throw notFound('The account of this API key');
  const link = await services.database.inTransaction(async (tx) => {
    await endMailboxLinks(tx, linksOf(site));
    return makeAccountLink(services, tx, userId, 'receive_evidence', { email, site_id: id });
  });
  try {
    const language = asking.attrs['language'];
    const mail = evidenceMailboxMail({
      of: 'receive_evidence',
      ...{ site: name, link, days: EVIDENCE_LINK_DAYS, language },
    });
    await services.mailer.send({ to: email, ...mail });
  } catch (cause) {
    await endMailboxLinks(global, linksOf(site));
    throw new AppError('unavailable', "We couldn't email the link. Try again in a few minutes.", { cause });
  }
}

/** Asks a mailbox that was just saved, once: while it has a link, saving it again sends nothing. */
export async function askNewEvidenceMailbox(
  services: Services,
  siteId: string,
  userId: string,
): Promise<void> {
  const site = await siteById(services.database.global, siteId);
  if (site === undefined || mayReceiveEvidence(site)) return;
  if ((await evidenceMailboxAskedAt(services, site)) !== null) return;
  await askEvidenceMailbox(services, site, userId).catch((error: unknown) =>
    services.log.warn({ err: error, site: siteId }, 'a mailbox for signed evidence could not be asked'),
  );
}

type EvidenceLink = Pick<AccountLinkRow, 'details'>;

/** @throws AppError `link_used` where the site is gone, or sends its heads elsewhere by now */
export async function siteOfEvidenceLink(tx: GlobalDb, { details }: EvidenceLink): Promise<SiteRow> {
  const site = details.site_id === undefined ? undefined : await siteById(tx, details.site_id);
  if (site?.evidence_anchor !== details.email) throw linkUsed();
  return site;
}

/** @throws AppError `link_used` */
export async function agreeByLink(tx: GlobalDb, link: EvidenceLink): Promise<SiteRow> {
  const site = await siteOfEvidenceLink(tx, link);
  if (!(await agreeToEvidence(tx, site.id, link.details.email))) throw linkUsed();
  return site;
}

type Stop = 'stop-evidence' | 'stop-records';

const ID_BYTES = 16;

/** Layout: site (16 bytes), SHA-256 of the email (32). It doesn't expire: a mailbox can always say no. */
export function sealStop(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  email: string,
  stop: Stop = 'stop-evidence',
): string {
  return keyring.seal(stop, Buffer.concat([idToBytes(siteId), sha256(email)]));
}

export function openStop(
  { keyring }: Pick<Services, 'keyring'>,
  token: string,
  stop: Stop = 'stop-evidence',
): { siteId: string; emailHash: Buffer } | null {
  const plain = keyring.open(stop, token);
  if (plain === null) return null;
  return { siteId: idFromBytes(plain.subarray(0, ID_BYTES)), emailHash: plain.subarray(ID_BYTES) };
}

/** The URL that each email with signed heads carries. */
export function stopLink(services: Services, siteId: string, email: string): string {
  return linkOfStop(services, sealStop(services, siteId, email));
}

export const linkOfStop = ({ config }: Services, token: string) =>
  `${config.appUrl}${ACCOUNT_LINK_PATH}?token=${token}`;

/** The site whose mailbox a token can stop; null: it is no such token. @throws AppError `link_used` */
export async function siteOfStop(services: Services, token: string): Promise<SiteRow | null> {
  const stop = openStop(services, token);
  if (stop === null) return null;
  const site = await siteById(services.database.global, stop.siteId);
  const email = site?.evidence_anchor_agreed ?? '';
  if (site === undefined || email === '' || !equalBytes(sha256(email), stop.emailHash)) throw linkUsed();
  return site;
}

/** @returns the site; null: it is no such token. @throws AppError `link_used` */
export async function stopByLink(services: Services, token: string): Promise<SiteRow | null> {
  const site = await siteOfStop(services, token);
  if (site !== null) await stopEvidence(services.database.global, site.id, site.evidence_anchor_agreed);
  return site;
}

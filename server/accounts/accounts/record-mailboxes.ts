import { emailKey } from '#contract/email-key.ts';
import { provenMailboxes } from '#server/accounts/organizations/members.sql.ts';
import { recordMailboxesOf, setRecordMailbox, type SiteMailboxes } from '#server/accounts/sites/sites.sql.ts';
import { accountOf } from '#server/accounts/users/find-account.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { equalBytes, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { type AccountLinkRow, endMailboxLinks, openMailboxLink } from './account-links.sql.ts';
import { EVIDENCE_LINK_DAYS, linkUsed, makeAccountLink } from './account-links.ts';
import { evidenceMailboxMail } from './evidence-mailbox.mails.ts';
import { consumeMailboxLimits, linkOfStop, openStop, sealStop } from './evidence-mailbox.ts';

/*
 * Evidence by email goes to a mailbox that a member of the organization has proven, or that has agreed (decision 080). A
 * mailbox that stopped it gets none, whosever it is.
 */

const KIND = 'receive_records';

async function mayReceive(global: GlobalDb, site: SiteMailboxes, key: string): Promise<boolean> {
  return site.record_mailboxes[key] ?? (await provenMailboxes(global, site.organization_id)).includes(key);
}

export async function mayReceiveRecords(
  { database: { global } }: Services,
  siteId: string,
  email: string,
): Promise<boolean> {
  const site = await recordMailboxesOf(global, siteId);
  return site !== undefined && (await mayReceive(global, site, emailKey(email)));
}

/**
 * Mails a mailbox the link by which it agrees, unless it needs none or still has one. What goes wrong is only logged:
 * saving the action again asks again.
 */
export async function askRecordMailbox(
  services: Services,
  { siteId, userId }: { siteId: string; userId: string },
  email: string,
): Promise<void> {
  try {
    await ask(services, siteId, userId, email);
  } catch (error) {
    services.log.warn({ err: error, site: siteId }, 'a mailbox for evidence could not be asked');
  }
}

async function ask(services: Services, siteId: string, userId: string, email: string): Promise<void> {
  const { global } = services.database;
  const site = await recordMailboxesOf(global, siteId);
  if (site === undefined || (await mayReceive(global, site, emailKey(email)))) return;
  const about = { kind: KIND, siteId, email: emailKey(email) } as const;
  if ((await openMailboxLink(global, about, services.clock.now())) !== undefined) return;
  const asking = await accountOf(global, userId);
  if (asking === undefined) return;
  await consumeMailboxLimits(services, site.organization_id, email);
  const details = { email: about.email, site_id: siteId };
  const link = await services.database.inTransaction((tx) =>
    makeAccountLink(services, tx, userId, KIND, details),
  );
  const language = asking.attrs['language'];
  const mail = evidenceMailboxMail({ of: KIND, site: site.name, link, days: EVIDENCE_LINK_DAYS, language });
  try {
    await services.mailer.send({ to: email, ...mail });
  } catch (error) {
    await endMailboxLinks(global, about);
    throw error;
  }
}

type RecordsLink = Pick<AccountLinkRow, 'details'>;

/** @throws AppError `link_used` where the site is gone */
export async function siteOfRecordsLink(tx: GlobalDb, { details }: RecordsLink): Promise<SiteMailboxes> {
  const site = details.site_id === undefined ? undefined : await recordMailboxesOf(tx, details.site_id);
  if (site === undefined) throw linkUsed();
  return site;
}

/** @throws AppError `link_used` */
export async function agreeToRecords(tx: GlobalDb, link: RecordsLink): Promise<SiteMailboxes> {
  const site = await siteOfRecordsLink(tx, link);
  if (!(await setRecordMailbox(tx, site.id, link.details.email, true))) throw linkUsed();
  return site;
}

const STOP = 'stop-records';

/** The URL that each email with evidence carries. */
export function stopRecordsLink(services: Services, siteId: string, email: string): string {
  return linkOfStop(services, sealStop(services, siteId, emailKey(email), STOP));
}

/** Whose evidence a token stops, and for which mailbox; null: it is no such token. @throws AppError `link_used` */
export async function mailboxOfStop(
  services: Services,
  token: string,
): Promise<{ site: SiteMailboxes; email: string } | null> {
  const stop = openStop(services, token, STOP);
  if (stop === null) return null;
  const { global } = services.database;
  const site = await recordMailboxesOf(global, stop.siteId);
  if (site === undefined) throw linkUsed();
  const known = [
    ...Object.keys(site.record_mailboxes),
    ...(await provenMailboxes(global, site.organization_id)),
  ];
  const email = known.find((key) => equalBytes(sha256(key), stop.emailHash));
  if (email === undefined || site.record_mailboxes[email] === false) throw linkUsed();
  return { site, email };
}

/** @returns what it stopped; null: it is no such token. @throws AppError `link_used` */
export async function stopRecordsByLink(services: Services, token: string) {
  const stopped = await mailboxOfStop(services, token);
  if (stopped !== null)
    await setRecordMailbox(services.database.global, stopped.site.id, stopped.email, false);
  return stopped;
}

/** Why an email with evidence isn't sent; null: it may be. */
export async function whyNoRecords(
  services: Services,
  siteId: string,
  email: string,
): Promise<string | null> {
  if (await mayReceiveRecords(services, siteId, email)) return null;
  return `Waits for ${email} to agree to get evidence, by the link that we email it. Save the action again to email a new link.`;
}

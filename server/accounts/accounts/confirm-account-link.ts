import type { AccountLinkKind } from '#contract/account-links.ts';
import type { SiteRow } from '#server/accounts/sites/sites.sql.ts';
import { lockUser } from '#server/accounts/users/users.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { changeEmail, restoreEmail } from './account-email.ts';
import { linkUsed } from './account-links.ts';
import { type AccountLinkRow, findAccountLink, useAccountLink } from './account-links.sql.ts';
import { emailTaken } from './accounts.ts';
import { agreeByLink, siteOfEvidenceLink, siteOfStop, stopByLink } from './evidence-mailbox.ts';
import { linkGoogleByMailbox } from './google-accounts.ts';
import { agreeToRecords, mailboxOfStop, siteOfRecordsLink, stopRecordsByLink } from './record-mailboxes.ts';

interface AccountLink {
  kind: AccountLinkKind;
  email: string;
  site_name: string | null;
}

interface Confirmed extends AccountLink {
  reset_token: string | null;
}

/** What other layers do. */
export interface LinkHooks {
  /** A mailbox has agreed to get the evidence of a site. */
  sendRecordsTo(services: Services, siteId: string, email: string): Promise<void>;
}

const stopOf = ({ name, evidence_anchor_agreed }: SiteRow) =>
  ({ kind: 'stop_evidence', email: evidence_anchor_agreed, site_name: name }) as const;

const stopRecordsOf = ({ site, email }: { site: { name: string }; email: string }) =>
  ({ kind: 'stop_records', email, site_name: site.name }) as const;

/** Says what a mailed link would do. @throws AppError `link_used` */
export async function readAccountLink(services: Services, token: string): Promise<AccountLink> {
  const { global } = services.database;
  const stop = await siteOfStop(services, token);
  if (stop !== null) return stopOf(stop);
  const ofRecords = await mailboxOfStop(services, token);
  if (ofRecords !== null) return stopRecordsOf(ofRecords);
  const link = await findAccountLink(global, sha256(token), services.clock.now());
  if (link === undefined) throw linkUsed();
  return { kind: link.kind, email: link.details.email, site_name: await siteNameOf(global, link) };
}

async function siteNameOf(global: GlobalDb, link: AccountLinkRow): Promise<string | null> {
  if (link.kind === 'receive_evidence') return (await siteOfEvidenceLink(global, link)).name;
  return link.kind === 'receive_records' ? (await siteOfRecordsLink(global, link)).name : null;
}

/**
 * Executes a mailed link, once.
 * @throws AppError `link_used`, `email_taken`, `other_google_account`
 */
export async function confirmAccountLink(
  services: Services,
  token: string,
  hooks: LinkHooks,
): Promise<Confirmed> {
  const stopped = await stopByLink(services, token);
  if (stopped !== null) return { ...stopOf(stopped), reset_token: null };
  const stoppedRecords = await stopRecordsByLink(services, token);
  if (stoppedRecords !== null) return { ...stopRecordsOf(stoppedRecords), reset_token: null };
  const hash = sha256(token);
  const now = services.clock.now();
  let afterCommit: () => void | Promise<void> = () => {};
  try {
    const confirmed = await services.database.inTransaction(async (tx) => {
      // Lock the account before its links, as everywhere, to avoid deadlocks.
      const found = await findAccountLink(tx, hash, now);
      const user = found && (await lockUser(tx, found.user_id));
      const link = await useAccountLink(tx, hash, now);
      if (link === undefined || user === undefined) throw linkUsed();
      const done = { kind: link.kind, email: link.details.email, site_name: null, reset_token: null };
      switch (link.kind) {
        case 'change_email':
          afterCommit = await changeEmail(services, tx, user, link.details.email);
          return done;
        case 'restore_email':
          return { ...done, reset_token: await restoreEmail(services, tx, user, link) };
        case 'link_google':
          afterCommit = await linkGoogleByMailbox(services, tx, user, link.details);
          return done;
        case 'receive_evidence':
          return { ...done, site_name: (await agreeByLink(tx, link)).name };
        case 'receive_records': {
          const { id, name } = await agreeToRecords(tx, link);
          afterCommit = () => hooks.sendRecordsTo(services, id, done.email);
          return { ...done, site_name: name };
        }
      }
    });
    await afterCommit();
    return confirmed;
  } catch (error) {
    if (isUniqueViolation(error)) throw emailTaken();
    throw error;
  }
}

import type { AccountLinkKind } from '#contract/account-links.ts';
import { lockUser } from '#server/accounts/users/users.sql.ts';
import { isUniqueViolation } from '#server/platform/database-errors.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { changeEmail, restoreEmail } from './account-email.ts';
import { linkUsed } from './account-links.ts';
import { findAccountLink, useAccountLink } from './account-links.sql.ts';
import { emailTaken } from './accounts.ts';
import { linkGoogleByMailbox } from './google-accounts.ts';

export interface Confirmed {
  kind: AccountLinkKind;
  email: string;
  reset_token: string | null;
}

/**
 * Executes a mailed link, once.
 * @throws AppError `link_used`, `email_taken`, `other_google_account`
 */
export async function confirmAccountLink(services: Services, token: string): Promise<Confirmed> {
  const hash = sha256(token);
  const now = services.clock.now();
  let afterCommit = () => {};
  try {
    const confirmed = await services.database.inTransaction(async (tx) => {
      // Lock the account before its links, as everywhere, to avoid deadlocks.
      const found = await findAccountLink(tx, hash, now);
      const user = found && (await lockUser(tx, found.user_id));
      const link = await useAccountLink(tx, hash, now);
      if (link === undefined || user === undefined) throw linkUsed();
      const done = { kind: link.kind, email: link.details.email, reset_token: null };
      switch (link.kind) {
        case 'change_email':
          afterCommit = await changeEmail(services, tx, user, link.details.email);
          return done;
        case 'restore_email':
          return { ...done, reset_token: await restoreEmail(services, tx, user, link) };
        case 'link_google':
          afterCommit = await linkGoogleByMailbox(services, tx, user, link.details);
          return done;
      }
    });
    afterCommit();
    return confirmed;
  } catch (error) {
    if (isUniqueViolation(error)) throw emailTaken();
    throw error;
  }
}

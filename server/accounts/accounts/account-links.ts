import { ACCOUNT_LINK_PATH } from '#contract/app-paths.ts';
import type { AccountLinkKind } from '#contract/account-links.ts';
import type { AccountLinkDetails } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { findAccountLink, insertAccountLink } from './account-links.sql.ts';

const MINUTES: Record<AccountLinkKind, number> = {
  change_email: 60,
  link_google: 30,
  restore_email: 3 * 24 * 60,
};

/** Stores a link as the hash of its token. @returns its URL, to be mailed */
export async function makeAccountLink(
  services: Services,
  tx: GlobalDb,
  userId: string,
  kind: AccountLinkKind,
  details: AccountLinkDetails,
): Promise<string> {
  const token = randomToken();
  const now = services.clock.now();
  await insertAccountLink(tx, {
    token_hash: sha256(token),
    user_id: userId,
    kind,
    details: JSON.stringify(details),
    created_at: now,
    expires_at: new Date(now.getTime() + MINUTES[kind] * 60_000),
    used_at: null,
  });
  return `${services.config.appUrl}${ACCOUNT_LINK_PATH}?token=${token}`;
}

export function linkUsed(): AppError {
  return new AppError('link_used', 'This link has expired or was already used. Ask for a new one.', {
    field: 'token',
  });
}

/** What a link would do. @throws AppError `link_used` */
export async function readAccountLink(
  services: Services,
  token: string,
): Promise<{ kind: AccountLinkKind; email: string }> {
  const link = await findAccountLink(services.database.global, sha256(token), services.clock.now());
  if (link === undefined) throw linkUsed();
  return { kind: link.kind, email: link.details.email };
}

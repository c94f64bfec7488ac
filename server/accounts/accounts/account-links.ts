import { ACCOUNT_LINK_PATH } from '#contract/app-paths.ts';
import type { StoredLinkKind } from '#contract/account-links.ts';
import type { AccountLinkDetails } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import { randomToken, sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { insertAccountLink } from './account-links.sql.ts';

export const EVIDENCE_LINK_DAYS = 7;

const MINUTES: Record<StoredLinkKind, number> = {
  change_email: 60,
  link_google: 30,
  restore_email: 3 * 24 * 60,
  receive_evidence: EVIDENCE_LINK_DAYS * 24 * 60,
  receive_records: EVIDENCE_LINK_DAYS * 24 * 60,
};

/** Stores a link as the hash of its token. @returns its URL, to be mailed */
export async function makeAccountLink(
  services: Services,
  tx: GlobalDb,
  userId: string,
  kind: StoredLinkKind,
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

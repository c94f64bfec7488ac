import { revokeKeysOfMember } from '#server/accounts/api-keys/api-keys.ts';
import { membershipsOf } from '#server/accounts/organizations/members.sql.ts';
import { deleteFactorsSince } from '#server/accounts/second-factors/second-factors.sql.ts';
import { endSessions } from '#server/accounts/sessions/sessions.ts';
import { expirePasswordLinks, updateUser, type UserRow } from '#server/accounts/users/users.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { endAccountLinksSince } from './account-links.sql.ts';

const EVER = new Date(0);

/**
 * Somebody has shown that the account's mailbox is theirs. Whoever signed up only typed the address, and may have been a
 * stranger: what the account collected until now ends, as none of it is the mailbox owner's for certain. Call it with
 * the account locked.
 */
export async function proveMailbox(services: Services, tx: GlobalDb, user: UserRow): Promise<void> {
  if (user.email_proven_at === null) await endCollected(services, tx, user.id);
}

/** Ends every way into the account but its mailbox. */
export async function endCollected(services: Services, tx: GlobalDb, userId: string): Promise<void> {
  const now = services.clock.now();
  await updateUser(tx, userId, {
    email_proven_at: now,
    password_hash: null,
    google_issuer: null,
    google_subject: null,
    google_email: null,
  });
  await endSessions(tx, userId, now);
  await expirePasswordLinks(tx, userId, now);
  await endAccountLinksSince(tx, userId, EVER);
  await deleteFactorsSince(tx, userId, EVER);
  for (const { organization_id: id } of await membershipsOf(tx, userId)) {
    await revokeKeysOfMember(services, tx, id, userId);
  }
}

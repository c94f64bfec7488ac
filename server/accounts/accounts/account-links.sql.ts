import { type Insertable, type Selectable, sql } from 'kysely';
import type { StoredLinkKind } from '#contract/account-links.ts';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export type AccountLinkRow = Selectable<GlobalTables['account_links']>;

export async function insertAccountLink(
  tx: GlobalDb,
  link: Insertable<GlobalTables['account_links']>,
): Promise<void> {
  await tx.db.insertInto('account_links').values(link).execute();
}

/** Links that can still be confirmed. */
function openLinks({ db }: GlobalDb, now: Date) {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('used_at', 'is', null)
    .where('expires_at', '>', now);
}

/** undefined: unknown, used or expired. */
export async function findAccountLink(
  tx: GlobalDb,
  tokenHash: Buffer,
  now: Date,
): Promise<AccountLinkRow | undefined> {
  return openLinks(tx, now).where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Marks the link as used; undefined when it is unknown, used or expired. */
export async function useAccountLink(
  tx: GlobalDb,
  tokenHash: Buffer,
  now: Date,
): Promise<AccountLinkRow | undefined> {
  return tx.db
    .updateTable('account_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** The last link of a kind that an account could still confirm. */
export async function openAccountLink(
  tx: GlobalDb,
  userId: string,
  kind: StoredLinkKind,
  now: Date,
): Promise<AccountLinkRow | undefined> {
  return openLinks(tx, now)
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Revokes the account's links of these kinds, and deletes expired ones of any kind. */
export async function endAccountLinks(
  tx: GlobalDb,
  userId: string,
  kinds: readonly StoredLinkKind[],
  now: Date,
): Promise<void> {
  await tx.db
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('kind', 'in', kinds), eb('expires_at', '<=', now)]))
    .execute();
}

/** What a mailbox is asked to agree to. */
interface MailboxLink {
  kind: 'receive_evidence' | 'receive_records';
  siteId: string;
  email: string;
}

function mailboxLinks({ kind, siteId, email }: MailboxLink) {
  return sql<boolean>`kind = ${kind} and details->>'site_id' = ${siteId} and details->>'email' = ${email}`;
}

/** The link by which a mailbox could still agree. */
export async function openMailboxLink(
  tx: GlobalDb,
  about: MailboxLink,
  now: Date,
): Promise<AccountLinkRow | undefined> {
  return openLinks(tx, now).where(mailboxLinks(about)).executeTakeFirst();
}

export async function endMailboxLinks(tx: GlobalDb, about: MailboxLink): Promise<void> {
  await tx.db.deleteFrom('account_links').where(mailboxLinks(about)).execute();
}

/** Links that were made at this moment or later. */
export async function endAccountLinksSince(tx: GlobalDb, userId: string, since: Date): Promise<void> {
  await tx.db
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .execute();
}

/** @returns whether there may be more */
export async function deleteExpiredAccountLinks(
  global: GlobalDb,
  before: Date,
  limit: number,
): Promise<boolean> {
  const { numDeletedRows } = await global.db
    .deleteFrom('account_links')
    .where('token_hash', 'in', (eb) =>
      eb.selectFrom('account_links').select('token_hash').where('expires_at', '<', before).limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}

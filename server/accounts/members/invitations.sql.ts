import type { Insertable, Selectable } from 'kysely';
import type { Role } from '#contract/roles.ts';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

type InvitationRow = Selectable<GlobalTables['invitations']>;

/** With the inviter's username. */
export type NamedInvitation = InvitationRow & { username: string };

function selectInvitations(tx: GlobalDb) {
  return tx.db
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select('users.username');
}

export async function invitationsOf(tx: GlobalDb, organizationId: string): Promise<NamedInvitation[]> {
  return selectInvitations(tx)
    .where('invitations.organization_id', '=', organizationId)
    .orderBy('invitations.id')
    .execute();
}

export async function invitationById(
  tx: GlobalDb,
  organizationId: string,
  id: string,
): Promise<NamedInvitation | undefined> {
  return selectInvitations(tx)
    .where('invitations.organization_id', '=', organizationId)
    .where('invitations.id', '=', id)
    .executeTakeFirst();
}

/** undefined if it does not exist or has expired */
export async function openInvitation(
  tx: GlobalDb,
  tokenHash: Buffer,
  now: Date,
): Promise<(NamedInvitation & { organization_name: string }) | undefined> {
  const invitation = await selectInvitations(tx)
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (invitation === undefined) return undefined;
  const organization = await tx.db
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', invitation.organization_id)
    .executeTakeFirst();
  return organization && { ...invitation, organization_name: organization.name };
}

export async function insertInvitation(tx: GlobalDb, row: Insertable<InvitationRow>): Promise<void> {
  await tx.db.insertInto('invitations').values(row).execute();
}

/** Replaces the link, which invalidates the former one. */
export async function renewInvitation(
  tx: GlobalDb,
  id: string,
  changes: { token_hash: Buffer; invited_by: string; sent_at: Date; expires_at: Date },
): Promise<void> {
  await tx.db.updateTable('invitations').set(changes).where('id', '=', id).execute();
}

/** @returns whether it existed: of two concurrent calls, one succeeds */
export async function deleteInvitation(tx: GlobalDb, organizationId: string, id: string): Promise<boolean> {
  const row = await tx.db
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Redeems an open invitation, once. */
export async function takeInvitation(
  tx: GlobalDb,
  tokenHash: Buffer,
  now: Date,
): Promise<InvitationRow | undefined> {
  return tx.db
    .deleteFrom('invitations')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Revokes the invitations that a member sent for these roles, and returns them. */
export async function endInvitationsBy(
  tx: GlobalDb,
  organizationId: string,
  userId: string,
  roles: readonly Role[],
): Promise<Pick<InvitationRow, 'id' | 'email'>[]> {
  if (roles.length === 0) return [];
  return tx.db
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('invited_by', '=', userId)
    .where('role', 'in', roles)
    .returning(['id', 'email'])
    .execute();
}

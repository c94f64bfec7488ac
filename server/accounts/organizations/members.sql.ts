import type { Insertable } from 'kysely';
import type { Role } from '#contract/roles.ts';
import type { GlobalTables } from '#db/tables.ts';
import type { GlobalDb } from '#server/platform/database.ts';

export interface MemberRow {
  id: string;
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  role: Role;
  created_at: Date;
}

/** null: not a member */
export async function roleIn(tx: GlobalDb, userId: string, organizationId: string): Promise<Role | null> {
  const row = await tx.db
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** Existing members keep their role. */
export async function insertMember(tx: GlobalDb, row: Insertable<GlobalTables['members']>): Promise<void> {
  await tx.db
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doNothing())
    .execute();
}

export async function membersOf(tx: GlobalDb, organizationId: string): Promise<MemberRow[]> {
  return tx.db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select([
      'users.id',
      'users.username',
      'users.email',
      'users.first_name',
      'users.last_name',
      'members.role',
      'members.created_at',
    ])
    .where('members.organization_id', '=', organizationId)
    .orderBy('members.created_at')
    .orderBy('users.id')
    .execute();
}

/** Keys of the emails that members of an organization have proven. */
export async function provenMailboxes(tx: GlobalDb, organizationId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.email_key')
    .where('members.organization_id', '=', organizationId)
    .where('users.email_proven_at', 'is not', null)
    .execute();
  return rows.map(({ email_key }) => email_key);
}

/** Serializes changes of members, so that two owners cannot demote each other at once. */
export async function lockMembers(
  tx: GlobalDb,
  organizationId: string,
): Promise<{ user_id: string; role: Role }[]> {
  return tx.db
    .selectFrom('members')
    .select(['user_id', 'role'])
    .where('organization_id', '=', organizationId)
    .orderBy('user_id')
    .forUpdate()
    .execute();
}

export async function setRole(
  tx: GlobalDb,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await tx.db
    .updateTable('members')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteMember(tx: GlobalDb, organizationId: string, userId: string): Promise<void> {
  await tx.db
    .deleteFrom('members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
  await tx.db
    .updateTable('users')
    .set({ organization_id: null })
    .where('id', '=', userId)
    .where('organization_id', '=', organizationId)
    .execute();
}

/** @returns false if the account already has an organization */
export async function setFirstOrganization(
  tx: GlobalDb,
  userId: string,
  organizationId: string,
): Promise<boolean> {
  const row = await tx.db
    .updateTable('users')
    .set({ organization_id: organizationId })
    .where('id', '=', userId)
    .where('organization_id', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function membersIn(
  tx: GlobalDb,
  organizationId: string,
  roles: readonly Role[],
): Promise<{ email: string; attrs: Record<string, unknown> }[]> {
  return tx.db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.email', 'users.attrs'])
    .where('members.organization_id', '=', organizationId)
    .where('members.role', 'in', roles)
    .execute();
}

export interface Membership {
  organization_id: string;
  role: Role;
  created_at: Date;
}

export async function membershipsOf(tx: GlobalDb, userId: string): Promise<Membership[]> {
  return tx.db
    .selectFrom('members')
    .select(['organization_id', 'role', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('organization_id')
    .execute();
}

/** Of several organizations at once. */
export async function rolesIn(
  tx: GlobalDb,
  organizationIds: readonly string[],
): Promise<{ organization_id: string; user_id: string; role: Role }[]> {
  if (organizationIds.length === 0) return [];
  return tx.db
    .selectFrom('members')
    .select(['organization_id', 'user_id', 'role'])
    .where('organization_id', 'in', organizationIds)
    .execute();
}

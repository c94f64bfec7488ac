import { notFound } from '#server/platform/errors.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/** @throws AppError `not_found`: a stranger learns nothing about an organization */
export async function requireMember(
  services: Services,
  userId: string,
  organizationId: string,
): Promise<void> {
  const member = await services.database.global.db
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (member === undefined) throw notFound('This organization');
}

/** @throws AppError `not_found` also for members who do not own it */
export async function requireOwner(
  services: Services,
  userId: string,
  organizationId: string,
): Promise<void> {
  const owner = await services.database.global.db
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .executeTakeFirst();
  if (owner === undefined) throw notFound('This organization');
}

export async function addMember(
  tx: GlobalDb,
  member: { organization_id: string; user_id: string; role: 'owner'; created_at: Date },
): Promise<void> {
  await tx.db.insertInto('members').values(member).execute();
}

/** The people to tell when something of the site needs attention. */
export async function membersOfSite(
  tx: GlobalDb,
  siteId: string,
): Promise<{ email: string; username: string; attrs: Record<string, unknown> }[]> {
  return tx.db
    .selectFrom('sites')
    .innerJoin('members', 'members.organization_id', 'sites.organization_id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.email', 'users.username', 'users.attrs'])
    .where('sites.id', '=', siteId)
    .execute();
}

export interface Membership {
  organization_id: string;
  role: string;
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

export async function membersOf(
  tx: GlobalDb,
  organizationIds: readonly string[],
): Promise<{ organization_id: string; user_id: string; role: string }[]> {
  if (organizationIds.length === 0) return [];
  return tx.db
    .selectFrom('members')
    .select(['organization_id', 'user_id', 'role'])
    .where('organization_id', 'in', organizationIds)
    .execute();
}

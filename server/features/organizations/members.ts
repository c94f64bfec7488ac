import { notFound } from '#server/platform/errors.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/** @throws AppError `not_found`: a stranger learns nothing about an organization */
export async function requireMember(
  services: Services,
  userId: string,
  organizationId: string,
): Promise<void> {
  if (!(await isMember(services, userId, organizationId))) throw notFound('This organization');
}

export async function isMember(services: Services, userId: string, organizationId: string): Promise<boolean> {
  const member = await services.database.global.db
    .selectFrom('members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return member !== undefined;
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

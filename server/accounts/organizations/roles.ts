import { isAtLeast, type Role } from '#contract/roles.ts';
import { organizationOfSite } from '#server/accounts/sites/sites.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { isId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { roleIn } from './members.sql.ts';

const WHO_MAY: Record<Role, string> = {
  viewer: 'a viewer',
  editor: 'an editor, an admin or an owner',
  admin: 'an admin or an owner',
  owner: 'an owner',
};

/** Who can do it, and give the role: nobody gives one above their own. */
function askWhom(needs: Role): string {
  return needs === 'owner' ? 'an owner' : 'an admin or owner';
}

/** @param begin the start of the sentence, including its verb */
export function roleNeeded(needs: Role, has: Role, begin = 'This needs'): AppError {
  return new AppError(
    'forbidden',
    `${begin} ${WHO_MAY[needs]}, and your role is ${has}. Ask ${askWhom(needs)} to do it, or to change your role.`,
    { data: { needs, role: has } },
  );
}

/**
 * The caller's role in an organization, read for every call, so that a removal takes effect at once.
 * @param place.siteId if given, the organization must be that of this site
 * @throws AppError `not_found` for non-members, to reveal nothing; `forbidden`
 */
export async function requireRole(
  services: Services,
  place: { userId: string; organizationId: string; siteId?: string },
  needs: Role,
): Promise<Role> {
  const { userId, organizationId, siteId } = place;
  const what = siteId === undefined ? 'This organization' : 'This site';
  if (!isId(organizationId) || (siteId !== undefined && !isId(siteId))) throw notFound(what);
  const { global } = services.database;
  const [role, owner] = await Promise.all([
    roleIn(global, userId, organizationId),
    siteId === undefined ? organizationId : organizationOfSite(global, siteId),
  ]);
  if (role === null || owner !== organizationId) throw notFound(what);
  if (!isAtLeast(role, needs)) throw roleNeeded(needs, role);
  return role;
}

/** @returns null without an organization or a membership (any more) */
export async function roleOf(
  tx: GlobalDb,
  userId: string,
  organizationId: string | null,
): Promise<Role | null> {
  return organizationId === null ? null : roleIn(tx, userId, organizationId);
}

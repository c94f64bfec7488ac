import type { AuditEvent } from '#contract/audit-log.ts';
import type { Member } from '#contract/members.ts';
import { isAtLeast, type Role, ROLES } from '#contract/roles.ts';
import { revokeKeysOfMember } from '#server/accounts/api-keys/api-keys.ts';
import { recordOfOrganization } from '#server/accounts/organizations/account-log.ts';
import {
  deleteMember,
  lockMembers,
  type MemberRow,
  membersOf,
  setRole,
} from '#server/accounts/organizations/members.sql.ts';
import { roleNeeded } from '#server/accounts/organizations/roles.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { endInvitationsBy } from './invitations.sql.ts';

/** The member who acts, and the organization. */
export interface MemberAction {
  organizationId: string;
  actor: { userId: string; role: Role };
}

function presentMember({ created_at: since, ...member }: MemberRow): Member {
  return { ...member, since: since.toISOString() };
}

/** Highest role first, then longest membership. */
export async function listMembers(
  services: Services,
  organizationId: string,
  tx: GlobalDb = services.database.global,
): Promise<Member[]> {
  const rows = await membersOf(tx, organizationId);
  return rows
    .toSorted((a, b) => ROLES.indexOf(b.role) - ROLES.indexOf(a.role))
    .map((row) => presentMember(row));
}

export type Locked = Awaited<ReturnType<typeof lockMembers>>;

/** Re-read under the lock: the guard read it before. */
export function roleAmong(members: Locked, { actor }: MemberAction): Role {
  return members.find((member) => member.user_id === actor.userId)?.role ?? 'viewer';
}

/** @throws AppError `forbidden` */
export function rejectAboveOwnRole(own: Role, role: Role): void {
  if (!isAtLeast(own, role)) throw roleNeeded(role, own, "You can't give a role above your own. This needs");
}

/** @throws AppError `not_found`; `forbidden` for members with a higher role than the caller's */
function requireReachable(members: Locked, userId: string, doing: MemberAction): Role {
  const found = members.find((member) => member.user_id === userId);
  if (found === undefined) throw notFound('This member');
  const own = roleAmong(members, doing);
  if (!isAtLeast(own, found.role)) {
    throw roleNeeded(found.role, own, 'Their role is above yours. This needs');
  }
  return found.role;
}

/** @throws AppError `last_owner` */
function refuseLastOwner(members: Locked, userId: string): void {
  const others = members.filter((member) => member.role === 'owner' && member.user_id !== userId);
  if (others.length > 0) return;
  throw new AppError(
    'last_owner',
    'This is the only owner of the organization. Make someone else an owner first.',
  );
}

/** @throws AppError `not_found`, `forbidden`, `last_owner` */
export async function changeMember(
  services: Services,
  doing: MemberAction,
  userId: string,
  role: Role,
): Promise<Member> {
  const { organizationId } = doing;
  return services.database.inTransaction(async (tx) => {
    const members = await lockMembers(tx, organizationId);
    const current = requireReachable(members, userId, doing);
    rejectAboveOwnRole(roleAmong(members, doing), role);
    if (current === 'owner' && role !== 'owner') refuseLastOwner(members, userId);
    await setRole(tx, organizationId, userId, role);
    // Revoke their invitations, so that nobody regains a lost role through one they sent before.
    const above = ROLES.filter((one) => !isAtLeast(role, one));
    const ended = await endInvitationsBy(tx, organizationId, userId, above);
    const changed = (await membersOf(tx, organizationId)).find(({ id }) => id === userId);
    if (changed === undefined) throw notFound('This member');
    if (current !== role) {
      const subject = { id: userId, role, previousRole: current };
      await recordOfOrganization(services, tx, organizationId, 'member.role_changed', subject);
    }
    await recordEnded(services, tx, organizationId, ended);
    return presentMember(changed);
  });
}

async function recordEnded(
  services: Services,
  tx: GlobalDb,
  organizationId: string,
  ended: Awaited<ReturnType<typeof endInvitationsBy>>,
): Promise<void> {
  for (const { id, email: name } of ended) {
    await recordOfOrganization(services, tx, organizationId, 'member.invitation_withdrawn', { id, name });
  }
}

async function removeMembership(
  services: Services,
  tx: GlobalDb,
  members: Locked,
  { organizationId, userId, event }: { organizationId: string; userId: string; event: AuditEvent },
): Promise<void> {
  const leaving = members.find((member) => member.user_id === userId);
  if (leaving?.role === 'owner') refuseLastOwner(members, userId);
  const ended = await endInvitationsBy(tx, organizationId, userId, ROLES);
  await deleteMember(tx, organizationId, userId);
  await recordOfOrganization(services, tx, organizationId, event, { id: userId });
  await recordEnded(services, tx, organizationId, ended);
}

/** @throws AppError `not_found`, `forbidden`, `last_owner` */
export async function removeMember(
  services: Services,
  doing: MemberAction,
  userId: string,
  apiKeys: 'revoke' | 'keep',
): Promise<void> {
  const { organizationId } = doing;
  await services.database.inTransaction(async (tx) => {
    const members = await lockMembers(tx, organizationId);
    requireReachable(members, userId, doing);
    await removeMembership(services, tx, members, { organizationId, userId, event: 'member.removed' });
    if (apiKeys === 'revoke') await revokeKeysOfMember(services, tx, organizationId, userId);
  });
}

/** @throws AppError `last_owner` */
export async function leave(services: Services, { organizationId, actor }: MemberAction): Promise<void> {
  const { userId } = actor;
  await services.database.inTransaction(async (tx) => {
    const members = await lockMembers(tx, organizationId);
    await removeMembership(services, tx, members, { organizationId, userId, event: 'member.left' });
  });
}

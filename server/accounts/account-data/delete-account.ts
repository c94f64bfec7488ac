import type { DeletionPlan } from '#contract/account-data.ts';
import { recordOfOrganization } from '#server/accounts/organizations/account-log.ts';
import {
  lockOrganizations,
  organizationsById,
} from '#server/accounts/organizations/organization-deletion.sql.ts';
import { markForDeletion } from '#server/accounts/organizations/organization-deletion.ts';
import { lockMembers, membershipsOf, rolesIn } from '#server/accounts/organizations/members.sql.ts';
import { type Caller, requireRecentProof } from '#server/accounts/second-factors/reauthentication.ts';
import { sitesOfOrganization } from '#server/accounts/sites/sites.sql.ts';
import { deleteUser, findUser, lockUser, type UserRow } from '#server/accounts/users/users.sql.ts';
import { isPassword } from '#server/accounts/users/passwords.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

type Fate = DeletionPlan['organizations'][number]['fate'];

/** What happens to each organization of a deleted account. */
async function fatesOf(tx: GlobalDb, userId: string): Promise<Map<string, Fate>> {
  const ids = (await membershipsOf(tx, userId)).map((one) => one.organization_id);
  const others = (await rolesIn(tx, ids)).filter((member) => member.user_id !== userId);
  return new Map(
    ids.map((id) => {
      const staying = others.filter((member) => member.organization_id === id);
      if (staying.length === 0) return [id, 'deleted'];
      return [id, staying.some(({ role }) => role === 'owner') ? 'kept' : 'in_the_way'];
    }),
  );
}

export async function planDeletion(services: Services, userId: string): Promise<DeletionPlan> {
  const tx = services.database.global;
  const fates = await fatesOf(tx, userId);
  const known = await organizationsById(tx, [...fates.keys()]);
  const organizations = known.map(async ({ id, name }) => {
    const sites = await sitesOfOrganization(tx, id);
    return {
      id,
      name,
      fate: fates.get(id) ?? 'kept',
      sites: sites.map((site) => ({ id: site.id, name: site.name, domain_name: site.domain_name })),
    };
  });
  return { organizations: await Promise.all(organizations) };
}

/** @throws AppError `invalid_field`; without a password `reauthentication_required` */
async function requireConfirmed(
  services: Services,
  user: UserRow,
  caller: Caller,
  typed: { username: string; password: string },
): Promise<void> {
  if (typed.username.trim() !== user.username) {
    throw invalidField('username', "username: this isn't your username. Enter it exactly as shown.");
  }
  if (user.password_hash === null) return requireRecentProof(services, services.database.global, caller);
  if (!(await isPassword(user.password_hash, typed.password))) {
    throw invalidField('password', "password: this isn't your password.");
  }
}

function blockedBy(names: string[]): AppError {
  return new AppError(
    'conflict',
    `You're the only owner of ${names.join(', ')}, which has other members. Make one of them an owner or remove them, then try again.`,
    { data: { organizations: names } },
  );
}

/**
 * Deletes an account and marks the organizations without other members for deletion, in one transaction; their data is
 * deleted afterwards. Of two concurrent calls, the second finds no account.
 * @throws AppError `not_found`, `invalid_field`, `reauthentication_required`, `conflict`
 */
export async function deleteAccount(
  services: Services,
  caller: Caller,
  typed: { username: string; password: string },
): Promise<void> {
  // Before the transaction: comparing passwords is slow, and would hold a connection.
  const user = await findUser(services.database.global, caller.id);
  if (user === undefined) throw notFound('This account');
  await requireConfirmed(services, user, caller, typed);
  await removeAccount(services, caller.id);
}

/** @throws AppError `not_found`, `conflict` */
export async function removeAccount(services: Services, userId: string): Promise<void> {
  const afterCommit = await services.database.inTransaction(async (tx) => {
    if ((await lockUser(tx, userId)) === undefined) throw notFound('This account');
    const memberships = await membershipsOf(tx, userId);
    await lockOrganizations(
      tx,
      memberships.map((one) => one.organization_id),
    );
    // Lock out concurrent departures: the last of several owners has to stay.
    for (const { organization_id } of memberships) await lockMembers(tx, organization_id);
    const fates = await fatesOf(tx, userId);
    const idsWith = (fate: Fate) => [...fates].flatMap(([id, one]) => (one === fate ? [id] : []));
    const blocking = await organizationsById(tx, idsWith('in_the_way'));
    if (blocking.length > 0) throw blockedBy(blocking.map(({ name }) => name));
    const closed: (() => void)[] = [];
    for (const id of idsWith('deleted')) closed.push(await markForDeletion(services, tx, id));
    await deleteUser(tx, userId);
    for (const id of idsWith('kept')) {
      await recordOfOrganization(services, tx, id, 'member.left', { id: userId });
    }
    return closed;
  });
  for (const then of afterCommit) then();
}

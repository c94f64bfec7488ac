import { emailKey } from '#contract/email-key.ts';
import { isPlanGroup, type PlanGroup, PLANS } from '#contract/plans.ts';
import { organizationsById } from '#server/accounts/organizations/organization-deletion.sql.ts';
import { roleIn } from '#server/accounts/organizations/members.sql.ts';
import { setSubscription } from '#server/accounts/organizations/organizations.ts';
import {
  accountsWithGroups,
  findUserByEmail,
  updateUser,
  type UserRow,
} from '#server/accounts/users/users.sql.ts';
import type { Database, GlobalDb } from '#server/platform/database.ts';

/** An account's plan, and the subscription of its organization. */
export interface PlanState {
  email: string;
  /** null: no plan. */
  group: PlanGroup | null;
  /** null: no organization yet. */
  organization: { name: string; subscription: string | null; validUntil: Date | null } | null;
  /** Only an owner's plan is also that of the organization. */
  isOwner: boolean;
}

async function stateOf(tx: GlobalDb, user: UserRow): Promise<PlanState> {
  const { id, email, plan_groups: groups, organization_id: organizationId } = user;
  const [organization] = organizationId === null ? [] : await organizationsById(tx, [organizationId]);
  const role = organizationId === null ? null : await roleIn(tx, id, organizationId);
  return {
    email,
    group: groups.find(isPlanGroup) ?? null,
    organization:
      organization === undefined
        ? null
        : {
            name: organization.name,
            subscription: organization.subscription,
            validUntil: organization.valid_until,
          },
    isOwner: role === 'owner',
  };
}

/** null if the account does not exist. */
export async function planOf({ global }: Database, email: string): Promise<PlanState | null> {
  const user = await findUserByEmail(global, emailKey(email));
  return user === undefined ? null : stateOf(global, user);
}

export async function listPlans({ global }: Database): Promise<PlanState[]> {
  const states: PlanState[] = [];
  for (const user of await accountsWithGroups(global)) states.push(await stateOf(global, user));
  return states.filter(({ group }) => group !== null);
}

/**
 * Sets or removes an account's plan: its first group and, if it owns its organization, the organization's subscription
 * and validity. Other groups are unchanged.
 * @returns null if the account does not exist
 */
export async function setPlan(
  database: Database,
  email: string,
  plan: { group: PlanGroup | null; validUntil: Date | null },
): Promise<PlanState | null> {
  return database.inTransaction(async (tx) => {
    const user = await findUserByEmail(tx, emailKey(email));
    if (user === undefined) return null;
    const others = user.plan_groups.filter((group) => !isPlanGroup(group));
    const groups = plan.group === null ? others : [plan.group, ...others];
    const changed = (await updateUser(tx, user.id, { plan_groups: groups })) ?? user;
    const { isOwner } = await stateOf(tx, changed);
    if (isOwner && user.organization_id !== null) {
      const subscription = plan.group === null ? null : PLANS[plan.group];
      await setSubscription(tx, user.organization_id, { subscription, valid_until: plan.validUntil });
    }
    return stateOf(tx, changed);
  });
}

import { recordOfOrganization } from '#server/accounts/organizations/account-log.ts';
import { lockUser } from '#server/accounts/users/users.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { hasSecondFactor } from './second-factors.sql.ts';
import { requiresSecondFactor, setRequired } from './second-factor-rule.sql.ts';

/** Whether an account has no second factor although one of its organizations requires it. */
export async function mustSetUpSecondFactor(tx: GlobalDb, userId: string): Promise<boolean> {
  return (await requiresSecondFactor(tx, userId)) && !(await hasSecondFactor(tx, userId));
}

/** @throws AppError `second_factor_setup_required`, because the caller would be locked out */
export async function setSecondFactorRule(
  services: Services,
  organizationId: string,
  userId: string,
  isRequired: boolean,
): Promise<void> {
  await services.database.inTransaction(async (tx) => {
    // Lock out a concurrent removal of their only factor.
    await lockUser(tx, userId);
    if (isRequired && !(await hasSecondFactor(tx, userId))) {
      throw new AppError(
        'second_factor_setup_required',
        'Set up a second factor for your own account before you require one for everyone.',
      );
    }
    if (!(await setRequired(tx, organizationId, isRequired))) return;
    const event = isRequired ? 'organization.second_factor_required' : 'organization.second_factor_optional';
    await recordOfOrganization(services, tx, organizationId, event, {});
  });
}

export function setUpRequired(): AppError {
  return new AppError(
    'second_factor_setup_required',
    'Your organization requires a second factor. Set one up in your account first.',
  );
}

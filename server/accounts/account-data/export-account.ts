import type { AccountExport } from '#contract/account-data.ts';
import { presentAccount } from '#server/accounts/accounts/accounts.ts';
import { organizationsById } from '#server/accounts/organizations/organization-deletion.sql.ts';
import { type Membership, membershipsOf } from '#server/accounts/organizations/members.sql.ts';
import { secondFactorsOf } from '#server/accounts/second-factors/second-factors.ts';
import { openSessions } from '#server/accounts/sessions/sessions.ts';
import { sitesOfOrganization } from '#server/accounts/sites/sites.sql.ts';
import { surveysOf } from '#server/accounts/survey/survey.sql.ts';
import { findUser } from '#server/accounts/users/users.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

/** @throws AppError `not_found` */
export async function exportAccount(services: Services, userId: string): Promise<AccountExport> {
  const tx = services.database.global;
  const now = services.clock.now();
  const user = await findUser(tx, userId);
  if (user === undefined) throw notFound('This account');
  const sessions = await openSessions(tx, userId, now);
  const surveys = await surveysOf(tx, userId);
  return {
    exported_at: now.toISOString(),
    account: { ...(await presentAccount(services, tx, user)), created_at: user.created_at.toISOString() },
    organizations: await organizationsOf(tx, await membershipsOf(tx, userId)),
    surveys: surveys.map(({ version, data, created_at }) => ({
      version,
      data,
      answered_at: created_at.toISOString(),
    })),
    sessions: sessions.map(({ created_at, last_used_at, browser, system }) => ({
      started_at: created_at.toISOString(),
      last_used_at: last_used_at.toISOString(),
      browser,
      system,
    })),
    second_factors: await secondFactorsOf(tx, userId),
  };
}

async function organizationsOf(
  tx: GlobalDb,
  memberships: readonly Membership[],
): Promise<AccountExport['organizations']> {
  const known = await organizationsById(
    tx,
    memberships.map((one) => one.organization_id),
  );
  return Promise.all(
    memberships.flatMap(({ organization_id: id, role, created_at: since }) => {
      const organization = known.find((one) => one.id === id);
      return organization === undefined ? [] : [organizationOf(tx, organization, role, since)];
    }),
  );
}

async function organizationOf(
  tx: GlobalDb,
  { id, name, subscription, valid_until, created_at }: Awaited<ReturnType<typeof organizationsById>>[number],
  role: string,
  since: Date,
): Promise<AccountExport['organizations'][number]> {
  const sites = await sitesOfOrganization(tx, id);
  return {
    id,
    name,
    role,
    member_since: since.toISOString(),
    created_at: created_at.toISOString(),
    subscription,
    valid_until: valid_until?.toISOString() ?? null,
    sites: sites.map((site) => ({
      id: site.id,
      name: site.name,
      domain_name: site.domain_name,
      custom_domain: site.custom_domain,
    })),
  };
}

import { check } from '#contract/checkers.ts';
import * as contract from '#contract/organizations.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { checkDomainName } from '#server/accounts/sites/sites.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import type { Services } from '#server/platform/services.ts';
import {
  checkOrganizationName,
  createOrganization,
  getOrganization,
  renameOrganization,
} from './organizations.ts';

/** Enough for typing, too few to enumerate organizations. */
const CHECKS: Limit = { name: 'check', points: 120, perSeconds: 60 };

export function organizationRoutes(api: Api, services: Services): void {
  api(contract.createOrganization, async ({ user, body }) =>
    createOrganization(services, user.id, body.name),
  );

  api(contract.getOrganization, async ({ organization }) => getOrganization(services, organization.id));

  api(contract.renameOrganization, async ({ organization, body }) =>
    renameOrganization(services, organization.id, body.name),
  );

  api(check, async ({ user, query }) => {
    await services.limits.useHere(CHECKS, user.id);
    if (query.site_domain !== undefined) {
      return [await checkDomainName(services, query.site_domain, user.organizationId)];
    }
    return [await checkOrganizationName(services, user.id, query.organization_name ?? '')];
  });
}

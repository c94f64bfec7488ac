import * as contract from '#contract/dashboard.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { readActionFigures, readDashboard, readListFigures } from './dashboard.ts';
import { readLeaveJudgements } from './leave-judgements.ts';
import { readOnboarding } from './onboarding.ts';
import { listSitesInNeed } from './sites-in-need.ts';

export function dashboardRoutes(api: Api, services: Services): void {
  api(contract.getDashboard, async ({ site, query }) => readDashboard(services, site.id, query.range));

  api(contract.getLeaveJudgements, async ({ site, query }) =>
    readLeaveJudgements(services, site.id, query.range),
  );

  api(contract.getOnboarding, async ({ site, actor }) => readOnboarding(services, site.id, actor.userId));

  api(contract.listSitesInNeed, async ({ organization }) => ({
    results: await listSitesInNeed(services, organization.id),
    next: null,
  }));

  api(contract.getListFigures, async ({ site }) => ({
    results: await readListFigures(services, site.id),
    next: null,
  }));

  api(contract.getActionFigures, async ({ site }) => ({
    results: await readActionFigures(services, site.id),
    next: null,
  }));
}

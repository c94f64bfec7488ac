import { ROUTES } from '#contract/routes.ts';
import type { Api } from './features/access/access.ts';
import { createGuards } from './features/access/guards.ts';
import { accountLinkRoutes } from './features/accounts/account-links.routes.ts';
import { accountRoutes } from './features/accounts/accounts.routes.ts';
import { googleRoutes } from './features/accounts/google.routes.ts';
import { accountDataRoutes, keptAvatarRoutes } from './features/account-data/account-data.routes.ts';
import { actionRoutes } from './features/actions/actions.routes.ts';
import { apiKeyRoutes } from './features/api-keys/api-keys.routes.ts';
import { appSettingsRoutes } from './features/app-settings/app-settings.routes.ts';
import { actingFor } from './features/audit-log/acting.ts';
import { auditLogRoutes } from './features/audit-log/audit-log.routes.ts';
import { evidenceRoutes } from './features/choices/choices.routes.ts';
import { comparisonRoutes } from './features/comparisons/comparisons.routes.ts';
import { customerRoutes } from './features/customers/customers.routes.ts';
import { publicCustomerRoutes } from './features/customers/public-customers.routes.ts';
import { dashboardRoutes } from './features/dashboard/dashboard.routes.ts';
import { deliveryRoutes } from './features/deliveries/deliveries.routes.ts';
import { domainRoutes } from './features/domains/domains.routes.ts';
import { handbookRoutes } from './features/handbook/handbook.routes.ts';
import { imageRoutes, keptImageRoutes } from './features/images/images.routes.ts';
import { evidenceCheckRoutes } from './features/evidence-checks/evidence-checks.routes.ts';
import { exportRoutes } from './features/exports/exports.routes.ts';
import { importRoutes } from './features/imports/imports.routes.ts';
import { hookRoutes, inboundRoutes } from './features/inbound/inbound.routes.ts';
import { integrationRoutes } from './features/integrations/integrations.routes.ts';
import { listRoutes } from './features/lists/lists.routes.ts';
import { memberRoutes } from './features/organizations/members.routes.ts';
import { organizationRoutes } from './features/organizations/organizations.routes.ts';
import { ownerAppRoutes } from './features/owner-app/owner-app.routes.ts';
import { preferencePageRoutes } from './features/preference-pages/preference-pages.routes.ts';
import { embedScriptRoutes } from './features/public-page/embed-script.routes.ts';
import { publicPageRoutes } from './features/public-page/public-page.routes.ts';
import { secondFactorRoutes } from './features/second-factors/second-factors.routes.ts';
import { siteRoutes } from './features/sites/sites.routes.ts';
import { surveyRoutes } from './features/survey/survey.routes.ts';
import { apiDocs } from './features/system/api-docs.ts';
import { type Health, healthRoutes } from './features/system/health.routes.ts';
import { statusRoutes } from './features/system/status.routes.ts';
import { outboxRoutes } from './features/system/outbox.routes.ts';
import { toolLinkRoutes } from './features/tool-links/tool-links.routes.ts';
import { createImplement } from './platform/http/implement.ts';
import { createHttp, type Http } from './platform/http/server.ts';
import type { Services } from './platform/services.ts';

/** The table of contents: everything that the product answers, one line per feature. */
export async function createApp(services: Services, health: Health): Promise<Http> {
  const http = await createHttp(services.config, services);
  await apiDocs(http, services);
  const operationIds = new Map([...ROUTES].map(([name, route]) => [route, name]));
  const api: Api = createImplement(http, createGuards(services), {
    operationIds,
    checkResponses: services.config.checkResponses,
    actingFor,
  });

  appSettingsRoutes(api, services);
  accountRoutes(api, services);
  accountLinkRoutes(api, services);
  googleRoutes(api, services);
  secondFactorRoutes(api, services);
  accountDataRoutes(api, services);
  surveyRoutes(api, services);
  organizationRoutes(api, services);
  memberRoutes(api, services);
  siteRoutes(api, services);
  domainRoutes(api, services);
  listRoutes(api, services);
  preferencePageRoutes(api, services);
  imageRoutes(api, services);
  customerRoutes(api, services);
  evidenceRoutes(api, services);
  evidenceCheckRoutes(api, services);
  importRoutes(api, services);
  exportRoutes(api, services);
  integrationRoutes(api, services);
  toolLinkRoutes(api, services);
  inboundRoutes(api, services);
  comparisonRoutes(api, services);
  actionRoutes(api, services);
  deliveryRoutes(api, services);
  apiKeyRoutes(api, services);
  auditLogRoutes(api, services);
  dashboardRoutes(api, services);
  publicCustomerRoutes(api, services);

  keptImageRoutes(http, services);
  keptAvatarRoutes(http, services);
  hookRoutes(http, services);
  healthRoutes(http, services, health, { isOwnPort: false });
  statusRoutes(http, services, health);
  outboxRoutes(http, services);
  await handbookRoutes(http, services);
  await ownerAppRoutes(http, services);
  embedScriptRoutes(http);
  await publicPageRoutes(http, services);
  return http;
}

/** For those who run the product, on a port of its own: a worker has no other. */
export async function createHealthPort(services: Services, health: Health): Promise<Http> {
  const http = await createHttp(services.config, services);
  healthRoutes(http, services, health, { isOwnPort: true });
  return http;
}

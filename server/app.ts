import { ROUTES } from '#contract/routes.ts';
import type { Api } from './accounts/access/access.ts';
import { accountDataRoutes, avatarFileRoutes } from './accounts/account-data/account-data.routes.ts';
import { accountLinkRoutes } from './accounts/accounts/account-links.routes.ts';
import { accountRoutes } from './accounts/accounts/accounts.routes.ts';
import { googleRoutes } from './accounts/accounts/google.routes.ts';
import { apiKeyRoutes } from './accounts/api-keys/api-keys.routes.ts';
import { runAsActor } from './accounts/audit-log/current-actor.ts';
import { auditLogRoutes } from './accounts/audit-log/audit-log.routes.ts';
import { domainRoutes } from './accounts/domains/domains.routes.ts';
import { memberRoutes } from './accounts/members/members.routes.ts';
import { organizationRoutes } from './accounts/organizations/organizations.routes.ts';
import { secondFactorRoutes } from './accounts/second-factors/second-factors.routes.ts';
import { siteRoutes } from './accounts/site-settings/sites.routes.ts';
import { surveyRoutes } from './accounts/survey/survey.routes.ts';
import { evidenceCheckRoutes } from './audience/evidence-checks/evidence-checks.routes.ts';
import { evidenceRoutes } from '#server/audience/evidence/evidence.routes.ts';
import { agentCallRoutes } from './audience/agent-calls/agent-calls.routes.ts';
import { customerViewRoutes } from './audience/customer-views/customer-views.routes.ts';
import { listRoutes } from './audience/lists/lists.routes.ts';
import { actionRoutes } from './delivery/actions/actions.routes.ts';
import { releaseHeld } from '#server/delivery/deliveries/held-deliveries.ts';
import { sendRecordsTo } from './delivery/deliveries/deliveries.ts';
import { deliveryRoutes } from './delivery/deliveries/deliveries.routes.ts';
import { createGuards } from './guards.ts';
import { emailCheckRoutes } from './insight/email-checks/email-checks.routes.ts';
import { actionPreviewRoutes } from './insight/action-previews/action-previews.routes.ts';
import { dashboardRoutes } from './insight/dashboard/dashboard.routes.ts';
import { exportRoutes } from './insight/exports/exports.routes.ts';
import { proofFileRoutes, proofRoutes } from './insight/proof/proof.routes.ts';
import { imageRoutes, imageFileRoutes } from './pages/images/images.routes.ts';
import { requireChecksOfList } from './pages/preference-pages/page-checks.ts';
import { preferencePageRoutes } from './pages/preference-pages/preference-pages.routes.ts';
import { createImplement } from './platform/http/implement.ts';
import { refuseMisdirected } from './platform/http/misdirected.ts';
import { createHttp, type Http } from './platform/http/server.ts';
import type { Services } from './platform/services.ts';
import { apiDocs } from './shell/api-docs/api-docs.ts';
import { appSettingsRoutes } from './shell/app-settings/app-settings.routes.ts';
import { handbookRoutes } from './shell/handbook/handbook.routes.ts';
import { ownerAppRoutes } from './shell/owner-app/owner-app.routes.ts';
import { type Health, healthRoutes } from './shell/system/health.routes.ts';
import { outboxRoutes } from './shell/system/outbox.routes.ts';
import { statusRoutes } from './shell/system/status.routes.ts';
import { reconciliationRoutes } from '#server/sync/reconciliation/reconciliation.routes.ts';
import { importRoutes } from './sync/imports/imports.routes.ts';
import { hookRoutes, inboundRoutes } from './sync/inbound/inbound.routes.ts';
import { proposalRoutes } from './sync/proposals/proposals.routes.ts';
import { toolLinkRoutes } from './sync/tool-links/tool-links.routes.ts';
import { startRoundsNow } from './sync/tool-links/tool-links.ts';
import { integrationRoutes } from '#server/sync/tool-setup/tool-setup.routes.ts';
import { complaintRoutes } from './visit/complaints/complaints.routes.ts';
import { customerMailRoutes } from './visit/customer-mails/customer-mails.routes.ts';
import { bulkChangeRoutes } from '#server/visit/bulk-changes/bulk-changes.routes.ts';
import { customerRoutes } from '#server/visit/customers/change-customers.routes.ts';
import { publicCustomerRoutes } from './visit/public-customers/public-customers.routes.ts';
import { embedScriptRoutes } from './visit/public-page/embed-script.routes.ts';
import { publicPageRoutes } from './visit/public-page/public-page.routes.ts';

/** The table of contents: everything that the product answers, one line per module. */
export async function createApp(services: Services, health: Health): Promise<Http> {
  const http = await createHttp(services.config, services);
  await apiDocs(http, services);
  const operationIds = new Map([...ROUTES].map(([name, route]) => [route, name]));
  const api: Api = createImplement(http, createGuards(services), {
    operationIds,
    checkResponses: services.config.checkResponses,
    runAsActor,
  });

  appSettingsRoutes(api, services);
  accountRoutes(api, services);
  accountLinkRoutes(api, services, { sendRecordsTo });
  googleRoutes(api, services);
  secondFactorRoutes(api, services);
  accountDataRoutes(api, services);
  surveyRoutes(api, services);
  organizationRoutes(api, services);
  memberRoutes(api, services);
  siteRoutes(api, services, { renewLinks: startRoundsNow, releaseHeld });
  domainRoutes(api, services);
  listRoutes(api, services, requireChecksOfList);
  preferencePageRoutes(api, services);
  imageRoutes(api, services);
  customerRoutes(api, services);
  customerViewRoutes(api, services);
  complaintRoutes(api, services);
  evidenceRoutes(api, services);
  evidenceCheckRoutes(api, services);
  importRoutes(api, services);
  bulkChangeRoutes(api, services);
  exportRoutes(api, services);
  proofRoutes(api, services);
  integrationRoutes(api, services);
  toolLinkRoutes(api, services);
  proposalRoutes(api, services);
  inboundRoutes(api, services);
  reconciliationRoutes(api, services);
  actionRoutes(api, services);
  actionPreviewRoutes(api, services);
  emailCheckRoutes(api, services, http);
  deliveryRoutes(api, services);
  apiKeyRoutes(api, services);
  auditLogRoutes(api, services);
  agentCallRoutes(api, services);
  dashboardRoutes(api, services);
  publicCustomerRoutes(api, services);
  customerMailRoutes(api, services);

  imageFileRoutes(http, services);
  avatarFileRoutes(http, services);
  hookRoutes(http, services);
  proofFileRoutes(http, services);
  healthRoutes(http, services, health, { isOwnPort: false });
  statusRoutes(http, services, health);
  outboxRoutes(http, services);
  const onOtherHosts = refuseMisdirected(services);
  await handbookRoutes(http, services, onOtherHosts);
  await ownerAppRoutes(http, services, onOtherHosts);
  embedScriptRoutes(http);
  await publicPageRoutes(http, services, onOtherHosts);
  return http;
}

/** For those who run the product, on a port of its own: a worker has no other. */
export async function createHealthPort(services: Services, health: Health): Promise<Http> {
  const http = await createHttp(services.config, services);
  healthRoutes(http, services, health, { isOwnPort: true });
  return http;
}

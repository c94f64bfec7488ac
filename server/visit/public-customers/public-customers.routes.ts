import type { FastifyRequest } from 'fastify';
import type { Language } from '#contract/fields.ts';
import * as contract from '#contract/public-preferences.ts';
import type { Api, VisitorContext } from '#server/accounts/access/access.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { hasChangedLink } from './changed-link.ts';
import { requirePageByPath } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';
import { fileComplaint } from '#server/visit/complaints/complaints.ts';
import { requestData } from '#server/visit/personal-data/personal-data.ts';
import { choiceProgress } from './choice-progress.ts';
import { resendConfirmation } from './resend-confirmation.ts';
import { endOwnLinks, mailFreshLink } from './visitor-links.ts';
import {
  getCustomerPage,
  givePublicReason,
  openCustomer,
  saveLists,
  undoPublicChoice,
  updatePublicCustomer,
} from './public-customers.ts';

export function visitOf(
  request: FastifyRequest,
  site: VisitorContext['site'],
  language: Language | undefined,
): Visit {
  return {
    siteId: site.id,
    host: site.host,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    language: language ?? null,
    ...(hasChangedLink(request.url) && { isLinkChanged: true }),
  };
}

export function publicCustomerRoutes(api: Api, services: Services): void {
  api(
    contract.getPublicPage,
    async ({ site, params }) => (await requirePageByPath(services, site.id, params.custom_path)).page,
  );

  api(contract.openCustomer, async ({ site, body, headers, request }) =>
    openCustomer(services, visitOf(request, site, headers['x-page-language']), body),
  );

  api(contract.getCustomerPage, async ({ site, customer, params }) =>
    getCustomerPage(services, site.id, customer, params.custom_path),
  );

  api(contract.saveLists, async ({ site, customer, body, headers, request }) =>
    saveLists(services, visitOf(request, site, headers['x-page-language']), customer, body, {
      saveId: headers['idempotency-key'] ?? null,
      source: headers['x-choice-source'] ?? 'page',
      leavesAll: headers['x-unsubscribe-all'] === '1',
    }),
  );

  api(contract.updatePublicCustomer, async ({ site, customer, body, headers, request }) =>
    updatePublicCustomer(services, visitOf(request, site, headers['x-page-language']), customer, body, {
      saveId: headers['idempotency-key'] ?? null,
      source: headers['x-choice-source'] ?? 'page',
    }),
  );

  api(contract.undoChoice, async ({ site, customer, body, headers, request }) =>
    undoPublicChoice(
      services,
      visitOf(request, site, headers['x-page-language']),
      customer,
      body.receipt,
      headers['idempotency-key'] ?? null,
    ),
  );

  api(contract.requestData, async ({ site, customer, body, headers, request }) =>
    requestData(services, visitOf(request, site, headers['x-page-language']), customer, body.kind),
  );

  api(contract.complain, async ({ site, customer, body, headers, request }) =>
    fileComplaint(services, visitOf(request, site, headers['x-page-language']), customer, body.text),
  );

  api(contract.giveReason, async ({ site, customer, body, request }) => {
    await givePublicReason(services, visitOf(request, site, undefined), customer, body);
    return null;
  });

  api(contract.mailFreshLink, async ({ site, customer, headers, request }) =>
    mailFreshLink(services, visitOf(request, site, headers['x-page-language']), customer),
  );

  api(contract.resendConfirmation, async ({ site, customer, body, headers, request }) =>
    resendConfirmation(services, visitOf(request, site, headers['x-page-language']), customer, body.kind),
  );

  api(contract.getChoiceProgress, async ({ site, customer, request }) =>
    choiceProgress(services, visitOf(request, site, undefined), customer),
  );

  api(contract.endOwnLinks, async ({ site, customer, request }) =>
    endOwnLinks(services, visitOf(request, site, undefined), customer),
  );
}

import * as contract from '#contract/domains.ts';
import type { Api } from '#server/features/access/access.ts';
import { findSiteOfHost } from '#server/features/sites/hosts.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Limit } from '#server/platform/limits.ts';
import type { Services } from '#server/platform/services.ts';
import { checkDomain, getDomain } from './domains.ts';

/** Enough for somebody who changes records and looks again, too few to use us for asking others' DNS servers. */
const CHECKS: Limit = { name: 'domain-check', points: 20, perSeconds: 60 };

export function domainRoutes(api: Api, services: Services): void {
  const appHostName = new URL(services.config.appUrl).hostname;

  api(contract.getDomain, async ({ site }) => getDomain(services, site.id));

  api(contract.checkDomain, async ({ site }) => {
    await services.limits.use(CHECKS, site.id);
    return checkDomain(services, site.id);
  });

  api(contract.askTls, async ({ query }) => {
    const host = query.domain.toLowerCase().replace(/\.$/, '');
    if (host !== appHostName && (await findSiteOfHost(services, host)) === null) throw notFound('This host');
    return {};
  });
}

import type { FastifyRequest } from 'fastify';
import * as contract from '#contract/domains.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { deservesCertificate, findSiteOfHost } from '#server/accounts/sites/hosts.ts';
import { notFound } from '#server/platform/errors.ts';
import { hostName } from '#server/platform/http/headers.ts';
import type { Limit } from '#server/platform/request-limits.ts';
import { equalBytes } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { checkDomainRecords, getDomain } from './domains.ts';

/** Enough for somebody who edits records and rechecks, too few to abuse us for querying others' DNS servers. */
const CHECKS: Limit = { name: 'domain-check', points: 20, perSeconds: 60 };

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Headers that a proxy adds: the caller is then not local, although the connection is. */
const OF_PROXIES = ['x-forwarded-for', 'forwarded', 'via'];

/** Only the reverse proxy may probe host names. */
function mayAsk(
  { config }: Services,
  { socket, headers }: FastifyRequest,
  token: string | undefined,
): boolean {
  if (config.tlsAskToken !== '' && token) return isSame(token, config.tlsAskToken);
  const isDirect = OF_PROXIES.every((name) => headers[name] === undefined);
  return isDirect && LOOPBACK.test(socket.remoteAddress ?? '');
}

function isSame(one: string, other: string): boolean {
  return equalBytes(Buffer.from(one), Buffer.from(other));
}

export function domainRoutes(api: Api, services: Services): void {
  const appHostName = new URL(services.config.appUrl).hostname;

  api(contract.getDomain, async ({ site }) => getDomain(services, site.id));

  api(contract.checkDomain, async ({ site }) => {
    await services.limits.use(CHECKS, site.id);
    return checkDomainRecords(services, site.id);
  });

  api(contract.askTls, async ({ query, request }) => {
    if (!mayAsk(services, request, query.token)) throw notFound('This host');
    const host = hostName(query.domain);
    if (host === appHostName) return {};
    const isServed = (await findSiteOfHost(services, host)) !== null;
    if (!isServed || !(await deservesCertificate(services, host))) throw notFound('This host');
    return {};
  });
}

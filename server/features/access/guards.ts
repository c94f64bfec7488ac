import type { FastifyRequest } from 'fastify';
import { requireSession } from '#server/features/accounts/sessions.ts';
import { requireCapability } from '#server/features/customers/capability.ts';
import { findMemberSite, requireSiteOfHost } from '#server/features/sites/sites.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Guards } from '#server/platform/http/implement.ts';
import { isId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import type { Contexts, SiteContext, UserContext, VisitorContext } from './access.ts';

export function bearerToken(request: FastifyRequest): string | null {
  const header = request.headers.authorization ?? '';
  return header.startsWith('Bearer ') ? header.slice('Bearer '.length).trim() : null;
}

/** Host without its port, in lower case. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}

function parameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  return value ?? '';
}

/** Who may call what: one guard for each access of the contract. */
export function createGuards(services: Services): Guards<Contexts> {
  async function user(request: FastifyRequest): Promise<UserContext> {
    const session = await requireSession(services, bearerToken(request));
    const { userId, organizationId, familyId } = session;
    return { user: { id: userId, organizationId, sessionId: familyId } };
  }

  async function site(request: FastifyRequest): Promise<SiteContext> {
    const session = await requireSession(services, bearerToken(request));
    const organizationId = parameter(request, 'organization_id');
    const siteId = parameter(request, 'site_id');
    if (!isId(organizationId) || !isId(siteId)) throw notFound('This site');
    const found = await findMemberSite(services, session.userId, organizationId, siteId);
    if (!found) throw notFound('This site');
    return { site: { id: siteId, organizationId }, actor: { kind: 'owner', userId: session.userId } };
  }

  async function visitor(request: FastifyRequest): Promise<VisitorContext> {
    const named = request.headers['x-site-domain'];
    const host = hostName(typeof named === 'string' && named !== '' ? named : request.host);
    return { site: { id: await requireSiteOfHost(services, host), host } };
  }

  return {
    anyone: async () => ({}),
    user,
    site,
    visitor,
    async customer(request) {
      const context = await visitor(request);
      const customer = requireCapability(services, context.site.id, parameter(request, 'customerId'));
      return { ...context, customer };
    },
  };
}

import type { FastifyRequest } from 'fastify';
import { KEY_PREFIX, needsOf } from '#contract/roles.ts';
import type { Route } from '#contract/route.ts';
import type { Contexts, UserContext, VisitorContext } from '#server/accounts/access/access.ts';
import { requireSessionToken } from '#server/accounts/access/customer-session-token.ts';
import { keysCannot, requireKey } from '#server/accounts/api-keys/use-key.ts';
import { requireRole } from '#server/accounts/organizations/roles.ts';
import { mustSetUpSecondFactor, setUpRequired } from '#server/accounts/second-factors/second-factor-rule.ts';
import { requireSession, type Session } from '#server/accounts/sessions/sessions.ts';
import { requireSiteOfHost } from '#server/accounts/sites/sites.ts';
import { bearerToken, hostName } from '#server/platform/http/headers.ts';
import type { Guards } from '#server/platform/http/implement.ts';
import type { Services } from '#server/platform/services.ts';
import { attributeToTenant } from '#server/platform/tenant-budget.ts';

function parameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  return value ?? '';
}

/** Who may call what: one guard for each access of the contract; roles and scopes are asked for here alone. */
export function createGuards(services: Services): Guards<Contexts> {
  /** @throws AppError `token_not_valid`, `second_factor_setup_required`; `forbidden` for any API key */
  async function sessionFor(route: Route, token: string | null): Promise<Session> {
    if (token?.startsWith(KEY_PREFIX) === true) throw keysCannot();
    const session = await requireSession(services, token);
    if (session.setUpRequired && route.duringSetUp !== true) {
      if (await mustSetUpSecondFactor(services.database.global, session.userId)) throw setUpRequired();
    }
    return session;
  }

  async function user(request: FastifyRequest, route: Route): Promise<UserContext> {
    const session = await sessionFor(route, bearerToken(request));
    const { userId, organizationId, familyId } = session;
    return { user: { id: userId, organizationId, sessionId: familyId } };
  }

  async function visitor(request: FastifyRequest): Promise<VisitorContext> {
    const named = request.headers['x-site-domain'];
    const host = hostName(typeof named === 'string' && named !== '' ? named : request.host);
    const id = await requireSiteOfHost(services, host);
    attributeToTenant('site', id);
    return { site: { id, host } };
  }

  return {
    anyone: async () => ({}),
    user,
    async organization(request, route) {
      const { userId } = await sessionFor(route, bearerToken(request));
      const id = parameter(request, 'organization_id') || parameter(request, 'id');
      const role = await requireRole(services, { userId, organizationId: id }, needsOf(route));
      attributeToTenant('organization', id);
      return { organization: { id }, actor: { userId, role } };
    },
    async site(request, route) {
      const token = bearerToken(request);
      const organizationId = parameter(request, 'organization_id');
      const id = parameter(request, 'site_id');
      const site = { id, organizationId };
      if (token?.startsWith(KEY_PREFIX) === true) {
        const actor = await requireKey(services, token, site, route);
        attributeToTenant('site', id);
        return { site, actor };
      }
      const { userId } = await sessionFor(route, token);
      const role = await requireRole(services, { userId, organizationId, siteId: id }, needsOf(route));
      attributeToTenant('site', id);
      return { site, actor: { userId, role } };
    },
    visitor,
    async customer(request) {
      const context = await visitor(request);
      const customer = requireSessionToken(services, context.site.id, parameter(request, 'customerId'));
      return { ...context, customer };
    },
  };
}

import { mintOwnLink as mintOwnLinkRoute, sendOwnLink as sendOwnLinkRoute } from '#contract/page-drafts.ts';
import { sendTestEmail as sendTestEmailRoute } from '#contract/sites.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { mintOwnLink, sendOwnLink } from './own-link.ts';
import { sendTestEmail } from './test-email.ts';

/** Emails that owners send to themselves, and the personal link without one. */
export function customerMailRoutes(api: Api, services: Services): void {
  api(sendTestEmailRoute, async ({ site, actor }) => sendTestEmail(services, site.id, actor.userId));

  api(sendOwnLinkRoute, async ({ site, actor, params, request }) =>
    sendOwnLink(services, site.id, params.id, {
      userId: actor.userId,
      ip: request.ip,
      userAgent: request.headers['user-agent'] ?? null,
    }),
  );

  api(mintOwnLinkRoute, async ({ site, actor, params }) =>
    mintOwnLink(services, site.id, params.id, actor.userId),
  );
}

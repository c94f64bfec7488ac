import { checkEmail as checkEmailRoute } from '#contract/email-checks.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { checkEmail } from './email-checks.ts';

export function emailCheckRoutes(api: Api, services: Services): void {
  api(checkEmailRoute, async ({ site, file }) => checkEmail(services, site.id, file));
}

import { checkEmail as checkEmailRoute } from '#contract/email-checks.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { rehearseOneClick } from '#server/visit/public-page/rehearse-one-click.ts';
import { checkEmail } from './email-checks.ts';

/** @param http whose public pages answer the site's own links */
export function emailCheckRoutes(api: Api, services: Services, http: Http): void {
  const post = (url: URL) => rehearseOneClick(http, url);
  api(checkEmailRoute, async ({ site, file }) => checkEmail(services, site.id, file, post));
}

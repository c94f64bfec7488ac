import * as contract from '#contract/tool-links.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { listToolLinks } from './tool-links.ts';

export function toolLinkRoutes(api: Api, services: Services): void {
  api(contract.listToolLinks, async ({ site, params }) => listToolLinks(services, site.id, params.id));
}

import * as contract from '#contract/preference-pages.ts';
import type { Api } from '#server/features/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { createPage, getPage, listPages, removePage, replacePage } from './preference-pages.ts';

export function preferencePageRoutes(api: Api, services: Services): void {
  api(contract.listPreferencePages, async ({ site }) => ({
    results: await listPages(services, site.id),
    next: null,
  }));

  api(contract.createPreferencePage, async ({ site, body }) => createPage(services, site.id, body));

  api(contract.getPreferencePage, async ({ site, params }) => getPage(services, site.id, params.id));

  api(contract.replacePreferencePage, async ({ site, params, body }) =>
    replacePage(services, site.id, params.id, body),
  );

  api(contract.deletePreferencePage, async ({ site, params }) => {
    await removePage(services, site.id, params.id);
    return null;
  });
}

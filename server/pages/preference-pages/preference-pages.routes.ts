import * as draftContract from '#contract/page-drafts.ts';
import * as contract from '#contract/preference-pages.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { discardDraft, getDraft, saveDraft } from './page-drafts.ts';
import { getPageVersion, listPageVersions } from './page-versions.ts';
import { createPage, getPage, listPages, removePage, replacePage } from './preference-pages.ts';

export function preferencePageRoutes(api: Api, services: Services): void {
  api(contract.listPreferencePages, async ({ site }) => ({
    results: await listPages(services, site.id),
    next: null,
  }));

  api(contract.createPreferencePage, async ({ site, actor, body }) =>
    createPage(services, site.id, actor.userId, body),
  );

  api(contract.getPreferencePage, async ({ site, params }) => getPage(services, site.id, params.id));

  api(contract.replacePreferencePage, async ({ site, actor, params, body }) =>
    replacePage(services, site.id, actor.userId, params.id, body),
  );

  api(contract.deletePreferencePage, async ({ site, params }) => {
    await removePage(services, site.id, params.id);
    return null;
  });

  api(draftContract.getPageDraft, async ({ site, params }) => ({
    draft: await getDraft(services, site.id, params.id),
  }));

  api(draftContract.savePageDraft, async ({ site, actor, params, body }) =>
    saveDraft(services, site.id, actor.userId, params.id, body),
  );

  api(draftContract.discardPageDraft, async ({ site, params, query }) => {
    await discardDraft(services, site.id, params.id, query.revision);
    return null;
  });

  api(draftContract.listPageVersions, async ({ site, params }) => ({
    results: await listPageVersions(services, site.id, params.id),
    next: null,
  }));

  api(draftContract.getPageVersion, async ({ site, params }) =>
    getPageVersion(services, site.id, params.id, params.version),
  );
}

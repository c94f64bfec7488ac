import * as contract from '#contract/imports.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import {
  cancelImport,
  createToolImport,
  getImport,
  listImports,
  listRows,
  rejectedRows,
  startApplying,
  startCheck,
} from './imports.ts';
import { uploadFile } from './upload.ts';

export function importRoutes(api: Api, services: Services): void {
  api(contract.uploadImport, async ({ site, actor, query, file }) =>
    uploadFile(services, site.id, actor.userId, query.file_name, file),
  );

  api(contract.createImport, async ({ site, actor, body }) =>
    createToolImport(services, site.id, actor.userId, body),
  );

  api(contract.listImports, async ({ site, query }) => listImports(services, site.id, query));

  api(contract.getImport, async ({ site, params }) => getImport(services, site.id, params.id));

  api(contract.checkImport, async ({ site, params, body }) => startCheck(services, site.id, params.id, body));

  api(contract.applyImport, async ({ site, params }) => startApplying(services, site.id, params.id));

  api(contract.cancelImport, async ({ site, params }) => cancelImport(services, site.id, params.id));

  api(contract.listImportRows, async ({ site, params, query }) =>
    listRows(services, site.id, params.id, query),
  );

  api(contract.downloadRejectedRows, async ({ site, params }) => rejectedRows(services, site.id, params.id));
}

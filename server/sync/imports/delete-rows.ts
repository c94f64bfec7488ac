import type { Services } from '#server/platform/services.ts';
import { deleteSomeRows } from './imports.sql.ts';

const AT_ONCE = 20_000;

/** Deletes the rows of an import in batches. */
export async function deleteRows(services: Services, siteId: string, importId: string): Promise<void> {
  for (;;) {
    const gone = await services.database.inSite(siteId, (site) => deleteSomeRows(site, importId, AT_ONCE));
    if (gone < AT_ONCE) return;
  }
}

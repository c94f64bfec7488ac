import { evictHost, releaseHostsOfSite } from '#server/accounts/sites/hosts.ts';
import { deleteSite, siteIdsOfOrganization } from '#server/accounts/sites/sites.sql.ts';
import type { GlobalDb } from '#server/platform/database.ts';
import { intervalTask } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import {
  organizationsToDelete,
  deleteOrganization,
  markOrganizationDeleted,
} from './organization-deletion.sql.ts';

export { lockOrganizations, openOrganizationIdsAfter } from './organization-deletion.sql.ts';

const LOOK_EVERY_MS = 10_000;

/**
 * Marks an organization for deletion in the caller's transaction: from the commit on none of its sites is served. Their
 * data is deleted later by `deleteMarkedOrganizations`.
 * @returns work to do after the commit
 */
export async function markForDeletion(services: Services, tx: GlobalDb, id: string): Promise<() => void> {
  await markOrganizationDeleted(tx, id, services.clock.now());
  const hosts: string[] = [];
  for (const siteId of await siteIdsOfOrganization(tx, id)) {
    hosts.push(...(await releaseHostsOfSite(services, tx, siteId)));
  }
  return () => {
    for (const host of hosts) evictHost(services, host);
  };
}

/** Deletes the data of marked organizations, a few seconds later. */
export const ORGANIZATION_DELETION = intervalTask({
  name: 'organization-deletion',
  everyMs: LOOK_EVERY_MS,
  run: deleteMarkedOrganizations,
});

/**
 * Deletes site by site, each in one transaction; if the process dies, the next run continues. Of two processes at the
 * same site, the second waits and finds nothing to do.
 */
export async function deleteMarkedOrganizations(services: Services, signal?: AbortSignal): Promise<void> {
  const { global } = services.database;
  for (const id of await organizationsToDelete(global)) {
    for (const siteId of await siteIdsOfOrganization(global, id)) {
      if (signal?.aborted === true) return;
      await deleteSite(services.database, siteId);
    }
    await deleteOrganization(global, id);
  }
}

import type { z } from 'zod';
import {
  type createCustomerView,
  type CustomerView,
  MAX_VIEWS_OF_SITE,
  type updateCustomerView,
} from '#contract/customer-views.ts';
import { advisoryLock, type SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import * as statements from './customer-views.sql.ts';
import type { ViewRow } from './customer-views.sql.ts';

function presentView(row: ViewRow): CustomerView {
  return {
    id: row.id,
    name: row.name,
    filter: row.filter,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export async function listViews(services: Services, siteId: string): Promise<CustomerView[]> {
  return (await services.database.readSite(siteId, statements.viewsByName)).map(presentView);
}

/** Names that differ only in case are the same. */
function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function refuseTaken(views: readonly ViewRow[], name: string, ownId?: string): void {
  const taken = views.find((one) => one.name_key === keyOf(name) && one.id !== ownId);
  if (taken === undefined) return;
  throw new AppError(
    'name_taken',
    `name: a view named "${taken.name}" already exists. Choose another name.`,
    { field: 'name' },
  );
}

/** One change of a site's views at a time: each looks at all of them first. */
async function changeViews<T>(
  services: Services,
  siteId: string,
  work: (site: SiteDb, views: ViewRow[]) => Promise<T>,
): Promise<T> {
  return services.database.inSite(siteId, async (site) => {
    await advisoryLock(site, `customer-views:${siteId}`);
    return work(site, await statements.viewsByName(site));
  });
}

/** @throws AppError `name_taken`, `limit_reached` */
export async function createView(
  services: Services,
  siteId: string,
  { name, filter }: z.output<(typeof createCustomerView)['body']>,
): Promise<CustomerView> {
  const now = services.clock.now();
  return changeViews(services, siteId, async (site, views) => {
    refuseTaken(views, name);
    if (views.length >= MAX_VIEWS_OF_SITE) {
      throw new AppError(
        'limit_reached',
        `A site can have up to ${MAX_VIEWS_OF_SITE} saved views. Delete one you no longer use.`,
      );
    }
    const row = await statements.insertView(site, {
      id: newId(),
      name,
      name_key: keyOf(name),
      filter: JSON.stringify(filter),
      created_at: now,
      updated_at: now,
    });
    return presentView(row);
  });
}

/** @throws AppError `not_found`, `name_taken` */
export async function changeView(
  services: Services,
  siteId: string,
  id: string,
  { name, filter }: z.output<(typeof updateCustomerView)['body']>,
): Promise<CustomerView> {
  const now = services.clock.now();
  return changeViews(services, siteId, async (site, views) => {
    if (name !== undefined) refuseTaken(views, name, id);
    const row = await statements.updateView(site, id, {
      ...(name === undefined ? {} : { name, name_key: keyOf(name) }),
      ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
      updated_at: now,
    });
    if (row === undefined) throw notFound('This view');
    return presentView(row);
  });
}

/** @throws AppError `not_found` */
export async function removeView(services: Services, siteId: string, id: string): Promise<void> {
  const isDeleted = await services.database.inSite(siteId, (site) => statements.deleteView(site, id));
  if (!isDeleted) throw notFound('This view');
}

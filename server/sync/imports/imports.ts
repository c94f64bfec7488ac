import type { z } from 'zod';
import type {
  checkImport as checkRoute,
  createImport as createRoute,
  ImportDetail,
  ImportRow,
  ImportStatus,
  ImportSummary,
  ImportVerdict,
} from '#contract/imports.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { csvPages } from '#server/platform/csv.ts';
import { advisoryLock, type SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField, notFound } from '#server/platform/errors.ts';
import type { Download } from '#server/platform/http/implement.ts';
import { newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { connectorOf, requireIntegration } from '#server/tools/integrations/integrations.ts';
import {
  countOpenImports,
  findImport,
  type ImportJob,
  type ImportRowRow,
  importsOfSite,
  insertImport,
  lockImport,
  rowsAfter,
} from './imports.sql.ts';
import { requireMapping } from './mapping.ts';
import { presentDetail, presentRow, presentSummary } from './present.ts';
import { optionsOf } from './sending.ts';
import { enqueueFor, isEnded, NO_COUNTS, step } from './steps.ts';

export type { RowOfPerson } from './imports.sql.ts';
export { eraseImportRows, importRowsOfPerson, importsThatChanged } from './imports.sql.ts';

/** The rows of an import are stored until it ends, so open imports are limited. */
const MAX_OPEN_IMPORTS = 10;

/** @throws AppError `limit_reached` */
export async function requireRoom(site: SiteDb): Promise<void> {
  await advisoryLock(site, `imports:${site.id}`);
  if ((await countOpenImports(site)) < MAX_OPEN_IMPORTS) return;
  throw new AppError(
    'limit_reached',
    `A site can have up to ${MAX_OPEN_IMPORTS} open imports. Apply or cancel one first.`,
  );
}

async function requireImport(site: SiteDb, id: string): Promise<ImportJob> {
  const row = await findImport(site, id);
  if (row === undefined) throw notFound('This import');
  return row;
}

const DOES: Record<ImportStatus, string> = {
  receiving: 'is still being uploaded',
  uploaded: 'has not been checked yet',
  reading: 'is still reading from the tool',
  checking: 'is being checked',
  checked: 'has been checked',
  applying: 'is being applied',
  finished: 'has been applied',
  cancelled: 'was canceled',
  failed: 'failed',
};

/** @throws AppError `not_found`; `conflict` if it is in none of these states */
async function requireIn(
  site: SiteDb,
  id: string,
  allowed: (status: ImportStatus) => boolean,
  what: string,
): Promise<ImportJob> {
  const row = await lockImport(site, id);
  if (row === undefined) throw notFound('This import');
  if (allowed(row.status)) return row;
  throw new AppError('conflict', `This import ${DOES[row.status]}, so it can't be ${what}.`);
}

type NewImport = z.output<(typeof createRoute)['body']>;

/** Starts to read a tool. @throws AppError `not_found`, `bad_request`, `invalid_field`, `limit_reached` */
export async function createToolImport(
  services: Services,
  siteId: string,
  by: string,
  input: NewImport,
): Promise<ImportDetail> {
  const now = services.clock.now();
  return services.database.inSite(siteId, async (site) => {
    const integration = await requireIntegration(site, input.integration_id);
    requirePeople(connectorOf(integration), input.kind);
    await requireResources(site, input.resources);
    await requireRoom(site);
    const row = await insertImport(site, {
      id: newId(),
      source: 'tool',
      status: 'reading',
      file_name: null,
      integration_id: integration.id,
      kind: input.kind,
      resources: JSON.stringify(input.resources),
      columns: null,
      column_samples: null,
      mapping: null,
      options: JSON.stringify(await optionsOf(site, fromTool(integration.id), input.options)),
      counts: JSON.stringify(NO_COUNTS),
      read_progress: JSON.stringify({ resource: 0, cursor: null, tries: 0, troubleSince: null }),
      position: 0,
      round: 0,
      error: null,
      created_by: by,
      created_at: now,
      updated_at: now,
      ended_at: null,
    });
    await enqueueFor(services, site, row);
    await recordChange(services, site, 'import.started', { id: row.id, name: integration.name });
    return presentDetail(site, row);
  });
}

const fromTool = (exported_from: string) => ({
  source: 'tool' as const,
  options: { revive: false, send_subscriptions: false, exported_from },
});

function requirePeople({ name, people }: ReturnType<typeof connectorOf>, kind: 'lists' | 'tags'): void {
  if (people === undefined) throw new AppError('bad_request', `We can't import people from ${name} yet.`);
  if (!people.can) throw new AppError('bad_request', people.reason);
  if (people.of.includes(kind)) return;
  throw new AppError('bad_request', `We can only import people from ${name}'s ${people.of.join(' and ')}.`);
}

async function requireResources(site: SiteDb, resources: NewImport['resources']): Promise<void> {
  const lists = await allLists(site);
  for (const [index, { resource, list_id: listId }] of resources.entries()) {
    if (listId !== null && !lists.some(({ id }) => id === listId)) {
      const field = `resources.${index}.list_id`;
      throw invalidField(field, `${field}: this site doesn't have this list.`);
    }
    if (resources.findIndex((one) => one.resource.id === resource.id) !== index) {
      const field = `resources.${index}.resource.id`;
      throw invalidField(field, `${field}: is there twice.`);
    }
  }
}

interface PageQuery {
  cursor?: string | undefined;
  limit: number;
}

export async function listImports(services: Services, siteId: string, query: PageQuery) {
  const before = cursorOf(query.cursor);
  const rows = await services.database.readSite(siteId, (site) =>
    importsOfSite(site, { before, limit: query.limit }),
  );
  return pageOf<ImportJob, ImportSummary>(rows, query.limit, presentSummary);
}

export async function getImport(services: Services, siteId: string, id: string): Promise<ImportDetail> {
  return services.database.readSite(siteId, async (site) =>
    presentDetail(site, await requireImport(site, id)),
  );
}

/** @throws AppError `not_found`, `conflict`, `invalid_field` */
export async function startCheck(
  services: Services,
  siteId: string,
  id: string,
  { mapping, options }: z.output<(typeof checkRoute)['body']>,
): Promise<ImportDetail> {
  return services.database.inSite(siteId, async (site) => {
    const mayBeChecked = (status: ImportStatus) => status === 'uploaded' || status === 'checked';
    const row = await requireIn(site, id, mayBeChecked, 'checked now');
    if (row.source === 'tool' && mapping !== undefined) {
      throw invalidField('mapping', 'mapping: an import from a tool has no columns. Leave it out.');
    }
    if (row.source === 'csv' && mapping === undefined) {
      throw invalidField('mapping', 'mapping: choose the column with the email.');
    }
    if (mapping !== undefined) requireMapping(mapping, row.columns ?? [], await allLists(site));
    const { total, read } = row.counts;
    const next = await step(services, site, row, {
      status: 'checking',
      position: 0,
      mapping: mapping === undefined ? null : JSON.stringify(mapping),
      options: JSON.stringify(await optionsOf(site, row, options)),
      counts: JSON.stringify({ ...NO_COUNTS, total, read }),
      tells: '{}',
    });
    return presentDetail(site, next);
  });
}

/** @throws AppError `not_found`, `conflict` */
export async function startApplying(services: Services, siteId: string, id: string): Promise<ImportDetail> {
  return services.database.inSite(siteId, async (site) => {
    const row = await requireIn(site, id, (status) => status === 'checked', 'applied now');
    const { total, read, checked, merged, rejected, subscribes, unsubscribes, no_choice } = row.counts;
    const fromCheck = { total, read, checked, merged, rejected, subscribes, unsubscribes, no_choice };
    const next = await step(services, site, row, {
      status: 'applying',
      position: 0,
      counts: JSON.stringify({ ...NO_COUNTS, ...fromCheck }),
    });
    await recordChange(services, site, 'import.applied', { id, count: total });
    return presentDetail(site, next);
  });
}

/** Stops it after the current slice. @throws AppError `not_found`, `conflict` */
export async function cancelImport(services: Services, siteId: string, id: string): Promise<ImportDetail> {
  return services.database.inSite(siteId, async (site) => {
    const row = await requireIn(site, id, (status) => !isEnded(status), 'canceled anymore');
    await recordChange(services, site, 'import.cancelled', { id });
    return presentDetail(site, await step(services, site, row, { status: 'cancelled' }));
  });
}

function afterOf(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw invalidField('cursor', 'cursor: use `next` from the previous page.');
}

export async function listRows(
  services: Services,
  siteId: string,
  id: string,
  query: PageQuery & { verdict?: ImportVerdict | undefined },
): Promise<{ results: ImportRow[]; next: string | null }> {
  const after = afterOf(query.cursor);
  return services.database.readSite(siteId, async (site) => {
    const job = await requireImport(site, id);
    const rows = await rowsAfter(site, id, { after, limit: query.limit + 1, only: query.verdict });
    const shown = rows.slice(0, query.limit);
    const next = rows.length > query.limit ? String(shown.at(-1)?.number ?? 0) : null;
    return { results: shown.map((row) => presentRow(job, row)), next };
  });
}

const ROWS_AT_ONCE = 500;

/** The rejected rows as uploaded, with the reason in a column of its own. */
export async function rejectedRows(services: Services, siteId: string, id: string): Promise<Download> {
  const job = await services.database.readSite(siteId, (site) => requireImport(site, id));
  const columns = job.columns ?? ['email'];
  async function* pages() {
    let after = 0;
    for (;;) {
      const rows = await services.database.readSite(siteId, (site) =>
        rowsAfter(site, id, { after, limit: ROWS_AT_ONCE, only: 'rejected' }),
      );
      yield rows.map((row) => rejectedCells(row, columns.length));
      if (rows.length < ROWS_AT_ONCE) return;
      after = rows.at(-1)?.number ?? after;
    }
  }
  return { fileName: 'failed-rows.csv', content: csvPages([...columns, 'reason'], pages()) };
}

/** Surplus cells follow the reason. */
function rejectedCells({ fields, email, reason }: ImportRowRow, columns: number): string[] {
  const cells = fields ?? [email ?? ''];
  const inColumns = Array.from({ length: columns }, (_, index) => cells[index] ?? '');
  return [...inColumns, reason ?? '', ...cells.slice(columns)];
}

import type { BulkChange, BulkUndo, UndoneCustomer, UndoVerdict } from '#contract/bulk-changes.ts';
import type { AuditActor } from '#contract/audit-log.ts';
import type { BulkChangeRecord } from '#db/tables.ts';
import { namedActors } from '#server/accounts/audit-log/audit-log.ts';
import { allActions } from '#server/delivery/actions/actions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import { firstIdAt, LAST_ID } from '#server/platform/ids.ts';
import { cursorOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { importsThatChanged } from '#server/sync/imports/imports.ts';
import {
  type Burst,
  burstsSince,
  customersAfter,
  customersWithIds,
  findUndo,
  type UndoCustomerRow,
  type UndoRow,
  undosWithIds,
} from './bulk-changes.sql.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
/** As long as a burst may pause; then it is over. */
const PAUSE_MS = 10 * 60_000;
/** Fewer customers are no burst: the person who changes them can change them back. */
const BURST_CUSTOMERS = 20;
/** Reading every choice of a month could take longer than anyone waits; this many take a second or two. */
const MOST_LOOKED_AT = 200_000;
/** Clocks of several processes may differ by this much. */
const SKEW_MS = 60 * 60_000;

/** A bulk change as it is found. */
export interface FoundBulkChange {
  id: string;
  about: BulkChangeRecord;
  isRunning: boolean;
}

/**
 * The bulk changes of the last 30 days, newest first.
 * @param options.lookedAt how many of the newest choices by tools, owners and API keys are read; imports are all found
 */
export async function findBulkChanges(
  site: SiteDb,
  now: Date,
  { lookedAt = MOST_LOOKED_AT }: { lookedAt?: number } = {},
): Promise<FoundBulkChange[]> {
  const since = new Date(now.getTime() - DAYS * DAY_MS);
  const bursts = (await burstsSince(site, firstIdAt(since), lookedAt)).flatMap((burst) =>
    fromBurst(burst, now),
  );
  const imports = (await importsThatChanged(site, since)).map((one): FoundBulkChange => {
    const { added, changed, revived } = one.counts;
    return {
      id: one.id,
      isRunning: one.status === 'applying',
      about: {
        kind: 'import',
        prefix: `import:${one.id}:`,
        // Of the import itself: its choices are younger.
        from_id: one.id,
        to_id: LAST_ID,
        name: one.file_name,
        integration_id: one.integration_id,
        actor: `user:${one.created_by}`,
        customers: added + changed + revived,
        started_at: one.created_at.toISOString(),
        ended_at: (one.ended_at ?? one.updated_at).toISOString(),
      },
    };
  });
  return [...bursts, ...imports].toSorted((one, other) =>
    one.about.ended_at === other.about.ended_at ? 0 : one.about.ended_at < other.about.ended_at ? 1 : -1,
  );
}

function fromBurst(
  { prefix, from_id, to_id, customers, started_at, ended_at }: Burst,
  now: Date,
): FoundBulkChange[] {
  const [made = '', ...who] = prefix.split(':').slice(0, -1);
  const kind = made === 'tool' ? 'incoming' : made === 'repair' ? 'repair' : 'edit';
  if (kind !== 'repair' && customers < BURST_CUSTOMERS) return [];
  return [
    {
      id: from_id,
      isRunning: now.getTime() - ended_at.getTime() < PAUSE_MS,
      about: {
        kind,
        prefix,
        from_id,
        to_id,
        name: null,
        integration_id: kind === 'edit' ? null : (who[0] ?? null),
        actor: kind === 'edit' ? who.join(':') : null,
        customers,
        started_at: started_at.toISOString(),
        ended_at: ended_at.toISOString(),
      },
    },
  ];
}

/** Choices of the bulk change have no smaller ids, and neither has what was chosen after them. */
export function idsFrom({ from_id: id }: BulkChangeRecord): string {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return firstIdAt(new Date(time - SKEW_MS));
}

interface Presented {
  found: FoundBulkChange;
  undo: UndoRow | null;
}

async function presentAll(
  services: Services,
  siteId: string,
  all: readonly Presented[],
): Promise<BulkChange[]> {
  const actors = all.flatMap(({ found, undo }) => [found.about.actor ?? [], undo?.started_by ?? []].flat());
  const nameOf = await namedActors(services, siteId, actors);
  const tools = await services.database.readSite(siteId, async (site) =>
    all.some(({ undo }) => undo !== null) ? await allActions(site) : [],
  );
  const toolOf = new Map(tools.map((action) => [action.id, action.integration_id]));
  return all.map(({ found: { id, about, isRunning }, undo }) => ({
    id,
    kind: about.kind,
    name: about.name,
    integration_id: about.integration_id,
    actor: about.actor === null ? null : nameOf(about.actor),
    customers: about.customers,
    started_at: about.started_at,
    ended_at: about.ended_at,
    is_running: isRunning,
    undo: undo === null ? null : presentUndo(undo, nameOf, toolOf),
  }));
}

function presentUndo(
  undo: UndoRow,
  nameOf: (actor: string) => AuditActor,
  toolOf: ReadonlyMap<string, string | null>,
): BulkUndo {
  return {
    status: undo.status,
    counts: undo.counts,
    tells: Object.entries(undo.told).map(([action_id, told]) => ({
      action_id,
      integration_id: toolOf.get(action_id) ?? null,
      ...told,
    })),
    started_by: undo.started_by === null ? null : nameOf(undo.started_by),
    started_at: undo.started_at?.toISOString() ?? null,
    updated_at: undo.updated_at.toISOString(),
    ended_at: undo.ended_at?.toISOString() ?? null,
  };
}

export async function listBulkChanges(services: Services, siteId: string) {
  const all = await services.database.readSite(siteId, async (site) => {
    const found = await findBulkChanges(site, services.clock.now());
    const undos = await undosWithIds(
      site,
      found.map(({ id }) => id),
    );
    const undoOf = new Map(undos.map((undo) => [undo.id, undo]));
    return found.map((one): Presented => ({ found: one, undo: undoOf.get(one.id) ?? null }));
  });
  return { results: await presentAll(services, siteId, all), next: null };
}

/** @throws AppError `not_found` */
export async function requireBulkChange(site: SiteDb, id: string, now: Date): Promise<Presented> {
  const undo = (await findUndo(site, id)) ?? null;
  // What is being undone stays as it was when that was asked for.
  if (undo !== null) return { undo, found: { id, about: undo.about, isRunning: false } };
  const found = (await findBulkChanges(site, now)).find((one) => one.id === id);
  if (found === undefined) throw notFound('This bulk change');
  return { undo, found };
}

/** @throws AppError `not_found` */
export async function getBulkChange(services: Services, siteId: string, id: string): Promise<BulkChange> {
  const one = await services.database.readSite(siteId, (site) =>
    requireBulkChange(site, id, services.clock.now()),
  );
  return presentOne(services, siteId, one);
}

export async function presentOne(services: Services, siteId: string, one: Presented): Promise<BulkChange> {
  const [presented] = await presentAll(services, siteId, [one]);
  if (presented === undefined) throw new Error('One was presented');
  return presented;
}

/** @throws AppError `not_found` */
export async function listUndoneCustomers(
  services: Services,
  siteId: string,
  id: string,
  query: { cursor?: string | undefined; limit: number; verdict?: UndoVerdict | undefined },
): Promise<{ results: UndoneCustomer[]; next: string | null }> {
  const after = cursorOf(query.cursor);
  return services.database.readSite(siteId, async (site) => {
    await requireBulkChange(site, id, services.clock.now());
    const rows = await customersAfter(site, id, { after, limit: query.limit + 1, verdict: query.verdict });
    const shown = rows.slice(0, query.limit);
    const customers = await customersWithIds(
      site,
      shown.map((row) => row.customer_id),
    );
    const emailOf = new Map(customers.map((customer) => [customer.id, customer.email]));
    return {
      results: shown.map((row) => presentCustomer(row, emailOf.get(row.customer_id) ?? null)),
      next: rows.length > query.limit ? (shown.at(-1)?.customer_id ?? null) : null,
    };
  });
}

function presentCustomer(row: UndoCustomerRow, email: string | null): UndoneCustomer {
  return {
    customer_id: row.customer_id,
    email,
    verdict: row.verdict,
    is_new: row.is_new,
    restores: row.plan.restored,
    keeps: row.plan.kept,
    choice_id: row.choice_id,
  };
}

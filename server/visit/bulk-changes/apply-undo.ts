import { listsChosenOtherwise } from '#server/audience/evidence/transitions.ts';
import { findCustomerRow, lockCustomerRow } from '#server/audience/customers/customers.ts';
import {
  type ChoiceContext,
  choiceRulesOf,
  NO_VISIT,
  NOTHING_SHOWN,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import { cancelUnsent, hasOpenDeliveries } from '#server/delivery/deliveries/deliveries.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { isDatabaseUnable } from '#server/platform/database-errors.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { eraseUnusedCustomer } from '#server/visit/customers/erasure.ts';
import { takeOutOfFigures } from './figures.ts';
import {
  type AppliedCustomer,
  customersAfter,
  deleteImportRowsOf,
  findUndo,
  hasPending,
  lockUndo,
  markApplied,
  markDeleted,
  type UndoCustomerRow,
  type UndoRow,
} from './bulk-changes.sql.ts';
import { planCustomers, type PlannedCustomer, storedPlan, withoutAddress } from './plan-customers.ts';
import { countsOf, lockForJob, step } from './undo-steps.ts';

const SLICE = 100;

/** Customers undone concurrently in this process, over all undos; public pages need database connections, too. */
const AT_ONCE = 6;

/** More concurrent choices than this while one customer is undone are not plausible. */
const MOST_TRIES = 10;
const MOST_FAILURES = 3;

interface Work {
  services: Services;
  siteId: string;
  undo: UndoRow;
  listIds: ReadonlySet<string>;
}

/** Undoes the next customers. A repeated run skips what was done. */
export async function applySlice(services: Services, job: Job): Promise<void> {
  const rules = await choiceRulesOf(services, job.site_id);
  const read = await services.database.readSite(job.site_id, async (site) => {
    const undo = await findUndo(site, job.id);
    if (undo === undefined || undo.round !== job.round || undo.status !== 'applying') return null;
    const query = { after: undo.cursor, limit: SLICE, open: 'applying' } as const;
    return { undo, rows: await customersAfter(site, undo.id, query) };
  });
  if (read === null) return;
  const { undo, rows } = read;
  const listIds = new Set(rules.lists.map(({ id }) => id));
  const work = { services, siteId: job.site_id, undo, listIds };
  const applied = await Promise.all(
    rows.map((row) => withConcurrencyLimit(AT_ONCE, 'bulk-undos', () => undoCustomer(work, row))),
  );
  await services.database.inSite(job.site_id, async (site) => {
    const locked = await lockForJob(site, job, 'applying');
    if (locked === null) return;
    const now = services.clock.now();
    for (const row of applied) {
      // Those with a choice were marked in its transaction.
      if (row.choice_id === null) await site.db.executeQuery(markApplied(site, undo.id, row, now));
    }
    const isLast = rows.length < SLICE;
    const counts = await countsOf(site, locked);
    await step(services, site, locked, {
      status: isLast ? (counts.new_customers > 0 ? 'deleting' : 'finished') : 'applying',
      cursor: isLast ? null : (rows.at(-1)?.customer_id ?? null),
      counts: JSON.stringify(counts),
    });
  });
}

/** Undoes one customer's part; if they choose meanwhile, it is planned again. */
async function undoCustomer(work: Work, row: UndoCustomerRow): Promise<AppliedCustomer> {
  for (let tries = 0, failures = 0; tries < MOST_TRIES; tries += 1) {
    try {
      const done = await tryCustomer(work, row, failures > 0);
      if (done !== 'again') return done;
    } catch (error) {
      // The queue retries the job; customers already undone are skipped.
      if (isDatabaseUnable(error)) throw error;
      failures += 1;
      if (failures < MOST_FAILURES) continue;
      const { services, undo } = work;
      services.log.error(
        { err: error, undo: undo.id, customer: row.customer_id },
        'a customer could not be undone',
      );
      return failed(row);
    }
  }
  return failed(row);
}

function failed(row: UndoCustomerRow): AppliedCustomer {
  const kept = [{ about: 'everything', list_id: null, reason: 'failed' } as const];
  const { customer_id } = row;
  return {
    customer_id,
    verdict: 'kept',
    plan: { ...row.plan, restored: [], kept },
    is_new: false,
    choice_id: null,
  };
}

/** @param isAgain after a failure: another customer may have taken the address meanwhile */
async function tryCustomer(
  work: Work,
  row: UndoCustomerRow,
  isAgain: boolean,
): Promise<AppliedCustomer | 'again'> {
  const { services, siteId, undo, listIds } = work;
  const [planned] = await services.database.readSite(siteId, (site) =>
    planCustomers(services, site, undo.about, [row.customer_id], listIds),
  );
  if (planned === undefined) return failed(row);
  const outcome = (plan: PlannedCustomer['plan'], choiceId: string | null): AppliedCustomer => ({
    customer_id: row.customer_id,
    verdict: plan.verdict,
    plan: storedPlan(plan),
    is_new: plan.isNew,
    choice_id: choiceId,
  });
  const { customer, email } = planned;
  const plan = isAgain && email !== null ? withoutAddress(planned.plan) : planned.plan;
  if (plan.restored.length === 0) return outcome(plan, null);
  const change = {
    restore: plan.restore,
    ...(email !== null && plan.emailBefore !== null ? { email } : {}),
  };
  try {
    const saved = await saveChoice(
      services,
      siteId,
      customer.id,
      change,
      contextOf(undo, plan.sequences),
      { sequence: customer.sequence },
      async (site, _customer, choiceId, states) => {
        const now = services.clock.now();
        const { sequences, kept } = plan;
        // What stays may still have to be sent.
        const cancelled =
          kept.length > 0 ? [] : [cancelUnsent(site, { customerId: customer.id, sequences, now })];
        const lists = [
          ...plan.restore.lists.map(({ list_id }) => list_id),
          ...listsChosenOtherwise(states.before, states.after, listIds),
        ];
        return [
          markApplied(site, undo.id, outcome(plan, choiceId), now),
          ...cancelled,
          ...(await takeOutOfFigures(site, { customerId: customer.id, sequences, lists })),
        ];
      },
    );
    if (saved.refused !== null) return 'again';
    return outcome(plan, saved.choiceId);
  } catch (error) {
    // Erased a moment ago: planned again, there is nothing left.
    if (error instanceof AppError && error.code === 'not_found') return 'again';
    throw error;
  }
}

function contextOf({ id, about, started_by }: UndoRow, sequences: number[]): ChoiceContext {
  return {
    source: 'undo',
    authority: started_by?.startsWith('api_key:') === true ? 'api_key' : 'owner',
    saveId: `bulk-undo:${id}`,
    ...NO_VISIT,
    shown: { ...NOTHING_SHOWN, undone: { kind: about.kind, bulk_change_id: id, sequences } },
    ...(sequences[0] === undefined ? {} : { takesBack: sequences[0] }),
  };
}

/** A tool that stays unreachable delays a deletion no longer than this, which is also when retries end. */
const LONGEST_WAIT_MS = 5 * 86_400_000;
const LOOK_AGAIN_MS = 10_000;

/** Deletes the next customers that the bulk change created, once no delivery about them is open. */
export async function deleteSlice(services: Services, job: Job): Promise<void> {
  const rules = await choiceRulesOf(services, job.site_id);
  const listIds = new Set(rules.lists.map(({ id }) => id));
  const undo = await services.database.readSite(job.site_id, (site) => findUndo(site, job.id));
  if (undo === undefined || undo.round !== job.round || undo.status !== 'deleting') return;
  const rows = await services.database.readSite(job.site_id, (site) =>
    customersAfter(site, undo.id, { after: undo.cursor, limit: SLICE, open: 'deleting' }),
  );
  const work = { services, siteId: job.site_id, undo, listIds };
  for (const { customer_id: id } of rows) await deleteCustomer(work, id);
  await services.database.inSite(job.site_id, async (site) => {
    const locked = await lockForJob(site, job, 'deleting');
    if (locked === null) return;
    const counts = JSON.stringify(await countsOf(site, locked));
    const isLast = rows.length < SLICE;
    const cursor = isLast ? null : (rows.at(-1)?.customer_id ?? null);
    const [waiting] = isLast
      ? await customersAfter(site, undo.id, { after: null, limit: 1, open: 'deleting' })
      : [];
    if (isLast && waiting === undefined) {
      await step(services, site, locked, { status: 'finished', cursor, counts });
      return;
    }
    const later = new Date(services.clock.now().getTime() + LOOK_AGAIN_MS);
    await step(services, site, locked, { status: 'deleting', cursor, counts }, isLast ? later : undefined);
  });
}

async function deleteCustomer({ services, siteId, undo, listIds }: Work, id: string): Promise<void> {
  const now = services.clock.now();
  const mayWait = now.getTime() - (undo.started_at ?? now).getTime() < LONGEST_WAIT_MS;
  await services.database.inSite(siteId, async (site) => {
    if ((await lockUndo(site, undo.id))?.status !== 'deleting') return;
    await lockCustomerRow(site, id);
    const customer = await findCustomerRow(site, id);
    if (customer === undefined) return markDeleted(site, undo.id, id, now);
    const [planned] = await planCustomers(services, site, undo.about, [id], listIds);
    // They have done something since, or somebody has done something with them: now they are a customer.
    const isUsed = planned?.plan.isNew !== true || (await hasPending(site, id));
    if (isUsed) return markDeleted(site, undo.id, id, null);
    if (mayWait && (await hasOpenDeliveries(site, id))) return;
    await eraseUnusedCustomer(services, site, customer);
    await deleteImportRowsOf(site, id);
    await markDeleted(site, undo.id, id, now);
  });
}

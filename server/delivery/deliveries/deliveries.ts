import {
  type Delivery,
  type DeliveryDetail,
  MAX_COUNTED_DELIVERIES,
  type StoredAttempt,
} from '#contract/deliveries.ts';
import type { TestFilterValue } from '#contract/fields.ts';
import { emailKey } from '#contract/email-key.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import type { ChoiceRow } from '#server/audience/evidence/evidence.ts';
import { allActions, type WaitingAction } from '#server/delivery/actions/actions.sql.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { firstIdAt, newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { clearReservations } from '#server/tools/clients/reservations.ts';
import * as statements from './deliveries.sql.ts';
import type { DeliveryFilter, DeliveryRow, DeliveryView } from './deliveries.sql.ts';
import { announceWork, LEASE_MS, handToLocalWorker } from './delivery-queue.ts';
import { outcomeOf } from './outcomes.ts';

export {
  actionsAboutToRun,
  eraseAttemptsOfCustomer,
  hasOpenDeliveries,
  hasToldSince,
  IS_HELD,
  IS_NOT_HELD,
  IS_TEST,
  unblockedAt,
  wasWrittenSince,
  wroteThen,
} from './deliveries.sql.ts';

export { cancelUnsent, deliveriesOfSequences } from './undone.sql.ts';

export { unconfirmedByAction } from './unconfirmed.sql.ts';

const MAX_REPLAYS_IN_ONE_CALL = 1000;

/** The strictest legal deadline for an opt-out to take effect. */
export const DELIVERY_DUE_MS = 48 * 3_600_000;

/** Unconfirmed deliveries are reported after this time, while the deadline can still be met. */
export const UNCONFIRMED_AFTER_MS = 24 * 3_600_000;

/** Older ones have been reported and are left to the owners. */
export const REPORTED_FOR_MS = 7 * 24 * 3_600_000;

interface MatchedChoice {
  choice: ChoiceRow;
  actions: readonly WaitingAction[];
  /** The site is in test mode. */
  isHeld: boolean;
}

/** Statements that create one delivery per matching action, for the transaction of the choices. */
export function createDeliveries(
  services: Services,
  site: SiteDb,
  matched: readonly MatchedChoice[],
): Statement[] {
  const isSent = ({ choice, isHeld }: MatchedChoice) => choice.is_test === null && !isHeld;
  const unsent = matched.filter((one) => !isSent(one)).flatMap(unsentRows);
  const offered = matched.filter(isSent).flatMap(({ choice, actions }) =>
    actions.map((action) => ({
      action,
      row: {
        ...choice,
        delivery_id: newId(),
        action_id: action.id,
        event: action.event,
        status: 'waiting' as const,
        attempt_count: 0,
        try_count: 0,
        next_attempt_at: choice.occurred_at,
        confirmation_reads: 0,
        tool_effect: null,
      },
    })),
  );
  if (offered.length === 0) return statements.insertDeliveries(site.id, unsent);
  const { dueAt, statements: marks } = handToLocalWorker(services, site, offered);
  const rows = offered.map(({ row }, index) => ({
    id: row.delivery_id,
    action_id: row.action_id,
    customer_id: row.customer_id,
    choice_id: row.id,
    event: row.event,
    status: row.status,
    attempt_count: 0,
    try_count: 0,
    next_attempt_at: dueAt[index] ?? row.occurred_at,
    outcome: null,
    finished_at: null,
    created_at: row.occurred_at,
  }));
  return [...statements.insertDeliveries(site.id, [...rows, ...unsent]), ...marks];
}

/** What a test address chose is never sent; in test mode, everything else waits until the site goes live. */
function unsentRows({ choice, actions }: MatchedChoice) {
  const isTest = choice.is_test !== null;
  return actions.map((action) => ({
    id: newId(),
    action_id: action.id,
    customer_id: choice.customer_id,
    choice_id: choice.id,
    event: action.event,
    status: isTest ? ('arrived' as const) : ('waiting' as const),
    attempt_count: 0,
    try_count: 0,
    next_attempt_at: null,
    outcome: isTest ? ('test' as const) : ('held' as const),
    finished_at: isTest ? choice.occurred_at : null,
    created_at: choice.occurred_at,
  }));
}

/** @param now a delivery that has not arrived is late as of this time */
function presentDelivery(delivery: DeliveryView, now: Date): Delivery {
  const dueAt = new Date(delivery.created_at.getTime() + DELIVERY_DUE_MS);
  return {
    id: delivery.id,
    action_id: delivery.action_deleted_at === null ? delivery.action_id : null,
    action_name: delivery.action_name,
    action_type: delivery.action_type,
    action_operation: delivery.action_operation,
    customer_id: delivery.customer_id,
    customer_email: delivery.customer_email,
    choice_id: delivery.choice_id,
    event: delivery.event,
    lists: delivery.choice_lists.map(({ previous: _, ...list }) => list),
    tool_name: delivery.tool_name,
    status: delivery.status,
    ...outcomeOf({
      status: delivery.status,
      outcome: delivery.outcome,
      isConfirmed: delivery.confirmed_at !== null,
      isForTool: delivery.tool_name !== null,
    }),
    attempt_count: delivery.attempt_count,
    next_attempt_at: delivery.status === 'waiting' ? (delivery.next_attempt_at?.toISOString() ?? null) : null,
    last_error: delivery.last_error,
    created_at: delivery.created_at.toISOString(),
    finished_at: delivery.finished_at?.toISOString() ?? null,
    confirmed_at: delivery.confirmed_at?.toISOString() ?? null,
    due_at: dueAt.toISOString(),
    test: delivery.outcome === 'test',
    // What is waiting for the site to go live is not overdue.
    is_late:
      delivery.outcome !== 'held' &&
      (delivery.status === 'arrived' ? (delivery.finished_at ?? now) : now) > dueAt,
  };
}

/** A filter as owners say it. */
type LogFilter = DeliveryFilter & {
  late?: 'true' | undefined;
  unconfirmed?: 'true' | undefined;
  since?: string | undefined;
  test?: TestFilterValue;
};

/** The filter with the times that it means now. */
function searchOf({ late, unconfirmed, since, test, ...filter }: LogFilter, now: Date): statements.Search {
  const madeBefore = (ms: number) => {
    const at = new Date(now.getTime() - ms);
    return { id: firstIdAt(at), at };
  };
  return {
    ...filter,
    lateBefore: late === undefined ? undefined : madeBefore(DELIVERY_DUE_MS),
    unconfirmedBefore: unconfirmed === undefined ? undefined : madeBefore(UNCONFIRMED_AFTER_MS),
    since: since === undefined ? undefined : firstIdAt(new Date(since)),
    isTest: test === undefined ? undefined : test === 'true',
  };
}

export async function listDeliveries(
  services: Services,
  siteId: string,
  { cursor, limit, ...filter }: LogFilter & { cursor?: string | undefined; limit: number },
) {
  const before = cursorOf(cursor);
  const now = services.clock.now();
  const rows = await services.database.readSite(siteId, (site) =>
    statements.searchDeliveries(site, searchOf(filter, now), { before, limit }),
  );
  return pageOf(rows, limit, (row) => presentDelivery(row, now));
}

async function requireDelivery(site: SiteDb, id: string): Promise<DeliveryView> {
  const delivery = await statements.findDeliveryView(site, id);
  if (delivery === undefined) throw notFound('This delivery');
  return delivery;
}

export async function getDelivery(services: Services, siteId: string, id: string): Promise<DeliveryDetail> {
  return services.database.readSite(siteId, async (site) => {
    const [delivery, attempts] = await Promise.all([
      requireDelivery(site, id),
      statements.attemptsOf(site, id),
    ]);
    const presented = presentDelivery(delivery, services.clock.now());
    return {
      ...presented,
      cause: presented.cause ?? causeOfOlder(presented, attempts.at(-1)),
      attempts: attempts.map(presentAttempt),
    };
  });
}

/** Deliveries from before the outcome was stored say only in their last attempt why it failed. */
function causeOfOlder(
  { outcome }: Pick<Delivery, 'outcome'>,
  last: statements.AttemptRow | undefined,
): Delivery['cause'] {
  return outcome === 'failed' && last !== undefined && last.outcome !== 'arrived' ? last.outcome : null;
}

function presentAttempt(attempt: statements.AttemptRow): StoredAttempt {
  const { changes = [], ...request } = attempt.request;
  return {
    number: attempt.number,
    started_at: attempt.started_at.toISOString(),
    duration_ms: attempt.duration_ms,
    outcome: attempt.outcome,
    request,
    response: attempt.response,
    error: attempt.error,
    changes,
    content_deleted_at: attempt.content_deleted_at?.toISOString() ?? null,
  };
}

/** Restarts deliveries with a full set of tries and the same ids. */
async function restart(services: Services, site: SiteDb, deliveries: readonly DeliveryRow[]): Promise<void> {
  const now = services.clock.now();
  if (deliveries.length === 0) return;
  await statements.updateDeliveries(
    site,
    deliveries.map(({ id }) => id),
    {
      status: 'waiting',
      try_count: 0,
      next_attempt_at: now,
      finished_at: null,
      confirmed_at: null,
      outcome: null,
      confirmation_reads: 0,
    },
  );
  const mark = announceWork(services, site, now);
  await site.query(mark.sql, [...mark.parameters]);
}

/** The rest run at their scheduled time. */
const MAX_EXPEDITED = 20_000;

/** Key of the retry slots reserved while a tool's circuit is open. */
export const retryReservationsOf = (integrationId: string) => `rest:${integrationId}`;

/**
 * Runs the deliveries that wait for a repaired tool now, with a full set of tries, and clears their reserved slots so
 * that a next outage starts from an empty schedule.
 */
export async function expediteDeliveriesTo(
  services: Services,
  site: SiteDb,
  integrationId: string,
): Promise<void> {
  await restart(services, site, await statements.waitingForTool(site, integrationId, MAX_EXPEDITED));
  await clearReservations(site, retryReservationsOf(integrationId));
}

/** Sends the evidence that waited for a mailbox which has now agreed. */
export async function sendRecordsTo(services: Services, siteId: string, key: string): Promise<void> {
  await services.database.inSite(siteId, async (site) => {
    const ids = (await allActions(site))
      .filter(({ target: { email } }) => typeof email === 'string' && emailKey(email) === key)
      .map(({ id }) => id);
    if (ids.length === 0) return;
    await restart(services, site, await statements.waitingForActions(site, ids, MAX_EXPEDITED));
  });
}

export async function replayDelivery(services: Services, siteId: string, id: string): Promise<Delivery> {
  return services.database.inSite(siteId, async (site) => {
    const delivery = await statements.lockDelivery(site, id);
    if (delivery === undefined) throw notFound('This delivery');
    const view = await requireDelivery(site, id);
    if (view.action_deleted_at !== null) {
      throw new AppError('not_found', "This delivery's action was deleted, so it can't be sent again.");
    }
    if (delivery.outcome === 'test' && (await statements.isTestChoice(site, delivery.choice_id))) {
      throw new AppError('conflict', "This change was made by a test customer, so it can't be sent.");
    }
    await restart(services, site, [delivery]);
    await recordChange(services, site, 'delivery.replayed', { id, name: view.action_name });
    return presentDelivery(await requireDelivery(site, id), services.clock.now());
  });
}

interface Counted {
  count: number;
  has_more: boolean;
}

/** @param count stops counting at its argument */
async function countUpTo(
  services: Services,
  siteId: string,
  count: (site: SiteDb, atMost: number) => Promise<number>,
): Promise<Counted> {
  const found = await services.database.readSite(siteId, (site) => count(site, MAX_COUNTED_DELIVERIES + 1));
  return { count: Math.min(found, MAX_COUNTED_DELIVERIES), has_more: found > MAX_COUNTED_DELIVERIES };
}

/** What is held until the site leaves test mode. */
export async function countHeld(services: Services, siteId: string): Promise<Counted> {
  return countUpTo(services, siteId, statements.countHeld);
}

type ReplayFilter = LogFilter & { status: 'failed' | 'waiting' };

function replaySearchOf({ status, ...filter }: ReplayFilter, now: Date): statements.ReplaySearch {
  const search = searchOf(filter, now);
  if (status === 'failed') return { ...search, status };
  // One that is leased is due when its lease ends.
  return { ...search, status, nextAttemptAfter: new Date(now.getTime() + LEASE_MS) };
}

/** How many `replayDeliveries` would send again. */
export async function countReplays(
  services: Services,
  siteId: string,
  filter: ReplayFilter,
): Promise<Counted> {
  const search = replaySearchOf(filter, services.clock.now());
  return countUpTo(services, siteId, (site, atMost) => statements.countReplayable(site, search, atMost));
}

export async function replayDeliveries(
  services: Services,
  siteId: string,
  filter: ReplayFilter,
): Promise<{ replayed: number; remaining: number }> {
  const search = replaySearchOf(filter, services.clock.now());
  return services.database.inSite(siteId, async (site) => {
    const found = await statements.lockReplayable(site, search, MAX_REPLAYS_IN_ONE_CALL + 1);
    const now = found.slice(0, MAX_REPLAYS_IN_ONE_CALL);
    await restart(services, site, now);
    if (now.length > 0) await recordChange(services, site, 'delivery.replayed_many', { count: now.length });
    const remaining =
      found.length > now.length ? await statements.countReplayable(site, search, MAX_COUNTED_DELIVERIES) : 0;
    return { replayed: now.length, remaining };
  });
}

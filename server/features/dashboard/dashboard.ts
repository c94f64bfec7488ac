import type {
  ActionFigures,
  Dashboard,
  DashboardRange,
  IntegrationHealth,
  ListFigures,
} from '#contract/dashboard.ts';
import { type ActionRow, allActions } from '#server/features/actions/actions.sql.ts';
import { countReasons } from '#server/features/choices/reasons.ts';
import {
  DELIVERY_DUE_MS,
  REPORTED_FOR_MS,
  UNCONFIRMED_AFTER_MS,
} from '#server/features/deliveries/deliveries.ts';
import { unconfirmedByAction } from '#server/features/deliveries/unconfirmed.sql.ts';
import { allIntegrations, type IntegrationRow } from '#server/features/integrations/integrations.sql.ts';
import { allLists } from '#server/features/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import { areWorkersPaused } from '#server/platform/installation.ts';
import type { Services } from '#server/platform/services.ts';
import * as statements from './dashboard.sql.ts';
import type { IdRange, MoveCount } from './dashboard.sql.ts';
import { countByTime, type Time } from './past-counts.ts';
import { daysBefore, type Span, spanOf } from './ranges.ts';

/** Of the figures that stand in the rows of lists and actions. */
const ROWS_DAYS = 30;

const idsOf = ({ from, until }: Time): IdRange => ({ from: firstIdAt(from), until: firstIdAt(until) });

/** What is made while it is counted belongs to it. */
const nowOf = ({ from, until }: Span): Time => ({ from, until: new Date(until.getTime() + 60_000) });

/** The figures of a site over a time. Reads by ranges of ids only, see `dashboard.sql.ts`. */
export async function readDashboard(
  services: Services,
  siteId: string,
  range: DashboardRange,
): Promise<Dashboard> {
  const span = spanOf(range, services.clock.now());
  const [people, carried, reasons] = await Promise.all([
    services.database.readSite(siteId, (site) => readPeople(services, site, span)),
    services.database.readSite(siteId, async (site) => {
      const [figures, isPaused] = await Promise.all([
        readCarried(services, site, span),
        areWorkersPaused(site),
      ]);
      return { ...figures, workers_paused: isPaused };
    }),
    countReasons(services, siteId, span.from),
  ]);
  return {
    range,
    from: span.from.toISOString(),
    until: span.until.toISOString(),
    step: span.step,
    periods: span.periods.map((at) => at.toISOString()),
    ...people,
    reasons,
    ...carried,
  };
}

async function readPeople(services: Services, site: SiteDb, span: Span) {
  const { before } = span;
  const now = nowOf(span);
  const periods = span.periods.map(firstIdAt);
  const choicesIn = (time: Time) =>
    countByTime(services, `choices ${site.id} ${span.range}`, time, (one) =>
      statements.choicesByPeriod(site, periods, idsOf(one)),
    );
  const movesIn = (time: Time) =>
    countByTime(services, `moves ${site.id} ${span.range}`, time, (one) =>
      statements.movesByPeriod(site, periods, idsOf(one)),
    );
  const [customers, choices, choicesBefore, moves, movesBefore, lists] = await Promise.all([
    statements.countCustomers(site, { now: idsOf(now), before: idsOf(before) }),
    choicesIn(now),
    choicesIn(before),
    movesIn(now),
    movesIn(before),
    allLists(site),
  ]);
  const perPeriod = seriesOf(choices, span.periods.length);
  const movesOf = (joined: boolean) => moves.filter((move) => move.joined === joined);
  const beforeOf = (joined: boolean) => sumOf(movesBefore.filter((move) => move.joined === joined));
  return {
    customers: { total: customers.total, created: { now: customers.now, before: customers.before } },
    choices: { now: sum(perPeriod), before: sumOf(choicesBefore), periods: perPeriod },
    joins: { now: sumOf(movesOf(true)), before: beforeOf(true) },
    leaves: { now: sumOf(movesOf(false)), before: beforeOf(false) },
    lists: lists.map(({ id, name }) => ({
      list_id: id,
      name,
      joins: seriesOf(ofList(movesOf(true), id), span.periods.length),
      leaves: seriesOf(ofList(movesOf(false), id), span.periods.length),
    })),
  };
}

const ofList = (moves: readonly MoveCount[], listId: string) =>
  moves.filter((move) => move.list_id === listId);

const sumOf = (rows: readonly { count: number }[]) => sum(rows.map(({ count }) => count));

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

/** One number for each period, whether something happened in it or not. */
function seriesOf(counts: readonly { period: number; count: number }[], length: number): number[] {
  const series = Array.from({ length }, () => 0);
  for (const { period, count } of counts) series[period - 1] = (series[period - 1] ?? 0) + count;
  return series;
}

async function readCarried(
  services: Services,
  site: SiteDb,
  span: Span,
): Promise<Pick<Dashboard, 'deliveries' | 'integrations'>> {
  const since = firstIdAt(span.from);
  const lateBefore = firstIdAt(new Date(span.until.getTime() - DELIVERY_DUE_MS));
  const [deliveries, open, integrations] = await Promise.all([
    countByTime(services, `deliveries ${site.id}`, nowOf(span), async (time) => [
      { count: await statements.countDeliveries(site, idsOf(time)) },
    ]),
    statements.countOpenDeliveries(site, { since, lateBefore }),
    readHealth(site, span.until),
  ]);
  // Something may arrive between the two counts.
  const arrived = Math.max(0, sumOf(deliveries) - open.waiting - open.failed);
  return { deliveries: { arrived, ...open }, integrations };
}

async function readHealth(site: SiteDb, now: Date): Promise<Dashboard['integrations']> {
  const [integrations, actions] = await Promise.all([allIntegrations(site), allActions(site)]);
  if (integrations.length === 0) return [];
  const [waiting, unconfirmed, arrivals] = await Promise.all([
    statements.waitingByAction(site),
    unconfirmedByAction(site, {
      from: new Date(now.getTime() - REPORTED_FOR_MS),
      before: new Date(now.getTime() - UNCONFIRMED_AFTER_MS),
    }),
    statements.lastArrivals(
      site,
      actions.flatMap(({ id, integration_id }) => (integration_id === null ? [] : [id])),
    ),
  ]);
  return integrations.map((integration) => {
    const own = new Set(actions.flatMap((one) => (one.integration_id === integration.id ? [one.id] : [])));
    const ofOwn = (counts: readonly { action_id: string; count: number }[]) =>
      counts.flatMap(({ action_id, count }) => (own.has(action_id) ? [count] : []));
    const arrivedMs = arrivals.flatMap(({ action_id, at }) =>
      own.has(action_id) && at !== null ? [at.getTime()] : [],
    );
    return {
      id: integration.id,
      provider: integration.provider,
      name: integration.name,
      health: healthOf(integration, now),
      waiting: sum(ofOwn(waiting)),
      unconfirmed: sum(ofOwn(unconfirmed)),
      last_arrival_at: arrivedMs.length === 0 ? null : new Date(Math.max(...arrivedMs)).toISOString(),
    };
  });
}

export function healthOf(
  { status, rests_until, failing_since }: Pick<IntegrationRow, 'status' | 'rests_until' | 'failing_since'>,
  now: Date,
): IntegrationHealth {
  if (status === 'switched_off') return 'switched_off';
  if (status === 'credentials_refused') return 'needs_attention';
  if (rests_until !== null && rests_until > now) return 'resting';
  return failing_since === null ? 'connected' : 'needs_attention';
}

function actsOn({ event, list_ids }: ActionRow, listId: string): boolean {
  const isAboutLists = event === 'subscribed' || event === 'unsubscribed';
  return isAboutLists && (list_ids.length === 0 || list_ids.includes(listId));
}

export async function readListFigures(services: Services, siteId: string): Promise<ListFigures[]> {
  const since = firstIdAt(daysBefore(services.clock.now(), ROWS_DAYS));
  return services.database.readSite(siteId, async (site) => {
    const [lists, actions, subscribers, moves] = await Promise.all([
      allLists(site),
      allActions(site),
      statements.subscribersByList(site),
      statements.movesByList(site, since),
    ]);
    return lists.map(({ id }) => {
      const moved = moves.find((one) => one.list_id === id);
      return {
        list_id: id,
        subscribers: subscribers.find((one) => one.list_id === id)?.count ?? 0,
        joins: moved?.joins ?? 0,
        leaves: moved?.leaves ?? 0,
        actions: actions
          .filter((action) => actsOn(action, id))
          .map((action) => ({ id: action.id, name: action.name, enabled: action.enabled })),
      };
    });
  });
}

export async function readActionFigures(services: Services, siteId: string): Promise<ActionFigures[]> {
  const since = firstIdAt(daysBefore(services.clock.now(), ROWS_DAYS));
  return services.database.readSite(siteId, async (site) => {
    const actionIds = (await allActions(site)).map(({ id }) => id);
    const [counts, last] = await Promise.all([
      statements.deliveriesByAction(site, actionIds, since),
      statements.lastDeliveries(site, actionIds),
    ]);
    return actionIds.map((actionId) => {
      const countOf = (status: 'arrived' | 'waiting' | 'failed') =>
        counts.find((one) => one.action_id === actionId && one.status === status)?.count ?? 0;
      const newest = last.find((one) => one.action_id === actionId);
      return {
        action_id: actionId,
        arrived: countOf('arrived'),
        waiting: countOf('waiting'),
        failed: countOf('failed'),
        last_delivery:
          newest === undefined
            ? null
            : { id: newest.id, status: newest.status, created_at: newest.created_at.toISOString() },
      };
    });
  });
}

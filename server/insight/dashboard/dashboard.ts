import { isAboutLists } from '#contract/choices.ts';
import {
  type ActionFigures,
  type Dashboard,
  type DashboardRange,
  type IntegrationHealth,
  type ListFigures,
  UNSENT_LOOKED_AT,
} from '#contract/dashboard.ts';
import { isKeyAlone } from '#contract/integrations.ts';
import {
  countDeliveries,
  countPresentCustomers,
  countsByPeriod,
  type DailyCount,
  dayOf,
  type Days,
  type Metric,
  startOfDay,
  subscribersByList,
} from '#server/audience/counters/counters.ts';
import { countOpenComplaints } from '#server/audience/complaints/complaints.ts';
import { countWrongRecipients } from '#server/audience/customers/customers.ts';
import { countReasons } from '#server/audience/evidence/reasons.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { findConnector } from '#server/connectors/index.ts';
import { type ActionRow, allActions } from '#server/delivery/actions/actions.ts';
import { matchActions } from '#server/delivery/actions/matching.ts';
import { isEndpointType } from '#server/delivery/actions/endpoint-actions.ts';
import {
  DELIVERY_DUE_MS,
  REPORTED_FOR_MS,
  UNCONFIRMED_AFTER_MS,
  unconfirmedByAction,
} from '#server/delivery/deliveries/deliveries.ts';
import { outcomeOf } from '#server/delivery/deliveries/outcomes.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import { areWorkersPaused } from '#server/platform/installation.ts';
import type { Services } from '#server/platform/services.ts';
import { lastComparisons } from '#server/sync/reconciliation/reconciliation.ts';
import { disabledBecauseOf } from '#server/tools/health/owner-notices.mails.ts';
import { allIntegrations, type IntegrationRow } from '#server/tools/integrations/integrations.ts';
import * as statements from './dashboard.sql.ts';
import type { IdRange } from './dashboard.sql.ts';
import { daysBefore, type Span, spanOf, type Time } from './ranges.ts';

/** The range of the figures in the rows of lists and actions. */
const ROWS_DAYS = 30;

const idsOf = ({ from, until }: Time): IdRange => ({ from: firstIdAt(from), until: firstIdAt(until) });

/** The days of a range, today included. */
const daysOf = ({ from, until }: Time): Days => ({ from: dayOf(from), until: dayOf(until) + 1 });

/** A site's figures over a range. The cost does not depend on the size of the site: decision 036. */
export async function readDashboard(
  services: Services,
  siteId: string,
  range: DashboardRange,
): Promise<Dashboard> {
  const span = spanOf(range, services.clock.now());
  const [{ lists, choices, ...people }, { actions, unsentBecause, ...carried }, reasons] = await Promise.all([
    services.database.readSite(siteId, (site) => readPeople(site, span)),
    services.database.readSite(siteId, async (site) => {
      const [figures, isPaused, wrongRecipients, complaints] = await Promise.all([
        readCarried(site, span),
        areWorkersPaused(site),
        countWrongRecipients(site),
        countOpenComplaints(site, span.until),
      ]);
      return { ...figures, workers_paused: isPaused, wrong_recipients: wrongRecipients, complaints };
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
    choices: { ...choices, unsent_because: unsentBecause },
    lists: lists.map((list) => ({
      ...list,
      is_sent: actions.some((action) => sendsToTool(action, list.list_id)),
    })),
    reasons,
    ...carried,
    complaints: {
      ...carried.complaints,
      next_due_at: carried.complaints.next_due_at?.toISOString() ?? null,
    },
  };
}

async function readPeople(site: SiteDb, span: Span) {
  const [total, counts, before, lists] = await Promise.all([
    countPresentCustomers(site),
    countsByPeriod(site, daysOf(span), DAYS_OF_STEP[span.step]),
    countBefore(site, span.before),
    allLists(site),
  ]);
  const of = (metric: Metric) => counts.filter((one) => one.metric === metric);
  const seriesOf = (rows: readonly DailyCount[]) => bySeries(rows, span.periods.length);
  const moves = { joins: of('joins'), leaves: of('leaves') };
  return {
    customers: { total, created: { now: sumOf(of('customers')), before: before.customers } },
    choices: {
      now: sumOf(of('choices')),
      before: before.choices,
      periods: seriesOf(of('choices')),
      unsent: sumOf(of('choices')) - sumOf(of('sent')),
    },
    joins: { now: sumOf(moves.joins), before: before.joins },
    leaves: { now: sumOf(moves.leaves), before: before.leaves },
    lists: lists.map(({ id, name }) => ({
      list_id: id,
      name,
      joins: seriesOf(moves.joins.filter((one) => one.list_id === id)),
      leaves: seriesOf(moves.leaves.filter((one) => one.list_id === id)),
    })),
  };
}

const DAYS_OF_STEP = { day: 1, week: 7 };

/** The previous range ends within a day: that day's part is counted from rows. */
async function countBefore(site: SiteDb, { from, until }: Time) {
  const lastDay = dayOf(until);
  const rest = idsOf({ from: startOfDay(lastDay), until });
  const days = { from: dayOf(from), until: lastDay };
  const [counts, customers, choices, moves] = await Promise.all([
    countsByPeriod(site, days, days.until - days.from),
    statements.countCustomers(site, rest),
    statements.countChoices(site, rest),
    statements.movesByList(site, rest),
  ]);
  const of = (metric: Metric) => sumOf(counts.filter((one) => one.metric === metric));
  return {
    customers: of('customers') + customers,
    choices: of('choices') + choices,
    joins: of('joins') + sum(moves.map(({ joins }) => joins)),
    leaves: of('leaves') + sum(moves.map(({ leaves }) => leaves)),
  };
}

const sumOf = (rows: readonly { count: number }[]) => sum(rows.map(({ count }) => count));

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

/** One number per period, 0 included. */
function bySeries(counts: readonly { period: number; count: number }[], length: number): number[] {
  const series = Array.from({ length }, () => 0);
  for (const { period, count } of counts) series[period] = (series[period] ?? 0) + count;
  return series;
}

async function readCarried(site: SiteDb, span: Span) {
  const since = firstIdAt(span.from);
  const lateBefore = firstIdAt(new Date(span.until.getTime() - DELIVERY_DUE_MS));
  const [deliveries, open, newest, comparedAt, actions] = await Promise.all([
    countDeliveries(site, daysOf(span)),
    statements.countOpenDeliveries(site, { since, lateBefore }),
    statements.newestChoices(site, since),
    lastComparisons(site),
    allActions(site),
  ]);
  const integrations = await readHealth(site, actions, span.until);
  // A delivery may arrive between the two counts.
  const arrived = Math.max(0, deliveries - open.waiting - open.failed);
  return {
    deliveries: { arrived, ...open },
    unsentBecause: whyUnsent(newest, actions, comparedSince(integrations, comparedAt)),
    integrations,
    endpoints: troubledEndpoints(actions),
    actions,
  };
}

/** What was saved before then was compared with every tool; null: not with all of them, or there is none. */
function comparedSince(
  integrations: readonly { id: string }[],
  comparedAt: ReadonlyMap<string, Date>,
): Date | null {
  const times = integrations.map(({ id }) => comparedAt.get(id)?.getTime() ?? null);
  return times.length === 0 || times.includes(null) ? null : new Date(Math.min(...times.map(Number)));
}

function whyUnsent(
  newest: readonly statements.NewestChoice[],
  actions: readonly ActionRow[],
  compared: Date | null,
): Dashboard['choices']['unsent_because'] {
  const enabled = actions.filter((action) => action.enabled);
  const from = compared === null ? '' : firstIdAt(compared);
  const left = newest.filter(({ id }) => id >= from);
  const unsent = left.filter((choice) => choice.is_unsent);
  const covered = unsent.filter(
    ({ events, lists }) => matchActions(enabled, { events, lists: lists ?? [] }).length > 0,
  );
  return {
    uncovered: unsent.length - covered.length,
    covered_later: covered.length,
    is_partial: left.length === UNSENT_LOOKED_AT,
  };
}

/** An action that people turned off themselves is none of them: that clears both fields. */
function troubledEndpoints(actions: readonly ActionRow[]): Dashboard['endpoints'] {
  return actions.flatMap(({ id, name, type, failing_since: since, disabled_reason: reason }) =>
    isEndpointType(type) && (since !== null || reason !== null)
      ? [
          {
            action_id: id,
            name,
            type,
            state: reason === null ? ('failing' as const) : ('switched_off' as const),
            disabled_because: disabledBecauseOf(reason),
            failing_since: since?.toISOString() ?? null,
          },
        ]
      : [],
  );
}

async function readHealth(
  site: SiteDb,
  actions: readonly ActionRow[],
  now: Date,
): Promise<Dashboard['integrations']> {
  const integrations = await allIntegrations(site);
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
      needs_credentials: integration.status === 'credentials_refused',
      has_key_alone: isKeyAlone(integration.connected_by, findConnector(integration.provider)),
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
  return isAboutLists(event) && (list_ids.length === 0 || list_ids.includes(listId));
}

function sendsToTool(action: ActionRow, listId: string): boolean {
  return action.enabled && action.integration_id !== null && actsOn(action, listId);
}

export async function readListFigures(services: Services, siteId: string): Promise<ListFigures[]> {
  const since = daysBefore(services.clock.now(), ROWS_DAYS);
  return services.database.readSite(siteId, async (site) => {
    const [lists, actions, subscribers, moves] = await Promise.all([
      allLists(site),
      allActions(site),
      subscribersByList(site),
      movesSince(site, since),
    ]);
    return lists.map(({ id }) => ({
      list_id: id,
      subscribers: subscribers.find((one) => one.list_id === id)?.count ?? 0,
      joins: moves.of('joins', id),
      leaves: moves.of('leaves', id),
      actions: actions
        .filter((action) => actsOn(action, id))
        .map((action) => ({ id: action.id, name: action.name, enabled: action.enabled })),
    }));
  });
}

/** The range begins within a day: that day's part is counted from rows. */
async function movesSince(site: SiteDb, since: Date) {
  const nextDay = dayOf(since) + 1;
  const [counts, rows] = await Promise.all([
    countsByPeriod(site, { from: nextDay, until: nextDay + ROWS_DAYS + 1 }, ROWS_DAYS + 1),
    statements.movesByList(site, idsOf({ from: since, until: startOfDay(nextDay) })),
  ]);
  return {
    of: (metric: 'joins' | 'leaves', listId: string) =>
      sumOf(counts.filter((one) => one.metric === metric && one.list_id === listId)) +
      sum(rows.flatMap((row) => (row.list_id === listId ? [row[metric]] : []))),
  };
}

/** Of the tool that the action works in, or of its own endpoint. */
function failingSince(action: ActionRow, integrations: readonly IntegrationRow[]): Date | null {
  if (action.integration_id === null) return action.failing_since;
  return integrations.find(({ id }) => id === action.integration_id)?.failing_since ?? null;
}

function presentLast(
  { id, status, outcome, confirmed_at: confirmedAt, created_at: createdAt }: statements.LastDelivery,
  { integration_id: integrationId }: ActionRow,
): ActionFigures['last_delivery'] {
  const known = { status, outcome, isConfirmed: confirmedAt !== null, isForTool: integrationId !== null };
  return { id, status, outcome: outcomeOf(known).outcome, created_at: createdAt.toISOString() };
}

export async function readActionFigures(services: Services, siteId: string): Promise<ActionFigures[]> {
  const since = firstIdAt(daysBefore(services.clock.now(), ROWS_DAYS));
  return services.database.readSite(siteId, async (site) => {
    const [actions, integrations] = await Promise.all([allActions(site), allIntegrations(site)]);
    const actionIds = actions.map(({ id }) => id);
    const [counts, tests, retrying, last] = await Promise.all([
      statements.deliveriesByAction(site, actionIds, since),
      statements.testsByAction(site, since),
      statements.retryingByAction(site, since),
      statements.lastDeliveries(site, actionIds),
    ]);
    const ofAction = (rows: readonly { action_id: string; count: number }[], id: string) =>
      rows.find((one) => one.action_id === id)?.count ?? 0;
    return actions.map((action) => {
      const actionId = action.id;
      const countOf = (status: 'arrived' | 'waiting' | 'failed') =>
        counts.find((one) => one.action_id === actionId && one.status === status)?.count ?? 0;
      const newest = last.find((one) => one.action_id === actionId);
      return {
        action_id: actionId,
        arrived: countOf('arrived') - ofAction(tests, actionId),
        waiting: countOf('waiting'),
        failed: countOf('failed'),
        retrying: ofAction(retrying, actionId),
        failing_since: failingSince(action, integrations)?.toISOString() ?? null,
        last_delivery: newest === undefined ? null : presentLast(newest, action),
      };
    });
  });
}

import type { ChoiceEvent, ChoiceSource } from '#contract/choices.ts';
import { choseSomething } from '#server/audience/arrivals/arrivals.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { advisoryLock } from '#server/platform/database.ts';
import { firstIdAt, timeOfId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import * as statements from './counters.sql.ts';
import { type Metric, NEVER_SENT, NOW, OF_SITE } from './counters.sql.ts';

export type { DailyCount, Days, Metric } from './counters.sql.ts';
export {
  countDeliveries,
  countPresentCustomers,
  countsByPeriod,
  NEEDS_SENDING,
  subscribersByList,
} from './counters.sql.ts';

/*
 * What screens show of everybody is counted ahead: each transaction adds what it changes, so that a look costs the same
 * however many customers there are. See decision 036.
 */

const DAY_MS = 86_400_000;

/**
 * Two transactions that add to the same row wait for each other until the commit: each takes a row of so many in turn,
 * and a look adds them up.
 */
const SLOTS = 8;

/** A version that did not count yet may have run beside this one on these last days. */
const RECOUNTED_DAYS = 7;

/** What a transaction changes of a count. */
export interface Addition {
  day: number;
  metric: Metric;
  list_id: string;
  value: number;
}

/** UTC days since 1970. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS);
}

export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS);
}

/** What tools report and what repeats an earlier choice needs no action, nor does a record that changed nothing. */
function needsSending({ source, events }: { source: ChoiceSource; events: readonly ChoiceEvent[] }): boolean {
  return events.length > 0 && !NEVER_SENT.includes(source);
}

const dayOfId = (id: string) => dayOf(timeOfId(id));

/** Somebody comes, or is erased. */
export function customerCounts(customerId: string, value: 1 | -1): Addition[] {
  return [NOW, dayOfId(customerId)].map((day) => ({ day, metric: 'customers', list_id: OF_SITE, value }));
}

/** Changes of who chose lists and receives them. */
export function subscriberCounts(changes: readonly { list_id: string; value: number }[]): Addition[] {
  return changes.map(({ list_id, value }) => ({ day: NOW, metric: 'subscribers', list_id, value }));
}

/** A record that says only that the customer came counts for nothing. @param deliveries how many were created for it */
export function choiceCounts(
  choice: { id: string; source: ChoiceSource; events: readonly ChoiceEvent[]; lists: readonly unknown[] },
  deliveries: number,
  moves: readonly { list_id: string; joined: boolean }[],
): Addition[] {
  const day = dayOfId(choice.id);
  const isChoice = choseSomething(choice);
  const isSent = isChoice && (deliveries > 0 || !needsSending(choice));
  return [
    { day, metric: 'choices', list_id: OF_SITE, value: isChoice ? 1 : 0 },
    { day, metric: 'sent', list_id: OF_SITE, value: isSent ? 1 : 0 },
    ...moves.map(({ list_id, joined }): Addition => ({
      day,
      metric: joined ? 'joins' : 'leaves',
      list_id,
      value: 1,
    })),
  ];
}

/** Takes back what undone choices count for, apart from deliveries, which were made. @param moves that are deleted */
export async function undoneCounts(
  site: SiteDb,
  choiceIds: readonly string[],
  moves: readonly { choice_id: string; list_id: string; joined: boolean }[],
): Promise<Addition[]> {
  const counted = await statements.countedChoices(site, choiceIds);
  return [
    ...counted.flatMap(({ id, is_sent: isSent }): Addition[] => [
      { day: dayOfId(id), metric: 'choices', list_id: OF_SITE, value: -1 },
      { day: dayOfId(id), metric: 'sent', list_id: OF_SITE, value: isSent ? -1 : 0 },
    ]),
    ...moves.map(({ choice_id: id, list_id, joined }): Addition => ({
      day: dayOfId(id),
      metric: joined ? 'joins' : 'leaves',
      list_id,
      value: -1,
    })),
  ];
}

/** @param id of a delivery, or of a choice whose deliveries are made with it, which may be a day earlier at midnight */
export function deliveryCounts(id: string, value: number): Addition[] {
  return [{ day: dayOfId(id), metric: 'deliveries', list_id: OF_SITE, value }];
}

let turns = process.pid;

function nextSlot(): number {
  turns = (turns + 1) % SLOTS;
  return turns;
}

/** The last statements of a transaction: others wait for the rows that they touch. */
export function countStatements(
  siteId: string,
  additions: readonly Addition[],
  slot = nextSlot(),
): Statement[] {
  const sums = new Map<string, Addition>();
  for (const one of additions) {
    const key = `${one.day} ${one.metric} ${one.list_id}`;
    sums.set(key, { ...one, value: one.value + (sums.get(key)?.value ?? 0) });
  }
  // One order for all: two transactions that touch the same rows would otherwise wait for each other for ever.
  const inOrder = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const changed = inOrder.flatMap(([, sum]) => (sum.value === 0 ? [] : [{ ...sum, slot }]));
  return statements.addToCounters(siteId, changed);
}

export async function addCounts(site: SiteDb, additions: readonly Addition[], slot?: number): Promise<void> {
  for (const { sql, parameters } of countStatements(site.id, additions, slot)) {
    await site.query(sql, [...parameters]);
  }
}

/**
 * Counts the rows of a site again and adds what the counters lack, for instance of saves by a process of an earlier
 * version during an upgrade.
 * @param since rows of earlier days are not counted; what stands now is counted whole
 * @returns what was added
 */
export async function recountSite(services: Services, siteId: string, since: Date): Promise<Addition[]> {
  return services.database.inSite(siteId, async (site) => {
    await advisoryLock(site, `counters:${siteId}`);
    await statements.deleteOrphanCounters(site);
    const day = Math.max(NOW + 1, dayOf(since));
    const missing = await statements.missingFromCounters(site, { day, firstId: firstIdAt(startOfDay(day)) });
    await addCounts(site, missing);
    return missing;
  });
}

/** Once a night: recounts, and brings the slots of days that are over into one. */
export async function tidyCounters(services: Services, siteId: string): Promise<void> {
  const now = services.clock.now();
  const missing = await recountSite(services, siteId, new Date(now.getTime() - RECOUNTED_DAYS * DAY_MS));
  if (missing.length > 0)
    services.log.info({ site: siteId, missing }, 'the counters of a site were corrected');
  await services.database.inSite(siteId, async (site) => {
    const yesterday = dayOf(now) - 1;
    await addCounts(site, await statements.takeSlotsBefore(site, yesterday), 0);
  });
}

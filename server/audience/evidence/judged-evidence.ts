import type { z } from 'zod';
import type { JudgedEvidence, listEvidence as listEvidenceRoute } from '#contract/choices.ts';
import type { Judgement, Verdict } from '#contract/judgements.ts';
import { findCustomer } from '#server/audience/customers/customers.sql.ts';
import { AROUND_MS, judgeChoices, type VisitorChoice } from '#server/audience/machines/judge.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import { firstIdAt, timeOfId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import { decryptPerson, presentEvidence } from './evidence.ts';
import {
  type ChoiceFilter,
  choicesOfCustomer,
  choicesOfSite,
  findChoice,
  type ReasonedChoiceRow,
} from './evidence.sql.ts';
import { type IdSpan, visitorChoicesIn, visitorChoicesOf, type VisitorChoiceRow } from './judged.sql.ts';

const DAY_MS = 86_400_000;

/** An id is made a moment before or after the time of its choice is taken. */
const SLACK_MS = 1000;

/** How many choices one call judges; the contract names it. */
export const MOST_JUDGED = 1000;

/**
 * Judges whether people or machines made these choices, from their evidence and that of the choices around them. Reads
 * only.
 * @returns by id; without choices that no visitor made
 */
export async function judgeEvidence(
  services: Services,
  site: SiteDb,
  ids: readonly string[],
): Promise<Map<string, Judgement>> {
  const own = await visitorChoicesOf(site, ids);
  // Around visitors' choices only: an import makes thousands in a second, which say nothing about a visitor.
  const around = await visitorChoicesIn(site, spansAround(own.map(({ id }) => id)));
  const rows = new Map([...around, ...own].map((row) => [row.id, row]));
  const choices = [...rows.values()].map((row) => visitorChoiceOf(services, row));
  return judgeChoices(choices, new Set(ids));
}

/** The times around these ids, those that overlap as one. */
function spansAround(ids: readonly string[]): IdSpan[] {
  const reachMs = AROUND_MS + SLACK_MS;
  const spans: { fromMs: number; untilMs: number }[] = [];
  for (const atMs of ids.map((id) => timeOfId(id).getTime()).toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && atMs - reachMs <= last.untilMs) last.untilMs = atMs + reachMs;
    else spans.push({ fromMs: atMs - reachMs, untilMs: atMs + reachMs });
  }
  return spans.map(({ fromMs, untilMs }) => ({
    from: firstIdAt(new Date(fromMs)),
    until: firstIdAt(new Date(untilMs)),
  }));
}

function visitorChoiceOf({ keyring }: Services, row: VisitorChoiceRow): VisitorChoice {
  const person = decryptPerson(keyring, row);
  const atMs = row.occurred_at.getTime();
  const { source } = row;
  const isPage = source === 'page' || source === 'state_link';
  const day = person?.link_day;
  return {
    id: row.id,
    customerId: row.customer_id,
    source,
    atMs,
    network: row.ip,
    userAgent: person?.user_agent ?? null,
    link: isPage ? 'page' : [source, ...row.lists.map(({ list_id }) => list_id).toSorted()].join(' '),
    requestedAtMs: row.requested_at === null ? null : Date.parse(row.requested_at),
    isLinkOfSameDay: day === undefined ? null : day === Math.floor(atMs / DAY_MS),
    isLinkChanged: person?.link_changed === true,
  };
}

async function presentJudged(
  services: Services,
  site: SiteDb,
  rows: readonly ReasonedChoiceRow[],
): Promise<JudgedEvidence[]> {
  const judged = await judgeEvidence(
    services,
    site,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...presentEvidence(services, row), judgement: judged.get(row.id) ?? null }));
}

interface PageQuery {
  cursor?: string | undefined;
  limit: number;
}

async function judgedPageOf(services: Services, site: SiteDb, rows: ReasonedChoiceRow[], limit: number) {
  const { results, next } = pageOf(rows, limit, (row) => row);
  return { results: await presentJudged(services, site, results), next };
}

export async function listCustomerEvidence(
  services: Services,
  siteId: string,
  customerId: string,
  query: PageQuery,
) {
  const before = cursorOf(query.cursor);
  return services.database.readSite(siteId, async (site: SiteDb) => {
    const customer = await findCustomer(site, customerId);
    if (customer === undefined) throw notFound('This customer');
    const rows = await choicesOfCustomer(site, customer.id, { before, limit: query.limit });
    return judgedPageOf(services, site, rows, query.limit);
  });
}

export async function listEvidence(
  services: Services,
  siteId: string,
  query: z.output<(typeof listEvidenceRoute)['query']>,
) {
  const before = cursorOf(query.cursor);
  const { since, chose, move, list_id: listId, reason, test, verdict, limit } = query;
  const filter = {
    since: since === undefined ? undefined : firstIdAt(new Date(since)),
    chose: chose !== undefined,
    joined: move === undefined ? undefined : move === 'joined',
    listId,
    reason,
    isTest: test === undefined ? (chose === undefined ? undefined : false) : test === 'true',
  };
  return services.database.readSite(siteId, async (site) => {
    const page = { before, limit };
    if (verdict !== undefined) return pageWithVerdict(services, site, page, filter, verdict);
    return judgedPageOf(services, site, await choicesOfSite(site, page, filter), limit);
  });
}

/** Judgements aren't stored, so choices are looked through for them, as many as one call may judge. */
async function pageWithVerdict(
  services: Services,
  site: SiteDb,
  page: { before: string | null; limit: number },
  filter: ChoiceFilter,
  verdict: Verdict,
): Promise<{ results: JudgedEvidence[]; next: string | null }> {
  const rows = await choicesOfSite(site, { before: page.before, limit: MOST_JUDGED }, filter);
  const looked = rows.slice(0, MOST_JUDGED);
  const judged = await judgeEvidence(
    services,
    site,
    looked.map(({ id }) => id),
  );
  const found = looked.filter(({ id }) => judged.get(id)?.verdict === verdict);
  const { results, next } = pageOf(found, page.limit, (row) => ({
    ...presentEvidence(services, row),
    judgement: judged.get(row.id) ?? null,
  }));
  const isMore = rows.length > MOST_JUDGED;
  return { results, next: next ?? (isMore ? (looked.at(-1)?.id ?? null) : null) };
}

export async function getEvidence(services: Services, siteId: string, id: string): Promise<JudgedEvidence> {
  const [record] = await services.database.readSite(siteId, async (site) => {
    const row = await findChoice(site, id);
    return row === undefined ? [] : presentJudged(services, site, [row]);
  });
  if (record === undefined) throw notFound('This record');
  return record;
}

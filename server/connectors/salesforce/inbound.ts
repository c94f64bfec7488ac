import { z } from 'zod';
import type {
  InboundEvent,
  PollResult,
  Standing,
  ToolAnswer,
  ToolApi,
} from '#server/connectors/connector.ts';
import { readable } from '#server/connectors/reader.ts';
import { ask, PERSON_OBJECTS, type PersonObject, queryIfThere, quoted, readableRestOf } from './api.ts';
import { errorOf, troubleOf } from './failures.ts';

// Salesforce writes +0000 where others write Z.
const moment = z
  .string()
  .transform((text) => new Date(text.replace(/\+0000$/, 'Z')))
  .refine((date) => !Number.isNaN(date.getTime()));

const optOut = z.object({
  Id: z.string(),
  Email: z.string(),
  HasOptedOutOfEmail: z.boolean(),
  SystemModstamp: moment,
});

const changed = optOut.extend({ EmailBouncedDate: moment.nullish() });

type Changed = z.infer<typeof changed>;

/** Where the reading of those who had opted out before goes on. */
const place = z.object({ object: z.enum(PERSON_OBJECTS), after: z.string(), before: moment });

type Place = z.infer<typeof place>;

const cursorForm = z.object({
  since: moment,
  notBefore: moment.optional(),
  /** Missing in a cursor from before they were read. */
  earlier: z.union([z.literal('read'), place]).optional(),
});

/** What is saved at the same time as we look may show up a little later. */
const OVERLAP_MS = 2 * 60_000;

/** The calls of a day are shared with all that the organization has connected: near their end we look less often (A2). */
const SCARCE = 0.9;
const PAUSE_MS = 30 * 60_000;

/** One poll's share of those who had opted out before. */
const EARLIER_PAGES = 25;
const EARLIER_PER_PAGE = 2000;

/**
 * Looks for contacts and leads that were changed, or bounced, since the poll before. A record doesn't say what of it was
 * changed: how each of them stands is reported, and those who had opted out before the first poll are read once.
 */
export async function poll(api: ToolApi, cursor: string | null): Promise<PollResult> {
  const now = api.now();
  const last = cursor === null ? null : readCursor(cursor);
  if (last === null) {
    const begin = await readEarlier(api, firstPlace(now));
    return {
      events: [],
      standings: begin.standings,
      cursor: JSON.stringify({ since: now, earlier: begin.next }),
    };
  }
  const { since, notBefore } = last;
  if (cursor !== null && notBefore !== undefined && now < notBefore) {
    return { events: [], standings: [], cursor };
  }

  const from = new Date(since.getTime() - OVERLAP_MS);
  const events: InboundEvent[] = [];
  const standings: Standing[] = [];
  let isScarce = false;
  let newest = since.getTime();
  for (const object of PERSON_OBJECTS) {
    const answer = await askForChanges(api, object, from);
    isScarce = usedPart(answer) >= SCARCE;
    const rows = await readableRestOf(api, changed, answer);
    const hasOptOut = rows.some(({ HasOptedOutOfEmail }) => HasOptedOutOfEmail);
    const times = hasOptOut ? await optOutTimes(api, object, from) : new Map<string, Date>();
    standings.push(...rows.map((row) => standingOf(row, times.get(row.Id))));
    events.push(...rows.flatMap((row) => bounceOf(row, from)));
    newest = Math.max(newest, ...rows.map(({ SystemModstamp }) => SystemModstamp.getTime()));
  }
  const earlier = last.earlier ?? firstPlace(from);
  const more =
    isScarce || earlier === 'read' ? { standings: [], next: earlier } : await readEarlier(api, earlier);
  const next = {
    since: new Date(newest),
    earlier: more.next,
    ...(isScarce && { notBefore: new Date(now.getTime() + PAUSE_MS) }),
  };
  return { events, standings: [...standings, ...more.standings], cursor: JSON.stringify(next) };
}

function readCursor(cursor: string): z.infer<typeof cursorForm> | null {
  try {
    return cursorForm.parse(JSON.parse(cursor));
  } catch {
    return null;
  }
}

const firstPlace = (before: Date): Place => ({ object: 'Contact', after: '', before });

/** Those who had opted out before; what was changed since then is read as a change. */
async function readEarlier(
  api: ToolApi,
  { object, after, before }: Place,
): Promise<{ standings: Standing[]; next: Place | 'read' }> {
  const standings: Standing[] = [];
  let at: PersonObject = object;
  let last = after;
  for (let page = 0; page < EARLIER_PAGES; page += 1) {
    const rows = await readableRestOf(
      api,
      z.looseObject({ Id: z.string() }),
      await ask(api, optedOut(at, last)),
    );
    const old = readable(optOut, rows).filter(({ SystemModstamp }) => SystemModstamp <= before);
    standings.push(...old.map((row) => ({ ...standingOf(row), isEarlier: true as const })));
    last = rows.at(-1)?.Id ?? last;
    if (rows.length === EARLIER_PER_PAGE) continue;
    if (at === 'Lead') return { standings, next: 'read' };
    [at, last] = ['Lead', ''];
  }
  return { standings, next: { object: at, after: last, before } };
}

function optedOut(object: PersonObject, after: string): string {
  const place = after === '' ? '' : ` AND Id > ${quoted(after)}`;
  return (
    `SELECT Id, Email, HasOptedOutOfEmail, SystemModstamp FROM ${object} ` +
    `WHERE HasOptedOutOfEmail = true AND Email != null${place} ORDER BY Id LIMIT ${EARLIER_PER_PAGE}`
  );
}

/** Who may not see bounces is still told of opt-outs. */
async function askForChanges(api: ToolApi, object: PersonObject, from: Date): Promise<ToolAnswer> {
  const answer = await ask(api, changesSince(object, from, true), [400]);
  if (answer.status !== 400) return answer;
  const trouble = troubleOf(answer);
  if (trouble?.message.includes('EmailBouncedDate')) return ask(api, changesSince(object, from, false));
  throw errorOf(trouble ?? { code: 'UNKNOWN_EXCEPTION', message: '' });
}

function changesSince(object: PersonObject, from: Date, withBounces: boolean): string {
  const bounced = withBounces ? 'EmailBouncedDate, ' : '';
  return (
    `SELECT Id, Email, HasOptedOutOfEmail, ${bounced}SystemModstamp FROM ${object} ` +
    `WHERE SystemModstamp > ${from.toISOString()} AND Email != null ORDER BY SystemModstamp`
  );
}

/**
 * When records opted out since then, by their ids: where the organization tracks the field. What it said before the poll
 * before isn't asked for, because tracking may have been off in between.
 */
async function optOutTimes(api: ToolApi, object: PersonObject, from: Date): Promise<Map<string, Date>> {
  const key = `${object}Id`;
  const soql =
    `SELECT Id, ${key}, NewValue, CreatedDate FROM ${object}History ` +
    `WHERE Field = 'HasOptedOutOfEmail' AND CreatedDate > ${from.toISOString()} ORDER BY CreatedDate`;
  const row = z.object({ [key]: z.string(), NewValue: z.unknown(), CreatedDate: moment });
  const rows = (await queryIfThere(api, row, soql)) ?? [];
  const times = new Map<string, Date>();
  for (const { [key]: id, NewValue, CreatedDate } of rows) {
    if (String(NewValue) === 'true') times.set(String(id), CreatedDate as Date);
    else times.delete(String(id));
  }
  return times;
}

/** What is used of the calls of 24 hours, from 0 to 1. */
function usedPart({ headers }: ToolAnswer): number {
  const [, used, of] = /api-usage=(\d+)\/(\d+)/.exec(headers['sforce-limit-info'] ?? '') ?? [];
  return used === undefined || of === undefined ? 0 : Number(used) / Number(of);
}

/** @param leftAt without it, the opt-out is no later than the record's last change */
function standingOf(row: z.infer<typeof optOut>, leftAt?: Date): Standing {
  const { Id: record, Email: email, HasOptedOutOfEmail: hasLeft, SystemModstamp } = row;
  return { record, email, hasLeft, at: hasLeft && leftAt !== undefined ? leftAt : SystemModstamp };
}

function bounceOf({ Id, Email: email, EmailBouncedDate: at }: Changed, from: Date): InboundEvent[] {
  if (!at || at <= from) return [];
  return [{ id: `${Id}:bounced:${at.toISOString()}`, at, email, kind: 'bounced' }];
}

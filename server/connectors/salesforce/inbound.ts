import { z } from 'zod';
import type { InboundEvent, ToolAnswer, ToolApi } from '#server/connectors/connector.ts';
import { ask, PERSON_OBJECTS, type PersonObject, restOf } from './api.ts';
import { errorOf, troubleOf } from './failures.ts';

// Salesforce writes +0000 where others write Z.
const moment = z
  .string()
  .transform((text) => new Date(text.replace(/\+0000$/, 'Z')))
  .refine((date) => !Number.isNaN(date.getTime()));

const changed = z.object({
  Id: z.string(),
  Email: z.string().nullish(),
  HasOptedOutOfEmail: z.boolean(),
  EmailBouncedDate: moment.nullish(),
  SystemModstamp: moment,
});

type Changed = z.infer<typeof changed>;

const cursorForm = z.object({ since: moment, notBefore: moment.optional() });

/** What is saved at the same time as we look may show up a little later. */
const OVERLAP_MS = 2 * 60_000;

/** The calls of a day are shared with all that the organization has connected: near their end we look less often (A2). */
const SCARCE = 0.9;
const PAUSE_MS = 30 * 60_000;

/** Looks for contacts and leads that have opted out, or bounced, since the poll before. */
export async function poll(
  api: ToolApi,
  cursor: string | null,
): Promise<{ events: InboundEvent[]; cursor: string }> {
  const now = api.now();
  const last = cursor === null ? null : readCursor(cursor);
  if (last === null) return { events: [], cursor: JSON.stringify({ since: now }) };
  const { since, notBefore } = last;
  if (cursor !== null && notBefore !== undefined && now < notBefore) return { events: [], cursor };

  const from = new Date(since.getTime() - OVERLAP_MS);
  const rows: Changed[] = [];
  let isScarce = false;
  for (const object of PERSON_OBJECTS) {
    const answer = await askForChanges(api, object, from);
    isScarce = usedPart(answer) >= SCARCE;
    rows.push(...(await restOf(api, changed, answer)));
  }
  const newest = Math.max(since.getTime(), ...rows.map(({ SystemModstamp }) => SystemModstamp.getTime()));
  const next = {
    since: new Date(newest),
    ...(isScarce && { notBefore: new Date(now.getTime() + PAUSE_MS) }),
  };
  return { events: rows.flatMap((row) => eventsOf(row, from)), cursor: JSON.stringify(next) };
}

function readCursor(cursor: string): z.infer<typeof cursorForm> | null {
  try {
    return cursorForm.parse(JSON.parse(cursor));
  } catch {
    return null;
  }
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
  const time = from.toISOString();
  const [field, bounced] = withBounces ? ['EmailBouncedDate, ', ` OR EmailBouncedDate > ${time}`] : ['', ''];
  return (
    `SELECT Id, Email, HasOptedOutOfEmail, ${field}SystemModstamp FROM ${object} ` +
    `WHERE SystemModstamp > ${time} AND Email != null ` +
    `AND (HasOptedOutOfEmail = true${bounced}) ORDER BY SystemModstamp`
  );
}

/** What is used of the calls of 24 hours, from 0 to 1. */
function usedPart({ headers }: ToolAnswer): number {
  const [, used, of] = /api-usage=(\d+)\/(\d+)/.exec(headers['sforce-limit-info'] ?? '') ?? [];
  return used === undefined || of === undefined ? 0 : Number(used) / Number(of);
}

/** A record does not tell what was changed in it; the time makes each change of it an event of its own. */
function eventsOf(row: Changed, from: Date): InboundEvent[] {
  const { Id, Email, HasOptedOutOfEmail, EmailBouncedDate, SystemModstamp } = row;
  const event = (kind: InboundEvent['kind'], at: Date): InboundEvent => ({
    id: `${Id}:${kind}:${at.toISOString()}`,
    at,
    email: Email ?? null,
    kind,
  });
  return [
    ...(HasOptedOutOfEmail ? [event('unsubscribed', SystemModstamp)] : []),
    ...(EmailBouncedDate && EmailBouncedDate > from ? [event('bounced', EmailBouncedDate)] : []),
  ];
}

import { z } from 'zod';
import {
  ConnectorError,
  type PeoplePage,
  type ToolApi,
  type ToolPerson,
} from '#server/connectors/connector.ts';
import { readCursor } from '#server/connectors/cursor.ts';
import { anyOf, PERSON_OBJECTS, query, quoted } from './api.ts';

/** Large, for the calls of the day are shared with everything else (A6, 6); one answer holds twice as many. */
const MEMBERS_PER_PAGE = 1000;

/** Their ids go into an address line again. */
const ASSIGNMENTS_PER_PAGE = 400;

/** The id of the last row: Salesforce's own cursors end after days. */
const place = z.object({ after: z.string().regex(/^\w{15,18}$/) });

const record = z.object({
  Email: z.string().nullish(),
  HasOptedOutOfEmail: z.boolean(),
  EmailBouncedDate: z.string().nullish(),
});

const member = z.object({
  Id: z.string(),
  CreatedDate: z.string().nullish(),
  Contact: record.nullish(),
  Lead: record.nullish(),
});

const assignment = z.object({ Id: z.string(), EntityId: z.string(), CreatedDate: z.string().nullish() });

/** One contact or lead, and since when it is in the campaign or under the topic. */
interface Entry {
  record: z.infer<typeof record>;
  since: string | null;
}

interface Entries {
  entries: Entry[];
  /** The id of the last row; null where there are no more. */
  last: string | null;
}

export async function readPeople(
  api: ToolApi,
  kind: 'lists' | 'tags',
  id: string,
  cursor: string | null,
): Promise<PeoplePage> {
  const after = readCursor(place, cursor)?.after ?? null;
  const page = kind === 'lists' ? await readMembers(api, id, after) : await readTagged(api, id, after);
  if (after === null && page.entries.length === 0) await requireThere(api, kind, id);
  return {
    people: peopleOf(page.entries),
    cursor: page.last === null ? null : JSON.stringify({ after: page.last }),
  };
}

const behind = (after: string | null) => (after === null ? '' : ` AND Id > ${quoted(after)}`);

const lastOf = (rows: readonly { Id: string }[], limit: number) =>
  rows.length < limit ? null : (rows.at(-1)?.Id ?? null);

async function readMembers(api: ToolApi, campaign: string, after: string | null): Promise<Entries> {
  const persons = PERSON_OBJECTS.flatMap((type) =>
    ['Email', 'HasOptedOutOfEmail', 'EmailBouncedDate'].map((field) => `${type}.${field}`),
  );
  const rows = await query(
    api,
    member,
    `SELECT Id, CreatedDate, ${persons.join(', ')} FROM CampaignMember WHERE CampaignId = ${quoted(campaign)}${behind(after)} ORDER BY Id LIMIT ${MEMBERS_PER_PAGE}`,
  );
  const entries = rows.flatMap(({ Contact, Lead, CreatedDate: since = null }) => {
    // Of a converted lead both are there, and the contact is who is mailed.
    const one = Contact ?? Lead;
    return one ? [{ record: one, since }] : [];
  });
  return { entries, last: lastOf(rows, MEMBERS_PER_PAGE) };
}

async function readTagged(api: ToolApi, topic: string, after: string | null): Promise<Entries> {
  const rows = await query(
    api,
    assignment,
    `SELECT Id, EntityId, CreatedDate FROM TopicAssignment WHERE TopicId = ${quoted(topic)}${behind(after)} ORDER BY Id LIMIT ${ASSIGNMENTS_PER_PAGE}`,
  );
  const since = new Map(rows.map((row) => [row.EntityId, row.CreatedDate ?? null]));
  const entries: Entry[] = [];
  // A topic hangs on records of every kind; the start of an id tells which it is of.
  for (const [type, prefix] of [
    ['Contact', '003'],
    ['Lead', '00Q'],
  ]) {
    const ids = [...since.keys()].filter((id) => id.startsWith(prefix ?? ''));
    if (ids.length === 0) continue;
    const isOpen = type === 'Lead' ? ' AND IsConverted = false' : '';
    const soql = `SELECT Id, Email, HasOptedOutOfEmail, EmailBouncedDate FROM ${type} WHERE Id IN ${anyOf(ids)}${isOpen}`;
    const found = await query(api, record.extend({ Id: z.string() }), soql);
    entries.push(...found.map((one) => ({ record: one, since: since.get(one.Id) ?? null })));
  }
  return { entries, last: lastOf(rows, ASSIGNMENTS_PER_PAGE) };
}

/** What is gone has no members either. */
async function requireThere(api: ToolApi, kind: 'lists' | 'tags', id: string): Promise<void> {
  const object = kind === 'lists' ? 'Campaign' : 'Topic';
  const rows = await query(
    api,
    z.object({ Id: z.string() }),
    `SELECT Id FROM ${object} WHERE Id = ${quoted(id)}`,
  );
  if (rows.length > 0) return;
  throw new ConnectorError('not_found', `Salesforce no longer has this ${object.toLowerCase()}.`);
}

/** An address may have several records (A6, 1): it has left only where all of them have. */
function peopleOf(entries: readonly Entry[]): ToolPerson[] {
  const byAddress = new Map<string, Entry[]>();
  for (const entry of entries) {
    const address = entry.record.Email?.toLowerCase() ?? '';
    if (address !== '') byAddress.set(address, [...(byAddress.get(address) ?? []), entry]);
  }
  return [...byAddress.values()].map(personOf);
}

function personOf(entries: readonly Entry[]): ToolPerson {
  const records = entries.map((entry) => entry.record);
  const hasLeftAll = records.every((one) => one.HasOptedOutOfEmail);
  const isMailed = records.every((one) => !one.HasOptedOutOfEmail && !one.EmailBouncedDate);
  const times = entries.flatMap(({ since }) => (since === null ? [] : [timeOf(since)]));
  const since = isMailed && times.length > 0 ? new Date(Math.min(...times)) : null;
  return {
    email: records[0]?.Email ?? '',
    state: hasLeftAll ? 'unsubscribed' : isMailed ? 'subscribed' : 'unclear',
    hasLeftAll,
    since: since !== null && Number.isNaN(since.getTime()) ? null : since,
  };
}

const timeOf = (text: string) => Date.parse(text.replace(/\+0000$/, 'Z'));

import { z } from 'zod';
import {
  ConnectorError,
  path,
  type People,
  type PeoplePage,
  type Resource,
  type ToolApi,
  type ToolPerson,
} from '#server/connectors/connector.ts';
import { readCursor } from '#server/connectors/cursor.ts';
import { fillField, isMember, membershipsOf, textFieldsOf, understood } from './api.ts';
import { recentSuppressions, type Suppression } from './suppressions.ts';

/** Half of the largest: the answers hold all custom fields of everybody. */
const PAGE = 500;

/** Each state has a page of its own. */
const PARTS = ['active', 'unsubscribed', 'unconfirmed', 'bounced', 'deleted'] as const;

const place = z.object({ part: z.enum(PARTS), page: z.number().int().positive() });

const member = z.object({ EmailAddress: z.string(), State: z.string() });
const members = z.object({ Results: z.array(member), NumberOfPages: z.number() });

/** No time is told: the tool's times name no zone, and the page that does carries an API key. */
function personOf(
  { EmailAddress: email, State: state }: z.infer<typeof member>,
  suppression: Suppression | undefined,
): ToolPerson {
  // Those who left everything are in some lists as they were, and bounces are no opt-out.
  const hasLeftAll = suppression !== undefined && suppression.reason !== 'bounce';
  if (hasLeftAll || state === 'Unsubscribed') {
    return { email, state: 'unsubscribed', hasLeftAll, since: null };
  }
  const isMailed = state === 'Active' && suppression === undefined;
  return { email, state: isMailed ? 'subscribed' : 'unclear', hasLeftAll: false, since: null };
}

async function readPart(api: ToolApi, listId: string, cursor: string | null): Promise<PeoplePage> {
  const { part, page } = readCursor(place, cursor) ?? { part: PARTS[0], page: 1 };
  const { body } = await api.call({
    method: 'GET',
    path: path`/lists/${listId}/${part}.json`,
    // By date, so that those who come meanwhile come at the end.
    query: { page, pagesize: PAGE, orderfield: 'date', orderdirection: 'asc' },
  });
  const { Results: found, NumberOfPages: pages } = understood(members, body);
  const suppressions = found.length === 0 ? new Map<string, Suppression>() : await recentSuppressions(api);
  const people = found.map((one) => personOf(one, suppressions.get(one.EmailAddress.toLowerCase())));
  if (page < pages) return { people, cursor: JSON.stringify({ part, page: page + 1 }) };
  const next = PARTS[PARTS.indexOf(part) + 1];
  return { people, cursor: next === undefined ? null : JSON.stringify({ part: next, page: 1 }) };
}

export const people: People = {
  can: true,
  of: ['lists'],
  exportsUnsubscribed: true,
  note: 'People on the suppression list count as unsubscribed from all. Customers who unsubscribed on your page were deleted from the list in Campaign Monitor. It can’t tell them apart from people you deleted, so they’re imported as unclear.',
  read: (api, _kind, id, cursor) => readPart(api, id, cursor),
};

/** Every list has its own fields, so a person has the field once for each list that has it. */
export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const lists = (await membershipsOf(api, email)).filter(({ state }) => isMember(state));
  if (lists.length === 0) return false;
  let isAnywhere = false;
  for (const { listId } of lists) {
    if (!(await textFieldsOf(api, listId)).some(({ id }) => id === field.id)) continue;
    isAnywhere = true;
    await fillField(api, listId, email, { key: field.id, value });
  }
  if (isAnywhere) return true;
  throw new ConnectorError(
    'not_found',
    `None of this person's lists in Campaign Monitor has the text field "${field.name}".`,
  );
}

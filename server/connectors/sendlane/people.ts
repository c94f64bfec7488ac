import { z } from 'zod';
import { readCursor } from '#server/connectors/cursor.ts';
import { parseTimestamp } from '#server/connectors/timestamps.ts';
import {
  ConnectorError,
  path,
  type People,
  type PeoplePage,
  type Resource,
  type ToolApi,
  type ToolPerson,
} from '../connector.ts';
import { type Contact, findContact, isOpen, readContacts, readSubscriptions } from './api.ts';

/** Each of these people takes a call of their own, and the account has 200 a minute. */
const LIST_PAGE = 25;
const PAGE = 100;

/** Those in a list first, then those who left it: who did is told last. */
const place = z.object({ part: z.enum(['in', 'left']), page: z.number().int().positive() });

/** Of all mail: a suppression may also be a bounce, which is no opt-out. */
function personOf({ email, subscribed }: Pick<Contact, 'email' | 'subscribed'>): ToolPerson {
  return { email, state: subscribed ? 'unclear' : 'unsubscribed', hasLeftAll: !subscribed, since: null };
}

/** @returns null: not here, or to be told with those who left */
async function personInList(api: ToolApi, listId: string, contact: Contact): Promise<ToolPerson | null> {
  if (!isOpen(contact)) return personOf(contact);
  const { email } = contact;
  // The contact's own state is of all mail, not of the list.
  const subscription = await readSubscriptions(api, contact.id).then(
    (all) => all.find((one) => one.list_id === listId),
    (error: unknown) => {
      if (error instanceof ConnectorError && error.kind === 'not_found') return undefined;
      throw error;
    },
  );
  if (subscription === undefined || !subscription.subscribed) return null;
  const isMailed = isOpen(subscription);
  const since = isMailed ? parseTimestamp(subscription.date_added) : null;
  return { email, state: isMailed ? 'subscribed' : 'unclear', hasLeftAll: false, since };
}

async function readIn(api: ToolApi, listId: string, page: number): Promise<PeoplePage> {
  const found = await readContacts(api, path`/lists/${listId}/contacts`, { page, limit: LIST_PAGE });
  const people: ToolPerson[] = [];
  for (const contact of found.contacts) {
    const person = await personInList(api, listId, contact);
    if (person !== null) people.push(person);
  }
  const next = found.isMore ? { part: 'in', page: page + 1 } : { part: 'left', page: 1 };
  return { people, cursor: JSON.stringify(next) };
}

async function readLeft(api: ToolApi, listId: string, page: number): Promise<PeoplePage> {
  const found = await readContacts(api, path`/lists/${listId}/unsubscribed`, { page, limit: PAGE });
  const people = found.contacts.map((contact): ToolPerson => ({
    ...personOf(contact),
    state: 'unsubscribed',
  }));
  return { people, cursor: found.isMore ? JSON.stringify({ part: 'left', page: page + 1 }) : null };
}

async function readTagged(api: ToolApi, tagId: string, page: number): Promise<PeoplePage> {
  const found = await readContacts(api, path`/tags/${tagId}/contacts`, { page, limit: PAGE });
  const people = found.contacts.map((contact): ToolPerson =>
    isOpen(contact)
      ? { email: contact.email, state: 'subscribed', hasLeftAll: false, since: null }
      : personOf(contact),
  );
  return { people, cursor: found.isMore ? JSON.stringify({ part: 'in', page: page + 1 }) : null };
}

export const people: People = {
  can: true,
  of: ['lists', 'tags'],
  exportsUnsubscribed: true,
  note: 'We have to ask Sendlane about each person in a list, so an import takes about a minute for 150 people. A tag isn’t consent: people with a tag count as subscribed if they haven’t unsubscribed from all.',
  async read(api, kind, id, cursor) {
    const { part, page } = readCursor(place, cursor) ?? { part: 'in', page: 1 };
    if (kind === 'tags') return readTagged(api, id, page);
    return part === 'in' ? readIn(api, id, page) : readLeft(api, id, page);
  },
};

export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const contact = await findContact(api, email);
  if (contact === null) return false;
  const answer = await api.call({
    method: 'POST',
    path: path`/contacts/${contact.id}/custom-fields`,
    json: { custom_fields: [{ id: Number(field.id), value }] },
    expects: [404, 422],
  });
  if (answer.status !== 404 && answer.status !== 422) return true;
  throw new ConnectorError(
    'not_found',
    `Sendlane rejected the value for the custom field "${field.name}" (${answer.status}). The field may have been deleted.`,
  );
}

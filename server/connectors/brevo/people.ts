import { z } from 'zod';
import type { PeoplePage, ToolApi, ToolPerson } from '#server/connectors/connector.ts';
import { readCursor } from '#server/connectors/cursor.ts';
import { type Contact, readMembers } from './api.ts';
import { listId } from './changes.ts';

const place = z.object({
  offset: z.int().min(0),
  /** How many there were at the page before. */
  total: z.int().min(0),
});

export async function readPeople(
  api: ToolApi,
  _kind: 'lists' | 'tags',
  id: string,
  cursor: string | null,
): Promise<PeoplePage> {
  const list = listId({ id });
  const { offset, total: before } = readCursor(place, cursor) ?? { offset: 0, total: 0 };
  const { contacts, total } = await readMembers(api, list, offset);
  // Contacts removed since the page before have moved others into what was read already: go back to them.
  const missed = offset === 0 ? 0 : Math.max(0, before - total);
  const next = missed > 0 ? Math.max(0, offset - missed) : offset + contacts.length;
  const isLast = missed === 0 && (contacts.length === 0 || next >= total);
  return {
    people: contacts.filter(({ email }) => email !== '').map((contact) => personOf(contact, list)),
    cursor: isLast ? null : JSON.stringify({ offset: next, total }),
  };
}

/** Brevo blocks for an opt-out, a bounce and a complaint alike, so a block is not necessarily an opt-out. */
function personOf({ email, isBlocked, leftLists }: Contact, list: number): ToolPerson {
  const state = leftLists.includes(list) ? 'unsubscribed' : isBlocked ? 'unclear' : 'subscribed';
  return { email, state, hasLeftAll: isBlocked, since: null };
}

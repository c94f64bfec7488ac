import { keyOf, oneByOne, type Outcome, takeMany } from '../batches.ts';
import type { Change, ToolApi } from '../connector.ts';
import { type Contact, findContact, MEMBERS_PER_CALL, moveMembers } from './api.ts';
import { applyChange, listId, setList } from './changes.ts';

/*
 * Lists take and give up many contacts at once. Brevo's imports could block many, but put them into a list as well and
 * tell of nobody whom they leave out; its other call for many ended in October 2026. Nothing reads many by address.
 */

/** Who joins has to be looked at, in one turn with the others. */
const JOINING_PER_BATCH = 50;

export function batchSize(change: Change): number {
  if (change.type !== 'list') return 1;
  return change.on ? JOINING_PER_BATCH : MEMBERS_PER_CALL;
}

export async function applyMany(api: ToolApi, changes: readonly Change[]): Promise<Outcome[]> {
  const [first] = changes;
  const emails = changes.map(({ email }) => email);
  if (first === undefined) return [];
  const alone = (email: string) => applyChange(api, { ...first, email });
  if (first.type !== 'list') return oneByOne(emails, alone);
  const list = listId(first.target);
  if (first.on) return joinMany(api, emails, list);
  return takeMany(
    emails,
    async (some) => {
      const left = [...(await moveMembers(api, list, 'remove', { emails: some }))].map(String);
      for (const email of left) api.found(email, false);
      return left;
    },
    alone,
  );
}

/** Everybody is looked at first: the call would also put those into the list who left it on their own. */
async function joinMany(api: ToolApi, emails: readonly string[], list: number): Promise<Outcome[]> {
  const contacts = new Map<string, Contact | null>();
  for (const email of emails) contacts.set(keyOf(email), await findContact(api, email));
  const contactOf = (email: string) => contacts.get(keyOf(email)) ?? null;
  for (const email of emails) api.found(email, contactOf(email)?.lists.includes(list) === true);
  const isFree = ({ lists, leftLists }: Contact) => !lists.includes(list) && !leftLists.includes(list);
  return takeMany(
    emails,
    async (some) => {
      const free = some
        .map(contactOf)
        .filter((one) => one !== null)
        .filter(isFree);
      const ids = free.map(({ id }) => id);
      const joined: ReadonlySet<unknown> =
        ids.length === 0 ? new Set() : await moveMembers(api, list, 'add', { ids });
      return some.filter((email) => joined.has(contactOf(email)?.id));
    },
    (email) => setList(api, email, contactOf(email), list, true),
  );
}

import { inParts, keyOf, oneByOne, type Outcome, takeMany } from '../batches.ts';
import { type Change, ConnectorError, type ToolApi, type ToolState } from '../connector.ts';
import {
  ADDRESSES_PER_SEARCH,
  findContacts,
  groups,
  lists,
  putContacts,
  removeFromList,
  suppressedGroups,
  suppressedIn,
  suppressGlobally,
} from './api.ts';
import { apply, isInList, isSame, stateOf, suppressMany, underWay, writtenTo } from './changes.ts';

/** SendGrid names no most; far from any. */
const SUPPRESSIONS_PER_CALL = 500;

/** Suppressions are lifted one by one, each with a call of its own. */
export function batchSize(change: Change): number {
  if (change.type === 'list') return ADDRESSES_PER_SEARCH;
  const isSuppression = change.type === 'global_unsubscribe' || change.type === 'suppression_group';
  return isSuppression && change.on ? SUPPRESSIONS_PER_CALL : 1;
}

export async function applyMany(api: ToolApi, changes: readonly Change[]): Promise<Outcome[]> {
  const [first] = changes;
  const emails = changes.map(({ email }) => email);
  if (first === undefined) return [];
  const alone = (email: string) => apply(api, { ...first, email });
  if (batchSize(first) === 1) return oneByOne(emails, alone);
  return takeMany(emails, (some) => takeTogether(api, some, first), alone);
}

/** @returns who is where the change says */
async function takeTogether(
  api: ToolApi,
  emails: readonly string[],
  change: Change,
): Promise<readonly string[]> {
  if (change.type === 'global_unsubscribe') return suppressGlobally(api, emails);
  if (change.type === 'suppression_group') return suppressMany(api, change.target, emails);
  if (change.type !== 'list') return [];
  return change.on ? join(api, change.target.id, emails) : leave(api, change.target.id, emails);
}

/** A job that does not store everybody does not say whom: `finish` refuses it, and each half gets one of its own. */
async function join(api: ToolApi, listId: string, emails: readonly string[]): Promise<string[]> {
  const contacts = await findContacts(api, emails);
  const contactOf = (email: string) => contacts.get(keyOf(email)) ?? null;
  const own = emails.filter((email) => {
    const contact = contactOf(email);
    // An alternate address is refused by its own call.
    return contact === null || isSame(email, contact.email);
  });
  for (const email of own) api.found(email, isInList(contactOf(email), listId));
  const rows = own.map((email) => writtenTo(email, contactOf(email)));
  if (rows.length > 0) await putContacts(api, rows, [listId]);
  return own;
}

async function leave(api: ToolApi, listId: string, emails: readonly string[]): Promise<string[]> {
  const contacts = await findContacts(api, emails);
  for (const email of emails) api.found(email, !isInList(contacts.get(keyOf(email)) ?? null, listId));
  const ids = [...new Set([...contacts.values()].map(({ id }) => id))];
  const unsure = await underWay(api, emails);
  // Their own calls say that they have to be made again.
  const gone = emails.filter((email) => !unsure.includes(email));
  if (ids.length === 0) return gone;
  try {
    await removeFromList(api, listId, ids);
    return gone;
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.kind !== 'not_found') throw error;
    // Either the list is gone, or somebody whom the search still finds is.
    if (!(await lists(api)).some(({ id }) => id === listId)) throw error;
    return gone.filter((email) => !contacts.has(keyOf(email)));
  }
}

/** Who is suppressed everywhere, has bounced or complained is told of one address at a time. */
export async function stateMany(api: ToolApi, emails: readonly string[]): Promise<ToolState[]> {
  const states: ToolState[] = [];
  for (const some of inParts(emails, ADDRESSES_PER_SEARCH)) {
    const contacts = await findContacts(api, some);
    const suppressed = await suppressedGroupsOf(api, some);
    for (const [at, email] of some.entries()) {
      const contact = contacts.get(keyOf(email)) ?? null;
      states.push(await stateOf(api, email, { contact, suppressed: suppressed[at] ?? [] }));
    }
  }
  return states;
}

/** One call for each group, or for each address: whichever are fewer. */
async function suppressedGroupsOf(api: ToolApi, emails: readonly string[]): Promise<string[][]> {
  const all = await groups(api);
  if (all.length >= emails.length) {
    const found: string[][] = [];
    for (const email of emails) found.push((await suppressedGroups(api, email)).map(({ id }) => id));
    return found;
  }
  const members = new Map<string, Set<string>>();
  for (const { id } of all) {
    members.set(id, new Set((await suppressedIn(api, id, emails)).map(keyOf)));
  }
  return emails.map((email) => all.map(({ id }) => id).filter((id) => members.get(id)?.has(keyOf(email))));
}

import { type Change, ConnectorError, type ToolApi, type ToolState } from '../connector.ts';
import {
  addTags,
  addToList,
  type Contact,
  deleteContact,
  findContact,
  isOpen,
  isSameAddress,
  readFieldValues,
  readSubscriptions,
  readTagIds,
  removeFromList,
  removeTag,
  type Subscription,
  suppress,
  unsubscribe,
} from './api.ts';

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const contact = await findContact(api, email);
  if (contact === null) return { known: false, unsubscribed: false, lists: [], tags: [] };
  const subscriptions = isOpen(contact) ? await readSubscriptions(api, contact.id) : [];
  return {
    known: true,
    unsubscribed: !isOpen(contact),
    lists: subscriptions.filter(isOpen).map((one) => one.list_id),
    tags: await readTagIds(api, contact.id),
  };
}

export async function apply(api: ToolApi, change: Change): Promise<void> {
  const { email } = change;
  switch (change.type) {
    case 'global_unsubscribe':
      if (change.on) return unsubscribeFromAll(api, email);
      break;
    case 'list':
      return change.on ? join(api, change.target.id, email) : leave(api, change.target.id, email);
    case 'tag':
      return change.on ? tag(api, change.target.id, email) : untag(api, change.target.id, email);
    case 'switch_email':
      return switchEmail(api, change.from, email);
    default:
      break;
  }
  throw new ConnectorError('refused', "Sendlane's API can't do this.");
}

/** What is queued (202) is seen after a while. */
const WAITS_MS = [2000, 5000, 15_000];

async function isSoon(api: ToolApi, isSo: () => Promise<boolean>): Promise<boolean> {
  for (const wait of WAITS_MS) {
    await api.wait(wait);
    if (await isSo()) return true;
  }
  return false;
}

async function settle(api: ToolApi, isSo: () => Promise<boolean>): Promise<void> {
  if (await isSoon(api, isSo)) return;
  throw new ConnectorError('unavailable', "Sendlane accepted the change but hasn't applied it yet.", 60);
}

async function unsubscribeFromAll(api: ToolApi, email: string): Promise<void> {
  const contact = await findContact(api, email);
  if (contact === null) await suppress(api, email.trim());
  else if (isOpen(contact)) await unsubscribe(api, contact.id);
}

function requireOpen(one: Contact | Subscription): void {
  if (isOpen(one)) return;
  throw new ConnectorError(
    'refused',
    'This person unsubscribed or is suppressed in Sendlane. They have to resubscribe there.',
  );
}

/** @returns undefined: neither is in the list nor left it */
async function subscriptionOf(
  api: ToolApi,
  contactId: string,
  listId: string,
): Promise<Subscription | undefined> {
  return (await readSubscriptions(api, contactId)).find((one) => one.list_id === listId);
}

async function join(api: ToolApi, listId: string, email: string): Promise<void> {
  const contact = await findContact(api, email);
  if (contact !== null) {
    requireOpen(contact);
    const subscription = await subscriptionOf(api, contact.id, listId);
    if (subscription !== undefined) return requireOpen(subscription);
  }
  await addToList(api, listId, { email: email.trim() });
  await settle(api, async () => {
    const made = await findContact(api, email);
    const subscription = made === null ? undefined : await subscriptionOf(api, made.id, listId);
    return subscription !== undefined && isOpen(subscription);
  });
}

async function leave(api: ToolApi, listId: string, email: string): Promise<void> {
  const contact = await findContact(api, email);
  if (contact !== null) await takeOff(api, listId, contact.id);
}

async function takeOff(api: ToolApi, listId: string, contactId: string): Promise<void> {
  const isIn = async () => {
    const subscription = await subscriptionOf(api, contactId, listId);
    return subscription !== undefined && isOpen(subscription);
  };
  if (!(await isIn())) return;
  await removeFromList(api, listId, contactId);
  await settle(api, async () => !(await isIn()));
}

async function tag(api: ToolApi, tagId: string, email: string): Promise<void> {
  let contact = await findContact(api, email);
  // Somebody who was just put on a list may still be in the queue.
  if (contact === null) await isSoon(api, async () => (contact = await findContact(api, email)) !== null);
  if (contact === null) {
    throw new ConnectorError(
      'not_found',
      "Sendlane doesn't know this person, and its API only adds new people with a list.",
    );
  }
  const tagIds = await readTagIds(api, contact.id);
  if (!tagIds.includes(tagId)) await addTags(api, contact.id, [tagId]);
}

async function untag(api: ToolApi, tagId: string, email: string): Promise<void> {
  const contact = await findContact(api, email);
  if (contact === null || !(await readTagIds(api, contact.id)).includes(tagId)) return;
  await removeTag(api, contact.id, tagId);
  await settle(api, async () => !(await readTagIds(api, contact.id)).includes(tagId));
}

/** There is no call for it: what the old contact has is given to the new one, and the old one deleted. */
async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  if (isSameAddress(from, email)) return;
  const old = await findContact(api, from);
  if (old === null) return;
  const known = await findContact(api, email);
  if (!isOpen(old)) {
    if (known !== null && isOpen(known)) await unsubscribe(api, known.id);
    return;
  }
  if (known === null || isOpen(known)) await bringAlong(api, old, known, email.trim());
  // Unsubscribing it would look like an opt-out to the next time, and be carried over.
  await deleteContact(api, old.id);
  await settle(api, async () => (await findContact(api, from)) === null);
}

async function bringAlong(api: ToolApi, old: Contact, known: Contact | null, email: string): Promise<void> {
  const had = await readSubscriptions(api, old.id);
  const has = known === null ? [] : await readSubscriptions(api, known.id);
  const missing = had.filter((one) => isOpen(one) && !has.some(({ list_id: id }) => id === one.list_id));
  if (known === null && missing.length === 0) {
    throw new ConnectorError(
      'refused',
      "This person isn't in any list in Sendlane, and its API only adds a new email with a list. Change the email in Sendlane.",
    );
  }
  if (known !== null) {
    for (const left of had) if (!isOpen(left)) await takeOff(api, left.list_id, known.id);
  }
  const entry = known === null ? await entryOf(api, old, email) : { email };
  for (const { list_id: listId } of missing) await addToList(api, listId, entry);
  const added = missing.length === 0 ? known : await findInLists(api, email, missing);
  if (added === null) return;
  const hasTags = await readTagIds(api, added.id);
  const tagIds = (await readTagIds(api, old.id)).filter((id) => !hasTags.includes(id));
  if (tagIds.length > 0) await addTags(api, added.id, tagIds);
}

async function entryOf(api: ToolApi, old: Contact, email: string) {
  const fields = await readFieldValues(api, old.id);
  return {
    email,
    ...(old.first_name ? { first_name: old.first_name } : {}),
    ...(old.last_name ? { last_name: old.last_name } : {}),
    ...(fields.length > 0 ? { custom_fields: fields } : {}),
  };
}

async function findInLists(api: ToolApi, email: string, lists: Subscription[]): Promise<Contact | null> {
  let contact: Contact | null = null;
  await settle(api, async () => {
    contact = await findContact(api, email);
    const subscriptions = contact === null ? [] : await readSubscriptions(api, contact.id);
    return lists.every(({ list_id: id }) => subscriptions.some((one) => one.list_id === id && isOpen(one)));
  });
  return contact;
}

import { type Change, ConnectorError, type ToolApi, type ToolState } from '#server/connectors/connector.ts';
import {
  addSubscriber,
  changeAddress,
  deleteSubscriber,
  isMember,
  type Membership,
  membershipsOf,
  readSubscriber,
} from './api.ts';
import { suppress, suppressionOf, unsuppress } from './suppressions.ts';

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const memberships = await membershipsOf(api, email);
  const isSuppressed = (await suppressionOf(api, email)) !== null;
  return {
    known: memberships.length > 0 || isSuppressed,
    unsubscribed: isSuppressed,
    lists: memberships.filter((one) => one.state === 'Active').map(({ listId }) => listId),
    awaited: memberships.filter((one) => one.state === 'Unconfirmed').map(({ listId }) => listId),
  };
}

export async function apply(api: ToolApi, change: Change): Promise<void> {
  switch (change.type) {
    case 'global_unsubscribe':
      return change.on ? leaveAll(api, change.email) : comeBack(api, change.email);
    case 'list':
      return change.on
        ? joinList(api, change.target.id, change.email)
        : leaveList(api, change.target.id, change.email);
    case 'switch_email':
      return switchEmail(api, change.from, change.email);
    default:
      throw new ConnectorError('refused', `Campaign Monitor can't do this: ${change.type}.`);
  }
}

/**
 * Lists that keep unsubscribes to themselves do not look at the suppression list, so people leave each of them too;
 * and before, since other lists would then have them as people who unsubscribed on their own.
 */
async function leaveAll(api: ToolApi, email: string): Promise<void> {
  for (const { listId, state: old } of await membershipsOf(api, email)) {
    if (isMember(old)) await deleteSubscriber(api, listId, email);
  }
  await suppress(api, email);
}

async function comeBack(api: ToolApi, email: string): Promise<void> {
  const suppression = await suppressionOf(api, email);
  // A mailbox that does not work is no opt-out, and is not made to work.
  if (suppression === null || suppression.reason === 'bounce') return;
  if (suppression.reason === 'complaint') {
    throw new ConnectorError(
      'refused',
      'This person reported an email as spam. Only you can take them off the suppression list, in Campaign Monitor.',
    );
  }
  await unsuppress(api, email);
}

const INACTIVE: Readonly<Record<string, string>> = {
  Unsubscribed: 'This person unsubscribed from the list in Campaign Monitor. Only they can resubscribe.',
  Bounced: 'Campaign Monitor stopped sending to this person after a bounce.',
};

async function joinList(api: ToolApi, listId: string, email: string): Promise<void> {
  const old = await readSubscriber(api, listId, email);
  if (isMember(old?.State)) return;
  if (old !== null && old.State !== 'Deleted') {
    const sentence = INACTIVE[old.State] ?? "Campaign Monitor doesn't add this person to the list.";
    throw new ConnectorError('refused', sentence);
  }
  // Resubscribe lets in whom the suppression list keeps out, and some lists do not look at it.
  if ((await suppressionOf(api, email)) !== null) {
    throw new ConnectorError('refused', "This person is on Campaign Monitor's suppression list.");
  }
  await addSubscriber(api, listId, email, old !== null);
  const now = await readSubscriber(api, listId, email);
  if (isMember(now?.State)) return;
  throw new ConnectorError('refused', "Campaign Monitor didn't add this person to the list.");
}

/**
 * Deletes from the list: to unsubscribe from one may mean from all. It also keeps those who left by our page, and
 * may come back by it, apart from those who unsubscribed in the tool.
 */
async function leaveList(api: ToolApi, listId: string, email: string): Promise<void> {
  const old = await readSubscriber(api, listId, email);
  if (isMember(old?.State)) await deleteSubscriber(api, listId, email);
}

async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  if (from.toLowerCase() === email.toLowerCase()) return;
  const suppression = await suppressionOf(api, from);
  // A bounce is about the old mailbox.
  const isOut = suppression !== null && suppression.reason !== 'bounce';
  if (isOut) await suppress(api, email);
  const there = new Map((await membershipsOf(api, email)).map((one) => [one.listId, one.state]));
  for (const old of await membershipsOf(api, from)) {
    // Who was moved already is deleted, or not there at all: so half of the way can be gone again.
    if (old.state !== 'Deleted') await moveIn(api, old, { from, email, there: there.get(old.listId) });
  }
}

/** @param move.there the state of the new address in the list; undefined: not in it */
async function moveIn(
  api: ToolApi,
  { listId, state: old }: Membership,
  move: { from: string; email: string; there: string | undefined },
): Promise<void> {
  const { from, email, there } = move;
  if (there === undefined && old === 'Bounced') {
    // The old mailbox does not work; the person did not leave.
    if ((await suppressionOf(api, email)) === null) await addSubscriber(api, listId, email, false);
  } else if (there === undefined) {
    if (await changeAddress(api, listId, from, email)) return;
  } else if (old === 'Unsubscribed' && isMember(there)) {
    await deleteSubscriber(api, listId, email);
  }
  await deleteSubscriber(api, listId, from);
}

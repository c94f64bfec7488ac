import { type Change, ConnectorError, path, type ToolApi } from '#server/connectors/connector.ts';
import {
  automationsOf,
  type Contact,
  type ContactList,
  createContact,
  findContact,
  isDuplicate,
  isMailed,
  isRunning,
  LIST_STATUS,
  listsOf,
  tagsOf,
} from './api.ts';

type Targeted = Extract<Change, { on: boolean; target: unknown }>;

export async function apply(api: ToolApi, change: Change): Promise<void> {
  if (change.type === 'switch_email') return switchEmail(api, change.from, change.email);
  const known = await findContact(api, change.email);
  if (change.type === 'global_unsubscribe') {
    if (known !== null) await leaveAll(api, known, change.on);
    return;
  }
  if (known === null && !change.on) return;
  const person = known ?? (await createContact(api, change.email));
  if (change.type === 'list') return setList(api, person, change);
  if (change.type === 'tag') return setTag(api, person, change);
  if (change.type === 'automation') return setAutomation(api, person, change);
  throw new ConnectorError('refused', 'ActiveCampaign has neither funnels nor suppression groups.');
}

async function writeList(api: ToolApi, person: Contact, list: string, status: string): Promise<void> {
  const contactList = { list: Number(list), contact: Number(person.id), status: Number(status) };
  await api.call({ method: 'POST', path: '/contactLists', json: { contactList } });
}

async function leaveAll(api: ToolApi, person: Contact, on: boolean): Promise<void> {
  if (!on) {
    throw new ConnectorError('refused', "ActiveCampaign can't undo an unsubscribe from all.");
  }
  for (const { list, status } of await listsOf(api, person)) {
    if (status === LIST_STATUS.unsubscribed) continue;
    await writeList(api, person, list, LIST_STATUS.unsubscribed);
  }
}

/**
 * ActiveCampaign takes status 1 for anybody. A row that an API wrote names no mail, reason or network address of
 * an unsubscribe; where a row does, or does not say, the person left on their own.
 */
function leftThemselves({ campaign, message, unsubreason, ip4Unsub }: ContactList): boolean {
  const wrote = [campaign, message, unsubreason].some(
    (value) => value === undefined || !(value === null || value === '' || value === '0'),
  );
  return wrote || ip4Unsub !== '0';
}

function requireMayJoin(row: ContactList): void {
  if (row.status === LIST_STATUS.bounced) {
    throw new ConnectorError(
      'refused',
      'ActiveCampaign stopped sending this list to them after a bounce. You can only change that in ActiveCampaign.',
    );
  }
  if (row.status === LIST_STATUS.unsubscribed && leftThemselves(row)) {
    throw new ConnectorError(
      'refused',
      'They unsubscribed from this list in ActiveCampaign. Only they can resubscribe, through an ActiveCampaign form.',
    );
  }
}

async function setList(api: ToolApi, person: Contact, { target, on }: Targeted): Promise<void> {
  const row = (await listsOf(api, person)).find(({ list }) => list === target.id);
  if (!on) {
    if (row === undefined || row.status === LIST_STATUS.unsubscribed) return;
    return writeList(api, person, target.id, LIST_STATUS.unsubscribed);
  }
  if (row === undefined) return writeList(api, person, target.id, LIST_STATUS.active);
  if (row.status === LIST_STATUS.active) return;
  requireMayJoin(row);
  // The tool wants this source of those who come back to a list.
  const contactList = {
    list: Number(target.id),
    contact: Number(person.id),
    status: Number(LIST_STATUS.active),
    sourceid: 4,
  };
  await api.call({ method: 'POST', path: '/contactLists', json: { contactList } });
}

/** What is gone already is as good as removed. */
async function remove(api: ToolApi, where: string): Promise<void> {
  try {
    await api.call({ method: 'DELETE', path: where });
  } catch (error) {
    if (!(error instanceof ConnectorError && error.kind === 'not_found')) throw error;
  }
}

async function addTag(api: ToolApi, person: Contact, tag: string): Promise<void> {
  const contactTag = { contact: Number(person.id), tag: Number(tag) };
  await api.call({ method: 'POST', path: '/contactTags', json: { contactTag } });
}

async function setTag(api: ToolApi, person: Contact, { target, on }: Targeted): Promise<void> {
  const held = (await tagsOf(api, person)).filter(({ tag }) => tag === target.id);
  if (on && held.length === 0) await addTag(api, person, target.id);
  // By the id of the row that binds the tag to the person, not the tag's.
  if (!on) for (const { id } of held) await remove(api, path`/contactTags/${id}`);
}

async function setAutomation(api: ToolApi, person: Contact, { target, on }: Targeted): Promise<void> {
  const rows = (await automationsOf(api, person)).filter(({ automation }) => automation === target.id);
  const running = rows.filter(isRunning);
  if (!on) {
    for (const { id } of running) await remove(api, path`/contactAutomations/${id}`);
    return;
  }
  // Every POST starts over, so a call made twice would send everything again.
  if (running.length > 0 || rows.some(({ completed }) => completed === '1')) return;
  const contactAutomation = { contact: Number(person.id), automation: Number(target.id) };
  await api.call({ method: 'POST', path: '/contactAutomations', json: { contactAutomation } });
}

async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  if (from.toLowerCase() === email.toLowerCase()) return;
  const old = await findContact(api, from);
  if (old === null) return;
  const other = await findContact(api, email);
  if (other !== null) return merge(api, old, other);
  // Never through /contact/sync, which would make a second contact.
  const call = { method: 'PUT', path: path`/contacts/${old.id}`, json: { contact: { email } } } as const;
  const answer = await api.call({ ...call, expects: [422] });
  if (answer.status !== 422) return;
  const appeared = isDuplicate(answer) ? await findContact(api, email) : null;
  if (appeared === null) {
    throw new ConnectorError('refused', "ActiveCampaign doesn't accept the new email (422).");
  }
  return merge(api, old, appeared);
}

/**
 * Brings lists, opt-outs and tags to the contact that stays. The old contact goes last: until then it says what there
 * is to bring, so a merge that broke off can be repeated, and what we did to it is never taken for an opt-out.
 */
async function merge(api: ToolApi, old: Contact, other: Contact): Promise<void> {
  const oldLists = await listsOf(api, old);
  const there = new Map((await listsOf(api, other)).map((row) => [row.list, row.status]));
  for (const { list, status } of oldLists) {
    const isNew = !there.has(list);
    if (status === LIST_STATUS.unsubscribed && there.get(list) !== status) {
      await writeList(api, other, list, status);
    } else if (status === LIST_STATUS.active && isNew) {
      await writeList(api, other, list, status);
    }
  }
  const tagged = new Set((await tagsOf(api, other)).map(({ tag }) => tag));
  for (const { tag } of await tagsOf(api, old)) {
    if (!tagged.has(tag)) await addTag(api, other, tag);
  }
  if (oldLists.some(isMailed)) return remove(api, path`/contacts/${old.id}`);
  // One who gets nothing any more stays, so that no import can revive the address.
  for (const row of await automationsOf(api, old)) {
    if (isRunning(row)) await remove(api, path`/contactAutomations/${row.id}`);
  }
}

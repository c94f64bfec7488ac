import { type Change, ConnectorError, type Resource, type ToolApi } from '#server/connectors/connector.ts';
import {
  type Contact,
  type ContactUpdate,
  createContact,
  deleteContact,
  findContact,
  textAttributes,
  updateContact,
} from './api.ts';

export async function applyChange(api: ToolApi, change: Change): Promise<void> {
  if (change.type === 'switch_email') return switchEmail(api, change.from, change.email);
  const found = await findContact(api, change.email);
  if (change.type === 'global_unsubscribe') return setBlock(api, change.email, found, change.on);
  if (change.type === 'list') return setList(api, change.email, found, listId(change.target), change.on);
  throw new ConnectorError('refused', `Brevo can't do this (${change.type}).`);
}

export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const found = await findContact(api, email);
  if (found === null) return false;
  // Attributes that are not there, or take no text, would be passed over without a word.
  if (!(await textAttributes(api)).some(({ id }) => id === field.id)) {
    throw new ConnectorError('not_found', `Brevo has no text contact attribute "${field.name}".`);
  }
  await updateContact(api, found.id, { attributes: { [field.id]: value } });
  return true;
}

/** The block is one and the same, whatever it was set for: a return lifts only the person's own unsubscribe. */
const NEVER_LIFTED = {
  complained:
    'This person reported an email as spam, so Brevo blocks emails to them. You can only change that in Brevo, on the contact.',
  bounced:
    'Emails to this person bounced, so Brevo blocks emails to them. You can only change that in Brevo, on the contact.',
} as const;

async function setBlock(api: ToolApi, email: string, found: Contact | null, on: boolean): Promise<void> {
  if (found === null) {
    if (on) await createContact(api, { email, emailBlacklisted: true });
    return;
  }
  if (found.isBlocked && !on && found.trouble !== null) {
    throw new ConnectorError('refused', NEVER_LIFTED[found.trouble]);
  }
  if (found.isBlocked !== on) await updateContact(api, found.id, { emailBlacklisted: on });
}

export async function setList(
  api: ToolApi,
  email: string,
  found: Contact | null,
  list: number,
  on: boolean,
): Promise<void> {
  api.found(email, (found?.lists.includes(list) ?? false) === on);
  if (found === null) {
    if (on) await createContact(api, { email, listIds: [list] });
    return;
  }
  if (found.lists.includes(list) === on) return;
  if (on && found.leftLists.includes(list)) {
    throw new ConnectorError(
      'refused',
      'This person unsubscribed from the list in Brevo. Only they can resubscribe there.',
    );
  }
  await updateContact(api, found.id, on ? { listIds: [list] } : { unlinkListIds: [list] });
}

export function listId({ id }: Pick<Resource, 'id'>): number {
  if (/^\d+$/.test(id)) return Number(id);
  throw new ConnectorError('not_found', "Brevo doesn't have this list.");
}

const isSameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Moves the person with what holds mail back from them; brings two contacts together where both are there. */
async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  // Brevo takes the address that a contact has already for somebody else's.
  if (isSameAddress(from, email)) return;
  const old = await findContact(api, from);
  if (old === null) return;
  const other = await findContact(api, email);
  if (other === null) await rename(api, old, email);
  else if (other.id !== old.id) await merge(api, old, other);
}

async function rename(api: ToolApi, old: Contact, email: string): Promise<void> {
  const hasOptedOut = old.isBlocked || old.leftLists.length > 0;
  const update = { attributes: { EMAIL: email }, ...(old.isBlocked && { emailBlacklisted: true }) };
  const isDone = await updateContact(api, old.id, update).catch(async (error: unknown) => {
    // The answer may be lost after the address was changed, and then nobody but us knows of the block.
    if (hasOptedOut) await holdBack(api, old);
    throw error;
  });
  if (!isDone) {
    throw new ConnectorError('unavailable', 'Brevo just got a contact with the new email.');
  }
  if (hasOptedOut) await holdBack(api, old);
}

const TRIES = 5;

/** A changed address lifts the block: sets it again, and does not give up lightly. */
async function holdBack(api: ToolApi, old: Contact): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const now = await findContact(api, old.id, 'contact_id');
      const update = now === null ? null : whatWasLifted(old, now);
      if (update === null) return;
      await updateContact(api, old.id, update);
    } catch (error) {
      if (!(error instanceof ConnectorError) || attempt === TRIES) throw error;
      await api.wait((error.retryAfterSeconds ?? 2 ** attempt) * 1000);
    }
    if (attempt === TRIES) {
      throw new ConnectorError('unavailable', 'Brevo keeps lifting the block after the email change.');
    }
  }
}

function whatWasLifted(old: Contact, now: Contact): ContactUpdate | null {
  const unlinkListIds = now.lists.filter((id) => old.leftLists.includes(id));
  const isLifted = old.isBlocked && !now.isBlocked;
  if (!isLifted && unlinkListIds.length === 0) return null;
  return { ...(isLifted && { emailBlacklisted: true }), ...(unlinkListIds.length > 0 && { unlinkListIds }) };
}

/** Brevo's own merge deletes a contact of its choice, and its blocks with it. */
async function merge(api: ToolApi, old: Contact, other: Contact): Promise<void> {
  const left = new Set([...old.leftLists, ...other.leftLists]);
  const listIds = old.lists.filter((id) => !other.lists.includes(id) && !left.has(id));
  const unlinkListIds = other.lists.filter((id) => left.has(id));
  const update: ContactUpdate = {
    ...(old.isBlocked && !other.isBlocked && { emailBlacklisted: true }),
    ...(listIds.length > 0 && { listIds }),
    ...(unlinkListIds.length > 0 && { unlinkListIds }),
  };
  if (Object.keys(update).length > 0) await updateContact(api, other.id, update);
  // A block has to outlive a later import of the address. One that we set would look like the person's own next time.
  if (!old.isBlocked) await deleteContact(api, old.id);
  else if (old.lists.length > 0) await updateContact(api, old.id, { unlinkListIds: old.lists });
}

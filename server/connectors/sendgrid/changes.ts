import {
  type Change,
  ConnectorError,
  type Resource,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import {
  type Contact,
  deleteContact,
  fields,
  findContact,
  groups,
  isGloballySuppressed,
  isIn,
  putContact,
  releaseFromGroup,
  releaseGlobally,
  removeFromList,
  suppressedGroups,
  suppressGlobally,
  suppressInGroup,
} from './api.ts';

/** Jobs of three minutes were seen, and the search tells of a contact minutes later. */
const LONGEST_LAG_MS = 10 * 60_000;
const AGAIN_SECONDS = 30;

const CONTACTS = '/v3/marketing/';

/** A job that we began a moment ago may still store something about the contact, after whatever is written now. */
const isUnderWay = (api: ToolApi, ...emails: readonly string[]) =>
  api.wroteSince(new Date(api.now().getTime() - LONGEST_LAG_MS), {
    // As a whole value: an address may end like another one.
    parts: [CONTACTS, ...emails.map((email) => JSON.stringify(email))],
    isUnconfirmed: true,
  });

/** Those of the addresses. */
export async function underWay(api: ToolApi, emails: readonly string[]): Promise<string[]> {
  if (!(await isUnderWay(api))) return [];
  const found: string[] = [];
  for (const email of emails) if (await isUnderWay(api, email)) found.push(email);
  return found;
}

/** Says to come again, which holds up nothing else of the tool. */
const notYet = () =>
  new ConnectorError('refused', "SendGrid hasn't stored the contact yet. We'll try again.", AGAIN_SECONDS);

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const contact = await findContact(api, email);
  const suppressed = await suppressedGroups(api, email);
  return stateOf(api, email, { contact, suppressed: suppressed.map(({ id }) => id) });
}

export async function stateOf(
  api: ToolApi,
  email: string,
  { contact, suppressed }: { contact: Contact | null; suppressed: readonly string[] },
): Promise<ToolState> {
  const isOut = await isGloballySuppressed(api, email);
  const isUndeliverable = (await isIn(api, 'spam_reports', email)) || (await isIn(api, 'bounces', email));
  return {
    known: contact !== null || suppressed.length > 0 || isOut || isUndeliverable,
    unsubscribed: isOut || isUndeliverable,
    lists: contact?.list_ids ?? [],
    suppression_groups: suppressed,
  };
}

export async function apply(api: ToolApi, change: Change): Promise<void> {
  switch (change.type) {
    case 'global_unsubscribe':
      if (!change.on) return resubscribe(api, change.email);
      await suppressGlobally(api, [change.email]);
      return;
    case 'suppression_group':
      return setGroup(api, change.target, change.email, change.on);
    case 'list':
      return change.on
        ? addToList(api, change.target.id, change.email)
        : leaveList(api, change.target.id, change.email);
    case 'switch_email':
      return switchEmail(api, change.from, change.email);
    default:
      throw new ConnectorError('refused', `SendGrid can't do this: ${change.type}.`);
  }
}

async function resubscribe(api: ToolApi, email: string): Promise<void> {
  if (await isIn(api, 'spam_reports', email)) {
    throw new ConnectorError(
      'refused',
      "This person reported an email as spam, so SendGrid blocks emails to them. You can only change that on SendGrid's Spam Reports page.",
    );
  }
  await releaseGlobally(api, email);
}

const isThere = async (api: ToolApi, target: Resource) =>
  (await groups(api)).some(({ id }) => id === target.id);

async function setGroup(api: ToolApi, target: Resource, email: string, on: boolean): Promise<void> {
  if (on) await suppressMany(api, target, [email]);
  else if (await isThere(api, target)) await releaseFromGroup(api, target.id, email);
}

/** @returns whom SendGrid says that it has added */
export async function suppressMany(
  api: ToolApi,
  target: Resource,
  emails: readonly string[],
): Promise<string[]> {
  // What is written to a group that is not there (any more) lands on the global list.
  if (await isThere(api, target)) return suppressInGroup(api, target.id, emails);
  throw new ConnectorError('not_found', `SendGrid has no suppression group "${target.name}".`);
}

const keep = (object: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) =>
        value !== undefined &&
        value !== null &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );

/** An update needs all that the contact is known by. */
const identifiersOf = ({ phone_number_id, external_id, anonymous_id }: Contact) =>
  keep({ phone_number_id, external_id, anonymous_id });

/** What it takes to write to somebody, be they there or not. */
export const writtenTo = (email: string, contact: Contact | null) => ({
  email,
  ...(contact && identifiersOf(contact)),
});

export const isSame = (one: string, other: string | null | undefined) =>
  one.toLowerCase() === other?.toLowerCase();

/** The contact whose own address it is. */
async function ownContact(api: ToolApi, email: string): Promise<Contact | null> {
  const contact = await findContact(api, email);
  if (contact === null || isSame(email, contact.email)) return contact;
  throw new ConnectorError(
    'refused',
    "In SendGrid, this is only a contact's alternate email. Make it the primary email there first.",
  );
}

export const isInList = (contact: Contact | null, listId: string) =>
  contact?.list_ids.includes(listId) === true;

// Both ways write without looking whether it is so already: what the search tells may be minutes old.
async function addToList(api: ToolApi, listId: string, email: string): Promise<void> {
  const contact = await ownContact(api, email);
  api.found(email, isInList(contact, listId));
  await putContact(api, writtenTo(email, contact), [listId]);
}

/** An upsert: without a contact it would make one. Fields that are not named stay, and lists too. */
export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const contact = await ownContact(api, email);
  if (contact === null) return false;
  if (!(await fields(api, { onlyText: true })).some(({ id }) => id === field.id)) {
    throw new ConnectorError('not_found', `SendGrid has no text custom field "${field.name}".`);
  }
  await putContact(api, { ...writtenTo(email, contact), custom_fields: { [field.id]: value } }, []);
  return true;
}

async function leaveList(api: ToolApi, listId: string, email: string): Promise<void> {
  const contact = await findContact(api, email);
  api.found(email, !isInList(contact, listId));
  if (contact !== null) await removeFromList(api, listId, [contact.id]);
  if (await isUnderWay(api, email)) throw notYet();
}

async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  // The tool keeps addresses in lower case.
  if (isSame(from, email)) return;
  await copyOptOuts(api, from, email);
  // A job that ends after the move would bring the old address back.
  if (await isUnderWay(api, from)) throw notYet();
  const old = await ownContact(api, from);
  if (old !== null) await moveContact(api, old, email);
}

/** Suppressions hang on the address, so they are copied, and before anything can be mailed to the new one. */
async function copyOptOuts(api: ToolApi, from: string, email: string): Promise<void> {
  const isOut = (await isGloballySuppressed(api, from)) || (await isIn(api, 'spam_reports', from));
  if (isOut) await suppressGlobally(api, [email]);
  for (const group of await suppressedGroups(api, from)) await setGroup(api, group, email, true);
}

async function moveContact(api: ToolApi, old: Contact, email: string): Promise<void> {
  const there = await ownContact(api, email);
  const mine = there === null ? {} : identifiersOf(there);
  const names = hasCustomFields(old) ? await fields(api) : [];
  const custom = { ...byId(old, names), ...(there && byId(there, names)) };
  const profile = { ...profileOf(old), ...(there && profileOf(there)) };
  const hasAll =
    there !== null &&
    old.list_ids.every((id) => there.list_ids.includes(id)) &&
    isNamedIn(profile, profileOf(there)) &&
    isNamedIn(custom, byId(there, names));
  if (!hasAll) {
    const customFields = Object.keys(custom).length > 0 && { custom_fields: custom };
    const isStored = await putContact(api, { ...profile, ...customFields, ...mine, email }, old.list_ids);
    if (!isStored) throw notYet();
  }
  // No two contacts can share these, so they follow once the old one is gone.
  const alternates = [...new Set([...(there?.alternate_emails ?? []), ...(old.alternate_emails ?? [])])];
  const late = keep({ ...identifiersOf(old), alternate_emails: alternates });
  const hasLate = Object.keys(late).length > 0;
  const isGone = await deleteContact(api, old.id, hasLate);
  if (!hasLate) return;
  if (!isGone) throw notYet();
  await putContact(api, { email, ...late, ...mine }, []);
}

const isNamedIn = (part: Readonly<Record<string, unknown>>, whole: Readonly<Record<string, unknown>>) =>
  Object.keys(part).every((name) => name in whole);

const hasCustomFields = ({ custom_fields }: Contact) => Object.keys(custom_fields ?? {}).length > 0;

/** The search names custom fields by name, writing by id. */
function byId({ custom_fields }: Contact, names: readonly Resource[]): Record<string, unknown> {
  const values = custom_fields ?? {};
  return keep(Object.fromEntries(names.map(({ id, name }) => [id, values[name]])));
}

function profileOf(contact: Contact): Record<string, unknown> {
  const { first_name, last_name, address_line_1, address_line_2 } = contact;
  const { city, state_province_region, postal_code, country } = contact;
  const lines = { first_name, last_name, address_line_1, address_line_2 };
  return keep({ ...lines, city, state_province_region, postal_code, country });
}

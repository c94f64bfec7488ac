import type { Selectable } from 'kysely';
import type { ChoiceSource, Evidence, ImportedDetails } from '#contract/choices.ts';
import { emailKey } from '#contract/email-key.ts';
import type { TenantTables } from '#db/tables.ts';
import { equalBytes, type Keyring, openText, sealText, sha256, sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import type { ChoiceRow, ReasonedChoiceRow } from './evidence.sql.ts';

export type { ChoiceRow, LaterChoice, ReasonedChoiceRow, SavedChoice } from './evidence.sql.ts';
export {
  addressChangesAfter,
  addressesBeforeMoves,
  choicesFrom,
  choicesOfCustomer,
  choicesOfSite,
  choicesWithSaveIds,
  choiceWithPrevious,
  clearSubscriptions,
  countLeavesByLink,
  emailBeforeChoice,
  findChoice,
  findChoiceBySaveId,
  insertChoices,
  insertMoves,
  hasAskedToLeaveDeleted,
  isChosenForThem,
  lastChoiceWith,
  pauseBegan,
  lastOptIn,
  listsChosenAt,
  saveCustomerStates,
  saveSubscriptions,
  sourceOfChoice,
} from './evidence.sql.ts';

/** Who a record is about, as it is kept: sealed for reading, hashed for finding. */
interface PersonalFields {
  email: string;
  user_agent: string | null;
  /** Of who asked for what is confirmed now. */
  requested_user_agent?: string | null;
  /** From where a subscription was confirmed elsewhere, as an import says. */
  confirmed_ip?: string | null;
  /** What the file of an import says beyond what names nobody. */
  imported?: ImportedDetails;
  /** Of the hash over the browsers and the address of the confirmation; records from before have none. */
  salt?: string;
  /** The day that the pressed link says it was made on, in days since 1970-01-01 (UTC). */
  link_day?: number;
  /** The parameters of the pressed link were changed on the way. */
  link_changed?: true;
}

/** Each customer has a key of their own: when its salt is erased, nobody can open their evidence any more. */
function sealingPurpose(salt: Buffer): string {
  return `evidence-person:${salt.toString('hex')}`;
}

export function encryptPerson(
  keyring: Keyring,
  siteId: string,
  salt: Buffer,
  person: PersonalFields,
): { hash: Buffer; sealed: string } {
  const { key } = keyring.derive(`evidence-hash:${siteId}`);
  return {
    hash: sign(key, Buffer.from(emailKey(person.email), 'utf8')),
    sealed: sealText(keyring, sealingPurpose(salt), JSON.stringify(person)),
  };
}

/** null for a person who was erased. */
export function decryptPerson(
  keyring: Keyring,
  choice: Pick<ChoiceRow, 'person_sealed' | 'person_salt'>,
): PersonalFields | null {
  if (choice.person_salt === null) return null;
  const text = openText(keyring, sealingPurpose(choice.person_salt), choice.person_sealed);
  return text === null ? null : (JSON.parse(text) as PersonalFields);
}

/** Sources at which the person acted themselves. All others were reported by somebody else. */
const BY_THE_PERSON: ReadonlySet<ChoiceSource> = new Set([
  'page',
  'state_link',
  'leave_link',
  'confirm_link',
  'one_click',
  'undo',
  'erasure',
]);

/** The undo of a bulk change restores what customers had; it is none of theirs. */
export function isByThePerson({ source, shown }: Pick<ChoiceRow, 'source' | 'shown'>): boolean {
  return BY_THE_PERSON.has(source) && shown.undone === undefined;
}

/** Last octet of IPv4, all but the first 48 bits of IPv6 become zero. */
export function anonymiseIp(ip: string): string | null {
  const v4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(ip);
  if (v4 !== null) return `${v4[1]}.0`;
  if (!ip.includes(':')) return null;
  const [head = ''] = ip.toLowerCase().split('%');
  const [left = '', right] = head.split('::');
  const leftGroups = left === '' ? [] : left.split(':');
  const rightGroups = right === undefined || right === '' ? [] : right.split(':');
  const zeros =
    right === undefined
      ? []
      : Array<string>(Math.max(0, 8 - leftGroups.length - rightGroups.length)).fill('0');
  const groups = [...leftGroups, ...zeros, ...rightGroups].map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.slice(0, 3).join(':')}::`;
}

/** Fields that records from before have not: without a value they do not count, so that old hashes hold. */
const YOUNGER_FIELDS = new Set(['paused_until', 'requested', 'test']);

/** Fields in order at every depth: PostgreSQL's jsonb gives them back in an order of its own. */
function inOrder(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  return Object.keys(fields)
    .toSorted()
    .map((name) => [name, inOrder(fields[name])]);
}

/**
 * SHA-256 over the record and the hash before it: a record that is changed or taken out later shows.
 * @param record JSON values and dates only, so that it can be computed again from what is stored
 */
export function evidenceHash(previous: Buffer | null, record: Record<string, unknown>): Buffer {
  const text = canonicalText(withoutEmptyYounger(record));
  return sha256(Buffer.concat([previous ?? Buffer.alloc(0), Buffer.from(text, 'utf8')]));
}

function withoutEmptyYounger(record: Record<string, unknown>): Record<string, unknown> {
  const known = Object.entries(record).filter(([name, value]) => value !== null || !YOUNGER_FIELDS.has(name));
  return Object.fromEntries(known);
}

/** One text for one value, whatever the order of its fields: what hashes are computed over. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** The hash, in hex, by which a record covers the details that are sealed with the person. */
export function importedDetailsHash(details: ImportedDetails): string {
  return sha256(Buffer.from(canonicalText(details), 'utf8')).toString('hex');
}

/** The hash, in hex, by which a record covers what is sealed with the person beside their email. */
export function personDetailsHash(person: Omit<PersonalFields, 'email'>): string | undefined {
  if (person.salt === undefined) return undefined;
  const details = {
    user_agent: person.user_agent,
    requested_user_agent: person.requested_user_agent ?? null,
    confirmed_ip: person.confirmed_ip ?? null,
    salt: person.salt,
  };
  return sha256(Buffer.from(canonicalText(details), 'utf8')).toString('hex');
}

type Hashed = Omit<
  Selectable<TenantTables['choices']>,
  'hash' | 'person_sealed' | 'undoes_sequence' | 'save_hash' | 'replaced' | 'visit_id'
>;

/** What the hash of a record covers, as its hash is computed over it. The person is a keyed hash of their address. */
export function hashedContentOf(choice: Hashed): Record<string, unknown> {
  return withoutEmptyYounger({
    site_id: choice.site_id,
    id: choice.id,
    customer_id: choice.customer_id,
    sequence: choice.sequence,
    save_id: choice.save_id,
    source: choice.source,
    authority: choice.authority,
    events: choice.events,
    lists: choice.lists,
    global_unsubscribe: choice.global_unsubscribe,
    paused_until: choice.paused_until,
    shown: choice.shown,
    language: choice.language,
    ip: choice.ip,
    occurred_at: choice.occurred_at,
    requested: choice.requested,
    test: choice.is_test,
    person: choice.person_hash.toString('hex'),
  });
}

/** The hash that a record has to carry, computed from what is stored of it. */
export function hashOfChoice(choice: Hashed): Buffer {
  return evidenceHash(choice.previous_hash, hashedContentOf(choice));
}

/**
 * Are the sealed person, their browsers and the details of their import those that the record's hash covers? null where that cannot be
 * told: the person was erased, or the key that sealed them is gone.
 */
export function isPersonOfRecord(
  keyring: Keyring,
  choice: Pick<ChoiceRow, 'site_id' | 'person_hash' | 'person_sealed' | 'person_salt' | 'shown'>,
): boolean | null {
  if (choice.person_salt === null) return null;
  const keyId = Buffer.from(choice.person_sealed, 'base64url').subarray(0, 2);
  const key = keyring.deriveById(`evidence-hash:${choice.site_id}`, keyId);
  if (key === null) return null;
  const person = decryptPerson(keyring, choice);
  if (person === null) return false;
  const { email, imported } = person;
  if (imported !== undefined && importedDetailsHash(imported) !== choice.shown.imported?.details_hash)
    return false;
  if (personDetailsHash(person) !== choice.shown.person_details_hash) return false;
  // Until addresses had keys, lower case was all that was done to them.
  return [emailKey(email), email.toLowerCase()].some((address) =>
    equalBytes(sign(key, Buffer.from(address, 'utf8')), choice.person_hash),
  );
}

export function presentEvidence(services: Services, choice: ReasonedChoiceRow): Evidence {
  const person = decryptPerson(services.keyring, choice);
  return {
    id: choice.id,
    customer_id: choice.customer_id,
    sequence: choice.sequence,
    source: choice.source,
    events: choice.events,
    lists: choice.lists,
    global_unsubscribe: choice.global_unsubscribe,
    paused_until: choice.paused_until?.toISOString() ?? null,
    reason: choice.reason,
    shown: choice.shown,
    language: choice.language,
    authority: choice.authority,
    requested: choice.requested && {
      ...choice.requested,
      user_agent: person?.requested_user_agent ?? null,
    },
    email: person?.email ?? null,
    ip: choice.ip,
    user_agent: person?.user_agent ?? null,
    confirmed_ip: person?.confirmed_ip ?? null,
    imported: person?.imported ?? null,
    occurred_at: choice.occurred_at.toISOString(),
    test: choice.is_test === true,
    hash: choice.hash.toString('hex'),
    previous_hash: choice.previous_hash?.toString('hex') ?? null,
  };
}

import { z } from 'zod';
import {
  ConnectorError,
  path,
  type People,
  type PeoplePage,
  type Resource,
  type ToolApi,
  type ToolPerson,
} from '#server/connectors/connector.ts';
import { readCursor } from '#server/connectors/cursor.ts';
import { parseTimestamp } from '#server/connectors/timestamps.ts';
import {
  allExclusions,
  contact,
  type Exclusion,
  fieldNumber,
  findContact,
  id,
  LIST_STATUS,
  PAGE,
  read,
  readAll,
} from './api.ts';

const place = z.object({ after: z.number().int().nonnegative() });

const member = contact.extend({ deleted: id.nullish() });
const membership = z.object({
  contact: id,
  list: id,
  status: id,
  sdate: z.string().nullish(),
  udate: z.string().nullish(),
});
const contactPage = z.object({
  contacts: z.array(member),
  contactLists: z
    .array(membership)
    .nullish()
    .transform((rows) => rows ?? []),
});

type Membership = z.output<typeof membership>;

const isOut = ({ status }: Membership) => status === LIST_STATUS.unsubscribed;
const isActive = ({ status }: Membership) => status === LIST_STATUS.active;

/** The status of a contact would be that of any list, so the row of this one is asked for. */
function stateInList(row: Membership | undefined): Pick<ToolPerson, 'state' | 'since'> {
  if (row !== undefined && isActive(row)) return { state: 'subscribed', since: parseTimestamp(row.sdate) };
  if (row !== undefined && isOut(row)) return { state: 'unsubscribed', since: parseTimestamp(row.udate) };
  return { state: 'unclear', since: null };
}

/** Mailed, or not, in the lists that there are; a tag says nothing of it. */
function stateInAny(rows: readonly Membership[]): Pick<ToolPerson, 'state' | 'since'> {
  if (rows.some(isActive)) return { state: 'subscribed', since: null };
  return { state: rows.length > 0 && rows.every(isOut) ? 'unsubscribed' : 'unclear', since: null };
}

type ExclusionScope = 'none' | 'list' | 'all' | 'pattern';

/** What the exclusion list holds back: this list's mail, all of it, or that of a whole domain. */
function exclusionOf(exclusions: readonly Exclusion[], email: string, list: string | null): ExclusionScope {
  let reach: ExclusionScope = 'none';
  for (const { matchPhrase, matchType, channel, lists } of exclusions) {
    const [phrase, address] = [matchPhrase.toLowerCase(), email.toLowerCase()];
    const isOfAll = channel === 'all' || channel === 'allEmail';
    const isOfList = channel === 'several' && list !== null && lists.includes(list);
    if (!isOfAll && !isOfList) continue;
    if (matchType === 'exact' && phrase === address) {
      if (isOfAll) return 'all';
      reach = 'list';
    } else if (matchType !== 'exact' && phrase !== '' && address.includes(phrase) && reach === 'none') {
      reach = 'pattern';
    }
  }
  return reach;
}

function personOf(
  { email, deleted }: z.output<typeof member>,
  rows: readonly Membership[],
  exclusion: ExclusionScope,
  list: string | null,
): ToolPerson {
  if (exclusion === 'all') return { email, state: 'unsubscribed', hasLeftAll: true, since: null };
  if (exclusion === 'list') return { email, state: 'unsubscribed', hasLeftAll: false, since: null };
  const told = list === null ? stateInAny(rows) : stateInList(rows.find((row) => row.list === list));
  const hasLeftAll = rows.length > 0 && rows.every(isOut);
  const isHeldBack = deleted === '1' || exclusion === 'pattern';
  if (isHeldBack && told.state === 'subscribed')
    return { email, state: 'unclear', hasLeftAll: false, since: null };
  return { email, ...told, hasLeftAll };
}

async function readContacts(
  api: ToolApi,
  kind: 'lists' | 'tags',
  of: string,
  cursor: string | null,
): Promise<PeoplePage> {
  const after = readCursor(place, cursor)?.after ?? 0;
  const query = {
    [kind === 'lists' ? 'listid' : 'tagid']: of,
    status: -1,
    include: 'contactLists',
    // By ids, since an offset grows slow in large accounts, and loses people while others come and go.
    'orders[id]': 'ASC',
    id_greater: after,
    limit: PAGE,
  };
  const { body } = await api.call({ method: 'GET', path: '/contacts', query });
  const { contacts, contactLists } = read(contactPage, body);
  const found = contacts.filter((one) => Number(one.id) > after);
  const exclusions = found.length === 0 ? [] : await allExclusions(api);
  const list = kind === 'lists' ? of : null;
  const people = found
    .filter(({ email }) => email !== '')
    .map((one) => {
      const rows = contactLists.filter((row) => row.contact === one.id);
      return personOf(one, rows, exclusionOf(exclusions, one.email, list), list);
    });
  const last = Math.max(0, ...found.map((one) => Number(one.id)));
  const isMore = contacts.length >= PAGE && last > after;
  return { people, cursor: isMore ? JSON.stringify({ after: last }) : null };
}

export const people: People = {
  can: true,
  of: ['lists', 'tags'],
  exportsUnsubscribed: true,
  note: 'A tag isn’t consent: people with a tag count as subscribed if they’re active on any list. People on the exclusion list count as unsubscribed.',
  read: readContacts,
};

const fieldValue = z.object({ field: id, value: z.string().nullish() });
const fieldValues = z.object({ fieldValues: z.array(fieldValue).nullish() });

type FieldValue = z.output<typeof fieldValue>;

export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const person = await findContact(api, email);
  if (person === null) return false;
  const number = fieldNumber(field);
  const isSet = (rows: readonly FieldValue[] | null | undefined) =>
    rows?.some((one) => one.field === number && one.value === value) === true;
  if (number !== null) {
    // On the contact itself: a sync makes somebody of an address that changed meanwhile.
    const json = { contact: { fieldValues: [{ field: Number(number), value }] } };
    const where = path`/contacts/${person.id}`;
    const answer = await api.call({ method: 'PUT', path: where, json, expects: [422] });
    if (answer.status !== 422 && isSet(read(fieldValues, answer.body).fieldValues)) return true;
    // An answer that leaves it out says nothing; what the contact holds does.
    if (isSet(await readAll(api, `${where}/fieldValues`, 'fieldValues', fieldValue.extend({ id }))))
      return true;
  }
  throw new ConnectorError(
    'not_found',
    `ActiveCampaign rejected the value for the custom field "${field.name}". The field may have been deleted.`,
  );
}

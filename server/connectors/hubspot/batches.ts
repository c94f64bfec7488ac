import { z } from 'zod';
import { inParts, keyOf, oneByOne, type Outcome, takeMany } from '../batches.ts';
import type { Change, Consent, Resource, ToolApi, ToolState } from '../connector.ts';
import { CONTACTS, read } from './answers.ts';
import {
  apply,
  type Contact,
  contact,
  find,
  findOrCreate,
  notSeenYet,
  setMemberships,
  stateOf,
} from './api.ts';
import {
  setStatusOfMany,
  STATUSES_PER_CALL,
  typeStatusesOfMany,
  unsubscribeManyFromAll,
  wideOptOutsOfMany,
} from './statuses-of-many.ts';
import {
  brandsOf,
  hasLeft,
  isOptedOut,
  isOut,
  type TypeStatus,
  typeStatuses,
  wideOptOuts,
} from './subscriptions.ts';

/** Of the batches of contacts (section 3). */
const CONTACTS_PER_CALL = 100;

export function batchSize(change: Change): number {
  if (change.type === 'list') return CONTACTS_PER_CALL;
  if (change.type === 'suppression_group') return STATUSES_PER_CALL;
  // There is no way back, so that nobody gets one.
  return change.type === 'global_unsubscribe' && change.on ? STATUSES_PER_CALL : 1;
}

export async function applyMany(api: ToolApi, changes: readonly Change[]): Promise<Outcome[]> {
  const [first] = changes;
  const emails = changes.map(({ email }) => email);
  if (first === undefined) return [];
  if (first.type === 'list') return setListOfMany(api, emails, first.target.id, first.on);
  const changeOf = new Map(changes.map((change) => [keyOf(change.email), change]));
  const alone = (email: string) => apply(api, changeOf.get(keyOf(email)) ?? { ...first, email });
  if (batchSize(first) === 1) return oneByOne(emails, alone);
  const consentOf = (email: string) => {
    const change = changeOf.get(keyOf(email));
    return change !== undefined && 'consent' in change ? change.consent : undefined;
  };
  return takeMany(emails, (some) => takeTogether(api, some, { change: first, consentOf }), alone);
}

/** @returns who is where the change says */
async function takeTogether(
  api: ToolApi,
  emails: readonly string[],
  { change, consentOf }: { change: Change; consentOf: (email: string) => Consent | undefined },
): Promise<string[]> {
  if (change.type === 'global_unsubscribe') return leaveAllTogether(api, emails);
  if (change.type !== 'suppression_group') return [];
  const { target, on } = change;
  return on ? leaveTogether(api, emails, target) : joinTogether(api, emails, { target, consentOf });
}

async function leaveAllTogether(api: ToolApi, emails: readonly string[]): Promise<string[]> {
  const known = await wideOptOutsOfMany(api, emails);
  if (known.size === 0) return [];
  // Nothing says that many can leave one brand at once.
  const [brand = 0, ...others] = await brandsOf(api);
  if (others.length > 0) return [];
  const told = emails.flatMap((email) => {
    const optOuts = known.get(keyOf(email));
    return optOuts === undefined ? [] : [{ email, isOut: hasLeft(optOuts, brand) }];
  });
  for (const one of told) api.found(one.email, one.isOut);
  const there = told.filter((one) => one.isOut).map(({ email }) => email);
  const outOfSync = told.filter((one) => !one.isOut).map(({ email }) => email);
  return [...there, ...(await unsubscribeManyFromAll(api, outOfSync))];
}

/** Those of the addresses whose statuses are known, with that of the type. */
async function rowsOf(
  api: ToolApi,
  emails: readonly string[],
  { id }: Resource,
): Promise<{ email: string; row: TypeStatus | undefined }[]> {
  const known = await typeStatusesOfMany(api, emails);
  return emails.flatMap((email) => {
    const statuses = known.get(keyOf(email));
    const row = statuses?.find(({ subscriptionId }) => subscriptionId === id);
    return statuses === undefined ? [] : [{ email, row }];
  });
}

async function leaveTogether(api: ToolApi, emails: readonly string[], target: Resource): Promise<string[]> {
  const rows = await rowsOf(api, emails, target);
  const there = rows.filter(({ row }) => row !== undefined && isOut(row)).map(({ email }) => email);
  const outOfSync = rows.map(({ email }) => email).filter((email) => !there.includes(email));
  for (const { email } of rows) api.found(email, there.includes(email));
  return [
    ...there,
    ...(await setStatusOfMany(api, outOfSync, { subscriptionId: target.id, status: 'UNSUBSCRIBED' })),
  ];
}

async function joinTogether(
  api: ToolApi,
  emails: readonly string[],
  { target, consentOf }: { target: Resource; consentOf: (email: string) => Consent | undefined },
): Promise<string[]> {
  const rows = await rowsOf(api, emails, target);
  const left = await wideOptOutsOfMany(
    api,
    rows.map(({ email }) => email),
  );
  const free = rows.filter(({ email, row }) => {
    const optOuts = left.get(keyOf(email));
    return optOuts !== undefined && !isOptedOut(row, optOuts);
  });
  const there = free.filter(({ row }) => row?.status === 'SUBSCRIBED').map(({ email }) => email);
  const back = free.filter(({ row }) => row !== undefined && isOut(row)).map(({ email }) => email);
  const unasked = free
    .map(({ email }) => email)
    .filter((email) => !there.includes(email) && !back.includes(email));
  const contacts = await findMany(api, unasked);
  const isKnown = (email: string) => contacts.has(keyOf(email));
  const outOfSync = [...back, ...unasked.filter(isKnown)];
  const unknownContacts = unasked.filter((email) => !isKnown(email));
  for (const { email } of free) api.found(email, !outOfSync.includes(email));
  const wanted = { subscriptionId: target.id, status: 'SUBSCRIBED', consentOf } as const;
  return [...there, ...unknownContacts, ...(await setStatusOfMany(api, outOfSync, wanted))];
}

const ofMany = z.object({
  results: z.array(
    contact.extend({
      properties: contact.shape.properties.extend({ hs_additional_emails: z.string().nullish() }),
    }),
  ),
});

/** By all the addresses of theirs. */
async function readContacts(api: ToolApi, emails: readonly string[]): Promise<Map<string, Contact>> {
  const answer = await api.call({
    method: 'POST',
    path: `${CONTACTS}/batch/read`,
    json: {
      idProperty: 'email',
      properties: ['email', 'hs_email_optout', 'hs_additional_emails'],
      propertiesWithHistory: [],
      inputs: emails.map((id) => ({ id })),
    },
  });
  return new Map(
    read(ofMany, answer).results.flatMap((one) => {
      const { email, hs_additional_emails: additional } = one.properties;
      const addresses = [email ?? '', ...(additional ?? '').split(';')].filter((address) => address !== '');
      return addresses.map((address) => [keyOf(address), one] as const);
    }),
  );
}

/** Nothing says whether HubSpot finds many by their additional addresses, so contacts who aren't found are asked for one by one. */
async function findMany(api: ToolApi, emails: readonly string[]): Promise<Map<string, Contact>> {
  const found = emails.length === 0 ? new Map<string, Contact>() : await readContacts(api, emails);
  for (const email of emails) {
    const one = found.get(keyOf(email)) ?? (await find(api, email));
    if (one !== null) found.set(keyOf(email), one);
  }
  return found;
}

async function setListOfMany(
  api: ToolApi,
  emails: readonly string[],
  list: string,
  on: boolean,
): Promise<Outcome[]> {
  const found = on ? await readContacts(api, emails) : await findMany(api, emails);
  const ids = new Map([...found].map(([key, { id }]) => [key, id]));
  const unknownContacts = emails.filter((email) => !ids.has(keyOf(email)));
  const made = on ? await makeMany(api, unknownContacts, ids) : unknownContacts.map(() => null);
  const failures = new Map(unknownContacts.map((email, at) => [keyOf(email), made[at] ?? null]));
  const wanted = emails.flatMap((email) => ids.get(keyOf(email)) ?? []);
  const { moved, missing } =
    wanted.length === 0
      ? { moved: [], missing: [] }
      : await setMemberships(api, list, [...new Set(wanted)], on);
  for (const email of emails) api.found(email, !moved.includes(ids.get(keyOf(email)) ?? ''));
  return emails.map((email) => {
    const isUnseen = on && missing.includes(ids.get(keyOf(email)) ?? '');
    return isUnseen ? notSeenYet() : (failures.get(keyOf(email)) ?? null);
  });
}

/** @param ids where those of the new contacts go */
function makeMany(api: ToolApi, emails: readonly string[], ids: Map<string, string>): Promise<Outcome[]> {
  return takeMany(
    emails,
    async (some) => {
      const inputs = some.map((email) => ({ properties: { email }, associations: [] }));
      const answer = await api.call({ method: 'POST', path: `${CONTACTS}/batch/create`, json: { inputs } });
      const made = read(ofMany, answer).results;
      for (const { id, properties } of made) ids.set(keyOf(properties.email ?? ''), id);
      return made.map(({ properties }) => properties.email ?? '');
    },
    async (email) => void ids.set(keyOf(email), await findOrCreate(api, email)),
  );
}

/** The lists of each contact take a call: what the one for many answers is not written anywhere. */
export async function stateMany(api: ToolApi, emails: readonly string[]): Promise<ToolState[]> {
  const states: ToolState[] = [];
  let brands: Promise<number[]> | undefined;
  const readBrands = () => (brands ??= brandsOf(api));
  for (const some of inParts(emails, STATUSES_PER_CALL)) {
    const contacts = await findMany(api, some);
    const optOuts = await wideOptOutsOfMany(api, some);
    const types = await typeStatusesOfMany(api, some);
    for (const email of some) {
      const key = keyOf(email);
      const consent = {
        optOuts: optOuts.get(key) ?? (await wideOptOuts(api, email)),
        types: types.get(key) ?? (await typeStatuses(api, email)),
        readBrands,
      };
      states.push(await stateOf(api, contacts.get(key) ?? null, consent));
    }
  }
  return states;
}

import { z } from 'zod';
import {
  type Change,
  ConnectorError,
  path,
  type Resource,
  type ResourceKind,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
  type ToolState,
} from '../connector.ts';
import { anId, CONTACTS, LISTS, read, VERSION } from './answers.ts';
import {
  brandsOf,
  carryOver,
  unlinkEmail,
  isOut,
  isOutOfAll,
  subscribe,
  subscriptionTypes,
  type TypeStatus,
  typeStatuses,
  unsubscribe,
  unsubscribeFromAll,
  type WideOptOuts,
  wideOptOuts,
} from './subscriptions.ts';

const CONTACT_TYPE = '0-1';
const LARGEST_PAGE = 500;

/** Lists that HubSpot fills automatically take nobody. */
const STATIC = ['MANUAL', 'SNAPSHOT'];

export const contact = z.object({
  id: anId,
  properties: z.object({ email: z.string().nullish(), hs_email_optout: z.string().nullish() }),
});

export type Contact = z.infer<typeof contact>;

export async function verify(api: ToolApi): Promise<ToolAccount> {
  const answer = await api.call({ method: 'GET', path: `/account-info/${VERSION}/details` });
  const { portalId, uiDomain } = read(z.object({ portalId: anId, uiDomain: z.string() }), answer);
  return { id: portalId, name: `HubSpot account ${portalId} (${uiDomain})` };
}

async function staticLists(api: ToolApi, listIds: string[] = []): Promise<Resource[]> {
  const schema = z.object({
    lists: z.array(z.object({ listId: anId, name: z.string() })),
    hasMore: z.boolean(),
    offset: z.number(),
  });
  const all: Resource[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const wanted = { query: '', processingTypes: STATIC, objectTypeId: CONTACT_TYPE, listIds };
    const answer = await api.call({
      method: 'POST',
      path: `${LISTS}/search`,
      json: { ...wanted, offset, count: LARGEST_PAGE },
    });
    const page: z.infer<typeof schema> = read(schema, answer);
    all.push(...page.lists.map(({ listId: id, name }) => ({ id, name })));
    offset = page.hasMore && page.offset > offset ? page.offset : null;
  }
  return all;
}

const property = z.object({
  name: z.string(),
  label: z.string(),
  type: z.string(),
  hidden: z.boolean().optional(),
  calculated: z.boolean().optional(),
  hubspotDefined: z.boolean().optional(),
  modificationMetadata: z.object({ readOnlyValue: z.boolean().optional() }).nullish(),
});

/** HubSpot's own mean something to it, the address first of all. */
function isFillable(one: z.infer<typeof property>): boolean {
  const isReadOnly = one.calculated === true || one.modificationMetadata?.readOnlyValue === true;
  return one.type === 'string' && one.hidden !== true && one.hubspotDefined !== true && !isReadOnly;
}

async function properties(api: ToolApi): Promise<Resource[]> {
  const answer = await api.call({ method: 'GET', path: `/crm/properties/${VERSION}/contacts` });
  return read(z.object({ results: z.array(property) }), answer)
    .results.filter(isFillable)
    .map(({ name, label }) => ({ id: name, name: label }));
}

export async function resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'lists') return staticLists(api);
  if (kind === 'suppression_groups') return subscriptionTypes(api);
  if (kind === 'fields') return properties(api);
  return [];
}

/** By the address itself: the search sees what was written only after a while. */
export async function find(api: ToolApi, email: string): Promise<Contact | null> {
  const answer = await api.call({
    method: 'GET',
    path: CONTACTS + path`/${email}`,
    query: { idProperty: 'email', properties: 'email,hs_email_optout' },
    expects: [404],
  });
  return answer.status === 404 ? null : read(contact, answer);
}

const conflict = z.object({
  message: z.string().optional(),
  errors: z.array(z.object({ message: z.string().optional() })).optional(),
});

/** Of the contact that has the address already; said in one of two places. */
function existingId({ body }: ToolAnswer): string {
  const { message = '', errors = [] } = conflict.safeParse(body).data ?? {};
  const said = [message, ...errors.map((error) => error.message ?? '')].join('\n');
  const id = /Existing ID:\s*(\d+)/.exec(said)?.[1];
  if (id !== undefined) return id;
  throw new ConnectorError(
    'unavailable',
    "HubSpot has this email but doesn't say which contact it belongs to.",
  );
}

export async function findOrCreate(api: ToolApi, email: string): Promise<string> {
  const found = await find(api, email);
  if (found !== null) return found.id;
  const answer = await api.call({
    method: 'POST',
    path: CONTACTS,
    json: { properties: { email }, associations: [] },
    expects: [409],
  });
  return answer.status === 409 ? existingId(answer) : read(contact, answer).id;
}

async function membershipsOf(api: ToolApi, id: string): Promise<string[]> {
  const at = LISTS + path`/records/${CONTACT_TYPE}/${id}/memberships`;
  const answer = await api.call({ method: 'GET', path: at });
  const { results } = read(z.object({ results: z.array(z.object({ listId: anId })) }), answer);
  return results.map(({ listId }) => listId);
}

const membershipsAnswer = z.object({
  // HubSpot spells them so.
  recordsIdsAdded: z.array(anId).default([]),
  recordIdsRemoved: z.array(anId).default([]),
  recordIdsMissing: z.array(anId).default([]),
});

/**
 * Who is in or out already is passed over by HubSpot.
 * @returns whom it moved, and whom it does not know
 */
export async function setMemberships(
  api: ToolApi,
  list: string,
  ids: readonly string[],
  on: boolean,
): Promise<{ moved: string[]; missing: string[] }> {
  const at = LISTS + path`/${list}/memberships/${on ? 'add' : 'remove'}`;
  const told = read(membershipsAnswer, await api.call({ method: 'PUT', path: at, json: ids }));
  return { moved: on ? told.recordsIdsAdded : told.recordIdsRemoved, missing: told.recordIdsMissing };
}

export const notSeenYet = () => new ConnectorError('unavailable', "HubSpot doesn't show the contact yet.");

/** @returns whether it made a difference */
async function setMembership(api: ToolApi, list: string, id: string, on: boolean): Promise<boolean> {
  const { moved, missing } = await setMemberships(api, list, [id], on);
  if (on && missing.includes(id)) throw notSeenYet();
  return moved.includes(id);
}

async function setList(api: ToolApi, email: string, list: string, on: boolean): Promise<void> {
  const id = on ? await findOrCreate(api, email) : (await find(api, email))?.id;
  if (id !== undefined) api.found(email, !(await setMembership(api, list, id, on)));
}

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const found = await find(api, email);
  const optOuts = await wideOptOuts(api, email);
  const types = await typeStatuses(api, email);
  return stateOf(api, found, { optOuts, types, readBrands: () => brandsOf(api) });
}

/** Of an address, whether there is a contact with it or not. */
interface Consent {
  optOuts: WideOptOuts;
  types: readonly TypeStatus[];
  readBrands: () => Promise<number[]>;
}

export async function stateOf(
  api: ToolApi,
  found: Contact | null,
  { optOuts, types, readBrands }: Consent,
): Promise<ToolState> {
  // Either may stay after the other.
  const isMirrored = found?.properties.hs_email_optout === 'true';
  return {
    known: found !== null,
    unsubscribed: await isOutOfAll(optOuts, isMirrored, readBrands),
    lists: found === null ? [] : await membershipsOf(api, found.id),
    suppression_groups: types.filter(isOut).map(({ subscriptionId }) => subscriptionId),
  };
}

/** A merge of the two would be for ever, and give a new id: both stay, and only one is mailed. */
async function mergeContacts(api: ToolApi, old: string, from: string, other: string): Promise<void> {
  const ids = await membershipsOf(api, old);
  const lists = ids.length === 0 ? [] : await staticLists(api, ids);
  for (const { id } of lists) {
    await setMembership(api, id, other, true);
    await setMembership(api, id, old, false);
  }
  await unlinkEmail(api, from);
}

async function changeAddress(api: ToolApi, from: string, email: string): Promise<void> {
  if (from.toLowerCase() === email.toLowerCase()) return;
  const found = await find(api, from);
  const primary = found?.properties.email?.toLowerCase();
  if (found === null || primary === email.toLowerCase()) return;
  if (primary !== from.toLowerCase()) {
    throw new ConnectorError(
      'refused',
      "In HubSpot, the old email is only a contact's additional email. Change it there by hand.",
    );
  }
  // First, so that the new address is at no time mailed against the person's will.
  await carryOver(api, from, email);
  const other = await find(api, email);
  if (other?.id === found.id) {
    await makePrimary(api, found.id, email);
    return;
  }
  if (other !== null) return mergeContacts(api, found.id, from, other.id);
  const taken = await makePrimary(api, found.id, email);
  if (taken !== null) await mergeContacts(api, found.id, from, taken);
}

/** @returns the id of the contact that has the address already */
async function makePrimary(api: ToolApi, id: string, email: string): Promise<string | null> {
  const answer = await api.call({
    method: 'PATCH',
    path: CONTACTS + path`/${id}`,
    json: { properties: { email } },
    expects: [409],
  });
  return answer.status === 409 ? existingId(answer) : null;
}

export async function apply(api: ToolApi, change: Change): Promise<void> {
  switch (change.type) {
    case 'global_unsubscribe':
      if (change.on) return unsubscribeFromAll(api, change.email);
      break;
    case 'suppression_group': {
      const { email, target, on } = change;
      if (on) return unsubscribe(api, email, target.id);
      return subscribe(api, change, async () => (await find(api, email)) !== null);
    }
    case 'list':
      return setList(api, change.email, change.target.id, change.on);
    case 'switch_email':
      return changeAddress(api, change.from, change.email);
    default:
      break;
  }
  throw new ConnectorError('refused', "HubSpot can't do this.");
}

export async function setField(
  api: ToolApi,
  email: string,
  { id: name, name: label }: Resource,
  value: string,
): Promise<boolean> {
  if (name === 'email') throw new ConnectorError('refused', "The email itself can't store the link.");
  const found = await find(api, email);
  if (found === null) return false;
  if (found.properties.email?.toLowerCase() !== email.toLowerCase()) {
    throw new ConnectorError(
      'refused',
      "In HubSpot, this is only an additional email of a contact with another primary email. That contact's fields don't belong to this person.",
    );
  }
  const answer = await api.call({
    method: 'PATCH',
    path: CONTACTS + path`/${found.id}`,
    json: { properties: { [name]: value } },
    expects: [400],
  });
  if (answer.status !== 400) return true;
  // The code is in one of several places, the message among them.
  if (answer.text.includes('PROPERTY_DOESNT_EXIST')) {
    throw new ConnectorError('not_found', `HubSpot has no contact property "${label}".`);
  }
  throw new ConnectorError(
    'refused',
    `HubSpot rejected the value for the contact property "${label}" (400). It may be read-only or have validation rules.`,
  );
}

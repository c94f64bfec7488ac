import { z } from 'zod';
import {
  type Change,
  ConnectorError,
  type Resource,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import { inParts, keyOf } from '#server/connectors/batches.ts';
import {
  anyOf,
  inQueries,
  PERSON_OBJECTS,
  type PersonObject,
  query,
  queryIfThere,
  queryWithField,
  quoted,
} from './api.ts';
import { createRows, deleteRows, type Row, updateRows } from './rows.ts';

/** A contact or lead. An address may have several of both (A6, 1), and what is done is done to all. */
export interface SalesforceMember {
  type: PersonObject;
  id: string;
  email: string;
  hasOptedOut: boolean;
}

const person = z.object({ Id: z.string(), Email: z.string(), HasOptedOutOfEmail: z.boolean() });

/** They go into the address of a call. */
const IDS_PER_QUERY = 250;

const onlyId = z.object({ Id: z.string() });

const member = z.object({
  Id: z.string(),
  CampaignId: z.string(),
  ContactId: z.string().nullish(),
  LeadId: z.string().nullish(),
});

const assignment = z.object({ Id: z.string(), TopicId: z.string(), EntityId: z.string() });

/** A person's place in a campaign or under a topic. */
export interface Link {
  id: string;
  target: string;
  person: string;
}

export async function readState(api: ToolApi, email: string): Promise<ToolState> {
  const people = await peopleWith(api, email);
  return stateOf(people, await placesOf(api, people));
}

/** null: the organization has none of the kind. */
interface Places {
  lists: readonly Link[] | null;
  tags: readonly Link[] | null;
}

export async function placesOf(api: ToolApi, people: readonly SalesforceMember[]): Promise<Places> {
  if (people.length === 0) return { lists: [], tags: [] };
  return { lists: await linksOf(api, 'list', people), tags: await linksOf(api, 'tag', people) };
}

/** @param places of these people, and maybe of others */
export function stateOf(people: readonly SalesforceMember[], { lists, tags }: Places): ToolState {
  if (people.length === 0) return { known: false };
  const ids = new Set(people.map(({ id }) => id));
  const targets = (links: readonly Link[]) => [
    ...new Set(links.filter((link) => ids.has(link.person)).map(({ target }) => target)),
  ];
  return {
    known: true,
    unsubscribed: people.every(({ hasOptedOut }) => hasOptedOut),
    ...(lists !== null && { lists: targets(lists) }),
    ...(tags !== null && { tags: targets(tags) }),
  };
}

export async function applyChange(api: ToolApi, change: Change): Promise<void> {
  if (change.type === 'switch_email') return switchEmail(api, change.from, change.email);
  const people = await peopleWith(api, change.email);
  if (change.type === 'global_unsubscribe') return setOptOut(api, people, change.on);
  const { type, target, on } = change;
  if (type !== 'list' && type !== 'tag') {
    throw new ConnectorError('refused', `Salesforce can't do this (${type}).`);
  }
  if (people.length > 0) return setLink(api, type, people, target.id, on);
  if (on) throw nobodyThere();
}

export const nobodyThere = () =>
  new ConnectorError(
    'refused',
    "Salesforce has no contact or lead with this email, and we don't create one.",
  );

// A converted lead cannot be written any more; its contact is there instead (A3).
const ONLY_OPEN: Record<PersonObject, string> = { Contact: '', Lead: ' AND IsConverted = false' };

const peopleWith = (api: ToolApi, email: string) => peopleWhere(api, `Email = ${quoted(email)}`);

async function peopleWhere(api: ToolApi, condition: string): Promise<SalesforceMember[]> {
  const people: SalesforceMember[] = [];
  for (const type of PERSON_OBJECTS) {
    const soql = `SELECT Id, Email, HasOptedOutOfEmail FROM ${type} WHERE ${condition}${ONLY_OPEN[type]} ORDER BY Id`;
    const rows = await query(api, person, soql);
    people.push(
      ...rows.map(({ Id: id, Email: email, HasOptedOutOfEmail: hasOptedOut }) => ({
        type,
        id,
        email,
        hasOptedOut,
      })),
    );
  }
  return people;
}

/** By the keys of their addresses. */
export async function peopleWithAny(
  api: ToolApi,
  emails: readonly string[],
): Promise<Map<string, SalesforceMember[]>> {
  const found = new Map<string, SalesforceMember[]>();
  for (const some of inQueries(emails)) {
    for (const one of await peopleWhere(api, `Email IN ${anyOf(some)}`)) {
      const key = keyOf(one.email);
      found.set(key, [...(found.get(key) ?? []), one]);
    }
  }
  return found;
}

const setOptOut = (api: ToolApi, people: readonly SalesforceMember[], on: boolean) =>
  updateRows(api, optOutRows(people, on));

/** Of those who do not have it so already. */
export function optOutRows(people: readonly SalesforceMember[], on: boolean): (Row & { id: string })[] {
  const others = people.filter(({ hasOptedOut }) => hasOptedOut !== on);
  return others.map(({ type, id }) => ({ type, id, HasOptedOutOfEmail: on }));
}

/** On every contact and lead with the address; nobody is made, and nothing else is written. */
export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const row = z.object({ Id: z.string(), [field.id]: z.unknown() });
  const rows: Row[] = [];
  let found = 0;
  let isMissing = !/^\w+__c$/.test(field.id);
  for (const type of isMissing ? [] : PERSON_OBJECTS) {
    const soql = `SELECT Id, ${field.id} FROM ${type} WHERE Email = ${quoted(email)}${ONLY_OPEN[type]} ORDER BY Id`;
    const people = await queryWithField(api, row, soql, field.id);
    if (people === null) isMissing = true;
    found += people?.length ?? 0;
    const others = (people ?? []).filter((one) => one[field.id] !== value);
    rows.push(...others.map(({ Id }) => ({ type, id: String(Id), [field.id]: value })));
  }
  if (isMissing && found === 0 && (await peopleWith(api, email)).length > 0) {
    throw new ConnectorError(
      'not_found',
      `This person's contacts or leads in Salesforce don't have the custom field "${field.name}", or the app's user can't see it.`,
    );
  }
  await updateRows(api, rows);
  return found > 0;
}

/** Each row carries the opt-out itself, so that it holds whichever rows fail, and again. */
async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  // Case makes no difference to Salesforce (A3).
  if (from.toLowerCase() === email.toLowerCase()) return;
  const old = await peopleWith(api, from);
  const present = old.length === 0 ? [] : await peopleWith(api, email);
  const hasOptedOut = [...old, ...present].some((one) => one.hasOptedOut);
  const optOut: Record<string, boolean> = hasOptedOut ? { HasOptedOutOfEmail: true } : {};
  const points = `SELECT Id FROM ContactPointEmail WHERE EmailAddress = ${quoted(from)}`;
  // Not every organization has them.
  const pointRows = (await queryIfThere(api, onlyId, points)) ?? [];
  // Who has the new address goes first: once the old one is gone, nothing tells of its opt-out.
  const behind = present.filter((one) => hasOptedOut && !one.hasOptedOut);
  await updateRows(
    api,
    behind.map(({ type, id }) => ({ type, id, ...optOut })),
  );
  await updateRows(api, [
    ...old.map(({ type, id }) => ({ type, id, Email: email, ...optOut })),
    ...pointRows.map(({ Id }) => ({ type: 'ContactPointEmail', id: Id, EmailAddress: email })),
  ]);
}

async function setLink(
  api: ToolApi,
  kind: 'list' | 'tag',
  people: readonly SalesforceMember[],
  target: string,
  on: boolean,
): Promise<void> {
  const links = (await linksOf(api, kind, people, target)) ?? [];
  if (!on) {
    await deleteRows(
      api,
      links.map(({ id }) => id),
    );
    return;
  }
  const missing = people.filter(({ id }) => !links.some((link) => link.person === id));
  await createRows(
    api,
    missing.map((one) => linkRow(kind, one, target)),
  );
}

export function linkRow(kind: 'list' | 'tag', { type, id }: SalesforceMember, target: string): Row {
  if (kind === 'tag') return { type: 'TopicAssignment', TopicId: target, EntityId: id };
  return { type: 'CampaignMember', CampaignId: target, [`${type}Id`]: id };
}

/** @returns null where the organization has none of the kind */
export async function linksOf(
  api: ToolApi,
  kind: 'list' | 'tag',
  people: readonly SalesforceMember[],
  target?: string,
): Promise<Link[] | null> {
  const links: Link[] = [];
  for (const some of inParts(people, IDS_PER_QUERY)) {
    const more = await linksOfSome(api, kind, some, target);
    if (more === null) return null;
    links.push(...more);
  }
  return links;
}

async function linksOfSome(
  api: ToolApi,
  kind: 'list' | 'tag',
  people: readonly SalesforceMember[],
  target?: string,
): Promise<Link[] | null> {
  if (kind === 'tag') {
    const only = target === undefined ? '' : ` AND TopicId = ${quoted(target)}`;
    const soql = `SELECT Id, TopicId, EntityId FROM TopicAssignment WHERE EntityId IN ${anyOf(people.map(({ id }) => id))}${only}`;
    const rows = await queryIfThere(api, assignment, soql);
    return rows?.map((row) => ({ id: row.Id, target: row.TopicId, person: row.EntityId })) ?? null;
  }
  const only = target === undefined ? '' : ` AND CampaignId = ${quoted(target)}`;
  const parts = PERSON_OBJECTS.map((type) => ({
    field: `${type}Id`,
    ids: people.filter((one) => one.type === type).map(({ id }) => id),
  })).filter(({ ids }) => ids.length > 0);
  const whose = parts.map(({ field, ids }) => `${field} IN ${anyOf(ids)}`).join(' OR ');
  const soql = `SELECT Id, CampaignId, ContactId, LeadId FROM CampaignMember WHERE (${whose})${only}`;
  const rows = await queryIfThere(api, member, soql);
  return (
    rows?.map((row) => ({ id: row.Id, target: row.CampaignId, person: row.ContactId ?? row.LeadId ?? '' })) ??
    null
  );
}

import { z } from 'zod';
import {
  type Change,
  ConnectorError,
  type Resource,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import {
  anyOf,
  createRows,
  deleteRows,
  PERSON_OBJECTS,
  type PersonObject,
  query,
  queryIfThere,
  queryWithField,
  quoted,
  type Row,
  updateRows,
} from './api.ts';

/** A contact or lead. An address may have several of both (A6, 1), and what is done is done to all. */
interface Person {
  type: PersonObject;
  id: string;
  hasOptedOut: boolean;
}

const person = z.object({ Id: z.string(), HasOptedOutOfEmail: z.boolean() });

const onlyId = z.object({ Id: z.string() });

const member = z.object({
  Id: z.string(),
  CampaignId: z.string(),
  ContactId: z.string().nullish(),
  LeadId: z.string().nullish(),
});

const assignment = z.object({ Id: z.string(), TopicId: z.string(), EntityId: z.string() });

/** A person's place in a campaign or under a topic. */
interface Link {
  id: string;
  target: string;
  person: string;
}

export async function readState(api: ToolApi, email: string): Promise<ToolState> {
  const people = await peopleWith(api, email);
  if (people.length === 0) return { known: false };
  const lists = await linksOf(api, 'list', people);
  const tags = await linksOf(api, 'tag', people);
  const targets = (links: Link[]) => [...new Set(links.map(({ target }) => target))];
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
    throw new ConnectorError('refused', `Salesforce cannot do this (${type}).`);
  }
  if (people.length > 0) return setLink(api, type, people, target.id, on);
  if (on) {
    throw new ConnectorError(
      'refused',
      'Salesforce has no contact or lead with this address, and none is made.',
    );
  }
}

// A converted lead cannot be written any more; its contact is there instead (A3).
const ONLY_OPEN: Record<PersonObject, string> = { Contact: '', Lead: ' AND IsConverted = false' };

async function peopleWith(api: ToolApi, email: string): Promise<Person[]> {
  const people: Person[] = [];
  for (const type of PERSON_OBJECTS) {
    const soql = `SELECT Id, HasOptedOutOfEmail FROM ${type} WHERE Email = ${quoted(email)}${ONLY_OPEN[type]} ORDER BY Id`;
    const rows = await query(api, person, soql);
    people.push(...rows.map((row) => ({ type, id: row.Id, hasOptedOut: row.HasOptedOutOfEmail })));
  }
  return people;
}

async function setOptOut(api: ToolApi, people: readonly Person[], on: boolean): Promise<void> {
  const others = people.filter(({ hasOptedOut }) => hasOptedOut !== on);
  await updateRows(
    api,
    others.map(({ type, id }) => ({ type, id, HasOptedOutOfEmail: on })),
  );
}

/** On every contact and lead with the address; nobody is made, and nothing else is written. */
export async function setField(api: ToolApi, email: string, field: Resource, value: string): Promise<void> {
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
      `Salesforce does not have the custom field “${field.name}” on this person’s contacts or leads, or hides it from the user of the app.`,
    );
  }
  await updateRows(api, rows);
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
  people: readonly Person[],
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

function linkRow(kind: 'list' | 'tag', { type, id }: Person, target: string): Row {
  if (kind === 'tag') return { type: 'TopicAssignment', TopicId: target, EntityId: id };
  return { type: 'CampaignMember', CampaignId: target, [`${type}Id`]: id };
}

/** @returns null where the organization has none of the kind */
async function linksOf(
  api: ToolApi,
  kind: 'list' | 'tag',
  people: readonly Person[],
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

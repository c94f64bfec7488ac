import {
  type Change,
  type Consent,
  ConnectorError,
  type Resource,
  type ToolApi,
  type ToolState,
} from '../connector.ts';
import {
  archiveMember,
  consentFields,
  type ConsentFields,
  createMember,
  hasDoubleOptIn,
  joinIds,
  type Member,
  readAudiences,
  readFields,
  readMember,
  readMemberTags,
  readTagName,
  refusalOf,
  splitIds,
  updateMember,
  writeTags,
} from './api.ts';

/** Those whom mail can reach, or could by being subscribed. */
export const isReachable = ({ status }: Member) =>
  ['subscribed', 'pending', 'transactional'].includes(status);

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const lists: string[] = [];
  const awaited: string[] = [];
  const tags: string[] = [];
  const members: Member[] = [];
  // Somebody in several audiences is a contact in each.
  for (const { id: audience } of await readAudiences(api, email)) {
    const member = await readMember(api, audience, email);
    if (member === null) continue;
    members.push(member);
    for (const tag of await readMemberTags(api, audience, email)) tags.push(joinIds(audience, tag.id));
    if (member.status !== 'subscribed' && member.status !== 'pending') continue;
    const held = member.status === 'subscribed' ? lists : awaited;
    held.push(audience);
    for (const [id, isIn] of Object.entries(member.interests)) if (isIn) held.push(joinIds(audience, id));
  }
  const isOut = members.some(({ status }) => status === 'unsubscribed' || status === 'cleaned');
  return {
    known: members.length > 0,
    unsubscribed: isOut && !members.some(isReachable),
    lists,
    tags,
    awaited,
  };
}

export async function apply(api: ToolApi, change: Change): Promise<void> {
  switch (change.type) {
    case 'global_unsubscribe':
      if (change.on) return unsubscribeEverywhere(api, change.email);
      break;
    case 'list':
      return change.on ? join(api, change) : leave(api, change.target, change.email);
    case 'tag':
      return change.on
        ? addTag(api, change.target, change.email)
        : removeTag(api, change.target, change.email);
    case 'switch_email':
      return switchEmail(api, change.from, change.email);
    default:
      break;
  }
  throw new ConnectorError('refused', "Mailchimp's API can't do this.");
}

export async function update(
  api: ToolApi,
  audience: string,
  email: string,
  fields: Parameters<typeof updateMember>[3],
): Promise<void> {
  const written = await updateMember(api, audience, email, fields);
  if (written !== 'done') throw refusalOf('Member In Compliance State');
}

async function unsubscribe(api: ToolApi, audience: string, email: string): Promise<void> {
  const member = await readMember(api, audience, email);
  if (member !== null && isReachable(member)) {
    await update(api, audience, email, { status: 'unsubscribed' });
  }
}

async function unsubscribeEverywhere(api: ToolApi, email: string): Promise<void> {
  const audiences = await readAudiences(api, email);
  for (const { id } of audiences) await unsubscribe(api, id, email);
  if (audiences.length === 0) await keepOut(api, email);
}

/** Makes somebody whom no audience has a member of each, unsubscribed, so that no import subscribes them. */
async function keepOut(api: ToolApi, email: string): Promise<void> {
  for (const { id } of await readAudiences(api)) await keepOutOf(api, id, email);
}

/** Whoever is in the audience meanwhile stays as they are, and whom Mailchimp won't have needs no keeping out. */
export async function keepOutOf(api: ToolApi, audience: string, email: string): Promise<void> {
  try {
    await createMember(api, audience, email, { status_if_new: 'unsubscribed' });
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.kind !== 'refused') throw error;
  }
}

/** Who joins, what, and what is known of their consent. */
export interface Joining {
  email: string;
  target: Resource;
  consent?: Consent;
}

async function join(api: ToolApi, joining: Joining): Promise<void> {
  const member = await readMember(api, splitIds(joining.target.id).audience, joining.email);
  return joinAs(api, joining, member);
}

/** `pending` subscribes nobody: Mailchimp asks the person by email. Who has confirmed it to us isn't asked twice. */
export async function askedStatus(
  api: ToolApi,
  audience: string,
  consent: Consent | undefined,
): Promise<'subscribed' | 'pending'> {
  if (consent?.isConfirmed === true) return 'subscribed';
  return (await hasDoubleOptIn(api, audience)) ? 'pending' : 'subscribed';
}

/** The groups to write, where a group is what is joined. */
export const interestsOf = (interest: string | null) =>
  interest === null ? {} : { interests: { [interest]: true } };

/** Whether they are in the audience, and in the group where one is meant; who has yet to confirm is in it. */
export function isIn(member: Member | null, interest: string | null): boolean {
  const isMember = member?.status === 'subscribed' || member?.status === 'pending';
  return isMember && (interest === null || member.interests[interest] === true);
}

/** @param known as whom the audience has the person; null: it does not */
export async function joinAs(
  api: ToolApi,
  { email, target, consent }: Joining,
  known: Member | null,
): Promise<void> {
  const { audience, part: interest } = splitIds(target.id);
  const interests = interestsOf(interest);
  const told = consent === undefined ? {} : consentFields(consent);
  let member = known;
  if (member === null) {
    const status_if_new = await askedStatus(api, audience, consent);
    const made = await createMember(api, audience, email, { status_if_new, ...interests, ...told });
    if (made === 'done') return;
    if (made === 'compliance') throw refusalOf('Member In Compliance State');
    // Somebody else was faster.
    member = await readMember(api, audience, email);
    if (member === null)
      throw new ConnectorError('unavailable', 'Mailchimp returned contradictory data about a contact.');
  }
  if (member.status === 'cleaned') throw refusalOf('Member In Compliance State');
  const isConfirmed = member.status === 'pending' && consent?.isConfirmed === true;
  if (
    isConfirmed &&
    (await updateMember(api, audience, email, { status: 'subscribed', ...interests, ...told })) === 'done'
  )
    return;
  if (member.status === 'subscribed' || member.status === 'pending') {
    if (!isIn(member, interest)) await update(api, audience, email, interests);
    return;
  }
  const isAsked = (await askedStatus(api, audience, consent)) === 'pending';
  const fields = { ...interests, ...told };
  await resubscribe(api, { audience, email, fields, isAsked: isAsked || member.status === 'archived' });
}

async function resubscribe(
  api: ToolApi,
  who: {
    audience: string;
    email: string;
    fields: { interests?: Record<string, boolean> } & ConsentFields;
    /** The audience wants it, or they were archived: they may have unsubscribed before, which Mailchimp no longer says. */
    isAsked: boolean;
  },
): Promise<void> {
  const bring = (status: string) => updateMember(api, who.audience, who.email, { status, ...who.fields });
  if (!who.isAsked && (await bring('subscribed')) === 'done') return;
  // Who unsubscribed themselves cannot be subscribed by anybody else.
  if ((await bring('pending')) !== 'done') throw refusalOf('Member In Compliance State');
}

async function leave(api: ToolApi, target: Resource, email: string): Promise<void> {
  const { audience, part: interest } = splitIds(target.id);
  if (interest === null) return unsubscribe(api, audience, email);
  const member = await readMember(api, audience, email);
  if (member?.interests[interest] === true) {
    await update(api, audience, email, { interests: { [interest]: false } });
  }
}

async function addTag(api: ToolApi, target: Resource, email: string): Promise<void> {
  const { audience, part } = splitIds(target.id);
  // Tags are given by name, and a name that is not there makes a new tag: the id tells today's.
  const name = await readTagName(api, audience, part ?? '');
  if (name === null) throw new ConnectorError('not_found', 'Mailchimp no longer has this tag.');
  if ((await readMember(api, audience, email)) === null) {
    const made = await createMember(api, audience, email, { status_if_new: 'transactional' });
    if (made === 'compliance') throw refusalOf('Member In Compliance State');
  }
  await writeTags(api, audience, email, { names: [name], on: true, startsJourneys: true });
}

async function removeTag(api: ToolApi, target: Resource, email: string): Promise<void> {
  const { audience, part } = splitIds(target.id);
  if ((await readMember(api, audience, email)) === null) return;
  const name = (await readMemberTags(api, audience, email)).find(({ id }) => String(id) === part)?.name;
  if (name !== undefined) {
    await writeTags(api, audience, email, { names: [name], on: false, startsJourneys: true });
  }
}

async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  // To Mailchimp these are one address.
  if (from.trim().toLowerCase() === email.trim().toLowerCase()) return;
  for (const { id: audience } of await readAudiences(api, from)) {
    const old = await readMember(api, audience, from);
    // Neither gets mail; a new address would lift the bounce, or undo the archiving.
    if (old === null || old.status === 'archived' || old.status === 'cleaned') continue;
    const known = await readMember(api, audience, email);
    if (known === null) await rename(api, { audience, from, email, old });
    else await merge(api, { audience, from, email, old, known });
  }
}

interface Move {
  audience: string;
  from: string;
  email: string;
  old: Member;
}

async function rename(api: ToolApi, { audience, from, email, old }: Move): Promise<void> {
  if ((await updateMember(api, audience, from, { email_address: email.trim() })) === 'done') return;
  // Then the opt-out stands at both addresses.
  const made =
    old.status === 'unsubscribed' &&
    (await createMember(api, audience, email, { status_if_new: 'unsubscribed' })) === 'done';
  if (made) return;
  throw new ConnectorError('refused', "Mailchimp doesn't allow this contact's email to change.");
}

/** The status of the new address is never raised; what the old one says about groups is the person's latest word. */
async function merge(
  api: ToolApi,
  { audience, from, email, old, known }: Move & { known: Member },
): Promise<void> {
  if (old.status === 'unsubscribed') {
    if (isReachable(known)) await update(api, audience, email, { status: 'unsubscribed' });
    return;
  }
  const wasAsked = old.status === 'subscribed' && Object.keys(old.interests).length > 0;
  if (wasAsked && isReachable(known)) {
    await update(api, audience, email, { interests: old.interests });
  }
  const names = (await readMemberTags(api, audience, from)).map(({ name }) => name);
  if (names.length > 0 && known.status !== 'archived') {
    await writeTags(api, audience, email, { names, on: true, startsJourneys: false });
  }
  // Unsubscribing it would look like an opt-out to the next time, and be carried over.
  await archiveMember(api, audience, from);
}

/** In every audience that has the person and the field. */
export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  let isMissing = false;
  let isFilled = false;
  for (const { id: audience } of await readAudiences(api, email)) {
    const member = await readMember(api, audience, email);
    // Neither gets mail in which the field could stand.
    if (member === null || member.status === 'archived' || member.status === 'cleaned') continue;
    const hasField = (await readFields(api, { id: audience })).some(({ id }) => id === field.id);
    if (!hasField) isMissing = true;
    else {
      isFilled = true;
      await update(api, audience, email, { merge_fields: { [field.id]: value } });
    }
  }
  if (isMissing && !isFilled) {
    throw new ConnectorError(
      'not_found',
      `None of this person's audiences in Mailchimp has the text field "${field.name}". Add it there under Audience > Settings > Audience fields.`,
    );
  }
  return isFilled;
}

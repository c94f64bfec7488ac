import { z } from 'zod';
import { keyOf, oneByOne, type Outcome, takeMany } from '../batches.ts';
import { type Change, path, type ToolApi } from '../connector.ts';
import {
  consentFields,
  type ConsentFields,
  type Member,
  readAudiences,
  read,
  readMember,
  splitIds,
} from './api.ts';
import {
  apply,
  askedStatus,
  interestsOf,
  isIn,
  isReachable,
  joinAs,
  type Joining,
  keepOutOf,
  update,
} from './changes.ts';

/*
 * Mailchimp writes many members of an audience at once, and reads them one by one. Everybody is read first, for the call
 * would bring back who was archived, and make members of those who were none. It is of no use where a status has to be
 * written with something else, such as the groups of people who are there: it could raise one that falls meanwhile. Nor
 * for tags, of which nothing says that those given to many start what tags start.
 */

/** Mailchimp takes 500, but each of them has to be read in one turn. */
const MEMBERS_PER_BATCH = 50;

export function batchSize(change: Change): number {
  if (change.type === 'global_unsubscribe') return change.on ? MEMBERS_PER_BATCH : 1;
  if (change.type !== 'list') return 1;
  const isAudience = splitIds(change.target.id).part === null;
  return change.on || isAudience ? MEMBERS_PER_BATCH : 1;
}

export async function applyMany(api: ToolApi, changes: readonly Change[]): Promise<Outcome[]> {
  const [first] = changes;
  const emails = changes.map(({ email }) => email);
  if (first === undefined) return [];
  if (batchSize(first) === 1) return oneByOne(emails, (email) => apply(api, { ...first, email }));
  if (first.type !== 'list') return unsubscribeEverywhere(api, emails);
  return first.on
    ? joinMany(
        api,
        changes.flatMap((change) => ('target' in change ? [change] : [])),
      )
    : unsubscribeMany(api, emails, splitIds(first.target.id).audience);
}

async function membersOf(
  api: ToolApi,
  emails: readonly string[],
  audience: string,
): Promise<Map<string, Member | null>> {
  const members = new Map<string, Member | null>();
  for (const email of emails) members.set(keyOf(email), await readMember(api, audience, email));
  return members;
}

async function joinMany(api: ToolApi, joinings: readonly Joining[]): Promise<Outcome[]> {
  const [first] = joinings;
  if (first === undefined) return [];
  const { audience, part } = splitIds(first.target.id);
  const emails = joinings.map(({ email }) => email);
  const joiningOf = new Map(joinings.map((joining) => [keyOf(joining.email), joining]));
  const members = await membersOf(api, emails, audience);
  const memberOf = (email: string) => members.get(keyOf(email)) ?? null;
  for (const email of emails) api.found(email, isIn(memberOf(email), part));
  const rowOf = async (email: string): Promise<MemberRow> => {
    const consent = joiningOf.get(keyOf(email))?.consent;
    const told = consent === undefined ? {} : consentFields(consent);
    return {
      email_address: email.trim(),
      status: await askedStatus(api, audience, consent),
      ...interestsOf(part),
      ...told,
    };
  };
  return takeMany(
    emails,
    async (some) => {
      const unknownContacts = some.filter((email) => memberOf(email) === null);
      const members: MemberRow[] = [];
      for (const email of unknownContacts) members.push(await rowOf(email));
      return members.length === 0 ? [] : writeMembers(api, audience, members, { update_existing: false });
    },
    (email) => joinAs(api, joiningOf.get(keyOf(email)) ?? { ...first, email }, memberOf(email)),
  );
}

async function unsubscribeMany(
  api: ToolApi,
  emails: readonly string[],
  audience: string,
): Promise<Outcome[]> {
  const members = await membersOf(api, emails, audience);
  const isMeant = (email: string) => {
    const member = members.get(keyOf(email)) ?? null;
    return member !== null && isReachable(member);
  };
  for (const email of emails) api.found(email, !isMeant(email));
  return takeMany(
    emails,
    async (some) => {
      const behind = some.filter(isMeant);
      const members = behind.map((email) => ({ email_address: email.trim(), status: 'unsubscribed' }));
      const done =
        members.length === 0 ? [] : await writeMembers(api, audience, members, { update_existing: true });
      return [...done, ...some.filter((email) => !isMeant(email))];
    },
    async (email) => {
      if (isMeant(email)) await update(api, audience, email, { status: 'unsubscribed' });
    },
  );
}

async function unsubscribeEverywhere(api: ToolApi, emails: readonly string[]): Promise<Outcome[]> {
  const inAudience = new Map<string, string[]>();
  const unknownContacts: string[] = [];
  for (const email of emails) {
    const audiences = await readAudiences(api, email);
    if (audiences.length === 0) unknownContacts.push(email);
    for (const { id } of audiences) inAudience.set(id, [...(inAudience.get(id) ?? []), email]);
  }
  const failures = new Map<string, Outcome>();
  for (const [audience, some] of inAudience) {
    const outcomes = await unsubscribeMany(api, some, audience);
    for (const [at, email] of some.entries()) {
      failures.set(keyOf(email), failures.get(keyOf(email)) ?? outcomes[at] ?? null);
    }
  }
  const kept = await keepOutMany(api, unknownContacts);
  for (const [at, email] of unknownContacts.entries()) failures.set(keyOf(email), kept[at] ?? null);
  return emails.map((email) => failures.get(keyOf(email)) ?? null);
}

/** Makes people whom no audience has members of each, unsubscribed, so that no import subscribes them. */
async function keepOutMany(api: ToolApi, emails: readonly string[]): Promise<Outcome[]> {
  if (emails.length === 0) return [];
  let outcomes: Outcome[] = emails.map(() => null);
  for (const email of emails) api.found(email, false);
  for (const { id } of await readAudiences(api)) {
    const written = await takeMany(
      emails,
      (some) =>
        writeMembers(
          api,
          id,
          some.map((email) => ({ email_address: email.trim(), status: 'unsubscribed' })),
          { update_existing: false },
        ),
      (email) => keepOutOf(api, id, email),
    );
    outcomes = outcomes.map((outcome, index) => outcome ?? written[index] ?? null);
  }
  return outcomes;
}

const rows = z.array(z.object({ email_address: z.string() }));

const writtenMembers = z.object({ new_members: rows, updated_members: rows });

interface MemberRow extends ConsentFields {
  email_address: string;
  status: string;
  interests?: Record<string, boolean>;
}

/**
 * Makes members, or changes those who are there too.
 * @returns the addresses of those whom Mailchimp took
 */
async function writeMembers(
  api: ToolApi,
  audience: string,
  members: readonly MemberRow[],
  { update_existing }: { update_existing: boolean },
): Promise<string[]> {
  const answer = await api.call({
    method: 'POST',
    path: path`/lists/${audience}`,
    query: { skip_merge_validation: 'true' },
    // Syncing would take all other tags away.
    json: { members, sync_tags: false, update_existing },
  });
  const { new_members, updated_members } = read(writtenMembers, answer);
  return [...new_members, ...updated_members].map((one) => one.email_address);
}

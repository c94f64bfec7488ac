import { z } from 'zod';
import { keyOf, oneByOne, type Outcome, takeMany } from '../batches.ts';
import { type Change, path, type Resource, type ToolApi } from '../connector.ts';
import { type Member, readAudiences, read, readMember, splitIds } from './api.ts';
import { apply, interestsOf, isIn, isReachable, joinAs, update } from './changes.ts';

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
    ? joinMany(api, emails, first.target)
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

async function joinMany(api: ToolApi, emails: readonly string[], target: Resource): Promise<Outcome[]> {
  const { audience, part } = splitIds(target.id);
  const members = await membersOf(api, emails, audience);
  const memberOf = (email: string) => members.get(keyOf(email)) ?? null;
  for (const email of emails) api.found(email, isIn(memberOf(email), part));
  const fields = { status: 'subscribed', ...interestsOf(part), update_existing: false };
  return takeMany(
    emails,
    async (some) => {
      const strangers = some.filter((email) => memberOf(email) === null);
      return strangers.length === 0 ? [] : writeMembers(api, audience, strangers, fields);
    },
    (email) => joinAs(api, target, email, memberOf(email)),
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
  const fields = { status: 'unsubscribed', update_existing: true };
  return takeMany(
    emails,
    async (some) => {
      const behind = some.filter(isMeant);
      const done = behind.length === 0 ? [] : await writeMembers(api, audience, behind, fields);
      return [...done, ...some.filter((email) => !isMeant(email))];
    },
    async (email) => {
      if (isMeant(email)) await update(api, audience, email, { status: 'unsubscribed' });
    },
  );
}

async function unsubscribeEverywhere(api: ToolApi, emails: readonly string[]): Promise<Outcome[]> {
  const inAudience = new Map<string, string[]>();
  for (const email of emails) {
    const audiences = await readAudiences(api, email);
    if (audiences.length === 0) api.found(email, true);
    for (const { id } of audiences) inAudience.set(id, [...(inAudience.get(id) ?? []), email]);
  }
  const failures = new Map<string, Outcome>();
  for (const [audience, some] of inAudience) {
    const outcomes = await unsubscribeMany(api, some, audience);
    for (const [at, email] of some.entries()) {
      failures.set(keyOf(email), failures.get(keyOf(email)) ?? outcomes[at] ?? null);
    }
  }
  return emails.map((email) => failures.get(keyOf(email)) ?? null);
}

const rows = z.array(z.object({ email_address: z.string() }));

const writtenMembers = z.object({ new_members: rows, updated_members: rows });

/**
 * Makes members, or changes those who are there too.
 * @returns the addresses of those whom Mailchimp took
 */
async function writeMembers(
  api: ToolApi,
  audience: string,
  emails: readonly string[],
  fields: { status: string; interests?: Record<string, boolean>; update_existing: boolean },
): Promise<string[]> {
  const { update_existing, ...each } = fields;
  const members = emails.map((email) => ({ email_address: email.trim(), ...each }));
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

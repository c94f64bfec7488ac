import { keyOf, oneByOne, type Outcome, takeMany } from '../batches.ts';
import type { Change, Resource, ToolApi } from '../connector.ts';
import { type Member, readAudiences, readMember, splitIds, writeMembers } from './api.ts';
import { apply, interestsOf, isReachable, joinAs, update } from './changes.ts';

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
    for (const { id } of await readAudiences(api, email)) {
      inAudience.set(id, [...(inAudience.get(id) ?? []), email]);
    }
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

import { z } from 'zod';
import { readCursor } from '#server/connectors/cursor.ts';
import { dateOf } from '#server/connectors/timestamps.ts';
import { path, type PeoplePage, type ToolApi, type ToolPerson } from '../connector.ts';
import { anId, CONTACTS, LISTS, read } from './answers.ts';
import { brandsOf } from './subscriptions.ts';

/** As many as one call reads the contacts of. */
const PAGE_SIZE = 100;

/** With the brands, so that they are read once. */
const place = z.object({ after: z.string().min(1), brands: z.array(z.int()) });

const membershipPage = z.object({
  results: z.array(z.object({ recordId: anId, membershipTimestamp: z.string().nullish() })),
  paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
});

const contactPage = z.object({
  results: z.array(z.object({ id: anId, properties: z.record(z.string(), z.string().nullish()) })),
});

type Contact = z.infer<typeof contactPage>['results'][number];

const PROPERTIES = [
  'email',
  'hs_email_hard_bounce_reason_enum',
  'hs_email_bad_address',
  'hs_email_quarantined',
  'hs_marketable_status',
];

/** By the memberships, which have no end: the search of contacts stops at 10,000. */
export async function readPeople(
  api: ToolApi,
  _kind: 'lists' | 'tags',
  list: string,
  cursor: string | null,
): Promise<PeoplePage> {
  const from = readCursor(place, cursor);
  const answer = await api.call({
    method: 'GET',
    path: LISTS + path`/${list}/memberships`,
    query: { limit: PAGE_SIZE, after: from?.after },
  });
  const { results, paging } = read(membershipPage, answer);
  const since = new Map(results.map((row) => [row.recordId, row.membershipTimestamp ?? null]));
  const isEmpty = since.size === 0;
  const brands = from?.brands ?? (isEmpty ? [] : await brandsOf(api));
  const optOuts = optOutsOf(brands);
  const contacts = isEmpty ? [] : await readContacts(api, [...since.keys()], optOuts);
  const after = paging?.next?.after ?? '';
  return {
    people: contacts.flatMap((contact) => personOf(contact, optOuts, since.get(contact.id) ?? null)),
    cursor: after === '' ? null : JSON.stringify({ after, brands }),
  };
}

/** What a contact says of having left everything; where the account has brands, one for each. */
function optOutsOf(brands: readonly number[]): string[] {
  const others = brands.filter((brand) => brand !== 0).map((brand) => `business_unit_optout_${brand}`);
  return ['hs_email_optout', ...(brands.length > 1 ? others : [])];
}

/** Those who were deleted or merged into others meanwhile are not among them. */
async function readContacts(api: ToolApi, ids: string[], optOuts: readonly string[]): Promise<Contact[]> {
  const answer = await api.call({
    method: 'POST',
    path: `${CONTACTS}/batch/read`,
    json: {
      properties: [...PROPERTIES, ...optOuts],
      propertiesWithHistory: [],
      inputs: ids.map((id) => ({ id })),
    },
  });
  return read(contactPage, answer).results;
}

function personOf(
  { properties }: Contact,
  optOuts: readonly string[],
  memberSince: string | null,
): ToolPerson[] {
  const { email } = properties;
  if (email === null || email === undefined || email === '') return [];
  const left = optOuts.filter((name) => properties[name] === 'true');
  const hasLeftAll = left.length === optOuts.length;
  // A list is of no brand: whether the one that was left mails it, nobody can tell.
  const isFine = left.length === 0 && isMailed(properties);
  const state = hasLeftAll ? 'unsubscribed' : isFine ? 'subscribed' : 'unclear';
  return [{ email, state, hasLeftAll, since: state === 'subscribed' ? dateOf(memberSince) : null }];
}

function isMailed(properties: Contact['properties']): boolean {
  const hasBounced = (properties.hs_email_hard_bounce_reason_enum ?? '') !== '';
  const isHeldBack = properties.hs_email_bad_address === 'true' || properties.hs_email_quarantined === 'true';
  // Contacts that are no marketing contacts get no marketing mail; accounts without the difference say nothing.
  return !hasBounced && !isHeldBack && properties.hs_marketable_status !== 'false';
}

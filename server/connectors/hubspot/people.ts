import { z } from 'zod';
import { readCursor } from '#server/connectors/cursor.ts';
import { path, type PeoplePage, type ToolApi, type ToolPerson } from '../connector.ts';
import { anId, CONTACTS, LISTS, read } from './answers.ts';

/** As many as one call reads the contacts of. */
const PAGE_SIZE = 100;

const place = z.object({ after: z.string().min(1) });

const membershipPage = z.object({
  results: z.array(z.object({ recordId: anId, membershipTimestamp: z.string().nullish() })),
  paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
});

const text = z.string().nullish();
const contactPage = z.object({
  results: z.array(
    z.object({
      id: anId,
      properties: z.object({
        email: text,
        hs_email_optout: text,
        hs_email_hard_bounce_reason_enum: text,
        hs_email_bad_address: text,
        hs_email_quarantined: text,
        hs_marketable_status: text,
      }),
    }),
  ),
});

type Contact = z.infer<typeof contactPage>['results'][number];

const PROPERTIES = [
  'email',
  'hs_email_optout',
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
  const answer = await api.call({
    method: 'GET',
    path: LISTS + path`/${list}/memberships`,
    query: { limit: PAGE_SIZE, after: readCursor(place, cursor)?.after },
  });
  const { results, paging } = read(membershipPage, answer);
  const since = new Map(results.map((row) => [row.recordId, row.membershipTimestamp ?? null]));
  const contacts = since.size === 0 ? [] : await readContacts(api, [...since.keys()]);
  const after = paging?.next?.after ?? '';
  return {
    people: contacts.flatMap((contact) => personOf(contact, since.get(contact.id) ?? null)),
    cursor: after === '' ? null : JSON.stringify({ after }),
  };
}

/** Those who were deleted or merged into others meanwhile are not among them. */
async function readContacts(api: ToolApi, ids: string[]): Promise<Contact[]> {
  const answer = await api.call({
    method: 'POST',
    path: `${CONTACTS}/batch/read`,
    json: { properties: PROPERTIES, propertiesWithHistory: [], inputs: ids.map((id) => ({ id })) },
  });
  return read(contactPage, answer).results;
}

function personOf({ properties }: Contact, memberSince: string | null): ToolPerson[] {
  const { email } = properties;
  if (email === null || email === undefined || email === '') return [];
  const hasLeftAll = properties.hs_email_optout === 'true';
  const state = hasLeftAll ? 'unsubscribed' : isMailed(properties) ? 'subscribed' : 'unclear';
  const since = state === 'subscribed' && memberSince !== null ? new Date(memberSince) : null;
  return [
    { email, state, hasLeftAll, since: since !== null && Number.isNaN(since.getTime()) ? null : since },
  ];
}

function isMailed(properties: Contact['properties']): boolean {
  const hasBounced = (properties.hs_email_hard_bounce_reason_enum ?? '') !== '';
  const isHeldBack = properties.hs_email_bad_address === 'true' || properties.hs_email_quarantined === 'true';
  // Contacts that are no marketing contacts get no marketing mail; accounts without the difference say nothing.
  return !hasBounced && !isHeldBack && properties.hs_marketable_status !== 'false';
}

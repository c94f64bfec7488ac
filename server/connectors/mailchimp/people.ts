import { z } from 'zod';
import { readCursor } from '#server/connectors/cursor.ts';
import { dateOf } from '#server/connectors/timestamps.ts';
import { ConnectorError, type PeoplePage, type ToolApi, type ToolPerson } from '../connector.ts';
import { type ListedMember, readCategoryOf, readMemberPage, splitIds } from './api.ts';

const place = z.object({
  offset: z.int().min(0),
  /** How many there were at the page before. */
  total: z.int().min(0),
  /** The category of the group; Mailchimp wants it beside the group. */
  category: z.string().nullable(),
});

const START: z.infer<typeof place> = { offset: 0, total: 0, category: null };

export async function readPeople(
  api: ToolApi,
  kind: 'lists' | 'tags',
  id: string,
  cursor: string | null,
): Promise<PeoplePage> {
  const { audience, part } = splitIds(id);
  const { offset, total, category: known } = readCursor(place, cursor) ?? START;
  const isGroup = kind === 'lists' && part !== null;
  const category = isGroup ? (known ?? (await requireCategory(api, audience, part))) : null;
  const source = {
    audience,
    tag: kind === 'tags' ? (part ?? '') : null,
    group: category === null ? null : { category, interest: part ?? '' },
  };
  const page = await readMemberPage(api, source, offset);
  // Contacts removed since the page before have moved others into what was read already: go back to them.
  const missed = offset === 0 ? 0 : Math.max(0, total - page.total);
  const next = missed > 0 ? Math.max(0, offset - missed) : offset + page.members.length;
  const isLast = missed === 0 && (page.members.length === 0 || next >= page.total);
  return {
    people: page.members
      // Contacts may be known only by a telephone number.
      .filter(({ email_address: email }) => email !== '')
      .map((member) => personOf(member, source.tag === null && source.group === null)),
    cursor: isLast ? null : JSON.stringify({ offset: next, total: page.total, category }),
  };
}

async function requireCategory(api: ToolApi, audience: string, interest: string): Promise<string> {
  const category = await readCategoryOf(api, audience, interest);
  if (category !== null) return category;
  throw new ConnectorError('not_found', 'Mailchimp no longer has this group.');
}

/** @param ofAudience when somebody joined a group or got a tag, Mailchimp does not tell */
function personOf(
  { email_address: email, status, timestamp_opt: optIn }: ListedMember,
  ofAudience: boolean,
): ToolPerson {
  const state = status === 'subscribed' || status === 'unsubscribed' ? status : 'unclear';
  const since = ofAudience && state === 'subscribed' ? dateOf(optIn) : null;
  return { email, state, hasLeftAll: false, since };
}

import { z } from 'zod';
import {
  ConnectorError,
  type People,
  type PeoplePage,
  type Resource,
  type ToolApi,
  type ToolPerson,
} from '#server/connectors/connector.ts';
import { readCursor } from '#server/connectors/cursor.ts';
import { findSubscriber, meta, read, resources, subscriber, writeSubscriber } from './api.ts';
import { reactivateAround } from './changes.ts';

/** Half of the largest: the answers hold all custom fields of everybody. */
const PAGE = 500;

const place = z.object({ page: z.number().int().positive() });

const tagged = subscriber.extend({ email: z.string().nullish(), eu_consent: z.string().nullish() });

function personOf(email: string, { status, eu_consent: consent }: z.output<typeof tagged>): ToolPerson {
  if (status === 'unsubscribed') return { email, state: 'unsubscribed', hasLeftAll: true, since: null };
  const isIn = status === 'active' && consent !== 'denied';
  return { email, state: isIn ? 'subscribed' : 'unclear', hasLeftAll: false, since: null };
}

async function readTag(api: ToolApi, tag: string, cursor: string | null): Promise<PeoplePage> {
  if (tag.includes(',')) {
    throw new ConnectorError(
      'refused',
      `We can't read who has the tag "${tag}": Drip treats the comma as the end of a tag's name. Rename the tag in Drip.`,
    );
  }
  const { page } = readCursor(place, cursor) ?? { page: 1 };
  // Without the status only active people are found.
  const query = { tags: tag, status: 'all', per_page: PAGE, page };
  const { body } = await api.call({ method: 'GET', path: '/subscribers', query });
  const found = read(z.object({ subscribers: z.array(tagged) }), body).subscribers;
  const people = found
    .filter(({ tags }) => tags.includes(tag))
    // Some are known only by their telephone.
    .flatMap((one) => (one.email ? [personOf(one.email, one)] : []));
  const isMore = page < read(meta, body).meta.total_pages;
  return { people, cursor: isMore ? JSON.stringify({ page: page + 1 }) : null };
}

export const people: People = {
  can: true,
  of: ['tags'],
  exportsUnsubscribed: false,
  note: 'We import everyone with the tag, including those who unsubscribed from all emails, but no one whose tag was removed. Don’t change the tag during the import.',
  read: (api, _kind, id, cursor) => readTag(api, id, cursor),
};

export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const person = await findSubscriber(api, email);
  if (person === null) return false;
  if (person.custom_fields[field.id] === value) return true;
  // Drip would make a field that is not there.
  const isThere =
    Object.hasOwn(person.custom_fields, field.id) ||
    (await resources(api, 'fields')).some(({ id }) => id === field.id);
  if (!isThere) {
    throw new ConnectorError('not_found', `Drip has no custom field "${field.name}".`);
  }
  // By the id, which makes nobody; without a status, which stays.
  await reactivateAround(person, async () => {
    await writeSubscriber(api, { id: person.id }, { custom_fields: { [field.id]: value } });
  });
  return true;
}

import { z } from 'zod';
import { parseTimestamp } from '#server/connectors/timestamps.ts';
import {
  ConnectorError,
  path,
  type People,
  type PeoplePage,
  type Resource,
  type ToolApi,
  type ToolPerson,
} from '../connector.ts';
import { findSettled, OUT_BY_THEMSELVES, pagination, read, readById } from './api.ts';

/** The tool's own size; rows hold all custom fields, so that the largest page could be too much. */
const PAGE = 500;

const tagged = z.object({
  email_address: z.string(),
  state: z.string(),
  tagged_at: z.string().nullish(),
});

function personOf({ email_address: email, state, tagged_at: at }: z.infer<typeof tagged>): ToolPerson {
  if (state === 'active') return { email, state: 'subscribed', hasLeftAll: false, since: parseTimestamp(at) };
  const isOut = OUT_BY_THEMSELVES.includes(state);
  return { email, state: isOut ? 'unsubscribed' : 'unclear', hasLeftAll: isOut, since: null };
}

/** The tool's own cursors. */
const CURSOR = /^[\w+/=-]{1,200}$/;

async function readTag(api: ToolApi, tag: string, given: string | null): Promise<PeoplePage> {
  const after = given !== null && CURSOR.test(given) ? given : undefined;
  const answer = await api.call({
    method: 'GET',
    path: path`/tags/${tag}/subscribers`,
    // Without the status only active people are found.
    query: { status: 'all', per_page: PAGE, after },
    ...(after !== undefined && { expects: [400, 422] }),
  });
  // A cursor that the tool does not know (any more).
  if (answer.status === 400 || answer.status === 422) return readTag(api, tag, null);
  const page = read(z.object({ subscribers: z.array(tagged), pagination }), answer);
  const { has_next_page: isMore, end_cursor: end } = page.pagination;
  return { people: page.subscribers.map(personOf), cursor: isMore ? end : null };
}

export const people: People = {
  can: true,
  of: ['tags'],
  exportsUnsubscribed: false,
  note: 'We import everyone with the tag, including those who unsubscribed from all, but no one whose tag was removed. Changes in ConvertKit from the last 5 minutes may be missing.',
  read: (api, _kind, id, cursor) => readTag(api, id, cursor),
};

const filled = z.object({ subscriber: z.object({ fields: z.record(z.string(), z.unknown()).nullish() }) });

export async function setField(
  api: ToolApi,
  email: string,
  field: Resource,
  value: string,
): Promise<boolean> {
  const found = await findSettled(api, email);
  if (found === null) return false;
  const person = await readById(api, found.id);
  // A filter that lags finds the person by the address they no longer have.
  if (person.email_address.toLowerCase() !== email.toLowerCase()) return false;
  const answer = await api.call({
    method: 'PUT',
    path: path`/subscribers/${person.id}`,
    // The address is required; any other one would be a change of it.
    json: { email_address: person.email_address, fields: { [field.id]: value } },
    expects: [422],
  });
  if (answer.status !== 422 && read(filled, answer).subscriber.fields?.[field.id] === value) return true;
  // It refuses a field that is not there, or passes it over.
  throw new ConnectorError(
    'not_found',
    `ConvertKit rejected the value for the custom field "${field.name}". The field may have been deleted.`,
  );
}

import { z } from 'zod';
import {
  type Change,
  ConnectorError,
  path,
  type Resource,
  type ResourceKind,
  type ToolAccount,
  type ToolApi,
  type ToolState,
} from '../connector.ts';
import { readerOf } from '#server/connectors/reader.ts';

export const { answer: read } = readerOf('ConvertKit');

const subscriber = z.object({ id: z.number(), email_address: z.string(), state: z.string() });
const oneSubscriber = z.object({ subscriber });
const named = z.object({ id: z.number(), name: z.string() });
export const pagination = z.object({ has_next_page: z.boolean(), end_cursor: z.string().nullable() });

type Subscriber = z.infer<typeof subscriber>;

export const LARGEST_PAGE = 1000;

/** A filter by address lags behind what was written by this, as a rule, */
const LAG_MS = 30_000;
/** and never by more. */
const LONGEST_LAG_MS = 5 * 60_000;

/** Marks who was unsubscribed only because their address changed to one that was there already. */
const MOVED_TAG = 'Address changed (Sayso)';

export const OUT_BY_THEMSELVES = ['cancelled', 'complained'];
const GETS_NOTHING = [...OUT_BY_THEMSELVES, 'bounced'];

async function pages<T>(api: ToolApi, at: string, key: string, row: z.ZodType<T>): Promise<T[]> {
  const schema = z.object({ [key]: z.array(row), pagination });
  const all: T[] = [];
  let after: string | undefined;
  do {
    const answer = await api.call({ method: 'GET', path: at, query: { per_page: LARGEST_PAGE, after } });
    const page = read(schema, answer) as { pagination: z.infer<typeof pagination> } & Record<string, T[]>;
    all.push(...(page[key] ?? []));
    const { has_next_page: isMore, end_cursor: end } = page.pagination;
    after = isMore && end !== null ? end : undefined;
  } while (after !== undefined);
  return all;
}

const resourceOf = ({ id, name }: z.infer<typeof named>): Resource => ({ id: String(id), name });

export async function verify(api: ToolApi): Promise<ToolAccount> {
  const answer = await api.call({ method: 'GET', path: '/account' });
  const schema = z.object({ account: z.object({ id: z.number().optional(), name: z.string() }) });
  const { id, name } = read(schema, answer).account;
  return { id: id === undefined ? name : String(id), name };
}

export async function resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'tags') return (await pages(api, '/tags', 'tags', named)).map(resourceOf);
  if (kind === 'funnels') {
    const sequence = named.extend({ active: z.boolean() });
    const all = await pages(api, '/sequences', 'sequences', sequence);
    return all.filter(({ active }) => active).map(resourceOf);
  }
  if (kind === 'fields') {
    const field = z.object({ key: z.string(), label: z.string() });
    const all = await pages(api, '/custom_fields', 'custom_fields', field);
    return all.map(({ key, label }) => ({ id: key, name: label }));
  }
  return [];
}

interface Written {
  id: number;
  until: number;
}

/** Whom this process wrote under an address while the filter may not know it yet. */
const lately = new WeakMap<object, Map<string, Written>>();

function noteWritten(api: ToolApi, { id, email_address: email }: Subscriber): void {
  const now = api.now().getTime();
  const known = lately.get(api.cacheKey) ?? new Map<string, Written>();
  lately.set(api.cacheKey, known);
  // The oldest are the first.
  for (const [address, { until }] of known) {
    if (until > now) break;
    known.delete(address);
  }
  known.delete(email.toLowerCase());
  known.set(email.toLowerCase(), { id, until: now + LONGEST_LAG_MS });
}

/** A read by id knows what the filter does not know yet. */
async function findWritten(api: ToolApi, email: string): Promise<Subscriber | null> {
  const wanted = email.toLowerCase();
  const written = lately.get(api.cacheKey)?.get(wanted);
  if (written === undefined || written.until <= api.now().getTime()) return null;
  const at = path`/subscribers/${written.id}`;
  const answer = await api.call({ method: 'GET', path: at, expects: [404] });
  const person = answer.status === 404 ? null : read(oneSubscriber, answer).subscriber;
  return person?.email_address.toLowerCase() === wanted ? person : null;
}

async function findByFilter(api: ToolApi, email: string): Promise<Subscriber | null> {
  const answer = await api.call({
    method: 'GET',
    path: '/subscribers',
    // Without the status only active people are found.
    query: { email_address: email, status: 'all' },
  });
  const { subscribers } = read(z.object({ subscribers: z.array(subscriber) }), answer);
  const wanted = email.toLowerCase();
  return subscribers.find((one) => one.email_address.toLowerCase() === wanted) ?? null;
}

const find = async (api: ToolApi, email: string): Promise<Subscriber | null> =>
  (await findByFilter(api, email)) ?? findWritten(api, email);

async function findAfterLag(api: ToolApi, email: string): Promise<Subscriber | null> {
  await api.wait(LAG_MS);
  return findByFilter(api, email);
}

/**
 * Finds also whom another process has only just written. Nobody else is waited for: ConvertKit does not know many of a
 * site's customers, and 30 seconds for each of them would hold up everybody.
 */
export async function findSettled(api: ToolApi, email: string): Promise<Subscriber | null> {
  const found = await find(api, email);
  if (found !== null) return found;
  const isRecent = await api.wroteSince(new Date(api.now().getTime() - LONGEST_LAG_MS));
  return isRecent ? findAfterLag(api, email) : null;
}

/** A read by id lags behind nothing. */
export async function readById(api: ToolApi, id: number): Promise<Subscriber> {
  return read(oneSubscriber, await api.call({ method: 'GET', path: path`/subscribers/${id}` })).subscriber;
}

/** Gives the person that is there as they are: the state is only of who is new. */
async function create(
  api: ToolApi,
  email: string,
  state: 'active' | 'inactive' = 'active',
): Promise<Subscriber> {
  const json = { email_address: email, state };
  const answer = await api.call({ method: 'POST', path: '/subscribers', json });
  const { subscriber: person } = read(oneSubscriber, answer);
  noteWritten(api, person);
  return person;
}

const tagsOf = (api: ToolApi, id: number) => pages(api, path`/subscribers/${id}/tags`, 'tags', named);

const tagById = (api: ToolApi, tag: number | string, id: number) =>
  api.call({ method: 'POST', path: path`/tags/${tag}/subscribers/${id}`, json: {} });

async function unsubscribe(api: ToolApi, person: Subscriber): Promise<void> {
  if (OUT_BY_THEMSELVES.includes(person.state)) return;
  await api.call({ method: 'POST', path: path`/subscribers/${person.id}/unsubscribe`, json: {} });
}

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const found = await find(api, email);
  if (found === null) return { known: false };
  const now = await readById(api, found.id);
  const tags = await tagsOf(api, found.id);
  return {
    known: true,
    unsubscribed: GETS_NOTHING.includes(now.state),
    tags: tags.map(({ id }) => String(id)),
  };
}

async function addTag(api: ToolApi, email: string, tag: string): Promise<void> {
  const answer = await api.call({
    method: 'POST',
    path: path`/tags/${tag}/subscribers`,
    json: { email_address: email },
    expects: [404],
  });
  if (answer.status === 404) await tagById(api, tag, (await create(api, email)).id);
  else noteWritten(api, read(oneSubscriber, answer).subscriber);
}

/** By id: Kit describes no removal with an address in the body. */
async function removeTag(api: ToolApi, email: string, tag: string): Promise<void> {
  const found = await findSettled(api, email);
  if (found === null) return;
  const now = await readById(api, found.id);
  // A filter that lags finds the person by the address they no longer have.
  if (now.email_address.toLowerCase() !== email.toLowerCase()) return;
  await api.call({ method: 'DELETE', path: path`/tags/${tag}/subscribers/${now.id}`, expects: [404] });
}

async function startSequence(api: ToolApi, email: string, { id: sequence, name }: Resource): Promise<void> {
  const found = await find(api, email);
  const person = found === null ? await create(api, email) : await readById(api, found.id);
  if (GETS_NOTHING.includes(person.state)) {
    throw new ConnectorError(
      'refused',
      `ConvertKit no longer emails this person (${person.state}), so the sequence "${name}" didn't start. Only they can resubscribe, through one of your forms.`,
    );
  }
  await api.call({
    method: 'POST',
    path: path`/sequences/${sequence}/subscribers/${person.id}`,
    json: {},
  });
}

async function leaveEverything(api: ToolApi, email: string): Promise<void> {
  const found = await findSettled(api, email);
  // An address that is not there yet must not be mailed once it is imported.
  const person = found === null ? await create(api, email, 'inactive') : await readById(api, found.id);
  await unsubscribe(api, person);
}

/** Two subscribers cannot be made one: the new one gets the tags and the opt-out, the old one no mail. */
async function mergeSubscribers(api: ToolApi, old: Subscriber, other: Subscriber): Promise<void> {
  const tags = await tagsOf(api, old.id);
  // Names of tags are the same whatever their case.
  const isMoved = tags.some(({ name }) => name.toLowerCase() === MOVED_TAG.toLowerCase());
  if (!isMoved && OUT_BY_THEMSELVES.includes(old.state)) {
    await unsubscribe(api, await readById(api, other.id));
  }
  if (isMoved) {
    await unsubscribe(api, old);
    return;
  }
  const had = new Set((await tagsOf(api, other.id)).map(({ id }) => id));
  for (const { id } of tags) {
    if (!had.has(id)) await tagById(api, id, other.id);
  }
  const made = await api.call({ method: 'POST', path: '/tags', json: { name: MOVED_TAG } });
  await tagById(api, read(z.object({ tag: named }), made).tag.id, old.id);
  await unsubscribe(api, old);
}

async function changeAddress(api: ToolApi, from: string, email: string): Promise<void> {
  if (from.toLowerCase() === email.toLowerCase()) return;
  const found = await findSettled(api, from);
  if (found === null) return;
  const old = await readById(api, found.id);
  // A filter that lags finds the person by the address they no longer have.
  if (old.email_address.toLowerCase() === email.toLowerCase()) return;
  const other = await find(api, email);
  if (other !== null) return mergeSubscribers(api, old, other);
  const answer = await api.call({
    method: 'PUT',
    path: path`/subscribers/${old.id}`,
    json: { email_address: email },
    expects: [422],
  });
  if (answer.status !== 422) {
    noteWritten(api, read(oneSubscriber, answer).subscriber);
    return;
  }
  // Somebody has it, whether the filter knows or not.
  const owner = (await find(api, email)) ?? (await findAfterLag(api, email));
  if (owner !== null) return mergeSubscribers(api, old, owner);
  throw new ConnectorError('refused', "ConvertKit doesn't accept the new email.");
}

export async function apply(api: ToolApi, change: Change): Promise<void> {
  switch (change.type) {
    case 'global_unsubscribe':
      if (change.on) return leaveEverything(api, change.email);
      break;
    case 'tag':
      return change.on
        ? addTag(api, change.email, change.target.id)
        : removeTag(api, change.email, change.target.id);
    case 'funnel':
      if (change.on) return startSequence(api, change.email, change.target);
      break;
    case 'switch_email':
      return changeAddress(api, change.from, change.email);
    default:
      break;
  }
  throw new ConnectorError('refused', "ConvertKit can't do this.");
}

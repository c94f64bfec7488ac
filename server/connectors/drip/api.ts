import { z } from 'zod';
import {
  type Consent,
  ConnectorError,
  type Credentials,
  path,
  type Resource,
  type ResourceKind,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
  type ToolState,
} from '#server/connectors/connector.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import { consentWords } from '#server/connectors/consent-words.ts';
import { readerOf } from '#server/connectors/reader.ts';

export const { value: read } = readerOf('Drip');

const id = z.union([z.string(), z.number()]).transform(String);

export const subscriber = z.object({
  id,
  email: z.string(),
  status: z.string(),
  tags: z
    .array(z.string())
    .nullish()
    .transform((tags) => tags ?? []),
  custom_fields: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((fields) => fields ?? {}),
});
const subscribers = z.object({ subscribers: z.array(subscriber) });
const subscription = z.object({
  campaign_id: id,
  status: z.string(),
  is_complete: z.boolean().nullish(),
  last_sent_email_index: z.number().nullish(),
});
const named = z.object({ id, name: z.string() });
export const accounts = z.object({ accounts: z.array(named) });

export type Subscriber = z.output<typeof subscriber>;
export type Subscription = z.output<typeof subscription>;

/** The tool's own advice for the hourly limit, which names no time in a header. */
const HOUR_SECONDS = 3600;
/** For writes to the same person at the same time; that is over when the other write is. */
const CONCURRENT_SECONDS = 2;

export const meta = z.object({ meta: z.object({ total_pages: z.number() }) });

async function readAll<T>(
  api: ToolApi,
  where: string,
  key: string,
  row: z.ZodType<T>,
  query: Record<string, string> = {},
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await api.call({ method: 'GET', path: where, query: { ...query, page } });
    const rows = read(z.record(z.string(), z.unknown()), body)[key];
    all.push(...read(z.array(row), rows));
    if (page >= read(meta, body).meta.total_pages) return all;
  }
}

const failure = z.object({
  message: z.string().optional(),
  errors: z.array(z.object({ code: z.string().optional() })).optional(),
});

function codesOf({ body }: ToolAnswer): (string | undefined)[] {
  return failure.safeParse(body).data?.errors?.map(({ code }) => code) ?? [];
}

export function isTaken(answer: ToolAnswer): boolean {
  return codesOf(answer).includes('uniqueness_error');
}

/** 429 is the hourly limit, or two writes to the same person at the same time; only the message tells. */
export function failureOf(answer: ToolAnswer, now: Date): ConnectorError | null {
  if (answer.status === 403 && codesOf(answer).includes('no_postal_address_error')) {
    return new ConnectorError('refused', 'Drip needs a postal address in its settings first (403).');
  }
  if (answer.status !== 429) return null;
  const { message = '' } = failure.safeParse(answer.body).data ?? {};
  const told = retryAfterSeconds(answer.headers['retry-after'], now);
  if (message.startsWith('Too many concurrent')) {
    const text = 'Drip was already changing this person (429).';
    return new ConnectorError('rate_limited', text, told ?? CONCURRENT_SECONDS);
  }
  const seconds = message.includes('in an hour') ? HOUR_SECONDS : null;
  return new ConnectorError('rate_limited', 'Drip allows no more calls right now (429).', told ?? seconds);
}

export async function verify(api: ToolApi, credentials: Credentials = {}): Promise<ToolAccount> {
  // Accounts are listed beside the account that the other paths are below.
  const { body } = await api.call({ method: 'GET', path: '/../accounts' });
  const mine = read(accounts, body).accounts.find((account) => account.id === credentials['account_id']);
  if (mine !== undefined) return { id: mine.id, name: mine.name };
  throw new ConnectorError('bad_credentials', "The API token doesn't belong to this account ID in Drip.");
}

export async function findSubscriber(api: ToolApi, email: string): Promise<Subscriber | null> {
  const answer = await api.call({ method: 'GET', path: path`/subscribers/${email}`, expects: [404] });
  return answer.status === 404 ? null : (read(subscribers, answer.body).subscribers[0] ?? null);
}

/** Creates or changes one person. */
export async function writeSubscriber(
  api: ToolApi,
  fields: { id: string } | { email: string; initial_status: string },
  more: { status?: string; tags?: string[]; custom_fields?: Record<string, string> } = {},
): Promise<Subscriber> {
  const json = { subscribers: [{ ...fields, ...more }] };
  const { body } = await api.call({ method: 'POST', path: '/subscribers', json });
  const [written] = read(subscribers, body).subscribers;
  if (written === undefined) throw new ConnectorError('unavailable', 'Drip returned no person.');
  return written;
}

/** By the id, since an unknown old address would make a second person. */
export function renameSubscriber(api: ToolApi, { id: of }: Subscriber, email: string): Promise<ToolAnswer> {
  const json = { subscribers: [{ id: of, new_email: email }] };
  return api.call({ method: 'POST', path: '/subscribers', json, expects: [422] });
}

export function subscriptionsOf(api: ToolApi, { id: of }: Subscriber): Promise<Subscription[]> {
  const where = path`/subscribers/${of}/campaign_subscriptions`;
  return readAll(api, where, 'campaign_subscriptions', subscription);
}

/**
 * Whether the campaign asks for a confirmation is its own setting, unless the person has confirmed already.
 * @param startAt which mail of the series comes first, from 0
 */
export async function joinCampaign(
  api: ToolApi,
  { email }: Subscriber,
  campaign: string,
  { startAt, consent }: { startAt: number; consent: Consent | undefined },
): Promise<void> {
  const said = consentWords(consent);
  const joining = {
    email,
    ...(consent?.isConfirmed && { double_optin: false }),
    ...(said !== '' && {
      eu_consent: 'granted',
      eu_consent_message: `Chosen on the preference page ${said}`,
    }),
    starting_email_index: startAt,
    reactivate_if_removed: true,
  };
  const json = { subscribers: [joining] };
  await api.call({ method: 'POST', path: path`/campaigns/${campaign}/subscribers`, json });
}

export async function leaveCampaign(api: ToolApi, person: Subscriber, campaign: string): Promise<void> {
  // Without the campaign it would be all of them.
  const query = { campaign_id: campaign };
  await api.call({ method: 'POST', path: path`/subscribers/${person.id}/remove`, query });
}

export async function unsubscribeAll(api: ToolApi, person: Subscriber): Promise<void> {
  await api.call({ method: 'POST', path: path`/subscribers/${person.id}/unsubscribe_all` });
}

export async function isWorkflowActive(api: ToolApi, workflow: string): Promise<boolean> {
  const active = await readAll(api, '/workflows', 'workflows', named, { status: 'active' });
  return active.some((one) => one.id === workflow);
}

export async function state(api: ToolApi, email: string): Promise<ToolState> {
  const person = await findSubscriber(api, email);
  if (person === null) return { known: false };
  const subscriptions = await subscriptionsOf(api, person);
  return {
    known: true,
    unsubscribed: person.status !== 'active',
    tags: person.tags,
    funnels: subscriptions.filter(({ status }) => status === 'active').map((one) => one.campaign_id),
    awaited: subscriptions.filter(({ status }) => status === 'unconfirmed').map((one) => one.campaign_id),
  };
}

const byName = (names: string[]) => names.map((name) => ({ id: name, name }));

export async function resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]> {
  if (kind === 'funnels') return readAll(api, '/campaigns', 'campaigns', named, { status: 'all' });
  if (kind === 'automations') return readAll(api, '/workflows', 'workflows', named, { status: 'all' });
  if (kind === 'tags') {
    const { body } = await api.call({ method: 'GET', path: '/tags' });
    return byName(read(z.object({ tags: z.array(z.string()) }), body).tags);
  }
  if (kind === 'fields') {
    const { body } = await api.call({ method: 'GET', path: '/custom_field_identifiers' });
    return byName(
      read(z.object({ custom_field_identifiers: z.array(z.string()) }), body).custom_field_identifiers,
    );
  }
  return [];
}

import { z } from 'zod';
import {
  ConnectorError,
  path,
  type Resource,
  type ToolAnswer,
  type ToolAccount,
  type ToolApi,
  type ToolCall,
} from '#server/connectors/connector.ts';
import { readerOf } from '#server/connectors/reader.ts';

export const { value: understood } = readerOf('Campaign Monitor');

const failure = z.object({ Code: z.number().int() });

function codeOf({ body }: ToolAnswer): number | null {
  const parsed = failure.safeParse(body);
  return parsed.success ? parsed.data.Code : null;
}

/** The key, the token, what they may do, and the client. */
const CREDENTIAL_CODES: readonly (number | null)[] = [null, 50, 60, 100, 102, 120, 121, 122];

const SENTENCES: Readonly<Record<number, string>> = {
  1: "Campaign Monitor doesn't accept this email.",
  204: "This person is on Campaign Monitor's suppression list.",
  205: 'This person was deleted from the list in Campaign Monitor.',
  206: 'This person unsubscribed from the list in Campaign Monitor. Only they can resubscribe.',
  207: 'Campaign Monitor stopped sending to this person after a bounce.',
  211: "Campaign Monitor doesn't accept the new email.",
};

function refusal(code: number | null): ConnectorError {
  const sentence = code === null ? undefined : SENTENCES[code];
  const told = code === null ? '400' : `400, code ${code}`;
  return new ConnectorError('refused', sentence ?? `Campaign Monitor rejected the request (${told}).`);
}

export function failureOf(answer: ToolAnswer): ConnectorError | null {
  const code = codeOf(answer);
  if (answer.status === 400) return refusal(code);
  if (answer.status !== 401) return null;
  // What is not of this account answers 401 too.
  return CREDENTIAL_CODES.includes(code)
    ? new ConnectorError(
        'bad_credentials',
        'Campaign Monitor rejected the API key, the login or the client ID (401).',
      )
    : new ConnectorError(
        'not_found',
        `Campaign Monitor couldn't find what this request refers to (401, code ${code}).`,
      );
}

/** @returns the code, where it is one of those that are an answer; null: all went well */
export async function attempt(
  api: ToolApi,
  call: ToolCall,
  codes: readonly number[],
): Promise<ToolAnswer & { code: number | null }> {
  const answer = await api.call({ ...call, expects: [400] });
  if (answer.status !== 400) return { ...answer, code: null };
  const code = codeOf(answer);
  if (code !== null && codes.includes(code)) return { ...answer, code };
  throw refusal(code);
}

export const clients = z.array(z.object({ ClientID: z.string(), Name: z.string() }));

export const clientOf = ({ account = '' }: ToolApi) => account;

export async function verify(api: ToolApi): Promise<ToolAccount> {
  // Not the client's own page: that one carries an API key.
  const { body } = await api.call({ method: 'GET', path: '/clients.json' });
  const found = understood(clients, body).find(({ ClientID }) => ClientID.toLowerCase() === clientOf(api));
  if (found) return { id: found.ClientID.toLowerCase(), name: found.Name };
  throw new ConnectorError(
    'bad_credentials',
    "The API key doesn't belong to this client ID in Campaign Monitor.",
  );
}

const lists = z.array(z.object({ ListID: z.string(), Name: z.string() }));

export async function allLists(api: ToolApi): Promise<Resource[]> {
  const { body } = await api.call({ method: 'GET', path: path`/clients/${clientOf(api)}/lists.json` });
  return understood(lists, body).map(({ ListID, Name }) => ({ id: ListID, name: Name }));
}

const customFields = z.array(
  z.object({ FieldName: z.string(), Key: z.string(), DataType: z.string().nullish() }),
);

export async function textFieldsOf(api: ToolApi, listId: string): Promise<Resource[]> {
  const { body } = await api.call({ method: 'GET', path: path`/lists/${listId}/customfields.json` });
  return (
    understood(customFields, body)
      .filter(({ DataType: type }) => (type ?? 'Text') === 'Text')
      // In brackets here, without them where people are read.
      .map((one) => ({ id: one.Key.replaceAll(/[[\]]/g, ''), name: one.FieldName }))
  );
}

/** Every list has its own; those with the same key are one to a mail. */
export async function allFields(api: ToolApi): Promise<Resource[]> {
  const names = new Map<string, string>();
  for (const { id } of await allLists(api)) {
    for (const field of await textFieldsOf(api, id)) names.set(field.id, field.name);
  }
  return [...names].map(([id, name]) => ({ id, name }));
}

const memberships = z.array(z.object({ ListID: z.string(), SubscriberState: z.string() }));

export interface Membership {
  listId: string;
  state: string;
}

export async function membershipsOf(api: ToolApi, email: string): Promise<Membership[]> {
  const call = path`/clients/${clientOf(api)}/listsforemail.json`;
  const { body } = await api.call({ method: 'GET', path: call, query: { email } });
  return understood(memberships, body).map((one) => ({ listId: one.ListID, state: one.SubscriberState }));
}

/** Unconfirmed: a mail asks the person, and nothing else is to be done. */
export const isMember = (state: string | undefined) => state === 'Active' || state === 'Unconfirmed';

const NOT_IN_LIST = 203;

const subscriber = z.object({
  EmailAddress: z.string(),
  State: z.string(),
  Name: z.string().nullish(),
  MobileNumber: z.string().nullish(),
  CustomFields: z.array(z.object({ Key: z.string(), Value: z.string().nullish() })).nullish(),
});

export async function readSubscriber(
  api: ToolApi,
  listId: string,
  email: string,
): Promise<z.infer<typeof subscriber> | null> {
  const call = { method: 'GET', path: path`/subscribers/${listId}.json`, query: { email } } as const;
  const { code, body } = await attempt(api, call, [NOT_IN_LIST]);
  return code === null ? understood(subscriber, body) : null;
}

export async function deleteSubscriber(api: ToolApi, listId: string, email: string): Promise<void> {
  const call = { method: 'DELETE', path: path`/subscribers/${listId}.json`, query: { email } } as const;
  await attempt(api, call, [NOT_IN_LIST]);
}

const PARTLY = 210;

const imported = z.object({ FailureDetails: z.array(failure).nullish() });

/** By the import of many, which takes people at once; adding one puts them in a queue. */
export async function addSubscriber(
  api: ToolApi,
  listId: string,
  email: string,
  wasDeleted: boolean,
): Promise<void> {
  const json = {
    Subscribers: [{ EmailAddress: email, ConsentToTrack: 'Unchanged' }],
    Resubscribe: wasDeleted,
    QueueSubscriptionBasedAutoresponders: true,
    RestartSubscriptionBasedAutoresponders: false,
  };
  const call = { method: 'POST', path: path`/subscribers/${listId}/import.json`, json } as const;
  const { code, body } = await attempt(api, call, [PARTLY]);
  const result = code === PARTLY ? understood(z.object({ ResultData: imported }), body).ResultData : body;
  const [failed] = understood(imported, result).FailureDetails ?? [];
  if (failed) throw refusal(failed.Code);
}

const ALREADY_THERE = 201;
/** In the suppression list, deleted, unsubscribed, bounced, unconfirmed. */
const INACTIVE = [204, 205, 206, 207, 208];

/** @returns whether the old address left the list with it */
export async function changeAddress(
  api: ToolApi,
  listId: string,
  from: string,
  email: string,
): Promise<boolean> {
  const old = await readSubscriber(api, listId, from);
  if (old === null) return true;
  const json = {
    EmailAddress: email,
    ...(old.Name && { Name: old.Name }),
    ...(old.MobileNumber && { MobileNumber: old.MobileNumber }),
    Resubscribe: false,
    RestartSubscriptionBasedAutoresponders: false,
    ConsentToTrack: 'Unchanged',
  };
  const call = {
    method: 'PUT',
    path: path`/subscribers/${listId}.json`,
    query: { email: from },
    json,
  } as const;
  const { code } = await attempt(api, call, [ALREADY_THERE, NOT_IN_LIST, ...INACTIVE]);
  return code === null || code === NOT_IN_LIST;
}

/** What their mails do not show of a key: here it is the field's name, with all signs. */
const bare = (key: string) => key.replaceAll(/[^\p{L}\p{N}_]/gu, '').toLowerCase();

/** Of who is a member of the list; nothing is done to anybody else. */
export async function fillField(
  api: ToolApi,
  listId: string,
  email: string,
  { key, value }: { key: string; value: string },
): Promise<void> {
  const old = await readSubscriber(api, listId, email);
  if (old === null || !isMember(old.State)) return;
  if (old.CustomFields?.some((one) => bare(one.Key) === bare(key) && one.Value === value)) return;
  const json = {
    // As it is written there, which an update would change too.
    EmailAddress: old.EmailAddress,
    ...(old.Name && { Name: old.Name }),
    ...(old.MobileNumber && { MobileNumber: old.MobileNumber }),
    CustomFields: [{ Key: `[${key}]`, Value: value }],
    // A contact who leaves meanwhile stays out, and keeps their consent as it is.
    Resubscribe: false,
    RestartSubscriptionBasedAutoresponders: false,
    ConsentToTrack: 'Unchanged',
  };
  const where = path`/subscribers/${listId}.json`;
  const call = { method: 'PUT', path: where, query: { email }, json } as const;
  await attempt(api, call, [NOT_IN_LIST, ...INACTIVE]);
}

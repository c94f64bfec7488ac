import {
  ConnectorError,
  type ToolAnswer,
  type ToolApi,
  type ToolCall,
  type WebhookPlace,
} from './connector.ts';
import { toldReason } from './told-reason.ts';

/*
 * Our own webhooks in the tools: found by their URL, made where they are missing, put right where they are not as we
 * need them. What a place has twice is one too many, and so is one whose URL is from before a new secret key.
 */

/**
 * Brings each place to where the tool calls the URL. Where that is so already, nothing is written.
 * @returns null: it does everywhere; else why a place has no webhook of ours and takes none
 * @throws ConnectorError where it isn't known what is there
 */
export async function registerWebhook(
  places: readonly WebhookPlace[],
  url: string,
): Promise<ConnectorError | null> {
  for (const place of places) {
    const refusal = await registerAt(place, url);
    if (refusal !== null) return refusal;
  }
  return null;
}

async function registerAt(place: WebhookPlace, url: string): Promise<ConnectorError | null> {
  const own = await ownIn(place, url);
  const first = own.find((one) => one.url === url);
  const refusal = first === undefined ? await refusalOf(place.create()) : null;
  if (refusal !== null) return refusal;
  for (const { id } of own.filter((one) => one !== first)) await place.remove(id);
  if (first?.isRight === false) await place.repair(first.id);
  return null;
}

/** Takes away whatever calls the integration. */
export async function removeWebhook(places: readonly WebhookPlace[], url: string): Promise<void> {
  for (const place of places) {
    for (const { id } of await ownIn(place, url)) await place.remove(id);
  }
}

/** Those of the integration: the last part of a URL is a secret, made with a key that may be another one by now. */
async function ownIn(place: WebhookPlace, url: string) {
  const start = url.slice(0, url.lastIndexOf('/') + 1);
  return (await place.all()).filter((one) => one.url.startsWith(start));
}

async function refusalOf(creating: Promise<void>): Promise<ConnectorError | null> {
  try {
    await creating;
    return null;
  } catch (error) {
    if (error instanceof ConnectorError && error.isFinal) return error;
    throw error;
  }
}

/** Of those in order, the first that is a text. */
function wordsIn(body: unknown): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  const said = body as Record<string, unknown>;
  const [first] = Array.isArray(said['errors']) ? (said['errors'] as unknown[]) : [];
  const words = [first, said['message'], said['Message'], said['detail']];
  return words.map(wordsIn).find((text) => text !== '') ?? '';
}

/** What the tool answers about its webhooks is no verdict on the credentials: they may be right for everything else. */
const REFUSALS = [400, 402, 403, 404, 405, 422];

/**
 * A call about webhooks, whose refusal is told in the tool's own words.
 * @param call.expects further statuses that are an answer
 * @throws ConnectorError `refused`, beside those of every call
 */
export async function callAboutWebhooks(api: ToolApi, tool: string, call: ToolCall): Promise<ToolAnswer> {
  const expected = call.expects ?? [];
  const answer = await api.call({ ...call, expects: [...expected, ...REFUSALS] });
  if (!REFUSALS.includes(answer.status) || expected.includes(answer.status)) return answer;
  const said = toldReason(wordsIn(answer.body));
  throw new ConnectorError(
    'refused',
    `${tool} takes no webhook from us (${answer.status})${said === '' ? '.' : `: ${said}`}`,
  );
}

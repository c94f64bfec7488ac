import { ConnectorError, type InboundEvent, type PollResult, type ToolApi } from '../connector.ts';
import { readLists, readUnsubscribed } from './api.ts';

/** What happened may show late; a time is asked about once, when this has passed. */
const LAG_MS = 10 * 60_000;
const SECOND_MS = 1000;

const textOf = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

/**
 * There are no webhooks: asks who unsubscribed since. The rows say no time, so an event is known by the
 * contact and the start of the time that was asked about, and it happened no later than its end: who came back after that
 * on our page has come back.
 * @param cursor where the next time starts, whole seconds
 */
export async function poll(api: ToolApi, cursor: string | null): Promise<PollResult> {
  const end = Math.floor((api.now().getTime() - LAG_MS) / SECOND_MS) * SECOND_MS;
  if (cursor === null) return { events: [], cursor: textOf(end) };
  const start = Date.parse(cursor);
  if (Number.isNaN(start)) throw new ConnectorError('refused', 'We lost our place in the Sendlane events.');
  if (end <= start) return { events: [], cursor };
  const window = { from: textOf(start), to: textOf(end - SECOND_MS) };
  const at = new Date(end);
  const events: InboundEvent[] = [];
  for (const { id, email } of await readUnsubscribed(api, null, window)) {
    events.push({ id: `unsubscribed:${id}:${window.from}`, at, email, kind: 'unsubscribed' });
  }
  for (const { id: resource } of await readLists(api)) {
    for (const { id, email } of await readUnsubscribed(api, resource, window)) {
      const key = `list_unsubscribed:${resource}:${id}:${window.from}`;
      events.push({ id: key, at, email, kind: 'list_unsubscribed', resource });
    }
  }
  return { events, cursor: textOf(end) };
}

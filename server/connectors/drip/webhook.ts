import { z } from 'zod';
import {
  type OwnWebhook,
  path,
  type ToolApi,
  type ToolCall,
  type WebhookPlace,
} from '#server/connectors/connector.ts';
import { callAboutWebhooks } from '#server/connectors/webhook-places.ts';
import { read } from './api.ts';
import { EVENTS } from './inbound.ts';

const id = z.union([z.string(), z.number()]).transform(String);
const webhooks = z.object({
  webhooks: z.array(z.object({ id, post_url: z.string(), events: z.array(z.string()).nullish() })),
});

export function places(api: ToolApi, own: OwnWebhook): WebhookPlace[] {
  const call = (made: ToolCall) => callAboutWebhooks(api, 'Drip', made);

  async function create(): Promise<void> {
    const json = { webhooks: [{ post_url: own.url, include_received_email: false, events: EVENTS }] };
    await call({ method: 'POST', path: '/webhooks', json });
  }

  async function remove(webhook: string): Promise<void> {
    await call({ method: 'DELETE', path: path`/webhooks/${webhook}`, expects: [404] });
  }

  const place: WebhookPlace = {
    async all() {
      const { body } = await call({ method: 'GET', path: '/webhooks' });
      return read(webhooks, body).webhooks.map((one) => ({
        id: one.id,
        url: one.post_url,
        isRight: EVENTS.every((event) => one.events?.includes(event)),
      }));
    },
    create,
    // Drip changes none.
    async repair(webhook) {
      await remove(webhook);
      await create();
    },
    remove,
  };
  return [place];
}

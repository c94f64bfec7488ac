import { z } from 'zod';
import {
  type OwnWebhook,
  path,
  type ToolApi,
  type ToolCall,
  type WebhookPlace,
} from '#server/connectors/connector.ts';
import { callAboutWebhooks } from '#server/connectors/webhook-places.ts';
import { allLists, understood } from './api.ts';

const EVENTS = ['Subscribe', 'Deactivate', 'Update'];

const webhooks = z.array(
  z.object({
    WebhookID: z.string(),
    Url: z.string(),
    Events: z.array(z.string()),
    Status: z.string(),
    PayloadFormat: z.string(),
  }),
);

function placeOf(api: ToolApi, own: OwnWebhook, list: string): WebhookPlace {
  const call = (made: ToolCall) => callAboutWebhooks(api, 'Campaign Monitor', made);
  const at = path`/lists/${list}/webhooks.json`;

  async function create(): Promise<void> {
    await call({ method: 'POST', path: at, json: { Events: EVENTS, Url: own.url, PayloadFormat: 'json' } });
  }

  async function remove(id: string): Promise<void> {
    const one = path`/lists/${list}/webhooks/${id}.json`;
    await call({ method: 'DELETE', path: one, expects: [404] });
  }

  return {
    async all() {
      const { body } = await call({ method: 'GET', path: at });
      return understood(webhooks, body).map((one) => ({
        id: one.WebhookID,
        url: one.Url,
        isRight:
          // It turns one off after a week of errors.
          one.Status.toLowerCase() === 'active' &&
          one.PayloadFormat.toLowerCase() === 'json' &&
          EVENTS.every((event) => one.Events.includes(event)),
      }));
    },
    create,
    async repair(id) {
      await remove(id);
      await create();
    },
    remove,
  };
}

export async function places(api: ToolApi, own: OwnWebhook): Promise<WebhookPlace[]> {
  return (await allLists(api)).map(({ id }) => placeOf(api, own, id));
}

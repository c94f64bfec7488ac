import { z } from 'zod';
import {
  type OwnWebhook,
  path,
  type ToolApi,
  type ToolCall,
  type WebhookPlace,
} from '#server/connectors/connector.ts';
import { callAboutWebhooks } from '#server/connectors/webhook-places.ts';
import { id, PAGE, read } from './api.ts';

const EVENTS = ['subscribe', 'unsubscribe', 'bounce'];
/** All but ours: the tool would tell us what we wrote there. */
const SOURCES = ['public', 'admin', 'system'];

const webhooks = z.object({
  webhooks: z.array(
    z.object({ id, url: z.string(), events: z.array(z.string()), sources: z.array(z.string()) }),
  ),
});

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join() === other.toSorted().join();

export function places(api: ToolApi, own: OwnWebhook): WebhookPlace[] {
  const call = (made: ToolCall) => callAboutWebhooks(api, 'ActiveCampaign', made);
  const json = { webhook: { name: 'Sayso', url: own.url, events: EVENTS, sources: SOURCES } };

  async function pageFrom(offset: number) {
    const query = { limit: PAGE, offset };
    return read(webhooks, (await call({ method: 'GET', path: '/webhooks', query })).body).webhooks;
  }

  const place: WebhookPlace = {
    async all() {
      const found: Awaited<ReturnType<typeof pageFrom>> = [];
      for (;;) {
        const page = await pageFrom(found.length);
        found.push(...page);
        if (page.length < PAGE) break;
      }
      return found.map(({ events, sources, ...one }) => ({
        ...one,
        isRight: isSame(events, EVENTS) && isSame(sources, SOURCES),
      }));
    },
    async create() {
      await call({ method: 'POST', path: '/webhooks', json });
    },
    async repair(webhook) {
      await call({ method: 'PUT', path: path`/webhooks/${webhook}`, json });
    },
    async remove(webhook) {
      await call({ method: 'DELETE', path: path`/webhooks/${webhook}`, expects: [404] });
    },
  };
  return [place];
}

import { z } from 'zod';
import { type OwnWebhook, path, type ToolApi, type ToolCall, type WebhookPlace } from '../connector.ts';
import { callAboutWebhooks } from '../webhook-places.ts';
import { LARGEST_PAGE, pagination, read } from './api.ts';

const EVENTS = ['subscriber.unsubscribed', 'subscriber.complained', 'subscriber.bounced'];

const endpoint = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  url: z.string(),
  events: z.array(z.string()),
  status: z.string(),
});
const endpoints = z.object({ webhook_endpoints: z.array(endpoint), pagination });
const created = z.object({ webhook_endpoint: z.object({ secret: z.string() }) });

const ENDPOINTS = '/webhook_endpoints';

export function places(api: ToolApi, own: OwnWebhook): WebhookPlace[] {
  const call = (made: ToolCall) => callAboutWebhooks(api, 'ConvertKit', made);

  async function create(): Promise<void> {
    const json = { url: own.url, events: EVENTS, name: 'Sayso' };
    const answer = await call({ method: 'POST', path: ENDPOINTS, json });
    await own.keep(read(created, answer).webhook_endpoint.secret);
  }

  async function remove(id: string): Promise<void> {
    await call({ method: 'DELETE', path: path`/webhook_endpoints/${id}`, expects: [404] });
  }

  const place: WebhookPlace = {
    async all() {
      const found: z.infer<typeof endpoint>[] = [];
      let after: string | undefined;
      do {
        const query = { per_page: LARGEST_PAGE, after };
        const page = read(endpoints, await call({ method: 'GET', path: ENDPOINTS, query }));
        found.push(...page.webhook_endpoints);
        const { has_next_page: isMore, end_cursor: end } = page.pagination;
        after = isMore && end !== null ? end : undefined;
      } while (after !== undefined);
      return found.map(({ id, url, events, status }) => ({
        id,
        url,
        isRight:
          status === 'active' && own.secret() !== '' && EVENTS.every((event) => events.includes(event)),
      }));
    },
    create,
    async repair(id) {
      if (own.secret() !== '') {
        const json = { events: EVENTS, status: 'active' };
        await call({ method: 'PATCH', path: path`/webhook_endpoints/${id}`, json });
        return;
      }
      // Its secret was shown once, and not to us.
      await remove(id);
      await create();
    },
    remove,
  };
  return [place];
}

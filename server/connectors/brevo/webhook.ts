import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  type OwnWebhook,
  path,
  type ToolApi,
  type ToolCall,
  type WebhookPlace,
} from '#server/connectors/connector.ts';
import { readerOf } from '#server/connectors/reader.ts';
import { callAboutWebhooks } from '#server/connectors/webhook-places.ts';

const { answer: read } = readerOf('Brevo');

/** As they are registered; the notices call them otherwise. */
const EVENTS = ['unsubscribed', 'spam', 'hardBounce', 'listAddition', 'contactUpdated'];

const webhooks = z.object({
  webhooks: z
    .array(
      z.object({
        id: z.number(),
        url: z.string(),
        events: z.array(z.string()),
        auth: z.object({ token: z.string().optional() }).nullish().catch(null),
      }),
    )
    .nullish(),
});

export function places(api: ToolApi, own: OwnWebhook): WebhookPlace[] {
  const call = (made: ToolCall) => callAboutWebhooks(api, 'Brevo', made);

  /** With the token that the notices bear, which is ours to make up. */
  async function write(made: Pick<ToolCall, 'method' | 'path'>, more: object): Promise<void> {
    const token = own.secret() || randomBytes(24).toString('hex');
    await call({
      ...made,
      json: { url: own.url, events: EVENTS, auth: { type: 'bearer', token }, description: 'Sayso', ...more },
    });
    if (token !== own.secret()) await own.keep(token);
  }

  const place: WebhookPlace = {
    async all() {
      // Nobody has any: some accounts answer with 404.
      const answer = await call({
        method: 'GET',
        path: '/webhooks',
        query: { type: 'marketing' },
        expects: [404],
      });
      const found = answer.status === 404 ? [] : (read(webhooks, answer).webhooks ?? []);
      return found.map(({ id, url, events, auth }) => ({
        id: String(id),
        url,
        isRight:
          own.secret() !== '' &&
          auth?.token === own.secret() &&
          EVENTS.every((event) => events.includes(event)),
      }));
    },
    // Without its type, it would be about transactional mails.
    create: () => write({ method: 'POST', path: '/webhooks' }, { type: 'marketing' }),
    repair: (id) => write({ method: 'PUT', path: path`/webhooks/${id}` }, {}),
    async remove(id) {
      await call({ method: 'DELETE', path: path`/webhooks/${id}`, expects: [404] });
    },
  };
  return [place];
}

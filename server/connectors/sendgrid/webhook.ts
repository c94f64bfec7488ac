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

const { answer: read } = readerOf('SendGrid');

const SETTINGS = '/v3/user/webhooks/event/settings';

const WANTED = {
  enabled: true,
  unsubscribe: true,
  group_unsubscribe: true,
  group_resubscribe: true,
  spam_report: true,
  bounce: true,
};

const webhook = z.looseObject({ id: z.string(), url: z.string() });
// An account without webhooks answers with an empty object among them.
const webhooks = z.object({ webhooks: z.array(z.unknown()) });
const signing = z.object({ public_key: z.string().nullish() });

export function places(api: ToolApi, own: OwnWebhook): WebhookPlace[] {
  const call = (made: ToolCall) => callAboutWebhooks(api, 'SendGrid', made);
  const json = { ...WANTED, url: own.url, friendly_name: 'Sayso' };

  async function readKey(id: string): Promise<string> {
    const answer = await call({ method: 'GET', path: signedPath(id), expects: [404] });
    return answer.status === 404 ? '' : (read(signing, answer).public_key ?? '');
  }

  async function sign(id: string): Promise<void> {
    const known = await readKey(id);
    const made = { method: 'PATCH', path: signedPath(id), json: { enabled: true } } as const;
    const key = known === '' ? (read(signing, await call(made)).public_key ?? '') : known;
    if (key !== own.secret()) await own.keep(key);
  }

  async function isRight(one: z.infer<typeof webhook>): Promise<boolean> {
    if (Object.entries(WANTED).some(([name, isOn]) => one[name] !== isOn)) return false;
    const key = await readKey(one.id);
    return key !== '' && key === own.secret();
  }

  const place: WebhookPlace = {
    async all() {
      const answer = await call({ method: 'GET', path: `${SETTINGS}/all` });
      const found = read(webhooks, answer).webhooks.flatMap((one) => webhook.safeParse(one).data ?? []);
      return Promise.all(
        found.map(async (one) => ({
          id: one.id,
          url: one.url,
          isRight: one.url === own.url && (await isRight(one)),
        })),
      );
    },
    async create() {
      const { id } = read(webhook, await call({ method: 'POST', path: SETTINGS, json }));
      await sign(id);
    },
    async repair(id) {
      await call({ method: 'PATCH', path: settingsPath(id), json });
      await sign(id);
    },
    async remove(id) {
      await call({ method: 'DELETE', path: settingsPath(id), expects: [404] });
    },
  };
  return [place];
}

const settingsPath = (id: string) => `${SETTINGS}${path`/${id}`}`;
const signedPath = (id: string) => `${SETTINGS}/signed${path`/${id}`}`;

import { z } from 'zod';
import { type OwnWebhook, path, type ToolApi, type ToolCall, type WebhookPlace } from '../connector.ts';
import { callAboutWebhooks } from '../webhook-places.ts';
import { allOf, read, readAudiences } from './api.ts';

const EVENTS = {
  subscribe: true,
  unsubscribe: true,
  profile: false,
  cleaned: true,
  upemail: true,
  campaign: false,
};
/** All but ours: the tool would tell us what we wrote there. */
const SOURCES = { user: true, admin: true, api: false };

const flags = z.record(z.string(), z.boolean());
const webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: flags.catch({}),
  sources: flags.catch({}),
});
const created = z.object({ id: z.string(), signing_secret: z.string().nullish() });

/*
 * Each audience has a webhook of its own, whose secret is told once. All of them are kept in one text: a line for each, with
 * the audience, the webhook and its secret. What an owner entered is a line of the secret alone.
 */

const SEPARATOR = '\t';

interface Kept {
  /** Empty: the owner entered it. */
  of: string;
  /** Empty: Mailchimp told none, and signs nothing. */
  secret: string;
}

export function keptIn(text: string): Kept[] {
  if (text === '') return [];
  return text.split('\n').map((line) => {
    const [first = '', second] = line.split(SEPARATOR);
    return second === undefined ? { of: '', secret: first } : { of: first, secret: second };
  });
}

const textOf = (kept: readonly Kept[]) =>
  kept.map(({ of, secret }) => (of === '' ? secret : `${of}${SEPARATOR}${secret}`)).join('\n');

const has = (given: Readonly<Record<string, boolean>>, wanted: Readonly<Record<string, boolean>>) =>
  Object.entries(wanted).every(([name, isOn]) => (given[name] ?? false) === isOn);

function placeOf(api: ToolApi, own: OwnWebhook, audience: string): WebhookPlace {
  const at = path`/lists/${audience}/webhooks`;
  const call = (made: ToolCall) => callAboutWebhooks(api, 'Mailchimp', made);
  const json = { url: own.url, events: EVENTS, sources: SOURCES };
  const keyOf = (id: string) => `${audience}/${id}`;
  const isKept = (id: string) =>
    keptIn(own.secret()).some(({ of, secret }) => of === keyOf(id) || (of === '' && secret !== ''));

  async function create(): Promise<void> {
    const { id, signing_secret: secret } = read(created, await call({ method: 'POST', path: at, json }));
    const others = keptIn(own.secret()).filter(({ of }) => of !== '' && !of.startsWith(`${audience}/`));
    await own.keep(textOf([...others, { of: keyOf(id), secret: secret ?? '' }]));
  }

  async function remove(id: string): Promise<void> {
    await call({ method: 'DELETE', path: path`/lists/${audience}/webhooks/${id}`, expects: [404] });
  }

  return {
    async all() {
      const found = await allOf(api, {
        path: at,
        key: 'webhooks',
        row: webhook,
        fields: 'id,url,events,sources',
      });
      return found.map(({ id, url, events, sources }) => ({
        id,
        url,
        isRight: has(events, EVENTS) && has(sources, SOURCES) && isKept(id),
      }));
    },
    create,
    async repair(id) {
      if (isKept(id)) {
        await call({ method: 'PATCH', path: path`/lists/${audience}/webhooks/${id}`, json });
        return;
      }
      // Its secret is never told again, and one URL is taken once.
      await remove(id);
      await create();
    },
    remove,
  };
}

export async function places(api: ToolApi, own: OwnWebhook): Promise<WebhookPlace[]> {
  return (await readAudiences(api)).map(({ id }) => placeOf(api, own, id));
}

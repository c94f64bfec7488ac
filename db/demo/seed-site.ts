import type { ChoiceEvent } from '#contract/choices.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { pageAttrs } from '#contract/preference-pages.ts';
import type { Site } from '#contract/sites.ts';
import { createAccount } from '#server/accounts/accounts/accounts.ts';
import { findUserByLogin, type UserRow } from '#server/accounts/users/users.sql.ts';
import { allLists, createList } from '#server/audience/lists/lists.ts';
import { choosable } from '#server/choices/choices/choices.ts';
import { allActions } from '#server/delivery/actions/actions.sql.ts';
import { createAction } from '#server/delivery/actions/actions.ts';
import { createPage, listPages } from '#server/pages/preference-pages/preference-pages.ts';
import { requirePageById } from '#server/pages/preference-pages/public-pages.ts';
import { ConfigError } from '#server/platform/config.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { DEMO_PASSWORD } from './demo.ts';
import type { SeededSite } from './millions-rows.ts';
import { ACME_LISTS } from './texts.ts';

const WEBHOOK_URL = 'http://127.0.0.1:4999/hooks/millions';

/** @throws ConfigError in production: the accounts have a known password */
export function refuseProduction({ config }: Services): void {
  if (!config.production) return;
  throw new ConfigError('The crowd has a known password; it is not made when NODE_ENV is production.');
}

/** An account with the demo's password, created unless it exists. */
export async function findOrCreateOwner(
  services: Services,
  username: string,
): Promise<Pick<UserRow, 'id' | 'organization_id'>> {
  const known = await findUserByLogin(services.database.global, username);
  if (known !== undefined) return known;
  const { id } = await createAccount(services, {
    username,
    email: `${username}@example.com`,
    password: DEMO_PASSWORD,
    first_name: 'Mina',
    last_name: 'Marchetti',
  });
  return { id, organization_id: null };
}

/** A page in all languages that lets new customers in. */
export async function createDemoPage(
  services: Services,
  siteId: string,
  ownerId: string,
  { name, listIds }: { name: string; listIds: readonly string[] },
): Promise<void> {
  await createPage(services, siteId, ownerId, {
    name,
    custom_path: 'preferences',
    allow_customer_create: true,
    logo: '',
    favicon: '',
    active_languages: [...LANGUAGES],
    embed_origins: [],
    lists: listIds.map((id) => ({ id })),
    attrs: pageAttrs.parse({}),
  });
}

/** A webhook for changes of any list. @param webhook.receiver how its name begins */
export async function createDemoWebhook(
  services: Services,
  siteId: string,
  { receiver, event, url }: { receiver: string; event: ChoiceEvent; url: string },
): Promise<void> {
  await createAction(services, siteId, {
    type: 'webhook',
    name: `${receiver}: ${event.replaceAll('_', ' ')}`,
    enabled: true,
    integration_id: null,
    trigger: { event, list_ids: [] },
    operation: null,
    target: { url },
  });
}

/** What a site has before it gets customers. */
interface Seed {
  lists: number;
  /** A webhook is sent for each. */
  events: readonly ChoiceEvent[];
}

/** Creates a site's lists, page and webhooks, as far as they are missing. */
export async function seedSite(
  services: Services,
  siteId: string,
  ownerId: string,
  { lists: count, events }: Seed,
): Promise<void> {
  const { lists, actions } = await listsAndActions(services, siteId);
  const listIds = lists.map(({ id }) => id);
  for (const list of ACME_LISTS.slice(lists.length, count)) {
    listIds.push((await createList(services, siteId, list)).id);
  }
  if ((await listPages(services, siteId)).length === 0) {
    await createDemoPage(services, siteId, ownerId, { name: 'Preferences', listIds });
  }
  for (const event of events) {
    if (actions.some((action) => action.event === event)) continue;
    await createDemoWebhook(services, siteId, { receiver: 'The shop', event, url: WEBHOOK_URL });
  }
}

function listsAndActions(services: Services, siteId: string) {
  return services.database.readSite(siteId, async (tx) => ({
    lists: await allLists(tx),
    actions: await allActions(tx),
  }));
}

/** A seeded site as its customers are generated for it. */
export async function loadSeededSite(
  services: Services,
  { id: siteId, domain_name: host }: Pick<Site, 'id' | 'domain_name'>,
): Promise<SeededSite> {
  const { lists, actions } = await listsAndActions(services, siteId);
  const [page] = await listPages(services, siteId);
  return {
    id: siteId,
    host,
    lists: lists.map(choosable),
    page: await requirePageById(services, siteId, page?.id ?? ''),
    actions,
    keyId: newId(),
  };
}

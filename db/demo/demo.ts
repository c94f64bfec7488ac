import { LANGUAGES } from '#contract/fields.ts';
import type { ImageKind } from '#contract/images.ts';
import { pageAttrs } from '#contract/preference-pages.ts';
import { changeAccount, createAccount } from '#server/accounts/accounts/accounts.ts';
import { createOrganization } from '#server/accounts/organizations/organizations.ts';
import { changeSite } from '#server/accounts/sites/change-site.ts';
import { createSite, listSites } from '#server/accounts/sites/sites.ts';
import { findUserByLogin, updateUser, type UserRow } from '#server/accounts/users/users.sql.ts';
import { searchCustomers } from '#server/audience/customers/customer-search.ts';
import { allLists, createList } from '#server/audience/lists/lists.ts';
import { allActions, updateAction } from '#server/delivery/actions/actions.sql.ts';
import { choosable } from '#server/choices/choices/choices.ts';
import { createAction } from '#server/delivery/actions/actions.ts';
import { addImage } from '#server/pages/images/images.ts';
import { createPage, listPages } from '#server/pages/preference-pages/preference-pages.ts';
import { requirePageById } from '#server/pages/preference-pages/public-pages.ts';
import type { Clock } from '#server/platform/clock.ts';
import { ConfigError } from '#server/platform/config.ts';
import type { Services } from '#server/platform/services.ts';
import { analyzeGrownTables } from '#server/platform/table-statistics.ts';
import { listIntegrations } from '#server/sync/tool-setup/tool-setup.ts';
import { mintLinks } from '#server/visit/customers/mint-links.ts';
import { fakeToolsAt, type FakeToolsClient } from './fake-tools.ts';
import { DAYS, generatePast } from './history.ts';
import { insertPast } from './insert-past.ts';
import { ACME_ICON, ACME_LOGO, LABS_LOGO } from './logos.ts';
import { AWAY_FOR_MS } from './receiver.ts';
import { ACME_LISTS, LABS_LISTS } from './texts.ts';
import { connectTools, fillTools } from './tools.ts';

export const DEMO_PASSWORD = 'sayso-demo';

/** Where nobody listens: choices made in the demo become deliveries that wait, and can be watched doing so. */
export const DEMO_WEBHOOK_URL = 'http://127.0.0.1:4999/hooks/preferences';

const CUSTOMERS = 5000;
const CUSTOMERS_OF_LABS = 60;

/** The shop's tools were connected this long ago. */
const TOOLS_FOR_MS = 30 * 86_400_000;

/**
 * Makes the demo worlds, or finds them: `acme`, a shop with three months behind it, and `blank`, an owner who has
 * only just signed up.
 * @param options.fakeTools where the stand-ins of the email tools tell of themselves; without it the shop has none.
 *   They begin empty at each start, so each start fills them with the customers as they are by then.
 * @returns what to print: sign-ins, hosts and example links
 */
export async function createDemoWorld(
  services: Services,
  options: { customers?: number; fakeTools?: string } = {},
): Promise<string> {
  if (services.config.production) {
    throw new ConfigError('The demo world has known passwords; it is not made when NODE_ENV is production.');
  }
  const known = await findUserByLogin(services.database.global, 'acme');
  const tools = options.fakeTools === undefined ? null : fakeToolsAt(services, options.fakeTools);
  const owner = known ?? (await buildAcme(services, options.customers ?? CUSTOMERS, tools));
  if (tools !== null) await bringTools(services, owner, tools);
  if ((await findUserByLogin(services.database.global, 'blank')) === undefined) {
    const person = { first_name: 'Ben', last_name: 'Ortiz' };
    await createAccount(services, {
      username: 'blank',
      email: 'blank@example.com',
      password: DEMO_PASSWORD,
      ...person,
    });
  }
  return describeWorlds(services, owner);
}

/** The time as it goes by, had it begun then. */
function clockFrom(clock: Clock, then: Date): Clock {
  const agoMs = clock.now().getTime() - then.getTime();
  return { now: () => new Date(clock.now().getTime() - agoMs), wait: (ms) => clock.wait(ms) };
}

async function buildAcme(
  services: Services,
  customers: number,
  tools: FakeToolsClient | null,
): Promise<UserRow> {
  const { clock, database } = services;
  const now = clock.now();
  // The shop opened before its first customer came.
  const openedAt = new Date(now.getTime() - (DAYS + 2) * 86_400_000);
  const then: Services = {
    ...services,
    clock: { now: () => openedAt, wait: (ms) => services.clock.wait(ms) },
  };
  const account = await createAccount(then, {
    username: 'acme',
    email: 'acme@example.com',
    password: DEMO_PASSWORD,
    first_name: 'Nora',
    last_name: 'Lindqvist',
  });
  const organization = await createOrganization(then, account.id, 'Acme Outdoor');
  await changeAccount(then, account.id, account.id, { organization: organization.id });
  await buildShop(then, { ownerId: account.id, organizationId: organization.id }, { customers, now, tools });
  await buildLabs(then, { ownerId: account.id, organizationId: organization.id }, now);
  const owner = await updateUser(database.global, account.id, { plan_groups: ['appsumo_tier3'] });
  if (owner === undefined) throw new Error('The owner of the demo world is gone');
  return owner;
}

/** A shop that was made without tools gets them now, with no past. */
async function bringTools(services: Services, owner: UserRow, tools: FakeToolsClient): Promise<void> {
  const sites = await listSites(services, owner.organization_id ?? '');
  const shop = sites.find(({ domain_name }) => domain_name.startsWith('acme.'));
  if (shop === undefined) return;
  const lists = await services.database.readSite(shop.id, allLists);
  if ((await listIntegrations(services, shop.id)).length === 0) {
    await connectTools(services, shop.id, lists, tools);
  }
  await fillTools(services, shop.id, lists, tools);
}

async function picture(services: Services, siteId: string, kind: ImageKind, svg: string): Promise<string> {
  return (await addImage(services, siteId, kind, Buffer.from(svg))).url;
}

interface Place {
  ownerId: string;
  organizationId: string;
}

async function buildShop(
  services: Services,
  { ownerId, organizationId }: Place,
  { customers, now, tools }: { customers: number; now: Date; tools: FakeToolsClient | null },
): Promise<void> {
  const site = await createSite(services, organizationId, {
    domain_name: 'acme',
    name: 'Acme Outdoor',
  });
  const lists = [];
  for (const list of ACME_LISTS) lists.push(await createList(services, site.id, list));
  const common = {
    logo: await picture(services, site.id, 'logo', ACME_LOGO),
    favicon: await picture(services, site.id, 'favicon', ACME_ICON),
    active_languages: [...LANGUAGES],
    embed_origins: [],
  };
  await createPage(services, site.id, ownerId, {
    ...common,
    name: 'Acme Outdoor',
    custom_path: 'preferences',
    allow_customer_create: true,
    lists: lists.map(({ id }) => ({ id })),
    attrs: pageAttrs.parse({ primary_color: '#1F6F5C', text_color: '#1D2B27', background_color: '#F4F7F4' }),
  });
  await createPage(services, site.id, ownerId, {
    ...common,
    name: 'The Acme Letter',
    custom_path: 'letter',
    allow_customer_create: true,
    lists: lists.slice(0, 4).map(({ id }) => ({ id })),
    attrs: pageAttrs.parse({
      template_id: 'stacked_marketer_template',
      primary_color: '#B4481E',
      text_color: '#2A211C',
      background_color: '#FBF6F1',
    }),
  });
  const action = await createAction(services, site.id, {
    type: 'webhook',
    name: 'Send unsubscribes to the shop',
    enabled: true,
    integration_id: null,
    trigger: { event: 'unsubscribed', list_ids: [] },
    operation: null,
    target: { url: DEMO_WEBHOOK_URL },
  });
  const since = new Date(now.getTime() - TOOLS_FOR_MS);
  if (tools !== null) {
    await connectTools({ ...services, clock: clockFrom(services.clock, since) }, site.id, lists, tools);
  }
  await fill(services, site, { webhookId: action.id, toolsSince: since, count: customers, now, seed: 1 });
}

async function buildLabs(services: Services, { ownerId, organizationId }: Place, now: Date): Promise<void> {
  const site = await createSite(services, organizationId, {
    domain_name: 'acme-labs',
    name: 'Acme Labs',
  });
  const lists = [];
  for (const list of LABS_LISTS) lists.push(await createList(services, site.id, list));
  await createPage(services, site.id, ownerId, {
    name: 'Acme Labs',
    custom_path: 'preferences',
    allow_customer_create: false,
    logo: await picture(services, site.id, 'logo', LABS_LOGO),
    favicon: await picture(services, site.id, 'favicon', LABS_LOGO),
    active_languages: ['en', 'de'],
    embed_origins: [],
    lists: lists.map(({ id }) => ({ id })),
    attrs: pageAttrs.parse({ primary_color: '#4B3F8F', enhanced_security: true }),
  });
  await fill(services, site, {
    webhookId: null,
    toolsSince: now,
    count: CUSTOMERS_OF_LABS,
    now,
    seed: 2,
  });
}

/** All of a site's past in one transaction: it is there whole, or not at all. */
async function fill(
  services: Services,
  site: { id: string; domain_name: string },
  past: { webhookId: string | null; toolsSince: Date; count: number; now: Date; seed: number },
): Promise<void> {
  const { lists, actions } = await services.database.readSite(site.id, async (tx) => ({
    lists: await allLists(tx),
    actions: await allActions(tx),
  }));
  const pages = await listPages(services, site.id);
  const integrations = await listIntegrations(services, site.id);
  const rows = await generatePast(services, {
    ...past,
    siteId: site.id,
    host: site.domain_name,
    lists: lists.map(choosable),
    pages: await Promise.all(pages.map(({ id }) => requirePageById(services, site.id, id))),
    actions,
    tools: {
      since: past.toolsSince,
      byIntegration: new Map(integrations.map(({ id, provider, name }) => [id, { id: provider, name }])),
    },
  });
  // The site before has filled the tables: what rows of this one refer to is found by its key.
  await analyzeGrownTables(services.database.global);
  await changeSite(services, site.id, async (tx) => {
    await insertPast(tx, rows);
    const awaySince = new Date(past.now.getTime() - AWAY_FOR_MS);
    if (past.webhookId !== null) await updateAction(tx, past.webhookId, { failing_since: awaySince });
  });
}

async function describeWorlds(services: Services, owner: UserRow): Promise<string> {
  const sites = await listSites(services, owner.organization_id ?? '');
  const lines: string[] = [];
  for (const site of sites) {
    lines.push(`  ${site.name}`);
    const pages = await listPages(services, site.id);
    for (const page of pages) lines.push(`    page            ${page.url}`);
    const { results } = await searchCustomers(services, site.id, { limit: 1 });
    const customer = results[0];
    if (customer === undefined) continue;
    const links = await mintLinks(services, site.id, customer.id, {});
    lines.push(`    personal link   ${links.preference_url}`, `    unsubscribe     ${links.one_click_url}`);
  }
  return [
    '',
    `Log in at ${services.config.appUrl}/login. Every password is ${DEMO_PASSWORD}.`,
    '  acme    an outdoor shop with three months of choices and deliveries',
    '  blank   an owner who has just signed up',
    '',
    ...lines,
    '',
  ].join('\n');
}

import pg from 'pg';
import type { ChoiceEvent } from '#contract/choices.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { pageAttrs } from '#contract/preference-pages.ts';
import type { Site } from '#contract/sites.ts';
import { changeAccount, createAccount } from '#server/accounts/accounts/accounts.ts';
import { createOrganization } from '#server/accounts/organizations/organizations.ts';
import { createSite, listSites } from '#server/accounts/sites/sites.ts';
import { findUserByLogin, type UserRow } from '#server/accounts/users/users.sql.ts';
import { tidyCounters } from '#server/audience/counters/counters.ts';
import { allLists, createList } from '#server/audience/lists/lists.ts';
import { choosable } from '#server/choices/choices/choices.ts';
import { allActions } from '#server/delivery/actions/actions.sql.ts';
import { createAction } from '#server/delivery/actions/actions.ts';
import { createPage, listPages } from '#server/pages/preference-pages/preference-pages.ts';
import { requirePageById } from '#server/pages/preference-pages/public-pages.ts';
import { ConfigError } from '#server/platform/config.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { analyzeGrownTables } from '#server/platform/table-statistics.ts';
import { copyPortions } from './copy-portions.ts';
import { DEMO_PASSWORD } from './demo.ts';
import type { PeopledSite, Portion } from './millions-rows.ts';
import { requireRoom } from './room.ts';
import { ACME_LISTS } from './texts.ts';

export const MOST_CUSTOMERS = 10_000_000;

/** Written in one transaction each, so that it can be stopped and goes on later. */
const PORTION = 5_000;

/** Measured at ten million (docs/performance.md), with indexes. */
const BYTES_PER_CUSTOMER = 1_000;

/** The written-ahead log, whatever the number. */
const BYTES_IN_ANY_CASE = 2_000_000_000;

const USERNAME = 'millions';
const LISTS = 3;

const WEBHOOK_URL = 'http://127.0.0.1:4999/hooks/millions';

export interface Making {
  /** Of the role that owns the tables. */
  ownerUrl: string;
  /** Hears how far it is. */
  say: (progress: string) => void;
  /** Ends it after the portions that are being written. */
  signal?: AbortSignal | undefined;
}

/**
 * Makes one site with very many customers, one in ten of whom has chosen, or goes on where it was stopped or killed.
 * @param making.customers how many there are to be in the end
 * @returns what to print: the sign-in
 * @throws ConfigError in production, or without one and a half times the room that it needs
 */
export async function createMillions(
  services: Services,
  {
    customers,
    ownerUrl,
    say,
    signal,
    portion = PORTION,
    onPortion,
  }: Making & {
    customers: number;
    /** How many are written in one transaction. */
    portion?: number;
    /** After each of them. */
    onPortion?: () => void;
  },
): Promise<string> {
  refuseProduction(services);
  const known = await findSite(services);
  const made = known === undefined ? 0 : await countRows(ownerUrl, known.id);
  if (made < customers) {
    await requireRoom(services.config, {
      bytes: (customers - made) * BYTES_PER_CUSTOMER + BYTES_IN_ANY_CASE,
      what: `${(customers - made).toLocaleString('en')} customers need`,
      smaller: 'ask for fewer customers (crowd=1000000)',
    });
  }
  const site = await peopledSite(services, known ?? (await makeSite(services)));
  const nowMs = services.clock.now().getTime();
  const progress = createProgress({ made, customers, say });
  await copyPortions(portionsOf(site, { made, customers, portion, nowMs }), {
    customers: customers - made,
    ownerUrl,
    config: services.config,
    signal,
    onWritten(written) {
      progress.add(written);
      onPortion?.();
    },
  });
  if (made < customers) await tidyCounters(services, site.id);
  await analyzeGrownTables(services.database.global);
  if (progress.made() < customers) return `${progress.text()}; the next start goes on from there.`;
  return `  ${USERNAME}  ${customers.toLocaleString('en')} customers, to try very large data; the password is ${DEMO_PASSWORD}\n`;
}

export function refuseProduction({ config }: Services): void {
  if (!config.production) return;
  throw new ConfigError('The crowd has a known password; it is not made when NODE_ENV is production.');
}

function* portionsOf(
  site: PeopledSite,
  { made, customers, portion, nowMs }: { made: number; customers: number; portion: number; nowMs: number },
): Generator<Portion[]> {
  for (let from = made; from < customers; from += portion) {
    yield [{ site, from, count: Math.min(portion, customers - from), total: customers, nowMs }];
  }
}

const SAY_EVERY_MS = 5000;

/** Says how many there are, how fast they come and how long it will take. */
export function createProgress({
  made: madeBefore,
  customers,
  say,
}: {
  made: number;
  customers: number;
  say: (progress: string) => void;
}) {
  const beganMs = Date.now();
  let made = madeBefore;
  let saidMs = beganMs;
  const text = () => `The crowd: ${made.toLocaleString('en')} of ${customers.toLocaleString('en')} customers`;

  function pace(): string {
    const perSecond = (made - madeBefore) / Math.max(0.001, (Date.now() - beganMs) / 1000);
    const left = (customers - made) / perSecond;
    const time = left < 90 ? `${Math.ceil(left)} seconds` : `${Math.ceil(left / 60)} minutes`;
    return `${Math.round(perSecond).toLocaleString('en')} a second, ${time} left`;
  }

  return {
    made: () => made,
    text,
    add(written: number): void {
      made += written;
      if (made < customers && Date.now() < saidMs + SAY_EVERY_MS) return;
      saidMs = Date.now();
      say(made < customers ? `${text()}, ${pace()}` : text());
    },
  };
}

/** All that were ever written, so that the next one has a number of its own. Takes a while, so not in the product's pool. */
async function countRows(ownerUrl: string, siteId: string): Promise<number> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(
      'select count(*) as count from customers where site_id = $1',
      [siteId],
    );
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}

const EVENTS = ['subscribed', 'unsubscribed', 'global_unsubscribed'] as const;

/** undefined unless it was made and furnished. */
async function findSite(services: Services): Promise<Site | undefined> {
  const owner = await findUserByLogin(services.database.global, USERNAME);
  const organizationId = owner?.organization_id ?? null;
  if (owner === undefined || organizationId === null) return undefined;
  const [site] = await listSites(services, organizationId);
  if (site !== undefined) await furnishSite(services, site.id, owner.id, { lists: LISTS, events: EVENTS });
  return site;
}

async function makeSite(services: Services): Promise<Site> {
  const owner = await findOrMakeOwner(services, USERNAME);
  const organizationId = owner.organization_id ?? (await makeOrganization(services, owner.id));
  const site = await createSite(services, organizationId, { domain_name: 'millions', name: 'Millions' });
  await furnishSite(services, site.id, owner.id, { lists: LISTS, events: EVENTS });
  return site;
}

async function makeOrganization(services: Services, ownerId: string): Promise<string> {
  const organization = await createOrganization(services, ownerId, 'Millions Mail Order');
  await changeAccount(services, ownerId, ownerId, { organization: organization.id });
  return organization.id;
}

/** An account with the demo's password. */
export async function findOrMakeOwner(
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

/** What a site has before its customers come. */
interface Furniture {
  lists: number;
  /** Each is told to the shop. */
  events: readonly ChoiceEvent[];
}

/** Brings a site its lists, its page and its webhooks, as far as they are missing. */
export async function furnishSite(
  services: Services,
  siteId: string,
  ownerId: string,
  { lists: count, events }: Furniture,
): Promise<void> {
  const { lists, actions } = await listsAndActions(services, siteId);
  const listIds = lists.map(({ id }) => id);
  for (const list of ACME_LISTS.slice(lists.length, count)) {
    listIds.push((await createList(services, siteId, list)).id);
  }
  if ((await listPages(services, siteId)).length === 0) {
    await createPage(services, siteId, ownerId, {
      name: 'Preferences',
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
  for (const event of events) {
    if (actions.some((action) => action.event === event)) continue;
    await createAction(services, siteId, {
      type: 'webhook',
      name: `The shop: ${event.replaceAll('_', ' ')}`,
      enabled: true,
      integration_id: null,
      trigger: { event, list_ids: [] },
      operation: null,
      target: { url: WEBHOOK_URL },
    });
  }
}

function listsAndActions(services: Services, siteId: string) {
  return services.database.readSite(siteId, async (tx) => ({
    lists: await allLists(tx),
    actions: await allActions(tx),
  }));
}

/** A furnished site as its customers are invented for it. */
export async function peopledSite(
  services: Services,
  { id: siteId, domain_name: host }: Pick<Site, 'id' | 'domain_name'>,
): Promise<PeopledSite> {
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

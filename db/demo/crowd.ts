import type { Site } from '#contract/sites.ts';
import { changeAccount, createAccount } from '#server/accounts/accounts/accounts.ts';
import { createOrganization } from '#server/accounts/organizations/organizations.ts';
import { createSite, listSites } from '#server/accounts/sites/sites.ts';
import { findUserByLogin } from '#server/accounts/users/users.sql.ts';
import { countCustomers } from '#server/audience/customers/customers.sql.ts';
import { allLists, createList } from '#server/audience/lists/lists.ts';
import { allActions } from '#server/delivery/actions/actions.sql.ts';
import { choosable } from '#server/choices/choices/choices.ts';
import { listPages } from '#server/pages/preference-pages/preference-pages.ts';
import { requirePageById } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';
import { DEMO_PASSWORD } from './demo.ts';
import { generatePast, type Past } from './history.ts';
import { insertPast } from './insert-past.ts';
import { createDemoPage, createDemoWebhook, refuseProduction } from './seed-site.ts';
import { ACME_LISTS } from './texts.ts';

const CUSTOMERS = 100_000;

/** How many each customer causes, by the actions below. */
const DELIVERIES_PER_CUSTOMER = 10;

/** Written in one transaction each, so that it can be stopped and goes on later. */
const PORTION = 500;

/** What arrived longer ago than this is told without its attempts: a million requests would fill gigabytes. */
const ATTEMPTS_OF_DAYS = 7;

const WEBHOOK_URL = 'http://127.0.0.1:4999/hooks/crowd';

/** The systems of a large shop, and the events each is sent. */
const RECEIVERS = [
  ['customer_created', ['The shop', 'The data warehouse', 'Customer care', 'The app']],
  ['subscribed', ['The shop', 'The data warehouse', 'Customer care', 'The app', 'The loyalty programme']],
  ['unsubscribed', ['The shop', 'The data warehouse', 'Customer care', 'The app']],
  ['global_unsubscribed', ['The shop', 'The data warehouse', 'Customer care', 'The app']],
  ['email_changed', ['The shop', 'Customer care']],
] as const;

/**
 * Makes a site with a hundred thousand customers and a million deliveries, or goes on where it was stopped.
 * @param options.customers how many there are to be in the end
 * @param options.say hears how far it is
 * @param options.signal ends it after the portion that is being written
 * @returns what to print: the sign-in
 */
export async function createCrowd(
  services: Services,
  {
    customers = CUSTOMERS,
    say,
    signal,
  }: { customers?: number; say: (progress: string) => void; signal?: AbortSignal },
): Promise<string> {
  refuseProduction(services);
  const site = await findOrMakeSite(services);
  const past = await pastOf(services, site);
  const emails = await addressesOf(services, site.id);
  let made = await services.database.readSite(site.id, countCustomers);
  while (made < customers && signal?.aborted !== true) {
    const count = Math.min(PORTION, customers - made);
    await addPortion(services, { ...past, count, seed: 1000 + made, emails });
    made += count;
    if (made % (10 * PORTION) === 0 || made === customers) say(progressOf(made, customers));
  }
  if (made < customers) return `${progressOf(made, customers)}; the next start goes on from there.`;
  return `  crowd   ${customers.toLocaleString('en')} customers, to try large data; the password is ${DEMO_PASSWORD}\n`;
}

const progressOf = (made: number, customers: number) =>
  `The crowd: ${made.toLocaleString('en')} of ${customers.toLocaleString('en')} customers`;

type Place = Pick<Site, 'id' | 'domain_name'>;

async function findOrMakeSite(services: Services): Promise<Place> {
  const known = await findUserByLogin(services.database.global, 'crowd');
  if (known === undefined) return makeSite(services, await makeOwner(services));
  const sites = known.organization_id === null ? [] : await listSites(services, known.organization_id);
  return sites[0] ?? makeSite(services, known.id);
}

async function makeOwner(services: Services): Promise<string> {
  const person = { first_name: 'Cora', last_name: 'Weiss' };
  const account = await createAccount(services, {
    username: 'crowd',
    email: 'crowd@example.com',
    password: DEMO_PASSWORD,
    ...person,
  });
  return account.id;
}

async function makeSite(services: Services, ownerId: string): Promise<Place> {
  const organization = await createOrganization(services, ownerId, 'Crowd Department Stores');
  await changeAccount(services, ownerId, ownerId, { organization: organization.id });
  const site = await createSite(services, organization.id, { domain_name: 'crowd', name: 'Crowd' });
  const listIds: string[] = [];
  for (const list of ACME_LISTS) listIds.push((await createList(services, site.id, list)).id);
  await createDemoPage(services, site.id, ownerId, { name: 'Crowd', listIds });
  for (const [event, receivers] of RECEIVERS) {
    for (const receiver of receivers) {
      await createDemoWebhook(services, site.id, { receiver, event, url: WEBHOOK_URL });
    }
  }
  return site;
}

async function pastOf(services: Services, site: Place): Promise<Omit<Past, 'count' | 'seed' | 'emails'>> {
  const { lists, actions } = await services.database.readSite(site.id, async (tx) => ({
    lists: await allLists(tx),
    actions: await allActions(tx),
  }));
  const pages = await listPages(services, site.id);
  const now = services.clock.now();
  return {
    siteId: site.id,
    host: site.domain_name,
    lists: lists.map(choosable),
    pages: await Promise.all(pages.map(({ id }) => requirePageById(services, site.id, id))),
    actions,
    tools: { since: now, byIntegration: new Map() },
    now,
  };
}

async function addressesOf(services: Services, siteId: string): Promise<Set<string>> {
  const rows = await services.database.readSite(siteId, (tx) =>
    tx.db
      .selectFrom('customers')
      .select('email_key')
      .where('site_id', '=', siteId)
      .where('email_key', 'is not', null)
      .execute(),
  );
  return new Set(rows.map(({ email_key }) => email_key ?? ''));
}

async function addPortion(services: Services, past: Past): Promise<void> {
  const longAgo = past.now.getTime() - ATTEMPTS_OF_DAYS * 86_400_000;
  const rows = await generatePast(services, {
    ...past,
    isTold: ({ status, created_at }) => status !== 'arrived' || created_at.getTime() > longAgo,
  });
  const deliveries = evenly(rows.deliveries, past.count * DELIVERIES_PER_CUSTOMER);
  await services.database.inSite(past.siteId, (tx) => insertPast(tx, { ...rows, deliveries }));
}

/** So many of them, from everywhere alike. */
function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T);
}

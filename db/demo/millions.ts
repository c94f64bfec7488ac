import pg from 'pg';
import type { Site } from '#contract/sites.ts';
import { changeAccount } from '#server/accounts/accounts/accounts.ts';
import { createOrganization } from '#server/accounts/organizations/organizations.ts';
import { createSite, listSites } from '#server/accounts/sites/sites.ts';
import { findUserByLogin } from '#server/accounts/users/users.sql.ts';
import { tidyCounters } from '#server/audience/counters/counters.ts';
import type { Services } from '#server/platform/services.ts';
import { analyzeGrownTables } from '#server/platform/table-statistics.ts';
import { copyPortions } from './copy-portions.ts';
import { DEMO_PASSWORD } from './demo.ts';
import type { Portion, SeededSite } from './millions-rows.ts';
import { createProgress } from './progress.ts';
import { requireRoom } from './room.ts';
import { findOrCreateOwner, loadSeededSite, refuseProduction, seedSite } from './seed-site.ts';

export const MOST_CUSTOMERS = 10_000_000;

/** Customers per transaction: it can be stopped and resumed after each. */
const PORTION = 5_000;

/** Measured at ten million (docs/performance.md), with indexes. */
const BYTES_PER_CUSTOMER = 1_000;

/** The written-ahead log, whatever the number. */
const BYTES_IN_ANY_CASE = 2_000_000_000;

const USERNAME = 'millions';
const LISTS = 3;

export interface Making {
  /** Of the role that owns the tables. */
  ownerUrl: string;
  /** Called with the progress so far. */
  say: (progress: string) => void;
  /** Ends it after the portions that are being written. */
  signal?: AbortSignal | undefined;
}

/**
 * Creates one site with millions of customers, one in ten of whom has made a choice, or resumes after a stop or kill.
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
  const site = await loadSeededSite(services, known ?? (await createMillionsSite(services)));
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

function* portionsOf(
  site: SeededSite,
  { made, customers, portion, nowMs }: { made: number; customers: number; portion: number; nowMs: number },
): Generator<Portion[]> {
  for (let from = made; from < customers; from += portion) {
    yield [{ site, from, count: Math.min(portion, customers - from), total: customers, nowMs }];
  }
}

/** Counts every row ever written, so that numbers stay unique. Slow, so not on one of the pool's connections. */
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

/** undefined unless it was created and seeded. */
async function findSite(services: Services): Promise<Site | undefined> {
  const owner = await findUserByLogin(services.database.global, USERNAME);
  const organizationId = owner?.organization_id ?? null;
  if (owner === undefined || organizationId === null) return undefined;
  const [site] = await listSites(services, organizationId);
  if (site !== undefined) await seedSite(services, site.id, owner.id, { lists: LISTS, events: EVENTS });
  return site;
}

async function createMillionsSite(services: Services): Promise<Site> {
  const owner = await findOrCreateOwner(services, USERNAME);
  const organizationId = owner.organization_id ?? (await createMillionsOrganization(services, owner.id));
  const site = await createSite(services, organizationId, { domain_name: 'millions', name: 'Millions' });
  await seedSite(services, site.id, owner.id, { lists: LISTS, events: EVENTS });
  return site;
}

async function createMillionsOrganization(services: Services, ownerId: string): Promise<string> {
  const organization = await createOrganization(services, ownerId, 'Millions Mail Order');
  await changeAccount(services, ownerId, ownerId, { organization: organization.id });
  return organization.id;
}

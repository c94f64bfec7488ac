import type { Site } from '#contract/sites.ts';
import { createOrganization } from '#server/accounts/organizations/organizations.ts';
import { createSite, listSites, MAX_SITES_OF_ORGANIZATION } from '#server/accounts/sites/sites.ts';
import type { Services } from '#server/platform/services.ts';
import { analyzeGrownTables } from '#server/platform/table-statistics.ts';
import { copyPortions } from './copy-portions.ts';
import { DEMO_PASSWORD } from './demo.ts';
import type { Making } from './millions.ts';
import type { Portion } from './millions-rows.ts';
import { createProgress } from './progress.ts';
import { requireRoom } from './room.ts';
import { findOrCreateOwner, loadSeededSite, refuseProduction, seedSite } from './seed-site.ts';

export const MOST_SITES = 10_000;

const CUSTOMERS_OF_SITE = 100;

/** An account may create so many organizations. */
const ORGANIZATIONS_OF_OWNER = 20;

/** Whose customers are written in one transaction. */
const SITES_AT_ONCE = 50;

/** Organizations in which sites are made at once: in one of them, sites are made one after the other. */
const ORGANIZATIONS_AT_ONCE = 8;

/** Measured at ten thousand sites (docs/performance.md). */
const BYTES_PER_SITE = 150_000;

const USERNAME = 'sites';

/**
 * Creates thousands of sites, each with a host and a hundred customers, or resumes after a stop or kill.
 * @param making.sites how many there are to be in the end
 * @returns what to print: the sign-in
 * @throws ConfigError in production, or without one and a half times the room that it needs
 */
export async function createManySites(
  services: Services,
  { sites: count, ownerUrl, say, signal }: Making & { sites: number },
): Promise<string> {
  refuseProduction(services);
  await requireRoom(services.config, {
    bytes: count * BYTES_PER_SITE,
    what: `${count.toLocaleString('en')} sites need`,
    smaller: 'ask for fewer sites (sites=1000)',
  });
  const sites = await createSites(services, { count, say, signal });
  const empty = signal?.aborted === true ? [] : await sitesWithoutCustomers(services, sites);
  const progress = createProgress({
    made: (sites.length - empty.length) * CUSTOMERS_OF_SITE,
    customers: count * CUSTOMERS_OF_SITE,
    say,
  });
  const nowMs = services.clock.now().getTime();
  const portions: Portion[] = [];
  for (const site of empty) {
    portions.push({
      site: await loadSeededSite(services, site),
      from: 0,
      count: CUSTOMERS_OF_SITE,
      total: CUSTOMERS_OF_SITE,
      nowMs,
    });
  }
  const groups = Array.from({ length: Math.ceil(portions.length / SITES_AT_ONCE) }, (_, index) =>
    portions.slice(index * SITES_AT_ONCE, (index + 1) * SITES_AT_ONCE),
  );
  await copyPortions(groups, {
    customers: portions.length * CUSTOMERS_OF_SITE,
    ownerUrl,
    config: services.config,
    signal,
    onWritten: (written) => progress.add(written),
  });
  await analyzeGrownTables(services.database.global);
  if (sites.length < count || progress.made() < count * CUSTOMERS_OF_SITE) {
    return `The sites: ${sites.length.toLocaleString('en')} of ${count.toLocaleString('en')}; the next start goes on from there.`;
  }
  return `  ${USERNAME}     ${count.toLocaleString('en')} sites with ${CUSTOMERS_OF_SITE} customers each, from ${sites[0]?.domain_name}; the password is ${DEMO_PASSWORD}\n`;
}

async function createSites(
  services: Services,
  { count, say, signal }: { count: number; say: Making['say']; signal: AbortSignal | undefined },
): Promise<Site[]> {
  const made: Site[] = [];
  const organizations = Array.from(
    { length: Math.ceil(count / MAX_SITES_OF_ORGANIZATION) },
    (_, index) => index,
  );

  async function work(): Promise<void> {
    for (let index = organizations.shift(); index !== undefined; index = organizations.shift()) {
      const first = index * MAX_SITES_OF_ORGANIZATION;
      const wanted = Math.min(MAX_SITES_OF_ORGANIZATION, count - first);
      made.push(...(await createSitesOf(services, { index, first, wanted, signal })));
      if (signal?.aborted === true) return;
      say(`The sites: ${made.length.toLocaleString('en')} of ${count.toLocaleString('en')}`);
    }
  }

  // First, so that parallel work below doesn't create the same account twice.
  for (let owner = 0; owner * ORGANIZATIONS_OF_OWNER < organizations.length; owner += 1) {
    await findOrCreateOwner(services, ownerName(owner));
  }
  await Promise.all(Array.from({ length: ORGANIZATIONS_AT_ONCE }, work));
  return made;
}

const ownerName = (number: number) => (number === 0 ? USERNAME : `${USERNAME}-${number + 1}`);

interface OrganizationOfSites {
  index: number;
  /** The number of its first site. */
  first: number;
  wanted: number;
  signal: AbortSignal | undefined;
}

async function createSitesOf(
  services: Services,
  { index, first, wanted, signal }: OrganizationOfSites,
): Promise<Site[]> {
  const owner = await findOrCreateOwner(services, ownerName(Math.floor(index / ORGANIZATIONS_OF_OWNER)));
  const organizationId = await organizationOf(services, owner.id, `Agency ${index + 1}`);
  const known = new Map((await listSites(services, organizationId)).map((site) => [site.name, site]));
  const sites: Site[] = [];
  for (let number = first + 1; number <= first + wanted && signal?.aborted !== true; number += 1) {
    const name = `Site ${number}`;
    const input = { domain_name: `site-${number}`, name };
    const site = known.get(name) ?? (await createSite(services, organizationId, input));
    await seedSite(services, site.id, owner.id, { lists: 2, events: ['subscribed'] });
    sites.push(site);
  }
  return sites;
}

async function organizationOf(services: Services, ownerId: string, name: string): Promise<string> {
  const known = await services.database.global.db
    .selectFrom('organizations')
    .select('id')
    .where('created_by', '=', ownerId)
    .where('name', '=', name)
    .executeTakeFirst();
  return known?.id ?? (await createOrganization(services, ownerId, name)).id;
}

async function sitesWithoutCustomers(services: Services, sites: readonly Site[]): Promise<Site[]> {
  const empty: Site[] = [];
  for (const site of sites) {
    const first = await services.database.readSite(site.id, (tx) =>
      tx.db.selectFrom('customers').select('id').where('site_id', '=', site.id).limit(1).executeTakeFirst(),
    );
    if (first === undefined) empty.push(site);
  }
  return empty;
}

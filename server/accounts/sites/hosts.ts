import type { GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import {
  deleteCustomHost,
  deleteHolder,
  deleteHostsOfSite,
  deleteHoldersReleasedBefore,
  heldHostsAfter,
  type HolderRow,
  holderOf,
  insertHolder,
  insertHost,
  namesTakenBefore,
  releaseHolder,
  releaseHolders,
  servedHosts,
  siteIdOfHost,
} from './hosts.sql.ts';

/** Links in old mails keep being opened, so a released name is withheld from others for this long. */
export const QUARANTINE_DAYS = 30;
const DAY_MS = 86_400_000;

function releasedLongAgo(services: Services): Date {
  return new Date(services.clock.now().getTime() - QUARANTINE_DAYS * DAY_MS);
}

export type TakenHost = { taken: true } | { taken: false; by: 'in_use' | 'held'; until: Date | null };

/**
 * Claims a host name for a site, in the caller's transaction.
 * @returns whether it succeeded, and otherwise whether the name is in use, or was released only recently
 */
export async function claimHost(
  services: Services,
  tx: GlobalDb,
  site: { id: string; organization_id: string },
  name: { host: string; kind: 'subdomain' | 'custom' },
): Promise<TakenHost> {
  const now = services.clock.now();
  const holder = { host: name.host, organization_id: site.organization_id, owned_since: now };
  if (!(await insertHolder(tx, holder, releasedLongAgo(services)))) {
    return { taken: false, ...reasonOf(await holderOf(tx, name.host)) };
  }
  if (!(await insertHost(tx, { ...name, site_id: site.id, created_at: now }))) {
    return { taken: false, by: 'in_use', until: null };
  }
  await announceHost(services, tx, name.host);
  return { taken: true };
}

function reasonOf(holder: HolderRow | undefined): { by: 'in_use' | 'held'; until: Date | null } {
  const releasedAt = holder?.released_at ?? null;
  if (releasedAt === null) return { by: 'in_use', until: null };
  return { by: 'held', until: new Date(releasedAt.getTime() + QUARANTINE_DAYS * DAY_MS) };
}

/** Releases an own domain: it is no longer served, and is withheld from other organizations for a while. */
export async function releaseHost(
  services: Services,
  tx: GlobalDb,
  siteId: string,
  host: string,
): Promise<void> {
  await deleteCustomHost(tx, siteId, host);
  await releaseHolder(tx, host, services.clock.now());
  await announceHost(services, tx, host);
}

/**
 * Releases all names of a site, which is no longer served after the commit; they are withheld from other organizations
 * for a while.
 * @returns the names, for `evictHost` after the commit
 */
export async function releaseHostsOfSite(
  services: Services,
  tx: GlobalDb,
  siteId: string,
): Promise<string[]> {
  const hosts = await deleteHostsOfSite(tx, siteId);
  for (const host of hosts) {
    await releaseHolder(tx, host, services.clock.now());
    await announceHost(services, tx, host);
  }
  return hosts;
}

/** Revokes an own domain that is no longer verified: anybody who verifies it can have it at once. */
export async function revokeHost(
  services: Services,
  tx: GlobalDb,
  siteId: string,
  host: string,
): Promise<void> {
  await deleteCustomHost(tx, siteId, host);
  await deleteHolder(tx, host);
  await announceHost(services, tx, host);
}

/** Whether this organization (null: a new one) could claim the name now. */
export async function isHostFree(
  services: Services,
  host: string,
  organizationId: string | null,
): Promise<boolean> {
  const tx = services.database.global;
  if ((await siteIdOfHost(tx, host)) !== null) return false;
  const holder = await holderOf(tx, host);
  if (holder === undefined || holder.organization_id === organizationId) return true;
  return holder.released_at !== null && holder.released_at <= releasedLongAgo(services);
}

/** Releases the names of deleted sites, and deletes names that were withheld long enough. */
export async function cleanUpHosts(services: Services): Promise<void> {
  await releaseHostsWithoutSite(services);
  await deleteHoldersReleasedBefore(services.database.global, releasedLongAgo(services));
}

const HOSTS_AT_ONCE = 1000;

/** Skips names claimed within the last minute, whose transaction may not have committed yet. */
async function releaseHostsWithoutSite(services: Services): Promise<void> {
  const tx = services.database.global;
  const now = services.clock.now();
  const heldBefore = new Date(now.getTime() - 60_000);
  let after: string | undefined = '';
  while (after !== undefined) {
    const hosts = await heldHostsAfter(tx, after, { heldBefore, limit: HOSTS_AT_ONCE });
    if (hosts.length === 0) return;
    // A separate statement, because on Citus this table exists only on the coordinator.
    const served = new Set(await servedHosts(tx, hosts));
    const gone = hosts.filter((host) => !served.has(host));
    if (gone.length > 0) await releaseHolders(tx, gone, { heldBefore, now });
    after = hosts.length < HOSTS_AT_ONCE ? undefined : hosts.at(-1);
  }
}

/** Certificate authorities limit how many they issue for one domain; an account gets so many a day at once. */
const CERTIFICATES_A_DAY = 10;
const COUNTED_DAYS = 30;

/**
 * Whether a served host deserves a certificate: an own domain, because it is verified; a name under the shared domain when
 * it is its account's turn.
 */
export async function deservesCertificate(services: Services, host: string): Promise<boolean> {
  const { siteDomain: domain } = services.config;
  if (!host.endsWith(`.${domain}`)) return true;
  const tx = services.database.global;
  const holder = await holderOf(tx, host);
  if (holder === undefined) return true;
  const since = new Date(holder.owned_since.getTime() - COUNTED_DAYS * DAY_MS);
  const ahead = await namesTakenBefore(tx, holder, { domain, since });
  const days = Math.floor(ahead / CERTIFICATES_A_DAY);
  return services.clock.now().getTime() >= holder.owned_since.getTime() + days * DAY_MS;
}

const hostTag = (host: string) => `host:${host}`;

async function announceHost(services: Services, tx: GlobalDb, host: string): Promise<void> {
  await services.cache.announce(tx, hostTag(host));
}

/** After the commit, so that this process reads its own write. */
export function evictHost(services: Services, host: string): void {
  services.cache.evict(hostTag(host));
}

/** The site of a host name as a person wrote it; not cached. */
export function findSiteOfName(
  { database }: Pick<Services, 'database'>,
  name: string,
): Promise<string | null> {
  return siteIdOfHost(database.global, name.toLowerCase());
}

/** The site of a host name, or null; a public look-up outside any tenant. */
export function findSiteOfHost(services: Services, host: string): Promise<string | null> {
  if (!/^[a-z0-9.-]{1,253}$/.test(host)) return Promise.resolve(null);
  return services.cache.get(hostTag(host), 'site', () => siteIdOfHost(services.database.global, host));
}

import { removeAccount } from '#server/accounts/account-data/delete-account.ts';
import {
  markForDeletion,
  deleteMarkedOrganizations,
  lockOrganizations,
  openOrganizationIdsAfter,
} from '#server/accounts/organizations/organization-deletion.ts';
import { allSiteIds, siteById } from '#server/accounts/sites/sites.ts';
import { userIdsAfter } from '#server/accounts/users/find-account.ts';
import type { Database, GlobalDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { eraseCustomer } from '#server/visit/customers/erasure.ts';
import { erasedCustomersAfter, type ErasedRow, storeErasedKey } from './erasures.sql.ts';

/*
 * A backup does not contain the erasures made after it. The list of them is anonymous: ids of erased customers, and of
 * the accounts and organizations that still exist. One that is not listed has been deleted.
 */

export type Erasure =
  | { customer: string; site: string; erased_at: string; erased_key: string | null }
  | { account: string }
  | { organization: string };

const AT_ONCE = 500;

async function* idsOf(
  page: (after: string | null, limit: number) => Promise<string[]>,
): AsyncGenerator<string> {
  let after: string | null = null;
  for (;;) {
    const ids = await page(after, AT_ONCE);
    yield* ids;
    if (ids.length < AT_ONCE) return;
    after = ids.at(-1) ?? null;
  }
}

async function* erasedIn(database: Database, siteId: string): AsyncGenerator<Erasure> {
  let after: string | null = null;
  for (;;) {
    const last: string | null = after;
    const rows: ErasedRow[] = await database.readSite(siteId, (site) =>
      erasedCustomersAfter(site, last, AT_ONCE),
    );
    for (const { id, erased_at, erased_key } of rows) {
      yield {
        site: siteId,
        customer: id,
        erased_at: erased_at.toISOString(),
        erased_key: erased_key?.toString('hex') ?? null,
      };
    }
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id ?? null;
  }
}

export async function* listErasures(database: Database): AsyncGenerator<Erasure> {
  const { global } = database;
  for await (const account of idsOf((...page) => userIdsAfter(global, ...page))) yield { account };
  for await (const organization of idsOf((...page) => openOrganizationIdsAfter(global, ...page))) {
    yield { organization };
  }
  for await (const siteId of allSiteIds(global)) {
    yield* erasedIn(database, siteId);
  }
}

export interface Reapplied {
  customers: number;
  organizations: number;
  accounts: number;
  /** Deleted accounts that are, in this backup, the only owner of an organization with other members. */
  inTheWay: string[];
}

/**
 * Erases the customers on the list, and deletes the accounts and organizations that are no longer on it. Idempotent.
 * @param takenAt when the list was made: anything created later is not on it
 */
export async function reapplyErasures(
  services: Services,
  erasures: AsyncIterable<Erasure>,
  takenAt: Date,
): Promise<Reapplied> {
  const kept = new Set<string>();
  let customers = 0;
  for await (const erasure of erasures) {
    if ('account' in erasure) kept.add(erasure.account);
    else if ('organization' in erasure) kept.add(erasure.organization);
    else if (await eraseAgain(services, erasure)) customers += 1;
  }
  const organizations = await closeMissing(services, kept, takenAt);
  const { accounts, inTheWay } = await removeMissing(services, kept, takenAt);
  await deleteMarkedOrganizations(services);
  return { customers, organizations, accounts, inTheWay };
}

/** @returns whether the customer existed */
async function eraseAgain(
  services: Services,
  { site: siteId, customer: id, erased_at, erased_key }: Extract<Erasure, { customer: string }>,
): Promise<boolean> {
  const { database } = services;
  // Of a site that is newer than the backup.
  if ((await siteById(database.global, siteId)) === undefined) return false;
  const isErased = await eraseCustomer(services, siteId, id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    },
  );
  if (erased_key !== null) {
    const row = { id, erased_at: new Date(erased_at), erased_key: Buffer.from(erased_key, 'hex') };
    await database.inSite(siteId, (site) => storeErasedKey(site, row));
  }
  return isErased;
}

async function missing(
  page: (after: string | null, limit: number) => Promise<string[]>,
  kept: ReadonlySet<string>,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of idsOf(page)) if (!kept.has(id)) ids.push(id);
  return ids;
}

async function closeMissing(services: Services, kept: ReadonlySet<string>, before: Date): Promise<number> {
  const { database } = services;
  const ids = await missing((...page) => openOrganizationIdsAfter(database.global, ...page, before), kept);
  for (const id of ids) {
    const then = await database.inTransaction(async (tx: GlobalDb) => {
      await lockOrganizations(tx, [id]);
      return markForDeletion(services, tx, id);
    });
    then();
  }
  return ids.length;
}

async function removeMissing(
  services: Services,
  kept: ReadonlySet<string>,
  before: Date,
): Promise<{ accounts: number; inTheWay: string[] }> {
  const { global } = services.database;
  const ids = await missing((...page) => userIdsAfter(global, ...page, before), kept);
  const inTheWay: string[] = [];
  for (const id of ids) {
    try {
      await removeAccount(services, id);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
      inTheWay.push(id);
    }
  }
  return { accounts: ids.length - inTheWay.length, inTheWay };
}

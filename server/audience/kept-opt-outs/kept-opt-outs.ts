import type { Evidence } from '#contract/choices.ts';
import { addressHashesOf } from '#server/audience/customers/customers.ts';
import { isEarlier } from '#server/audience/evidence/stale-events.ts';
import {
  applyChange,
  type ChoosableList,
  type CustomerState,
  hasLeft,
  type WantedList,
} from '#server/audience/evidence/transitions.ts';
import { advisoryLock, type SiteDb, type Statement } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { customersWhoHad, type FormerAddressRow, insertFormerAddresses } from './former-addresses.sql.ts';
import {
  deleteKeptBefore,
  hasKeptBefore,
  insertKept,
  type KeptOptOutRow,
  keptUnder,
} from './kept-opt-outs.sql.ts';

export { deleteKept } from './kept-opt-outs.sql.ts';
export { customersWhoHad, deleteFormerAddressesOf } from './former-addresses.sql.ts';

/*
 * What a tool reports about an address that is no customer's. An opt-out is kept under the keyed hash of the address and
 * applied when the address becomes a customer's, as if it had arrived at its own time (decision 064).
 */

export type KeptOptOut = Omit<KeptOptOutRow, 'address_hash' | 'kept_at'>;

export const EVERYTHING = 'everything';

/** Italy's ten years are the longest general limitation period in the countries whose languages Sayso speaks. */
const KEPT_YEARS = 10;

/**
 * Until the end of the transaction no other one makes the address a customer's, or keeps an opt-out of it: at the same time,
 * they would miss each other.
 */
async function lockAddress(site: Pick<SiteDb, 'query'>, addressHash: Buffer): Promise<void> {
  await advisoryLock(site, `address:${addressHash.toString('base64url')}`);
}

/** What is kept about an address that is about to become a customer's. */
export async function lockKeptOptOuts(
  services: Services,
  site: SiteDb,
  email: string,
): Promise<KeptOptOut[]> {
  const hashes = addressHashesOf(services, site.id, email);
  // In one round trip; the statements run one after the other.
  const [, kept] = await Promise.all([lockAddress(site, newestOf(hashes)), keptUnder(site, hashes)]);
  return kept;
}

/** Those of many addresses, without a lock. */
export async function keptOptOutsOf(
  services: Services,
  site: SiteDb,
  emails: readonly string[],
): Promise<(email: string) => KeptOptOut[]> {
  const hashesOf = new Map(emails.map((email) => [email, addressHashesOf(services, site.id, email)]));
  const rows = emails.length === 0 ? [] : await keptUnder(site, [...hashesOf.values()].flat());
  const byHash = Map.groupBy(rows, (row) => row.address_hash.toString('hex'));
  return (email) =>
    byHash.size === 0
      ? []
      : (hashesOf.get(email) ?? []).flatMap((hash) => byHash.get(hash.toString('hex')) ?? []);
}

/**
 * Keeps opt-outs of an address.
 * @param isCustomers has it become a customer's meanwhile?
 * @returns whether they were kept
 */
export async function keepOptOuts(
  services: Services,
  site: SiteDb,
  email: string,
  optOuts: readonly KeptOptOut[],
  isCustomers: () => Promise<boolean>,
): Promise<boolean> {
  const hash = newestOf(addressHashesOf(services, site.id, email));
  await lockAddress(site, hash);
  if (await isCustomers()) return false;
  await insertKept(site, optOuts.map(rowUnder(hash, services.clock.now())));
  return true;
}

const rowUnder =
  (address_hash: Buffer, kept_at: Date) =>
  ({ about, kind, integration_id, happened_at }: KeptOptOut): KeptOptOutRow => ({
    address_hash,
    about,
    kind,
    integration_id,
    happened_at,
    kept_at,
  });

function newestOf([newest]: readonly Buffer[]): Buffer {
  if (newest === undefined) throw new Error('There is a key at least');
  return newest;
}

/** What is to be known of a customer to apply opt-outs that were kept. */
export interface StateWithTimes {
  state: CustomerState;
  /** When they chose the lists that they are on, where it is known. */
  chosenAt: ReadonlyMap<string, Date | null>;
  /** When they last came back from everything. */
  backAt: Date | null;
}

export function isLaterYes(yes: Date | null | undefined, { happened_at: no }: KeptOptOut): boolean {
  return yes !== null && yes !== undefined && isEarlier(no, yes);
}

/**
 * What opt-outs that were kept change for the customer who now has the address: all that they chose before, or at a time
 * that nobody knows. What they chose later stays. null: nothing.
 */
export function changeByKept(
  { state, chosenAt, backAt }: StateWithTimes,
  kept: readonly KeptOptOut[],
  lists: readonly Pick<ChoosableList, 'id'>[],
): { lists: WantedList[]; globalUnsubscribe?: true } | null {
  const isOn = (listId: string) => state.subscriptions.get(listId) === true;
  const choseLater = (listId: string, optOut: KeptOptOut) =>
    isOn(listId) && isLaterYes(chosenAt.get(listId), optOut);
  const off = new Set<string>();
  let leavesAll = false;
  for (const optOut of kept) {
    if (optOut.about !== EVERYTHING) {
      const isOff = state.subscriptions.get(optOut.about) === false;
      const exists = lists.some(({ id }) => id === optOut.about);
      if (exists && !isOff && !choseLater(optOut.about, optOut)) off.add(optOut.about);
      continue;
    }
    if (hasLeft(state) || isLaterYes(backAt, optOut)) continue;
    const received = [...state.subscriptions.keys()].filter(isOn);
    const earlier = received.filter((listId) => !choseLater(listId, optOut));
    // Whoever chose a list since has come back for this list alone.
    if (earlier.length === received.length) leavesAll = true;
    else for (const listId of earlier) off.add(listId);
  }
  if (!leavesAll && off.size === 0) return null;
  return {
    lists: [...off].map((list_id) => ({ list_id, subscribed: false })),
    ...(leavesAll && { globalUnsubscribe: true }),
  };
}

/**
 * Finds the tool that reported all of these opt-outs and so needn't be told. A tool that reported a complaint may have stopped
 * only one of its lists.
 * @returns null: every tool has to be told
 */
export function toolThatKnows(kept: readonly KeptOptOut[]): string | null {
  const tools = new Set(kept.map(({ integration_id: id }) => id));
  const isComplaint = kept.some(({ kind }) => kind === 'complained');
  const [only = null] = tools;
  return tools.size === 1 && !isComplaint ? only : null;
}

/** The state that somebody new starts with. */
export function stateOfNewcomer(hasLeft: boolean, kept: readonly KeptOptOut[]): CustomerState {
  const state: CustomerState = { globalUnsubscribe: hasLeft, pausedUntil: null, subscriptions: new Map() };
  const lists = kept.map(({ about }) => ({ id: about, default_state: false }));
  const change = changeByKept({ state, chosenAt: new Map(), backAt: null }, kept, lists);
  return change === null ? state : applyChange(state, change, lists);
}

/** For the record of the choice. */
export function recordOfKept(kept: readonly KeptOptOut[]): NonNullable<Evidence['shown']['kept_opt_outs']> {
  return kept.map(({ about, kind, integration_id, happened_at }) => ({
    kind,
    list_id: about === EVERYTHING ? null : about,
    integration_id,
    at: happened_at.toISOString(),
  }));
}

export async function deleteOldKeptOptOuts(services: Services, siteId: string): Promise<void> {
  const before = new Date(services.clock.now());
  before.setUTCFullYear(before.getUTCFullYear() - KEPT_YEARS);
  const { database } = services;
  if (!(await database.readSite(siteId, (site) => hasKeptBefore(site, before)))) return;
  await database.inSite(siteId, (site) => deleteKeptBefore(site, before));
}

/** Remembers whose address it was: a tool may still report about it. */
export function rememberAddress(
  services: Services,
  siteId: string,
  former: { customerId: string; email: string; movedAt: Date },
): Statement[] {
  const address_hash = newestOf(addressHashesOf(services, siteId, former.email));
  const row = { address_hash, customer_id: former.customerId, moved_at: former.movedAt };
  return insertFormerAddresses(siteId, [row]);
}

/** The customers who had an address before, the last one first. */
export async function customersWithFormer(
  services: Services,
  site: SiteDb,
  email: string,
): Promise<Pick<FormerAddressRow, 'customer_id' | 'moved_at'>[]> {
  return customersWhoHad(site, addressHashesOf(services, site.id, email));
}

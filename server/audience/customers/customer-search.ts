import type { CustomerFilter, CustomerQuery, ListedCustomer } from '#contract/customers.ts';
import { emailKey } from '#contract/email-key.ts';
import { type TestRules, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { countPresentCustomers, subscribersByList } from '#server/audience/counters/counters.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { LAST_ID } from '#server/platform/ids.ts';
import { cursorOf, wrongCursor } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';
import {
  byAddress,
  type Columns,
  conditionsOf,
  contains,
  countWalk,
  LISTED_COLUMNS,
  type ListedRow,
  LOOKED_AT_MOST,
  newestFirst,
  walkCustomers,
  type Walk,
} from './customer-search.sql.ts';
import { type CustomerRow, presentCustomer } from './customers.ts';

export { OWN_COLUMNS } from './customer-search.sql.ts';

/** More are not counted. */
const COUNTED_AT_MOST = 10_000;

/**
 * Where a page begins. A search walks those whose address starts with the text, by address; one that matches anywhere
 * then those whose address contains it, newest first.
 */
export type CustomersPlace =
  | { stage: 'starting'; after: string | null }
  | { stage: 'containing' | 'newest'; before: string | null };

const searchOf = ({ search }: CustomerQuery) => (search ?? '').trim();

function firstPlace(query: CustomerQuery): CustomersPlace {
  return searchOf(query) === '' ? { stage: 'newest', before: null } : { stage: 'starting', after: null };
}

/** How many customers a statement looks at; fewer in tests. */
type ScanLimit = Partial<Pick<Walk, 'lookedAt'>>;

interface ScanOptions extends ScanLimit {
  test: TestRules;
}

interface Reading<Row extends CustomerRow> extends ScanOptions {
  columns: Columns<Row>;
  limit: number;
}

function walkOf(
  query: CustomerQuery,
  place: CustomersPlace,
  { lookedAt = LOOKED_AT_MOST, test }: ScanOptions,
): Walk {
  const conditions = conditionsOf(query, test);
  const key = emailKey(searchOf(query));
  if (place.stage === 'starting') return { order: byAddress(key, place.after), conditions, lookedAt };
  const order = newestFirst(place.before, query.added_since);
  if (place.stage === 'newest') return { order, conditions, lookedAt };
  const typed = searchOf(query).normalize('NFC').toLowerCase();
  return { order, conditions: [contains(key, typed), ...conditions], lookedAt };
}

interface Page<Row> {
  rows: Row[];
  next: CustomersPlace | null;
}

async function walkFrom<Row extends CustomerRow>(
  site: SiteDb,
  query: CustomerQuery,
  { place, ...how }: Reading<Row> & { place: CustomersPlace },
): Promise<Page<Row>> {
  const { columns, limit } = how;
  const { rows, last } = await walkCustomers(site, walkOf(query, place, how), columns, limit);
  const shown = rows.slice(0, limit);
  const placeAt = (row: Row): CustomersPlace =>
    place.stage === 'starting' ? { ...place, after: row.email_key } : { ...place, before: row.id };
  const end = shown.at(-1);
  if (rows.length > limit && end !== undefined) return { rows: shown, next: placeAt(end) };
  if (last === null) return { rows: shown, next: null };
  const next: CustomersPlace =
    place.stage === 'starting' ? { ...place, after: last } : { ...place, before: last };
  return { rows: shown, next };
}

/** A page of customers who match, with two statements at most. @param place null: the first page */
export async function readCustomersPage<Row extends CustomerRow>(
  site: SiteDb,
  query: CustomerQuery,
  { place, ...how }: Reading<Row> & { place: CustomersPlace | null },
): Promise<Page<Row>> {
  const from = place ?? firstPlace(query);
  const page = await walkFrom(site, query, { ...how, place: from });
  if (page.next !== null || from.stage !== 'starting' || query.match !== 'anywhere') return page;
  const containing: CustomersPlace = { stage: 'containing', before: null };
  const room = how.limit - page.rows.length;
  if (room === 0) return { ...page, next: containing };
  const rest = await walkFrom(site, query, { ...how, place: containing, limit: room });
  return { rows: [...page.rows, ...rest.rows], next: rest.next };
}

function presentFound(row: ListedRow, test: TestRules): ListedCustomer {
  return {
    ...presentCustomer(row, test),
    receives: row.global_unsubscribe ? [] : row.list_ids,
    declines: row.off_list_ids,
    email_bounced_at: row.bounced_at?.toISOString() ?? null,
  };
}

export async function searchCustomers(
  services: Services,
  siteId: string,
  { cursor, limit, ...query }: CustomerQuery & { cursor?: string | undefined; limit: number },
  { lookedAt }: ScanLimit = {},
) {
  const place = placeOf(services, siteId, query, cursor);
  const test = await testRulesOf(services, siteId);
  const page = await services.database.readSite(siteId, (site) =>
    readCustomersPage(site, query, { place, columns: LISTED_COLUMNS, limit, lookedAt, test }),
  );
  return {
    results: page.rows.map((row) => presentFound(row, test)),
    next: page.next === null ? null : cursorAt(services, siteId, page.next),
  };
}

/** Cursors stand in addresses of calls, which are logged on the way: the customer's address is sealed in them. */
const cursorPurpose = (siteId: string) => `customer-search:${siteId}`;

function cursorAt({ keyring }: Services, siteId: string, place: CustomersPlace): string {
  if (place.stage !== 'starting') return place.before ?? LAST_ID;
  return keyring.seal(cursorPurpose(siteId), Buffer.from(place.after ?? '', 'utf8'));
}

function placeOf(
  { keyring }: Services,
  siteId: string,
  query: CustomerQuery,
  cursor: string | undefined,
): CustomersPlace | null {
  if (cursor === undefined || cursor === '') return null;
  if (searchOf(query) === '') return { stage: 'newest', before: cursorOf(cursor) };
  const opened = keyring.open(cursorPurpose(siteId), cursor);
  if (opened !== null) return { stage: 'starting', after: opened.toString('utf8') };
  if (query.match !== 'anywhere') throw wrongCursor();
  return { stage: 'containing', before: cursorOf(cursor) };
}

/** Counted ahead (decision 036), however many there are; undefined where somebody has to be looked at. */
async function knownCount(site: SiteDb, query: CustomerQuery): Promise<number | undefined> {
  if (searchOf(query) !== '') return undefined;
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && isFilter(name));
  if (asked.length === 0) return countPresentCustomers(site);
  if (asked.length > 1 || query.receives_list_id === undefined) return undefined;
  const subscribers = await subscribersByList(site);
  return subscribers.find((one) => one.list_id === query.receives_list_id)?.count ?? 0;
}

function isFilter(name: string): name is keyof CustomerFilter {
  return name !== 'search' && name !== 'match';
}

export async function countMatchingCustomers(
  services: Services,
  siteId: string,
  query: CustomerQuery,
  { lookedAt }: ScanLimit = {},
) {
  const test = await testRulesOf(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const known = await knownCount(site, query);
    if (known !== undefined) return { count: known, is_exact: true };
    const first = firstPlace(query);
    const places: CustomersPlace[] =
      first.stage === 'starting' && query.match === 'anywhere'
        ? [first, { stage: 'containing', before: null }]
        : [first];
    const most = COUNTED_AT_MOST + 1;
    const counts = await Promise.all(
      places.map((place) => countWalk(site, walkOf(query, place, { lookedAt, test }), most)),
    );
    const count = counts.reduce((sum, one) => sum + one.count, 0);
    return {
      count: Math.min(count, COUNTED_AT_MOST),
      is_exact: count <= COUNTED_AT_MOST && counts.every((one) => one.isWhole),
    };
  });
}

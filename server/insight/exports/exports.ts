import type { Evidence } from '#contract/choices.ts';
import type { CustomerQuery } from '#contract/customers.ts';
import { isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import {
  type CustomersPlace,
  OWN_COLUMNS,
  readCustomersPage,
} from '#server/audience/customers/customer-search.ts';
import { type CustomerRow, subscriptionsOfMany } from '#server/audience/customers/customers.ts';
import { choicesOfSite, presentEvidence } from '#server/audience/evidence/evidence.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { csvPages } from '#server/platform/csv.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Download } from '#server/platform/http/implement.ts';
import { pageOf } from '#server/platform/paging.ts';
import type { Services } from '#server/platform/services.ts';

const ROWS_AT_ONCE = 500;

/** All rows, one page in memory at a time; each page is a separate read. */
async function* pagesOf<Row, Place, Shown>(
  services: Services,
  siteId: string,
  read: (site: SiteDb, place: Place | null) => Promise<{ rows: Row[]; next: Place | null }>,
  show: (site: SiteDb, rows: Row[]) => Promise<Shown[]>,
): AsyncGenerator<Shown[]> {
  for (let place: Place | null = null; ;) {
    const { next, shown } = await services.database.readSite(siteId, async (site) => {
      const page = await read(site, place);
      return { next: page.next, shown: await show(site, page.rows) };
    });
    yield shown;
    if (next === null) return;
    place = next;
  }
}

/** Paused customers have not unsubscribed, but must not be mailed. */
function leftCell({ global_unsubscribe, paused_until }: CustomerRow): string {
  if (!global_unsubscribe) return 'no';
  return paused_until === null ? 'yes' : 'paused';
}

const CUSTOMER_COLUMNS = ['id', 'email', 'global_unsubscribe', 'paused_until'];

function listCell(subscribed: boolean | undefined): string {
  if (subscribed === undefined) return '';
  return subscribed ? 'subscribed' : 'unsubscribed';
}

/** @param query {}: all customers */
export async function customersFile(
  services: Services,
  siteId: string,
  query: CustomerQuery,
): Promise<Download> {
  const test = await testRulesOf(services, siteId);
  const lists = await services.database.readSite(siteId, allLists);
  const columns = [...CUSTOMER_COLUMNS, ...lists.map(({ name }) => name), 'created_at', 'updated_at', 'test'];
  const read = (site: SiteDb, place: CustomersPlace | null) =>
    readCustomersPage(site, query, { place, columns: OWN_COLUMNS, limit: ROWS_AT_ONCE, test });
  const pages = pagesOf(services, siteId, read, async (site, customers) => {
    const subscriptions = await subscriptionsOfMany(
      site,
      customers.map(({ id }) => id),
    );
    const byCustomer = Map.groupBy(subscriptions, (one) => one.customer_id);
    return customers.map((customer) => {
      const own = new Map((byCustomer.get(customer.id) ?? []).map((one) => [one.list_id, one.subscribed]));
      return [
        customer.id,
        customer.email ?? '',
        leftCell(customer),
        customer.paused_until?.toISOString() ?? '',
        ...lists.map(({ id }) => listCell(own.get(id))),
        customer.created_at.toISOString(),
        customer.updated_at.toISOString(),
        isTestEmail(test, customer.email) ? 'yes' : 'no',
      ];
    });
  });
  return { fileName: 'customers.csv', content: csvPages(columns, pages) };
}

/** All fields of the API response, so that the hash chain can be verified from the file. */
const EVIDENCE_COLUMNS = [
  'id',
  'customer_id',
  'sequence',
  'source',
  'events',
  'lists',
  'global_unsubscribe',
  'paused_until',
  'reason',
  'shown',
  'language',
  'authority',
  'requested',
  'email',
  'ip',
  'user_agent',
  'confirmed_ip',
  'imported',
  'occurred_at',
  'test',
  'hash',
  'previous_hash',
] as const satisfies readonly (keyof Evidence)[];

function cellOf(value: Evidence[keyof Evidence]): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export async function evidenceFile(services: Services, siteId: string): Promise<Download> {
  const read = async (site: SiteDb, before: string | null) => {
    const found = await choicesOfSite(site, { before, limit: ROWS_AT_ONCE });
    const { results: rows, next } = pageOf(found, ROWS_AT_ONCE, (row) => row);
    return { rows, next };
  };
  const pages = pagesOf(services, siteId, read, async (_site, choices) =>
    choices.map((choice) => {
      const record = presentEvidence(services, choice);
      return EVIDENCE_COLUMNS.map((column) => cellOf(record[column]));
    }),
  );
  return { fileName: 'evidence.csv', content: csvPages(EVIDENCE_COLUMNS, pages) };
}

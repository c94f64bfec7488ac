import type { Evidence } from '#contract/choices.ts';
import {
  type CustomerRow,
  newestCustomers,
  subscriptionsOfMany,
} from '#server/audience/customers/customers.ts';
import { choicesOfSite, presentEvidence } from '#server/audience/evidence/evidence.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { csvPages } from '#server/platform/csv.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Download } from '#server/platform/http/implement.ts';
import type { Services } from '#server/platform/services.ts';

const ROWS_AT_ONCE = 500;

/** All rows of a site, newest first, one page in memory at a time; each page is a separate read. */
async function* pagesOf<Row extends { id: string }, Shown>(
  services: Services,
  siteId: string,
  read: (site: SiteDb, page: { before: string | null; limit: number }) => Promise<Row[]>,
  show: (site: SiteDb, rows: Row[]) => Promise<Shown[]>,
): AsyncGenerator<Shown[]> {
  for (let before: string | null = null; ;) {
    const page = { before, limit: ROWS_AT_ONCE };
    const { rows, shown } = await services.database.readSite(siteId, async (site) => {
      const found = await read(site, page);
      return { rows: found, shown: await show(site, found.slice(0, ROWS_AT_ONCE)) };
    });
    yield shown;
    const last = rows[ROWS_AT_ONCE - 1];
    if (rows.length <= ROWS_AT_ONCE || last === undefined) return;
    before = last.id;
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

export async function customersFile(services: Services, siteId: string): Promise<Download> {
  const lists = await services.database.readSite(siteId, allLists);
  const columns = [...CUSTOMER_COLUMNS, ...lists.map(({ name }) => name), 'created_at', 'updated_at'];
  const pages = pagesOf(services, siteId, newestCustomers, async (site, customers) => {
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
  'occurred_at',
  'hash',
  'previous_hash',
] as const satisfies readonly (keyof Evidence)[];

function cellOf(value: Evidence[keyof Evidence]): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export async function evidenceFile(services: Services, siteId: string): Promise<Download> {
  const pages = pagesOf(services, siteId, choicesOfSite, async (_site, choices) =>
    choices.map((choice) => {
      const record = presentEvidence(services, choice);
      return EVIDENCE_COLUMNS.map((column) => cellOf(record[column]));
    }),
  );
  return { fileName: 'evidence.csv', content: csvPages(EVIDENCE_COLUMNS, pages) };
}

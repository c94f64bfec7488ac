import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { preferencePageFields } from '#contract/preference-pages.ts';
import { sealSessionToken } from '#server/accounts/access/customer-session-token.ts';
import { createAccount } from '#server/accounts/accounts/accounts.ts';
import { createOrganization } from '#server/accounts/organizations/organizations.ts';
import { createSite } from '#server/accounts/sites/sites.ts';
import { dayOf, makeChallenge } from '#server/audience/customers/challenge.ts';
import { createList } from '#server/audience/lists/lists.ts';
import { createAction } from '#server/delivery/actions/actions.ts';
import { createPage } from '#server/pages/preference-pages/preference-pages.ts';
import { type Config, readConfig } from '#server/platform/config.ts';
import { newId } from '#server/platform/ids.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { createProduct, type Product } from '#server/product.ts';
import { QUEUES } from '#server/queues.ts';

/** A database of the bench, with everything that a process needs to work on it. */
export interface BenchDatabase {
  /** Of the owning role. */
  url: string;
  secretKey: string;
}

export const BENCH_SETTINGS = { LOG_LEVEL: 'error', ALLOW_PRIVATE_TARGETS: '1' } as const;

/** @param serverUrl of the embedded server's superuser */
export async function createBenchDatabase(serverUrl: string, name: string): Promise<BenchDatabase> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(name)}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, secretKey: randomBytes(32).toString('hex') };
}

export function settingsOf({ url, secretKey }: BenchDatabase): Record<string, string> {
  return { ...BENCH_SETTINGS, DATABASE_URL: url, SECRET_KEY: secretKey };
}

/** The product in this process, on a database that it brings up to date first. */
export async function openProduct(
  database: BenchDatabase,
  { worker, env = {} }: { worker: boolean; env?: Record<string, string> },
): Promise<Product> {
  const config: Config = readConfig({ ...settingsOf(database), ...env });
  const url = await migrate(database.url, createKeyring(config.secretKeys), QUEUES);
  return createProduct(config, url, { log: createLog(config.logLevel), worker });
}

/** For statements on all sites, around the product. One that the server ends is no error of the bench. */
export function openOwnerPool({ url }: BenchDatabase): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  return pool;
}

export interface Person {
  id: string;
  sealed: string;
  challenge: string;
  oneClickPath: string;
}

export interface BenchSite {
  id: string;
  host: string;
  customPath: string;
  lists: string[];
  people: Person[];
}

/** Straight into the table: how people come in is measured nowhere. */
export async function insertPeople(owner: pg.Pool, siteId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await owner.query(
    `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, person_salt, created_at, updated_at)
     select $1, id, email, email, false, 0,
       decode(md5(id::text), 'hex'), now(), now()
     from (select id, 'person-' || number || '@example.com' as email
       from unnest($2::uuid[]) with ordinality as numbered (id, number)) as people`,
    [siteId, ids],
  );
  return ids;
}

export async function buildSite(services: Services, name: string): Promise<{ id: string; host: string }> {
  const account = { username: name, email: `${name}@example.com`, password: 'correct horse battery' };
  const { id } = await createAccount(services, { ...account, first_name: '', last_name: '' });
  const organization = await createOrganization(services, id, name);
  const site = await createSite(services, organization.id, { domain_name: name, name });
  return { id: site.id, host: site.domain_name };
}

export async function addWebhook(
  services: Services,
  siteId: string,
  event: 'subscribed' | 'unsubscribed' | 'global_unsubscribed',
  url: string,
): Promise<void> {
  await createAction(services, siteId, {
    type: 'webhook',
    name: event,
    enabled: true,
    integration_id: null,
    trigger: { event, list_ids: [] },
    operation: null,
    target: { url },
  });
}

/** A site with four lists, a page and two webhooks, of which each save of one list matches exactly one. */
export async function buildBenchSite(
  database: BenchDatabase,
  { people, hookUrl }: { people: number; hookUrl: string },
): Promise<BenchSite> {
  const product = await openProduct(database, { worker: false });
  const owner = openOwnerPool(database);
  try {
    const { services } = product;
    const site = await buildSite(services, 'bench');
    const lists: string[] = [];
    for (const name of ['Weekly news', 'Offers', 'Events', 'Product updates']) {
      const list = await createList(services, site.id, { name, description: `About ${name}` });
      lists.push(list.id);
    }
    const page = await createPage(
      services,
      site.id,
      null,
      preferencePageFields.parse({
        name: 'Bench',
        custom_path: 'preferences',
        allow_customer_create: true,
        lists: lists.map((id) => ({ id })),
      }),
    );
    for (const event of ['subscribed', 'unsubscribed'] as const) {
      await addWebhook(services, site.id, event, hookUrl);
    }
    const ids = await insertPeople(owner, site.id, people);
    // The planner knows how large the tables are, as it does on a database that has been in use for a minute.
    await owner.query('analyze');
    return {
      ...site,
      customPath: page.custom_path,
      lists,
      people: ids.map((id) => personOf(services, site.id, page.id, id)),
    };
  } finally {
    await owner.end();
    await product.stop();
  }
}

/** What a personal link and an opened page are about a customer; made here, because asking for them takes longer. */
function personOf(services: Services, siteId: string, pageId: string, id: string): Person {
  const about = {
    siteId,
    customerId: id,
    issuedOn: dayOf(services.clock.now()),
    generation: 0,
    listId: null,
  };
  return {
    id,
    sealed: sealSessionToken(services, siteId, { id, pageId, level: 'proven', generation: 0, sequence: 0 }),
    challenge: makeChallenge(services.keyring, { ...about, purpose: 'manage' }),
    oneClickPath: `/u/${makeChallenge(services.keyring, { ...about, purpose: 'leave' })}`,
  };
}

import { type InferResult, type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import { builtOnce, type SiteDb } from '#server/platform/database.ts';
import { LINK_GENERATIONS } from './challenge.ts';

export type CustomerRow = Selectable<TenantTables['customers']>;

/** A customer who was merged into another one is that one: links and ids that were handed out go on working. */
export async function findCustomer(site: SiteDb, id: string): Promise<CustomerRow | undefined> {
  const own = await findCustomerRow(site, id);
  const survivorId = own?.merged_into ?? null;
  return survivorId === null ? own : findCustomerRow(site, survivorId);
}

/** The row with this id, also of a customer who was merged. */
export async function findCustomerRow(site: SiteDb, id: string): Promise<CustomerRow | undefined> {
  return site.db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .executeTakeFirst();
}

/** Locks customers, always in the order of their ids: choices of one person are made one after the other. */
export const lockCustomers = builtOnce((db, siteId: string, ids: readonly string[]) =>
  db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', siteId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('erased_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .compile(),
);

export const lockAndReadSubscriptions = builtOnce((db, siteId: string, customerIds: readonly string[]) =>
  db
    .selectFrom('subscriptions')
    .select(['customer_id', 'list_id', 'subscribed', 'changed_at'])
    .where('site_id', '=', siteId)
    .where(sql<boolean>`customer_id = any(${customerIds}::uuid[])`)
    .compile(),
);

export async function findCustomerByEmail(site: SiteDb, emailKey: string): Promise<CustomerRow | undefined> {
  return site.db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('email_key', '=', emailKey)
    .executeTakeFirst();
}

/** Those who turned out to be this customer. */
export async function mergedCustomers(site: SiteDb, id: string): Promise<CustomerRow[]> {
  return site.db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('merged_into', '=', id)
    .execute();
}

/** The rows with these ids, also of customers who were merged. */
export async function customersByIds(site: SiteDb, ids: readonly string[]): Promise<CustomerRow[]> {
  return site.db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

export async function customersByEmails(site: SiteDb, emailKeys: readonly string[]): Promise<CustomerRow[]> {
  return site.db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where(sql<boolean>`email_key = any(${[...emailKeys]}::text[])`)
    .execute();
}

export async function subscriptionsOfMany(
  site: SiteDb,
  customerIds: readonly string[],
): Promise<(Pick<SubscriptionRow, 'list_id' | 'subscribed'> & { customer_id: string })[]> {
  return site.db
    .selectFrom('subscriptions')
    .select(['customer_id', 'list_id', 'subscribed'])
    .where('site_id', '=', site.id)
    .where(sql<boolean>`customer_id = any(${[...customerIds]}::uuid[])`)
    .execute();
}

/** Those who are not erased. */
export async function countCustomers(site: SiteDb): Promise<number> {
  const row = await site.db
    .selectFrom('customers')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('site_id', '=', site.id)
    .where('erased_at', 'is', null)
    .where('merged_into', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Those whose inbox belongs to somebody else. */
export async function countWrongRecipients(site: SiteDb): Promise<number> {
  const row = await site.db
    .selectFrom('customers')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('site_id', '=', site.id)
    .where('wrong_recipient_at', 'is not', null)
    .where('global_unsubscribe', '=', true)
    .where('paused_until', 'is', null)
    .where('erased_at', 'is', null)
    .where('merged_into', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Which of these keyed hashes are of people who were erased after leaving everything? */
export async function erasedAsLeft(site: SiteDb, erasedKeys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await site.db
    .selectFrom('customers')
    .select('erased_key')
    .where('site_id', '=', site.id)
    .where(sql<boolean>`erased_key = any(${[...erasedKeys]}::bytea[])`)
    .execute();
  return rows.flatMap(({ erased_key: key }) => (key === null ? [] : [key]));
}

/** When was a person with one of these keyed hashes erased who had left everything? null: never. */
export async function erasedAsLeftAt(site: SiteDb, erasedKeys: readonly Buffer[]): Promise<Date | null> {
  const row = await site.db
    .selectFrom('customers')
    .select('erased_at')
    .where('site_id', '=', site.id)
    .where('erased_key', 'in', erasedKeys)
    .orderBy('erased_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.erased_at ?? null;
}

/** undefined when the address is a customer's already. */
export async function insertCustomer(
  site: SiteDb,
  customer: {
    id: string;
    email: string;
    email_key: string;
    global_unsubscribe: boolean;
    person_salt: Buffer;
    now: Date;
  },
): Promise<CustomerRow | undefined> {
  return site.db
    .insertInto('customers')
    .values({
      site_id: site.id,
      id: customer.id,
      email: customer.email,
      email_key: customer.email_key,
      global_unsubscribe: customer.global_unsubscribe,
      paused_until: null,
      sequence: 0,
      evidence_hash: null,
      person_salt: customer.person_salt,
      created_at: customer.now,
      updated_at: customer.now,
      erased_at: null,
      erased_key: null,
    })
    .onConflict((conflict) => conflict.columns(['site_id', 'email_key']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export interface SubscriptionRow {
  list_id: string;
  subscribed: boolean;
  changed_at: Date;
}

export async function subscriptionsOf(site: SiteDb, customerId: string): Promise<SubscriptionRow[]> {
  return site.db
    .selectFrom('subscriptions')
    .select(['list_id', 'subscribed', 'changed_at'])
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

/** From here on nobody changes the customer until the transaction ends. */
export async function lockCustomerRow(site: SiteDb, id: string): Promise<void> {
  await site.db.executeQuery(lockCustomers(site.db, site.id, [id]));
}

/**
 * Address, salt and subscriptions go; the row stays, because evidence and deliveries hang on it.
 * @param erasedKey kept of a person who had left everything, so that nobody can lose the opt-out by erasing them
 */
export async function eraseCustomer(
  site: SiteDb,
  id: string,
  { erasedKey, now }: { erasedKey: Buffer | null; now: Date },
): Promise<boolean> {
  const result = await site.db
    .updateTable('customers')
    .set({
      email: null,
      email_key: null,
      person_salt: null,
      erased_key: erasedKey,
      erased_at: now,
      updated_at: now,
    })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .executeTakeFirst();
  await site.db
    .deleteFrom('subscriptions')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', id)
    .execute();
  return result.numUpdatedRows > 0n;
}

/** Ends the personal links made so far: from here on they are of another generation. */
export async function beginLinkGeneration(
  site: SiteDb,
  id: string,
  now: Date,
): Promise<CustomerRow | undefined> {
  return site.db
    .updateTable('customers')
    .set({ link_generation: sql`(link_generation + 1) % ${sql.lit(LINK_GENERATIONS)}`, links_ended_at: now })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** What a page shows of customers, as one statement: a row for each chosen list, or one with `list_id` null. */
export const customersOnPage = builtOnce((db, siteId: string, ids: readonly string[]) =>
  db
    .selectFrom('customers')
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.site_id', '=', 'customers.site_id')
        .onRef('subscriptions.customer_id', '=', 'customers.id'),
    )
    .select([
      'customers.id',
      'customers.email',
      'customers.global_unsubscribe',
      'customers.paused_until',
      'customers.link_generation',
      'customers.merged_into',
      'customers.sequence',
      'subscriptions.list_id',
      'subscriptions.subscribed',
    ])
    .where('customers.site_id', '=', siteId)
    .where(sql<boolean>`customers.id = any(${ids}::uuid[])`)
    .where('customers.erased_at', 'is', null)
    .compile(),
);

export type CustomerOnPageRow = InferResult<ReturnType<typeof customersOnPage>>[number];

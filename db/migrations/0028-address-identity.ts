import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Addresses identify a person by their key (contract/email-key.ts), no longer by lower case alone. Customers whose
 * addresses come to the same key become one: the older one stays, the other one keeps its row and its evidence and points
 * at it. What the other one had chosen is merged by the product (visit/customers/merging.ts), with evidence.
 */

const PLAIN = /^[\x21-\x7e]*$/;

/** As contract/email-key.ts made it in the version of this migration. */
function emailKey(address: string): string {
  const trimmed = address.trim();
  if (PLAIN.test(trimmed)) return trimmed.toLowerCase();
  const folded = trimmed.normalize('NFKC').trim().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
  const at = folded.lastIndexOf('@');
  const domain = folded.slice(at + 1);
  if (at < 0 || PLAIN.test(domain)) return folded;
  const url = `http://${domain}`;
  return folded.slice(0, at + 1) + (URL.canParse(url) ? new URL(url).hostname : domain);
}

const AT_ONCE = 500;

/** Rows of customers that name one by its id, and can be said of another one. */
const NAMES_CUSTOMER = ['deliveries', 'import_rows', 'inbound_events', 'leave_reasons'];
/** Of a customer as an address in a tool: made again for the one who stays. */
const FORGOTTEN = ['kept_links', 'tool_turns', 'differences'];

const COLUMNS = [
  `alter table customers add column merged_into uuid`,
  `create index customers_merged_idx on customers (site_id, merged_into) where merged_into is not null`,
  // Counts of present customers are read from it alone.
  `drop index customers_present_idx`,
  `create index customers_present_idx on customers (site_id, id) where erased_at is null and merged_into is null`,
  `alter table appointments drop constraint appointments_kind_check`,
  `alter table appointments add constraint appointments_kind_check check (kind in ('resume', 'erase', 'pending_end', 'merge'))`,
  // Keys held addresses in clear. Counters last minutes; the table is emptied rather than written again.
  `truncate rate_limits`,
];

interface Row {
  site_id: string;
  id: string;
  email: string | null;
  email_key: string;
}

/** Who has a key that is not ASCII; all others have the same key as before. */
async function customersAfter(db: Kysely<unknown>, after: Pick<Row, 'site_id' | 'id'>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select site_id, id, email, email_key from customers
    where octet_length(email_key) > char_length(email_key) and (site_id, id) > (${after.site_id}::uuid, ${after.id}::uuid)
    order by site_id, id limit ${AT_ONCE}`.execute(db);
  return rows;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

async function giveKeys(db: Kysely<unknown>): Promise<void> {
  let last: Pick<Row, 'site_id' | 'id'> = { site_id: NOBODY, id: NOBODY };
  for (;;) {
    const rows = await customersAfter(db, last);
    for (const row of rows) {
      const key = emailKey(row.email ?? row.email_key);
      if (key !== row.email_key) await giveKey(db, row, key);
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < AT_ONCE) return;
    last = end;
  }
}

async function giveKey(db: Kysely<unknown>, { site_id: siteId, id }: Row, key: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from customers where site_id = ${siteId} and email_key = ${key}`.execute(db);
  const [other] = rows;
  if (other === undefined) {
    await sql`update customers set email_key = ${key} where site_id = ${siteId} and id = ${id}`.execute(db);
    return;
  }
  // Ids are in the order of time.
  const [survivor, merged] = id < other.id ? [id, other.id] : [other.id, id];
  await merge(db, siteId, { survivor, merged, key });
}

async function merge(
  db: Kysely<unknown>,
  siteId: string,
  { survivor, merged, key }: { survivor: string; merged: string; key: string },
): Promise<void> {
  await sql`
    update customers set email_key = null, merged_into = ${survivor}
    where site_id = ${siteId} and id = ${merged}`.execute(db);
  // Three spellings of one address: the first to be merged follows.
  await sql`
    update customers set merged_into = ${survivor}
    where site_id = ${siteId} and merged_into = ${merged}`.execute(db);
  await sql`update customers set email_key = ${key} where site_id = ${siteId} and id = ${survivor}`.execute(
    db,
  );
  for (const table of NAMES_CUSTOMER) {
    await sql`
      update ${sql.table(table)} set customer_id = ${survivor}
      where site_id = ${siteId} and customer_id = ${merged}`.execute(db);
  }
  for (const table of FORGOTTEN) {
    await sql`delete from ${sql.table(table)} where site_id = ${siteId} and customer_id = ${merged}`.execute(
      db,
    );
  }
  await sql`
    insert into appointments (site_id, customer_id, kind, due_at, created_at)
    values (${siteId}, ${merged}, 'merge', to_timestamp(0), now())
    on conflict (site_id, customer_id, kind) do nothing`.execute(db);
}

interface ImportRow {
  site_id: string;
  import_id: string;
  number: number;
  email_key: string;
}

async function giveKeysToImports(db: Kysely<unknown>): Promise<void> {
  let last = { site_id: NOBODY, import_id: NOBODY, number: -1 };
  for (;;) {
    const { rows } = await sql<ImportRow>`
      select site_id, import_id, number, email_key from import_rows
      where octet_length(email_key) > char_length(email_key)
        and (site_id, import_id, number) > (${last.site_id}::uuid, ${last.import_id}::uuid, ${last.number}::int)
      order by site_id, import_id, number limit ${AT_ONCE}`.execute(db);
    for (const row of rows) {
      await sql`
        update import_rows set email_key = ${emailKey(row.email_key)}
        where site_id = ${row.site_id} and import_id = ${row.import_id} and number = ${row.number}`.execute(
        db,
      );
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < AT_ONCE) return;
    last = end;
  }
}

/** What each nightly check of a site's evidence found; the server's role can only add to it. */
const EVIDENCE_CHECKS = `
  id uuid not null,
  records bigint not null,
  chains bigint not null,
  broken int not null,
  findings jsonb not null,
  anchor jsonb not null,
  seal bytea not null,
  checked_at timestamptz not null,
  constraint evidence_checks_pkey primary key (site_id, id)`;

const EVIDENCE_ROUNDS = [
  // Before any tenant, so that one look finds what is due on every site, and whether any is broken. No personal data.
  `create table evidence_rounds (
    site_id uuid constraint evidence_rounds_pkey primary key,
    due_at timestamptz not null,
    lease uuid,
    checked_at timestamptz,
    broken int not null
  )`,
  `alter table evidence_rounds add constraint evidence_rounds_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index evidence_rounds_due_idx on evidence_rounds (due_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of COLUMNS) await sql.raw(statement).execute(db);
  // Who owns the tables is held to their policies, too, and is of no site here.
  const forcedOn = ['customers', ...NAMES_CUSTOMER, ...FORGOTTEN];
  for (const table of forcedOn) await sql.raw(`alter table ${table} no force row level security`).execute(db);
  await giveKeys(db);
  await giveKeysToImports(db);
  for (const table of forcedOn) await sql.raw(`alter table ${table} force row level security`).execute(db);
  await createTenantTable(db, 'evidence_checks', EVIDENCE_CHECKS);
  for (const statement of EVIDENCE_ROUNDS) await sql.raw(statement).execute(db);
}

import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { MIGRATIONS } from '#server/platform/migrate.ts';

const NAME = `sayso_migration_${randomBytes(4).toString('hex')}`;
const THIS = '0028-address-identity';
const NOW = new Date();

let admin: pg.Client;
/** Looks past row-level security. */
let all: pg.Pool;
/** Owns the tables, and is held to their policies. */
let ownerUrl: string;

async function migrateTo(last: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const known = Object.entries(MIGRATIONS).filter(([name]) => name <= last);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(known) } });
  const { error } = await migrator.migrateToLatest();
  await db.destroy();
  if (error !== undefined) throw new Error('The migration failed', { cause: error });
}

const site = newId();
const list = newId();
const people = {
  oldest: newId(new Date(NOW.getTime() - 3000)),
  punycode: newId(new Date(NOW.getTime() - 2000)),
  fullWidth: newId(new Date(NOW.getTime() - 1000)),
  alone: newId(),
  plain: newId(),
};

async function addCustomer(id: string, email: string, hasLeft = false): Promise<void> {
  await all.query(
    `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, evidence_hash, person_salt, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 1, '\\x01', '\\x02', $6, $6)`,
    [site, id, email, email.toLowerCase(), hasLeft, NOW],
  );
  const choice = newId();
  await all.query(
    `insert into choices (site_id, id, customer_id, sequence, source, authority, events, lists, global_unsubscribe, shown, person_hash, person_sealed, occurred_at, hash)
     values ($1, $2, $3, 1, 'owner', 'owner', '{customer_created}', '[]', false, '{}', '\\x00', 'x', $4, '\\x01')`,
    [site, choice, id, NOW],
  );
  await all.query(
    `insert into deliveries (site_id, id, action_id, customer_id, choice_id, event, status, attempt_count, try_count, created_at)
     values ($1, $2, $2, $3, $4, 'unsubscribed', 'waiting', 0, 0, $5)`,
    [site, newId(), id, choice, NOW],
  );
}

beforeAll(async () => {
  const role = `${NAME}_owner`;
  admin = new pg.Client({ connectionString: inject('ownerUrl') });
  await admin.connect();
  await admin.query(`create role ${role} login password 'secret' nosuperuser nobypassrls`);
  await admin.query(`create database ${NAME} owner ${role}`);
  const url = new URL(inject('ownerUrl'));
  url.pathname = `/${NAME}`;
  all = new pg.Pool({ connectionString: url.href, max: 2 });
  // Its database is dropped while the last connections are still closing.
  all.on('error', () => {});
  url.username = role;
  url.password = 'secret';
  ownerUrl = url.href;

  const names = Object.keys(MIGRATIONS).toSorted();
  await migrateTo(names[names.indexOf(THIS) - 1] ?? '');
  const organization = newId();
  await all.query(
    `insert into organizations (id, name, name_key, created_by, created_at) values ($1, 'A', 'a', $1, $2)`,
    [organization, NOW],
  );
  await all.query(`insert into sites values ($1, $2, 'A', $3)`, [site, organization, NOW]);
  await all.query(
    `insert into lists (site_id, id, name, description, show_order, default_state, translations, created_at, updated_at)
     values ($1, $2, 'Weekly', '', 0, false, '[]', $3, $3)`,
    [site, list, NOW],
  );
  await addCustomer(people.oldest, 'Ana@BÜCHER.example');
  await addCustomer(people.punycode, 'ana@xn--bcher-kva.example');
  await addCustomer(people.fullWidth, 'ａｎａ@bücher.example', true);
  await addCustomer(people.alone, 'Solo@Müller.example');
  await addCustomer(people.plain, 'Plain@example.com');
  await all.query(
    `insert into rate_limits (key, points, expire) values ('lookup-address:ana@example.com', 1, 1)`,
  );
  await migrateTo(THIS);
});

afterAll(async () => {
  await all.end();
  await admin.query(`drop database ${NAME} with (force)`);
  await admin.query(`drop role ${NAME}_owner`);
  await admin.end();
});

const customersNow = async () =>
  (
    await all.query<{ id: string; email: string; email_key: string | null; merged_into: string | null }>(
      'select id, email, email_key, merged_into from customers order by id',
    )
  ).rows;

describe('addresses that were there before they had keys', () => {
  it('have them now, and are shown as they were typed', async () => {
    const customers = await customersNow();
    expect(customers.filter(({ merged_into }) => merged_into === null)).toEqual([
      {
        id: people.oldest,
        email: 'Ana@BÜCHER.example',
        email_key: 'ana@xn--bcher-kva.example',
        merged_into: null,
      },
      {
        id: people.alone,
        email: 'Solo@Müller.example',
        email_key: 'solo@xn--mller-kva.example',
        merged_into: null,
      },
      { id: people.plain, email: 'Plain@example.com', email_key: 'plain@example.com', merged_into: null },
    ]);
  });

  it('of one person make one customer: the oldest stays, the others point at it and keep their evidence', async () => {
    const merged = (await customersNow()).filter(({ merged_into }) => merged_into !== null);
    expect(merged).toMatchObject([
      { id: people.punycode, email_key: null, merged_into: people.oldest },
      { id: people.fullWidth, email_key: null, merged_into: people.oldest },
    ]);
    const choices = await all.query('select distinct customer_id from choices');
    expect(choices.rowCount).toBe(5);
    const deliveries = await all.query('select id from deliveries where customer_id = $1', [people.oldest]);
    expect(deliveries.rowCount).toBe(3);
    const appointments = await all.query('select customer_id, kind from appointments order by customer_id');
    expect(appointments.rows).toEqual([
      { customer_id: people.punycode, kind: 'merge' },
      { customer_id: people.fullWidth, kind: 'merge' },
    ]);
  });

  it('are in no counter of a limit any more', async () => {
    expect((await all.query('select key from rate_limits')).rows).toEqual([]);
  });

  it('lie behind row-level security as before, which binds the owner, too', async () => {
    const { rows } = await all.query<{ relname: string }>(
      `select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'site_id'
       where relkind = 'r' and relrowsecurity and not relforcerowsecurity`,
    );
    expect(rows).toEqual([]);
  });
});

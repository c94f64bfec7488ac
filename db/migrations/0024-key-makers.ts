import { type Kysely, sql } from 'kysely';

/* An API key outlives the account of who made it, and says whose it was. */

interface Key {
  site_id: string;
  id: string;
  created_by: string;
}

interface Person {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
}

const STATEMENTS = [
  `alter table api_keys add column created_by_name text`,
  `alter table api_keys add column created_by_email text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  // Who owns the table is held to its policy, too, and is of no site here.
  const { rows: tables } = await sql<{ relforcerowsecurity: boolean }>`
    select relforcerowsecurity from pg_class where oid = 'api_keys'::regclass`.execute(db);
  const isForced = tables[0]?.relforcerowsecurity === true;
  if (isForced) await sql.raw(`alter table api_keys no force row level security`).execute(db);
  const { rows: keys } = await sql<Key>`
    select site_id, id, created_by from api_keys`.execute(db);
  const makers = [...new Set(keys.map((key) => key.created_by))];
  if (makers.length > 0) await keepMakers(db, keys, makers);
  if (isForced) await sql.raw(`alter table api_keys force row level security`).execute(db);
}

async function keepMakers(db: Kysely<unknown>, keys: Key[], makers: string[]): Promise<void> {
  const { rows: users } = await sql<Person>`
    select id, username, first_name, last_name, email from users where id in (${sql.join(makers)})`.execute(
    db,
  );
  const people = new Map(users.map((user) => [user.id, user]));
  for (const { site_id, id, created_by } of keys) {
    const person = people.get(created_by);
    if (person === undefined) continue;
    const name = `${person.first_name} ${person.last_name}`.trim() || person.username;
    await sql`update api_keys set created_by_name = ${name}, created_by_email = ${person.email}
      where site_id = ${site_id} and id = ${id}`.execute(db);
  }
}

import { domainToASCII } from 'node:url';
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A subject is only unique within its issuer.
  `alter table users add column google_issuer text`,
  `alter table users add column google_email text`,
  `update users set google_issuer = 'https://accounts.google.com', google_email = email where google_subject is not null`,
  `alter table users drop constraint users_google_subject_key`,
  `alter table users add constraint users_google_identity_key unique (google_issuer, google_subject)`,
  // Links that are mailed to somebody with an account, beside those that set a password.
  `create table account_links (
    token_hash bytea constraint account_links_pkey primary key,
    user_id uuid not null,
    kind text not null,
    details jsonb not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  `alter table account_links add constraint account_links_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `create index account_links_user_idx on account_links (user_id)`,
];

function keyOf(value: string): string {
  const name = value.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC');
  const at = name.lastIndexOf('@');
  const domain = name.slice(at + 1);
  return at === -1 ? name : `${name.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
}

interface Row {
  id: string;
  username: string;
  username_key: string;
  email: string;
  email_key: string;
}

/** Two accounts whose names are one by now keep the keys that they have; each is still found by its email. */
async function renewKeys(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Row>`select id, username, username_key, email, email_key from users`.execute(db);
  const taken = {
    username: new Set(rows.map((row) => row.username_key)),
    email: new Set(rows.map((row) => row.email_key)),
  };
  for (const row of rows) {
    for (const name of ['username', 'email'] as const) {
      const key = keyOf(row[name]);
      if (key === row[`${name}_key`] || taken[name].has(key)) continue;
      taken[name].add(key);
      await sql`update users set ${sql.ref(`${name}_key`)} = ${key} where id = ${row.id}`.execute(db);
    }
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await renewKeys(db);
}

import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // At most one authenticator app of an account. The secret is sealed; a code counts once: its step is kept.
  `create table totp_factors (
    user_id uuid constraint totp_factors_pkey primary key,
    secret_sealed text not null,
    last_step bigint not null,
    created_at timestamptz not null,
    last_used_at timestamptz
  )`,
  `alter table totp_factors add constraint totp_factors_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `create table passkeys (
    id uuid constraint passkeys_pkey primary key,
    user_id uuid not null,
    credential_id text not null constraint passkeys_credential_key unique,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    is_synced boolean not null,
    name text not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    blocked_at timestamptz
  )`,
  `alter table passkeys add constraint passkeys_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `create index passkeys_user_idx on passkeys (user_id)`,
  `create table recovery_codes (
    user_id uuid not null,
    code_hash bytea not null,
    salt bytea not null,
    created_at timestamptz not null,
    used_at timestamptz,
    constraint recovery_codes_pkey primary key (user_id, code_hash)
  )`,
  `alter table recovery_codes add constraint recovery_codes_user_fk foreign key (user_id) references users (id) on delete cascade`,
  // Tickets lie sealed in the browser; here is only which were used, until they would have ended.
  `create table used_tickets (id uuid constraint used_tickets_pkey primary key, expires_at timestamptz not null)`,
  `create index used_tickets_expires_idx on used_tickets (expires_at)`,
  // Without a default, so that a process of the version before can go on making sessions.
  `alter table refresh_families add column authenticated_at timestamptz`,
  `alter table refresh_families add column set_up_required boolean not null default false`,
  `alter table organizations add column requires_second_factor boolean not null default false`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
